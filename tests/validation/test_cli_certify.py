"""`kernelspec certify` and `kernelspec check`, from claim to replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from validation.cli.main import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_certificate_is_written_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "d3.json"
    result = run("certify", "--d", "3", "--out", str(path))
    assert result.exit_code == 0
    assert result.stdout.startswith("certified: kappa(lambda; q_t) <= ")
    replay = run("check", str(path))
    assert replay.exit_code == 0
    assert replay.stdout.startswith("valid: ")


def test_a_smaller_constant_in_the_file_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "d3.json"
    run("certify", "--d", "3", "--constant", "7.5", "--out", str(path))
    record = json.loads(path.read_text())
    record["claim"]["constant"] = {"rational": "1/1", "radicand": 1}
    path.write_text(json.dumps(record))
    result = run("check", str(path))
    assert result.exit_code == 1
    assert result.stdout.startswith("rejected: ")


def test_a_false_constant_is_refuted() -> None:
    result = run("certify", "--d", "6")
    assert result.exit_code == 1
    assert "exceeded at b = 1" in result.stdout


def test_what_cannot_be_decided_exits_3() -> None:
    assert run("certify", "--d", "3", "--tau", "0.9", "--constant", "50").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certify", "--d", "1"], "--d = 1 is not allowed: an integer from 2 to 1000"),
        (["certify", "--tau", "nan"], "--tau = nan is not allowed: a finite number > 0"),
        (["certify", "--constant", "big"], "--constant = 'big' is not allowed"),
        (["certify", "--out", "no/such/place/c.json"], "--out = "),
        (["check", "no-such-file.json"], "FILE = 'no-such-file.json' is not allowed"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not result.stdout
