"""The claim, the command and the figures of training."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from kernelspec import BiasedReLU
from validation.cli.app import OneLineErrors
from validation.context import Subject
from validation.records import Record, Verdict
from validation.registry import select
from validation.theorem import Theorem
from validation.training import Curves, Label, experiment, summarise
from validation.training.command import train
from validation.training.figures import training_figure
from validation.training.summary import needed, sharpening
from validation.verify import plan, verify

app = typer.Typer(cls=OneLineErrors, pretty_exceptions_enable=False)
app.callback()(lambda: None)
app.command()(train)

SMALL = """
width = 8
tau = [1, 10]
P = [0, 0.5, 1]
samples = 100
test_samples = 100
seeds = 2
pool = 32
steps = 10
chunk = 5
methods = ["placed", "adam"]
"""


def curves(
    errors: Any, P: tuple[float, ...] = (0.0, 0.25, 1.0), method: str = "placed", width: int = 0
) -> Curves:
    errors = np.asarray(errors, dtype=float)
    tau = tuple(10.0**i for i in range(len(errors)))
    heights = np.random.default_rng(0).uniform(-0.6, 0.6, (*errors.shape, width))
    label = Label("rkhs", 2 if width else 5, method)
    return Curves(label, tau, P, errors, 0 * errors, 2 * errors, heights, (), 0)


def test_a_summary_is_that_of_known_errors() -> None:
    spread = np.array([0.5, 1.0, 2.0])[:, None]  # geometric mean 1
    (found,) = summarise(curves([spread * [1.0, 0.1, 0.01]], (0.0, 0.5, 1.0)))
    np.testing.assert_allclose(found.error, [1.0, 0.1, 0.01])
    # Student's interval for the mean of log E of three seeds, log 2 apart
    half = 9.924843 * math.log(2) / math.sqrt(3)
    np.testing.assert_allclose(np.log(found.high), np.log(found.error) + half, rtol=1e-6)
    assert found.fall == pytest.approx(100.0)
    assert (found.fall_low, found.fall_high) == pytest.approx((100.0, 100.0))
    assert found.needed == pytest.approx(-math.log(1 - 0.9 * 0.99) / math.log(100))
    assert found.joint == pytest.approx(2.0)


def test_the_least_proportion_counts_where_the_error_rises_again() -> None:
    log_error = np.log([1.0, 0.05, 0.2, 0.01])
    assert 0.0 < needed([0.0, 0.3, 0.6, 1.0], log_error) < 0.3
    assert math.isnan(needed([0.0, 1.0], np.array([0.0, 0.1])))


def test_sharpening_is_told_only_where_the_seeds_agree() -> None:
    noise = np.random.default_rng(0).uniform(0.9, 1.1, (2, 5, 3))
    early, late = [100.0, 2.0, 1.0], [100.0, 50.0, 1.0]
    assert sharpening(curves(noise * [[late], [early]]))[0].verdict == "sharper"
    assert sharpening(curves(noise * [[early], [late]]))[0].verdict == "not sharper"
    assert sharpening(curves(noise * [[early], [early]]))[0].verdict == "undecided"
    noise[1, 2, 1] = math.nan
    lost = sharpening(curves(noise * [[late], [early]]))[0]
    assert lost.verdict == "undecided"
    assert math.isnan(lost.low)


@pytest.mark.parametrize("width", [0, 20])
def test_figures_have_a_panel_for_each_part(width: int) -> None:
    errors = np.exp(-np.arange(3.0)) * np.ones((3, 4, 3))
    parts = [
        curves(factor * errors, method=m, width=width)
        for m, factor in (("placed", 1), ("projection", 100), ("adam", 0.01))
    ]
    figure = training_figure(parts, BiasedReLU(3), 1e-3)
    assert len(figure.axes) == (6 if width else 3)
    low, high = figure.axes[1].get_ylim()
    assert low < min(part.errors.min() for part in parts)
    assert high > max(part.errors.max() for part in parts)
    for ax in figure.axes:
        assert ax.get_xlabel()
        assert ax.get_ylabel()
        assert ax.get_title(loc="left")
        lines = [line for line in ax.get_legend().get_lines() if line.get_linestyle() != "None"]
        assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(lines)
    figure.draw_without_rendering()


def test_the_histogram_of_heights_is_a_density_of_the_trained_neurons_alone() -> None:
    part = curves(np.ones((1, 4, 3)), width=20)
    part.heights[:, :, :, 10:] = np.nan
    figure = training_figure([part], BiasedReLU(3), 1e-3)
    values, edges, _ = figure.axes[1].patches[1].get_data()
    assert np.sum(values * np.diff(edges)) == pytest.approx(1.0)
    expected, _ = np.histogram(part.heights[0, :, -1, :10], edges, density=True)
    np.testing.assert_allclose(values, expected)


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


def test_the_command_trains_resumes_and_repeats_its_settings(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    out = tmp_path / "out"
    figure = tmp_path / "figure.png"
    first = invoke(file, "--out", out, "--plot", figure)
    assert first.exit_code == 0, first.output
    assert "rkhs, L = 2, placed: step 10 of 10" in first.stderr
    assert "kappa_1 of the trained law" in first.stdout
    assert "by construction" not in first.stderr
    assert figure.stat().st_size > 20_000
    written = (out / "results.json").read_text()
    # from the checkpoints, nothing is trained again; from the settings file, nothing changes
    again = invoke(out / "settings.toml", "--out", out, "--json")
    assert again.exit_code == 0, again.output
    assert "step" not in again.stderr
    assert again.stdout == written
    data = json.loads(written)
    assert data["settings"]["pool"] == 32
    assert data["settings"]["rate"] == 0.01
    assert np.shape(data["parts"][0]["errors"]) == (2, 2, 3)
    other = invoke(file, "--out", out, "--preset", "deep")
    assert other.exit_code == 2  # layers of the preset do not go with placing


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--preset", "shallow"], "--preset = 'shallow' is not allowed: one of deep, two-layer"),
        (["absent.toml"], "absent.toml cannot be read: No such file or directory"),
        (["bad.toml"], "'widht' is no setting of training: did you mean 'width'?"),
        (["--plot", "figure.gif"], "--plot = 'figure.gif' is not allowed"),
    ],
)
def test_bad_usage_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text("widht = 3")
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stderr.strip() == f"kernelspec: {words}" or words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_without_the_extra_the_command_and_the_claim_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    result = invoke("--out", tmp_path)
    assert result.exit_code == 2
    install = 'training needs JAX and optax: pip install "kernelspec[train]"'
    assert result.stderr == f"kernelspec: {install}\n"
    assert invoke("--settings").exit_code == 0
    cells, left_out = plan(select(["training"]), [3], [1.0])
    assert not cells
    assert left_out[0].reason == f"left out: {install}"


@cache
def _once(settings: Any) -> list[Curves]:
    return _REAL(settings)


_REAL = experiment.run_experiment


@pytest.fixture
def _remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutants of the theorem are checked against the same networks."""
    pytest.importorskip("jax")
    monkeypatch.setattr(experiment, "run_experiment", _once)


def check(**changes: Any) -> Record:
    subject = Subject(theorem=dataclasses.replace(Theorem(), **changes))
    (record,) = verify(select(["training"]), [3], [1.0], subject=subject, strict=True).records
    return record


@pytest.mark.usefixtures("_remembered")
def test_trained_networks_follow_the_pattern() -> None:
    record = check()
    assert record.verdict is Verdict.CONSISTENT
    assert record.margin > 0.1
    assert "by construction" in record.note
    assert "oscillatory_L15_adam_tau_0.3" in " ".join(record.details)
    placed = {name: x for name, x in record.details.items() if "placed" in name}
    assert placed["fall_rkhs_L2_placed_tau_10"] > 10 * placed["fall_rkhs_L2_placed_tau_1"]


@pytest.mark.usefixtures("_remembered")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        # more trained neurons, greater mismatch
        ({"kappa_mixture": lambda P, k0, k1: 1 / (P / k0 + (1 - P) / k1)}, "one P to the next"),
        # a greater scale, a smaller mismatch
        ({"kappa0": lambda d, tau: 100 / tau}, "from tau = 10 to 1"),
    ],
)
def test_a_wrong_theorem_is_refuted(changes: dict[str, Any], words: str) -> None:
    record = check(**changes)
    assert record.verdict is Verdict.REFUTED, record
    assert record.margin < 0
    assert words in record.method


@pytest.mark.usefixtures("_remembered")
def test_a_diverged_network_makes_the_claim_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(settings: Any) -> list[Curves]:
        parts = _once(settings)
        errors = parts[0].errors.copy()
        errors[0, 0, 1] = np.nan
        lost = dataclasses.replace(parts[0], errors=errors, failures=("loss is nan at step 3",))
        return [lost, *parts[1:]]

    monkeypatch.setattr(experiment, "run_experiment", spoilt)
    record = check()
    assert record.verdict is Verdict.INCONCLUSIVE
    assert "networks diverged; none was averaged away" in record.note
