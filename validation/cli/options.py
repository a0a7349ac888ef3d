"""Options that several commands share. Values arrive as text: see `validation.cli.arguments`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

__all__ = [
    "CONSTANTS",
    "Constant",
    "Dataset",
    "Dimension",
    "Json",
    "Key",
    "Order",
    "Plot",
    "Points",
    "Ridges",
    "Sphere",
    "Tau",
    "Taus",
]

CONSTANTS: Final = ("theorem", "limit", "supremum")

Dimension = Annotated[str, typer.Option("--d", help="Ambient dimension, 2 to 1000.")]
Order = Annotated[
    str, typer.Option("--order", help="Order s of the activation, 0 to 5; 1 is ReLU.")
]
Tau = Annotated[str, typer.Option("--tau", help="Scale of the initial biases, > 0.")]
Taus = Annotated[str, typer.Option("--tau", help="Scales of the initial biases, comma-separated.")]
Ridges = Annotated[str, typer.Option("--lam", help="Ridges, comma-separated, > 0.")]
Constant = Annotated[
    str,
    typer.Option(
        "--constant",
        help="kappa_0: the theorem's, its limit as lambda -> 0, or its supremum over lambda.",
    ),
]
Points = Annotated[
    str | None, typer.Argument(help="Points, a row each: .csv, .tsv, .txt, .npy or .npz.")
]
Key = Annotated[str | None, typer.Option("--key", help="Array in an NPZ file.")]
Dataset = Annotated[
    str | None,
    typer.Option("--dataset", help="Instead of a file: digits, diabetes or breast-cancer."),
]
Sphere = Annotated[
    bool, typer.Option("--sphere", help="Centre the points and scale each to norm 1.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Plot = Annotated[
    str | None, typer.Option("--plot", help="Draw a figure: FILE.png, FILE.svg or FILE.pdf.")
]
