"""`kernelspec empirical`: what it prints, what it refuses, what it draws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kernelspec import uniform_sphere
from kernelspec.empirical import empirical_mismatch, network_leverage, neurons_of
from validation.cli.main import app

SMALL = ["--neurons", "150"]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["empirical", *arguments])


@pytest.fixture
def points(tmp_path: Path) -> Path:
    path = tmp_path / "points.npy"
    np.save(path, uniform_sphere(3, 200, 0))
    return path


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path / "layer.npz"
    np.savez(path, weight=rng.standard_normal((40, 3)), bias=rng.standard_normal(40))
    return path


def test_the_numbers_are_those_of_the_library(points: Path) -> None:
    asked = ["--lam", "0.1,0.01", "--initial", "tau=2", "--seed", "5", *SMALL, "--json"]
    result = run(str(points), *asked)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    found = empirical_mismatch(np.load(points), "sphere", "tau=2", [0.1, 0.01], neurons=150, rng=5)
    for row, expected in zip(data["rows"], found.ridges, strict=True):
        assert row["kappa"] == expected.kappa
        assert row["dof"] == expected.dof
        assert row["verdict"] == expected.verdict
    assert data["summary"]["eigenvalues"] == found.spectrum.eigenvalues[:64].tolist()
    assert data["parameters"]["initial"] == "tau=2"


def test_a_layer_stands_in_for_a_law(points: Path, layer: Path, tmp_path: Path) -> None:
    arguments = [str(points), "--weights", str(layer), "--lam", "0.05", *SMALL]
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    arrays = np.load(layer)
    V = neurons_of(arrays["weight"], arrays["bias"])
    (row,) = network_leverage(np.load(points), V, "sphere", 0.05, neurons=150)
    assert json.loads(result.stdout)["rows"][0]["median"] == pytest.approx(np.median(row.ratio))
    figure = tmp_path / "layer.png"
    drawn = run(*arguments, "--plot", str(figure))
    assert "mismatch >=" in drawn.stdout
    assert figure.stat().st_size > 5_000


def test_the_layer_of_a_whole_network_is_found(points: Path, tmp_path: Path) -> None:
    """Several layers, and biases of one length: shape and name tell them apart."""
    rng = np.random.default_rng(1)
    path = tmp_path / "network.npz"
    arrays = {"fc1.weight": rng.standard_normal((20, 3)), "fc1.bias": rng.standard_normal(20)}
    arrays |= {"fc0.bias": np.zeros(20), "fc2.weight": np.ones((1, 20)), "fc2.bias": np.ones(1)}
    np.savez(path, **arrays)
    result = run(str(points), "--weights", str(path), "--lam", "0.05", *SMALL, "--json")
    assert result.exit_code == 0, result.output
    V = neurons_of(arrays["fc1.weight"], arrays["fc1.bias"])
    (row,) = network_leverage(np.load(points), V, "sphere", 0.05, neurons=150)
    assert json.loads(result.stdout)["rows"][0]["median"] == pytest.approx(np.median(row.ratio))


@pytest.mark.parametrize("initial", ["tau=3", "he", "pytorch"])
def test_table_and_figure(initial: str, points: Path, tmp_path: Path) -> None:
    figure = tmp_path / "figure.svg"
    result = run(str(points), "--initial", initial, *SMALL, "--plot", str(figure))
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("empirical: n = 200, d = 3, neurons = 150")
    assert f"initial law {initial}:" in result.stdout
    assert ("warning: " in result.stdout) == (initial == "he" or "growing" in result.stdout)
    assert figure.read_bytes().startswith(b"<?xml")


def test_a_bundled_data_set_and_a_smooth_activation() -> None:
    result = run(
        *["--dataset", "diabetes", "--activation", "gelu", "--initial", "normal=1,2"],
        *["--draw", "initial", "--lam", "1", *SMALL],
    )
    assert result.exit_code == 0, result.output
    assert "columns standardised" in result.stdout
    assert "target law normal=1,1" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "none of file and data set is given"),
        (["--dataset", "mnist"], "name = 'mnist' is not allowed: one of digits"),
        (["--dataset", "digits", "--lam", "0"], "--lam = 0.0 is not allowed"),
        (["--dataset", "digits", "--neurons", "1"], "--neurons = 1 is not allowed"),
        (["--dataset", "digits", "--draw", "both"], "--draw = 'both' is not allowed"),
        (["--dataset", "digits", "--seed", "-1"], "--seed = -1 is not allowed"),
        (["--dataset", "digits", "--activation", "rel"], "--activation = 'rel' is not allowed"),
        (["--dataset", "digits", "--target", "xavier"], "--target = 'xavier' is not allowed"),
        (
            ["--dataset", "digits", "--initial", "tau=0"],
            "--initial = 'tau=0' is not allowed: 0 is no number > 0",
        ),
        (["--dataset", "digits", "--plot", "a.jpg"], "--plot = 'a.jpg' is not allowed"),
        (["--dataset", "digits", "--weights", "no.npz"], "'no.npz' cannot be read"),
        (["--dataset", "digits", "--weights", "w", "--initial", "he"], "--initial = 'he'"),
        (["--dataset", "diabetes", "--target", "he"], "initial = "),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("kernelspec: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("1,2\n" * 3, "at least 10 rows are needed"),
        ("1,2\n" * 12, "constant columns"),
        ("".join(f"{i},{i * i}\n" for i in range(11)) + "nan,3\n", "NaN"),
        ("".join(f"{i},word\n" for i in range(12)), "not numbers: column 2"),
    ],
    ids=["empty", "few", "constant", "nan", "words"],
)
def test_bad_files_are_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    result = run(str(path))
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert message in result.stderr
    assert str(path) in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.ones((4, 3)), "b": np.ones((5, 3))}, "exactly one matrix for 3 inputs, not a (4"),
        ({"a": np.ones((4, 7))}, "exactly one matrix for 3 inputs, not a (4, 7)"),
        ({"a": np.ones(7)}, "exactly one matrix for 3 inputs, not a (7,)"),
        ({"a": np.zeros((4, 3))}, "at least one neuron that does not vanish"),
    ],
    ids=["matrices", "width", "vector", "zero"],
)
def test_bad_layers_are_one_line(
    arrays: dict[str, Any], message: str, points: Path, tmp_path: Path
) -> None:
    path = tmp_path / "layer.npz"
    np.savez(path, **arrays)
    result = run(str(points), "--weights", str(path))
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
