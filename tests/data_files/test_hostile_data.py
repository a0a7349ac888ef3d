"""What commands make of data that leave nothing to estimate, or strain the arithmetic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from validation.cli.decay import WITH_LENGTH, _gram
from validation.cli.main import app

X = np.random.default_rng(0).standard_normal((300, 3))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def refusal(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return str(result.stderr)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (X[:3], "it is not a power law: too few points, 3 where 240 are needed"),
        (X + np.array([1e15, 0, 0]), "it is not a power law: finite rank 1 on 300 points"),
    ],
)
def test_a_figure_without_a_curve_is_refused(
    tmp_path: Path, points: np.ndarray, reason: str
) -> None:
    np.save(path := tmp_path / "x.npy", points)
    figure = tmp_path / "x.png"
    assert run("decay", str(path)).exit_code == 0
    expected = f"kernelspec: --plot: x.npy has no curve to draw, {reason}\n"
    assert refusal("decay", str(path), "--plot", str(figure)) == expected
    assert not figure.exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["empirical"], "--target = 'sphere' is not allowed in dimension 1: laws on the sphere"),
        (["empirical", "--target", "tau=2"], "--target = 'tau=2' is not allowed in dimension 1"),
        (["plan"], "'x.npy' holds points of dimension 1: 2 to 1000 are needed"),
    ],
)
def test_one_column_has_no_sphere(tmp_path: Path, command: list[str], message: str) -> None:
    np.save(path := tmp_path / "x.npy", X[:, :1])
    assert refusal(*command, str(path)).startswith(f"kernelspec: {message}")


def test_one_column_has_a_leverage(tmp_path: Path) -> None:
    np.save(path := tmp_path / "x.npy", X[:, :1])
    asked = ["--target", "normal=1,1", "--initial", "normal=1,2", "--neurons", "200"]
    result = run("empirical", str(path), *asked, "--lam", "0.01", "--json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["rows"]
    assert 1 < row["dof"] < 20


@pytest.mark.parametrize("kernel", WITH_LENGTH)
@pytest.mark.parametrize("scale", [1e-70, 1.0, 1e70])
def test_kernels_of_the_distance_see_neither_mean_nor_scale(kernel: str, scale: float) -> None:
    """Whole numbers, so that moving them by 2^30 rounds nothing."""
    whole = np.random.default_rng(1).integers(-50, 50, (40, 3)).astype(float)
    plain, _ = _gram(whole, kernel, None)
    moved, _ = _gram(scale * (whole + np.array([2.0**30, 0, 0])), kernel, None)
    np.testing.assert_allclose(moved, plain, rtol=1e-6)


def test_numbers_too_large_and_too_small_are_refused(tmp_path: Path) -> None:
    for scale, message in [(1e200, "at most 1e+75"), (1e-200, "1e-75 at least")]:
        np.save(path := tmp_path / "x.npy", scale * X)
        for command in ("decay", "empirical", "plan"):
            assert message in refusal(command, str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--activation", "x"], "--activation = 'x' is not allowed: one of relu, heaviside, "),
        (["--target", "normal=0,1"], "--target = 'normal=0,1' is not allowed: 0 is no number > 0"),
        (
            ["--target", "normal=1,-1"],
            "--target = 'normal=1,-1' is not allowed: -1 is no number >=",
        ),
        (["--initial", "tau=nan"], "--initial = 'tau=nan' is not allowed: nan is no number > 0"),
        (["--initial", "tau=x"], "--initial = 'tau=x' is not allowed: one of sphere, tau=T, "),
    ],
)
def test_what_was_typed_is_named(tmp_path: Path, arguments: list[str], message: str) -> None:
    np.save(path := tmp_path / "x.npy", X)
    assert refusal("empirical", str(path), *arguments).startswith(f"kernelspec: {message}")


def test_a_law_too_narrow_for_numbers_has_an_infinite_mismatch(tmp_path: Path) -> None:
    np.save(path := tmp_path / "x.npy", X)
    asked = ["--initial", "normal=1e-200,1", "--neurons", "50", "--lam", "0.1"]
    result = run("empirical", str(path), *asked, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"][0]["verdict"] == "infinite"


def test_a_table_of_huge_widths_is_not_cut_off() -> None:
    result = run("plan", "--m", "1000000000")
    assert result.exit_code == 0, result.output
    assert "…" not in result.stdout
    assert "4.06e+07" in result.stdout
    exact = json.loads(run("plan", "--m", "1000000000", "--json").stdout)["rows"][0]["trained"]
    assert f"{exact:.3g}" == "4.06e+07"
    assert exact != 4.06e7


FAN = np.random.default_rng(1).standard_normal((20, 20))
LAYERS = {"W0": (20, 3), "b0": (20,), "W1": (15, 20), "b1": (15,), "W2": (1, 15), "X": (200, 3)}


def network(folder: Path, **changed: np.ndarray) -> str:
    rng = np.random.default_rng(0)
    arrays = {name: rng.standard_normal(shape) for name, shape in LAYERS.items()}
    np.savez(path := folder / "w.npz", **(arrays | changed))
    return str(path)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"W0": 1e200 * np.ones((20, 3))}, ": W0 holds a number of size 1e+200: at most 1e+75"),
        ({"X": np.ones(3)}, " holds X of shape (3,): a matrix of shape (n, d) is needed"),
        ({"X": np.ones((200, 3))}, ": weights[0] is not allowed: no exponent can be estimated (n"),
        ({"W0": 1e74 * FAN[:, :3], "W1": 1e74 * FAN[:15], "X": 1e74 * X}, ": the values of a la"),
    ],
)
def test_networks_that_leave_no_plan_are_refused(
    tmp_path: Path, changed: dict[str, np.ndarray], reason: str
) -> None:
    path = network(tmp_path, **changed)
    message = refusal("plan", "--weights", path)
    assert message.startswith(f"kernelspec: {path!r}{reason}")
    assert "give alphas" not in message


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"W0": 1e200 * np.ones((20, 3))}, ": W0 holds a number of size 1e+200: at most 1e+75"),
        ({"b0": 1e200 * np.ones(20)}, ": b0 holds a number of size 1e+200: at most 1e+75"),
        ({"W0": np.zeros((20, 3)), "b0": np.zeros(20)}, " is not allowed: at least one neuron"),
    ],
)
def test_layers_that_leave_no_leverage_are_refused(
    tmp_path: Path, changed: dict[str, np.ndarray], reason: str
) -> None:
    np.save(points := tmp_path / "x.npy", X)
    path = network(tmp_path, **changed)
    message = refusal("empirical", str(points), "--weights", path)
    assert message.startswith(f"kernelspec: --weights = {path!r}{reason}")


def test_the_network_of_a_plan_has_a_leverage(tmp_path: Path) -> None:
    """Its batch of inputs has as many columns as its first layer, and is none."""
    np.save(points := tmp_path / "x.npy", X)
    path = network(tmp_path)
    asked = ["--weights", path, "--lam", "0.1", "--neurons", "100", "--json"]
    result = run("empirical", str(points), *asked)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["parameters"]["layer"] == 20
