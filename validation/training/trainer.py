"""Train a grid of partly trainable networks at once, with checkpoints and a plain account."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kernelspec._memory import require_memory
from validation.training.architecture import Architecture, Weights
from validation.training.checkpoint import Checkpoint, digest, load_checkpoint, save_checkpoint
from validation.training.extra import precision, require
from validation.training.schedule import Schedule

__all__ = ["DIVERGED", "Trained", "TrainingState", "stack", "train_grid"]

Array = NDArray[Any]

DIVERGED: Final = 1e3  # times its first value: a loss above it counts as diverged


@dataclass(frozen=True)
class TrainingState:
    """How far a run has come.

    Attributes
    ----------
    done, total : int
        Steps.
    loss : float
        Median over the networks that have not failed, before the last step.
    failed : int
        Networks whose loss has diverged or is not a number.
    remaining : float or None
        Estimated seconds to go; None as long as nothing was measured.

    Examples
    --------
    >>> state = TrainingState(done=50, total=200, loss=0.02, failed=0, remaining=3.0)
    >>> f"{state.done / state.total:.0%} done, {state.remaining:.0f} s left"
    '25% done, 3 s left'
    """

    done: int
    total: int
    loss: float
    failed: int
    remaining: float | None


@dataclass(frozen=True)
class Trained:
    """A grid of trained networks.

    Attributes
    ----------
    weights : Weights
        Stacked: each array has a leading axis of G networks. Of a failed network, what it came to.
    losses : ndarray, shape (G, steps)
        Loss of each network before each step.
    failures : tuple of str
        For each network "" or why it has no result, such as "loss is nan at step 12".
    steps : int
        Steps taken: fewer than asked for only if every network has failed.

    Examples
    --------
    >>> stacked = Weights((np.ones((2, 3, 4)),), (np.ones((2, 4)),), np.ones((2, 4)))
    >>> trained = Trained(stacked, np.ones((2, 10)), ("", "loss is nan at step 7"), steps=10)
    >>> trained.network(0).kernels[0].shape
    (3, 4)
    """

    weights: Weights
    losses: Array
    failures: tuple[str, ...]
    steps: int

    def network(self, i: int) -> Weights:
        """Return the weights of one network."""
        kernels, biases, readout = self.weights
        return Weights(tuple(W[i] for W in kernels), tuple(b[i] for b in biases), readout[i])


def stack(networks: list[Weights]) -> Weights:
    """Stack the weights of networks of one architecture along a new first axis.

    Examples
    --------
    >>> one = Weights((np.ones((3, 2)),), (np.ones(2),), np.ones(2))
    >>> stack([one, one]).kernels[0].shape
    (2, 3, 2)
    """
    kernels = zip(*(network.kernels for network in networks), strict=True)
    biases = zip(*(network.biases for network in networks), strict=True)
    return Weights(
        tuple(np.stack(layer) for layer in kernels),
        tuple(np.stack(layer) for layer in biases),
        np.stack([network.readout for network in networks]),
    )


def train_grid(
    architecture: Architecture,
    schedule: Schedule,
    weights: Weights,
    neurons: Array,
    which: Array,
    X: Array,
    y: Array,
    *,
    checkpoint: Path | None = None,
    progress: Callable[[TrainingState], None] | None = None,
) -> Trained:
    """Train G networks that differ in weights, masks and data by one compiled program.

    Parameters
    ----------
    architecture : Architecture
        Shared by all.
    schedule : Schedule
        Shared by all.
    weights : Weights
        Initial weights, stacked (see `stack`).
    neurons : ndarray of bool, shape (G, L - 1, width)
        Trained neurons. The others keep their weights bit for bit.
    which : ndarray of int, shape (G,)
        Data set of each network.
    X : ndarray, shape (S, n, d)
        Inputs of the data sets.
    y : ndarray, shape (S, n)
        Values to fit.
    checkpoint : Path, optional
        File that is written after every chunk of steps. If it is there, training goes on from it,
        on one CPU to the same bits as without the interruption.
    progress : callable, optional
        Called with a `TrainingState` after every chunk.

    Returns
    -------
    Trained
        Weights, losses, and which networks failed.

    Raises
    ------
    TrainingExtraMissingError
        If JAX or optax is not installed.
    ValueError
        If a shape does not fit, or data or weights are not finite.
    CheckpointError
        If the checkpoint is damaged or of another run.
    MemoryError
        If the work does not fit into memory; raised with the estimate, before allocating.

    Examples
    --------
    One network of two neurons learns a function that it can represent:

    >>> network = Architecture(2, width=2)
    >>> schedule = Schedule(steps=2, chunk=1)
    >>> start = Weights((np.eye(2),), (np.zeros(2),), np.zeros(2))
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> y = np.maximum(X, 0).sum(axis=1)
    >>> neurons = np.ones((1, 1, 2), dtype=bool)
    >>> trained = train_grid(
    ...     network, schedule, stack([start]), neurons, np.zeros(1, int), X[None], y[None]
    ... )
    >>> trained.losses.shape, bool(trained.losses[0, 1] < trained.losses[0, 0]), trained.failures
    ((1, 2), True, ('',))
    """
    require()
    _check(architecture, weights, neurons, which, X, y)
    batch = _batch(schedule, len(which))
    _require_room(architecture, schedule, batch, len(which), X.shape[1])
    import jax

    from validation.training.program import chunk_program, initial_state

    dtype = np.dtype(schedule.precision)
    identity = _identity(architecture, schedule, (weights, neurons, which, X, y))
    with precision(schedule.double):
        program = chunk_program(architecture, schedule, batch)
        cast = jax.tree.map(lambda leaf: np.asarray(leaf, dtype), weights)
        state = jax.tree.map(jax.numpy.asarray, initial_state(cast, schedule))
        leaves, structure = jax.tree.flatten(state)
        losses = np.zeros((len(which), 0), dtype)
        stored = None if checkpoint is None else load_checkpoint(checkpoint, identity)
        if stored is not None:
            losses = stored.losses
            leaves = [jax.numpy.asarray(leaf) for leaf in stored.leaves]
        state = jax.tree.unflatten(structure, leaves)
        data = (neurons, np.asarray(which, np.int32), X.astype(dtype), y.astype(dtype))
        data = jax.tree.map(jax.numpy.asarray, data)
        start, first = perf_counter(), losses.shape[1]
        failures = _failures(losses)
        while losses.shape[1] < schedule.steps and not all(failures):
            state, new = program(state, *data)
            losses = np.concatenate([losses, np.asarray(new)], axis=1)
            failures = _failures(losses)
            if checkpoint is not None:
                kept = tuple(np.asarray(leaf) for leaf in jax.tree.leaves(state))
                save_checkpoint(checkpoint, identity, Checkpoint(kept, losses))
            if progress is not None:
                progress(_state(schedule, losses, failures, start, first))
        final: Weights = jax.tree.map(np.asarray, state[0])
    return Trained(final, losses, failures, losses.shape[1])


def _check(
    architecture: Architecture, weights: Weights, neurons: Array, which: Array, X: Array, y: Array
) -> None:
    G = len(which)
    width = architecture.width
    if len(weights.kernels) != architecture.hidden:
        raise ValueError(
            f"{len(weights.kernels)} hidden layers are not allowed: {architecture.hidden}, as "
            f"layers = {architecture.layers} says"
        )
    shapes: list[tuple[str, Array, tuple[int, ...]]] = [
        (f"kernel {i + 1}", kernel, (G, *architecture.shapes[i]))
        for i, kernel in enumerate(weights.kernels)
    ]
    shapes += [(f"bias {i + 1}", bias, (G, width)) for i, bias in enumerate(weights.biases)]
    shapes += [
        ("readout", weights.readout, (G, width)),
        ("neurons", neurons, (G, architecture.hidden, width)),
        ("X", X, (*X.shape[:2], architecture.d)),
        ("y", y, X.shape[:2]),
    ]
    for name, array, allowed in shapes:
        if array.shape != allowed:
            raise ValueError(f"{name} of shape {array.shape} is not allowed: {allowed}")
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{name} is not allowed to hold values that are not finite")
    if neurons.dtype != np.bool_:
        raise TypeError(f"neurons of type {neurons.dtype} are not allowed: bool")
    if G and (np.min(which) < 0 or np.max(which) >= len(X)):
        raise ValueError(f"which = {which!r} is not allowed: numbers of the {len(X)} data sets")


def _batch(schedule: Schedule, networks: int) -> int:
    if schedule.batch is not None:
        return min(schedule.batch, networks)
    import jax

    return 1 if jax.default_backend() == "cpu" else networks


def _require_room(
    architecture: Architecture, schedule: Schedule, batch: int, networks: int, n: int
) -> None:
    number = 8 if schedule.double else 4
    parameters = sum(a * b + b for a, b in architecture.shapes) + architecture.width
    # weights, two moments, gradient, update, and the checkpoint's copies; activations thrice
    needed = number * (8.0 * networks * parameters)
    needed += number * 3.0 * batch * architecture.hidden * n * architecture.width
    require_memory(
        needed,
        f"training {networks} networks of width {architecture.width}",
        advice="take fewer networks, a smaller width or a smaller batch",
    )


def _identity(
    architecture: Architecture, schedule: Schedule, data: tuple[Weights, Array, Array, Array, Array]
) -> dict[str, Any]:
    import jax
    import optax

    weights, *rest = data
    arrays = (*weights.kernels, *weights.biases, weights.readout, *rest)
    return {
        **asdict(architecture),
        **asdict(schedule),
        "data": digest(*arrays),
        "jax": jax.__version__,
        "optax": optax.__version__,
        "backend": jax.default_backend(),
    }


def _failures(losses: Array) -> tuple[str, ...]:
    """Say for each network when its loss left the finite numbers, or grew a thousandfold."""
    if not losses.shape[1]:
        return ("",) * len(losses)
    with np.errstate(invalid="ignore", over="ignore"):
        bad = ~np.isfinite(losses) | (losses > DIVERGED * losses[:, :1])
    words = []
    for row, flags in zip(losses, bad, strict=True):
        at = int(np.argmax(flags))
        if not flags.any():
            words.append("")
        elif math.isfinite(row[at]):
            words.append(f"loss grew {row[at] / row[0]:.3g}-fold by step {at}")
        else:
            words.append(f"loss is {row[at]} at step {at}")
    return tuple(words)


def _state(
    schedule: Schedule, losses: Array, failures: tuple[str, ...], start: float, first: int
) -> TrainingState:
    done = losses.shape[1]
    sound = [row[-1] for row, failure in zip(losses, failures, strict=True) if not failure]
    pace = (perf_counter() - start) / (done - first)
    return TrainingState(
        done,
        schedule.steps,
        float(np.median(sound)) if sound else math.nan,
        sum(map(bool, failures)),
        pace * (schedule.steps - done),
    )
