"""Each claim with the real theorem, and with mutants that must come out refuted."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kernelspec
from kernelspec import BiasedReLU
from validation.claims.termwise import degree_supremum
from validation.context import Context, Subject
from validation.records import Record, Verdict
from validation.registry import select
from validation.theorem import Theorem
from validation.verify import verify

PROVED = {"decay", "headline", "kappa0", "kappa1", "mixture", "termwise"}


def expected(name: str) -> Verdict:
    return Verdict.CERTIFIED if name in PROVED else Verdict.CONSISTENT


def check(name: str, d: int, tau: float = 1.0, subject: Subject | None = None) -> Record:
    (record,) = verify(select([name]), [d], [tau], subject=subject, strict=True).records
    return record


@pytest.mark.parametrize("name", ["decay", "kappa1", "leverage-mean", "routes", "trace"])
@pytest.mark.parametrize("d", [2, 3, 5, 8])
def test_claims_of_the_dimension_hold(name: str, d: int) -> None:
    record = check(name, d)
    assert record.verdict is expected(name), record
    assert record.margin > 0.1


@pytest.mark.parametrize("name", ["decay", "trace", "routes"])
@pytest.mark.parametrize("d", [50, 200])
def test_spectral_claims_hold_in_high_dimension(name: str, d: int) -> None:
    assert check(name, d).verdict is expected(name)


@pytest.mark.parametrize("name", ["kappa0", "kappa0-limit", "termwise", "mixture"])
@pytest.mark.parametrize(("d", "tau"), [(2, 1.0), (3, 10.0), (5, 1.0)])
def test_claims_of_dimension_and_scale_hold(name: str, d: int, tau: float) -> None:
    record = check(name, d, tau)
    assert record.verdict is expected(name), record


def test_the_constant_fails_at_d_6_and_the_note_says_where_it_holds() -> None:
    record = check("kappa0", 6, 1.0)
    assert record.verdict is Verdict.REFUTED
    assert record.margin < 0
    edge = record.details["holds_below"]
    dof = record.details["degrees_of_freedom_there"]
    assert f"lambda <= {edge:.5g}" in record.note
    assert f"N(lambda) >= {dof:.4g}" in record.note
    assert dof == pytest.approx(float(BiasedReLU(6).degrees_of_freedom(edge)), rel=1e-9)


def test_at_d_8_the_constant_holds_up_to_the_known_ridge() -> None:
    assert check("kappa0", 8, 1.0).details["holds_below"] == pytest.approx(0.055763, abs=5e-7)


def test_below_the_threshold_the_limit_is_larger_and_the_note_says_so() -> None:
    record = check("kappa0-limit", 3, 0.3)
    assert record.verdict is Verdict.CONSISTENT
    assert record.relation == ">="
    assert record.low > 1.05 * record.predicted
    assert f"the limit is {record.details['limiting_law']:.6g}" in record.note


def test_the_limit_claim_covers_the_threshold_itself() -> None:
    threshold = Theorem().initial_threshold(4)
    assert check("kappa0-limit", 4, threshold * 1.001).relation == "=="
    assert check("kappa0-limit", 4, threshold * 0.999).relation == ">="


def test_the_headline_holds_and_says_what_it_rests_on() -> None:
    record = check("headline", 5)
    assert record.verdict is Verdict.CERTIFIED
    assert record.parameters == {"d": 5, "tau": 10.0}
    assert record.details["proportion_with_sharp_constant"] == pytest.approx(0.163, abs=5e-4)
    assert "16.3 %" in record.note


@pytest.mark.parametrize(("d", "tau", "k"), [(2, 1.0, 2), (3, 10.0, 3), (5, 1.5, 8), (20, 1.0, 13)])
def test_the_supremum_of_a_degree_is_that_of_a_dense_grid(d: int, tau: float, k: int) -> None:
    model, law = BiasedReLU(d), kernelspec.GaussianInit(d, tau)
    c = np.linspace(-1, 1, 40_001)
    b = -c / np.sqrt(1 + c * c)
    ratio = model.coefficients(b, k)[k] ** 2 / (law.density(b) * model.eigenvalues(k)[k])
    context = Context(Subject(), {"d": d, "tau": tau}, "quick", np.random.SeedSequence(0))
    assert degree_supremum(context, k) == pytest.approx(float(ratio.max()), rel=2e-6)
    assert degree_supremum(context, k) >= float(ratio.max()) * (1 - 1e-12)


def theorem(**changes: Any) -> Subject:
    return Subject(theorem=dataclasses.replace(Theorem(), **changes))


MUTANT_THEOREMS: list[tuple[str, Subject]] = [
    ("decay", theorem(alpha=lambda d: (d + 2) / d)),
    ("decay", theorem(alpha=lambda d: (d + 1) / (d - 1))),
    ("kappa0", theorem(kappa0=lambda d, tau: 0.99 * math.sqrt(2) * tau * (d + 1) / d)),
    ("kappa0-limit", theorem(kappa0_limit=lambda d, tau: tau * (d + 1) / d)),
    ("kappa0-limit", theorem(kappa0_limit=lambda d, tau: math.sqrt(2) * tau)),
    ("termwise", theorem(termwise=lambda d, tau: 1.9 * math.sqrt(2) * tau * (d + 1) / d)),
    ("kappa1", theorem(kappa1=1.001)),
    ("mixture", theorem(kappa_mixture=lambda P, k0, k1: P * k1 + (1 - P) * k0)),
    ("headline", theorem(kappa0=lambda d, tau: 4 * tau * (d + 1) / d)),
    ("headline", theorem(alpha=lambda d: (d + 2) / d)),
]


@pytest.mark.parametrize(("name", "subject"), MUTANT_THEOREMS)
@pytest.mark.parametrize("d", [3, 5])
def test_a_wrong_theorem_is_refuted(name: str, subject: Subject, d: int) -> None:
    record = check(name, d, 10.0, subject)
    assert record.verdict is Verdict.REFUTED
    assert record.margin < 0


class WrongKernel(BiasedReLU):
    """The kernel with a constant 1 % too large."""

    def kernel(self, t: Any) -> Any:
        return 1.01 * super().kernel(t)


class WrongEigenvalues(BiasedReLU):
    """Eigenvalues 0.001 % too large."""

    def eigenvalues(self, max_degree: int, **options: Any) -> Any:
        mu = np.asarray(super().eigenvalues(max_degree, **options))
        return mu + 1e-5 if options.get("log") else 1.00001 * mu


class WrongCoefficients(BiasedReLU):
    """Harmonic coefficients of degree 3 with a wrong factor."""

    def coefficients(self, b: Any, max_degree: int) -> Any:
        a = np.array(super().coefficients(b, max_degree))
        a[3:4] *= 1.0001
        return a


class WrongLeverage(BiasedReLU):
    """Leverage with the ridge taken twice."""

    def leverage(self, b: Any, lam: Any) -> Any:
        return super().leverage(b, 2 * np.asarray(lam))


MUTANT_FAMILIES: list[tuple[str, Callable[[int], BiasedReLU]]] = [
    ("trace", WrongKernel),
    ("routes", WrongKernel),
    ("trace", WrongEigenvalues),
    ("routes", WrongEigenvalues),
    ("routes", WrongCoefficients),
    ("leverage-mean", WrongLeverage),
]


@pytest.mark.parametrize(("name", "family"), MUTANT_FAMILIES)
@pytest.mark.parametrize("d", [2, 5, 20])
def test_a_wrong_kernel_is_refuted(name: str, family: Callable[[int], BiasedReLU], d: int) -> None:
    record = check(name, d, subject=Subject(family=family))
    assert record.verdict is Verdict.REFUTED


def test_the_theorem_states_what_the_library_computes() -> None:
    stated = Theorem()
    for d, tau in [(2, 1.0), (5, 10.0), (100, 3.0)]:
        assert stated.alpha(d) == pytest.approx(BiasedReLU(d).decay_exponent, rel=1e-15)
        kappa0 = float(kernelspec.theorem_kappa0(d, tau))
        assert stated.kappa0(d, tau) == pytest.approx(kappa0, rel=1e-15)
        assert stated.kappa_mixture(0.3, kappa0, 1.0) == pytest.approx(
            float(kernelspec.mixture_mismatch(0.3, kappa0)), rel=1e-14
        )
        assert stated.captured_share(0.3, d=d, tau=tau) == pytest.approx(
            float(kernelspec.captured_fraction(0.3, stated.alpha(d), kappa0)), rel=1e-13
        )
