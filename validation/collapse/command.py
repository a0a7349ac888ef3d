"""`kernelspec collapse`: measure networks, compare what predicts their errors, and draw it.

Heavy imports wait until the command runs, so that `--help` answers at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options

if TYPE_CHECKING:
    from validation.collapse.comparison import Comparison
    from validation.collapse.transition import Proportion

__all__ = ["collapse", "report"]


def collapse(
    d: Annotated[
        str, typer.Option("--d", help="Ambient dimensions, comma-separated: some of 2, 3, 4, 5.")
    ] = "2,3,4,5",
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the networks: new, or of the same run.")
    ] = Path("kernelspec-out/collapse"),
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes; the numbers do not depend on them.")
    ] = 1,
    plot: options.Plot = None,
) -> None:
    """Ask what predicts the error of partly trained networks.

    A power of the kink's radius is chosen on networks of d = 2, 3, 5 and tau = 1, 3, 10. All
    candidates are then judged on other networks, of tau = 2, 6, 20 and also of d = 4, for which the
    powers of d = 3 and 5 are averaged. Takes about ten minutes on one core, and goes on
    where it was stopped.

    \f

    Examples
    --------
    >>> from typer.testing import CliRunner
    >>> from validation.cli.main import app
    >>> answer = CliRunner().invoke(app, ["collapse", "--d", "6"])
    >>> answer.exit_code, answer.output.strip()
    (2, 'kernelspec: --d = 6 is not allowed: an integer from 2 to 5')
    """  # noqa: D301 (\f ends what --help shows)
    dimensions = sorted(arguments.integers("--d", d, 2, 5))
    figure = arguments.figure_file(plot)
    arguments.output_directory("--out", str(out))

    from validation.collapse.figure import save_figure
    from validation.collapse.judging import judge
    from validation.collapse.stages import FRESH
    from validation.sweeps.progress import SweepBar

    judged: list[Comparison] = []
    for name, comparison, rows in judge(dimensions, out, jobs=jobs, progress=SweepBar):
        typer.echo("\n".join(report(name, comparison, rows)))
        if name == FRESH.name:
            judged.append(comparison)
    if figure is not None:
        save_figure(judged, FRESH.name, figure)
        typer.echo(f"figure: {figure}")


def report(stage: str, comparison: Comparison, rows: Sequence[Proportion]) -> list[str]:
    """Write the numbers of one comparison as lines of text.

    Examples
    --------
    >>> import numpy as np
    >>> from validation.collapse import Measured, compare
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([16, 32, 64, 128]),
    ...     reference_log_error=np.array([-5.1, -9.4, -10.9, -12.7]),
    ... )
    >>> lines = report("example", compare(measured, gamma=1.0), [])
    >>> print(lines[0])
    example networks, d = 3, tau = 3: noise 0.100, 0 saturated
    >>> lines[1].split()
    ['candidate', 'spread', 'largest', 'bias', 'n']
    """
    measured = comparison.measured
    lines = [
        f"{stage} networks, d = {measured.d}, tau = "
        f"{', '.join(f'{tau:g}' for tau in sorted(set(measured.tau.tolist())))}: "
        f"noise {comparison.noise:.3f}, {comparison.saturated} saturated",
        f"  {'candidate':<26}{'spread':>8}{'largest':>9}{'bias':>8}{'n':>5}",
    ]
    named = {
        f"{name} {comparison.gamma:.3g}" if name == "power" else name: spread
        for name, spread in comparison.spreads.items()
    }
    named["equivalent, absolute"] = comparison.absolute
    named["homogeneous, absolute"] = comparison.homogeneous
    for name, spread in named.items():
        lines.append(
            f"  {name:<26}{spread.rms:>8.3f}{spread.largest:>9.3f}{spread.bias:>8.3f}{spread.n:>5}"
        )
    ratios = zip(measured.reference_m.tolist(), comparison.reference_ratio.tolist(), strict=True)
    lines.append(
        "  P = 1, measured over predicted: "
        + ", ".join(f"{ratio:.2f} at {m:g}" for m, ratio in ratios)
    )
    for row in rows:
        lines.append(
            f"  P for 90 % of the reduction, m = {row.m}, tau = {row.tau:g}: "
            f"measured {row.measured:.3f}, equivalent {row.equivalent:.3f}, "
            f"sharp constant {row.sharp:.3f}, theorem {row.theorem:.3f}"
        )
    return lines
