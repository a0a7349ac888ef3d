"""Figures of sweeps: labelled, distinguishable, and true to the numbers."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from rich.console import Console

from kernelspec.plotting import new_axes
from kernelspec.plotting.sweeps import (
    ErrorCurve,
    draw_error_against_proportion,
    draw_error_against_width,
)
from validation.sweeps import SweepProgress, SweepTable
from validation.sweeps.figures import sweep_figure
from validation.sweeps.progress import SweepBar

M = np.array([32, 64, 128, 256])
P = np.array([0.0, 0.25, 0.5, 1.0])


def curve(label: str, level: float, **more: Any) -> ErrorCurve:
    error = level * np.array([[1.0, 1.2, 1.1]]) * M[:, None] ** -1.75
    return ErrorCurve(label, error, 0.9 * error, 1.1 * error, **more)


def against_width(ax: Axes) -> None:
    bound = {"bound": (M, 100.0 / M)}
    curves = [curve(f"$P={p:g}$", 1 - 0.9 * p, predictions=bound) for p in P]
    draw_error_against_width(ax, M, curves, title="$d=5$", n_width=0.01 * M**-1.75, alpha=1.75)


def against_proportion(ax: Axes) -> None:
    prediction = {"sharp": (P, 1 - 0.5 * P), "theorem": (P, 2 - 1.5 * P)}
    curves = [curve(rf"$\tau={t}$", t, predictions=prediction) for t in (1.0, 3.0, 10.0)]
    draw_error_against_proportion(ax, P, curves, title="$d=5$")


@pytest.mark.parametrize("draw", [against_width, against_proportion])
def test_figures_are_labelled_and_series_differ_in_more_than_colour(
    draw: Callable[[Axes], None],
) -> None:
    figure, ax = new_axes()
    draw(ax)
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    legend = ax.get_legend()
    assert legend is not None
    lines = legend.get_lines()
    looks = {(line.get_marker(), repr(vars(line)["_dash_pattern"])) for line in lines}
    assert len(looks) == len(lines) >= 5
    figure.savefig(io.BytesIO(), format="png")


def test_legend_covers_no_curve() -> None:
    figure, ax = new_axes()
    against_width(ax)
    figure.draw_without_rendering()
    legend = ax.get_legend()
    assert legend is not None
    assert not legend.get_window_extent().overlaps(ax.get_window_extent())


def test_markers_are_medians_and_bands_reach_over_all_enclosures() -> None:
    _, ax = new_axes()
    one = curve("one", 1.0)
    draw_error_against_width(ax, M, [one], title="$d=5$")
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), np.median(one.error, axis=1))
    band = ax.collections[0].get_paths()[0].vertices
    for width, lower, upper in zip(M, np.asarray(one.lower), np.asarray(one.upper), strict=True):
        heights = band[band[:, 0] == width, 1]
        assert heights.min() == lower.min()
        assert heights.max() == upper.max()


def test_triangle_has_the_slope_and_lies_under_every_curve() -> None:
    _, ax = new_axes()
    n_width = 0.01 * M**-1.75
    draw_error_against_width(ax, M, [curve("one", 1.0)], title="$d=5$", n_width=n_width, alpha=1.75)
    corners = np.log(ax.patches[0].get_path().vertices[:3])
    (x0, high), (_, low), (x1, _) = corners
    assert (high - low) / (x0 - x1) == pytest.approx(-1.75)
    assert high < np.log(0.01) - 1.75 * x0


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        ([], "0 curves are not allowed"),
        ([curve("one", 1.0)] * 7, "7 curves are not allowed"),
        (
            [ErrorCurve("short", [[1.0]], [[1.0]], [[1.0]])],
            r"the error of 'short' of shape \(1, 1\)",
        ),
    ],
)
def test_curves_that_do_not_fit_are_refused(curves: list[ErrorCurve], words: str) -> None:
    _, ax = new_axes()
    with pytest.raises(ValueError, match=words):
        draw_error_against_width(ax, M, curves, title="$d=5$")


def test_shapes_of_a_curve_must_agree() -> None:
    with pytest.raises(ValueError, match=r"one shape \(n, seeds\)"):
        ErrorCurve("one", [1.0], [1.0], [1.0])
    with pytest.raises(ValueError, match=r"one shape \(n, seeds\)"):
        ErrorCurve("one", [[1.0]], [[1.0, 2.0]], [[1.0]])


COLUMNS = ("d", "order", "m", "P", "tau", "delta", "replicate")
NUMBERS = ("explicit_bound", "n_width", "error", "lower", "upper")


def table(d: tuple[int, ...], m: tuple[int, ...], P: tuple[float, ...]) -> SweepTable:
    rows = [
        (di, 1, mi, p, tau, 0.1, seed, 9.0 / mi, 0.01 / mi, (2 - p) / mi, 0.9 / mi, 2.2 / mi)
        for di in d
        for mi in m
        for p in P
        for tau in (1.0, 4.0)
        for seed in (0, 1)
    ]
    return SweepTable(COLUMNS + NUMBERS, tuple(rows))


@pytest.mark.parametrize(
    ("m", "P", "panels"),
    [((8, 16), (0.0, 1.0), 4), ((8, 16), (0.5,), 2), ((8,), (0.0, 0.5, 1.0), 2)],
)
def test_a_panel_for_each_axis_and_dimension(
    m: tuple[int, ...], P: tuple[float, ...], panels: int
) -> None:
    figure = sweep_figure(table((3, 5), m, P))
    assert len(figure.axes) == panels
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert all("d=" in title and "delta" in title for title in titles)


def test_predictions_pass_through_the_error_at_the_largest_proportion() -> None:
    [ax] = sweep_figure(table((5,), (8,), (0.0, 0.5, 1.0))).axes
    dashed = [line for line in ax.lines if line.get_linestyle() != "-" and len(line.get_xdata())]
    assert len(dashed) == 4
    for line in dashed:
        np.testing.assert_allclose(np.asarray(line.get_ydata())[-1], 1 / 8)


def test_many_proportions_are_thinned_to_curves_that_can_be_told_apart() -> None:
    [ax, _] = sweep_figure(table((3,), (8, 16), tuple(np.linspace(0, 1, 11).tolist()))).axes
    labels = [line.get_label() for line in ax.lines if str(line.get_label()).startswith("$P=")]
    assert labels == ["$P=0$", "$P=0.3$", "$P=0.7$", "$P=1$"]


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="7 combinations of d, order and delta are too many"):
        sweep_figure(table(tuple(range(2, 9)), (8, 16), (0.0,)))


def shown(terminal: bool) -> str:
    text = io.StringIO()
    console = Console(file=text, force_terminal=terminal, width=100)
    with SweepBar(console) as bar:
        bar(SweepProgress(100, 40, 0, 0.4, 0.0, None))
        for done in range(41, 51):
            bar(SweepProgress(100, done, 2, done / 100, 60.0, 125.0))
        bar(SweepProgress(100, 98, 2, 1.0, 60.0, 0.0))
    return text.getvalue()


def test_progress_in_a_log_is_a_few_whole_lines() -> None:
    assert shown(terminal=False).splitlines() == [
        "sweep: 40 of 100 cells",
        "sweep: 45 of 100 cells, 2 failed, about 2 min 05 s left",
        "sweep: 50 of 100 cells, 2 failed, about 2 min 05 s left",
        "sweep: 98 of 100 cells, 2 failed",
    ]


def test_progress_on_a_terminal_is_a_bar() -> None:
    assert "98 of 100 cells, 2 failed" in shown(terminal=True)
