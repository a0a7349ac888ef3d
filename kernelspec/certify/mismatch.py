r"""Proof by computer of kappa(lambda; q_t) <= C t for every lambda > 0 and every t >= tau."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from flint import arb

from kernelspec import _checks
from kernelspec.certify.arithmetic import precision
from kernelspec.certify.block import Block
from kernelspec.certify.constants import (
    SquareRoot,
    exact_constant,
    exact_rational,
    limit_constant,
)
from kernelspec.certify.cover import Cover, Stopped, find_cover
from kernelspec.certify.refute import Counterexample, counterexample
from kernelspec.certify.tail import Tail, choose_tail

__all__ = ["MismatchCertificate", "certify_mismatch", "prove"]

WIDER: Final = 8
"""Block degree of the second attempt with the termwise lemma."""


@dataclass(frozen=True)
class MismatchCertificate:
    """What was proved about kappa(lambda; q_t) <= constant * t, all lambda > 0, all t >= tau.

    Attributes
    ----------
    d, tau, constant
        The claim, exactly.
    verdict
        "certified", "refuted" or "inconclusive".
    reason
        One sentence: how it was proved, where it fails, or what stopped the search.
    tail, cover, precision
        For "certified": the lemma for high degrees, the boxes, the bits of the arithmetic.
    counterexample
        For "refuted": a neuron and a ridge.

    Examples
    --------
    >>> from kernelspec.certify.constants import theorem_constant
    >>> proof = certify_mismatch(5, 1, theorem_constant(5))
    >>> proof.verdict, proof.d, proof.tau, proof.counterexample
    ('certified', 5, Fraction(1, 1), None)
    """

    d: int
    tau: Fraction
    constant: SquareRoot
    verdict: Literal["certified", "refuted", "inconclusive"]
    reason: str
    tail: Tail | None = None
    cover: Cover | None = None
    precision: int | None = None
    counterexample: Counterexample | None = None


def _tails(d: int, gamma: arb, max_degree: int) -> Iterator[Tail]:
    first = choose_tail(d, gamma, max_degree)
    if first is None:
        return
    yield first
    if first.kind == "termwise":
        yield Tail("termwise", WIDER)
        paired = choose_tail(d, gamma.min(arb(2)), max_degree)
        if paired is not None:
            yield paired


def prove(
    d: int,
    tau: Fraction,
    constant: SquareRoot,
    *,
    max_precision: int,
    max_boxes: int,
    max_degree: int,
    quick: bool = False,
) -> tuple[Tail, Cover, int] | str:
    """Return the parts of a proof, or the sentence that says what stopped the search.

    `quick` allows the smallest block with the termwise lemma only.

    Examples
    --------
    >>> from kernelspec.certify.constants import theorem_constant
    >>> caps = {"max_precision": 1024, "max_boxes": 64, "max_degree": 64}
    >>> tail, cover, bits = prove(5, Fraction(1), theorem_constant(5), **caps, quick=True)
    >>> tail.kind, len(cover.angles), bits
    ('termwise', 13, 130)
    >>> print(prove(5, Fraction(1), limit_constant(5), **caps))
    the constant does not exceed 6/5*sqrt(2), the limit as lambda -> 0: no counterexample was
    found and this method needs room above the limit
    """
    with precision(256):
        gamma = constant.ball() / limit_constant(d).ball()
        if not gamma > 1:
            return (
                f"the constant does not exceed {limit_constant(d)}, the limit as lambda -> 0: "
                "no counterexample was found and this method needs room above the limit"
            )
        tails = list(itertools.islice(_tails(d, gamma, max_degree), 1 if quick else None))
    if quick:
        tails = [tail for tail in tails if tail.kind == "termwise"]
    if not tails:
        return (
            f"budget: no lemma drops the degrees beyond {max_degree} for a constant only "
            f"{float(gamma):.6g} times the limit; raise max_degree"
        )
    stopped = Stopped("precision", "max_precision is below the first attempt")
    for tail in tails:
        bits = 128 + 2 * tail.degree
        while bits <= max_precision:
            with precision(bits):
                block = Block(d, tau, constant, tail)
                found = find_cover(block, max_boxes=max_boxes, max_ridges=max_boxes)
            if isinstance(found, Cover):
                return tail, found, bits
            stopped = found
            if found.what != "precision":
                break
            bits *= 2
    return f"{stopped.what}: {stopped.reason}"


def certify_mismatch(
    d: int,
    tau: float | Fraction,
    constant: float | Fraction | SquareRoot,
    *,
    max_precision: int = 4096,
    max_boxes: int = 4096,
    max_degree: int = 512,
) -> MismatchCertificate:
    """Prove or refute kappa(lambda; q_t) <= constant * t for all lambda > 0 and all t >= tau.

    q_t is the Gaussian initialisation w ~ N(0, I_d), b ~ N(0, t^2), the features are biased
    ReLUs. kappa(lambda; q_t)/t does not grow with t, so t = tau is what has to be checked. A
    lemma disposes of all high degrees; for the others every box of neurons is checked in ball
    arithmetic, for all ridges at once. See the page "The mismatch constant" of the documentation.

    Parameters
    ----------
    d
        Ambient dimension, 2 to 1000.
    tau
        Smallest spread of the biases. A float is taken as the exact dyadic number it is.
    constant
        The claimed constant: a number, or an exact irrational such as `theorem_constant(d)`.
    max_precision
        Cap on the bits of the arithmetic; the precision is doubled up to it when balls get wide.
    max_boxes
        Cap on the boxes of neurons and on the intervals of ridges.
    max_degree
        Cap on the degrees that a proof or a counterexample may use.

    Returns
    -------
    MismatchCertificate
        `.verdict` is "certified", "refuted" (with a certified counterexample) or "inconclusive"
        (`.reason` says what stopped it: a box, the precision or a budget).

    Raises
    ------
    ValueError, TypeError
        For an argument out of range.

    Examples
    --------
    >>> from kernelspec.certify.constants import theorem_constant
    >>> certify_mismatch(5, 1, theorem_constant(5)).verdict
    'certified'
    >>> result = certify_mismatch(6, 1, theorem_constant(6))
    >>> result.verdict, float(result.counterexample.b)
    ('refuted', 1.0)
    """
    d = _checks.dimension(d)
    tau_0 = exact_rational("tau", tau)
    claimed = exact_constant(constant)
    max_precision = _checks.integer("max_precision", max_precision, 128, 1 << 20)
    max_boxes = _checks.integer("max_boxes", max_boxes, 16, 1 << 24)
    max_degree = _checks.integer("max_degree", max_degree, 32, 1 << 16)

    def result(verdict: Any, reason: str, **parts: Any) -> MismatchCertificate:
        return MismatchCertificate(d, tau_0, claimed, verdict, reason, **parts)

    caps = {"max_precision": max_precision, "max_boxes": max_boxes, "max_degree": max_degree}
    reason = "this proof needs tau >= 1 and no counterexample was found"
    # A quick proof costs less than the float search for counterexamples, a long one more.
    for quick in (True, False):
        if tau_0 >= 1:
            proof = prove(d, tau_0, claimed, quick=quick, **caps)
            if not isinstance(proof, str):
                tail, cover, bits = proof
                reason = _account(tail, cover, bits)
                return result("certified", reason, tail=tail, cover=cover, precision=bits)
            reason = proof
        found = counterexample(d, tau_0, claimed, max_degree=max_degree, refine=not quick)
        if found is not None:
            where = f"b = {float(found.b):.9g}, lambda = {float(found.lam):.6g}"
            return result("refuted", f"exceeded at {where}", counterexample=found)
    return result("inconclusive", reason)


def _account(tail: Tail, cover: Cover, bits: int) -> str:
    neurons = len(cover.angles) + len(cover.ratios)
    return (
        f"degrees 0..{tail.degree} on {neurons} boxes of neurons times {len(cover.ridges)} "
        f"intervals of ridges with {bits} bits, higher degrees by the {tail.kind} lemma"
    )
