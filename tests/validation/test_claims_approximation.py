"""The claims on errors of drawn networks, with mutants that must come out refuted."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kernelspec import BiasedReLU
from kernelspec.approximation import WorstCaseError, worst_case_error
from validation.claims import bound, rate, transition
from validation.claims.rate import _width_slope
from validation.claims.transition import needed
from validation.context import Subject
from validation.records import Record, Verdict
from validation.registry import select
from validation.sweeps.network import n_width
from validation.theorem import Theorem
from validation.verify import plan, verify

_seen: dict[tuple[int, bytes, float], WorstCaseError] = {}


def _remembered(model: BiasedReLU, V: NDArray[np.float64], *, rtol: float = 0.02) -> WorstCaseError:
    key = (model.d, V.tobytes(), rtol)
    if key not in _seen:
        _seen[key] = worst_case_error(model, V, rtol=rtol)
    return _seen[key]


@pytest.fixture(autouse=True)
def _errors_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant of the theorem is checked on the very networks that the theorem is checked on."""
    for module in (bound, rate, transition):
        monkeypatch.setattr(module, "worst_case_error", _remembered)


def check(name: str, d: int, tau: float = 10.0, **changes: Any) -> Record:
    subject = Subject(theorem=dataclasses.replace(Theorem(), **changes))
    (record,) = verify(select([name]), [d], [tau], subject=subject, strict=True).records
    return record


@cache
def real(name: str, d: int) -> Record:
    return check(name, d)


def test_the_bound_holds_with_the_room_its_note_tells() -> None:
    record = real("bound", 5)
    assert record.verdict is Verdict.CONSISTENT
    assert (record.relation, record.predicted, record.low) == ("<=", 0.1, 0.0)
    assert record.high < 0.1
    assert f"4 lambda* is {record.details['room']:.3g} times" in record.note
    assert "in 3 of 4 settings" in record.note
    assert record.details["room"] > 10
    # the tighter form is a bound as well, and says something where 4 lambda* does not
    assert 1 < record.details["room_optimised"] < 200


@pytest.mark.parametrize("d", [3, 5])
def test_the_error_falls_at_least_as_fast_as_the_rate(d: int) -> None:
    record = real("rate", d)
    assert record.verdict is Verdict.CONSISTENT
    assert record.predicted == Theorem().alpha(d)
    assert record.margin > 0.05
    details = record.details
    # the logarithm makes the rate flatter than m^-alpha; over a finite range by a known factor
    assert 0.8 < details["rate_slope_against_log_m"] / record.predicted < 0.95
    assert details["slope_against_log_m_high"] > details["rate_slope_against_log_m"]


@pytest.mark.parametrize("d", [3, 5])
def test_the_transition_has_the_shape_of_the_bound(d: int) -> None:
    record = real("transition", d)
    assert record.verdict is Verdict.CONSISTENT
    assert record.margin > 0.1


def test_the_transition_sets_the_proportion_beside_its_predictions() -> None:
    details = real("transition", 5).details
    assert details["P90_theorem_tau_10"] == pytest.approx(0.0406, abs=5e-5)
    assert details["P90_sharp_tau_10"] == pytest.approx(0.163, abs=5e-4)
    # neither constant predicts the error, the equivalent does
    low, high = details["P90_measured_low_tau_10"], details["P90_measured_high_tau_10"]
    assert details["P90_theorem_tau_10"] < details["P90_sharp_tau_10"] < low
    assert 0.7 * low < details["P90_equivalent_tau_10"] < 1.3 * high


MUTANTS: list[tuple[str, int, dict[str, Any]]] = [
    ("bound", 5, {"bound_scale": 1 / 100}),
    ("rate", 3, {"alpha": lambda d: 1.5 * (d + 2) / (d - 1)}),
    ("rate", 5, {"alpha": lambda d: 1.5 * (d + 2) / (d - 1)}),
    # more trained neurons, greater mismatch
    ("transition", 3, {"kappa_mixture": lambda P, k0, k1: 1 / (P / k0 + (1 - P) / k1)}),
    # a greater scale, a smaller mismatch
    ("transition", 5, {"kappa0": lambda d, tau: 100 / tau}),
]


@pytest.mark.parametrize(("name", "d", "changes"), MUTANTS)
def test_a_wrong_theorem_is_refuted(name: str, d: int, changes: dict[str, Any]) -> None:
    record = check(name, d, **changes)
    assert record.verdict is Verdict.REFUTED, record
    assert record.margin < 0


def test_the_optimised_bound_alone_would_refute_a_bound_a_hundred_times_smaller() -> None:
    record = check("bound", 5, bound_scale=1 / 100)
    assert "the proof's choices optimised" in record.method
    assert record.details["exceeded_at_most"] > 20


def test_the_same_seed_gives_the_same_numbers() -> None:
    assert check("transition", 3) == real("transition", 3)


@pytest.mark.parametrize(
    ("name", "d", "why"),
    [
        ("bound", 9, "checked to d = 8"),
        ("rate", 50, "checked to d = 8"),
        ("transition", 2, "from d = 3: on the circle"),
        ("transition", 7, "checked to d = 6"),
    ],
)
def test_dimensions_out_of_reach_are_left_out_with_the_reason(name: str, d: int, why: str) -> None:
    cells, left_out = plan(select([name]), [d], [1.0])
    assert not cells
    assert why in left_out[0].reason


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_slope_of_the_n_width_is_that_of_its_values(d: int) -> None:
    m = np.arange(16, 65)
    values = np.log([n_width(d, 1, int(width)) for width in m])
    x, weight = np.log(m), 1 / m
    x = x - weight @ x / weight.sum()
    expected = -(weight * x) @ values / ((weight * x) @ x)
    assert _width_slope(BiasedReLU(d), 16, 64) == pytest.approx(expected, rel=1e-10)


def test_the_proportion_is_found_on_a_known_curve() -> None:
    P = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0])
    # log E = -P log 100: 90 % of the reduction at 1 - 0.9 (1 - 1/100)
    exact = -np.log(1 - 0.9 * 0.99) / np.log(100)
    assert needed(-P * np.log(100)) == pytest.approx(exact, rel=1e-9)
