"""The table of certified constants that ships with the package.

For d = 2..100: the theorem's constant, the smallest tau from which on it holds, sharper constants.
A row is a certificate in short form: boxes follow one another, so a digit for the width of each
(2^-digit, in base 36) is enough, and the intervals of ridges are given by where they start.
`records` spells the certificates out again for `kernelspec.certify.check.check_record`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

from kernelspec.certify.block import Box
from kernelspec.certify.certificate import counterexample_body, proof_body, sealed, text
from kernelspec.certify.constants import SquareRoot, limit_constant
from kernelspec.certify.cover import Cover
from kernelspec.certify.mismatch import MismatchCertificate
from kernelspec.certify.positivity import Ridges
from kernelspec.certify.sharpest import Bracket
from kernelspec.certify.tail import Tail

__all__ = ["Row", "certified_constants", "pack"]

NAME: Final = "certified_constants.json"
Kind = Literal["theorem", "smallest tau", "sharpest constant"]


@dataclass(frozen=True)
class Row:
    """One row: kappa(lambda; q_t) <= constant * t for all lambda > 0 and all t >= tau.

    Attributes
    ----------
    kind
        "theorem": the theorem's constant. "smallest tau": the theorem's constant from the
        smallest tau on, to 1e-4. "sharpest constant": the smallest constant proved at this tau.
    d, tau, constant
        The certified claim.
    refuted_tau, refuted_constant
        A claim next to it that is refuted (the same tau or the same constant), or None.
    packed
        The certificates in short form.

    Examples
    --------
    >>> rows = {(row.kind, row.d, row.tau): row for row in certified_constants()}
    >>> row = rows["theorem", 5, 1]
    >>> str(row.constant), row.multiple, len(row.records())
    ('24/5*sqrt(2)', Fraction(4, 1), 1)
    >>> row = rows["sharpest constant", 5, 1]
    >>> bool(row.refuted_constant.rational < row.constant.rational)
    True
    """

    kind: Kind
    d: int
    tau: Fraction
    constant: SquareRoot
    refuted_tau: Fraction | None
    refuted_constant: SquareRoot | None
    packed: dict[str, Any]

    @property
    def multiple(self) -> Fraction:
        """The constant over the limit sqrt(2)(d+1)/d; 4 is the theorem's."""
        return self.constant.rational / limit_constant(self.d).rational

    def records(self) -> list[dict[str, Any]]:
        """Return the certificate of the claim and, if there is one, of the refuted claim."""
        proof = self.packed["proof"]
        starts = [Fraction(start) for start in proof["ridges"]]
        ends = [*starts[1:], None]
        cover = Cover(
            _boxes(proof["angles"]),
            _boxes(proof["ratios"]),
            tuple(Ridges(low, high) for low, high in zip(starts, ends, strict=True)),
        )
        body = proof_body(Tail(proof["tail"], proof["degree"]), cover, proof["precision"])
        result = [sealed(self.d, self.tau, self.constant, "certified", body)]
        if self.refuted_tau is not None and self.refuted_constant is not None:
            point = self.packed["refuted"]
            body = counterexample_body(
                Fraction(point["b"]), Fraction(point["lambda"]), point["degree"]
            )
            claim = (self.d, self.refuted_tau, self.refuted_constant)
            result.append(sealed(*claim, "refuted", body))
        return result


def _boxes(widths: str) -> tuple[Box, ...]:
    boxes, low = [], Fraction(0)
    for digit in widths:
        scale = int(digit, 36)
        start = low * (1 << scale)
        boxes.append(Box(int(start), int(start) + 1, scale))
        low += Fraction(1, 1 << scale)
    return tuple(boxes)


def _widths(boxes: tuple[Box, ...]) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return "".join(digits[box.scale] for box in boxes)


def pack(kind: Kind, bracket: Bracket) -> dict[str, Any]:
    """Return a row as JSON values.

    Raises
    ------
    ValueError
        If the bracket has no certified claim.

    Examples
    --------
    A digit for each box of angles, here 3 for the width 2^-3; 13 of them reach beyond pi/2:

    >>> from kernelspec.certify.constants import theorem_constant
    >>> from kernelspec.certify.mismatch import certify_mismatch
    >>> row = pack("theorem", Bracket(certify_mismatch(5, 1, theorem_constant(5)), None))
    >>> row["constant"], row["proof"]["angles"]
    ({'rational': '24/5', 'radicand': 2}, '3333333333333')
    """
    c = bracket.certified
    if c is None or c.tail is None or c.cover is None:
        raise ValueError("bracket is not allowed: one with a certified claim")
    row: dict[str, Any] = {
        "kind": kind,
        **_claim(c),
        "proof": {
            "tail": c.tail.kind,
            "degree": c.tail.degree,
            "precision": c.precision,
            "angles": _widths(c.cover.angles),
            "ratios": _widths(c.cover.ratios),
            "ridges": [text(part.low) for part in c.cover.ridges],
        },
    }
    r = bracket.refuted
    if r is not None and r.counterexample is not None:
        point = counterexample_body(
            r.counterexample.b, r.counterexample.lam, r.counterexample.degree
        )["counterexample"]
        row["refuted"] = {**_claim(r), **point}
    return row


def _claim(c: MismatchCertificate) -> dict[str, Any]:
    constant = {"rational": text(c.constant.rational), "radicand": c.constant.radicand}
    return {"d": c.d, "tau": text(c.tau), "constant": constant}


def _constant(value: dict[str, Any]) -> SquareRoot:
    return SquareRoot(Fraction(value["rational"]), value["radicand"])


@lru_cache(maxsize=1)
def certified_constants() -> tuple[Row, ...]:
    """Return the rows of the shipped table.

    Examples
    --------
    >>> [str(row.constant) for row in certified_constants() if (row.kind, row.d) == ("theorem", 5)]
    ['24/5*sqrt(2)']
    """
    content = files("kernelspec.certify").joinpath("data", NAME).read_text(encoding="utf-8")
    rows = []
    for row in json.loads(content)["rows"]:
        refuted = row.get("refuted")
        rows.append(
            Row(
                row["kind"],
                row["d"],
                Fraction(row["tau"]),
                _constant(row["constant"]),
                None if refuted is None else Fraction(refuted["tau"]),
                None if refuted is None else _constant(refuted["constant"]),
                row,
            )
        )
    return tuple(rows)
