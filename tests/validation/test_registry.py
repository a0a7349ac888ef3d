from __future__ import annotations

import pytest

from validation import registry
from validation.context import Context
from validation.records import Finding
from validation.tex import formula_svg

EXPECTED = {
    "bound",
    "decay",
    "headline",
    "kappa0",
    "kappa0-limit",
    "kappa1",
    "leverage-mean",
    "mixture",
    "rate",
    "routes",
    "termwise",
    "trace",
    "transition",
}


def test_the_core_claims_are_there() -> None:
    assert set(registry.registered()) >= EXPECTED


@pytest.mark.parametrize("name", sorted(registry.registered()))
def test_a_claim_says_what_it_states_and_where_it_comes_from(name: str) -> None:
    claim = registry.registered()[name]
    assert claim.id == name
    assert all((claim.title, claim.statement, claim.source, claim.assumptions))
    assert bool(claim.needs) != bool(claim.fixed)
    assert "currentColor" in formula_svg(claim.statement)


def test_claims_are_selected_in_the_order_asked_for_and_once() -> None:
    assert [c.id for c in registry.select(["trace", "decay", "trace"])] == ["trace", "decay"]
    assert {c.id for c in registry.select()} == set(registry.registered())


def test_an_unknown_claim_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"claims = 'kapa0' is not allowed: one of bound, .*trace"):
        registry.select(["decay", "kapa0"])


def test_a_name_is_given_once_and_parameters_are_known() -> None:
    def check(context: Context) -> Finding:
        raise AssertionError

    words = {"title": "t", "statement": "s", "source": "s", "assumptions": "a"}
    with pytest.raises(ValueError, match="id = 'trace' is not allowed"):
        registry.claim("trace", needs=("d",), **words)(check)
    with pytest.raises(ValueError, match=r"needs = \('m',\) is not allowed"):
        registry.claim("new", needs=("m",), **words)(check)
    assert "new" not in registry.registered()
