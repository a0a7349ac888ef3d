"""Tables as pandas writes them: an index is no feature, and names that are numbers are no data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kernelspec import uniform_sphere
from validation.cli.main import app
from validation.data import load, read_matrix, read_vector

X = np.array([[1.5, -2.0], [0.25, 3.0], [7.0, 0.125], [-1.0, 2.5]])
LEFT_OUT = "first column left out: it has no name and counts the rows"
NAMES = "first line 0, 1 taken for names of the columns"


def table(head: str, start: int | None = None, values: np.ndarray = X, mark: str = ",") -> str:
    lines = [mark.join(repr(float(x)) for x in row) for row in values]
    if start is not None:
        lines = [f"{i}{mark}{line}" for i, line in enumerate(lines, start=start)]
    return "\n".join([*([head] if head else []), *lines]) + "\n"


def read(folder: Path, text: str) -> tuple[np.ndarray, list[str]]:
    path = folder / "x.csv"
    path.write_text(text, encoding="utf-8")
    notes: list[str] = []
    return read_matrix(path, notes=notes), notes


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["", '""', "Unnamed: 0", " "])
def test_an_index_without_a_name_is_left_out(
    tmp_path: Path, start: int, mark: str, name: str
) -> None:
    values, notes = read(tmp_path, table(f"{name}{mark}a{mark}b", start, mark=mark))
    np.testing.assert_array_equal(values, X)
    assert notes == [LEFT_OUT]


def test_names_that_count_the_columns_are_no_data(tmp_path: Path) -> None:
    values, notes = read(tmp_path, table(",0,1", 0))
    np.testing.assert_array_equal(values, X)
    assert notes == ["first line 0, 1 taken for names of the columns", LEFT_OUT]
    values, notes = read(tmp_path, table("0,1"))
    np.testing.assert_array_equal(values, X)
    assert notes == [NAMES]


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 1], [1, 0], [1, 1], [0, 0]],  # whole numbers throughout: a row like the others
        [[0.5, 1], [1, 0.25]],
        [[1, 2], [0.5, 0.25]],
    ],
)
def test_rows_are_not_mistaken_for_names(tmp_path: Path, rows: list[list[float]]) -> None:
    text = "\n".join(",".join(f"{x:g}" for x in row) for row in rows)
    values, notes = read(tmp_path, text)
    np.testing.assert_array_equal(values, rows)
    assert notes == []


@pytest.mark.parametrize("index", [[0, 2, 3, 7], [3, 1, 0, 2], [0.5, 1.5, 2.5, 3.5]])
def test_an_unnamed_column_that_does_not_count_is_refused(
    tmp_path: Path, index: list[float]
) -> None:
    lines = [",a,b", *(f"{i},{x},{y}" for i, (x, y) in zip(index, X, strict=True))]
    with pytest.raises(ValueError, match="the first column has no name, as an index has none"):
        read(tmp_path, "\n".join(lines))


def test_a_column_that_counts_is_kept_with_a_warning_where_it_has_a_name(tmp_path: Path) -> None:
    expected = np.column_stack([np.arange(4.0), X])
    for text in (table("time,a,b", 0), table("", 0)):
        values, notes = read(tmp_path, text)
        np.testing.assert_array_equal(values, expected)
        assert len(notes) == 1
        assert "only counts the rows (0, 1, ...), and is used as a feature" in notes[0]
    np.save(tmp_path / "x.npy", np.column_stack([np.arange(1.0, 5.0), X]))
    data = load(tmp_path / "x.npy", None)
    assert data.X.shape == (4, 3)
    assert data.notes[0].startswith("warning: column 1 only counts the rows (1, 2, ...)")


@pytest.mark.parametrize("values", [np.arange(4.0)[:, None], np.array([[0.0, 2], [1, 3], [3, 1]])])
def test_what_is_no_index_gives_no_warning(tmp_path: Path, values: np.ndarray) -> None:
    read_back, notes = read(tmp_path, table("", values=values))
    np.testing.assert_array_equal(read_back, values)
    assert notes == []


def test_a_series_is_a_vector(tmp_path: Path) -> None:
    """As `pandas.Series(...).to_csv` writes it."""
    path = tmp_path / "v.csv"
    path.write_text(",0\n0,3.5\n1,2.5\n2,0.5\n")
    notes: list[str] = []
    np.testing.assert_array_equal(read_vector(path, notes=notes), [3.5, 2.5, 0.5])
    assert notes[-1] == LEFT_OUT


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def indexed(tmp_path: Path) -> Path:
    path = tmp_path / "indexed.csv"
    path.write_text(table(",x,y", 0, uniform_sphere(2, 320, rng=3)))
    return path


@pytest.mark.parametrize("command", [["decay"], ["empirical", "--neurons", "100", "--lam", "0.1"]])
def test_commands_tell_what_was_left_out(indexed: Path, tmp_path: Path, command: list[str]) -> None:
    plain = tmp_path / "plain.csv"
    plain.write_text(table("x,y", values=uniform_sphere(2, 320, rng=3)))
    shown = run(*command, str(indexed))
    assert shown.exit_code == 0, shown.output
    assert LEFT_OUT in shown.stdout
    first, second = (json.loads(run(*command, str(p), "--json").stdout) for p in (indexed, plain))
    assert first["rows"] == second["rows"]
    assert first["summary"]["notes"] == [LEFT_OUT]


@pytest.mark.parametrize("content", ["gram", "features", "eigenvalues"])
def test_a_kernel_is_refused_where_there_are_no_points(indexed: Path, content: str) -> None:
    result = run("decay", str(indexed), "--content", content, "--kernel", "gaussian")
    assert result.exit_code == 2
    assert result.stderr.startswith("kernelspec: --kernel is not allowed here: such options need")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decay", "--kernel", "relu", "--length", "1"], "--length is not allowed with --kernel"),
        (["empirical", "--weights", "w.npz", "--draw", "target"], "--draw is not allowed with"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    indexed: Path, arguments: list[str], message: str
) -> None:
    result = run(*arguments, str(indexed))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"kernelspec: {message}")
    assert result.stderr.count("\n") == 1
