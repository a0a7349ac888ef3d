"""Sizes that do not fit into memory are refused, with the estimate, before any work."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec import (
    BiasedReLU,
    GaussianInit,
    Mixture,
    RidgeLeverage,
    UniformBias,
    _memory,
    gegenbauer,
    uniform_sphere,
)

MODEL = BiasedReLU(4)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: MODEL.eigenvalues(10**13), "the spectrum up to degree 10000000000000"),
        (lambda: MODEL.coefficients(0.1, 10**13), "coefficients to degree 10000000000000"),
        (lambda: gegenbauer(3, 10**13, 0.5), "a table of 10000000000001 degrees"),
        (lambda: uniform_sphere(3, 10**13, 0), "a sample of 10000000000000 points"),
        (lambda: GaussianInit(4, 1.0).sample(10**13, 0), "a sample of 10000000000000 neurons"),
        (lambda: UniformBias(4, 1.0).sample(10**13, 0), "a sample of 10000000000000 neurons"),
        (lambda: RidgeLeverage(MODEL, 0.1).sample(10**13, 0), "a sample of 10000000000000 neurons"),
        (
            lambda: Mixture([GaussianInit(4, 1.0)], [1.0]).sample(10**13, 0),
            "a sample of 10000000000000 neurons",
        ),
    ],
)
def test_absurd_sizes_are_refused(call, what):
    with pytest.raises(MemoryError) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(f"{what} needs about ")
    assert message.endswith("GiB may be used: ask for fewer at a time")


def test_features_count_inputs_times_neurons(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 2.0 * 8 * 30 * 20)
    MODEL.features(np.ones((30, 4)), np.ones((20, 5)))
    with pytest.raises(MemoryError, match="21 features at 30 inputs"):
        MODEL.features(np.ones((30, 4)), np.ones((21, 5)))
