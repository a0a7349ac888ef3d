r"""Worst-case squared error of a network over the RKHS unit ball, enclosed from both sides.

.. math::
    E(V) = \sup_{\|f\|_H \le 1} \min_{g \in \operatorname{span}\{\phi_v\}} \|f-g\|^2_{L_2}
    = \lambda_{\max}\bigl((I-\Pi) T (I-\Pi)\bigr),

T the covariance operator, Pi the projection onto the span. The derivation of every bound used here
is in docs/derivations/worst-case-error.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from numpy.typing import ArrayLike

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.approximation._enclosure import (
    Bracket,
    degree_bytes,
    eigenvalues_down_to,
    enclose,
    nth_eigenvalue,
    whitening_bytes,
)
from kernelspec.approximation._neurons import split_neurons, unit_rows
from kernelspec.approximation._span import Whitening, whiten
from kernelspec.features import BiasedReLU
from kernelspec.spectrum import eigenvalues

__all__ = ["WorstCaseError", "worst_case_error", "worst_case_memory"]

_ROUNDS: Final = 8


@dataclass(frozen=True)
class WorstCaseError:
    """Enclosure of the worst-case squared L2 error over the RKHS unit ball.

    Attributes
    ----------
    value : float
        Estimate.
    lower, upper : float
        Bounds, rounding errors allowed for as the documentation states.
    degree : int
        K: degrees up to K enter with their own eigenvalue, all beyond with bounds for theirs.
    rank : int
        Dimension of the span, as far as rounding lets it be seen.
    missing : int
        Directions of the span that rounding hides. `upper` does without them, `lower` grants them.
    converged : bool
        Whether upper - lower <= rtol * value.
    message : str
        What limits the accuracy, and what to do about it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelspec import BiasedReLU
    >>> E = worst_case_error(BiasedReLU(3), np.eye(4), rtol=0.01)
    >>> E.rank, E.missing, (E.upper - E.lower) <= 0.01 * E.value
    (4, 0, True)
    """

    value: float
    lower: float
    upper: float
    degree: int
    rank: int
    missing: int
    converged: bool
    message: str


def worst_case_error(
    model: BiasedReLU,
    V: ArrayLike,
    *,
    rtol: float = 0.02,
    max_memory: float | None = None,
) -> WorstCaseError:
    r"""Squared L2 error of the worst function of the RKHS unit ball, fitted by the features of V.

    .. math:: E(V) = \sup_{\|f\|_H \le 1} \min_{c} \Bigl\|f - \sum_i c_i \phi_{v_i}\Bigr\|^2_{L_2}

    Only the span of the features matters: rows may be rescaled, permuted or repeated.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    V : array_like, shape (m, d + 1)
        Neurons (w, b), one a row; m = 0 is allowed.
    rtol : float
        Aim for (upper - lower) / value, between 0 and 1. It chooses the degree K.
    max_memory : float, optional
        Bytes that may be used; by default what the system has available.

    Returns
    -------
    WorstCaseError
        Estimate and enclosure.

    Raises
    ------
    ValueError
        If `V` has another shape or an entry that is not finite, or `rtol` is out of range.
    TypeError
        If `V` is not numeric.
    MemoryError
        If the work does not fit into memory; raised with the estimate, before allocating.

    Notes
    -----
    The cost is of order m^2 for the inner products, m^3 for their factorisation and D m^2 for the
    harmonics, D the number of harmonics of degree <= K, a few times m.

    Examples
    --------
    Without features the worst function is the constant, with error mu_0.

    >>> import numpy as np
    >>> from kernelspec import BiasedReLU
    >>> model = BiasedReLU(3)
    >>> nothing = worst_case_error(model, np.empty((0, 4)))
    >>> bool(nothing.value == model.eigenvalues(0)[0])
    True
    >>> E = worst_case_error(model, np.eye(4))
    >>> E.lower <= E.value <= E.upper, E.converged
    (True, True)
    """
    rtol = _checks.open_unit("rtol", rtol)
    limit = None if max_memory is None else _checks.positive("max_memory", max_memory)
    d, s = model.d, model.order
    neurons = split_neurons(unit_rows(V, d), d, s)
    n, p = neurons.b.size, neurons.whole_heights.size
    require_memory(whitening_bytes(d, s, n, p), f"a network of {n + p} active neurons", limit)
    neurons, whitening = whiten(d, s, neurons)
    at_most = whitening.rank + whitening.missing
    width = nth_eigenvalue(d, s, at_most)
    largest = float(eigenvalues(d, s, 0)[0])
    if whitening.rank == 0:
        return _result(rtol, Bracket(largest, width, largest, 0.0), 0, whitening)
    target = _first_target(width, rtol)
    bracket, K, out_of_memory = None, 0, False
    for _ in range(_ROUNDS):
        mu = eigenvalues_down_to(d, s, target)
        needed = degree_bytes(d, n, mu.size - 2)
        try:
            require_memory(needed, f"degree {mu.size - 2} for {n} active neurons", limit)
        except MemoryError:
            if bracket is None:
                raise
            out_of_memory = True
            break
        K, before = mu.size - 2, bracket
        bracket = enclose(d, s, neurons, whitening, mu, width, rtol)
        aim = rtol * bracket.value
        if bracket.upper - bracket.lower <= aim or bracket.cut <= 0.25 * aim:
            break
        if before is not None and bracket.cut > 0.7 * before.cut:
            break  # not the degree but rounding keeps the bounds apart
        target = float(mu[-1]) * min(0.7, (0.4 * aim / bracket.cut) ** 0.6)
    assert bracket is not None
    return _result(rtol, bracket, K, whitening, out_of_memory)


def worst_case_memory(model: BiasedReLU, m: int, *, rtol: float = 0.02) -> float:
    """Estimate the peak memory of `worst_case_error`, were all m neurons active, in bytes.

    A first degree K that turns out too small is followed by a higher one; the estimate is for the
    first.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    m : int
        Number of neurons, >= 0.
    rtol : float
        As for `worst_case_error`.

    Returns
    -------
    float
        Bytes.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> worst_case_memory(BiasedReLU(5), 2048) < 1e9
    True
    """
    m = _checks.count("m", m, 0)
    rtol = _checks.open_unit("rtol", rtol)
    d, s = model.d, model.order
    mu = eigenvalues_down_to(d, s, _first_target(nth_eigenvalue(d, s, m), rtol))
    return max(whitening_bytes(d, s, m, 0), degree_bytes(d, m, mu.size - 2))


def _first_target(width: float, rtol: float) -> float:
    """Guess the eigenvalue from which on degrees matter less than rtol.

    The bounds were found to differ by about (mu_{K+1} / E)^1.7, and E is 5 to 50 times the width.
    """
    return float(0.5 * width * (rtol / 0.02) ** 0.6)


def _result(
    rtol: float, bracket: Bracket, K: int, whitening: Whitening, out_of_memory: bool = False
) -> WorstCaseError:
    """Say how close the bounds came, and why not closer."""
    converged = bracket.upper - bracket.lower <= rtol * bracket.value
    if converged:
        message = "bounds as close as asked for"
    elif whitening.missing:
        message = (
            f"rounding hides {whitening.missing} directions of the span: merge neurons that nearly "
            "agree or lie on few hyperplanes"
        )
    elif out_of_memory:
        message = "a higher degree would take more memory than allowed: raise rtol or the limit"
    else:
        message = "rounding errors dominate: the error is small or the neurons nearly dependent"
    return WorstCaseError(
        bracket.value,
        bracket.lower,
        bracket.upper,
        K,
        whitening.rank,
        whitening.missing,
        converged,
        message,
    )
