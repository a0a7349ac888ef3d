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
GIB = 2**30


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


def test_available_memory_is_what_the_system_tells():
    assert 2**20 < _memory.available_memory() < 2**50


@pytest.mark.parametrize(
    ("limit", "free"), [("max", np.inf), (str(4 * GIB), 2 * GIB), ("nonsense", np.inf)]
)
def test_a_containers_limit_counts(tmp_path, limit, free):
    (tmp_path / "memory.max").write_text(limit + "\n")
    (tmp_path / "memory.current").write_text(str(3 * GIB))
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {GIB}\nactive_file 7\n")
    assert _memory._container(tmp_path) == free
