"""Numerical checks and computer proofs of kernel-spectrum theorems for two-layer networks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kernelspec.approximation import (
    LeastSquaresError,
    WorstCaseError,
    least_squares_error,
    worst_case_error,
)
from kernelspec.bounds import (
    captured_fraction,
    explicit_bound,
    mixture_mismatch,
    rate_bound,
    theorem_kappa0,
    trainable_proportion,
)
from kernelspec.concentration import OptimisedBound, optimised_bound
from kernelspec.decay import (
    DecayEstimate,
    estimate_decay,
    estimate_decay_from_features,
    estimate_decay_from_gram,
    estimate_decay_from_kernel,
    estimate_decay_from_neurons,
    exact_decay,
)
from kernelspec.features import BiasedReLU
from kernelspec.initialisers import (
    Initialiser,
    cube_mismatch,
    initialiser,
    initialiser_names,
    initialiser_table,
    tau_from_std,
)
from kernelspec.laws import GaussianInit, Law, Mixture, RidgeLeverage, Uniform, UniformBias
from kernelspec.limits import limiting_leverage, limiting_mismatch
from kernelspec.mismatch import Mismatch, mismatch
from kernelspec.networks import draw_network
from kernelspec.sphere import coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere
from kernelspec.suprema import holds_below, worst_mismatch

if TYPE_CHECKING:
    from kernelspec.certify.mismatch import certify_mismatch

__version__ = "0.1.0"

__all__ = [
    "BiasedReLU",
    "DecayEstimate",
    "GaussianInit",
    "Initialiser",
    "Law",
    "LeastSquaresError",
    "Mismatch",
    "Mixture",
    "OptimisedBound",
    "RidgeLeverage",
    "Uniform",
    "UniformBias",
    "WorstCaseError",
    "captured_fraction",
    "certify_mismatch",
    "coordinate_quadrature",
    "cube_mismatch",
    "draw_network",
    "estimate_decay",
    "estimate_decay_from_features",
    "estimate_decay_from_gram",
    "estimate_decay_from_kernel",
    "estimate_decay_from_neurons",
    "exact_decay",
    "explicit_bound",
    "gegenbauer",
    "holds_below",
    "initialiser",
    "initialiser_names",
    "initialiser_table",
    "least_squares_error",
    "limiting_leverage",
    "limiting_mismatch",
    "mismatch",
    "mixture_mismatch",
    "multiplicity",
    "optimised_bound",
    "rate_bound",
    "tau_from_std",
    "theorem_kappa0",
    "trainable_proportion",
    "uniform_sphere",
    "worst_case_error",
    "worst_mismatch",
]

# python-flint is loaded by those who ask for a proof, not by everyone
_ON_REQUEST = {"certify_mismatch": "kernelspec.certify.mismatch"}


def __getattr__(name: str) -> Any:
    if name in _ON_REQUEST:
        return getattr(import_module(_ON_REQUEST[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
