"""Bad input: one line that names the argument, its value and what is allowed, before any work."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec import _checks, testing

model, law = ks.BiasedReLU(3), ks.Uniform(3)
nan, inf = math.nan, math.inf
WHOLE_D = "an integer from 2 to 1000"

BAD = [
    # the call, the argument and its value as the message shows them, what is allowed
    (lambda: ks.BiasedReLU(1), "d = 1", WHOLE_D),
    (lambda: ks.BiasedReLU(0), "d = 0", WHOLE_D),
    (lambda: ks.BiasedReLU(-3), "d = -3", WHOLE_D),
    (lambda: ks.BiasedReLU(1001), "d = 1001", WHOLE_D),
    (lambda: ks.BiasedReLU(2.5), "d = 2.5", WHOLE_D),
    (lambda: ks.BiasedReLU(nan), "d = nan", WHOLE_D),
    (lambda: ks.BiasedReLU(inf), "d = inf", WHOLE_D),
    (lambda: ks.BiasedReLU("3"), "d = '3'", WHOLE_D),
    (lambda: ks.BiasedReLU(None), "d = None", WHOLE_D),
    (lambda: ks.BiasedReLU(True), "d = True", WHOLE_D),
    (lambda: ks.BiasedReLU([3]), "d = [3]", WHOLE_D),
    (lambda: ks.BiasedReLU(3, 6), "order = 6", "an integer from 0 to 5"),
    (lambda: ks.BiasedReLU(3, -1), "order = -1", "an integer from 0 to 5"),
    (lambda: ks.BiasedReLU(3, 0.5), "order = 0.5", "an integer from 0 to 5"),
    (lambda: ks.multiplicity(1, 2), "d = 1", WHOLE_D),
    (lambda: ks.multiplicity(3, -1), "k = -1.0", "numbers from 0 to inf"),
    (lambda: ks.multiplicity(3, 1.5), "k = 1.5", "integers >= 0"),
    (lambda: ks.multiplicity(3, [0, nan]), "k[1] = nan", "numbers from 0 to inf"),
    (lambda: ks.multiplicity(3, inf), "k = inf", "integers >= 0"),
    (lambda: ks.gegenbauer(1, 3, 0.0), "d = 1", "an integer >= 2"),
    (lambda: ks.gegenbauer(3, -1, 0.0), "max_degree = -1", "an integer >= 0"),
    (lambda: ks.gegenbauer(3, 2, 1.0001), "t = 1.0001", "numbers from -1 to 1"),
    (lambda: ks.gegenbauer(3, 2, [0, -2]), "t[1] = -2.0", "numbers from -1 to 1"),
    (lambda: ks.coordinate_quadrature(3, 0), "n = 0", "an integer >= 1"),
    (lambda: ks.coordinate_quadrature(1, 4), "d = 1", "an integer >= 2"),
    (lambda: ks.uniform_sphere(3, -1, 0), "size = -1", "an integer >= 0"),
    (lambda: model.kernel(1.5), "t = 1.5", "numbers from -1 to 1"),
    (lambda: model.kernel([0.0, nan]), "t[1] = nan", "numbers from -1 to 1"),
    (lambda: model.kernel("x"), "t = 'x'", "numbers from -1 to 1"),
    (lambda: model.eigenvalues(-1), "max_degree = -1", "an integer >= 0"),
    (lambda: model.eigenvalues(2.5), "max_degree = 2.5", "an integer >= 0"),
    (lambda: model.eigenvalues(True), "max_degree = True", "an integer >= 0"),
    (lambda: ks.gegenbauer(3, np.True_, 0.0), "max_degree = np.True_", "an integer >= 0"),
    (lambda: model.coefficients(1.1, 3), "b = 1.1", "numbers from -1 to 1"),
    (lambda: model.coefficients(nan, 3), "b = nan", "numbers from -1 to 1"),
    (lambda: model.coefficients(0.1, -2), "max_degree = -2", "an integer >= 0"),
    (lambda: model.leverage(-1.01, 1e-2), "b = -1.01", "numbers from -1 to 1"),
    (lambda: model.leverage([[0.0, 0.1], [2, 0]], 1.0), "b[1, 0] = 2.0", "numbers from -1 to 1"),
    (lambda: model.leverage(0.0, 0.0), "lam = 0.0", "finite numbers > 0"),
    (lambda: model.leverage(0.0, [1.0, -1e-9]), "lam[1] = -1e-09", "finite numbers > 0"),
    (lambda: model.degrees_of_freedom(0), "lam = 0.0", "finite numbers > 0"),
    (lambda: model.degrees_of_freedom(nan), "lam = nan", "finite numbers > 0"),
    (lambda: model.degrees_of_freedom(inf), "lam = inf", "finite numbers > 0"),
    (lambda: model.degrees_of_freedom([[1], [1, 2]]), "lam = [[1], [1, 2]]", "finite numbers > 0"),
    (lambda: ks.GaussianInit(3, 0), "tau = 0", "a finite number > 0"),
    (lambda: ks.GaussianInit(3, -2.0), "tau = -2.0", "a finite number > 0"),
    (lambda: ks.GaussianInit(3, inf), "tau = inf", "a finite number > 0"),
    (lambda: ks.UniformBias(2.5, 1), "d = 2.5", WHOLE_D),
    (lambda: ks.RidgeLeverage(model, 0), "lam = 0", "a finite number > 0"),
    (lambda: law.density(1.2), "b = 1.2", "numbers from -1 to 1"),
    (lambda: law.sample(-1, 0), "size = -1", "an integer >= 0"),
    (lambda: ks.mismatch(model, law, [0.1, 0]), "lam[1] = 0.0", "finite numbers > 0"),
    (lambda: ks.mismatch(model, ks.Uniform(4), 1), "law = Uniform(d=4)", "the model's d = 3"),
    (lambda: ks.mismatch(law, law, 1), "model = Uniform(d=3)", "a BiasedReLU"),
    (lambda: ks.limiting_mismatch(model, 3), "law = 3", "a sampling law"),
    (lambda: ks.worst_mismatch(model, law, 0), "lam_max = 0", "a finite number > 0"),
    (lambda: ks.worst_mismatch(model, law, "all"), "lam_max = 'all'", "a finite number > 0"),
    (lambda: ks.holds_below(model, law, nan), "constant = nan", "a finite number > 0"),
    (lambda: testing.dimensions(1), "d = 1", WHOLE_D),
    (lambda: testing.models(order=7), "order = 7", "an integer from 0 to 5"),
    (lambda: testing.ridges(0.0), "ridges min_value = 0.0", "a finite number > 0"),
    (lambda: testing.neurons(3, 0), "max_size = 0", "an integer >= 1"),
]


@pytest.mark.parametrize(("call", "shown", "allowed"), BAD, ids=[shown for _, shown, _ in BAD])
def test_one_line_names_argument_value_and_range(call, shown, allowed):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(f"{shown} is not allowed: ")
    assert allowed in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: model.features(np.ones((2, 4)), np.ones((1, 4))),
            "X of shape (2, 4) is not allowed: a finite array of shape (n, 3)",
        ),
        (
            lambda: model.features(np.ones((2, 3)), np.ones((1, 3))),
            "V of shape (1, 3) is not allowed: a finite array of shape (n, 4)",
        ),
        (
            lambda: model.features(np.ones(3), np.ones((1, 4))),
            "X of shape (3,) is not allowed: a finite array of shape (n, 3)",
        ),
        (
            lambda: model.features([[0.0, 0.0, nan]], np.ones((1, 4))),
            "X[0, 2] = nan is not allowed: a finite array of shape (n, 3)",
        ),
        (
            lambda: model.leverage([0.1, 0.2], [1.0, 2.0, 3.0]),
            "shapes b (2,), lam (3,) are not allowed: they must broadcast",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@settings(max_examples=100)
@given(
    st.one_of(
        st.floats(),
        st.integers(),
        st.text(max_size=5),
        st.none(),
        st.booleans(),
        st.complex_numbers(),
    )
)
def test_numbers_pass_or_are_refused_in_one_line(value):
    """Whatever comes in: a number of the stated range goes out, or a one-line error."""
    for check, fits in (
        (lambda x: _checks.integer("n", x, 2, 9), lambda x: x in range(2, 10)),
        (lambda x: _checks.positive("n", x), lambda x: 0 < x < inf),
        (lambda x: _checks.not_negative("n", x), lambda x: 0 <= x < inf),
        (lambda x: _checks.proportion("n", x), lambda x: 0 <= x <= 1),
        (lambda x: _checks.open_unit("n", x), lambda x: 0 < x < 1),
    ):
        try:
            result = check(value)
        except (ValueError, TypeError) as error:
            message = str(error)
            assert message.startswith(f"n = {value!r} is not allowed: ")
            assert len(message.splitlines()) == 1
        else:
            assert fits(result)
            assert result == float(value)


@pytest.mark.parametrize(
    ("check", "bad", "good"),
    [
        (_checks.positive_array, [0.0, -1.0, nan, inf], 1e-300),
        (_checks.open_unit_array, [0.0, 1.0, nan, -1.0], 0.5),
        (lambda n, x: _checks.integer_array(n, x, 2, 9), [1, 10, 2.5, nan, inf], 9),
        (lambda n, x: _checks.real_array(n, x, -1, 1), [-1.5, 1.5, nan, inf], -1),
    ],
)
def test_arrays_name_their_first_bad_entry(check, bad, good):
    for value in bad:
        array = np.full((2, 3), good, dtype=float)
        array[1, 1] = array[1, 2] = value
        with pytest.raises(ValueError, match=r"^values\[1, 1\] = .* is not allowed: ") as caught:
            check("values", array)
        assert f"= {float(value)!r} " in str(caught.value)
    assert np.array_equal(check("values", [good]), [good])
    with pytest.raises(TypeError, match=r"^values = 'many' is not allowed: "):
        check("values", "many")


def test_refusal_comes_before_any_work():
    """The wrong ridge is found although the degree before it would need terabytes."""
    with pytest.raises(ValueError, match=r"^d = 1 is not allowed"):
        ks.gegenbauer(1, 10**12, np.zeros(10**6))
    with pytest.raises(ValueError, match=r"^b = 2\.0 is not allowed"):
        model.coefficients(2.0, 10**13)
