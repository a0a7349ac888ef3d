"""Refuse work that does not fit into memory before anything is allocated."""

from __future__ import annotations

import math
import os
from pathlib import Path

__all__ = ["available_memory", "require_memory", "require_numbers"]

_CGROUP = Path("/sys/fs/cgroup")


def _machine() -> float:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024.0 * int(row.split()[1]) for row in lines if row.startswith("MemAvailable"))
    except (OSError, StopIteration):
        if hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
            return float(os.sysconf("SC_AVPHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
        return math.inf


def _container(root: Path) -> float:
    """Return what a container's own limit leaves, counting its file cache as free."""
    try:
        limit = int((root / "memory.max").read_text())
        used = int((root / "memory.current").read_text())
        statistics = (root / "memory.stat").read_text().split()
        return float(limit - used + int(statistics[statistics.index("inactive_file") + 1]))
    except (OSError, ValueError):  # no such limit, or "max"
        return math.inf


def available_memory() -> float:
    """Bytes this process may still allocate, inf where the system does not tell."""
    return min(_machine(), _container(_CGROUP))


def require_memory(
    needed: float,
    what: str,
    limit: float | None = None,
    advice: str = "take fewer neurons, a larger rtol or a larger memory limit",
) -> None:
    """Raise MemoryError with the estimate if `needed` bytes are not at hand.

    Parameters
    ----------
    needed : float
        Estimate in bytes.
    what : str
        What they are for, for the message.
    limit : float, optional
        Bytes allowed; by default those available.
    advice : str, optional
        What to do about it.

    Raises
    ------
    MemoryError
        If `needed` exceeds the limit.
    """
    allowed = available_memory() if limit is None else limit
    if needed > allowed:
        raise MemoryError(
            f"{what} needs about {needed / 2**30:.3g} GiB, but only {allowed / 2**30:.3g} GiB "
            f"may be used: {advice}"
        )


def require_numbers(count: float, what: str) -> None:
    """Raise MemoryError with the estimate if `count` float64 numbers do not fit into memory."""
    require_memory(8.0 * count, what, advice="ask for fewer at a time")
