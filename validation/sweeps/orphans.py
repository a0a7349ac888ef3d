"""Workers that end with the process that started them, even when it is killed."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["call_as_child"]

INTERVAL_SECONDS = 0.5


def _end_with(parent: int) -> None:
    # A child whose parent is gone is handed to another process. Nothing of the worker's is worth
    # saving: only the parent writes.
    while os.getppid() == parent:
        time.sleep(INTERVAL_SECONDS)
    os._exit(1)


@functools.cache
def _watch(parent: int) -> None:
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def call_as_child(parent: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call the function in a worker process that is not to outlive the process `parent`.

    Without this, workers of a killed sweep would finish cells that nobody waits for, and keep
    their memory, for minutes.

    Examples
    --------
    In the parent itself nothing is watched, and the call is an ordinary one:

    >>> call_as_child(os.getpid(), max, 2, 3)
    3
    """
    if os.getpid() != parent:
        _watch(parent)
    return function(*arguments)
