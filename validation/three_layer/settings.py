"""What the three-layer example fixes, checked before any work."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from kernelspec import _checks
from validation.three_layer.target import frequency_in_range

__all__ = ["ThreeLayerSettings"]


@dataclass(frozen=True, kw_only=True)
class ThreeLayerSettings:
    """Targets, networks and how they are trained.

    Parameters
    ----------
    d : int
        Ambient dimension, 3 to 1000.
    r : int
        Ridges of the target and neurons of the first layer, 1 <= r < d.
    pieces : tuple of int
        M, neurons of a block, >= 2; kept in ascending order. A single number is allowed.
    cliff_pieces : int
        M at which the number of trained neurons is varied.
    frequency : float
        omega of the waves, in (0, 6].
    targets : int
        Targets drawn.
    samples : int
        Inputs from which directions are learned, at least r (cliff_pieces + d) + 1.
    starts : int
        Screened starts for each new neuron.
    random_starts : int
        Descents from random directions for each target, for comparison; 0 for none.
    seed : int
        Entropy of everything drawn, >= 0.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and the allowed range.

    Examples
    --------
    >>> ThreeLayerSettings(d=10, pieces=[32, 8]).pieces
    (8, 32)
    """

    d: int = 10
    r: int = 4
    pieces: tuple[int, ...] = (4, 8, 16, 32, 64)
    cliff_pieces: int = 32
    frequency: float = 2.0
    targets: int = 5
    samples: int = 2000
    starts: int = 2
    random_starts: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        d = _checks.integer("d", self.d, 3, _checks.MAX_DIMENSION)
        r = _checks.integer("r", self.r, 1, d - 1)
        cliff = _checks.count("cliff_pieces", self.cliff_pieces, 2)
        checked = {
            "d": d,
            "r": r,
            "pieces": _pieces(self.pieces),
            "cliff_pieces": cliff,
            "frequency": frequency_in_range(self.frequency),
            "targets": _checks.count("targets", self.targets),
            "samples": _checks.count("samples", self.samples, r * (cliff + d) + 1),
            "starts": _checks.count("starts", self.starts),
            "random_starts": _checks.count("random_starts", self.random_starts, 0),
            "seed": _checks.count("seed", self.seed, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON would give them back."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> ThreeLayerSettings:
        """Build settings from names and values; an unknown name is refused.

        Examples
        --------
        >>> ThreeLayerSettings.from_mapping({"peices": 8})
        Traceback (most recent call last):
        ValueError: 'peices' is no setting of the three-layer example: did you mean 'pieces'?
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
                raise ValueError(f"{name!r} is no setting of the three-layer example: {hint}")
        return cls(**values)


def _pieces(value: Any) -> tuple[int, ...]:
    entries = list(value) if isinstance(value, (list, tuple)) else [value]
    if not entries:
        raise ValueError(f"pieces = {value!r} is not allowed: at least one value")
    checked = [_checks.count("pieces", entry, 2) for entry in entries]
    if len(set(checked)) < len(checked):
        raise ValueError(f"pieces = {value!r} is not allowed: each value once")
    return tuple(sorted(checked))
