from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kernelspec import BiasedReLU, uniform_sphere
from validation.cli.decay import KERNELS, _gram
from validation.cli.main import app


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["decay", *arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("decay")
    X = uniform_sphere(2, 320, rng=3)
    np.savetxt(folder / "points.csv", X, delimiter=",", header="x,y", comments="")
    np.savez(folder / "all.npz", X=X, gram=BiasedReLU(2).kernel((X @ X.T).clip(-1, 1)))
    np.savetxt(folder / "powers.csv", np.arange(1, 400) ** -2.5)
    (folder / "hole.csv").write_text("a,b\n1,2\n3,nan\n")
    (folder / "flat.csv").write_text("a,b\n1,2\n3,2\n")
    (folder / "text.csv").write_text("a,b\n1,red\n3,blue\n")
    (folder / "empty.csv").write_text("")
    return folder


def test_eigenvalues_give_their_exponent(files: Path) -> None:
    result = run(str(files / "powers.csv"), "--eigenvalues", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["rows"][0]["alpha"] == pytest.approx(2.5, abs=1e-6)
    assert data["summary"]["verdict"] == "power law"


def test_points_and_their_gram_matrix_agree(files: Path) -> None:
    first = run(str(files / "points.csv"), "--json")
    second = run(str(files / "all.npz"), "--key", "gram", "--content", "gram", "--json")
    rows = [json.loads(result.stdout)["rows"][0] for result in (first, second)]
    assert rows[0]["alpha"] == pytest.approx(rows[1]["alpha"], rel=1e-6)
    assert rows[0]["low"] < 4 < rows[0]["high"]


def test_a_table_and_a_figure_are_made(files: Path, tmp_path: Path) -> None:
    figure = tmp_path / "decay.png"
    result = run(str(files / "all.npz"), "--key", "X", "--plot", str(figure))
    assert result.exit_code == 0, result.output
    assert "points" not in result.stderr
    assert "all.npz: power law" in result.stdout
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_bundled_data_are_read_and_refused_with_a_reason() -> None:
    result = run("--dataset", "diabetes", "--kernel", "linear", "--sphere")
    assert result.exit_code == 0, result.output
    assert "diabetes: not a power law: finite rank 10 on 442 points" in result.stdout
    assert "rows centred and scaled to norm 1" in result.stdout


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_are_positive_and_known_on_the_sphere(kernel: str) -> None:
    X = uniform_sphere(3, 40, rng=0)
    gram, _ = _gram(X, kernel, None)
    np.testing.assert_allclose(gram, gram.T, rtol=1e-13)
    assert np.linalg.eigvalsh(gram)[0] > -1e-12
    if kernel == "relu":
        expected = BiasedReLU(3).kernel((X @ X.T).clip(-1, 1))
        np.testing.assert_allclose(gram, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "none of file and data set is given: exactly one is needed"),
        (["missing.csv"], "'missing.csv' cannot be read: No such file or directory"),
        (["hole.csv"], "holds NaN or nothing in row 2, b: finite numbers are needed"),
        (["flat.csv"], "holds constant columns, remove them: b"),
        (["text.csv"], "holds columns that are not numbers: b"),
        (["empty.csv"], "holds no data: it is empty"),
        (["points.csv", "--dataset", "digits"], "both of file and data set is given"),
        (["--dataset", "iris"], "name = 'iris' is not allowed: one of digits"),
        (["points.csv", "--eigenvalues"], "one row or column is needed"),
        (["points.csv", "--content", "gram"], "gram of shape (320, 2) is not allowed"),
        (["points.csv", "--content", "kernel"], "--content = 'kernel' is not allowed: one of"),
        (["points.csv", "--kernel", "x"], "--kernel = 'x' is not allowed: one of relu"),
        (["points.csv", "--length", "0"], "--length = 0.0 is not allowed"),
        (["all.npz"], "holds several arrays, name one of them by its key: X, gram"),
        (["all.npz", "--key", "W"], "holds no array 'W', but: X, gram"),
        (["powers.csv", "--eigenvalues", "--sphere"], "need points, the file holds eigenvalues"),
        (["--eigenvalues"], "a FILE of eigenvalues is needed"),
    ],
)
def test_bad_usage_is_one_line(files: Path, arguments: list[str], message: str) -> None:
    known = [str(files / a) if (files / a).is_file() else a for a in arguments]
    result = run(*known)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("kernelspec: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_more_points_than_a_minute_allows_are_sampled_and_said_so(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validation.cli.decay.MOST_POINTS", 250)
    result = run(str(files / "points.csv"), "--json")
    answer = json.loads(result.stdout)
    assert answer["summary"]["points"] == 250
    assert answer["summary"]["notes"] == ["250 of 320 points, at random"]
    other = json.loads(run(str(files / "points.csv"), "--json", "--seed", "1").stdout)
    assert other["rows"] != answer["rows"]


def test_far_points_have_a_gaussian_kernel_of_zero() -> None:
    gram, _ = _gram(np.array([[0.0], [1.0]]), "gaussian", 1e-300)
    np.testing.assert_array_equal(gram, np.eye(2))


def test_the_table_has_no_more_digits_than_the_interval_leaves(files: Path) -> None:
    result = run(str(files / "points.csv"))
    numbers = [x for x in result.stdout.split() if x.replace(".", "", 1).isdigit()]
    assert len(numbers) >= 6
    assert all(len(x.replace(".", "").strip("0")) <= 5 for x in numbers)
