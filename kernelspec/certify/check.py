r"""Check certificate files, trusting nothing in them but the claim.

The checker uses its own formulas (`kernelspec.certify.check_formulas`) and shares no code with the
search. A claim is accepted if the boxes cover every neuron, the intervals cover every ridge, the
stated lemma holds for the degrees beyond the block, and on every box the polynomial in the ridge
has nonnegative coefficients. The mathematics is on the page "The mismatch constant".
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from flint import arb, arb_mat, ctx, fmpq

from kernelspec.certify import check_formulas as f

__all__ = ["Check", "check_certificate", "check_record"]

DROPPED: Final = fmpq(101, 50)
"""Bound of a_k^2/(Gamma mu_k) that the termwise lemma has to keep."""
MAX_DEGREE: Final = 4096
MAX_BITS: Final = 1 << 15
MAX_BOXES: Final = 1 << 16


@dataclass(frozen=True)
class Check:
    """Whether a certificate proves its claim: `valid`, the `claim` in words, and the `reason`.

    Examples
    --------
    >>> Check(False, "kappa <= 1 at d = 5", "box 3 is not nonnegative").valid
    False
    """

    valid: bool
    claim: str
    reason: str


class _Rejected(Exception):  # noqa: N818 - the outcome of a check
    pass


def _require(condition: object, reason: str) -> None:
    if not condition:
        raise _Rejected(reason)


def _rational(value: Any, name: str) -> fmpq:
    ok = isinstance(value, str) and re.fullmatch(r"\d{1,4000}/[1-9]\d{0,3999}", value)
    _require(ok, f"{name} = {value!r} is no rational p/q >= 0")
    fraction = Fraction(value)
    return fmpq(fraction.numerator, fraction.denominator)


def _integer(value: Any, name: str, low: int, high: int) -> int:
    ok = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    _require(ok, f"{name} = {value!r} is no integer from {low} to {high}")
    return int(value)


@dataclass(frozen=True)
class _Claim:
    d: int
    tau: fmpq
    rational: fmpq
    radicand: int
    verdict: str

    @property
    def constant(self) -> arb:
        return arb(self.radicand).sqrt() * self.rational

    def __str__(self) -> str:
        sign = "<=" if self.verdict == "certified" else ">"
        every = "every lambda > 0 and every t >=" if sign == "<=" else "some lambda > 0 and t ="
        root = "" if self.radicand == 1 else f"*sqrt({self.radicand})"
        return (
            f"d = {self.d}: kappa(lambda; q_t) {sign} {self.rational}{root} * t, {every} {self.tau}"
        )


def _read_claim(record: dict[str, Any]) -> _Claim:
    claim = record["claim"]
    tau = _rational(claim["tau"], "tau")
    rational = _rational(claim["constant"]["rational"], "constant")
    _require(tau > 0 and rational > 0, "tau and the constant must be positive")
    radicand = _integer(claim["constant"]["radicand"], "radicand", 1, 1 << 30)
    verdict = claim["verdict"]
    _require(verdict in ("certified", "refuted"), f"verdict = {verdict!r} proves nothing")
    return _Claim(_integer(claim["d"], "d", 2, 1000), tau, rational, radicand, verdict)


def _read_boxes(value: Any, name: str) -> list[tuple[fmpq, fmpq]]:
    _require(isinstance(value, list) and 0 < len(value) <= MAX_BOXES, f"{name}: no list of boxes")
    boxes = []
    for low, high, scale in value:
        power = 1 << _integer(scale, f"scale of {name}", 0, 256)
        ends = [_integer(end, f"end of {name}", 0, 2 * power) for end in (low, high)]
        boxes.append((fmpq(ends[0], power), fmpq(ends[1], power)))
    _require(boxes[0][0] == 0, f"{name} do not start at 0")
    for low, high in boxes:
        _require(low < high, f"{name}: empty box at {low}")
    for (_, high), (following, _) in itertools.pairwise(boxes):
        _require(high == following, f"{name}: gap or overlap between {high} and {following}")
    return boxes


def _read_ridges(value: Any) -> list[tuple[fmpq, fmpq | None]]:
    _require(isinstance(value, list) and 0 < len(value) <= MAX_BOXES, "ridges: no list")
    last: fmpq | None = fmpq(0)
    ridges: list[tuple[fmpq, fmpq | None]] = []
    for low, high in value:
        start = _rational(low, "ridge")
        end = None if high == "inf" else _rational(high, "ridge")
        _require(last is not None and start == last, f"ridges: gap or overlap at {start}")
        _require(end is None or end > start, f"ridges: empty interval at {start}")
        ridges.append((start, end))
        last = end
    _require(last is None, "ridges do not reach infinity")
    return ridges


class _Block:
    """Numerators e_k on a box: sum_k e_k/(mu_k+lambda) >= 0 for all lambda proves the claim."""

    def __init__(self, claim: _Claim, kind: str, degree: int) -> None:
        self.d, self.tau, self.constant = claim.d, claim.tau, claim.constant
        self.kind, self.last = kind, degree
        size = degree + (2 if kind == "termwise" else 3)
        self.mu = [f.eigenvalue(self.d, k) for k in range(size)]
        self.count = [arb(f.multiplicity(self.d, k)) for k in range(size)]
        self.rest = 1 / arb(self.d + 1)  # becomes the sum of N_k mu_k from the last column on
        for k in range(size - 1):
            self.rest -= self.count[k] * self.mu[k]
        at_zero = f.gegenbauer_values(self.d, size, arb(0))
        self.square = f.amplitude(self.d) ** 2
        self.peaks = [self.square * f.peak(self.d, n, at_zero) for n in range(size - 3)]

    def angle(self, low: fmpq, high: fmpq) -> list[list[arb]]:
        """One column for each end of the box: between them the bounds are linear."""
        d, middle, half = self.d, arb((low + high) / 2), arb((high - low) / 2)
        right_angle = arb.pi() / 2
        ends = [arb(low).min(right_angle), arb(high).min(right_angle)]
        scale = self.constant * f.between(*(f.density(d, self.tau, e.cos()) for e in ends))
        lows = [f.low_terms(d, e) for e in ends]
        base = [scale * self.mu[k] - f.between(lows[0][k] ** 2, lows[1][k] ** 2) for k in (0, 1)]
        tilt = [arb(0), arb(0)]
        cosine, sine = middle.cos(), middle.sin()
        p = f.gegenbauer_values(d, len(self.peaks) + 1, cosine)
        weight = self.square * sine ** (2 * d + 2)
        for n, energy in enumerate(self.peaks):
            size = (n + 1) * (n + d + 1)
            # second derivative of y^2 <= 2 E + 2 (nu-1) |cot| E/sqrt(Lambda), |cot| <= 1/theta
            flat, rise = f.between(arb(0), energy / size), arb(0)
            if low > 0:
                wave = energy * (1 + arb(d) / (2 * low * arb(size).sqrt())) * half**2
                if 8 * wave < energy / size:
                    slope = (n + d + 2) * p[n + 1] - (n + 1) * cosine * p[n]
                    flat = weight * p[n] ** 2 + arb(0, wave.upper())
                    rise = 2 * weight * p[n] * slope / sine
            base.append(scale * self.mu[n + 2] - flat)
            tilt.append(-rise)
        both = [[b + s * half * t for b, t in zip(base, tilt, strict=True)] for s in (-1, 1)]
        return [self._weighted(column, scale) for column in both]

    def _weighted(self, e: list[arb], scale: arb) -> list[arb]:
        k, n, mu = self.last, self.count, self.mu
        full = [n[j] * e[j] for j in range(k + 1)]
        if self.kind == "termwise":
            return [*full, (1 - DROPPED * f.limit(self.d) / self.constant) * scale * self.rest]
        one = n[k + 1] * (2 * e[k + 1] - e[k] * mu[k + 1] / mu[k]) / 4
        return [*full, one, -n[k + 2] * e[k + 1] * mu[k + 2] / mu[k + 1] / 4]

    def ratio(self, low: fmpq, high: fmpq) -> list[list[arb]]:
        """One column: a_0 = b, a_1 = |w|/d and nothing else, scaled by 1/b^2 = 1 + r^2."""
        d, shrunk = self.d, 1 / self.tau**2
        quotient = arb((1 + high**2) / (high**2 + shrunk))
        scale = self.constant * (1 + arb(low**2)) * quotient.sqrt() ** (d + 1)
        column = [scale * n * m for n, m in zip(self.count, self.mu, strict=True)]
        column[0] -= 1
        column[1] -= arb(high**2) / d
        return [[*column[:-1], scale * self.rest]]


def _check_proof(claim: _Claim, proof: dict[str, Any]) -> str:
    kind = proof["tail"]["kind"]
    _require(kind in ("termwise", "paired"), f"tail = {kind!r} is unknown")
    degree = _integer(proof["tail"]["degree"], "degree", 1, MAX_DEGREE)
    bits = _integer(proof["precision"], "precision", 128, MAX_BITS)
    angles, ratios = _read_boxes(proof["angles"], "angles"), _read_boxes(proof["ratios"], "ratios")
    ridges = _read_ridges(proof["ridges"])
    ctx.prec = bits
    _require(claim.tau >= 1, "the lemmas need tau >= 1")
    _require(arb(angles[-1][1]) > arb.pi() / 2, "angles do not reach pi/2")
    _require(angles[-1][1] < 2, "angles reach beyond 2")
    _require(ratios[-1][1] == 1, "ratios do not end at 1")
    gamma = claim.constant / f.limit(claim.d)
    if kind == "termwise":
        _require(gamma >= DROPPED, "the constant is too small for the termwise lemma")
        _require(f.termwise_tail_holds(claim.d, DROPPED), "the termwise lemma is not established")
    else:
        holds = f.paired_tail_holds(claim.d, degree, gamma)
        _require(holds, f"the paired lemma is not established beyond degree {degree}")
    block = _Block(claim, kind, degree)
    columns = [column for low, high in angles for column in block.angle(low, high)]
    columns += [column for low, high in ratios for column in block.ratio(low, high)]
    table = arb_mat([list(row) for row in zip(*columns, strict=True)])
    for low, high in ridges:
        product = _short_product(f.coefficients_to_polynomial(block.mu, low, high), table)
        negative = sum(1 for value in product if not value >= 0)
        _require(not negative, f"{negative} coefficients are not nonnegative for ridges from {low}")
    return f"{len(angles) + len(ratios)} boxes times {len(ridges)} intervals of ridges hold"


def _short_product(left: arb_mat, right: arb_mat) -> list[arb]:
    """Entries of the product of the matrices rounded to half the precision (it is faster)."""
    bits = ctx.prec
    ctx.prec = bits // 2
    try:
        return list(((1 * left) * (1 * right)).entries())
    finally:
        ctx.prec = bits


def _check_counterexample(claim: _Claim, point: dict[str, Any]) -> str:
    b, lam = _rational(point["b"], "b"), _rational(point["lambda"], "lambda")
    degree = _integer(point["degree"], "degree", 2, MAX_DEGREE)
    _require(b <= 1 and lam > 0, "a counterexample needs 0 <= b <= 1 and lambda > 0")
    ctx.prec = 128 + 2 * degree
    d, weight = claim.d, 1 - arb(b) ** 2
    mu = [f.eigenvalue(d, k) for k in range(degree + 2)]
    count = [f.multiplicity(d, k) for k in range(degree + 1)]
    if 2 * b * b < 1:
        theta = (arb(b) / weight.sqrt()).acos()
        a_0, a_1, norm = (weight * x for x in _squares(f.low_terms(d, theta)))
        shape = weight * f.amplitude(d) ** 2 * theta.sin() ** (2 * d + 2)
        high = [shape * p**2 for p in f.gegenbauer_values(d, degree - 1, theta.cos())]
    else:
        a_0, a_1, high = arb(b) ** 2, weight / d**2, [arb(0)] * (degree - 1)
        norm = a_0 + d * a_1
    squares = [a_0, a_1, *high]
    rest = norm - sum((n * a for n, a in zip(count, squares, strict=True)), arb(0))
    top = sum((n * a / (m + lam) for n, a, m in zip(count, squares, mu, strict=False)), arb(0))
    top += rest / (mu[-1] + lam)
    trace = 1 / arb(d + 1)
    freedom = arb(0)
    for n, m in zip(count, mu, strict=False):
        freedom += n * m / (m + lam)
        trace -= n * m
    freedom += trace / lam
    shrunk = 1 - arb(b) ** 2 * (1 - 1 / arb(claim.tau) ** 2)
    ratio = top * shrunk.sqrt() ** (d + 1) / freedom  # of l/(q N) to tau
    _require(ratio > claim.constant, f"the ratio is not above the constant: {ratio.str(12)}")
    return f"kappa/tau is at least {ratio.str(12)} at b = {b}, lambda = {lam}"


def _squares(terms: tuple[arb, arb, arb]) -> tuple[arb, arb, arb]:
    a_0, a_1, norm = terms
    return a_0**2, a_1**2, norm


def check_record(record: Any) -> Check:
    """Check a certificate that has been read already (see `check_certificate`).

    Examples
    --------
    >>> check_record({"schema": "something else"}).valid
    False
    """
    claim, before = "", ctx.prec
    try:
        _require(isinstance(record, dict), "no JSON object")
        _require(record["format"] == "kernelspec mismatch certificate", "another format")
        _require(record["version"] == 1, f"version {record['version']!r} is unknown")
        rest = {key: value for key, value in record.items() if key != "sha256"}
        canonical = json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()
        _require(hashlib.sha256(canonical).hexdigest() == record["sha256"], "the hash differs")
        parsed = _read_claim(record)
        claim = str(parsed)
        if parsed.verdict == "certified":
            return Check(True, claim, _check_proof(parsed, record["proof"]))
        return Check(True, claim, _check_counterexample(parsed, record["counterexample"]))
    except _Rejected as why:
        return Check(False, claim, str(why))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        return Check(False, claim, f"malformed: {type(error).__name__}: {error}")
    finally:
        ctx.prec = before


def check_certificate(path: str | os.PathLike[str]) -> Check:
    """Check a certificate file.

    Returns
    -------
    Check
        `.valid`, and in `.reason` what was checked or why it is rejected.

    Raises
    ------
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from kernelspec.certify.certificate import write_certificate
    >>> from kernelspec.certify.constants import theorem_constant
    >>> from kernelspec.certify.mismatch import certify_mismatch
    >>> with TemporaryDirectory() as folder:
    ...     write_certificate(certify_mismatch(6, 1, theorem_constant(6)), f"{folder}/kappa0.json")
    ...     found = check_certificate(f"{folder}/kappa0.json")
    >>> found.valid
    True
    """
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Check(False, "", f"malformed: {error}")
    return check_record(record)
