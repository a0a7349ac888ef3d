"""Figures of leverage on data: labelled, and right where they mark a number."""

from __future__ import annotations

import io

import numpy as np
import pytest

from kernelspec.plotting import empirical, new_axes


def spectrum(ax):
    empirical.draw_pool_spectrum(ax, 1 / np.arange(1.0, 60) ** 2, [0.1, 0.01], [2, 9], title="t")


def ratios(ax):
    b = np.linspace(-0.5, 0.5, 400)
    table = [2 - b**2, 3 - b]
    bounds = [(1.8, 2.2), (3.0, np.inf)]
    empirical.draw_pool_ratios(ax, b, table, [0.1, 0.01], bounds=bounds, title="t")


def shares(ax):
    curves = {"target": np.linspace(0, 2, 50), "layer": np.linspace(0, 4, 20)}
    empirical.draw_leverage_shares(ax, curves, title="t")


@pytest.mark.parametrize("draw", [spectrum, ratios, shares])
@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_figures_are_labelled_and_can_be_written(draw, suffix):
    figure, ax = new_axes()
    draw(ax)
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert ax.get_title(loc="left") == "t"
    looks = {(line.get_linestyle(), line.get_marker()) for line in ax.get_legend().get_lines()}
    assert len(looks) == len(ax.get_legend().get_lines())
    stream = io.BytesIO()
    figure.savefig(stream, format=suffix)
    assert len(stream.getvalue()) > 5_000


def test_the_mismatch_is_the_line_and_an_open_interval_an_arrow():
    _, ax = new_axes()
    ratios(ax)
    heights = [float(np.ravel(line.get_ydata())[0]) for line in ax.lines if len(line.get_ydata())]
    for kappa in (2 - (0.5 / 399) ** 2, 3.5):
        assert any(height == pytest.approx(kappa, rel=1e-12) for height in heights)
    arrows = [line for line in ax.lines if line.get_marker() == "^" and line.get_markersize() == 6]
    assert [float(np.ravel(line.get_ydata())[0]) for line in arrows] == pytest.approx([1.6 * 3.5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ax: empirical.draw_pool_spectrum(ax, [1.0], [0.1], [], title=""), "dofs of length"),
        (lambda ax: empirical.draw_pool_ratios(ax, [1.0], [[1, 2]], [1], title=""), r"ratios of"),
        (lambda ax: empirical.draw_leverage_shares(ax, {"a": []}, title=""), r"ratios\['a'\]"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(call, message):
    _, ax = new_axes()
    with pytest.raises(ValueError, match=message):
        call(ax)
