"""An append-only file of checked records that survives a kill at any instant."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["Journal", "JournalDamagedError"]

DIGEST_LENGTH = 16


class JournalDamagedError(ValueError):
    r"""A record before the end of a journal does not match its checksum.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cells.journal"
    ...     _ = path.write_bytes(b"no record\n" + _encode({"cell": "a"}))
    ...     try:
    ...         _read(path)
    ...     except JournalDamagedError as error:
    ...         print("line 1" in str(error))
    True
    """


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:DIGEST_LENGTH].encode()


def _encode(record: dict[str, Any]) -> bytes:
    # json writes floats with repr, so reading gives back the same bits; it escapes line ends.
    body = json.dumps(record, separators=(",", ":")).encode()
    return _digest(body) + b" " + body + b"\n"


def _decode(line: bytes) -> dict[str, Any] | None:
    digest, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or digest != _digest(body):
        return None
    record: dict[str, Any] = json.loads(body)
    return record


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the whole records and the number of bytes that they fill."""
    records: list[dict[str, Any]] = []
    good = end = 0
    damaged: int | None = None
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            end += len(line)
            record = _decode(line)
            if record is None:
                damaged = damaged or number
                continue
            if damaged is not None:
                # A kill tears the end of the file only: damage before it has another cause,
                # and what else it changed is unknown.
                raise JournalDamagedError(
                    f"{path}, line {damaged}: the record does not match its checksum, though "
                    "whole records follow. The file was changed from outside or the disk failed: "
                    "start the sweep anew in another folder"
                )
            records.append(record)
            good = end
    return records, good


class Journal:
    """Records appended one line at a time, each on the disk before `append` returns.

    A line is a checksum and a JSON object. When the journal is opened, a torn end (what a kill
    in the middle of a write leaves) is cut off; `records` holds everything before it.

    Parameters
    ----------
    path : Path
        The file, created if absent. Only one process may hold it at a time.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with Journal(Path(folder) / "cells.journal") as journal:
    ...         journal.append({"cell": "a"})
    ...     with Journal(Path(folder) / "cells.journal") as journal:
    ...         found = journal.records
    >>> found
    [{'cell': 'a'}]
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        self.records, good = _read(path)
        self._file = path.open("r+b", buffering=0)
        self._file.truncate(good)
        self._file.seek(good)
        os.fsync(self._file.fileno())

    def append(self, record: dict[str, Any]) -> None:
        """Write the record and wait until the disk has it."""
        line = _encode(record)
        while line:
            line = line[self._file.write(line) :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
