"""Trains a small grid with checkpoints, step by step, for tests that stop it from outside."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from validation.training import (
    Architecture,
    Schedule,
    Trained,
    initial_weights,
    stack,
    train_grid,
    trainable_neurons,
)

ARCHITECTURE = Architecture(3, 8, 3)
SCHEDULE = Schedule(steps=40, chunk=4, rate=0.05)
P = (0.0, 0.5, 1.0)


def problem(seeds: int = 2, tau: float = 1.0):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(7)
    X = rng.standard_normal((seeds, 60, 3))
    X /= np.linalg.norm(X, axis=2)[:, :, None]
    y = np.sin(3 * X[:, :, 0]) + X[:, :, 1] ** 2
    masks = np.concatenate([trainable_neurons(ARCHITECTURE, P, s) for s in range(seeds)])
    weights = stack([initial_weights(ARCHITECTURE, tau, s) for s in range(seeds) for _ in P])
    return weights, masks, np.repeat(np.arange(seeds), len(P)), X, y


def run(checkpoint: Path | None, pause: float = 0.0) -> Trained:
    return train_grid(
        ARCHITECTURE,
        SCHEDULE,
        *problem(),
        checkpoint=checkpoint,
        progress=lambda state: time.sleep(pause),
    )


if __name__ == "__main__":
    result = run(Path(sys.argv[1]), pause=float(sys.argv[2]))
    kernels, biases, readout = result.weights
    np.savez(sys.argv[3], *kernels, *biases, readout, result.losses)
