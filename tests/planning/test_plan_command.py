from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kernelspec import theorem_kappa0, trainable_proportion
from validation.cli.main import app


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["plan", *arguments])


def answer(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def save_network(path: Path, *, turned: bool = False, drop: str = "") -> str:
    rng = np.random.default_rng(0)
    widths = [6, 40, 30, 2]
    arrays = {"X": rng.standard_normal((120, 6))}
    for i, (a, b) in enumerate(itertools.pairwise(widths)):
        W = rng.standard_normal((b, a))
        arrays |= {f"W{i}": W.T if turned else W, f"b{i}": rng.standard_normal(b)}
    np.savez(path, **{name: array for name, array in arrays.items() if name != drop})
    return str(path)


def test_the_constants_stand_side_by_side() -> None:
    rows = answer("--m", "256", "--d", "3", "--tau", "10")["rows"]
    assert [row["basis"] for row in rows] == [
        "rate, theorem's constant",
        "rate, sharp constant",
        "bound, theorem's constant",
        "bound, sharp constant",
        "measured predictor",
    ]
    for row, kappa0 in zip(rows, (theorem_kappa0(3, 10), theorem_kappa0(3, 10) / 4), strict=False):
        exact = 256 * float(trainable_proportion(0.9, 2.5, kappa0))
        assert row["trained"] == math.ceil(exact)
    assert rows[1]["kappa0"] == pytest.approx(rows[0]["kappa0"] / 4, rel=1e-3)


def test_given_constants_are_planned_with(tmp_path: Path) -> None:
    figure = tmp_path / "plan.png"
    flags = ["--alpha", "1.75", "--kappa0", "67.88", "--m", "1000", "--cost", "4,1"]
    result = run(*flags, "--plot", str(figure))
    assert result.exit_code == 0, result.output
    assert "rate, kappa_0 as given" in result.stdout
    assert figure.read_bytes().startswith(b"\x89PNG")
    row = answer(*flags)["rows"][0]
    assert (row["trained"], row["P"]) == (41, 0.041)
    assert row["cost"] == 4 * row["best"] + (row["m"] - row["best"])
    assert answer("--alpha", "2", "--kappa0", "inf", "--within", "4")["rows"][0]["P"] == 0.5


def test_points_are_measured_and_planned_for() -> None:
    data = answer("--dataset", "diabetes", "--sphere", "--within", "2", "--initial", "he")
    row = data["rows"][0]
    assert row["kappa0"] == "inf"
    assert row["P"] == pytest.approx(2 ** (-1 / data["parameters"]["alpha"]), abs=0.002)


def test_a_plan_says_how_many_points_it_was_measured_on() -> None:
    for name, said in (("digits", True), ("breast-cancer", False)):
        result = run("--dataset", name, "--within", "2")
        assert result.exit_code == 0, result.output
        text = " ".join(result.stdout.split())
        assert ("from 600 at random" in text) == said
        assert "nan to nan" not in text


def test_a_plan_on_refused_numbers_says_so_first() -> None:
    result = run("--dataset", "breast-cancer")
    doubt = "not a plan to rely on: alpha belongs to no power law, kappa_0 is out of reach"
    assert doubt in " ".join(result.stdout.split())
    assert "nan" not in result.stdout.split("train, P:")[0]


@pytest.mark.parametrize("turned", [False, True])
def test_networks_are_read_in_either_orientation(turned: bool, tmp_path: Path) -> None:
    path = save_network(tmp_path / "net.npz", turned=turned)
    figure = tmp_path / "net.svg"
    result = run("--weights", path, "--budget", "0.2", "--plot", str(figure))
    assert result.exit_code == 0, result.output
    assert figure.exists()
    data = answer("--weights", path, "--budget", "0.2")
    assert sorted(row["layer"] for row in data["rows"]) == ["layer 1", "layer 2"]
    assert data["rows"][0]["gain"] >= data["rows"][1]["gain"]
    assert data["summary"]["cost"] <= data["summary"]["budget"] * (1 + 1e-9)
    assert data["summary"]["remaining"] < data["summary"]["untrained"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--alpha", "2"], "--alpha and --kappa0 are needed together"),
        (["--d", "5", "--dataset", "digits"], "--dataset and --d or --tau are not allowed tog"),
        (["--share", "0.5", "--within", "2"], "--share and --within are not allowed together"),
        (["--share", "2"], "--share = '2' is not allowed: a number from 0 to 1"),
        (["--within", "0.5"], "--within = 0.5 is not allowed: a finite number >= 1"),
        (["--error", "0"], "--error = 0.0 is not allowed: a finite number > 0"),
        (["--cost", "money"], "--cost = 'money' is not allowed: memory, time, trainable, or costs"),
        (["--cost", "1"], "--cost = '1' is not allowed: memory, time, trainable, or costs TRAINED"),
        (["--cost", "4,x"], "--cost = '4,x' is not allowed: memory, time, trainable, or costs"),
        (["--cost", "4,nan"], "--cost = '4,nan' is not allowed: memory, time, trainable, or"),
        (["--cost", "1,2"], "--cost = '1,2' is not allowed: memory, time, trainable, or costs"),
        (["--cost", "1,2,3"], "--cost = '1,2,3' is not allowed: memory, time, trainable, or"),
        (["--weights", "x.npz", "--cost", "4,1"], "--cost = '4,1' is not allowed: one of memory"),
        (["--weights", "x.npz", "--m", "64"], "--m is not allowed with --weights"),
        (["--budget", "0.1"], "--budget is not allowed without --weights"),
        (["--initial", "he"], "--initial is not allowed without points: a FILE or --dataset"),
        (["--cost", "time", "--optimiser", "sgd"], "--optimiser is not allowed with --cost time"),
        (["--share", "0.5,0.9"], "--share = '0.5,0.9' is not allowed: a number from 0 to 1"),
        (["--kappa0", "0.5", "--alpha", "2"], "--kappa0 = '0.5' is not allowed: a number from 1"),
        (["--optimiser", "x"], "--optimiser = 'x' is not allowed: one of sgd, momentum, adam"),
        (["--sphere"], "--sphere and --key need points: a FILE or --dataset"),
        (["--key", "X"], "--sphere and --key need points: a FILE or --dataset"),
        (["--m", "0"], "--m = 0 is not allowed: an integer >= 1"),
        (["missing.csv"], "'missing.csv' cannot be read: No such file or directory"),
        (["--dataset", "digits", "--initial", "x"], "--initial = 'x' is not allowed: one of"),
        (["--weights", "missing.npz"], "'missing.npz' cannot be read: No such file"),
        (
            ["--weights", "missing.npz", "--budget", "2"],
            "--budget = '2' is not allowed: a number from",
        ),
    ],
)
def test_bad_usage_of_plan_is_one_line(flags: list[str], message: str) -> None:
    result = run(*flags)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith(f"kernelspec: {message}"), result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("drop", "message"),
    [
        ("X", "holds no array 'X', the batch of inputs"),
        ("W1", "holds no array 'W1': a hidden layer and a readout at least"),
        ("W2", "holds 'b2', which is not allowed: W0, b0, W1, ..., X"),
    ],
)
def test_networks_that_are_incomplete_are_refused(drop: str, message: str, tmp_path: Path) -> None:
    result = run("--weights", save_network(tmp_path / "net.npz", drop=drop))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
