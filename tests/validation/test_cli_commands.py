from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import kernelspec
from validation.cli.main import app

COMMANDS = ["spectrum", "leverage", "mismatch", "bound", "proportion"]
QUICK = {
    "spectrum": ["--degrees", "5"],
    "leverage": ["--lam", "1e-2", "--b", "0,1"],
    "mismatch": ["--lam", "1e-3,1e-1", "--tau", "1"],
    "bound": ["--m", "256,1024"],
    "proportion": [],
}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def answer(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_is_printed(command: str) -> None:
    result = run(command, *QUICK[command])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{command}: d = 5")
    assert result.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")]
)
def test_a_figure_is_drawn(command: str, suffix: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    result = run(command, *QUICK[command], "--plot", str(path))
    assert result.exit_code == 0, result.output
    assert f"figure: {path}" in result.stdout
    content = path.read_bytes()
    assert content.startswith(start)
    assert len(content) > 5_000
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("figure.jpg", "is not allowed: a file name ending in .png, .svg, .pdf"),
        ("missing/figure.png", "cannot be written: No such file or directory"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused(
    command: str, name: str, message: str, tmp_path: Path
) -> None:
    result = run(command, "--plot", str(tmp_path / name))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"kernelspec: --plot = '{tmp_path / name}' {message}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["spectrum", "--d", "1"], "--d = 1 is not allowed: an integer from 2 to 1000"),
        (["spectrum", "--order", "6"], "--order = 6 is not allowed: an integer from 0 to 5"),
        (["spectrum", "--degrees", "-1"], "--degrees = -1 is not allowed: an integer from 0"),
        (["leverage", "--lam", "0"], "--lam = 0.0 is not allowed: a finite number > 0"),
        (["leverage", "--lam", "nan"], "--lam = nan is not allowed: a finite number > 0"),
        (["leverage", "--b", "0,1.5"], "--b[1] = 1.5 is not allowed: numbers from -1 to 1"),
        (["mismatch", "--tau", "0"], "--tau = 0.0 is not allowed: a finite number > 0"),
        (["mismatch", "--lam", "1,two"], "--lam = 'two' is not allowed: a finite number > 0"),
        (["bound", "--P", "1.2"], "--P[0] = 1.2 is not allowed: numbers from 0 to 1"),
        (["bound", "--delta", "1"], "--delta = 1.0 is not allowed: a number strictly between"),
        (["bound", "--m", "0"], "--m = 0 is not allowed: an integer >= 1"),
        (["bound", "--constant", "x"], "--constant = 'x' is not allowed: one of theorem, limit"),
        (["bound", "--tau", "0.5"], "--tau = 0.5 is not allowed: a number >= 1, where the theorem"),
        (["proportion", "--share", "2"], "--share[0] = 2.0 is not allowed: numbers from 0 to 1"),
        (["spectra"], "No such command 'spectra'"),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"kernelspec: {message}")
    assert result.stderr.count("\n") == 1


def test_spectrum_gives_the_eigenvalues_of_the_library() -> None:
    data = answer("spectrum", "--d", "3", "--order", "2", "--degrees", "6")
    model = kernelspec.BiasedReLU(3, 2)
    assert [row["mu"] for row in data["rows"]] == model.eigenvalues(6).tolist()
    assert [row["N"] for row in data["rows"]] == [1, 3, 5, 7, 9, 11, 13]
    assert data["summary"]["alpha"] == model.decay_exponent


def test_leverage_and_mismatch_agree_with_the_library() -> None:
    model = kernelspec.BiasedReLU(4)
    rows = answer("leverage", "--d", "4", "--lam", "0.01", "--b", "0,0.9")["rows"]
    expected = np.asarray(model.leverage(np.array([0.0, 0.9]), 0.01)).tolist()
    assert [row["leverage"] for row in rows] == pytest.approx(expected, rel=1e-14)
    data = answer("mismatch", "--d", "8", "--tau", "1", "--lam", "0.01,1")
    law = kernelspec.GaussianInit(8, 1.0)
    found = kernelspec.mismatch(kernelspec.BiasedReLU(8), law, np.array([0.01, 1.0]))
    assert [row["kappa"] for row in data["rows"]] == found.kappa.tolist()
    assert [row["holds"] for row in data["rows"]] == ["yes", "no"]
    assert data["summary"]["tau=1"]["theorem_holds_below"] == pytest.approx(0.055763, abs=5e-7)


def test_proportion_gives_the_theorems_headline() -> None:
    rows = answer("proportion", "--share", "0.9")["rows"]
    assert [round(100 * row["P"], 2) for row in rows] == [4.06, 16.27]


def test_bound_lies_above_what_any_features_can_do() -> None:
    data = answer("bound", "--d", "3", "--tau", "2", "--m", "1,100,1000", "--P", "0,1")
    for row in data["rows"]:
        assert row["explicit"] > row["floor"]
    assert [row["kappa"] for row in data["rows"]] == pytest.approx(
        [data["parameters"]["kappa0"]] * 3 + [1.0] * 3
    )
    mu = kernelspec.BiasedReLU(3).eigenvalues(40)
    # 1 feature leaves the second eigenvalue; 100 = 10^2 exhaust degrees 0 to 9; 1000 ends in 31
    assert [row["floor"] for row in data["rows"][:3]] == pytest.approx([mu[1], mu[10], mu[31]])


def test_help_lists_the_commands() -> None:
    result = run()
    assert result.exit_code == 0
    assert all(command in result.stdout for command in [*COMMANDS, "verify"])
