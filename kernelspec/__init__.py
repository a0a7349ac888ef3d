"""Numerical checks and computer proofs of kernel-spectrum theorems for two-layer networks."""

from kernelspec.bounds import (
    captured_fraction,
    explicit_bound,
    mixture_mismatch,
    rate_bound,
    theorem_kappa0,
    trainable_proportion,
)
from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit, Law, Mixture, RidgeLeverage, Uniform, UniformBias
from kernelspec.limits import limiting_leverage, limiting_mismatch
from kernelspec.mismatch import Mismatch, mismatch
from kernelspec.networks import draw_network
from kernelspec.sphere import coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere
from kernelspec.suprema import holds_below, worst_mismatch

__version__ = "0.1.0"

__all__ = [
    "BiasedReLU",
    "GaussianInit",
    "Law",
    "Mismatch",
    "Mixture",
    "RidgeLeverage",
    "Uniform",
    "UniformBias",
    "captured_fraction",
    "coordinate_quadrature",
    "draw_network",
    "explicit_bound",
    "gegenbauer",
    "holds_below",
    "limiting_leverage",
    "limiting_mismatch",
    "mismatch",
    "mixture_mismatch",
    "multiplicity",
    "rate_bound",
    "theorem_kappa0",
    "trainable_proportion",
    "uniform_sphere",
    "worst_mismatch",
]
