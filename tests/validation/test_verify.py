from __future__ import annotations

import math

import pytest

from validation.context import Context
from validation.records import Finding, Record, Verdict
from validation.registry import Claim, select
from validation.verify import plan, verify


def made_up(name: str = "made-up", **changes: object) -> Claim:
    fields: dict[str, object] = {
        "id": name,
        "title": "t",
        "statement": "$x$",
        "source": "s",
        "assumptions": "a",
        "needs": ("d", "tau"),
        "check": draw_a_number,
    }
    return Claim(**(fields | changes))  # type: ignore[arg-type]


def draw_a_number(context: Context) -> Finding:
    value = float(context.rng().uniform())
    return Finding(1.0, "<=", value, value, method="a random number", proof=True)


def fail(context: Context) -> Finding:
    raise ArithmeticError("no convergence\nafter 100 steps")


def test_a_cell_for_every_combination_a_claim_depends_on() -> None:
    claims = [
        made_up("both"),
        made_up("dimension", needs=("d",)),
        made_up("fixed", needs=(), fixed={"d": 5}),
    ]
    cells, left_out = plan(claims, [3, 5, 3], [1.0, 10.0])
    names = [(cell.claim.id, *cell.parameters.values()) for cell in cells]
    assert names == [
        ("both", 3, 1.0),
        ("both", 3, 10.0),
        ("both", 5, 1.0),
        ("both", 5, 10.0),
        ("dimension", 3),
        ("dimension", 5),
        ("fixed", 5),
    ]
    assert not left_out


def test_parameters_outside_a_claims_range_are_listed_and_not_checked() -> None:
    outcome = verify(select(["kappa0"]), [3], [0.5], strict=True)
    assert outcome.records == ()
    (item,) = outcome.not_applicable
    assert (item.id, item.parameters) == ("kappa0", {"d": 3, "tau": 0.5})
    assert item.reason == "stated for tau >= 1 only"


def test_a_claim_that_raises_is_inconclusive_and_says_why() -> None:
    outcome = verify([made_up(check=fail)], [3], [1.0])
    (record,) = outcome.records
    assert record.verdict is Verdict.INCONCLUSIVE
    assert "ArithmeticError: no convergence" in record.note
    assert math.isnan(record.margin)


def test_strict_runs_raise_what_a_claim_raises() -> None:
    with pytest.raises(ArithmeticError, match="no convergence"):
        verify([made_up(check=fail)], [3], [1.0], strict=True)


def test_a_record_carries_all_a_reader_needs() -> None:
    (record,) = verify([made_up()], [3], [1.0], seed=7, command="kernelspec verify").records
    assert record.verdict is Verdict.CERTIFIED
    assert record.parameters == {"d": 3, "tau": 1.0}
    assert record.seed[0] == 7
    assert len(record.seed) == 5
    assert record.command == "kernelspec verify"
    assert {"kernelspec", "numpy", "scipy", "python"} <= set(record.versions)


def test_numbers_depend_on_the_seed_and_the_cell_and_on_nothing_else() -> None:
    def numbers(claims: list[Claim], d: list[int], **options: int) -> dict[tuple[str, int], float]:
        records = verify(claims, d, [1.0], strict=True, **options).records  # type: ignore[arg-type]
        return {(r.id, int(r.parameters["d"])): r.low for r in records}

    a, b = made_up("a"), made_up("b")
    whole = numbers([a, b], [3, 5])
    assert len(set(whole.values())) == 4
    assert numbers([b], [5]) == {("b", 5): whole["b", 5]}
    assert numbers([a, b], [3, 5], seed=1) != whole


def test_workers_change_neither_numbers_nor_order() -> None:
    claims = select(["kappa1", "headline", "trace"])
    seen: list[Record] = []
    alone = verify(claims, [2, 3], [1.0], strict=True)
    together = verify(claims, [2, 3], [1.0], strict=True, jobs=2, progress=seen.append)
    assert together == alone
    assert len(seen) == len(alone.records)
    assert {(r.id, *r.parameters.values()) for r in seen} == {
        (r.id, *r.parameters.values()) for r in alone.records
    }


def test_the_verdict_on_the_whole_is_that_of_the_weakest() -> None:
    outcome = verify([made_up("a"), made_up("b", check=fail)], [3], [1.0])
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.counts() == {"certified": 1, "consistent": 0, "inconclusive": 1, "refuted": 0}
