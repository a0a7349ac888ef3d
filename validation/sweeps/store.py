"""The folder of a sweep: manifest, journal of finished cells, table; one writer at a time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from validation.files import write_whole
from validation.sweeps.journal import Journal
from validation.sweeps.table import SweepTable, Value

__all__ = ["Store", "StoreBusyError", "StoreMismatchError", "open_store"]

MANIFEST: Final = "manifest.json"
JOURNAL: Final = "cells.journal"
TABLE: Final = "table.csv"
LOCK: Final = "lock"


class StoreMismatchError(ValueError):
    """A folder holds a sweep of other settings or versions, or no sweep at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open_store(Path(folder) / "sweep", {"seed": 0}):
    ...         pass
    ...     try:
    ...         with open_store(Path(folder) / "sweep", {"seed": 1}):
    ...             pass
    ...     except StoreMismatchError as error:
    ...         print("seed: 0 in the store, 1 now" in str(error))
    True
    """


class StoreBusyError(RuntimeError):
    """Another process is writing to the folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_store(Path(folder), {"seed": 0}):
    ...     try:
    ...         with open_store(Path(folder), {"seed": 0}):
    ...             pass
    ...     except StoreBusyError:
    ...         print("one writer at a time")
    one writer at a time
    """


def write_durably(path: Path, text: str) -> None:
    """Replace the file in one step, and wait until the disk has it."""
    write_whole(path, text)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names of new files in `folder` are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _text(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, indent=2) + "\n"


def _flat(tree: Any, name: str = "") -> dict[str, Any]:
    if not isinstance(tree, dict):
        return {name: tree}
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        leaves |= _flat(value, f"{name}.{key}" if name else key)
    return leaves


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    old, new = _flat(dict(stored)), _flat(dict(wanted))
    return [
        f"{name}: {old.get(name)!r} in the store, {new.get(name)!r} now"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


class Store:
    """An opened folder: what it already holds, and ways to add to it.

    Attributes
    ----------
    rows : dict
        Values of the finished cells by the cell's key.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_store(Path(folder), {"seed": 0}) as store:
    ...     store.add("m=16", {"error": 0.5})
    ...     found = list(store.rows)
    >>> found
    ['m=16']
    """

    def __init__(self, folder: Path, identity: Mapping[str, Any], journal: Journal) -> None:
        self._folder = folder
        self._identity = identity
        self._journal = journal
        self.rows: dict[str, dict[str, Value]] = {
            record["cell"]: record["values"] for record in journal.records
        }

    def add(self, key: str, values: dict[str, Value]) -> None:
        """Store a finished cell durably."""
        self._journal.append({"cell": key, "values": values})
        self.rows[key] = values

    def finish(self, table: SweepTable) -> None:
        """Write the table, then mark the manifest complete with the table's checksum."""
        text = table.to_csv()
        write_durably(self._folder / TABLE, text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        complete = {**self._identity, "complete": True, "table_sha256": digest}
        write_durably(self._folder / MANIFEST, _text(complete))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    # The system drops the lock when its holder dies, however it dies.
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreBusyError(
                f"{folder} is in use by another sweep: wait for it, or choose another folder"
            ) from None
        yield


def _check_identity(folder: Path, identity: Mapping[str, Any]) -> None:
    """Write the manifest of a new store; refuse a store that another sweep wrote."""
    path = folder / MANIFEST
    if not path.exists():
        # A kill while the first manifest is written leaves a part of it beside the lock.
        names = {entry.name for entry in folder.iterdir()} - {LOCK}
        strange = sorted(name for name in names if not name.startswith(f".{MANIFEST}."))
        if strange:
            raise StoreMismatchError(
                f"{folder} is no store of a sweep: it has no {MANIFEST} but holds "
                f"{strange[0]!r}; choose a new or empty folder"
            )
        write_durably(path, _text({**identity, "complete": False}))
        return
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StoreMismatchError(f"{path} cannot be read: {error}") from None
    if not isinstance(stored, dict):
        raise StoreMismatchError(f"{path} is no manifest of a sweep")
    stored.pop("complete", None)
    stored.pop("table_sha256", None)
    differences = _differences(stored, identity)
    if differences:
        raise StoreMismatchError(
            f"{folder} was written by another sweep and is left as it is; choose another folder "
            "or go back to what wrote it. Different: " + "; ".join(differences)
        )


@contextmanager
def open_store(folder: Path, identity: Mapping[str, Any]) -> Iterator[Store]:
    """Open a new store, or the store of the same sweep, for one writer.

    Parameters
    ----------
    folder : Path
        Created if absent.
    identity : mapping
        Everything that determines the numbers (settings, versions), as JSON gives it back.

    Raises
    ------
    StoreMismatchError
        If the folder holds a sweep of another identity, or something else: it is not changed.
    StoreBusyError
        If another process has the store open.
    JournalDamagedError
        If a stored cell was changed from outside.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open_store(Path(folder), {"seed": 0}) as store:
    ...         store.add("m=16", {"error": 0.5})
    ...     with open_store(Path(folder), {"seed": 0}) as store:
    ...         found = dict(store.rows)
    >>> found
    {'m=16': {'error': 0.5}}
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        _check_identity(folder, identity)
        with Journal(folder / JOURNAL) as journal:
            sync_folder(folder)
            yield Store(folder, identity, journal)
