from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kernelspec import BiasedReLU, uniform_sphere
from kernelspec.empirical import features, named_law, pool_spectrum
from validation.cli.main import app
from validation.realdata.experiment import Ratio, judge
from validation.realdata.fits import _ridge_fit, fit_errors, ratio
from validation.realdata.measure import exponent, relu_kernel, ridge_with


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_the_kernel_of_any_points_is_the_mean_over_neurons() -> None:
    rng = np.random.default_rng(0)
    X, Y = 2 * rng.standard_normal((6, 4)), rng.standard_normal((5, 4))
    V = named_law("sphere", 4).sample(400_000, rng)
    products = features(X, V, "relu")[:, None, :] * features(Y, V, "relu")[None, :, :]
    mean, error = products.mean(axis=2), products.std(axis=2) / np.sqrt(len(V))
    # 30 entries at 6 standard errors: false alarm below 1e-7
    assert np.all(np.abs(relu_kernel(X, Y) - mean) < 6 * error)
    S = uniform_sphere(4, 7, rng)
    exact = BiasedReLU(4).kernel(np.clip(S @ S.T, -1, 1))
    # the angle of a point with itself is lost to rounding like a square root
    assert relu_kernel(S, S) == pytest.approx(exact, rel=1e-7)


def test_the_exponent_of_the_sphere_is_found() -> None:
    rng = np.random.default_rng(1)
    found = exponent(uniform_sphere(3, 600, rng), rng)
    assert found.verdict == "power law"
    assert found.low <= 2.5 <= found.high


def test_ridge_with_inverts_the_degrees_of_freedom() -> None:
    spectrum = pool_spectrum(np.random.default_rng(2).standard_normal((50, 80)))
    for dof in (0.5, 10.0, 45.0):
        lam = ridge_with(spectrum, dof)
        assert float(spectrum.degrees_of_freedom(lam)) == pytest.approx(dof, rel=1e-6)
    with pytest.raises(ValueError, match=r"dof = 60 is not allowed: fewer than the rank 50"):
        ridge_with(spectrum, 60)


def test_the_ridge_fit_is_a_ridge_fit() -> None:
    # without noise the smallest ridge wins, and a linear target is found at new points
    rng = np.random.default_rng(3)
    F, G = rng.standard_normal((60, 5)), rng.standard_normal((9, 5))
    w, offset = rng.standard_normal((5, 2)), np.array([3.0, -1.0])
    assert _ridge_fit(F, F @ w + offset, G) == pytest.approx(G @ w + offset, rel=1e-6)
    # pure noise is shrunk to about the mean
    noise = rng.standard_normal((60, 1))
    shrunk = _ridge_fit(F, noise, G)
    free = np.linalg.lstsq(np.column_stack([np.ones(60), F]), noise, rcond=None)[0]
    full = np.column_stack([np.ones(9), G]) @ free
    assert np.std(shrunk) < np.std(full)


def test_errors_come_in_pairs_and_repeat() -> None:
    rng = np.random.default_rng(4)
    X = uniform_sphere(4, 200, rng)
    errors = fit_errors(X, np.abs(X[:, 0]), {"tau=1000": 0.25, "sphere": 1.0}, 1e-3, m=24, seeds=3)
    assert errors.shape == (2, 2, 3, 3)
    # P = 1 does not depend on the initialisation, and a plan of P = 1 is that network
    assert np.array_equal(errors[:, 0, 2], errors[:, 1, 2])
    assert np.array_equal(errors[:, 1, 1], errors[:, 1, 2])
    again = fit_errors(X, np.abs(X[:, 0]), {"tau=1000": 0.25, "sphere": 1.0}, 1e-3, m=24, seeds=3)
    assert np.array_equal(errors, again)
    # all neurons of tau = 1000 are dead or linear, and the target is even
    assert np.min(errors[0, 0, 0] / errors[0, 0, 2]) > 3


def test_ratios_have_student_intervals() -> None:
    found = ratio(np.exp([0.1, 0.3, 0.5]), np.ones(3))
    assert np.log(found.value) == pytest.approx(0.3)
    # t quantile 4.3027 with 2 degrees of freedom, standard error 0.2/sqrt(3)
    assert np.log(found.high / found.value) == pytest.approx(4.302653 * 0.2 / np.sqrt(3), rel=1e-6)


@pytest.mark.parametrize(
    ("cost", "gain", "verdict"),
    [
        ((1.0, 0.9, 1.1), (5.0, 4.0, 6.0), "held"),
        ((1.0, 0.9, 1.1), (1.5, 1.2, 1.9), "idle"),
        ((2.5, 2.1, 3.0), (5.0, 4.0, 6.0), "failed"),
        ((1.9, 1.6, 2.2), (5.0, 4.0, 6.0), "open"),
    ],
)
def test_verdicts(cost: Any, gain: Any, verdict: str) -> None:
    assert judge(Ratio(*cost), Ratio(*gain)) == verdict


def test_the_command_gives_table_json_and_figure(tmp_path: Path) -> None:
    figure = tmp_path / "figure.png"
    flags = ["--dataset", "diabetes", "--m", "32", "--seeds", "2"]
    result = run("real-data", *flags, "--plot", str(figure), "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert len(data["rows"]) == 12
    assert sum(data["summary"]["verdicts"].values()) == 12
    assert {row["initial"] for row in data["rows"]} == {"pytorch", "he", "lecun"}
    # no bias, no density: the rate trains 2^(-1/alpha) of the neurons
    for row in data["rows"]:
        if row["initial"] != "pytorch":
            assert row["kappa0"] == "inf"
            assert row["P"] == pytest.approx(2 ** (-1 / row["alpha"]), abs=1 / 32 + 0.01)
    assert figure.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--dataset", "mnist"], "--dataset = 'mnist' is not allowed: one of digits, diabetes"),
        (["--seeds", "1"], "--seeds = 1 is not allowed: an integer >= 2"),
        (["--m", "x"], "--m = 'x' is not allowed: an integer >= 2"),
        (["--plot", "x.jpg"], "--plot = 'x.jpg' is not allowed: a file name ending in"),
    ],
)
def test_bad_usage_of_real_data_is_one_line(flags: list[str], message: str) -> None:
    result = run("real-data", *flags)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"kernelspec: {message}")
    assert result.stderr.count("\n") == 1
