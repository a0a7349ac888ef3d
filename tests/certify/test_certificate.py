"""Certificate files: valid ones pass, tampered ones never do, and the checker stands alone."""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import math
import os
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU
from kernelspec.certify import balls, block, check, check_formulas
from kernelspec.certify.arithmetic import precision
from kernelspec.certify.certificate import certificate_record, write_certificate
from kernelspec.certify.check import check_certificate, check_record
from kernelspec.certify.constants import limit_constant, theorem_constant
from kernelspec.certify.cover import find_cover
from kernelspec.certify.mismatch import MismatchCertificate, certify_mismatch
from kernelspec.certify.refute import largest_ratio
from kernelspec.certify.table import certified_constants
from kernelspec.certify.tail import Tail

TAU = Fraction(27, 25)


@lru_cache(maxsize=1)
def proofs() -> dict[str, MismatchCertificate]:
    """One certificate of every sort."""
    return {
        "termwise": certify_mismatch(10, TAU, theorem_constant(10)),
        "paired": certify_mismatch(5, 2, limit_constant(5) * Fraction(103, 100)),
        "intervals": certify_mismatch(12, 2, limit_constant(12) * Fraction(106, 100)),
        "refuted": certify_mismatch(6, 1, theorem_constant(6)),
        "refuted by a kink": certify_mismatch(5, 2, 1.6),
    }


def record(name: str) -> dict:
    return copy.deepcopy(certificate_record(proofs()[name]))


def resealed(changed: dict) -> dict:
    """A forger recomputes the hash."""
    rest = {key: value for key, value in changed.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return {**rest, "sha256": hashlib.sha256(canonical.encode()).hexdigest()}


# Valid certificates


@pytest.mark.parametrize(
    "name", ["termwise", "paired", "intervals", "refuted", "refuted by a kink"]
)
def test_round_trip(name, tmp_path):
    path = tmp_path / "certificate.json"
    write_certificate(proofs()[name], path)
    before = ctx.prec
    result = check_certificate(path)
    assert result.valid, result.reason
    assert ctx.prec == before
    assert str(proofs()[name].d) in result.claim
    assert [p.name for p in tmp_path.iterdir()] == ["certificate.json"]


def test_interval_certificate_has_several():
    assert len(record("intervals")["proof"]["ridges"]) > 1


def test_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "certificate.json"
    path.write_text("before")

    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_certificate(proofs()["termwise"], path)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["certificate.json"]


def test_inconclusive_is_not_written(tmp_path):
    nothing = certify_mismatch(5, 2, limit_constant(5), max_degree=32)
    with pytest.raises(ValueError, match="inconclusive"):
        write_certificate(nothing, tmp_path / "certificate.json")
    assert not list(tmp_path.iterdir())


# Tampering


def test_changed_file_without_new_hash():
    changed = record("termwise")
    changed["claim"]["d"] = 9
    assert check_record(changed).reason == "the hash differs"


def _move_end(proof):
    proof["angles"][3][1] += 1


def _move_shared_end(proof):
    proof["angles"][3][1] *= 2
    proof["angles"][3][0] *= 2
    proof["angles"][3][2] += 1
    proof["angles"][3][1] -= 1


def _remove_box(proof):
    del proof["angles"][2]


def _remove_first_box(proof):
    del proof["angles"][0]


def _remove_last_box(proof):
    del proof["angles"][-1]


def _swap_boxes(proof):
    proof["angles"][1:3] = proof["angles"][2:0:-1]


def _remove_ratio(proof):
    del proof["ratios"][-1]


def _one_wide_ratio(proof):
    proof["ratios"] = [[0, 1, 0]]


def _one_wide_angle(proof):
    proof["angles"] = [[0, 13, 3]]


def _no_boxes(proof):
    proof["angles"] = []


def _remove_last_ridges(proof):
    del proof["ridges"][-1]


def _start_ridges_later(proof):
    proof["ridges"][0][0] = "1/1048576"


def _finite_ridges(proof):
    proof["ridges"][-1][1] = "1000000/1"


def _lower_degree(proof):
    proof["tail"]["degree"] = 5


def _easier_tail(proof):
    proof["tail"] = {"kind": "termwise", "degree": 1}


def _unknown_tail(proof):
    proof["tail"]["kind"] = "none"


def _little_precision(proof):
    proof["precision"] = 10


CHANGES = [
    _move_end,
    _move_shared_end,
    _remove_box,
    _remove_first_box,
    _remove_last_box,
    _swap_boxes,
    _remove_ratio,
    _one_wide_angle,
    _no_boxes,
    _remove_last_ridges,
    _start_ridges_later,
    _finite_ridges,
    _unknown_tail,
    _little_precision,
]


@pytest.mark.parametrize("name", ["termwise", "paired", "intervals"])
@pytest.mark.parametrize("change", CHANGES)
def test_tampered_cover_is_rejected(name, change):
    changed = record(name)
    change(changed["proof"])
    result = check_record(resealed(changed))
    assert not result.valid, result.reason


@pytest.mark.parametrize("change", [_lower_degree, _easier_tail])
def test_tampered_tail_is_rejected(change):
    changed = record("paired")
    change(changed["proof"])
    assert not check_record(resealed(changed)).valid


def test_gap_between_ridges_is_rejected():
    changed = record("intervals")
    numerator, denominator = changed["proof"]["ridges"][1][0].split("/")
    changed["proof"]["ridges"][1][0] = f"{2 * int(numerator) + 1}/{2 * int(denominator)}"
    assert "gap" in check_record(resealed(changed)).reason


def test_too_wide_box_is_rejected():
    changed = record("termwise")
    _one_wide_ratio(changed["proof"])
    assert not check_record(resealed(changed)).valid


@pytest.mark.parametrize(
    ("name", "constant", "tau"),
    [
        ("termwise", "3/1", "27/25"),  # below the supremum 3.03 * sqrt(2) * 11/10
        ("termwise", "22/5", "1/1"),  # the supremum is 11 there
        ("termwise", "22/5", "1/2"),
        ("paired", "6/5", "2/1"),  # the limit itself
        ("paired", "119/100", "2/1"),
        ("intervals", "1/1", "2/1"),
        ("refuted", "5/1", "1/1"),  # 7.07 is above the supremum 7
        ("refuted", "14/3", "27/25"),
        ("refuted", "0/1", "1/1"),
    ],
)
def test_other_claims_are_rejected(name, constant, tau):
    changed = record(name)
    changed["claim"]["constant"]["rational"], changed["claim"]["tau"] = constant, tau
    assert not check_record(resealed(changed)).valid


def test_narrow_biases_are_outside_the_lemmas():
    changed = certificate_record(certify_mismatch(3, 1, 100))
    changed["claim"]["tau"] = "9/10"
    assert "tau >= 1" in check_record(resealed(changed)).reason


@pytest.mark.parametrize("name", ["termwise", "refuted"])
def test_other_verdict_or_dimension_is_rejected(name):
    changed = record(name)
    flipped = {"certified": "refuted", "refuted": "certified"}
    changed["claim"]["verdict"] = flipped[changed["claim"]["verdict"]]
    assert not check_record(resealed(changed)).valid
    changed = record(name)
    changed["claim"]["d"] = {"termwise": 30, "refuted": 3}[name]
    assert not check_record(resealed(changed)).valid


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"format": 1}',
        "{",
        '{"format": NaN}',
        "[" * 100_000,
        "1" * 10_000,
        "\x00\xff",
    ],
)
def test_malformed_files_are_rejected(tmp_path, text):
    path = tmp_path / "certificate.json"
    path.write_text(text)
    assert not check_certificate(path).valid


PATHS = [
    ("claim", "d"),
    ("claim", "tau"),
    ("claim", "constant", "rational"),
    ("claim", "constant", "radicand"),
    ("proof", "tail", "degree"),
    ("proof", "precision"),
    ("proof", "angles", 0, 0),
    ("proof", "angles", 4, 1),
    ("proof", "ratios", 0, 1),
    ("proof", "ridges", 0, 0),
    ("proof", "ridges", 0, 1),
]
VALUES = st.one_of(
    st.integers(-3, 40),
    st.sampled_from(
        ["1/1", "9/8", "2/1", "0/1", "1/0", "inf", "nan", "-1/2", "1/3", None, True, 0.5]
    ),
    st.lists(st.integers(0, 3), max_size=3),
)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(name=st.sampled_from(["termwise", "paired"]), path=st.sampled_from(PATHS), value=VALUES)
def test_whatever_is_accepted_is_true(name, path, value):
    """Replace one entry by anything: an exception is a defect, an accepted false claim is worse."""
    changed = record(name)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    result = check_record(resealed(changed))
    if result.valid:
        claim = changed["claim"]
        d, tau = claim["d"], Fraction(claim["tau"])
        constant = float(Fraction(claim["constant"]["rational"]))
        constant *= math.sqrt(claim["constant"]["radicand"])
        assert largest_ratio(d, tau, refine=False)[0] <= constant * (1 + 1e-9)
        assert tau >= 1


# Mutants of the search: the checker does not take their word


def _forged(d, tau, constant, tail, bits=256):
    with precision(bits):
        worked = block.Block(d, tau, constant, tail)
        found = find_cover(worked, max_boxes=512, max_ridges=64)
    return certificate_record(
        MismatchCertificate(d, tau, constant, "certified", "", tail, found, bits)
    )


def test_wrong_exponent_in_the_density_is_found(monkeypatch):
    """With d+1 instead of (d+1)/2 the search proves a false claim at tau = 1.05, d = 50."""
    real, doubled = block.half_power, {51: 102, 53: 104}
    monkeypatch.setattr(block, "half_power", lambda x, twice: real(x, doubled.get(twice, twice)))
    assert largest_ratio(50, Fraction(21, 20), refine=False)[0] > float(theorem_constant(50))
    forged = _forged(50, Fraction(21, 20), theorem_constant(50), Tail("termwise", 8))
    assert not check_record(forged).valid


def test_other_eigenvalues_are_found(monkeypatch):
    """With twice the eigenvalues half the supremum seems to do."""
    real = balls.eigenvalue
    monkeypatch.setattr(block, "eigenvalue", lambda d, k: 2 * real(d, k))
    monkeypatch.setattr(block, "kernel_at_one", lambda d: 2 * balls.kernel_at_one(d))
    constant = limit_constant(5) * Fraction(103, 50)  # the supremum at 1.08 is 2.228
    forged = _forged(5, TAU, constant, Tail("termwise", 8))
    assert not check_record(forged).valid


# The checker stands alone and its formulas are right


@pytest.mark.parametrize("module", [check, check_formulas])
def test_checker_imports_nothing_from_the_search(module):
    tree = ast.parse(Path(module.__file__).read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    ours = {name for name in names if name.startswith("kernelspec")}
    assert ours <= {"kernelspec.certify.check_formulas"}


def test_checker_is_smaller_than_the_search():
    folder = Path(check.__file__).parent

    def lines(*names):
        return sum(len((folder / f"{name}.py").read_text().splitlines()) for name in names)

    search = "block cover mismatch positivity refute tail coefficient_balls gegenbauer_balls"
    assert lines("check", "check_formulas") < lines(*search.split(), "spectrum_balls", "series")


@pytest.mark.parametrize("d", [2, 3, 5, 11, 40])
def test_formulas_agree_with_the_search(d):
    f = check_formulas
    with precision(256):
        for k in [0, 1, 2, 3, 7, 30]:
            assert f.eigenvalue(d, k).overlaps(balls.eigenvalue(d, k))
            assert f.eigenvalue(d, k).rel_accuracy_bits() > 200
            assert f.multiplicity(d, k) == balls.multiplicity(d, k)
        for angle in [0.0, 0.3, 1.5]:
            theta = arb(angle)
            z = theta.cos()
            b, weight = z / (1 + z * z).sqrt(), 1 / (1 + z * z)
            a = balls.coefficients_all(d, 6, b)
            a_0, a_1, norm = f.low_terms(d, theta)
            assert (a_0**2 * weight).overlaps(a[0] ** 2)
            assert (a_1**2 * weight).overlaps(a[1] ** 2)
            assert (norm * weight).overlaps(balls.feature_norm_squared(d, b))
            y = [theta.sin() ** (d + 1) * p for p in f.gegenbauer_values(d, 5, z)]
            for k in range(2, 7):
                assert (f.amplitude(d) ** 2 * y[k - 2] ** 2 * weight).overlaps(a[k] ** 2)
            tau = fmpq(3, 2)
            density = balls.gaussian_density(d, arb(tau), b) * tau / weight
            assert f.density(d, tau, z).overlaps(density)


@pytest.mark.parametrize("d", [2, 3, 5, 12, 40])
@pytest.mark.parametrize("degree", [8, 20, 45])
def test_tail_formulas_bound_what_they_say(d, degree):
    """Against direct evaluation in floating point, and not by more than they need."""
    f, model = check_formulas, BiasedReLU(d)
    mu = model.eigenvalues(80)
    counts = np.array([float(f.multiplicity(d, k)) for k in range(81)])
    theta = np.linspace(0.01, math.pi / 2, 4001)
    a = model.coefficients(np.cos(theta) / np.sqrt(1 + np.cos(theta) ** 2), 80)
    ratios = (a**2 / mu[:, None] / float(limit_constant(d)))[degree:]
    with precision(128):
        low, high = f.series_bounds(d, degree - 2)
        bend_low, bend_high = f.curvature(d, degree + 1 + fmpq(d, 2), high / low - 1)
        single = float(f.all_ratios_below(d, degree - 2))
        for k in [degree, degree + 1, 80]:
            series = f.eigenvalue(d, k) / f.eigenvalue(d, degree)  # the Gamma functions cancel
            n = arb(k - 2)
            for j in range(d + 2):
                series *= (n + j + 0.5) / (degree - 2 + j + arb(0.5))
            assert low / high <= series <= high / low
    assert 1.99 < ratios.max() <= 2 * single + 1e-9
    assert single < 1 + 12 / degree**2
    for lam in [0.0, *(mu[::7]), 1.0]:
        g = counts * mu / (mu + lam)
        bend = ((g[2:] - 2 * g[1:-1] + g[:-2]) / g[1:-1])[degree + 1 :]
        assert float(bend_low.lower()) - 1e-9 <= bend.min()
        assert bend.max() <= float(bend_high.upper()) + 1e-9


def test_lemmas_are_refused_where_they_are_false():
    with precision(128):
        assert check_formulas.termwise_tail_holds(5, fmpq(2001, 1000)) is False  # not shown
        assert check_formulas.termwise_tail_holds(5, fmpq(101, 50))
        assert not check_formulas.termwise_tail_holds(5, fmpq(199, 100))  # false
        assert check_formulas.paired_tail_holds(5, 30, arb("1.02"))
        assert not check_formulas.paired_tail_holds(5, 30, arb("1.001"))
        assert not check_formulas.paired_tail_holds(5, 30, arb("0.99"))
        assert not check_formulas.paired_tail_holds(40, 8, arb(3))
        assert not check_formulas.paired_tail_holds(3, 5, arb(20))  # next to the pole
        assert check_formulas.paired_tail_holds(3, 6, arb(20))
        assert not check_formulas.paired_tail_holds(5, 30, arb("nan"))


# The shipped table


def test_table_is_complete():
    rows = certified_constants()
    for d in range(2, 101):
        here = [row for row in rows if row.d == d]
        theorem = [row for row in here if row.kind == "theorem"]
        assert [row.tau for row in theorem] == [Fraction(1) if d <= 5 else TAU]
        assert theorem[0].constant == theorem_constant(d)
        sharp = {row.tau: row for row in here if row.kind == "sharpest constant"}
        assert set(sharp) == {Fraction(1), TAU, Fraction(2)}
        assert sharp[Fraction(2)].multiple <= sharp[TAU].multiple <= sharp[Fraction(1)].multiple
        smallest = [row for row in here if row.kind == "smallest tau"]
        assert len(smallest) == (d > 5)
        for row in smallest:
            assert row.constant == theorem_constant(d)
            assert row.refuted_tau < row.tau <= TAU
        for row in here:
            if row.kind == "sharpest constant" and row.refuted_constant is not None:
                assert row.refuted_constant.rational < row.constant.rational


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6, 10, 17, 33, 64, 100])
def test_table_replays(d):
    """Theorem, smallest tau and two sharp constants of some dimensions, with their neighbours."""
    for row in certified_constants():
        if row.d == d and not (row.kind == "sharpest constant" and row.tau == 2 and d > 5):
            for entry in row.records():
                result = check_record(entry)
                assert result.valid, (row.kind, result.claim, result.reason)


def test_table_replays_a_sharp_constant_in_high_dimension():
    row = next(
        row
        for row in certified_constants()
        if (row.kind, row.d, row.tau) == ("sharpest constant", 50, Fraction(2))
    )
    for entry in row.records():
        assert check_record(entry).valid
