"""An experiment as rows of numbers and lines of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import brentq

from kernelspec import BiasedReLU
from validation.training.experiment import Curves
from validation.training.heights import TrainedLaw, trained_law
from validation.training.settings import TrainingSettings
from validation.training.summary import Sharpening, Summary, sharpening, summarise

if TYPE_CHECKING:
    from validation.fits import JointFit

__all__ = ["document", "fits", "laws", "leverage_ridge", "remarks", "rows", "table_rows"]

_SMALLEST, _LARGEST = 1e-30, 1e3
_FEWEST_TO_FIT: Final = 4  # proportions
_NEURONS_PER_DEGREE: Final = 2.0  # of freedom of the leverage law


def leverage_ridge(model: BiasedReLU, width: int) -> float:
    """Return the ridge with half as many degrees of freedom N(lambda) as there are neurons.

    Examples
    --------
    >>> model = BiasedReLU(3)
    >>> round(float(model.degrees_of_freedom(leverage_ridge(model, 64))), 6)
    32.0
    """
    wanted = width / _NEURONS_PER_DEGREE

    def excess(log_ridge: float) -> float:
        return math.log(float(model.degrees_of_freedom(math.exp(log_ridge))) / wanted)

    return math.exp(brentq(excess, math.log(_SMALLEST), math.log(_LARGEST), xtol=1e-12))


def rows(curves: Sequence[Curves]) -> list[dict[str, Any]]:
    """Return a row for each part and tau: how far the error falls, and how early.

    Examples
    --------
    >>> from validation.training.experiment import Label
    >>> curves = Curves(
    ...     Label("rkhs", 3, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> (row,) = rows([curves])
    >>> row["tau"], round(row["fall"]), row["failed"]
    (1.0, 100, 0)
    """
    return [_row(found) for part in curves for found in summarise(part)]


def _row(found: Summary) -> dict[str, Any]:
    return {
        "target": found.label.target,
        "layers": found.label.layers,
        "method": found.label.method,
        "tau": found.tau,
        "first": float(found.error[0]),
        "last": float(found.error[-1]),
        "fall": found.fall,
        "fall_low": found.fall_low,
        "fall_high": found.fall_high,
        "P90": found.needed,
        "P90_low": found.needed_low,
        "P90_high": found.needed_high,
        "joint": found.joint,
        "failed": found.failed,
    }


def laws(
    curves: Sequence[Curves], model: BiasedReLU, lam: float
) -> list[tuple[Curves, float, TrainedLaw]]:
    """Compare the neurons trained at the greatest P with the leverage law, where L = 2.

    Examples
    --------
    Heights drawn from the leverage law itself, whose kappa_1 is 1:

    >>> from kernelspec import RidgeLeverage
    >>> from validation.training.experiment import Label
    >>> model = BiasedReLU(3)
    >>> b = RidgeLeverage(model, 1e-3).sample(4000, rng=0)[:, -1]
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0,), P=(0.0, 1.0), errors=np.ones((1, 20, 2)),
    ...     standard_errors=np.zeros((1, 20, 2)), joint=np.full((1, 20, 2), np.nan),
    ...     heights=np.tile(b.reshape(1, 20, 1, 200), (1, 1, 2, 1)), failures=(), at_floor=0,
    ... )
    >>> ((part, tau, law),) = laws([curves], model, 1e-3)
    >>> tau, law.kappa_low <= 1.0 <= law.kappa_high
    (1.0, True)
    """
    found = []
    for part in curves:
        for i, tau in enumerate(part.tau):
            heights = part.heights[i, :, -1]
            if heights.shape[-1] and np.isfinite(heights).any(axis=1).sum() >= 2:
                found.append((part, tau, trained_law(model, heights, lam)))
    return found


def fits(curves: Sequence[Curves]) -> list[tuple[Curves, JointFit]]:
    """Fit E(P) = floor + A kappa_P^alpha jointly over tau, where L = 2 and there are several taus.

    What a seed's target adds to log E at every tau and P is taken out first. The errors left are
    not independent of one another, as the fit's intervals suppose: they are indicative.

    Examples
    --------
    Errors of four seeds about kappa_P^2, with kappa_0 of 2 and 5:

    >>> from validation.training.experiment import Label
    >>> P = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
    >>> exact = (P + (1 - P) / np.array([[2.0], [5.0]])) ** -2
    >>> noise = np.exp(0.01 * np.random.default_rng(0).standard_normal((2, 4, 6)))
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0, 3.0), P=tuple(P), errors=exact[:, None] * noise,
    ...     standard_errors=np.zeros((2, 4, 6)), joint=np.full((2, 4, 6), np.nan),
    ...     heights=np.zeros((2, 4, 6, 0)), failures=(), at_floor=0,
    ... )
    >>> ((part, fit),) = fits([curves])
    >>> fit.verdict, fit.alpha_low < 2 < fit.alpha_high
    ('identified', True)
    """
    from validation.fits import joint_fit

    found = []
    for part in curves:
        sound = bool(np.all(np.isfinite(part.errors)) and np.all(part.errors > 0))
        if part.label.layers == 2 and len(part.tau) > 1 and len(part.P) > _FEWEST_TO_FIT and sound:
            logs = np.log(part.errors)
            levelled = logs - logs.mean(axis=(0, 2), keepdims=True) + logs.mean()
            # far from any such curve, the fit tries exponents whose powers leave float64
            with np.errstate(over="ignore", invalid="ignore"):
                found.append((part, joint_fit(part.P, np.exp(levelled), floor=True)))
    return found


def _fit_words(part: Curves, fit: JointFit) -> str:
    text = f"{part.label}: joint fit of floor + A kappa_P^alpha {fit.verdict}"
    if fit.verdict != "identified":
        return text
    kappas = ", ".join(f"{kappa:.3g}" for kappa in fit.kappa0)
    return (
        f"{text}: alpha {fit.alpha:.3g} ({fit.alpha_low:.3g} to {fit.alpha_high:.3g}), "
        f"kappa_0/kappa_1 {kappas}"
    )


def remarks(curves: Sequence[Curves], model: BiasedReLU, lam: float) -> list[str]:
    """Say in words what the numbers show, and what they do not.

    Examples
    --------
    A network that failed is named, and so are those that single precision holds up:

    >>> from validation.training.experiment import Label
    >>> curves = Curves(
    ...     Label("rkhs", 3, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, np.nan]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=("P = 1, seed 1: loss is nan",), at_floor=2,
    ... )
    >>> for line in remarks([curves], BiasedReLU(3), 1e-3):
    ...     print(line.partition(" of the precision")[0])
    P = 1, seed 1: loss is nan
    rkhs, L = 3, adam: 2 networks are at the floor
    """
    lines = [_sharpening_words(change) for part in curves for change in sharpening(part)]
    lines += [
        f"{part.label}, tau = {tau:g}: kappa_1 of the trained law {law.kappa:.3g} "
        f"({law.kappa_low:.3g} to {law.kappa_high:.3g}); {100 * law.dead:.0f} % dead, "
        f"{100 * law.polynomial:.0f} % polynomial"
        for part, tau, law in laws(curves, model, lam)
    ]
    lines += [_fit_words(part, fit) for part, fit in fits(curves)]
    if any(part.label.method == "placed" for part in curves):
        lines.append(
            "placed: the pool does not depend on tau, so that at P = 1 neither does the network: "
            "that the fall is greater for greater tau is the error of the initial networks alone"
        )
    for part in curves:
        lines += part.failures
        if part.at_floor:
            lines.append(
                f"{part.label}: {part.at_floor} networks are at the floor of the precision they "
                "were trained in: use float64"
            )
    return lines


def _sharpening_words(change: Sharpening) -> str:
    where = f"{change.label}: from tau = {change.tau[0]:g} to {change.tau[1]:g}"
    if math.isnan(change.low):
        return f"{where} nothing can be said: the error does not fall for enough of the seeds"
    said = {
        "sharper": "the transition is sharper",
        "not sharper": "the transition is not sharper",
        "undecided": "it is undecided whether the transition is sharper",
    }
    interval = f"change of log P90: {change.low:.2f} to {change.high:.2f}"
    return f"{where} {said[change.verdict]} ({interval})"


def document(settings: TrainingSettings, curves: Sequence[Curves]) -> dict[str, Any]:
    """Return everything as plain data: every setting, every error, the summaries, the laws.

    Examples
    --------
    >>> from validation.training.experiment import Label
    >>> settings = TrainingSettings(width=16, tau=1, P=[0, 0.5, 1], methods="adam", seeds=2)
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> data = document(settings, [curves])
    >>> data["schema"], data["settings"]["width"]
    ('kernelspec-training/1', 16)
    >>> data["parts"][0]["errors"][0][1]
    [0.9, 0.12, 0.009]
    """
    model = BiasedReLU(settings.d, settings.order)
    lam = leverage_ridge(model, settings.width)
    return {
        "schema": "kernelspec-training/1",
        "command": "train",
        "settings": settings.as_dict(),
        "versions": _versions(),
        "parts": [_part(part) for part in curves],
        "summary": rows(curves),
        "sharpening": [
            {**_plain(change), "verdict": change.verdict}
            for part in curves
            for change in sharpening(part)
        ],
        "leverage_ridge": lam,
        "laws": [
            {"part": asdict(part.label), "tau": tau, **_plain(law)}
            for part, tau, law in laws(curves, model, lam)
        ],
        "fits": [{"part": asdict(part.label), **_plain(fit)} for part, fit in fits(curves)],
    }


def _part(part: Curves) -> dict[str, Any]:
    plain = _plain(part)
    del plain["heights"]  # thousands of numbers, of which the laws are the summary
    return plain


def _plain(record: Any) -> dict[str, Any]:
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in asdict(record).items()
    }


def _versions() -> dict[str, str]:
    import jax
    import optax

    from validation.verify import versions

    return {
        **versions(),
        "jax": jax.__version__,
        "optax": optax.__version__,
        "backend": jax.default_backend(),
    }


def table_rows(curves: Sequence[Curves]) -> list[dict[str, Any]]:
    """Return the rows with intervals written out, for people.

    Examples
    --------
    >>> from validation.training.experiment import Label
    >>> curves = Curves(
    ...     Label("rkhs", 3, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> (row,) = table_rows([curves])
    >>> row["part"], row["first"], row["last"]
    ('L = 3, adam', '9.5e-01', '9.5e-03')
    """
    written = []
    several = len({part.label.target for part in curves}) > 1
    for row in rows(curves):
        written.append(
            {
                "part": (f"{row['target']}, " if several else "")
                + f"L = {row['layers']}, {row['method']}",
                "tau": f"{row['tau']:g}",
                "first": f"{row['first']:.1e}",
                "last": f"{row['last']:.1e}",
                "fall": _interval(row, "fall", 3),
                "P90": _interval(row, "P90", 2),
                "joint": "" if math.isnan(row["joint"]) else f"{row['joint']:.3g}",
                "failed": str(row["failed"]),
            }
        )
    return written


def _interval(row: dict[str, Any], name: str, digits: int) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    middle = _short(row[name], digits)
    if math.isnan(low):
        return f"{middle} (no interval)"
    return f"{middle} ({_short(low, digits)} to {_short(high, digits)})"


def _short(x: float, digits: int) -> str:
    """Write a number to some digits, as a whole one from 100 to a million."""
    rounded = float(f"{x:.{digits}g}")
    return f"{rounded:.0f}" if 100 <= rounded < 1e6 else f"{rounded:.{digits}g}"
