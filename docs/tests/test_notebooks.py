"""Notebooks are kept without their outputs, and show figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stripped(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["cells"][0]["source"][0].startswith("# ")
    assert path.read_text(encoding="utf-8").endswith("}\n")


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 6
