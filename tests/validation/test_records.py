from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from validation.records import (
    Finding,
    Record,
    Verdict,
    judge,
    judge_worst,
    weakest,
    worst_first,
)

finite = st.floats(-1e6, 1e6)
positive = st.floats(1e-6, 1e6)
anything = st.floats()
relations = st.sampled_from(["<=", "==", ">="])


@st.composite
def intervals(draw: st.DrawFn) -> tuple[float, float]:
    low, high = sorted((draw(finite), draw(finite)))
    return low, high


@settings(deadline=None)
@given(predicted=finite, interval=intervals())
@example(predicted=1.0, interval=(1.0, 1.0))
@example(predicted=0.0, interval=(-1.0, 0.0))
def test_at_most_follows_the_ends_of_the_interval(
    predicted: float, interval: tuple[float, float]
) -> None:
    low, high = interval
    verdict, margin = judge(predicted, "<=", low, high)
    if high <= predicted:
        assert verdict is Verdict.CONSISTENT
        assert margin >= 0
    elif low > predicted:
        assert verdict is Verdict.REFUTED
        assert margin <= 0
    else:
        assert verdict is Verdict.INCONCLUSIVE
        assert margin <= 0


@settings(deadline=None)
@given(predicted=finite, interval=intervals(), proof=st.booleans())
def test_at_least_is_at_most_seen_in_a_mirror(
    predicted: float, interval: tuple[float, float], proof: bool
) -> None:
    low, high = interval
    assert judge(predicted, ">=", low, high, proof=proof) == judge(
        -predicted, "<=", -high, -low, proof=proof
    )


@settings(deadline=None)
@given(predicted=positive, tolerance=st.floats(1e-9, 0.5), offset=st.floats(-3, 3))
@example(predicted=1.0, tolerance=0.5, offset=1.0)
def test_equality_allows_its_tolerance_and_no_more(
    predicted: float, tolerance: float, offset: float
) -> None:
    value = predicted * (1 + offset * tolerance)
    verdict, margin = judge(predicted, "==", value, value, tolerance=tolerance)
    assert margin == pytest.approx(1 - abs(offset), abs=1e-6)
    if abs(abs(offset) - 1) > 1e-6:
        assert verdict is (Verdict.CONSISTENT if abs(offset) < 1 else Verdict.REFUTED)


@settings(deadline=None)
@given(predicted=positive, tolerance=st.floats(1e-6, 0.5))
def test_an_interval_wider_than_the_tolerance_shows_nothing(
    predicted: float, tolerance: float
) -> None:
    width = 2 * tolerance * predicted
    verdict, margin = judge(
        predicted, "==", predicted - width, predicted + width, tolerance=tolerance
    )
    assert verdict is Verdict.INCONCLUSIVE
    assert margin < 0


@settings(deadline=None)
@given(
    predicted=anything,
    relation=relations,
    ends=st.tuples(anything, anything),
    proof=st.booleans(),
    tolerance=st.floats(0, 1),
)
@example(predicted=math.inf, relation="<=", ends=(math.inf, math.inf), proof=True, tolerance=0.0)
@example(predicted=math.nan, relation="==", ends=(0.0, 1.0), proof=True, tolerance=1.0)
@example(predicted=1.0, relation="<=", ends=(math.nan, 0.5), proof=True, tolerance=0.0)
@example(predicted=1.0, relation="<=", ends=(0.5, math.nan), proof=True, tolerance=0.0)
@example(predicted=1.0, relation="==", ends=(1.0, math.nan), proof=True, tolerance=0.1)
@example(predicted=-math.inf, relation="==", ends=(-math.inf, 0.0), proof=False, tolerance=0.1)
def test_anything_gets_a_verdict_and_nan_never_holds(
    predicted: float, relation: str, ends: tuple[float, float], proof: bool, tolerance: float
) -> None:
    low, high = ends
    if low > high:
        low, high = high, low
    verdict, margin = judge(predicted, relation, low, high, proof=proof, tolerance=tolerance)  # type: ignore[arg-type]
    if math.isnan(predicted) or math.isnan(low) or math.isnan(high):
        assert verdict is Verdict.INCONCLUSIVE
        assert math.isnan(margin)
    else:
        assert not math.isnan(margin)
        assert (margin >= 0) or verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE)


@settings(deadline=None)
@given(predicted=finite, relation=relations, interval=intervals(), tolerance=st.floats(0, 1))
def test_a_proof_changes_consistent_to_certified_and_nothing_else(
    predicted: float, relation: str, interval: tuple[float, float], tolerance: float
) -> None:
    computed = judge(predicted, relation, *interval, tolerance=tolerance)  # type: ignore[arg-type]
    proved = judge(predicted, relation, *interval, tolerance=tolerance, proof=True)  # type: ignore[arg-type]
    assert computed[0] is not Verdict.CERTIFIED
    assert proved[1] == computed[1]
    if computed[0] is Verdict.CONSISTENT:
        assert proved[0] is Verdict.CERTIFIED
    else:
        assert proved[0] is computed[0]


def test_a_reversed_interval_and_a_negative_tolerance_are_refused() -> None:
    with pytest.raises(ValueError, match=r"low = 2\.0 is not allowed: a number <= high = 1\.0"):
        judge(1.0, "<=", 2.0, 1.0)
    with pytest.raises(ValueError, match="tolerance = -1 is not allowed"):
        judge(1.0, "==", 1.0, 1.0, tolerance=-1)


@settings(deadline=None)
@given(st.lists(st.sampled_from(list(Verdict)), min_size=1))
def test_the_whole_is_no_stronger_than_its_weakest_part(verdicts: list[Verdict]) -> None:
    whole = weakest(verdicts)
    for bad in (Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.CONSISTENT, Verdict.CERTIFIED):
        if bad in verdicts:
            assert whole is bad
            break


def part(value: float, proof: bool = False) -> Finding:
    return Finding(1.0, "<=", value, value, method="", proof=proof)


def test_the_worst_part_decides_a_claim() -> None:
    good, better, bad = part(0.5), part(0.1), part(1.5)
    unknown, proved = part(math.nan), part(0.9, proof=True)
    assert judge_worst([better, good]) == (good, Verdict.CONSISTENT, 0.5)
    assert judge_worst([proved, better]) == (better, Verdict.CONSISTENT, 0.9)
    assert judge_worst([proved, part(0.2, proof=True)])[:2] == (proved, Verdict.CERTIFIED)
    assert judge_worst([good, bad, unknown])[:2] == (bad, Verdict.REFUTED)
    assert judge_worst([good, unknown])[:2] == (unknown, Verdict.INCONCLUSIVE)
    with pytest.raises(ValueError, match="empty"):
        judge_worst([])


def record(name: str, verdict: Verdict, margin: float, d: int = 3) -> Record:
    return Record(
        id=name,
        title="",
        statement="",
        source="",
        assumptions="",
        parameters={"d": d},
        relation="<=",
        predicted=1.0,
        low=0.0,
        high=0.0,
        tolerance=0.0,
        margin=margin,
        method="",
        verdict=verdict,
        note="",
        details={},
        seed=(0,),
        versions={},
        command="",
    )


def test_worst_comes_first() -> None:
    ordered = [
        record("a", Verdict.REFUTED, -2.0),
        record("b", Verdict.REFUTED, -1.0),
        record("a", Verdict.INCONCLUSIVE, math.nan),
        record("a", Verdict.INCONCLUSIVE, -0.5),
        record("a", Verdict.CONSISTENT, 0.2, d=3),
        record("a", Verdict.CONSISTENT, 0.2, d=5),
        record("b", Verdict.CONSISTENT, 0.2, d=3),
        record("a", Verdict.CERTIFIED, 0.1),
    ]
    assert worst_first(reversed(ordered)) == ordered
