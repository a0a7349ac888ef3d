"""The enclosures of `kernelspec.certify` in one place.

Every function works at flint's current precision (`flint.ctx.prec`), takes balls or exact numbers
and returns a ball that contains the true value at every point of its arguments. `refine` doubles
the precision until the ball is narrow enough.
"""

from __future__ import annotations

from kernelspec.certify.arithmetic import (
    Inconclusive,
    as_ball,
    decimal_bounds,
    half_power,
    hull,
    monotone,
    precision,
    refine,
    relative_width,
)
from kernelspec.certify.coefficient_balls import (
    coefficient,
    coefficient_squared,
    coefficients_all,
    feature_norm_squared,
    height_of_cut,
    square,
)
from kernelspec.certify.gegenbauer_balls import gegenbauer, gegenbauer_all
from kernelspec.certify.kappa_ball import KappaBall, enclose_mismatch
from kernelspec.certify.leverage_balls import (
    degrees_of_freedom,
    gaussian_density,
    leverage,
    mismatch_ratio,
)
from kernelspec.certify.spectrum_balls import eigenvalue, kernel, kernel_at_one, multiplicity

__all__ = [
    "Inconclusive",
    "KappaBall",
    "as_ball",
    "coefficient",
    "coefficient_squared",
    "coefficients_all",
    "decimal_bounds",
    "degrees_of_freedom",
    "eigenvalue",
    "enclose_mismatch",
    "feature_norm_squared",
    "gaussian_density",
    "gegenbauer",
    "gegenbauer_all",
    "half_power",
    "height_of_cut",
    "hull",
    "kernel",
    "kernel_at_one",
    "leverage",
    "mismatch_ratio",
    "monotone",
    "multiplicity",
    "precision",
    "refine",
    "relative_width",
    "square",
]
