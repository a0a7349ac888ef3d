"""The command line `kernelspec`: one module a command."""

from validation.cli import bound, leverage, mismatch, proportion, spectrum, verify
from validation.cli.app import app, main
from validation.sweeps.command import sweep

__all__ = ["app", "bound", "leverage", "main", "mismatch", "proportion", "spectrum", "verify"]

app.command()(sweep)
