"""Memory a sweep will need, held against what is there before anything runs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from pathlib import Path
from typing import Final

__all__ = ["available_memory", "require_memory"]

MIB: Final = 2**20
# An idle worker with numpy, scipy and kernelspec imported holds about 120 MiB.
WORKER_BASE: Final = 150 * MIB


def _meminfo_available() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroup_available(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return what a container's own limit leaves, counting its file cache as free."""
    try:
        limit = (root / "memory.max").read_text(encoding="ascii").strip()
        if limit == "max":
            return None
        most = int(limit)
        used = int((root / "memory.current").read_text(encoding="ascii"))
        statistics = (root / "memory.stat").read_text(encoding="ascii").split()
        cache = int(statistics[statistics.index("inactive_file") + 1])
    except (OSError, ValueError):
        return None
    return most - used + cache


def available_memory() -> int | None:
    """Return the bytes that new processes may take here, None where the system does not tell."""
    known = [free for free in (_meminfo_available(), _cgroup_available()) if free is not None]
    return min(known) if known else None


def require_memory(needs: Iterable[int], slots: int, available: int | None, where: str) -> None:
    """Refuse a sweep whose largest cells, `slots` at a time, do not fit.

    Parameters
    ----------
    needs : iterable of int
        Bytes for each cell.
    slots : int
        Cells that run at once.
    available : int or None
        Bytes free; None if unknown, and then nothing is refused.
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
    if not largest or available is None:
        return
    estimate = sum(largest) + len(largest) * WORKER_BASE
    if estimate > available:
        raise MemoryError(
            f"{len(largest)} cells at once need an estimated {estimate / 2**30:.1f} GiB, and "
            f"{where} has {max(available, 0) / 2**30:.1f} GiB available: run fewer at once, or "
            f"leave out the largest widths (one cell: up to {largest[0] / 2**30:.1f} GiB)"
        )
