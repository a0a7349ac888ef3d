"""A sweep in a process of its own: ``sweep_driver.py FOLDER JOBS``."""

from __future__ import annotations

import sys

from sweep_cells import SLOW

from validation.sweeps import SweepSettings, run_sweep

SETTINGS = SweepSettings(d=3, m=(8, 16), P=(0.0, 0.5, 1.0), tau=(1.0, 2.0), seeds=3, seed=11)

if __name__ == "__main__":
    run_sweep(SETTINGS, sys.argv[1], jobs=int(sys.argv[2]), measure=SLOW)
