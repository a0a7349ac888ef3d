"""Training: frozen neurons stay, seeds reproduce, failures are told, stopped runs go on."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from training_driver import ARCHITECTURE, SCHEDULE, P, problem, run

pytest.importorskip("jax")
pytest.importorskip("optax")

from kernelspec import BiasedReLU, least_squares_error, uniform_sphere
from validation.training import (
    Architecture,
    CheckpointError,
    Label,
    Schedule,
    Trained,
    TrainingSettings,
    TrainingState,
    Weights,
    initial_weights,
    run_experiment,
    stack,
    summarise,
    train_grid,
    trainable_neurons,
)
from validation.training.architecture import hidden_features
from validation.training.bar import TrainingBar
from validation.training.data import Sample, draw_target
from validation.training.evaluation import evaluate
from validation.training.extra import precision
from validation.training.readout import solve_readout

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LAST = 5  # the network of the second seed with P = 1


@cache
def trained() -> Trained:
    return run(None)


def leaves(weights: Weights) -> list[np.ndarray]:
    return [*weights.kernels, *weights.biases, weights.readout]


def test_frozen_neurons_keep_their_weights_bit_for_bit_and_trained_ones_move() -> None:
    weights, masks, *_ = problem()
    result = trained()
    for i in range(ARCHITECTURE.hidden):
        frozen = ~masks[:, i]
        moved = result.weights.kernels[i].swapaxes(1, 2) != weights.kernels[i].swapaxes(1, 2)
        assert not moved[frozen].any()
        assert moved[masks[:, i]].any(axis=-1).mean() > 0.8  # a few are dead
        np.testing.assert_array_equal(result.weights.biases[i][frozen], weights.biases[i][frozen])
    assert (result.weights.readout != weights.readout).mean() > 0.8
    assert result.failures == ("",) * 6
    assert (result.losses[:, -1] < result.losses[:, 0]).all()


def test_the_gradient_of_a_frozen_neuron_leaves_adam_without_moments() -> None:
    """Nothing of a frozen neuron's gradient may count, in the norm that is clipped least of all."""
    import jax
    import optax

    from validation.training.program import chunk_program, initial_state

    weights, masks, which, X, y = problem()
    with precision(True):
        program = chunk_program(ARCHITECTURE, SCHEDULE, 1)
        state = jax.tree.map(jax.numpy.asarray, initial_state(weights, SCHEDULE))
        (_, moments), _ = program(state, masks, which.astype(np.int32), X, y)
        found = [
            part
            for part in jax.tree.leaves(moments, is_leaf=lambda x: hasattr(x, "mu"))
            if isinstance(part, optax.ScaleByAdamState)
        ]
        assert len(found) == 1
        for moment in (found[0].mu, found[0].nu):
            for i in range(ARCHITECTURE.hidden):
                kernel = np.asarray(moment.kernels[i]).swapaxes(1, 2)
                assert not kernel[~masks[:, i]].any()
                assert kernel[masks[:, i]].any(axis=-1).mean() > 0.8


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("objective", ["adam", "projection"])
def test_gradients_are_those_of_central_differences(objective: str, order: int) -> None:
    """The rule for products, and that the solved readout may be held."""
    from jax.test_util import check_grads

    from validation.training.program import _joint_loss, _projected_loss

    _, _, _, X, y = problem()
    net = initial_weights(Architecture(3, 8, 4), 1.0, 0)
    net = net._replace(readout=np.linspace(-1, 1, 8))  # at zero nothing would reach the neurons
    with precision(True):
        if objective == "adam":
            check_grads(lambda w: _joint_loss(w, X[0].T, y[0], order), (net,), 1, ["rev"])
        else:
            check_grads(lambda w: _projected_loss(w, X[0].T, y[0], order, 1e-6), (net,), 1, ["rev"])


def slow_adam(i: int, steps: int) -> tuple[Weights, list[float]]:
    """Train one network by hand, its gradient by central differences."""
    weights, masks, which, X, y = problem()
    own = Trained(weights, np.zeros((6, 0)), ("",) * 6, 0).network(i)
    mask, data, values = masks[i], X[which[i]], y[which[i]]
    flat = np.concatenate([leaf.ravel() for leaf in leaves(own)])
    rows = [np.broadcast_to(m, W.shape) for m, W in zip(mask, own.kernels, strict=True)]
    spread = [*rows, *mask, np.ones(8, bool)]
    free = np.concatenate([leaf.ravel() for leaf in spread])

    def unpack(vector: np.ndarray) -> Weights:
        shapes = [leaf.shape for leaf in leaves(own)]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
        parts = [p.reshape(s) for p, s in zip(np.split(vector, ends), shapes, strict=True)]
        return Weights(tuple(parts[:2]), tuple(parts[2:4]), parts[4])

    def loss(vector: np.ndarray) -> float:
        net = unpack(vector)
        return float(np.mean((hidden_features(net, data, 1) @ net.readout - values) ** 2))

    first, second, losses = np.zeros_like(flat), np.zeros_like(flat), []
    for t in range(steps):
        losses.append(loss(flat))
        steps_ = 1e-6 * np.eye(flat.size)
        gradient = np.array([(loss(flat + e) - loss(flat - e)) / 2e-6 for e in steps_])
        gradient[~free] = 0.0
        gradient *= min(1.0, SCHEDULE.clip / np.linalg.norm(gradient))
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        rate = SCHEDULE.rate * (1 + np.cos(np.pi * t / SCHEDULE.steps)) / 2
        unbiased = second / (1 - 0.999 ** (t + 1))
        flat = flat - rate * first / (1 - 0.9 ** (t + 1)) / (np.sqrt(unbiased) + 1e-8)
    return unpack(flat), losses


@pytest.mark.parametrize("i", [1, LAST])
def test_training_is_clipped_adam_with_cosine_decay(i: int) -> None:
    _, losses = slow_adam(i, 6)
    np.testing.assert_allclose(trained().losses[i, :6], losses, rtol=2e-4)


def test_variable_projection_descends_the_least_squares_residual() -> None:
    weights, masks, which, X, y = problem()
    schedule = replace(SCHEDULE, objective="projection")
    result = train_grid(ARCHITECTURE, schedule, weights, masks, which, X, y)
    for i, k in enumerate(which):
        start = Trained(weights, np.zeros((6, 0)), ("",) * 6, 0).network(i)
        exact = solve_readout(hidden_features(start, X[k], 1), y[k]).error
        assert result.losses[i, 0] == pytest.approx(exact, rel=1e-6)
        end = solve_readout(hidden_features(result.network(i), X[k], 1), y[k]).error
        if i % len(P):
            assert end < 0.9 * exact
        else:
            assert end == pytest.approx(exact, rel=1e-12)
    np.testing.assert_array_equal(result.weights.readout, weights.readout)


def test_untrained_networks_have_the_error_of_least_squares() -> None:
    settings = TrainingSettings(
        width=12, tau=4.0, P=(0.0, 1.0), methods="adam", samples=200, test_samples=500, seeds=2,
        steps=10, chunk=10,
    )  # fmt: skip
    (curves,) = run_experiment(settings)
    for s, entropy in enumerate(np.random.SeedSequence(settings.seed).spawn(2)):
        what, points, draws, *_ = entropy.spawn(5)
        target = draw_target("rkhs", 3, 1, np.random.default_rng(what))
        weights = initial_weights(settings.architecture(2), 4.0, draws)
        V = np.column_stack([weights.kernels[0].T, weights.biases[0]])
        fit = least_squares_error(BiasedReLU(3), V, target, 200, points, test_samples=500)
        rng = np.random.default_rng(points)
        uniform_sphere(3, 200, rng)
        power = float(np.mean(target(uniform_sphere(3, 500, rng)) ** 2))
        assert curves.errors[0, s, 0] == pytest.approx(fit.error / power, rel=1e-9)
    assert curves.joint[0, 0, 0] > curves.errors[0, 0, 0]


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    again = run(None)
    for one, other in zip(leaves(again.weights), leaves(trained().weights), strict=True):
        np.testing.assert_array_equal(one, other)
    settings = TrainingSettings(
        width=8, tau=(1.0, 3.0), P=(0.0, 0.5), samples=200, test_samples=50, seeds=2, steps=4,
        chunk=4, pool=64, methods=("placed", "adam"),
    )  # fmt: skip
    first, second = run_experiment(settings), run_experiment(settings)
    for one_, other_ in zip(first, second, strict=True):
        np.testing.assert_array_equal(one_.errors, other_.errors)
    # placed neurons of P = 0.5 lower the error, and untrained networks do not know the method
    np.testing.assert_array_equal(first[0].errors[:, :, 0], first[1].errors[:, :, 0])
    assert (first[0].errors[:, :, 1] < first[0].errors[:, :, 0]).all()
    other = run_experiment(replace(settings, seed=1, methods="adam"))
    assert (other[0].errors != first[1].errors).all()


def killed(store: Path, chunks: int) -> None:
    """Start the run in a process of its own and kill it once `chunks` checkpoints are written."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE)])}
    command = [sys.executable, str(HERE / "training_driver.py"), str(store), "0.15", "never.npz"]
    child = subprocess.Popen(command, env=environment, cwd=store.parent)
    try:
        seen: set[int] = set()
        start = time.monotonic()
        while len(seen) < chunks and time.monotonic() - start < 120:
            assert child.poll() is None, "the run ended before it was killed"
            if store.exists():
                seen.add(store.stat().st_mtime_ns)
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait()


def test_a_killed_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    store = tmp_path / "run.npz"
    killed(store, 3)
    with np.load(store) as stored:
        steps = stored["losses"].shape[1]
    assert 0 < steps < SCHEDULE.steps
    resumed = run(store)
    np.testing.assert_array_equal(resumed.losses, trained().losses)
    for one, other in zip(leaves(resumed.weights), leaves(trained().weights), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not (tmp_path / "never.npz").exists()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "run.npz"
    run(store)
    weights, masks, which, X, y = problem()
    with pytest.raises(CheckpointError, match=r"another run: rate is 0.05 there, 0.1 now"):
        train_grid(
            ARCHITECTURE, replace(SCHEDULE, rate=0.1), weights, masks, which, X, y, checkpoint=store
        )
    with pytest.raises(CheckpointError, match=r"another run: data is "):
        train_grid(ARCHITECTURE, SCHEDULE, weights, masks, which, X, y + 1, checkpoint=store)
    store.write_bytes(store.read_bytes()[:500])
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        run(store)


def test_divergence_is_told_and_leaves_other_networks_alone() -> None:
    weights, masks, which, X, y = problem()
    values = y.copy()
    values[1] *= 1e160  # squared, it leaves float64
    result = train_grid(ARCHITECTURE, SCHEDULE, weights, masks, which, X, values)
    assert result.failures[:3] == ("",) * 3
    assert all(words == "loss is inf at step 0" for words in result.failures[3:])
    np.testing.assert_array_equal(result.losses[:3], trained().losses[:3])


def test_frozen_weights_survive_gradients_that_are_not_numbers() -> None:
    weights, masks, which, X, y = problem()
    schedule = replace(SCHEDULE, rate=1e200)
    result = train_grid(ARCHITECTURE, schedule, weights, masks, which, X, y)
    assert all("at step 1" in words for words in result.failures)
    for i in range(ARCHITECTURE.hidden):
        kernel = result.weights.kernels[i].swapaxes(1, 2)
        assert np.isnan(kernel[masks[:, i]]).any()
        frozen = ~masks[:, i]
        np.testing.assert_array_equal(kernel[frozen], weights.kernels[i].swapaxes(1, 2)[frozen])
        np.testing.assert_array_equal(result.weights.biases[i][frozen], weights.biases[i][frozen])


def test_a_loss_that_grows_a_thousandfold_counts_as_diverged() -> None:
    weights, masks, which, X, y = problem()
    schedule = replace(SCHEDULE, rate=100.0)
    result = train_grid(ARCHITECTURE, schedule, weights, masks, which, X, y)
    assert all("loss grew" in words for words in result.failures)
    assert result.steps < SCHEDULE.steps  # nothing was left to train


def test_failed_networks_are_never_averaged_away() -> None:
    settings = TrainingSettings(
        width=8, tau=1.0, P=(0.0, 1.0), methods="adam", samples=50, test_samples=50, seeds=2,
        steps=8, chunk=4, rate=1e4,
    )  # fmt: skip
    (curves,) = run_experiment(settings)
    assert curves.failures
    assert "rkhs, L = 2, adam, tau = 1, seed 0, P = 1: loss grew" in "\n".join(curves.failures)
    (summary,) = summarise(curves)
    assert summary.failed == len(curves.failures)
    assert np.isnan(summary.error[-1])
    assert np.isnan(summary.fall_low)


def test_float32_says_when_its_floor_is_reached() -> None:
    architecture = Architecture(3, 16)
    schedule = Schedule(steps=10, chunk=10, precision="float32")
    weights = stack([initial_weights(architecture, 1.0, 0)])
    masks = trainable_neurons(architecture, [1.0], 0)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1, 100, 3))
    X /= np.linalg.norm(X, axis=2)[:, :, None]
    hard = np.sin(20 * X[:, :, 0])
    reachable = X[:, :, 0]  # w.x = max(w.x, 0) - max(-w.x, 0), up to what two neurons miss
    results = {}
    for name, y in (("hard", hard), ("zero error", reachable)):
        result = train_grid(architecture, schedule, weights, masks, np.zeros(1, int), X, y)
        assert result.weights.readout.dtype == np.float32
        network = result.network(0)
        if name == "zero error":
            mirrored = network.kernels[0].copy()
            mirrored[:, 1] = -mirrored[:, 0]
            bias = network.biases[0].copy()
            bias[:2] = 0.0
            network = Weights((mirrored,), (bias,), network.readout)
            y = X @ mirrored[:, 0].astype(float)
        results[name] = evaluate(network, Sample(X[0], y[0], X[0], y[0]), 1)
    assert not results["hard"].at_floor
    assert results["zero error"].at_floor
    double = train_grid(
        architecture, replace(schedule, precision="float64"), weights, masks, np.zeros(1, int), X,
        hard,
    )  # fmt: skip
    assert not evaluate(double.network(0), Sample(X[0], hard[0], X[0], hard[0]), 1).floor


def test_networks_do_not_depend_on_how_many_are_batched() -> None:
    weights, masks, which, X, y = problem()
    batched = train_grid(ARCHITECTURE, replace(SCHEDULE, batch=4), weights, masks, which, X, y)
    np.testing.assert_allclose(batched.losses, trained().losses, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.zeros((2, 60, 4))}, r"X of shape \(2, 60, 4\) is not allowed: \(2, 60, 3\)"),
        ({"y": np.full((2, 60), np.nan)}, "y is not allowed to hold values that are not finite"),
        ({"which": np.full(6, 2)}, "numbers of the 2 data sets"),
        ({"masks": np.ones((6, 2, 8), int)}, "neurons of type int64 are not allowed: bool"),
    ],
)
def test_data_that_do_not_fit_are_refused(change: dict[str, np.ndarray], words: str) -> None:
    names = ("weights", "masks", "which", "X", "y")
    arguments = dict(zip(names, problem(), strict=True)) | change
    with pytest.raises((TypeError, ValueError), match=words):
        train_grid(ARCHITECTURE, SCHEDULE, *arguments.values())


def test_training_that_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec._memory.available_memory", lambda: 1e4)
    with pytest.raises(MemoryError, match=r"training 6 networks of width 8 needs about .* GiB"):
        run(None)


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_shows_the_loss(terminal: bool) -> None:
    text = io.StringIO()
    label = Label("rkhs", 2, "adam")
    with TrainingBar(Console(file=text, force_terminal=terminal, width=150)) as bar:
        bar(label, TrainingState(50, 100, 0.25, 1, 90.0))
        bar(label, TrainingState(100, 100, 0.125, 1, 0.0))
    words = "step 100 of 100, median loss 0.125, 1 failed"
    assert words in text.getvalue()
    if not terminal:
        assert text.getvalue() == f"rkhs, L = 2, adam: {words}\n"
