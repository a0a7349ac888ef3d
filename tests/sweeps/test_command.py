"""`kernelspec sweep` from flags and from a file: files, figures, exit status."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import typer
from sweep_cells import COLUMNS, FAILING
from typer.testing import CliRunner, Result

from validation.cli.app import OneLineErrors
from validation.sweeps import Cell, Measure, SweepSettings, engine, read_table, run_sweep
from validation.sweeps.command import sweep

app = typer.Typer(cls=OneLineErrors, pretty_exceptions_enable=False)
app.callback()(lambda: None)
app.command()(sweep)

FLAGS = ["--d", "3", "--m", "8,16", "--P", "0,0.5,1", "--tau", "1,4", "--seeds", "2"]
SAME = SweepSettings(d=3, m=(8, 16), P=(0.0, 0.5, 1.0), tau=(1.0, 4.0), seeds=2)


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)])


def test_flags_give_the_sweep_of_the_same_settings(tmp_path: Path) -> None:
    result = invoke(*FLAGS, "--out", tmp_path / "a", "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert "24 cells" in result.stdout
    assert "sweep: 24 of 24 cells" in result.stderr
    assert read_table(tmp_path / "a" / "table.csv") == run_sweep(SAME, tmp_path / "b")


def test_a_file_gives_the_same_and_flags_count_before_it(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text("d = 3\nm = [8, 16]\nP = [0, 0.5, 1]\ntau = [1, 7]\nseeds = 2\n")
    result = invoke(file, "--tau", "1,4", "--out", tmp_path / "a")
    assert result.exit_code == 0, result.output
    assert read_table(tmp_path / "a" / "table.csv") == run_sweep(SAME, tmp_path / "b")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figure_of_a_stored_sweep(tmp_path: Path, suffix: str) -> None:
    run_sweep(SAME, tmp_path / "a")
    figure = tmp_path / f"sweep.{suffix}"
    result = invoke(*FLAGS, "--out", tmp_path / "a", "--plot", figure)
    assert result.exit_code == 0, result.output
    assert figure.stat().st_size > 5_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--d", "3"], "a sweep needs values for m, P, tau"),
        ([*FLAGS, "--m", "8,x"], "m = 'x' is not allowed: an integer >= 1"),
        ([*FLAGS, "--P", "2"], "P = 2 is not allowed: a number from 0 to 1"),
        ([*FLAGS, "--seeds", "1,2"], "seeds = [1, 2] is not allowed: an integer >= 1"),
        ([*FLAGS, "--plot", "figure.gif"], "--plot = 'figure.gif' is not allowed"),
        ([*FLAGS, "--plot", "absent/figure.png"], "cannot be written"),
        (["absent.toml"], "absent.toml cannot be read: No such file or directory"),
        ([*FLAGS, "--memory-gib", "1e-9"], "memory_gib = 1e-09 allows less"),
    ],
)
def test_bad_usage_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    lines = [line for line in result.stderr.splitlines() if not line.startswith("sweep: 0 of")]
    assert len(lines) == 1
    assert not (tmp_path / "kernelspec-out" / "sweep" / "table.csv").exists()


def test_the_folder_of_another_sweep_is_bad_usage(tmp_path: Path) -> None:
    run_sweep(SAME, tmp_path / "a")
    result = invoke(*FLAGS, "--seed", "1", "--out", tmp_path / "a")
    assert result.exit_code == 2
    assert "settings.seed: 0 in the store, 1 now" in result.stderr


def test_one_width_and_one_proportion_have_no_figure(tmp_path: Path) -> None:
    single = ["--d", "3", "--m", "8", "--P", "0", "--tau", "1", "--out", str(tmp_path / "a")]
    result = invoke(*single, "--plot", tmp_path / "a.png")
    assert result.exit_code == 2
    assert "there is nothing to draw" in result.stderr
    assert (tmp_path / "a" / "table.csv").exists()


def test_failed_cells_are_exit_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "network_error", lambda settings: FAILING)
    result = invoke(*FLAGS, "--out", tmp_path)
    assert result.exit_code == 1
    assert "8 of 24 cells ended in an error" in result.stderr


def test_an_interrupted_sweep_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(cell: Cell, seeds: np.random.SeedSequence) -> dict[str, float | int]:
        raise KeyboardInterrupt

    measure = Measure("product", interrupted, COLUMNS)
    monkeypatch.setattr(engine, "network_error", lambda settings: measure)
    result = invoke(*FLAGS, "--out", tmp_path)
    assert result.exit_code == 130
    assert "the same command goes on from here" in result.stderr
