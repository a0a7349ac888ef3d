"""What the three-layer example fixes, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec import _checks
from validation.settings import Settings, axis
from validation.three_layer.target import frequency_in_range

__all__ = ["ThreeLayerSettings"]


@dataclass(frozen=True, kw_only=True)
class ThreeLayerSettings(Settings):
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

    _of: ClassVar[str] = "the three-layer example"

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
            "pieces": axis("pieces", self.pieces, lambda M: _checks.count("pieces", M, 2)),
            "cliff_pieces": cliff,
            "frequency": frequency_in_range(self.frequency),
            "targets": _checks.count("targets", self.targets),
            "samples": _checks.count("samples", self.samples, r * (cliff + d) + 1),
            "starts": _checks.count("starts", self.starts),
            "random_starts": _checks.count("random_starts", self.random_starts, 0),
            "seed": _checks.count("seed", self.seed, 0),
        }
        self._set(checked)
