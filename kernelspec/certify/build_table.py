"""Build the table of certified constants: `python -m kernelspec.certify.build_table FILE`.

Takes about an hour on one core. Rows already in FILE are kept, so an interrupted build resumes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from kernelspec.certify.constants import theorem_constant
from kernelspec.certify.mismatch import certify_mismatch
from kernelspec.certify.sharpest import Bracket, sharpest_constant, smallest_tau
from kernelspec.certify.table import Kind, pack

__all__ = ["build", "wanted"]

LAST: Final = 100
SPREADS: Final = (Fraction(1), Fraction(27, 25), Fraction(2))


def wanted() -> Iterator[tuple[Kind, int, Fraction]]:
    """Yield (kind, d, tau) of every row; tau is 0 where the row determines it.

    Examples
    --------
    From d = 6 on the theorem's constant does not hold at tau = 1, and the smallest tau is wanted:

    >>> rows = list(wanted())
    >>> len(rows), rows[0]
    (491, ('theorem', 2, Fraction(1, 1)))
    >>> [kind for kind, d, tau in rows if d == 6]
    ['theorem', 'smallest tau', 'sharpest constant', 'sharpest constant', 'sharpest constant']
    """
    for d in range(2, LAST + 1):
        yield "theorem", d, Fraction(1) if d <= 5 else Fraction(27, 25)
        if d > 5:
            yield "smallest tau", d, Fraction(0)
        for tau in SPREADS:
            yield "sharpest constant", d, tau


def _row(kind: Kind, d: int, tau: Fraction, guess: Fraction | None) -> dict[str, Any]:
    if kind == "theorem":
        below = certify_mismatch(d, 1, theorem_constant(d))
        bracket = Bracket(
            certify_mismatch(d, tau, theorem_constant(d)),
            below if below.verdict == "refuted" else None,
        )
    elif kind == "smallest tau":
        bracket = smallest_tau(d, theorem_constant(d), guess=guess)
    else:
        bracket = sharpest_constant(d, tau, resolution=1e-3 if d <= 10 else 4e-3)
    return pack(kind, bracket)


def _key(row: dict[str, Any]) -> tuple[Kind, int, Fraction]:
    tau = Fraction(0) if row["kind"] == "smallest tau" else Fraction(row["tau"])
    return row["kind"], row["d"], tau


def build(path: Path) -> None:
    """Write the table to `path`, row by row.

    Examples
    --------
    The shipped table without the theorem's row at d = 5: it is computed anew, the rest is kept.

    >>> from importlib.resources import files
    >>> from tempfile import TemporaryDirectory
    >>> shipped = files("kernelspec.certify") / "data" / "certified_constants.json"
    >>> table = json.loads(shipped.read_text())
    >>> rows = [row for row in table["rows"] if (row["kind"], row["d"]) != ("theorem", 5)]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "constants.json")
    ...     _ = path.write_text(json.dumps({"version": 1, "rows": rows}))
    ...     build(path)
    ...     built = json.loads(path.read_text())
    >>> len(table["rows"]) - len(rows), built == table
    (1, True)
    """
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    done = {_key(row): row for row in rows}
    order = list(wanted())
    for key in order:
        if key not in done:
            before = done.get(("smallest tau", key[1] - 1, Fraction(0)))
            guess = None if before is None else Fraction(before["tau"])
            done[key] = _row(*key, guess)
            lines = [json.dumps(done[k], separators=(",", ":")) for k in order if k in done]
            part = path.with_suffix(".part")
            part.write_text('{"version":1,"rows":[\n' + ",\n".join(lines) + "\n]}\n")
            part.replace(path)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
