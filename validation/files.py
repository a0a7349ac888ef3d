"""Write files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["prepare_directory", "prepare_file", "write_whole"]


def prepare_directory(directory: Path) -> None:
    """Make the directory if need be and make sure that files can be written into it.

    Raises
    ------
    ValueError
        In one line, if it cannot be made or written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     prepare_directory(Path(folder) / "out")
    ...     found = (Path(folder) / "out").is_dir()
    >>> found
    True
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise ValueError(_refusal(directory, error)) from None


def prepare_file(path: Path) -> None:
    """Make sure that a file can be written at `path`, without writing it.

    Raises
    ------
    ValueError
        In one line, if its directory is missing or cannot be written, or `path` is a directory.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     prepare_file(Path(folder) / "table.csv")
    ...     found = list(Path(folder).iterdir())
    >>> found
    []
    """
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(_refusal(path, error)) from None
    if path.is_dir():
        raise ValueError(f"{str(path)!r} cannot be written: it is a directory")


def _refusal(path: Path, error: OSError) -> str:
    return f"{str(path)!r} cannot be written: {error.strerror or error}"


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace the file at `path` in one step: readers see the old content or the new one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "note.txt", "text")
    ...     content = (Path(folder) / "note.txt").read_text()
    >>> content
    'text'
    """
    data = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _umask() -> int:
    # The mask can only be read by setting it; mkstemp files would stay private to their owner.
    mask = os.umask(0)
    os.umask(mask)
    return mask
