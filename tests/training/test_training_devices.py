"""The program is not tied to the CPU: it lowers for other devices, on a machine without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from training_driver import ARCHITECTURE, SCHEDULE, problem

pytest.importorskip("jax")
pytest.importorskip("optax")

import jax

from validation.training.extra import precision
from validation.training.program import chunk_program, initial_state


@pytest.mark.parametrize(
    ("platform", "objective", "width"),
    [
        ("cuda", "projection", "float64"),
        ("cuda", "adam", "float32"),
        ("rocm", "projection", "float32"),
    ],
)
def test_the_program_lowers_for_a_gpu(platform: str, objective: str, width: str) -> None:
    """All its operations, solvers included, exist there, in both precisions."""
    weights, masks, which, X, y = problem()
    schedule = replace(SCHEDULE, objective=objective, precision=width)
    dtype = np.dtype(schedule.precision)
    with precision(schedule.double):
        cast = jax.tree.map(lambda leaf: np.asarray(leaf, dtype), weights)
        arguments = (
            initial_state(cast, schedule),
            masks,
            which.astype(np.int32),
            X.astype(dtype),
            y.astype(dtype),
        )
        traced = chunk_program(ARCHITECTURE, schedule, len(which)).trace(*arguments)
        text = traced.lower(lowering_platforms=(platform,)).as_text()
        here = traced.lower(lowering_platforms=("cpu",)).as_text()
    # the solver is the device's own, so that this is no copy of the program for the CPU
    solvers = ("cusolver", "hipsolver") if objective == "projection" else ("dot",)
    assert any(name in text.lower() for name in solvers)
    if objective == "projection":
        assert "lapack" in here
        assert "lapack" not in text
