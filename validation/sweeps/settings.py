"""What a sweep varies and what it holds fixed, checked before any work."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from kernelspec import _checks

__all__ = ["AXES", "SweepSettings", "read_toml"]

AXES: Final = ("d", "m", "P", "tau", "order", "delta")
KAPPA0_CHOICES: Final = ("theorem", "limit")


def _width(value: Any) -> int:
    return _checks.count("m", value)


def _axis(name: str, value: Any, check: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the checked values in ascending order: the order of writing has no meaning."""
    entries = value if isinstance(value, (list, tuple)) else [value]
    if not entries:
        raise ValueError(f"{name} = {value!r} is not allowed: at least one value")
    checked = [check(entry) for entry in entries]
    if len(set(checked)) < len(checked):
        raise ValueError(f"{name} = {value!r} is not allowed: each value once")
    return tuple(sorted(checked))


@dataclass(frozen=True, kw_only=True)
class SweepSettings:
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
            "d": _axis("d", self.d, _checks.dimension),
            "m": _axis("m", self.m, _width),
            "P": _axis("P", self.P, lambda value: _checks.proportion("P", value)),
            "tau": _axis("tau", self.tau, lambda value: _checks.positive("tau", value)),
            "order": _axis("order", self.order, _checks.order),
            "delta": _axis("delta", self.delta, lambda value: _checks.open_unit("delta", value)),
            "seeds": _checks.count("seeds", self.seeds),
            "seed": _checks.count("seed", self.seed, low=0),
            "lam": None if self.lam is None else _checks.positive("lam", self.lam),
            "rtol": _checks.open_unit("rtol", self.rtol),
            "memory_gib": _checks.positive("memory_gib", self.memory_gib),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self._check_kappa0()

    def _check_kappa0(self) -> None:
        if self.kappa0 not in KAPPA0_CHOICES:
            raise ValueError(
                f"kappa0 = {self.kappa0!r} is not allowed: one of {', '.join(KAPPA0_CHOICES)}"
            )
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

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, lists for the axes, as JSON would give them back."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> SweepSettings:
        """Build settings from names and values; an unknown or missing name is refused.

        Examples
        --------
        >>> SweepSettings.from_mapping({"d": 3, "m": 64, "P": 0.5, "tua": 1.0})
        Traceback (most recent call last):
        ValueError: 'tua' is no setting of a sweep: did you mean 'tau'?
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
                raise ValueError(f"{name!r} is no setting of a sweep: {hint}")
        missing = [name for name in ("d", "m", "P", "tau") if name not in values]
        if missing:
            raise ValueError(f"a sweep needs values for {', '.join(missing)}")
        return cls(**values)


def read_toml(path: Path) -> dict[str, Any]:
    """Read the names and values in a TOML file, such as ``m = [64, 128]``.

    Raises
    ------
    ValueError
        If the file cannot be read or is not TOML, naming the file and the place.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None
