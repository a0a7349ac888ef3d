"""The biased-ReLU feature family on the sphere: one object that knows d and the order s."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks, arccosine, harmonics, leverage, spectrum
from kernelspec._memory import require_numbers

__all__ = ["BiasedReLU"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BiasedReLU:
    r"""Features :math:`\phi_v(x) = \max(w\cdot x + b, 0)^s` of neurons v = (w, b) on S^d.

    Parameters
    ----------
    d : int
        Ambient dimension of the inputs, 2 to 1000.
    order : int, default 1
        Order s of the activation, 0 to 5 (0: the indicator, 1: ReLU).

    Raises
    ------
    ValueError, TypeError
        If `d` or `order` is not an integer in range.

    Notes
    -----
    Measures are probability measures: inputs uniform on S^{d-1}, neurons uniform on S^d. A neuron's
    *height* b is its last coordinate.

    Examples
    --------
    >>> model = BiasedReLU(5)
    >>> model.decay_exponent
    1.75
    >>> round(float(model.degrees_of_freedom(1e-4)), 10)
    27.9740824759
    """

    d: int
    order: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", _checks.dimension(self.d))
        object.__setattr__(self, "order", _checks.order(self.order))

    @property
    def decay_exponent(self) -> float:
        """Alpha = (d + 2s)/(d - 1): the sorted eigenvalues decay as j^-alpha."""
        return (self.d + 2 * self.order) / (self.d - 1)

    @property
    def eigenvalue_constant(self) -> float:
        """A in mu_k ~ A (k + (d-2)/2)^-(d+2s); inf where it exceeds float64."""
        return spectrum.eigenvalue_constant(self.d, self.order)[0]

    def kernel(self, t: ArrayLike) -> Array:
        r"""Evaluate the kernel :math:`K(t) = E_\pi\,\phi_v(x)\phi_v(y)`, t = x.y.

        .. math:: K(t) = E_s\bigl(\tfrac{1+t}{2}\bigr) \big/ \bigl(\tfrac{d+1}{2}\bigr)_s

        with the arc-cosine moments :math:`E_s` (Cho & Saul, NeurIPS 2009).

        Parameters
        ----------
        t : array_like
            Inner products in [-1, 1].

        Returns
        -------
        ndarray
            Shape of `t`.

        Raises
        ------
        ValueError
            If an entry lies outside [-1, 1].

        Examples
        --------
        >>> BiasedReLU(3).kernel([-1.0, 1.0]).round(8)
        array([0.07957747, 0.25      ])
        """
        return arccosine.kernel(self.d, self.order, _checks.real_array("t", t, -1.0, 1.0))

    def eigenvalues(self, max_degree: int, *, log: bool = False) -> Array:
        r"""Mercer eigenvalues mu_0..mu_K, one for each degree (multiplicity N(d, k)).

        Closed form: a quotient of Gamma functions times a 3F2, see :mod:`kernelspec.spectrum`.
        Relative error below 1e-12 (measured: 3e-15) wherever float64 holds the value.

        Parameters
        ----------
        max_degree : int
            K >= 0.
        log : bool, keyword-only
            Return log mu_k, relative error below 1e-13, also where mu_k underflows.

        Returns
        -------
        ndarray
            Shape (K + 1,).

        Raises
        ------
        ValueError
            If `max_degree` is negative or not an integer.

        Examples
        --------
        >>> BiasedReLU(3).eigenvalues(2).round(8)
        array([0.15625   , 0.02810055, 0.00163585])
        >>> float(BiasedReLU(1000).eigenvalues(1_000, log=True)[-1].round(6))
        -1409.200795
        """
        max_degree = _checks.count("max_degree", max_degree, 0)
        require_numbers(6.0 * (max_degree + 1), f"the spectrum up to degree {max_degree}")
        function = spectrum.log_eigenvalues if log else spectrum.eigenvalues
        return function(self.d, self.order, max_degree)

    def coefficients(self, b: ArrayLike, max_degree: int) -> Array:
        r"""Harmonic coefficients a_k of neurons of height b.

        .. math:: \phi_v(x) = \sum_k N_k\, a_k(v)\, P_k(w\cdot x/|w|), \qquad
                  a_k(v) = E_t\bigl[\max(|w| t + b, 0)^s P_k(t)\bigr].

        Parameters
        ----------
        b : array_like
            Heights in [-1, 1].
        max_degree : int
            K >= 0.

        Returns
        -------
        ndarray
            Shape (K + 1, \*b.shape).

        Raises
        ------
        ValueError
            If an argument is out of range.

        Examples
        --------
        >>> BiasedReLU(3).coefficients(0.0, 2).round(8)
        array([0.25      , 0.16666667, 0.0625    ])
        """
        max_degree = _checks.count("max_degree", max_degree, 0)
        b = _checks.height(b)
        require_numbers(3.0 * (max_degree + 1) * b.size, f"coefficients to degree {max_degree}")
        return harmonics.coefficients(self.d, self.order, b, max_degree)

    def features(self, X: ArrayLike, V: ArrayLike) -> Array:
        """Evaluate the features of m neurons at n inputs.

        Parameters
        ----------
        X : array_like
            Inputs, shape (n, d).
        V : array_like
            Neurons (w, b), shape (m, d + 1), last column b.

        Returns
        -------
        ndarray
            max(w.x + b, 0)^s, shape (n, m); for s = 0 the indicator of w.x + b > 0.

        Raises
        ------
        ValueError
            If a shape does not fit.

        Examples
        --------
        >>> BiasedReLU(2).features([[1.0, 0.0]], [[0.6, 0.0, 0.8], [-0.6, 0.0, 0.1]])
        array([[1.4, 0. ]])
        """
        X = _checks.matrix("X", X, self.d)
        V = _checks.matrix("V", V, self.d + 1)
        require_numbers(2.0 * len(X) * len(V), f"{len(V)} features at {len(X)} inputs")
        preactivation = X @ V[:, :-1].T + V[:, -1]
        if self.order == 0:
            return (preactivation > 0).astype(np.float64)
        return np.asarray(np.maximum(preactivation, 0.0) ** self.order)

    def leverage(self, b: ArrayLike, lam: ArrayLike) -> Array:
        r"""Ridge leverage of neurons of height b.

        .. math:: l_\lambda(v) = \sum_k \frac{N_k\, a_k(v)^2}{\mu_k + \lambda}

        All degrees are summed: exact coefficients first, their mean in closed form beyond
        (:mod:`kernelspec.leverage`). Relative error below 1e-11 (measured: 1e-13) wherever the
        value exceeds 1e-30 of its maximum, below 1e-9 for neurons that are all but dead.

        Parameters
        ----------
        b, lam : array_like
            Heights in [-1, 1] and ridges >= 1e-290; they broadcast.

        Returns
        -------
        ndarray
            Broadcast shape of `b` and `lam`.

        Raises
        ------
        ValueError
            If an entry is out of range or the shapes do not fit.

        Examples
        --------
        >>> BiasedReLU(5).leverage([-0.9, 0.0, 0.6], 1e-2).round(8)
        array([0.        , 4.09405804, 9.08628306])
        """
        height, ridge = _checks.broadcast(b=_checks.height(b), lam=_checks.ridge(lam))
        heights, which_b = np.unique(height, return_inverse=True)
        ridges, which_lam = np.unique(ridge, return_inverse=True)
        if heights.size * ridges.size <= 4 * height.size:  # a grid, or nearly one
            table = leverage.leverage_outer(self.d, self.order, heights, ridges)
            chosen = table[which_b.reshape(height.shape), which_lam.reshape(height.shape)]
            return np.asarray(chosen)
        pairs = leverage.leverage_pairs(self.d, self.order, height.ravel(), ridge.ravel())
        return pairs.reshape(height.shape)

    def degrees_of_freedom(self, lam: ArrayLike) -> Array:
        r"""Degrees of freedom :math:`N(\lambda) = \sum_k N_k \mu_k/(\mu_k + \lambda)`.

        Parameters
        ----------
        lam : array_like
            Ridges > 0.

        Returns
        -------
        ndarray
            Shape of `lam`; relative error below 1e-11 (measured: 1e-14).

        Raises
        ------
        ValueError
            If an entry is not a finite number > 0.

        Examples
        --------
        >>> BiasedReLU(3).degrees_of_freedom([1e-2, 1e-4]).round(8)
        array([ 3.98141423, 16.75533758])
        """
        return leverage.degrees_of_freedom(self.d, self.order, _checks.positive_array("lam", lam))
