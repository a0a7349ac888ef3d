"""Laws of neurons: densities against samples and against integrals along rays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from kernelspec import BiasedReLU, GaussianInit, Uniform
from kernelspec.empirical import (
    CustomLaw,
    Direction,
    OnSphere,
    PartLaw,
    WeightsAndBias,
    activation,
    named_law,
    named_laws,
)
from kernelspec.empirical.named import prepared

PARTS = [PartLaw("normal", 0.7), PartLaw("uniform", 0.9)]


def unit(d, size, seed):
    return Uniform(d).sample(size, seed)


@pytest.mark.parametrize("weights", PARTS, ids=["normal", "uniform"])
@pytest.mark.parametrize("bias", [PartLaw("normal", 1.5), PartLaw("uniform", 0.3)], ids=["n", "u"])
@pytest.mark.parametrize("d", [1, 3, 8])
def test_the_density_of_the_direction_is_the_integral_along_its_ray(weights, bias, d):
    space = WeightsAndBias(d, weights, bias)
    V = unit(max(d, 2), 6, 3)[:, : d + 1]
    V /= np.linalg.norm(V, axis=1)[:, None]
    area = 2 * math.pi ** ((d + 1) / 2) / math.gamma((d + 1) / 2)
    found = np.exp(Direction(space).log_density(V))
    for v, value in zip(V, found, strict=True):
        reach = min(weights.reach(v[None, :-1])[0], bias.reach(v[None, -1:])[0], 60.0)

        def along(r, v=v):
            return float(np.exp(space.log_density(r * v[None])[0])) * r**d

        assert value == pytest.approx(area * quad(along, 0, reach, limit=200)[0], rel=1e-6)


@pytest.mark.parametrize("name", ["pytorch", "he-pytorch", "normal=2,0.5", "tau=3"])
def test_densities_and_samples_agree(name):
    """E_q[1/q] = 1 over the sphere, E_pi[q] = 1: z-scores of 20,000 draws, false alarms < 1e-6."""
    d = 3
    law = prepared(name, d, activation("relu"), "law")
    for sample, power in ((law.sample(20_000, 0), -1), (unit(d, 20_000, 1), 1)):
        values = np.exp(power * law.log_density(sample))
        assert abs(values.mean() - 1) < 5 * values.std() / math.sqrt(len(values))


def test_equal_laws_in_other_clothes_agree():
    V = unit(5, 50, 0)
    normal = Direction(WeightsAndBias(5, PartLaw("normal", 0.3), PartLaw("normal", 0.6)))
    np.testing.assert_allclose(
        normal.log_density(V), GaussianInit(5, 2.0).log_density(V[:, -1]), rtol=1e-11, atol=1e-12
    )


def test_many_dimensions_keep_their_digits():
    """d = 400: |S^d| and the incomplete Gamma function leave float64, their product does not."""
    d = 400
    V = unit(d, 5, 0)
    box = Direction(WeightsAndBias(d, PartLaw("normal", 1.0), PartLaw("uniform", 1e3)))
    wide = box.log_density(V)
    # a bias that wide is uniform on the line: the density is that of |w|^-1 times a constant
    assert np.all(np.isfinite(wide))
    narrow = Direction(WeightsAndBias(d, PartLaw("normal", 1.0), PartLaw("uniform", 1e-3)))
    assert np.all(np.isfinite(narrow.log_density(V)))
    # halving the scale of both changes no direction
    half = Direction(WeightsAndBias(d, PartLaw("normal", 0.5), PartLaw("uniform", 500.0)))
    np.testing.assert_allclose(half.log_density(V), wide, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("weights", PARTS, ids=["normal", "uniform"])
@pytest.mark.parametrize("bias", [*PARTS, PartLaw("zero")], ids=["normal", "uniform", "zero"])
def test_the_density_in_space_is_that_of_its_parts(weights, bias):
    law = WeightsAndBias(2, weights, bias)
    V = law.sample(300, 0)

    def log_density(part, t):
        if part.kind == "normal":
            return -((t / part.scale) ** 2) / 2 - math.log(math.sqrt(2 * math.pi) * part.scale)
        return np.where(np.abs(t) <= part.scale, -math.log(2 * part.scale), -np.inf)

    expected = sum(log_density(weights, V[:, j]) for j in range(2))
    if bias.kind != "zero":
        expected = expected + log_density(bias, V[:, 2])
    np.testing.assert_allclose(law.log_density(V), expected, rtol=1e-12)
    assert law.degenerate == (bias.kind == "zero")
    assert np.all(law.log_density(V + np.array([0, 0, 5.0]))[:1] == -np.inf) == (
        bias.kind != "normal"
    )


def test_names_mean_what_they_say():
    d = 16
    rng = np.random.default_rng(0)
    for name in named_laws():
        law = named_law(name.replace("T", "2").replace("S", "0.5"), d)
        V = law.sample(4000, rng)
        assert V.shape == (4000, d + 1)
    spread = {n: named_law(n, d).sample(40_000, 1).std(axis=0) for n in ("pytorch", "he", "lecun")}
    np.testing.assert_allclose(spread["pytorch"], 1 / math.sqrt(3 * d), rtol=0.03)
    np.testing.assert_allclose(spread["he"][:-1], math.sqrt(2 / d), rtol=0.03)
    np.testing.assert_allclose(spread["lecun"][:-1], math.sqrt(1 / d), rtol=0.03)
    assert spread["he"][-1] == spread["lecun"][-1] == 0


def test_only_the_direction_counts_where_the_activation_is_homogeneous():
    law = named_law("pytorch", 3)
    assert isinstance(prepared(law, 3, activation("relu"), "law"), Direction)
    assert prepared(law, 3, activation("tanh"), "law") is law
    assert isinstance(prepared(Uniform(3), 3, activation("relu"), "law"), OnSphere)


def test_activations_do_what_their_degree_says():
    t = np.linspace(-3, 3, 31)
    for name in ("relu", "heaviside", "relu2"):
        f = activation(name)
        np.testing.assert_allclose(f.function(2.5 * t), 2.5**f.degree * f.function(t))
    model = BiasedReLU(3, order=2)
    X, V = unit(2, 5, 0), unit(3, 7, 1)
    from kernelspec.empirical import features

    np.testing.assert_allclose(features(X, V, "relu2"), model.features(X, V), rtol=1e-13)
    np.testing.assert_allclose(
        features(X, V, lambda u: u**3), (X @ V[:, :-1].T + V[:, -1]) ** 3, rtol=1e-13
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: named_law("xavier", 3), "law = 'xavier' is not allowed: one of sphere"),
        (lambda: named_law("tau=x", 3), "law = 'tau=x' is not allowed: one of"),
        (lambda: named_law("tau=-1", 3), "law = 'tau=-1' is not allowed: -1 is no number > 0"),
        (lambda: named_law("normal=1", 3), "law = 'normal=1' is not allowed"),
        (lambda: PartLaw("cauchy"), "kind = 'cauchy' is not allowed"),
        (lambda: PartLaw("normal", 0), "scale = 0 is not allowed"),
        (lambda: WeightsAndBias(2, PartLaw("zero"), PartLaw("normal")), "weights = 'zero'"),
        (lambda: OnSphere(3), "law = 3 is not allowed"),
        (lambda: activation("reluu"), "activation = 'reluu' is not allowed: one of relu"),
        (lambda: activation(3), "activation = 3 is not allowed"),
        (lambda: prepared("sphere", 3, activation("relu"), "q").log_density([[1.0]]), "V of shape"),
        (lambda: prepared(Uniform(4), 3, activation("relu"), "q"), "a law for the d = 3 columns"),
        (lambda: prepared(3, 3, activation("relu"), "q"), "q = 3 is not allowed"),
        (
            lambda: CustomLaw(2, lambda n, r: r.random((1, 3)), len, "own").sample(4, 0),
            "sampler of 1 neurons is not allowed: 4 were asked for",
        ),
        (
            lambda: CustomLaw(2, lambda n, r: r.random((n, 3)), len, "own").log_density(
                np.ones((4, 3))
            ),
            "log_ratio of shape () is not allowed",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
