from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from validation.cli.main import app

CLAIMS = ["--claims", "headline,trace", "--d", "3"]


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["verify", *arguments])


def test_results_and_report_are_written_and_a_table_printed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(*CLAIMS, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert names(out) == ["report.html", "results.json"]
    assert re.search(r"consistent +trace +3 ", result.stdout)
    assert re.search(r"certified +headline +5 +10 ", result.stdout)
    unwrapped = "".join(result.stdout.split())  # a long path is broken over lines
    assert f"written:{out / 'results.json'}" in unwrapped
    assert "[2/2]" in result.stderr


def test_the_results_file_has_the_documented_keys(tmp_path: Path) -> None:
    result = run(*CLAIMS, "--out", str(tmp_path), "--format", "json", "--seed", "3")
    document = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert json.loads(result.stdout) == document
    assert document["schema"] == "kernelspec-results/1"
    assert document["exit_status"] == result.exit_code == 0
    assert document["seed"] == 3
    assert document["counts"] == {
        "certified": 1,
        "consistent": 1,
        "inconclusive": 0,
        "refuted": 0,
    }
    schema = Path(__file__).parents[2] / "docs" / "results-schema.md"
    of_document, of_record = schema.read_text(encoding="utf-8").split("## A record")
    for data, page in ((document, of_document), (document["records"][0], of_record)):
        rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
        keys = re.findall(r"`(\w+)`", rows)
        assert set(data) == set(keys) - {"certified", "consistent", "inconclusive", "refuted"}


def test_the_command_in_the_results_gives_the_same_records(tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    run(
        "--d", "3", "--tau", "1.5", "--claims", "kappa1,mixture", "--seed", "4", "--out", str(first)
    )
    document = json.loads((first / "results.json").read_text(encoding="utf-8"))
    program, command, *arguments = document["command"].split()
    assert (program, command) == ("kernelspec", "verify")
    run(*arguments, "--out", str(again), "--jobs", "2")
    repeated = json.loads((again / "results.json").read_text(encoding="utf-8"))
    for changing in ("created", "seconds"):
        del document[changing], repeated[changing]
    assert repeated == document


def test_a_refuted_claim_exits_1_and_says_where_it_holds(tmp_path: Path) -> None:
    result = run("--d", "6", "--tau", "1", "--claims", "kappa0", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert re.search(r"refuted +kappa0 +6 +1 ", result.stdout)
    assert re.search(
        r"does hold for every lambda <= 0\.\d+, that is for N\(lambda\) >= ", result.stdout
    )
    assert "does hold for every lambda" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_an_inconclusive_claim_exits_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from validation.claims import trace

    def stop(*arguments: object) -> None:
        raise ArithmeticError("no convergence")

    monkeypatch.setattr(trace, "_tail", stop)
    result = run("--d", "3", "--claims", "trace,headline", "--out", str(tmp_path))
    assert result.exit_code == 3
    assert "ArithmeticError: no convergence" in result.stdout
    record = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["records"][0]
    assert (record["verdict"], record["margin"], record["low"]) == ("inconclusive", "nan", "nan")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--d", "1"], "--d = 1 is not allowed: an integer from 2 to 1000"),
        (["--d", "2.5"], "--d = 2.5 is not allowed: an integer from 2 to 1000"),
        (["--d", "3,x"], "--d = 'x' is not allowed: an integer from 2 to 1000"),
        (["--d", "3,,5"], "--d = '3,,5' is not allowed: integers from 2 to 1000, separated by"),
        (["--d", "1001"], "--d = 1001 is not allowed: an integer from 2 to 1000"),
        (["--tau", "nan"], "--tau = nan is not allowed: a finite number > 0"),
        (["--tau", "0"], "--tau = 0.0 is not allowed: a finite number > 0"),
        (["--tau", "1,-2"], "--tau = -2.0 is not allowed: a finite number > 0"),
        (["--tau", "inf"], "--tau = inf is not allowed: a finite number > 0"),
        (["--claims", "kapa0"], "--claims = 'kapa0' is not allowed: one of bound, "),
        (["--budget", "huge"], "--budget = 'huge' is not allowed: one of quick, full"),
        (["--format", "xml"], "--format = 'xml' is not allowed: one of table, json"),
        (["--jobs", "0"], "--jobs = 0 is not allowed: an integer >= 1"),
        (["--seed", "-1"], "--seed = -1 is not allowed: an integer >= 0"),
        (["--seed", "x"], "--seed = 'x' is not allowed: an integer >= 0"),
        (["--claims", "kappa0", "--tau", "0.5"], "nothing to check: kappa0 is stated for tau >= 1"),
        (["--colour", "red"], "No such option: --colour"),
        (["surplus"], "Got unexpected extra argument"),
    ],
)
def test_bad_usage_is_one_line_and_exit_status_2(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = run(*arguments, "--out", str(out))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"kernelspec: {message}")
    assert result.stderr.count("\n") == 1
    assert not out.exists()


def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import validation.verify

    monkeypatch.delattr(validation.verify, "verify")
    (tmp_path / "file").write_text("")
    result = run(*CLAIMS, "--out", str(tmp_path / "file" / "out"))
    assert result.exit_code == 2
    assert result.stderr == (
        f"kernelspec: --out = '{tmp_path}/file/out' cannot be written: Not a directory\n"
    )


def test_results_stand_even_if_the_report_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import validation.report

    def broken(*arguments: object) -> str:
        raise RuntimeError("no font")

    monkeypatch.setattr(validation.report, "render", broken)
    result = run(*CLAIMS, "--out", str(tmp_path))
    assert isinstance(result.exception, RuntimeError)
    assert names(tmp_path) == ["results.json"]


def test_claims_are_listed_without_checking_any(tmp_path: Path) -> None:
    table = run("--list")
    assert table.exit_code == 0
    assert re.search(r"headline +d = 5, tau = 10 ", table.stdout)
    listed = json.loads(run("--list", "--format", "json").stdout)
    assert {"id", "title", "statement", "source", "assumptions", "needs", "fixed"} == set(listed[0])


def process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    code = "from validation.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["verify", "--claims", "headline"], 0),
        (["verify", "--claims", "kappa0", "--d", "6", "--tau", "1"], 1),
        (["verify", "--d", "1"], 2),
    ],
)
def test_a_real_process_exits_with_the_documented_status(
    arguments: list[str], status: int, tmp_path: Path
) -> None:
    done = process(*arguments, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "kernelspec-out").exists() == (status != 2)


def test_a_full_disk_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out.json")

    monkeypatch.setattr("validation.cli.spectrum.give", full)
    done = CliRunner().invoke(app, ["spectrum", "--d", "3"])
    assert done.exit_code == 2
    assert done.stderr == f"kernelspec: {os.strerror(errno.ENOSPC)}: out.json\n"


def test_help_and_version_answer_without_loading_numpy(tmp_path: Path) -> None:
    code = (
        "import sys; from validation.cli.main import app\n"
        "try: app(['verify', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules or 'rich.table' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "Exit status: 0 all certified" in " ".join(done.stdout.split())
    assert process("--version", cwd=tmp_path).stdout.startswith("kernelspec 0.")
