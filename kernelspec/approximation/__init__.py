"""How well networks approximate: worst-case errors over the RKHS ball, least squares on data."""

from __future__ import annotations

from kernelspec.approximation.hyperspherical import harmonic_basis
from kernelspec.approximation.least_squares import LeastSquaresError, least_squares_error
from kernelspec.approximation.projection import projection_error
from kernelspec.approximation.targets import (
    Harmonic,
    KernelExpansion,
    RidgeFunction,
    ZonalTarget,
    random_kernel_expansion,
)
from kernelspec.approximation.worst_case import (
    WorstCaseError,
    worst_case_error,
    worst_case_memory,
)

__all__ = [
    "Harmonic",
    "KernelExpansion",
    "LeastSquaresError",
    "RidgeFunction",
    "WorstCaseError",
    "ZonalTarget",
    "harmonic_basis",
    "least_squares_error",
    "projection_error",
    "random_kernel_expansion",
    "worst_case_error",
    "worst_case_memory",
]
