"""Search for a proof on the block: boxes of neurons and intervals of ridges that cover it all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from flint import arb, arb_mat

from kernelspec.certify.block import Block, Box
from kernelspec.certify.positivity import Ridges, coefficient_matrix, matrix, product

__all__ = ["Cover", "Stopped", "find_cover"]

FINEST: Final = 24
"""Boxes are not cut below a width of 2^-FINEST."""
NARROWEST: Final = 1.05
"""Intervals of ridges are not cut below this ratio of their ends."""


@dataclass(frozen=True)
class Cover:
    """Boxes and intervals on which every coefficient is nonnegative (see `positivity`).

    Examples
    --------
    The 13 angles, two ratios and one interval of ridges that `find_cover` starts from:

    >>> angles = tuple(Box(i, i + 1, 3) for i in range(13))
    >>> whole = Cover(angles, (Box(0, 1, 1), Box(1, 2, 1)), (Ridges(Fraction(0), None),))
    >>> whole.angles[-1].ends(), str(whole.ridges[0])
    ((3/2, 13/8), '[0, inf]')
    """

    angles: tuple[Box, ...]
    ratios: tuple[Box, ...]
    ridges: tuple[Ridges, ...]


@dataclass(frozen=True)
class Stopped:
    """Why no cover was found: `what` is "box", "precision" or "budget"; `reason` says where.

    Examples
    --------
    Half the theorem's constant is exceeded at d = 5 and tau = 1, so that no cover exists:

    >>> from kernelspec.certify.constants import limit_constant
    >>> from kernelspec.certify.tail import Tail
    >>> block = Block(5, Fraction(1), 2 * limit_constant(5), Tail("termwise", 1))
    >>> find_cover(block, max_boxes=64, max_ridges=64)
    Stopped(what='box', reason='the block is negative somewhere for ridges near [...]')
    """

    what: Literal["box", "precision", "budget"]
    reason: str


class _Stop(Exception):  # noqa: N818 - carries a verdict
    def __init__(self, what: Literal["box", "precision", "budget"], reason: str) -> None:
        super().__init__(reason)
        self.stopped = Stopped(what, reason)


Columns = Callable[[Box], list[list[arb]]]


class _Family:
    """The boxes of one of the two intervals of neurons, with their columns."""

    def __init__(
        self, name: str, columns: Columns, boxes: list[Box], end: arb, budget: int
    ) -> None:
        self.name, self.columns, self.boxes = name, columns, boxes
        self.end, self.budget = end, budget
        self.known: dict[Box, list[list[arb]]] = {}

    def _columns(self, box: Box) -> list[list[arb]]:
        if box not in self.known:
            self.known[box] = self.columns(box)
        return self.known[box]

    def _product(self, coefficients: arb_mat, boxes: list[Box]) -> list[list[arb]]:
        """Coefficients on each box, those of all its columns in one list."""
        per_box = [self._columns(box) for box in boxes]
        wide = [column for columns in per_box for column in columns]
        by_column = list(zip(*product(coefficients, matrix(wide)), strict=True))
        each = len(per_box[0])
        starts = range(0, len(wide), each)
        return [[x for column in by_column[i : i + each] for x in column] for i in starts]

    def failing(self, coefficients: arb_mat, boxes: list[Box]) -> list[Box]:
        """Return the boxes with a coefficient that is not certainly nonnegative."""
        if not boxes:
            return []
        values = self._product(coefficients, boxes)
        return [
            box
            for box, of_box in zip(boxes, values, strict=True)
            if any(not value >= 0 for value in of_box)
        ]

    def settle(self, coefficients: arb_mat, where: str) -> bool:
        """Cut boxes until all pass; False if some midpoint fails by itself."""
        failing = self.failing(coefficients, self.boxes)
        while failing:
            if self._midpoint_fails(coefficients, failing, where):
                return False
            halves = [half for box in failing for half in box.halves() if self._needed(half)]
            if max(box.scale for box in halves) > FINEST:
                raise _Stop("box", f"at {self._place(failing[0])} and ridges {where}")
            gone = set(failing)
            self.boxes = sorted(
                [box for box in self.boxes if box not in gone] + halves,
                key=lambda box: box.low / (1 << box.scale),
            )
            if len(self.boxes) > self.budget:
                raise _Stop("budget", f"more than {self.budget} boxes for ridges {where}")
            failing = self.failing(coefficients, halves)
        return True

    def _needed(self, box: Box) -> bool:
        """Boxes that start beyond the end of the interval, an irrational number, are dropped."""
        return not arb(box.ends()[0]) > self.end

    def _midpoint_fails(self, coefficients: arb_mat, boxes: list[Box], where: str) -> bool:
        values = self._product(coefficients, [box.middle() for box in boxes])
        if any(value < 0 for of_box in values for value in of_box):
            return True
        for box, of_box in zip(boxes, values, strict=True):
            if any(not value >= 0 for value in of_box):
                raise _Stop("precision", f"at {self._place(box)} and ridges {where}")
        return False

    def _place(self, box: Box) -> str:
        low, high = (float(arb(end)) for end in box.ends())
        return f"{self.name} [{low:.9g}, {high:.9g}]"


def _rounded(x: float) -> Fraction:
    """Round to a dyadic rational of six bits."""
    mantissa, exponent = math.frexp(x)
    return Fraction(round(mantissa * 64)) * Fraction(2) ** (exponent - 6)


def _split(ridges: Ridges, block: Block) -> tuple[Ridges, Ridges] | None:
    low = float(ridges.low) or float(block.eigenvalues[-1]) / 64
    high = 64 * float(block.eigenvalues[0]) if ridges.high is None else float(ridges.high)
    middle = _rounded(math.sqrt(low * high))
    top = ridges.high
    if high / low < NARROWEST or middle <= ridges.low or (top is not None and middle >= top):
        return None
    return Ridges(ridges.low, middle), Ridges(middle, top)


def find_cover(block: Block, *, max_boxes: int, max_ridges: int) -> Cover | Stopped:
    """Cover all neurons and all ridges by boxes on which the block is nonnegative.

    A box whose midpoint fails points at an interval of ridges that is too long, which is cut;
    otherwise the box is cut. The finished cover is checked once more as a whole.

    Examples
    --------
    The theorem's constant at d = 5 leaves so much room that no interval of ridges has to be cut:

    >>> from kernelspec.certify.constants import theorem_constant
    >>> from kernelspec.certify.tail import Tail
    >>> block = Block(5, Fraction(1), theorem_constant(5), Tail("termwise", 1))
    >>> found = find_cover(block, max_boxes=64, max_ridges=64)
    >>> len(found.angles), len(found.ratios), [str(ridges) for ridges in found.ridges]
    (13, 2, ['[0, inf]'])
    """
    thirteen = [Box(i, i + 1, 3) for i in range(13)]  # up to 13/8 > pi/2
    families = [
        _Family("angle", block.angle_columns, thirteen, arb.pi() / 2, max_boxes),
        _Family("ratio", block.ratio_columns, [Box(0, 1, 1), Box(1, 2, 1)], arb(1), max_boxes),
    ]
    pending, done = [Ridges(Fraction(0), None)], list[Ridges]()
    try:
        while pending:
            ridges = pending.pop()
            coefficients = coefficient_matrix(block.eigenvalues, ridges)
            if all(family.settle(coefficients, str(ridges)) for family in families):
                done.append(ridges)
                continue
            parts = _split(ridges, block)
            if parts is None:
                raise _Stop("box", f"the block is negative somewhere for ridges near {ridges}")
            pending.extend(reversed(parts))
            if len(pending) + len(done) > max_ridges:
                raise _Stop("budget", f"more than {max_ridges} intervals of ridges, at {ridges}")
        _recheck(block, families, done)
    except _Stop as stop:
        return stop.stopped
    return Cover(tuple(families[0].boxes), tuple(families[1].boxes), tuple(done))


def _recheck(block: Block, families: list[_Family], done: list[Ridges]) -> None:
    """Pass over all ridges until no box had to be cut: halves need not pass where wholes did."""
    while True:
        before = [family.boxes for family in families]
        for ridges in done:
            coefficients = coefficient_matrix(block.eigenvalues, ridges)
            for family in families:
                if not family.settle(coefficients, str(ridges)):
                    raise _Stop("box", f"a half of a proved box fails for ridges {ridges}")
        if [family.boxes for family in families] == before:
            return
