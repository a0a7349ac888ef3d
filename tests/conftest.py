"""What all tests share: how hard hypothesis tries, and the reference values.

KERNELSPEC_TEST_PROFILE=thorough tries ten times as many examples, with new ones on every run.
"""

from __future__ import annotations

import os

# Tests work on small matrices, one process a core: more threads than that only wait for each other.
# Read when numpy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# a loaded machine draws examples slowly; that is no reason to fail
_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("modest", max_examples=20, derandomize=True, **_CALM)
settings.register_profile("thorough", max_examples=200, derandomize=False, **_CALM)
settings.load_profile(os.environ.get("KERNELSPEC_TEST_PROFILE", "modest"))


@pytest.fixture(scope="session")
def reference():
    """Values to at least 20 digits by quantity; each row holds parameters and a decimal string."""
    with (Path(__file__).parent / "data" / "values.json").open(encoding="utf-8") as file:
        return json.load(file)
