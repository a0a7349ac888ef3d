r"""Fit E(P) = floor + A kappa_P^alpha jointly over several scales tau."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from kernelspec import _checks
from validation.fits.curve import ALPHA, ANCHOR, RATIO, SHARE, Curve, Solution
from validation.fits.profile import Reach, profile_interval

__all__ = ["JointFit", "joint_fit"]

Array = NDArray[np.float64]

_MISFIT = 1e-3  # p value of the lack of fit below which the curve is rejected
_RESAMPLES = 200
_FEWEST_TO_RESAMPLE = 5
_ROUNDING = 1e-24


@dataclass(frozen=True)
class JointFit:
    """Parameters shared by all curves, an effective mismatch a tau, and what the data tell of them.

    Attributes
    ----------
    alpha, alpha_low, alpha_high : float
        Exponent and its interval. `alpha_low` = `alpha_high` if it was given.
    kappa0, kappa0_low, kappa0_high : ndarray, shape (taus,)
        kappa_0/kappa_1 for each tau: the ratio is all that errors tell.
    floor, floor_low, floor_high : float
        Error that training does not remove; 0 without a floor.
    amplitude : float
        A kappa_1^alpha: what is above the floor at P = 1.
    residual : float
        Root mean square of log E, averaged over seeds, minus the curve.
    noise : float
        Standard deviation of log E between seeds; NaN for one seed.
    lack_of_fit : float
        p value of the F test of the curve against free means; NaN for one seed.
    confidence : float
        Level of each interval.
    intervals : {"profile", "bootstrap"}
        How they were found.
    verdict : str
        "identified"; "not identifiable: " with the parameters that have no finite interval; or
        "does not fit: " with the p value, if the means stray from every such curve.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([0, 0.1, 0.2, 0.5, 1])
    >>> kappa = 1 / (P + (1 - P) / np.array([[4.0], [20.0]]))
    >>> noise = np.exp(0.01 * np.random.default_rng(0).standard_normal((2, 4, 5)))
    >>> fit = joint_fit(P, 1e-3 * kappa[:, None] ** 2 * noise, floor=False, alpha=2.0)
    >>> fit.verdict, bool((fit.kappa0_low < [4, 20]).all() and ([4, 20] < fit.kappa0_high).all())
    ('identified', True)
    """

    alpha: float
    alpha_low: float
    alpha_high: float
    kappa0: Array
    kappa0_low: Array
    kappa0_high: Array
    floor: float
    floor_low: float
    floor_high: float
    amplitude: float
    residual: float
    noise: float
    lack_of_fit: float
    confidence: float
    intervals: str
    verdict: str

    def predict(self, P: ArrayLike) -> Array:
        """Errors of the fitted curves, shape (taus, p)."""
        P = np.atleast_1d(_checks.real_array("P", P, 0.0, 1.0))
        x = P + (1 - P) / self.kappa0[:, None]
        return np.asarray(self.floor + self.amplitude * x**-self.alpha)


def joint_fit(
    P: ArrayLike,
    errors: ArrayLike,
    *,
    floor: bool = True,
    alpha: float | None = None,
    intervals: Literal["profile", "bootstrap"] = "profile",
    confidence: float = 0.95,
    rng: int | np.random.SeedSequence | np.random.Generator = 0,
) -> JointFit:
    r"""Fit one exponent, one floor and one error at P = 1 to several curves.

    .. math:: E_\tau(P) = \text{floor} + A\,\kappa_P^\alpha, \qquad
        \kappa_P = \bigl(P/\kappa_1 + (1-P)/\kappa_0(\tau)\bigr)^{-1}

    by least squares of log E, as errors are multiplicative. A curve alone seldom tells alpha and
    kappa_0 apart (docs/derivations/fits.md).

    Parameters
    ----------
    P : array_like, shape (p,)
        Trained proportions, from 0 to 1, distinct.
    errors : array_like, shape (taus, seeds, p)
        Errors > 0, all squared or all not: alpha is that of what is given.
    floor : bool, default True
        Whether to fit a floor >= 0.
    alpha : float, optional
        An exponent > 0 to hold instead of fitting it.
    intervals : {"profile", "bootstrap"}
        "profile": ends where the profile of the sum of squares exceeds its minimum by the quantile
        of F; right if the log errors are independent and of one variance. "bootstrap": quantiles
        of fits to resampled seeds, which may correlate an error with any other of its seed; too
        narrow for few seeds.
    confidence : float, default 0.95
        Level of each interval.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator of the bootstrap.

    Returns
    -------
    JointFit
        Estimates, intervals and a verdict. Where the verdict is not "identified", estimates are one
        choice among many.

    Raises
    ------
    ValueError
        If shapes do not fit, an error is not a finite number > 0, there are no more points than
        parameters, or the bootstrap has fewer than 5 seeds.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([0, 0.05, 0.1, 0.2, 0.4, 0.7, 1])
    >>> kappa0 = np.array([4.0, 20.0])
    >>> noise = np.exp(0.05 * np.random.default_rng(0).standard_normal((2, 6, 7)))
    >>> kappa = 1 / (P + (1 - P) / kappa0[:, None])
    >>> fit = joint_fit(P, 1e-3 * kappa[:, None] ** 1.75 * noise, floor=False)
    >>> fit.verdict, round(fit.alpha, 2), fit.kappa0.round(1)
    ('identified', 1.75, array([ 4. , 20.2]))
    """
    P, logs = _data(P, errors)
    if alpha is not None:
        alpha = _checks.positive("alpha", alpha)
    if intervals not in ("profile", "bootstrap"):
        raise ValueError(f"intervals = {intervals!r} is not allowed: 'profile' or 'bootstrap'")
    confidence = _checks.open_unit("confidence", confidence)
    taus, seeds, points = logs.shape
    held = ({} if floor else {SHARE: 0.0}) | ({} if alpha is None else {ALPHA: math.log(alpha)})
    curve = Curve(P, logs.mean(axis=1), held)
    free = len(curve.free)
    if taus * points <= free:
        raise ValueError(
            f"errors of shape {logs.shape} are not allowed: more than {free} points "
            f"(tau, P), as there are {free} parameters"
        )
    if intervals == "bootstrap" and seeds < _FEWEST_TO_RESAMPLE:
        raise ValueError(
            f"errors of {seeds} seeds are not allowed with intervals = 'bootstrap': "
            f"{_FEWEST_TO_RESAMPLE} at least"
        )
    best = curve.minimise_from_all()
    within = float(((logs - curve.target[:, None, :]) ** 2).sum())
    if intervals == "profile":
        # all sums of squares are seeds times those over the means, plus what is within
        rest = logs.size - free
        quantile = special.stdtrit(rest, (1 + confidence) / 2) ** 2
        threshold = best.rss + (best.rss + within / seeds) * quantile / rest + _ROUNDING
        reaches = [
            Reach(best.theta[i], best.theta[i], False, False)
            if i in held
            else profile_interval(curve, best, i, threshold)
            for i in range(ALPHA, curve.size)
        ]
    else:
        reaches = _resampled(curve, logs, best, confidence, np.random.default_rng(rng))
    lack = _lack_of_fit(best.rss * seeds, within, taus * points - free, logs.size - taus * points)
    return _result(curve, best, reaches, within, logs.shape, lack, confidence, intervals)


def _data(P: ArrayLike, errors: ArrayLike) -> tuple[Array, Array]:
    P = _checks.real_array("P", P, 0.0, 1.0)
    if P.ndim != 1 or np.unique(P).size != P.size or P.size < 2:
        raise ValueError(f"P = {P!r} is not allowed: a vector of distinct numbers, two at least")
    errors = _checks.positive_array("errors", errors)
    if errors.ndim != 3 or errors.shape[2] != P.size or 0 in errors.shape:
        raise ValueError(
            f"errors of shape {errors.shape} is not allowed: shape (taus, seeds, {P.size})"
        )
    return P, np.log(errors)


def _resampled(
    curve: Curve, logs: Array, best: Solution, confidence: float, rng: np.random.Generator
) -> list[Reach]:
    """Resample seeds, the same for all tau, as networks of different tau may share neurons."""
    seeds = logs.shape[1]
    thetas = []
    for _ in range(_RESAMPLES):
        mean = logs[:, rng.integers(seeds, size=seeds)].mean(axis=1)
        thetas.append(Curve(curve.P, mean, curve.held).minimise(best.theta).theta)
    tails = np.quantile(thetas, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    reaches = []
    for i in range(ALPHA, curve.size):
        low, high = tails[:, i]
        ends = curve.bounds(i)
        stuck = i not in curve.held and low <= ends[0] and i != SHARE
        reaches.append(Reach(low, high, stuck, i not in curve.held and high >= ends[1]))
    return reaches


def _lack_of_fit(between: float, within: float, over: int, under: int) -> float:
    """Return the p value of an F test of the curves against free means."""
    if under == 0 or over == 0 or within == 0.0:
        return math.nan
    return float(special.fdtrc(over, under, (between / over) / (within / under)))


def _result(
    curve: Curve,
    best: Solution,
    reaches: Sequence[Reach],
    within: float,
    shape: tuple[int, ...],
    lack: float,
    confidence: float,
    intervals: str,
) -> JointFit:
    """Turn fitted parameters into those of the theorem."""
    taus, seeds, points = shape
    by_place = dict(enumerate(reaches, start=ALPHA))
    error, share = math.exp(best.theta[ANCHOR]), float(best.theta[SHARE])
    alpha, ratios = by_place[ALPHA], [by_place[RATIO + i] for i in range(taus)]
    return JointFit(
        alpha=math.exp(best.theta[ALPHA]),
        alpha_low=0.0 if alpha.low_open else math.exp(alpha.low),
        alpha_high=math.inf if alpha.high_open else math.exp(alpha.high),
        kappa0=np.exp(best.theta[RATIO:]),
        kappa0_low=np.array([math.exp(reach.low) for reach in ratios]),
        kappa0_high=np.array([math.inf if x.high_open else math.exp(x.high) for x in ratios]),
        floor=share * error,
        floor_low=float(by_place[SHARE].low * error),
        floor_high=float(by_place[SHARE].high * error),
        amplitude=(1 - share) * error,
        residual=math.sqrt(best.rss / (taus * points)),
        noise=math.sqrt(within / (taus * (seeds - 1) * points)) if seeds > 1 else math.nan,
        lack_of_fit=lack,
        confidence=confidence,
        intervals=intervals,
        verdict=_verdict(alpha, ratios, lack),
    )


def _verdict(alpha: Reach, ratios: Sequence[Reach], lack: float) -> str:
    """Say what is identified; a curve that does not fit has no parameters to identify."""
    if lack < _MISFIT:
        return f"does not fit: p = {lack:.2g} against free means"
    named = {"alpha": alpha} | {f"kappa0[{i}]": reach for i, reach in enumerate(ratios)}
    open_ends = [
        f"{name} from {side}"
        for name, reach in named.items()
        for side, is_open in (("below", reach.low_open), ("above", reach.high_open))
        if is_open
    ]
    if open_ends:
        return f"not identifiable: errors do not bound {', '.join(open_ends)}"
    return "identified"
