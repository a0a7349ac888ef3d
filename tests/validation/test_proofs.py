"""Proofs and numbers side by side: which of them a record may rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flint import arb

from kernelspec import BiasedReLU
from validation.context import Subject
from validation.proofs import ends, settle
from validation.records import Finding, Verdict, judge_worst
from validation.registry import select
from validation.theorem import Theorem
from validation.verify import verify

PROOF = Finding(1.0, "<=", 0.4, 0.5, method="proof", proof=True, note="by proof")
NUMBERS = Finding(1.0, "<=", 0.45, 0.46, method="numbers", note="by numbers", details={"x": 1.0})


def verdict(finding: Finding) -> Verdict:
    return judge_worst([finding])[1]


def test_a_proof_keeps_what_the_numbers_tell() -> None:
    settled = settle(PROOF, NUMBERS)
    assert verdict(settled) is Verdict.CERTIFIED
    assert settled.note == "by proof by numbers"
    assert settled.details == {"x": 1.0}


def test_without_a_proof_the_numbers_stand() -> None:
    assert settle(None, NUMBERS) is NUMBERS


def test_numbers_that_refute_a_proof_win() -> None:
    wrong = replace(NUMBERS, low=2.0, high=2.1)
    assert settle(PROOF, NUMBERS, wrong) is wrong


def test_a_certified_counterexample_beats_numbers_that_saw_nothing() -> None:
    assert verdict(settle(replace(PROOF, low=1.5, high=1.6), NUMBERS)) is Verdict.REFUTED


def test_ends_lie_outside_the_ball() -> None:
    low, high = ends(arb(1) / 3)
    assert arb(low) < arb(1) / 3 < arb(high)
    assert high - low < 1e-15


class OwnKernel(BiasedReLU):
    """The same numbers under another name: no proof speaks of it."""


@pytest.mark.parametrize("name", ["decay", "kappa0", "termwise"])
def test_another_feature_family_is_never_certified(name: str) -> None:
    (record,) = verify(
        select([name]), [3], [1.0], subject=Subject(family=OwnKernel), strict=True
    ).records
    assert record.verdict is Verdict.CONSISTENT


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("decay", replace(Theorem(), alpha=lambda d: (d + 2) / d)),
        ("kappa0", replace(Theorem(), kappa0=lambda d, tau: 1.2 * tau)),
        ("termwise", replace(Theorem(), termwise=lambda d, tau: 2 * tau * (d + 1) / d)),
        ("kappa1", replace(Theorem(), kappa1=1.01)),
        ("headline", replace(Theorem(), kappa0=lambda d, tau: 4 * tau * (d + 1) / d)),
    ],
)
def test_a_wrong_constant_is_refuted(name: str, mutant: Theorem) -> None:
    (record,) = verify(
        select([name]), [3], [1.0], subject=Subject(theorem=mutant), strict=True
    ).records
    assert record.verdict is Verdict.REFUTED
