"""`kernelspec certify` and `kernelspec check`: proofs of the mismatch constant and their replay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from validation.cli import arguments, options
from validation.cli.app import app

_STATUS = {"certified": 0, "refuted": 1, "inconclusive": 3}


@app.command()
def certify(
    d: options.Dimension = "5",
    tau: Annotated[str, typer.Option("--tau", help="Smallest scale of the biases, > 0.")] = "1",
    constant: Annotated[
        str,
        typer.Option("--constant", help="C in kappa <= C t: 'theorem', 'limit', or a number."),
    ] = "theorem",
    out: Annotated[
        str | None, typer.Option("--out", help="Write the certificate to this file (JSON).")
    ] = None,
) -> None:
    """Prove or refute kappa(lambda; q_t) <= C t for every ridge and every t >= tau."""
    dimension = arguments.dimension(d)
    scale = arguments.positive("--tau", tau)
    named = constant in ("theorem", "limit")
    if not named:
        arguments.positive("--constant", constant)
    path = None if out is None else _writable(out)

    from fractions import Fraction

    from kernelspec.certify.certificate import write_certificate
    from kernelspec.certify.constants import limit_constant, theorem_constant
    from kernelspec.certify.mismatch import certify_mismatch

    # decimals are taken as the fractions they are written as, not as their floats
    exact = {"theorem": theorem_constant(dimension), "limit": limit_constant(dimension)}
    claimed = exact[constant] if named else Fraction(constant)
    result = certify_mismatch(dimension, Fraction(tau), claimed)
    written = path is not None and result.verdict != "inconclusive"
    if path is not None and written:  # before a reader of the first lines may close the pipe
        write_certificate(result, path)
    typer.echo(f"{result.verdict}: kappa(lambda; q_t) <= {result.constant} t")
    typer.echo(f"  for d = {dimension}, every lambda > 0 and every t >= {scale:g}")
    typer.echo(f"  {result.reason}")
    if written:
        typer.echo(f"written: {path}")
    raise typer.Exit(_STATUS[result.verdict])


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="A certificate written by `kernelspec certify`.")],
) -> None:
    """Replay a certificate with a checker that trusts nothing in it but the claim."""
    from kernelspec.certify.check import check_certificate

    try:
        result = check_certificate(file)
    except OSError as error:
        raise typer.BadParameter(
            f"FILE = {file!r} is not allowed: a readable file ({error.strerror})"
        ) from None
    typer.echo(f"{'valid' if result.valid else 'rejected'}: {result.claim or file}")
    typer.echo(f"  {result.reason}")
    raise typer.Exit(0 if result.valid else 1)


def _writable(text: str) -> Path:
    from validation.files import prepare_file

    path = Path(text)
    try:
        prepare_file(path)
    except ValueError as error:
        raise typer.BadParameter(f"--out = {error}") from None
    return path
