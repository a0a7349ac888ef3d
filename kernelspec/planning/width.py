"""How many neurons of a network of given width to train, and what one more per cent brings."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kernelspec import _checks
from kernelspec.planning._search import out_of_reach
from kernelspec.planning.models import ErrorModel

__all__ = ["WidthPlan", "plan_width", "share_of_reduction"]


@dataclass(frozen=True)
class WidthPlan:
    """The least number of neurons to train at a given width.

    Attributes
    ----------
    basis : str
        What the prediction rests on.
    m, trained : int
        Width, and how many of the neurons to train.
    share : float
        Share of the reduction of the squared error that they capture, from 0 to 1.
    next_per_cent : float
        By how much the share grows if ceil(m/100) more neurons are trained (or all that are left).
    untrained, error, all_trained : float
        Predicted squared error with no neuron, these neurons and all neurons trained.

    Examples
    --------
    >>> from kernelspec.planning import RateModel
    >>> plan = plan_width(RateModel("theorem", kappa0=67.88, alpha=7 / 4), 1000, share=0.9)
    >>> plan.trained, plan.all_trained < plan.error < plan.untrained
    (41, True)
    """

    basis: str
    m: int
    trained: int
    share: float
    next_per_cent: float
    untrained: float
    error: float
    all_trained: float

    @property
    def P(self) -> float:  # noqa: N802
        """Trained proportion."""
        return self.trained / self.m


def share_of_reduction(model: ErrorModel, m: int, trained: int) -> float:
    r"""Return the share of the reduction that some trained neurons capture.

    .. math:: \frac{E(m, 0) - E(m, m_1)}{E(m, 0) - E(m, m)}

    Parameters
    ----------
    model : ErrorModel
        Predicts E. For `RateModel` this is `kernelspec.captured_fraction`: width and logarithm
        cancel.
    m : int
        Width, >= 1.
    trained : int
        m_1, from 0 to m.

    Returns
    -------
    float
        From 0 to 1; 1 where training changes nothing, for there is nothing left to gain.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or the error without training is infinite.

    Examples
    --------
    >>> from kernelspec.planning import RateModel
    >>> model = RateModel("theorem's constant", kappa0=67.88, alpha=7 / 4)
    >>> round(share_of_reduction(model, 10_000, 406), 3)
    0.9
    """
    untrained, all_trained = _ends(model, m)
    return _share(model.error(m, trained), untrained, all_trained)


def _ends(model: ErrorModel, m: int) -> tuple[float, float]:
    untrained, all_trained = model.error(m, 0), model.error(m, m)
    if untrained == math.inf:
        raise ValueError(
            f"kappa0 = inf is not allowed where a share is asked for ({model.basis}): the error "
            "without training is infinite, and any trained neuron captures all of it; ask for an "
            "error"
        )
    return untrained, all_trained


def _share(error: float, untrained: float, all_trained: float) -> float:
    if untrained <= all_trained:
        return 1.0
    if untrained == math.inf:
        return 1.0 if error < math.inf else 0.0
    return min(max((untrained - error) / (untrained - all_trained), 0.0), 1.0)


def plan_width(
    model: ErrorModel, m: int, *, share: float | None = None, target: float | None = None
) -> WidthPlan:
    """Find the least number of neurons to train at a given width.

    Parameters
    ----------
    model : ErrorModel
        Predicts the squared error.
    m : int
        Width, >= 1.
    share : float, optional
        Share of the reduction from no neuron trained to all trained, from 0 to 1.
    target : float, optional
        Squared error > 0. Exactly one of the two.

    Returns
    -------
    WidthPlan
        The plan; as the error falls with every trained neuron, one neuron fewer misses the goal.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, not exactly one goal is given, or the target is out of reach
        even with all neurons trained.

    Examples
    --------
    >>> from kernelspec.planning import RateModel
    >>> for origin, kappa0 in {"theorem": 67.88, "limit": 16.97}.items():
    ...     plan = plan_width(RateModel(origin, kappa0=kappa0, alpha=7 / 4), 1000, share=0.9)
    ...     print(f"{plan.basis} {plan.trained} {plan.share:.4f} {plan.next_per_cent:.4f}")
    theorem 41 0.9012 0.0249
    limit 163 0.9002 0.0078
    """
    m = _checks.count("m", m)
    if (share is None) == (target is None):
        raise ValueError(
            f"share = {share!r}, target = {target!r} is not allowed: exactly one of them"
        )
    untrained, all_trained = _ends(model, m) if target is None else _errors(model, m)
    if target is not None:
        goal = _checks.positive("target", target)
    else:
        wanted = _checks.proportion("share", share)
        goal = untrained - wanted * (untrained - all_trained)
    if untrained <= all_trained:  # nothing to gain
        trained = 0 if untrained <= goal else None
    elif share == 1:
        trained = m
    else:
        trained = model.least_trained(m, goal)
    if trained is None:
        raise out_of_reach(model, m, goal)
    error = model.error(m, trained)
    further = model.error(m, min(trained + math.ceil(m / 100), m))
    reached = _share(error, untrained, all_trained)
    return WidthPlan(
        basis=model.basis,
        m=m,
        trained=trained,
        share=reached,
        next_per_cent=_share(further, untrained, all_trained) - reached,
        untrained=untrained,
        error=error,
        all_trained=all_trained,
    )


def _errors(model: ErrorModel, m: int) -> tuple[float, float]:
    return model.error(m, 0), model.error(m, m)
