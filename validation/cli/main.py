"""The commands, entered into the frame, and the entry point."""

from validation.cli import (
    bound,
    certify,
    decay,
    empirical,
    leverage,
    mismatch,
    plan,
    proportion,
    spectrum,
    verify,
)
from validation.cli.app import app, main
from validation.collapse.command import collapse
from validation.realdata.command import real_data
from validation.sweeps.command import sweep
from validation.three_layer.command import three_layer
from validation.training.command import train

__all__ = [
    "app",
    "bound",
    "certify",
    "decay",
    "empirical",
    "leverage",
    "main",
    "mismatch",
    "plan",
    "proportion",
    "spectrum",
    "verify",
]

app.command()(sweep)
app.command()(collapse)
app.command()(train)
app.command()(three_layer)
app.command()(real_data)
