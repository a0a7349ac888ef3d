"""Figures: functions that draw data onto axes they are given.

Nothing here opens, shows or saves a figure, and nothing touches pyplot's global state:
make axes with :func:`new_axes` (or any other way) and pass them in.
"""

from kernelspec.plotting.bounds import draw_captured_share, draw_error_bounds
from kernelspec.plotting.collapse import draw_collapse, draw_spreads
from kernelspec.plotting.decay import draw_decay
from kernelspec.plotting.empirical import (
    draw_leverage_shares,
    draw_pool_ratios,
    draw_pool_spectrum,
)
from kernelspec.plotting.leverage import draw_leverage
from kernelspec.plotting.mismatch import draw_mismatch
from kernelspec.plotting.planning import draw_frontiers, draw_marginal_gains
from kernelspec.plotting.spectrum import draw_spectrum
from kernelspec.plotting.style import COLOURS, dress, new_axes
from kernelspec.plotting.sweeps import (
    ErrorCurve,
    draw_error_against_proportion,
    draw_error_against_width,
)

__all__ = [
    "COLOURS",
    "ErrorCurve",
    "draw_captured_share",
    "draw_collapse",
    "draw_decay",
    "draw_error_against_proportion",
    "draw_error_against_width",
    "draw_error_bounds",
    "draw_frontiers",
    "draw_leverage",
    "draw_leverage_shares",
    "draw_marginal_gains",
    "draw_mismatch",
    "draw_pool_ratios",
    "draw_pool_spectrum",
    "draw_spectrum",
    "draw_spreads",
    "dress",
    "new_axes",
]
