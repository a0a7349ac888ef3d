"""Read matrices from CSV, NPY and NPZ files; each refusal is one line with file and reason."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kernelspec._memory import require_memory
from validation.data.text import counts_rows, parse_table

__all__ = ["SUFFIXES", "read_arrays", "read_matrix", "read_vector"]

Array = NDArray[np.float64]

SUFFIXES: Final = (".csv", ".tsv", ".txt", ".npy", ".npz")
_SHOWN: Final = 5
_COPIES: Final = {".npy": 3.0, ".npz": 3.0}  # bytes in memory by bytes in the file
_COPIES_OF_TEXT: Final = 30.0
# a broken header may ask for any amount of memory
_BROKEN: Final = (ValueError, OSError, EOFError, MemoryError, zipfile.BadZipFile)


def _refuse(path: Path, reason: str) -> ValueError:
    return ValueError(f"{str(path)!r} {reason}")


def _existing(path: str | Path, suffixes: tuple[str, ...]) -> Path:
    path = Path(path)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise _refuse(path, f"cannot be read: {error.strerror or error}") from None
    if path.is_dir():
        raise _refuse(path, "cannot be read: it is a directory")
    if path.suffix.lower() not in suffixes:
        allowed = ", ".join(suffixes)
        raise _refuse(path, f"cannot be read: its name must end in {allowed}")
    if size == 0:
        raise _refuse(path, "holds no data: it is empty")
    copies = _COPIES.get(path.suffix.lower(), _COPIES_OF_TEXT)
    try:
        require_memory(copies * size, "reading it", advice="take a smaller file")
    except MemoryError as error:
        raise _refuse(path, f"cannot be read: {error}") from None
    return path


def _numeric(path: Path, array: Any, name: str = "") -> Array:
    label = f"array {name!r}" if name else "an array"
    values = np.asarray(array)
    if values.dtype.kind not in "biuf":
        raise _refuse(path, f"holds {label} of type {values.dtype}, not real numbers")
    return values.astype(np.float64)


def _array(path: Path) -> Any:
    try:
        with path.open("rb") as stream:
            array = np.load(stream, allow_pickle=False)
    except _BROKEN as error:
        raise _refuse(path, f"cannot be read: {_reason(error)}") from None
    if not isinstance(array, np.ndarray):
        raise _refuse(path, "cannot be read: it is no NPY file")
    return array


def _archive(path: Path, key: str | None = None) -> tuple[list[str], dict[str, Any]]:
    """Return the names of all arrays and the arrays themselves, or the one of the key only."""
    try:
        with path.open("rb") as stream:  # a broken archive leaves a file open that numpy opened
            archive = np.load(stream, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                raise zipfile.BadZipFile("it is no NPZ archive")
            names = list(archive.files)
            wanted = [name for name in names if key is None or name == key]
            return names, {name: archive[name] for name in wanted}
    except _BROKEN as error:
        raise _refuse(path, f"cannot be read: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    # numpy advises to unpickle, which runs whatever code the file brings along
    if "allow_pickle" in str(error) or "pickle" in str(error):
        return "it holds Python objects or is no numpy file"
    return " ".join(str(error).split()) or type(error).__name__


def read_arrays(path: str | Path) -> dict[str, Array]:
    """Read all arrays of an NPZ file.

    Parameters
    ----------
    path : str or Path
        A file written by `numpy.savez` or `numpy.savez_compressed`.

    Returns
    -------
    dict
        float64 arrays by name, in the order of the file.

    Raises
    ------
    ValueError
        In one line: missing, empty or broken file, no array in it, arrays that are not real
        numbers. Python objects are never unpickled.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "network.npz", weight=np.eye(2), bias=np.zeros(2))
    ...     arrays = read_arrays(Path(folder) / "network.npz")
    >>> {name: array.shape for name, array in arrays.items()}
    {'weight': (2, 2), 'bias': (2,)}
    """
    path = _existing(path, (".npz",))
    names, arrays = _archive(path)
    if not names:
        raise _refuse(path, "holds no data: no array in it")
    return {name: _numeric(path, array, name) for name, array in arrays.items()}


def _pick(path: Path, key: str | None) -> Array:
    names, arrays = _archive(path, key)
    if not names:
        raise _refuse(path, "holds no data: no array in it")
    if not arrays:
        raise _refuse(path, f"holds no array {key!r}, but: {', '.join(names)}")
    if len(arrays) > 1:
        shown = ", ".join(names)
        raise _refuse(path, f"holds several arrays, name one of them by its key: {shown}")
    ((name, array),) = arrays.items()
    return _numeric(path, array, name)


def _read(path: str | Path, key: str | None, notes: list[str]) -> tuple[Path, Array, list[str]]:
    path = _existing(path, SUFFIXES)
    suffix = path.suffix.lower()
    if key is not None and suffix != ".npz":
        raise _refuse(path, f"has no array {key!r}: only NPZ files hold arrays by name")
    if suffix == ".npz":
        return path, _pick(path, key), []
    if suffix == ".npy":
        return path, _numeric(path, _array(path)), []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _refuse(path, "cannot be read: it is no text in UTF-8") from None
    return path, *parse_table(path, text, notes)


def _names(names: list[str], count: int) -> list[str]:
    return names or [f"column {j + 1}" for j in range(count)]


def _finite(path: Path, X: Array, names: list[str]) -> None:
    nothing = "NaN" if path.suffix.lower() in (".npy", ".npz") else "NaN or nothing"
    bad = np.argwhere(~np.isfinite(X))
    if bad.size:
        i, j = bad[0]
        value = X[i, j]
        what = nothing if np.isnan(value) else f"{value:g}"
        raise _refuse(path, f"holds {what} in row {i + 1}, {names[j]}: finite numbers are needed")


def read_matrix(
    path: str | Path,
    key: str | None = None,
    *,
    min_rows: int = 1,
    allow_constant: bool = True,
    notes: list[str] | None = None,
) -> Array:
    r"""Read a matrix, one row a point.

    Parameters
    ----------
    path : str or Path
        Text (.csv, .tsv, .txt: comma, semicolon, tab or blanks; a header is found), .npy or .npz.
    key : str, optional
        Name of the array in an NPZ file; not needed where it holds one.
    min_rows : int, keyword-only
        Least number of rows.
    allow_constant : bool, keyword-only
        Whether a column may hold the same number in every row.
    notes : list of str, keyword-only, optional
        Takes what the user should be told: an index left out of a table, a first line taken for
        names, a first column that may be an index.

    Returns
    -------
    ndarray
        Shape (n, d), float64, finite.

    Raises
    ------
    ValueError
        In one line that names the file and the reason: missing or empty file, unknown suffix,
        columns that are not numbers or (unless allowed) constant, by name; the first row and column
        with NaN or infinity; wrong number of dimensions; too few rows; Python objects, which are
        never unpickled.

    Examples
    --------
    A header is found:

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "points.csv"
    ...     _ = path.write_text("height,weight\n1.5,50\n1.8,80\n")
    ...     X = read_matrix(path)
    >>> X
    array([[ 1.5, 50. ],
           [ 1.8, 80. ]])
    """
    notes = [] if notes is None else notes
    path, X, names = _read(path, key, notes)
    if X.ndim != 2:
        raise _refuse(
            path, f"holds an array of shape {X.shape}: a matrix of shape (n, d) is needed"
        )
    if X.shape[0] < max(min_rows, 1) or X.shape[1] == 0:
        raise _refuse(
            path,
            f"holds {X.shape[0]} rows of {X.shape[1]} numbers: "
            f"at least {max(min_rows, 1)} rows are needed",
        )
    names = _names(names, X.shape[1])
    _finite(path, X, names)
    constant = np.flatnonzero(np.equal(X, X[0]).all(axis=0))
    if constant.size and not allow_constant:
        shown = ", ".join(names[j] for j in constant[:_SHOWN])
        more = f" and {constant.size - _SHOWN} more" if constant.size > _SHOWN else ""
        raise _refuse(path, f"holds constant columns, remove them: {shown}{more}")
    if X.shape[1] > 1 and counts_rows(X[:, 0]):
        notes.append(
            f"warning: {names[0]} only counts the rows ({X[0, 0]:g}, {X[1, 0]:g}, ...), and is "
            "used as a feature: remove it if it is an index"
        )
    return X


def read_vector(
    path: str | Path,
    key: str | None = None,
    *,
    min_rows: int = 1,
    notes: list[str] | None = None,
) -> Array:
    r"""Read numbers from a vector, a single row or a single column.

    Parameters
    ----------
    path, key
        As for `read_matrix`.
    min_rows : int, keyword-only
        Least number of entries.
    notes : list of str, keyword-only, optional
        As for `read_matrix`.

    Returns
    -------
    ndarray
        Shape (n,), float64, finite.

    Raises
    ------
    ValueError
        In one line that names the file and the reason, as `read_matrix`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "labels.txt"
    ...     _ = path.write_text("1\n0\n1\n")
    ...     y = read_vector(path)
    >>> y
    array([1., 0., 1.])
    """
    path, X, names = _read(path, key, [] if notes is None else notes)
    if X.ndim == 0 or X.ndim > 2 or (X.ndim == 2 and 1 not in X.shape):
        raise _refuse(path, f"holds an array of shape {X.shape}: one row or column is needed")
    table = X.reshape(-1, 1) if X.ndim == 1 else X
    _finite(path, table, _names(names, table.shape[1]))
    if X.size < max(min_rows, 1):
        raise _refuse(path, f"holds {X.size} numbers: at least {max(min_rows, 1)} are needed")
    return X.ravel()
