"""Cell functions of known cost, importable by every process that the tests start."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace

import numpy as np

from validation.sweeps import Cell, Measure

MATRIX = 300


def product_cell(cell: Cell, seeds: np.random.SeedSequence) -> dict[str, float | int]:
    """Multiply random matrices large enough for BLAS to split the work among its threads."""
    rng = np.random.default_rng(seeds)
    left, right = rng.standard_normal((2, MATRIX, MATRIX))
    product = left @ right
    return {
        "error": cell.tau * float(np.linalg.norm(product)) / cell.m,
        "trace": float(np.trace(product @ product)),
        "draw": int(rng.integers(2**62)),
    }


def slow_cell(cell: Cell, seeds: np.random.SeedSequence) -> dict[str, float | int]:
    """Last long enough for a kill to fall between cells, and inside of one."""
    time.sleep(0.1)
    return product_cell(cell, seeds)


def failing_cell(cell: Cell, seeds: np.random.SeedSequence) -> dict[str, float | int]:
    """Fail where P = 1."""
    if cell.P == 1.0:
        raise ArithmeticError(f"no answer at tau = {cell.tau}")
    return product_cell(cell, seeds)


def dying_cell(cell: Cell, seeds: np.random.SeedSequence) -> dict[str, float | int]:
    """Take the whole process along, as the system does when memory runs out."""
    if cell.P == 1.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return product_cell(cell, seeds)


def place_cell(cell: Cell, seeds: np.random.SeedSequence) -> dict[str, float | int]:
    """Tell which process ran the cell."""
    time.sleep(0.02)
    return {"process": os.getpid()}


COLUMNS = {"error": "norm over width", "trace": "trace of the square", "draw": "an integer"}

CODE = ("sweep_cells",)

PRODUCT = Measure("product", product_cell, COLUMNS, code=CODE)
SLOW = replace(PRODUCT, function=slow_cell)
FAILING = replace(PRODUCT, function=failing_cell)
DYING = replace(PRODUCT, function=dying_cell)
HUGE = replace(PRODUCT, memory=lambda cell: 2**60)
PLACE = Measure("place", place_cell, {"process": "number of the process"}, code=CODE)
