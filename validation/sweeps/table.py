"""The result of a sweep: one tidy table, a row for each cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SweepTable", "Value", "plain_value", "read_table"]

Value = int | float


def plain_value(name: str, value: Any) -> Value:
    """Return `value` as a plain int or float, so that it is stored without loss.

    Examples
    --------
    >>> plain_value("error", np.float64(0.5))
    0.5
    """
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    raise TypeError(f"{name} = {value!r} is not allowed: an int or a float")


@dataclass(frozen=True)
class SweepTable:
    """Rows of plain numbers under named columns.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuple
        One row for each cell, in the order of the grid.

    Examples
    --------
    >>> table = SweepTable(("m", "error"), ((64, 0.5), (128, 0.25)))
    >>> table["error"]
    array([0.5 , 0.25])
    >>> len(table.where(m=64))
    1
    >>> print(table.to_csv())
    m,error
    64,0.5
    128,0.25
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column as an array of shape (rows,)."""
        if name not in self.columns:
            raise KeyError(f"{name!r} is no column of this table: {', '.join(self.columns)}")
        place = self.columns.index(name)
        return np.array([row[place] for row in self.rows])

    def where(self, **values: Value) -> SweepTable:
        """Return the rows whose named columns have these values."""
        keep = np.ones(len(self), dtype=bool)
        for name, value in values.items():
            keep &= self[name] == value
        return SweepTable(
            self.columns, tuple(row for row, kept in zip(self.rows, keep, strict=True) if kept)
        )

    def as_mapping(self) -> Mapping[str, NDArray[Any]]:
        """Return every column by name: what a data-frame library wants."""
        return {name: self[name] for name in self.columns}

    def to_csv(self) -> str:
        """Return the table as CSV text; floats are written so that reading gives them back."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([repr(value) for value in row])
        return text.getvalue()


def _parsed(text: str) -> Value:
    # repr writes a point, an exponent, inf or nan into every float, and none into an int.
    try:
        return int(text)
    except ValueError:
        return float(text)


def read_table(path: Path) -> SweepTable:
    """Read a table written by a sweep: the inverse of `SweepTable.to_csv`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> table = SweepTable(("m", "error"), ((64, 0.5), (128, 0.25)))
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text(table.to_csv())
    ...     read_table(path) == table
    True
    """
    with Path(path).open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    if not lines:
        raise ValueError(f"{path} is no table of a sweep: it is empty")
    return SweepTable(tuple(lines[0]), tuple(tuple(map(_parsed, line)) for line in lines[1:]))
