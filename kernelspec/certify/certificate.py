"""Certificate files: a claim about the mismatch and the boxes that prove it, as exact JSON.

The format is read by `kernelspec.certify.check`, which shares no code with the search. Numbers
are exact: rationals as "p/q", boxes as [low, high, scale] for the interval [low, high]/2^scale,
ridges as pairs of dyadic rationals, the last one up to "inf". `sha256` is the hash of the rest in
canonical form (sorted keys, no spaces).
"""

from __future__ import annotations

import hashlib
import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import flint

import kernelspec
from kernelspec.certify.block import Box
from kernelspec.certify.constants import SquareRoot
from kernelspec.certify.cover import Cover
from kernelspec.certify.mismatch import MismatchCertificate
from kernelspec.certify.tail import Tail

__all__ = [
    "certificate_record",
    "counterexample_body",
    "proof_body",
    "sealed",
    "text",
    "write_certificate",
]

FORMAT: Final = "kernelspec mismatch certificate"
VERSION: Final = 1


def text(x: Fraction) -> str:
    """Write a rational as "p/q".

    Examples
    --------
    >>> text(Fraction(3, 4))
    '3/4'
    """
    return f"{x.numerator}/{x.denominator}"


def _boxes(boxes: tuple[Box, ...]) -> list[list[int]]:
    return [[box.low, box.high, box.scale] for box in boxes]


def sealed(
    d: int, tau: Fraction, constant: SquareRoot, verdict: str, body: dict[str, Any]
) -> dict[str, Any]:
    """Return the record of a claim with its proof or counterexample, hash included.

    Examples
    --------
    >>> body = counterexample_body(Fraction(1), Fraction(3, 8), 32)
    >>> record = sealed(3, Fraction(1), SquareRoot(Fraction(2), 1), "refuted", body)
    >>> sorted(record)
    ['claim', 'counterexample', 'format', 'made_by', 'sha256', 'version']
    >>> digest = record.pop("sha256")
    >>> rest = json.dumps(record, sort_keys=True, separators=(",", ":"))
    >>> digest == hashlib.sha256(rest.encode()).hexdigest()
    True
    """
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {
            "d": d,
            "tau": text(tau),
            "constant": {"rational": text(constant.rational), "radicand": constant.radicand},
            "verdict": verdict,
        },
        "made_by": {
            "kernelspec": kernelspec.__version__,
            "python-flint": flint.__version__,
            "flint": flint.__FLINT_VERSION__,
        },
        **body,
    }
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"))
    record["sha256"] = hashlib.sha256(canonical.encode()).hexdigest()
    return record


def proof_body(tail: Tail, cover: Cover, precision: int) -> dict[str, Any]:
    """Return the "proof" part of a record.

    Examples
    --------
    Angles up to 2 > pi/2 in two boxes, ratios and ridges in one:

    >>> from kernelspec.certify.positivity import Ridges
    >>> angles, ratios = (Box(0, 1, 0), Box(1, 2, 0)), (Box(0, 1, 0),)
    >>> cover = Cover(angles, ratios, (Ridges(Fraction(0), None),))
    >>> proof = proof_body(Tail("termwise", 1), cover, 130)["proof"]
    >>> proof["angles"], proof["ridges"]
    ([[0, 1, 0], [1, 2, 0]], [['0/1', 'inf']])
    """
    ridges = [
        [text(part.low), "inf" if part.high is None else text(part.high)] for part in cover.ridges
    ]
    proof = {
        "tail": {"kind": tail.kind, "degree": tail.degree},
        "precision": precision,
        "angles": _boxes(cover.angles),
        "ratios": _boxes(cover.ratios),
        "ridges": ridges,
    }
    return {"proof": proof}


def counterexample_body(b: Fraction, lam: Fraction, degree: int) -> dict[str, Any]:
    """Return the "counterexample" part of a record.

    Examples
    --------
    >>> counterexample_body(Fraction(1), Fraction(3, 8), 32)
    {'counterexample': {'b': '1/1', 'lambda': '3/8', 'degree': 32}}
    """
    return {"counterexample": {"b": text(b), "lambda": text(lam), "degree": degree}}


def certificate_record(certificate: MismatchCertificate) -> dict[str, Any]:
    """Return the certificate as a dictionary of JSON values, hash included.

    Raises
    ------
    ValueError
        If the certificate is inconclusive: there is nothing to check.

    Examples
    --------
    >>> from kernelspec.certify.mismatch import certify_mismatch
    >>> certificate_record(certify_mismatch(3, 1, 8))["claim"]["constant"]
    {'rational': '8/1', 'radicand': 1}
    """
    c, found = certificate, certificate.counterexample
    if c.tail is not None and c.cover is not None and c.precision is not None:
        body = proof_body(c.tail, c.cover, c.precision)
    elif found is not None:
        body = counterexample_body(found.b, found.lam, found.degree)
    else:
        raise ValueError(
            f"certificate = {c.verdict!r} is not allowed: a certified or refuted claim ({c.reason})"
        )
    return sealed(c.d, c.tau, c.constant, c.verdict, body)


def write_certificate(certificate: MismatchCertificate, path: str | os.PathLike[str]) -> None:
    """Write the certificate to a file, as a whole or not at all.

    Raises
    ------
    ValueError
        If the certificate is inconclusive.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from kernelspec.certify.check import check_certificate
    >>> from kernelspec.certify.constants import theorem_constant
    >>> from kernelspec.certify.mismatch import certify_mismatch
    >>> with TemporaryDirectory() as folder:
    ...     write_certificate(certify_mismatch(5, 1, theorem_constant(5)), f"{folder}/kappa0.json")
    ...     found = check_certificate(f"{folder}/kappa0.json")
    >>> found.valid
    True
    """
    text = json.dumps(certificate_record(certificate), indent=None, separators=(", ", ": ")) + "\n"
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
