from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex
from typer.testing import CliRunner

from kernelspec import BiasedReLU, GaussianInit, RidgeLeverage
from kernelspec.plotting import new_axes
from kernelspec.plotting.collapse import draw_collapse, draw_spreads
from kernelspec.predictors import active_share, deterministic_equivalent, homogeneous_error
from validation.cli.app import app
from validation.collapse import Measured, Stage, collapse_figure, compare, judge, measure
from validation.collapse.candidates import CANDIDATES, Counts, counts, power
from validation.collapse.command import collapse, report
from validation.collapse.comparison import departures, usable
from validation.collapse.stages import leverage_ridge
from validation.collapse.transition import proportions

SMALL = Stage(
    name="small",
    seed=3,
    d=(3, 5),
    tau=(2.0, 8.0),
    P=(0.0, 0.3),
    m=(160,),
    reference=(16, 40, 96, 160),
    seeds=2,
    reference_seeds=2,
)
OTHER = Stage(
    name="other",
    seed=4,
    d=(4,),
    tau=(4.0,),
    P=(0.0, 0.3),
    m=(160,),
    reference=(16, 40, 96, 160),
    seeds=2,
    reference_seeds=2,
)


def synthetic(d: int, truth: str) -> Measured:
    """Networks whose error is exactly a function of one candidate's count."""
    tau, P, m = (
        x.ravel() for x in np.meshgrid([2.0, 7.0], [0.0, 0.1, 0.5], [256.0, 1024.0], indexing="ij")
    )
    width = np.array([8.0, 32.0, 128.0, 512.0, 1024.0])
    empty = Measured(
        d, leverage_ridge(d), tau, P, m, np.zeros(m.size), np.full(m.size, 0.05), width,
        np.zeros(width.size),
    )  # fmt: skip
    effective = counts(empty, CANDIDATES[truth])

    def law(count: np.ndarray) -> np.ndarray:
        return -3 - 2.0 * np.log(count)

    return Measured(
        d, empty.lam, tau, P, m, law(effective.networks), empty.noise, width,
        law(effective.reference),
    )  # fmt: skip


@pytest.mark.parametrize("truth", list(CANDIDATES))
def test_the_true_candidate_collapses_and_no_other_does(truth: str) -> None:
    result = compare(synthetic(5, truth))
    spreads = {name: spread.rms for name, spread in result.spreads.items()}
    assert spreads.pop(truth) < 1e-9
    if truth != "active":
        spreads.pop("power")
    if truth == "kink measure":
        assert result.gamma == pytest.approx(1.5)
    assert min(value for name, value in spreads.items() if name != "power") > 0.02
    assert result.noise == pytest.approx(0.05)


def test_power_is_found_on_its_grid() -> None:
    measured = synthetic(5, "active")
    for gamma in (0.0, 0.35, 1.2):
        effective = counts(measured, power(gamma))
        made = Measured(
            5, measured.lam, measured.tau, measured.P, measured.m, -3 - np.log(effective.networks),
            measured.noise, measured.reference_m, -3 - np.log(effective.reference),
        )  # fmt: skip
        assert compare(made).gamma == pytest.approx(gamma)


def test_counts_of_the_candidates() -> None:
    measured = synthetic(3, "active")
    model, initial = BiasedReLU(3), GaussianInit(3, 7.0)
    trained = RidgeLeverage(model, measured.lam)
    row = int(np.flatnonzero((measured.tau == 7) & (measured.P == 0.1) & (measured.m == 256))[0])
    expected = 256 * (0.1 * active_share(trained) + 0.9 * active_share(initial))
    assert counts(measured, CANDIDATES["active"]).networks[row] == pytest.approx(expected)
    supremum = counts(measured, CANDIDATES["supremum"])
    np.testing.assert_allclose(supremum.reference, measured.reference_m, rtol=1e-8)


def test_absolute_predictions_are_held_against_the_errors() -> None:
    measured = synthetic(5, "active")
    model = BiasedReLU(5)
    active = counts(measured, CANDIDATES["active"]).networks
    log_error = np.log([homogeneous_error(model, n) for n in active]) + 0.25
    made = Measured(
        5, measured.lam, measured.tau, measured.P, measured.m, log_error, measured.noise,
        measured.reference_m, measured.reference_log_error,
    )  # fmt: skip
    result = compare(made, 0.0)
    assert result.homogeneous.bias == pytest.approx(0.25, abs=1e-9)
    assert result.homogeneous.rms == pytest.approx(0.25, abs=1e-9)
    trained = RidgeLeverage(model, measured.lam)
    predicted = deterministic_equivalent(model, trained, 512).error
    expected = math.exp(measured.reference_log_error[3]) / predicted
    assert result.reference_ratio[3] == pytest.approx(expected, rel=1e-9)


def test_departures_stop_where_the_curve_does() -> None:
    measured = synthetic(3, "active")
    effective = Counts(np.geomspace(1, 2000, measured.m.size), np.geomspace(8, 1024, 5))
    away = departures(measured, effective)
    inside = (effective.networks >= 8) & (effective.networks <= 1024)
    assert np.all(np.isnan(away) == ~inside)


def test_small_study(tmp_path: Path) -> None:
    found = list(judge([4], tmp_path, stages=(SMALL, OTHER)))
    assert [(name, result.measured.d) for name, result, _ in found] == [
        ("small", 3),
        ("small", 5),
        ("other", 4),
    ]
    powers = [result.gamma for _, result, _ in found]
    assert powers[2] == pytest.approx((powers[0] + powers[1]) / 2)
    for name, result, rows in found:
        measured = result.measured
        assert measured.log_error.size == (4 if name == "small" else 2)
        spreads = result.spreads
        assert spreads["deterministic equivalent"].rms < 0.5 * spreads["supremum"].rms
        assert result.absolute.rms < 0.6
        assert result.reference_ratio[-1] == pytest.approx(1, abs=0.35)
        text = "\n".join(report(name, result, rows))
        assert f"d = {measured.d}" in text
        assert all(candidate in text for candidate in spreads)
        for row in rows:
            assert 0 < row.theorem < row.sharp < 1
            assert 0 < row.measured < 1
            assert 0 < row.equivalent < 1
    # a second run measures nothing anew and gives the same numbers
    again = measure(SMALL, 3, tmp_path)
    np.testing.assert_array_equal(again.log_error, found[0][1].measured.log_error)
    figure = collapse_figure([result for _, result, _ in found], "small")
    assert len(figure.axes) == 9
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    assert len(stream.getvalue()) > 20_000


def test_measured_rows_average_their_seeds(tmp_path: Path) -> None:
    from validation.sweeps import read_table

    measured = measure(OTHER, 4, tmp_path)
    table = read_table(tmp_path / "other" / "d=4" / "networks" / "table.csv")
    assert measured.P.tolist() == [0.0, 48 / 160]
    for P, log_error, noise in zip((0.0, 0.3), measured.log_error, measured.noise, strict=True):
        values = np.log(table.where(P=P)["error"])
        assert log_error == pytest.approx(values.mean())
        assert noise == pytest.approx(abs(values[0] - values[1]) / 2)
    assert measured.reference_m.tolist() == [16, 40, 96, 160]
    assert np.all(np.diff(measured.reference_log_error) < 0)


def test_saturated_networks_are_left_out() -> None:
    measured = synthetic(3, "active")
    mu = BiasedReLU(3).eigenvalues(2)[2]
    edge = math.log(mu) - 1
    log_error = np.full(measured.m.size, edge - 0.1)
    log_error[:3] = edge + 0.1
    made = Measured(
        3, measured.lam, measured.tau, measured.P, measured.m, log_error, measured.noise,
        measured.reference_m, measured.reference_log_error,
    )  # fmt: skip
    assert usable(made).sum() == measured.m.size - 3
    assert compare(made, 0.0).saturated == 3


def test_proportions_recover_a_known_curve() -> None:
    # error exactly as the equivalent predicts: measured and predicted agree up to interpolation
    d, m, tau = 5, 512, 10.0
    model, lam = BiasedReLU(d), leverage_ridge(5)
    trained, initial = RidgeLeverage(model, lam), GaussianInit(d, tau)
    from kernelspec import Mixture

    P = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7])
    error = [
        deterministic_equivalent(model, Mixture([trained, initial], [x, 1 - x]), m).error
        for x in P.tolist()
    ]
    full = deterministic_equivalent(model, trained, m).error
    measured = Measured(
        d, lam, np.full(P.size, tau), P, np.full(P.size, m), np.log(error), np.zeros(P.size),
        np.array([m]), np.log([full]),
    )  # fmt: skip
    (row,) = proportions(measured, m)
    assert row.measured == pytest.approx(row.equivalent, abs=0.01)
    assert row.sharp == pytest.approx(0.163, abs=1e-3)
    assert row.theorem == pytest.approx(0.0406, abs=1e-4)


def test_unknown_dimensions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="d = 4 is not allowed"):
        measure(SMALL, 4, tmp_path)
    with pytest.raises(ValueError, match="dimensions"):
        next(judge([9], tmp_path))


def test_command_refuses_in_one_line(tmp_path: Path) -> None:
    import typer

    from validation.cli.app import OneLineErrors

    alone = typer.Typer(cls=OneLineErrors)
    alone.command()(collapse)
    alone.command("other")(lambda: None)
    assert app is not alone
    result = CliRunner().invoke(alone, ["collapse", "--d", "9", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "--d" in result.output
    assert "9" in result.output


# ---------------------------------------------------------------- drawing


def test_collapse_is_labelled_and_series_differ_in_more_than_colour() -> None:
    _, ax = new_axes()
    m = np.array([10.0, 100.0])
    series = {f"tau = {tau}": (m, 1 / m) for tau in (1, 2, 3)}
    draw_collapse(ax, series, (m, 1 / m), x="width", title="d = 3")
    assert ax.get_xlabel() == "width"
    assert "error" in ax.get_ylabel()
    assert ax.get_title(loc="left") == "d = 3"
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    lines = ax.get_legend().get_lines()
    assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == len(lines) == 4
    assert len({to_hex(line.get_color()) for line in lines}) == 4


def test_spreads_are_drawn_from_the_top_with_their_numbers() -> None:
    _, ax = new_axes()
    draw_spreads(ax, {"a": 1.0, "b": 0.25}, noise=0.1, title="d = 3")
    low, high = ax.get_ylim()
    assert low > high
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.25"]
    assert ax.get_legend() is not None
    assert ax.get_xlim()[0] < 0.1


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda ax: draw_collapse(ax, {}, ([1], [1]), x="m", title=""), "series"),
        (lambda ax: draw_collapse(ax, {"a": ([1, 2], [1])}, ([1], [1]), x="m", title=""), "'a'"),
        (lambda ax: draw_collapse(ax, {"a": ([1], [1])}, ([1], []), x="m", title=""), "reference"),
        (lambda ax: draw_spreads(ax, {}, title=""), "spreads"),
        (lambda ax: draw_spreads(ax, {"a": float("nan")}, title=""), "spreads"),
    ],
)
def test_drawings_refuse_what_they_cannot_draw(draw: object, message: str) -> None:
    assert callable(draw)
    with pytest.raises(ValueError, match=message):
        draw(new_axes()[1])


def test_an_empty_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="comparisons"):
        collapse_figure([], "none")
