"""Points for a command: from a file or from a bundled data set."""

from __future__ import annotations

from pathlib import Path

from validation.data.bundled import Data, bundled
from validation.data.files import read_matrix
from validation.data.prepare import in_range, on_sphere, standardised

__all__ = ["load"]


def load(
    path: str | Path | None,
    dataset: str | None,
    *,
    sphere: bool = False,
    key: str | None = None,
    standardise: bool = False,
    min_rows: int = 2,
    allow_constant: bool = False,
) -> Data:
    """Load points from exactly one of a file and a bundled data set.

    Points of a file are taken as they are unless `standardise` or `sphere` is set; those of a
    bundled data set are always standardised.

    Parameters
    ----------
    path : str, Path or None
        File, as for `read_matrix`.
    dataset : str or None
        Name, as for `bundled`.
    sphere : bool, keyword-only
        Centre the points and scale every row to norm 1.
    key : str, keyword-only, optional
        Name of the array in an NPZ file.
    standardise : bool, keyword-only
        Centre every column of a file and divide it by its standard deviation.
    min_rows : int, keyword-only
        Least number of points in a file.
    allow_constant : bool, keyword-only
        Whether a column of a file may be constant; never together with `standardise`.

    Returns
    -------
    Data
        Points, with notes on what was done to them and what to know of them; `y` is None for files.

    Raises
    ------
    ValueError
        In one line: none or both of the two are given, `key` with a data set, an entry beyond
        1e75 or none above 1e-75, or what `read_matrix`, `bundled` and the scaling refuse.

    Examples
    --------
    >>> data = load(None, "diabetes", sphere=True)
    >>> data.X.shape, data.y is None
    ((442, 10), False)
    """
    if (path is None) == (dataset is None):
        given = "both" if path is not None else "none"
        raise ValueError(f"{given} of file and data set is given: exactly one is needed")
    if dataset is not None:
        if key is not None:
            raise ValueError(f"key = {key!r} is not allowed: only an NPZ file has keys")
        return bundled(dataset, sphere=sphere)
    assert path is not None
    notes: list[str] = []
    constant = allow_constant and not standardise
    X = read_matrix(path, key, min_rows=min_rows, allow_constant=constant, notes=notes)
    X = in_range(X, repr(str(path)))
    if standardise:
        X = standardised(X)
        notes.append("columns standardised")
    if sphere:
        X = on_sphere(X, repr(str(path)))
        notes.append("rows centred and scaled to norm 1")
    return Data(Path(path).name, X, None, tuple(notes))
