"""`kernelspec three-layer` from flags and from a file: tables, JSON, figures, exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from validation.cli.app import OneLineErrors
from validation.three_layer.command import three_layer

app = typer.Typer(cls=OneLineErrors, pretty_exceptions_enable=False)
app.callback()(lambda: None)
app.command()(three_layer)

FLAGS = [
    "--d", "5", "--r", "2", "--pieces", "4,8", "--cliff-pieces", "8", "--targets", "1",
    "--samples", "300", "--starts", "1", "--random-starts", "2",
]  # fmt: skip


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["three-layer", *map(str, arguments)])


def test_tables_and_figure(tmp_path: Path) -> None:
    figure = tmp_path / "figure.png"
    result = invoke(*FLAGS, "--plot", figure)
    assert result.exit_code == 0, result.output
    assert "three-layer: d = 5, r = 2" in result.stdout
    assert "error against M" in result.stdout
    assert "random starts end within twice" in result.stdout.replace("\n", " ")
    assert f"figure: {figure}" in result.stdout
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert figure.stat().st_size > 20_000


def test_a_file_gives_the_same_as_flags_which_count_before_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        "d = 5\nr = 2\npieces = [8, 4]\ncliff_pieces = 8\ntargets = 7\n"
        "samples = 300\nstarts = 1\nrandom_starts = 2\n"
    )
    result = invoke(file, "--targets", "1", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data == json.loads(invoke(*FLAGS, "--json").stdout)
    assert data["command"] == "three-layer"
    assert data["parameters"]["pieces"] == [4, 8]
    assert (data["parameters"]["targets"], data["parameters"]["seed"]) == (1, 0)
    assert [row["trained"] for row in data["rows"]] == [0, 1, 2]
    assert [row["M"] for row in data["rate"]] == [4, 8]
    last = data["rows"][-1]
    assert last["learned"] == pytest.approx(last["learned_squared"] ** 0.5)
    assert data["summary"]["neurons"] == 18


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--d", "2"], "d = 2 is not allowed: an integer from 3 to 1000"),
        (["--d", "x"], "d = 'x' is not allowed"),
        (["--pieces", "8,1"], "pieces = 1 is not allowed: an integer >= 2"),
        (["--targets", "1,2"], "targets = [1, 2] is not allowed"),
        (["--samples", "10"], "samples = 10 is not allowed: an integer >= 169"),
        (["--plot", "figure.gif"], "--plot = 'figure.gif' is not allowed"),
        (["absent.toml"], "absent.toml cannot be read"),
    ],
)
def test_bad_usage_of_three_layer_is_one_line(arguments: list[str], words: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_name_in_the_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("peices = 8\n")
    result = invoke(file)
    assert result.exit_code == 2
    assert "did you mean 'pieces'?" in result.stderr
