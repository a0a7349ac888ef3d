"""Memory a sweep will need, held against what is there before anything runs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Final

__all__ = ["require_memory"]

MIB: Final = 2**20
# An idle worker with numpy, scipy and kernelspec imported holds about 120 MiB.
WORKER_BASE: Final = 150 * MIB


def require_memory(needs: Iterable[int], slots: int, available: float, where: str) -> None:
    """Refuse a sweep whose largest cells, `slots` at a time, do not fit.

    Parameters
    ----------
    needs : iterable of int
        Bytes for each cell.
    slots : int
        Cells that run at once.
    available : float
        Bytes free; inf if unknown, and then nothing is refused.
    where : str
        The place whose memory it is, for the message.

    Raises
    ------
    MemoryError
        With the estimate, what is available, and what to do.

    Examples
    --------
    >>> require_memory([3 * 2**30] * 8, slots=4, available=8 * 2**30, where="this machine")
    Traceback (most recent call last):
    MemoryError: 4 cells at once need an estimated 12.6 GiB, and this machine has 8.0 GiB
    available: run fewer at once, or leave out the largest widths (one cell: up to 3.0 GiB)
    """
    largest = heapq.nlargest(slots, needs)
    if not largest:
        return
    estimate = sum(largest) + len(largest) * WORKER_BASE
    if estimate > available:
        raise MemoryError(
            f"{len(largest)} cells at once need an estimated {estimate / 2**30:.1f} GiB, and "
            f"{where} has {max(available, 0) / 2**30:.1f} GiB available: run fewer at once, or "
            f"leave out the largest widths (one cell: up to {largest[0] / 2**30:.1f} GiB)"
        )
