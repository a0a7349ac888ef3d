"""Run a training experiment: draw, place, train, solve the readout again, collect the errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, UniformBias
from validation.training.architecture import (
    Architecture,
    Weights,
    hidden_features,
    initial_weights,
)
from validation.training.data import Sample, draw_sample, draw_target
from validation.training.evaluation import evaluate
from validation.training.extra import require
from validation.training.greedy import greedy_choice
from validation.training.masks import trainable_neurons
from validation.training.settings import TrainingSettings
from validation.training.trainer import TrainingState, stack, train_grid

__all__ = ["Curves", "Label", "run_experiment"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Label:
    """Which part of an experiment: a target, a depth, a method.

    Examples
    --------
    >>> print(Label("rkhs", 2, "adam"))
    rkhs, L = 2, adam
    """

    target: str
    layers: int
    method: str

    def __str__(self) -> str:
        return f"{self.target}, L = {self.layers}, {self.method}"


@dataclass(frozen=True)
class Curves:
    """Errors of one method on one target at one depth.

    Attributes
    ----------
    label : Label
        Target, depth and method.
    tau, P : tuple of float
        Scales of the initial biases and trained proportions.
    errors : ndarray, shape (taus, seeds, p)
        Squared error at fresh points relative to the target's mean square, with the readout solved
        again; NaN where the network failed.
    standard_errors : ndarray, shape (taus, seeds, p)
        Of the errors, from the finite number of fresh points.
    joint : ndarray, shape (taus, seeds, p)
        With the readout as trained; NaN for methods that do not train it.
    heights : ndarray, shape (taus, seeds, p, width)
        Two layers: height b of each trained neuron on the sphere, NaN for the others. Of no length
        for deeper networks.
    failures : tuple of str
        One line for each network that diverged or is not a number.
    at_floor : int
        Networks whose error is at the floor of the precision they were trained in.

    Examples
    --------
    As `run_experiment` returns them, here made up: one tau, two seeds, three proportions.

    >>> curves = Curves(
    ...     Label("rkhs", 3, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> curves.errors.mean(axis=1)
    array([[0.95  , 0.11  , 0.0095]])
    """

    label: Label
    tau: tuple[float, ...]
    P: tuple[float, ...]
    errors: Array
    standard_errors: Array
    joint: Array
    heights: Array
    failures: tuple[str, ...]
    at_floor: int


Progress = Callable[[Label, TrainingState], None]


def run_experiment(
    settings: TrainingSettings,
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> list[Curves]:
    """Train every network of the settings.

    Parameters
    ----------
    settings : TrainingSettings
        What to train.
    folder : Path, optional
        Where checkpoints are kept, one file for each part; a run that was stopped goes on there.
    progress : callable, optional
        Called with the label and the state of the part that is being trained.

    Returns
    -------
    list of Curves
        One for each target, depth and method, in the order of the settings.

    Raises
    ------
    TrainingExtraMissingError
        If JAX or optax is not installed.
    CheckpointError
        If the folder holds checkpoints of another run.
    MemoryError
        If a part does not fit into memory.

    Examples
    --------
    Two networks of 4 neurons, one step each, all neurons trained or none:

    >>> settings = TrainingSettings(
    ...     width=4, tau=1, P=[0, 1], methods="adam", samples=32, test_samples=64, seeds=2, pool=4,
    ...     steps=1, chunk=1,
    ... )
    >>> (curves,) = run_experiment(settings)
    >>> print(curves.label, curves.errors.shape, curves.failures)
    rkhs, L = 2, adam (1, 2, 2) ()
    """
    require()
    parts = [
        Label(target, layers, method)
        for target in settings.targets
        for layers in settings.layers
        for method in settings.methods
    ]
    return [_part(settings, label, folder, progress) for label in parts]


@dataclass(frozen=True)
class _Seed:
    """What one seed draws, the same for every tau, P and method."""

    sample: Sample
    weights: np.random.SeedSequence
    order: np.random.SeedSequence
    pool: np.random.SeedSequence

    @classmethod
    def draw(
        cls, settings: TrainingSettings, target: str, entropy: np.random.SeedSequence
    ) -> _Seed:
        what, points, weights, order, pool = entropy.spawn(5)
        function = draw_target(target, settings.d, settings.order, np.random.default_rng(what))
        sample = draw_sample(
            function,
            settings.d,
            settings.samples,
            settings.test_samples,
            np.random.default_rng(points),
        )
        return cls(sample, weights, order, pool)


def _part(
    settings: TrainingSettings, label: Label, folder: Path | None, progress: Progress | None
) -> Curves:
    architecture = settings.architecture(label.layers)
    seeds = [
        _Seed.draw(settings, label.target, entropy)
        for entropy in np.random.SeedSequence(settings.seed).spawn(settings.seeds)
    ]
    masks, start = _grid(settings, architecture, seeds)
    which = np.tile(np.repeat(np.arange(len(seeds)), len(settings.P)), len(settings.tau))
    if label.method == "placed":
        start = [
            _place(settings, seeds[i], weights, mask[0])
            for weights, mask, i in zip(start, masks, which, strict=True)
        ]
    name = f"{label.target}-{label.layers}-{label.method}.npz"
    trained = train_grid(
        architecture,
        settings.schedule(label.method),
        stack(start),
        masks,
        which,
        np.stack([seed.sample.X for seed in seeds]),
        np.stack([seed.sample.y for seed in seeds]),
        checkpoint=None if folder is None else folder / name,
        progress=None if progress is None else lambda state: progress(label, state),
    )
    shape = (len(settings.tau), len(seeds), len(settings.P))
    found = [
        evaluate(trained.network(i), seeds[k].sample, settings.order)
        for i, k in enumerate(which.tolist())
    ]
    lost = np.array([bool(failure) for failure in trained.failures])
    places = [
        f"tau = {tau:g}, seed {s}, P = {P:g}"
        for tau in settings.tau
        for s in range(len(seeds))
        for P in settings.P
    ]
    pairs = zip(places, trained.failures, strict=True)
    return Curves(
        label,
        settings.tau,
        settings.P,
        np.where(lost, np.nan, [one.error for one in found]).reshape(shape),
        np.where(lost, np.nan, [one.standard_error for one in found]).reshape(shape),
        np.where(
            lost | (label.method != "adam"), np.nan, [one.joint for one in found]
        ).reshape(shape),
        _heights(trained.weights, masks, lost).reshape((*shape, -1)),
        tuple(f"{label}, {place}: {failure}" for place, failure in pairs if failure),
        sum(one.at_floor for one in found),
    )  # fmt: skip


def _grid(
    settings: TrainingSettings, architecture: Architecture, seeds: list[_Seed]
) -> tuple[Array, list[Weights]]:
    """Masks and initial weights, taus outermost, then seeds, then proportions."""
    masks, weights = [], []
    for tau in settings.tau:
        for seed in seeds:
            masks.append(trainable_neurons(architecture, settings.P, seed.order))
            drawn = initial_weights(architecture, tau, seed.weights)
            weights += [drawn] * len(settings.P)
    return np.concatenate(masks), weights


def _place(settings: TrainingSettings, seed: _Seed, weights: Weights, mask: Array) -> Weights:
    """Replace the trained neurons by greedily chosen ones out of a pool that knows no tau."""
    count = int(mask.sum())
    if count == 0:
        return weights
    pool = UniformBias(settings.d, 1.0).sample(settings.pool, np.random.default_rng(seed.pool))
    model = BiasedReLU(settings.d, settings.order)
    frozen = Weights((weights.kernels[0][:, ~mask],), (weights.biases[0][~mask],), np.zeros(0))
    chosen = greedy_choice(
        hidden_features(frozen, seed.sample.X, settings.order),
        model.features(seed.sample.X, pool),
        seed.sample.y,
        count,
    )
    kernel, bias = weights.kernels[0].copy(), weights.biases[0].copy()
    kernel[:, mask] = pool[chosen, :-1].T
    bias[mask] = pool[chosen, -1]
    return Weights((kernel,), (bias,), weights.readout)


def _heights(weights: Weights, masks: Array, lost: Array) -> Array:
    """Heights of the trained neurons, shape (G, width), by homogeneity those on the sphere."""
    if len(weights.kernels) > 1:
        return np.zeros((len(masks), 0))
    kernel = weights.kernels[0].astype(np.float64)
    bias = weights.biases[0].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        height = bias / np.sqrt((kernel**2).sum(axis=1) + bias**2)
    return np.where(masks[:, 0] & ~lost[:, None], height, np.nan)
