"""What a sweep varies and what it holds fixed, checked before any work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kernelspec import _checks
from validation.settings import Settings, axis, word

__all__ = ["AXES", "SweepSettings"]

AXES: Final = ("d", "m", "P", "tau", "order", "delta")
KAPPA0_CHOICES: Final = ("theorem", "limit")


def _width(value: Any) -> int:
    return _checks.count("m", value)


@dataclass(frozen=True, kw_only=True)
class SweepSettings(Settings):
    r"""The grid of a sweep: every combination of the axes, `seeds` networks each.

    A single number may stand for an axis of one value. Axes are kept in ascending order.

    Parameters
    ----------
    d : tuple of int
        Ambient dimensions, 2 to 1000.
    m : tuple of int
        Widths, >= 1.
    P : tuple of float
        Trainable proportions, 0 to 1: round(P m) neurons are leverage sampled.
    tau : tuple of float
        Scales of the initial biases, > 0.
    order : tuple of int
        Orders of the activation, 0 to 5.
    delta : tuple of float
        Failure probabilities of the bound, in (0, 1).
    seeds : int
        Networks drawn for each combination.
    seed : int
        Entropy of the whole sweep, >= 0.
    lam : float, optional
        The ridge of leverage sampling. Left out, each cell uses the lambda* of the explicit
        bound (4 lambda* bounds the squared error) at its own m, delta and kappa_P.
    kappa0 : {"theorem", "limit"}
        The kappa_0 inside kappa_P: the theorem's 4 sqrt(2) tau (d+1)/d, stated for order 1 and
        tau >= 1, or the sharp limit of the mismatch as lambda -> 0.
    rtol : float
        Relative width asked of each enclosure of the error.
    memory_gib : float
        GiB that one network may take. The limit is fixed, for how close an enclosure comes may
        depend on it.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and the allowed range.

    Examples
    --------
    >>> settings = SweepSettings(d=3, m=(128, 64), P=(0.0, 0.5, 1.0), tau=2.0, seeds=4)
    >>> settings.m, settings.size
    ((64, 128), 24)
    """

    _of: ClassVar[str] = "a sweep"

    d: tuple[int, ...]
    m: tuple[int, ...]
    P: tuple[float, ...]
    tau: tuple[float, ...]
    order: tuple[int, ...] = (1,)
    delta: tuple[float, ...] = (0.1,)
    seeds: int = 1
    seed: int = 0
    lam: float | None = None
    kappa0: str = "theorem"
    rtol: float = 0.02
    memory_gib: float = 4.0

    def __post_init__(self) -> None:
        checked = {
            "d": axis("d", self.d, _checks.dimension),
            "m": axis("m", self.m, _width),
            "P": axis("P", self.P, lambda value: _checks.proportion("P", value)),
            "tau": axis("tau", self.tau, lambda value: _checks.positive("tau", value)),
            "order": axis("order", self.order, _checks.order),
            "delta": axis("delta", self.delta, lambda value: _checks.open_unit("delta", value)),
            "seeds": _checks.count("seeds", self.seeds),
            "seed": _checks.count("seed", self.seed, low=0),
            "lam": None if self.lam is None else _checks.positive("lam", self.lam),
            "rtol": _checks.open_unit("rtol", self.rtol),
            "memory_gib": _checks.positive("memory_gib", self.memory_gib),
        }
        self._set(checked)
        self._check_kappa0()

    def _check_kappa0(self) -> None:
        word("kappa0", self.kappa0, KAPPA0_CHOICES)
        if self.kappa0 == "theorem" and (self.order != (1,) or self.tau[0] < 1.0):
            raise ValueError(
                f"kappa0 = 'theorem' is not allowed with order = {self.order} and tau >= "
                f"{self.tau[0]!r}: the theorem speaks of order 1 and tau >= 1; "
                "choose kappa0 = 'limit'"
            )

    @property
    def size(self) -> int:
        """Number of cells in the grid."""
        return self.seeds * math.prod(len(getattr(self, name)) for name in AXES)
