"""The state of a training run on disk: whole or not at all, and only for the run it came from."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.files import write_whole

__all__ = ["Checkpoint", "CheckpointError", "digest", "load_checkpoint", "save_checkpoint"]

Array = NDArray[Any]


class CheckpointError(ValueError):
    """A checkpoint is damaged or belongs to another run.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "run.npz"
    ...     save_checkpoint(path, {"seed": 0}, Checkpoint((), np.zeros((1, 0))))
    ...     try:
    ...         load_checkpoint(path, {"seed": 1})
    ...     except CheckpointError as error:
    ...         print(str(error).partition("; choose")[0].removeprefix(folder))
    /run.npz belongs to another run: seed is 0 there, 1 now
    """


@dataclass(frozen=True)
class Checkpoint:
    """Where a run stands: its arrays in a fixed order, and the losses so far.

    Attributes
    ----------
    leaves : tuple of ndarray
        Weights and moments of all networks, in the order in which the program holds them.
    losses : ndarray, shape (G, steps done)
        Loss before each step.

    Examples
    --------
    >>> Checkpoint((np.zeros((2, 3)),), np.zeros((2, 50))).losses.shape
    (2, 50)
    """

    leaves: tuple[Array, ...]
    losses: Array


def digest(*arrays: Array) -> str:
    """Return a fingerprint of arrays: bytes, shapes and types.

    Examples
    --------
    >>> digest(np.zeros(2)) == digest(np.zeros(2)), digest(np.zeros(2)) == digest(np.zeros((2, 1)))
    (True, False)
    """
    state = hashlib.sha256()
    for array in arrays:
        state.update(f"{array.shape} {array.dtype.str} ".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    return state.hexdigest()


def save_checkpoint(path: Path, identity: Mapping[str, Any], checkpoint: Checkpoint) -> None:
    """Replace the checkpoint at `path` in one step.

    Parameters
    ----------
    path
        File to write.
    identity
        What the run is: settings, data, versions; plain values.
    checkpoint
        Where it stands.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_checkpoint(Path(folder) / "run.npz", {"seed": 0}, Checkpoint((), np.ones((1, 3))))
    ...     stored = load_checkpoint(Path(folder) / "run.npz", {"seed": 0})
    >>> stored.losses
    array([[1., 1., 1.]])
    """
    stream = io.BytesIO()
    arrays = {f"leaf_{i:04d}": leaf for i, leaf in enumerate(checkpoint.leaves)}
    text = np.frombuffer(_text(identity).encode(), dtype=np.uint8)
    arrays |= {"identity": text, "losses": checkpoint.losses}
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    write_whole(path, stream.getvalue())


def load_checkpoint(path: Path, identity: Mapping[str, Any]) -> Checkpoint | None:
    """Return the checkpoint at `path`, None where there is none.

    Raises
    ------
    CheckpointError
        If the file is damaged, or of another run: then the message names what differs.

    Examples
    --------
    >>> load_checkpoint(Path("no-such-file.npz"), {"seed": 0}) is None
    True
    """
    if not path.exists():
        return None
    try:
        # read first: a damaged archive would leave the file open
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
            found = json.loads(stored["identity"].tobytes().decode())
            leaves = tuple(stored[name] for name in sorted(stored) if name.startswith("leaf_"))
            losses = stored["losses"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{path} is no checkpoint: {error}") from None
    different = _differences(found, json.loads(_text(identity)))
    if different:
        raise CheckpointError(
            f"{path} belongs to another run: {'; '.join(different)}; choose another folder or "
            "remove the file"
        )
    return Checkpoint(leaves, losses)


def _text(identity: Mapping[str, Any]) -> str:
    return json.dumps(identity, sort_keys=True)


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Sequence[str]:
    names = sorted(set(found) | set(wanted))
    return [
        f"{name} is {found.get(name)!r} there, {wanted.get(name)!r} now"
        for name in names
        if found.get(name) != wanted.get(name)
    ]
