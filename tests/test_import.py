"""Importing the package loads numpy and scipy, and nothing that only some need."""

from __future__ import annotations

import subprocess
import sys

import kernelspec

HEAVY = ["dask", "flint", "hypothesis", "joblib", "matplotlib", "pandas", "rich", "scipy.stats"]


def test_import_loads_nothing_heavy():
    code = "import sys, kernelspec; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "numpy" in loaded
    assert not {*HEAVY, "sklearn", "typer", "validation"} & set(loaded)


def test_every_public_name_is_there():
    assert all(getattr(kernelspec, name) is not None for name in kernelspec.__all__)
    assert list(kernelspec.__all__) == sorted(kernelspec.__all__)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(kernelspec, "no_such_name")
