"""One BLAS thread while a cell runs: the rounding of a sum depends on how it is split."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Loaded for its effect: a library that is first loaded inside the limit would escape it.
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped]

__all__ = ["single_blas_thread"]

_one_at_a_time = threading.Lock()


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Hold the BLAS libraries of this process to one thread each, for one caller at a time.

    The limit belongs to the process and to the thread that set it, so callers that overlapped
    could lift it for one another: they wait instead. A worker that a cluster runs with several
    threads thus works on one cell at a time.

    Raises
    ------
    RuntimeError
        If another part of the program has taken the limit for itself.

    Examples
    --------
    >>> with single_blas_thread():
    ...     pass
    """
    with _one_at_a_time, threadpool_limits(limits=1):
        free = [
            f"{pool['internal_api']} ({pool['num_threads']} threads)"
            for pool in threadpool_info()
            if pool["user_api"] == "blas" and pool["num_threads"] != 1
        ]
        if free:
            raise RuntimeError(
                f"{', '.join(free)} cannot be held to one thread, because other code holds the "
                "limit: set OMP_NUM_THREADS=1 before the process starts"
            )
        yield
