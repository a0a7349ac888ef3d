"""Numbers in text files: the delimiter and the header are found, everything else is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["counts_rows", "parse_table"]

_DELIMITERS = (";", "\t", ",")
_SHOWN = 5
_LONGEST = 20  # characters of a cell that are shown
_UNNAMED = ("", "Unnamed: 0")  # what pandas writes above an index, and reads there


def parse_table(
    path: Path, text: str, notes: list[str] | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    r"""Return the numbers of a table, shape (n, d), and the names of its d columns.

    Lines that are blank or start with # are skipped. The delimiter is the semicolon, the tab or the
    comma that the first line holds, else blanks. The first line is a header if none of its cells is
    a number, if a column is text in the first line and a number in the second, or if it counts the
    columns, 0, 1, 2, ..., as a table without names is written by pandas. A first column without a
    name in the header is an index: it is left out where it counts the rows, else refused. What was
    left out is said in `notes`.

    Raises
    ------
    ValueError
        In one line: no rows, rows of different lengths, columns that are not numbers, an index that
        does not count the rows.

    Examples
    --------
    >>> text = "# lengths\n;width;height\n0;1.5;2\n1;2.5;4\n"
    >>> notes = []
    >>> X, names = parse_table(Path("table.csv"), text, notes)
    >>> X
    array([[1.5, 2. ],
           [2.5, 4. ]])
    >>> names, notes
    (['width', 'height'], ['first column left out: it has no name and counts the rows'])
    >>> parse_table(Path("table.csv"), "width;height\n1.5;tall\n")
    Traceback (most recent call last):
        ...
    ValueError: 'table.csv' holds columns that are not numbers: height ('tall' in row 1)
    """
    notes = [] if notes is None else notes
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ValueError(f"{str(path)!r} holds no data: it is empty")
    try:
        rows = _split(lines)
    except csv.Error as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from None
    counted = _counts_columns(rows)
    header = counted or _is_header(rows)
    first = [cell.strip() for cell in rows[0]]
    names = [cell if header and cell else f"column {i}" for i, cell in enumerate(first, start=1)]
    body = rows[1:] if header else rows
    if not body:
        raise ValueError(f"{str(path)!r} holds no data: only a header")
    for i, row in enumerate(body, start=1):
        if len(row) != len(first):
            raise ValueError(
                f"{str(path)!r}: row {i} holds {len(row)} cells, the first line {len(first)}"
            )
    if counted:
        notes.append(f"first line {_start(first)} taken for names of the columns")
    try:
        if any("_" in line for line in lines[len(rows) - len(body) :]):
            raise ValueError
        X = np.array(body).astype(np.float64)
    except ValueError:
        X = _by_column(path, body, names)
    if header and len(first) > 1 and first[0] in _UNNAMED:
        if not counts_rows(X[:, 0]):
            raise ValueError(
                f"{str(path)!r}: the first column has no name, as an index has none: name it if it "
                "is data, else remove it"
            )
        X, names = X[:, 1:], names[1:]
        notes.append("first column left out: it has no name and counts the rows")
    return X, names


def counts_rows(column: NDArray[np.float64]) -> bool:
    """Whether a column holds 0, 1, 2, ... or 1, 2, 3, ... and at least two of them.

    Examples
    --------
    >>> counts_rows(np.array([0.0, 1.0, 2.0])), counts_rows(np.array([0.0, 2.0]))
    (True, False)
    """
    return bool(
        column.size > 1
        and column[0] in (0.0, 1.0)
        and np.array_equal(column, column[0] + np.arange(column.size))
    )


def _counts_columns(rows: list[list[str]]) -> bool:
    """Whether the first line is 0, 1, 2, ..., after nothing or above numbers written otherwise."""
    cells = [cell.strip() for cell in rows[0]]
    index = cells[0] in _UNNAMED
    names = cells[1:] if index else cells
    if not names or names != [str(j) for j in range(len(names))]:
        return False
    below = rows[1] if len(rows) > 1 else []
    return index or (len(names) > 1 and not all(cell.strip().isdigit() for cell in below))


def _start(cells: list[str]) -> str:
    shown = [cell for cell in cells[:4] if cell]
    return ", ".join(shown[:3]) + (", ..." if len(cells) > 3 else "")


def _split(lines: list[str]) -> list[list[str]]:
    delimiter = next((mark for mark in _DELIMITERS if mark in lines[0]), None)
    if delimiter is None:
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=delimiter))


def _is_number(cell: str) -> bool:
    if "_" in cell:  # 1_5 is 15 to Python, and hardly to whoever wrote the table
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_header(rows: list[list[str]]) -> bool:
    text = [bool(cell.strip()) and not _is_number(cell) for cell in rows[0]]
    if any(text) and not any(_is_number(cell) for cell in rows[0]):
        return True
    below = rows[1] if len(rows) > 1 else []
    return any(is_text and _is_number(cell) for is_text, cell in zip(text, below, strict=False))


def _by_column(path: Path, body: list[list[str]], names: list[str]) -> NDArray[np.float64]:
    """Read cell by cell: holes become NaN, columns of text are named."""
    cells = np.array([[cell.strip() for cell in row] for row in body])
    X = np.full(cells.shape, np.nan)
    bad = []
    for j, name in enumerate(names):
        filled = cells[:, j] != ""
        wrong = next((i for i in np.flatnonzero(filled) if not _is_number(cells[i, j])), None)
        if wrong is None:
            X[filled, j] = cells[filled, j].astype(np.float64)
        else:
            bad.append(f"{name} ({str(cells[wrong, j])[:_LONGEST]!r} in row {wrong + 1})")
    if bad:
        shown = ", ".join(bad[:_SHOWN]) + (" and others" if len(bad) > _SHOWN else "")
        raise ValueError(f"{str(path)!r} holds columns that are not numbers: {shown}")
    return X
