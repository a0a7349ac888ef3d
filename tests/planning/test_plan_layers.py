from __future__ import annotations

import itertools

import numpy as np
import pytest

from kernelspec import BiasedReLU, GaussianInit, Uniform, limiting_mismatch, uniform_sphere
from kernelspec.planning import layer_reports


def network(rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    widths = [6, 40, 30, 2]
    W = [rng.standard_normal((b, a)) for a, b in itertools.pairwise(widths)]
    b = [rng.standard_normal(w) for w in widths[1:]]
    return W, b, rng.standard_normal((80, 6))


def test_each_layer_is_judged_on_its_own_inputs() -> None:
    W, b, X = network(np.random.default_rng(0))
    reports = layer_reports(W, b, X, ridge=0.01, alphas=[2.0, 1.5])
    H = X
    for i, report in enumerate(reports):
        F = np.maximum(H @ W[i].T + b[i], 0)
        n, M = F.shape
        K = F @ F.T / (n * M)
        lam = 0.01 * np.trace(K)
        inverse = np.linalg.inv(K + lam * np.eye(n))
        leverage = np.einsum("ij,ik,kj->j", F, inverse, F) / n
        assert report.lam == pytest.approx(lam)
        assert report.load.dof == pytest.approx(np.trace(K @ inverse))
        assert report.load.kappa0 == pytest.approx(leverage.max() / leverage.mean())
        assert report.worst == int(np.argmax(leverage))
        assert report.silent == int(np.sum(F.max(axis=0) == 0))
        assert report.load.remaining(0) <= 1  # no leverage exceeds M
        assert report.load.cost == W[i].shape[1] + 1
        H = F
    assert [report.load.alpha for report in reports] == [2.0, 1.5]


def test_a_layer_whose_neurons_are_alike_has_nothing_to_gain() -> None:
    rng = np.random.default_rng(2)
    W = [np.ones((5, 4)), np.ones((1, 5))]
    report = layer_reports(W, [None, None], rng.standard_normal((50, 4)), alphas=[2.0])[0]
    assert report.load.kappa0 == pytest.approx(1.0, abs=1e-12)
    assert report.load.first_gain == pytest.approx(0.0, abs=1e-12)


def test_wide_biases_show_as_mismatch() -> None:
    # neurons of q_tau as a pool of their own: the more of them are dead or polynomial, the
    # rarer the kinks that carry the leverage; the ordering in tau is that of the theorem
    d, rng = 3, np.random.default_rng(3)
    X = uniform_sphere(d, 600, rng)
    kappas = []
    for tau in (1.0, 3.0, 10.0):
        V = GaussianInit(d, tau).sample(400, rng)
        reports = layer_reports(
            [V[:, :d], np.ones((1, 400))], [V[:, d], None], X, ridge=1e-4, alphas=[2.5]
        )
        kappas.append(reports[0].load.kappa0)
    limits = [
        float(limiting_mismatch(BiasedReLU(d), GaussianInit(d, tau)).kappa) for tau in (1, 10)
    ]
    assert kappas[0] < kappas[1] < kappas[2]
    assert kappas[2] / kappas[0] > limits[1] / limits[0] / 10


def test_any_activation_can_be_given() -> None:
    W, b, X = network(np.random.default_rng(1))
    named = layer_reports(W, b, X, activation="tanh", alphas=[1, 1])
    given = layer_reports(W, b, X, activation=np.tanh, alphas=[1, 1])
    assert named == given
    assert named != layer_reports(W, b, X, alphas=[1, 1])


def test_estimated_exponents_carry_their_interval() -> None:
    # kinks alone: polynomial neurons lie in one plane, a spectrum of finite rank
    rng = np.random.default_rng(4)
    V = Uniform(3).sample(4000, rng)
    kinked = V[np.abs(V[:, 3]) < 0.6][:2000]
    X = uniform_sphere(3, 500, rng)
    for rows, accepted in ((kinked, True), (V[V[:, 3] > 0.8], False)):
        report = layer_reports([rows[:, :3], np.ones((1, len(rows)))], [rows[:, 3], None], X)[0]
        assert (report.verdict == "power law") is accepted, report.verdict
        if accepted:
            assert report.alpha_low <= 2.5 <= report.alpha_high


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda W, b, X: (W[:1], b[:1], X), "weights of length 1 is not allowed: at least one"),
        (lambda W, b, X: (W, b[:2], X), "biases of length 2 is not allowed: 3, one a layer"),
        (lambda W, b, X: (W, b, X[:, :5]), r"weights\[0\] of shape \(40, 6\) is not allowed"),
        (lambda W, b, X: (W, b, X[:1]), r"X of shape \(1, 6\) is not allowed: at least 2 points"),
        (lambda W, b, X: (W, b, X[0]), r"X of shape \(6,\) is not allowed"),
        (lambda W, b, X: (W, [b[0], b[0], b[2]], X), r"biases\[1\] of shape \(40,\) is not allo"),
        (lambda W, b, X: (W, b, X * np.nan), r"X\[0, 0\] = nan is not allowed"),
        (
            lambda W, b, X: ([0 * W[0], *W[1:]], [-1 - 0 * b[0], *b[1:]], X),
            r"weights\[0\] is not allowed: all its neurons are silent on X",
        ),
    ],
)
def test_networks_that_do_not_fit_are_refused(change: object, message: str) -> None:
    W, b, X = change(*network(np.random.default_rng(0)))  # type: ignore[operator]
    with pytest.raises(ValueError, match=message):
        layer_reports(W, b, X, alphas=[1.0, 1.0])
