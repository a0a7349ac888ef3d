from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes

from kernelspec import plotting


def spectrum(ax: Axes) -> None:
    k = np.arange(30)
    plotting.draw_spectrum(ax, k, 1.0 / (k + 1) ** 7, d=5, constant=2.0)


def leverage(ax: Axes) -> None:
    b = np.linspace(-1, 1, 50)
    plotting.draw_leverage(ax, b, [1 - b**2, (1 - b**2) ** 2], [1e-2, 2.5e-6], d=5, limit=1 - b)


def mismatch(ax: Axes) -> None:
    lam = np.geomspace(1e-6, 1, 20)
    kappa = [2 + lam, 20 + lam]
    plotting.draw_mismatch(
        ax,
        lam,
        kappa,
        [1.0, 10.0],
        d=6,
        limits=[1.9, 19.0],
        holds_below=[0.05, np.inf],
    )


def captured_share(ax: Axes) -> None:
    P = np.linspace(0, 1, 50)
    plotting.draw_captured_share(
        ax, P, {"a": P**0.2, "b": P**0.5}, title="$d=5$", wanted=0.9, at=[0.59, 0.81]
    )


def error_bounds(ax: Axes) -> None:
    m = np.array([10, 100, 1000])
    plotting.draw_error_bounds(ax, m, {"bound": 1 / m, "floor": 0.1 / m}, title="$d=5$")


DRAWINGS = [spectrum, leverage, mismatch, captured_share, error_bounds]


@pytest.mark.parametrize("draw", DRAWINGS)
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures_are_labelled_and_can_be_written(draw: Callable[[Axes], None], suffix: str) -> None:
    figure, ax = plotting.new_axes()
    draw(ax)
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert "d=" in ax.get_title(loc="left")
    assert ax.get_legend() is not None
    stream = io.BytesIO()
    figure.savefig(stream, format=suffix)
    assert len(stream.getvalue()) > 5_000


@pytest.mark.parametrize("draw", DRAWINGS)
def test_series_differ_in_more_than_colour(draw: Callable[[Axes], None]) -> None:
    _, ax = plotting.new_axes()
    draw(ax)
    looks = {
        (line.get_linestyle(), line.get_marker(), repr(vars(line)["_dash_pattern"]))
        for line in ax.get_legend().get_lines()
    }
    assert len(looks) == len(ax.get_legend().get_lines())


def test_the_ridge_up_to_which_a_constant_holds_is_marked_where_finite() -> None:
    _, ax = plotting.new_axes()
    mismatch(ax)
    assert [text.get_text() for text in ax.texts] == [r"$\lambda_*=0.05$"]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda ax: plotting.draw_spectrum(ax, [1, 2], [1.0], d=3),
            r"eigenvalues of shape \(1,\) are not allowed: the shape of degrees, \(2,\)",
        ),
        (
            lambda ax: plotting.draw_leverage(ax, [0, 1], [[1, 1]], [0.1, 0.2], d=3),
            r"ratios of shape \(1, 2\) are not allowed: .* = \(2, 2\)",
        ),
        (
            lambda ax: plotting.draw_mismatch(ax, [0.1], [[1.0, 2.0]], [1.0], d=3),
            r"kappa of shape \(1, 2\) is not allowed: .* = \(1, 1\)",
        ),
        (
            lambda ax: plotting.draw_captured_share(ax, [0, 1], {"a": [0]}, title=""),
            r"shares\['a'\] of shape \(1,\) is not allowed: the shape of P, \(2,\)",
        ),
        (
            lambda ax: plotting.draw_error_bounds(ax, [1, 2], {"a": [0]}, title=""),
            r"curves\['a'\] of shape \(1,\) is not allowed: the shape of m, \(2,\)",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(draw: Callable[[Axes], None], message: str) -> None:
    _, ax = plotting.new_axes()
    with pytest.raises(ValueError, match=message):
        draw(ax)


def test_drawing_leaves_pyplot_alone() -> None:
    code = (
        "import sys; from kernelspec import plotting; figure, ax = plotting.new_axes(); "
        "plotting.draw_spectrum(ax, [1, 2], [1.0, 0.1], d=3); "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
