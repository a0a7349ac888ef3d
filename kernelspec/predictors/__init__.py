"""What predicts the worst-case error of a network: candidates, from crude to a full theory."""

from kernelspec.predictors.equivalent import (
    Equivalent,
    deterministic_equivalent,
    deterministic_equivalent_of,
    equivalent_width,
)
from kernelspec.predictors.homogeneous import homogeneous_constant, homogeneous_error
from kernelspec.predictors.shares import (
    active_share,
    kink_share,
    leverage_share,
    resolved_share,
    supremum_share,
)

__all__ = [
    "Equivalent",
    "active_share",
    "deterministic_equivalent",
    "deterministic_equivalent_of",
    "equivalent_width",
    "homogeneous_constant",
    "homogeneous_error",
    "kink_share",
    "leverage_share",
    "resolved_share",
    "supremum_share",
]
