"""The command line `kernelspec`: one module a command."""

from validation.cli import bound, certify, leverage, mismatch, proportion, spectrum, verify
from validation.cli.app import app, main
from validation.collapse.command import collapse
from validation.sweeps.command import sweep

__all__ = [
    "app",
    "bound",
    "certify",
    "leverage",
    "main",
    "mismatch",
    "proportion",
    "spectrum",
    "verify",
]

app.command()(sweep)
app.command()(collapse)
