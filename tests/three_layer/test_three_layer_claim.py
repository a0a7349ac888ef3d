"""The claim, with mutants of the construction that must come out refuted."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from validation.claims import three_layer
from validation.records import Record, Verdict
from validation.registry import select
from validation.three_layer import Block, Cliff, ThreeLayerSettings, measure_cliff
from validation.verify import verify


@cache
def _remembered(settings: ThreeLayerSettings) -> Cliff:
    return measure_cliff(settings)


@pytest.fixture(autouse=True)
def _the_cliff_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutants are told by the rate, which is measured afresh; that keeps the tests short."""
    monkeypatch.setattr(three_layer, "_TARGETS", 3)
    monkeypatch.setattr(three_layer, "_PIECES", (16, 32, 64))
    monkeypatch.setattr(three_layer, "_OTHER_DIMENSIONS", ())
    monkeypatch.setattr(
        three_layer, "measure_cliff", lambda settings, make_block: _remembered(settings)
    )


def check() -> Record:
    (record,) = verify(select(["three-layer"]), strict=True).records
    return record


class Coarser(Block):
    """A block that lacks every other knot."""

    @property
    def knots(self) -> NDArray[np.float64]:
        return super().knots[1::2]


class Slower(Block):
    """A block whose knots crowd at one end, so that no M fills the gap at the other."""

    @property
    def knots(self) -> NDArray[np.float64]:
        return np.abs(super().knots)


def test_the_claim_is_consistent_with_the_numbers_it_tells() -> None:
    record = check()
    assert record.verdict is Verdict.CONSISTENT, record
    assert record.parameters == {"d": 10, "r": 4}
    assert record.margin > 0.2
    details = record.details
    learned = [details[f"learned_{k}_trained"] for k in range(5)]
    assert np.all(np.diff(learned) < 0)
    assert learned[4] < 0.01 < 0.3 < learned[3]
    assert learned[4] < details["fixed_features_floor"] < details["random_features"]
    assert "not squared" in record.note
    assert "3 %" in record.note


MUTANTS: list[tuple[str, Any]] = [
    ("_make_block", Coarser),
    ("_make_block", Slower),
    ("_RATE", 6.0),
    ("_RATE", 2.0),  # the exponent of the error that is not squared
    ("_TRAINED", 3),
]


@pytest.mark.parametrize(
    ("name", "value"),
    MUTANTS,
    ids=["fewer knots", "knots on one side", "rate 6", "rate 2", "one neuron less"],
)
def test_a_mutant_is_refuted(monkeypatch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    monkeypatch.setattr(three_layer, name, value)
    record = check()
    assert record.verdict is Verdict.REFUTED, record
    assert record.margin < 0


def test_learned_directions_that_miss_one_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def missed(settings: ThreeLayerSettings, make_block: type[Block]) -> Cliff:
        cliff = _remembered(settings)
        learned = cliff.learned.copy()
        learned[:, -1] = learned[:, -2]
        return Cliff(**{**vars(cliff), "learned": learned})

    monkeypatch.setattr(three_layer, "measure_cliff", missed)
    record = check()
    assert record.verdict is Verdict.REFUTED
    assert "share of the last trained neuron" in record.method or "bound" in record.method
