"""The connection to a dask.distributed scheduler, an optional extra."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

__all__ = ["ClusterError", "connect", "killed_worker"]

PATIENCE_SECONDS = 20


class ClusterError(RuntimeError):
    """The cluster cannot be used, and why.

    Examples
    --------
    >>> try:
    ...     raise ClusterError("no scheduler answers at tcp://HOST:8786")
    ... except RuntimeError as error:
    ...     print(error)
    no scheduler answers at tcp://HOST:8786
    """


@contextlib.contextmanager
def connect(scheduler: str) -> Iterator[Any]:
    """Connect to a scheduler and wait until it has at least one worker.

    Raises
    ------
    ClusterError
        If dask.distributed is missing, nothing answers at the address, or no worker appears.

    Examples
    --------
    Where dask.distributed is not installed:

    >>> from unittest.mock import patch
    >>> with patch.dict("sys.modules", distributed=None):
    ...     try:
    ...         with connect("tcp://10.0.0.1:8786"):
    ...             pass
    ...     except ClusterError as error:
    ...         print(str(error).partition(": ")[2])
    pip install "kernelspec[distributed]"
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise ClusterError(
            f"a sweep on the cluster {scheduler} needs dask.distributed: "
            'pip install "kernelspec[distributed]"'
        ) from None
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {scheduler}: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        except TimeoutError:
            raise ClusterError(
                f"the scheduler at {scheduler} has had no worker for {PATIENCE_SECONDS} s: "
                "start some with 'dask worker ADDRESS'"
            ) from None
        yield client


def killed_worker() -> type[Exception]:
    """Return the exception by which dask.distributed says that a worker is gone.

    Examples
    --------
    >>> killed_worker().__name__
    'KilledWorker'
    """
    killed: type[Exception] = importlib.import_module("distributed").KilledWorker
    return killed
