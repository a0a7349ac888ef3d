"""Settings are checked before any work, from Python and from TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from validation.settings import read_toml
from validation.sweeps import SweepSettings, cells

GOOD: dict[str, Any] = {"d": (3,), "m": (8, 16), "P": (0.0, 1.0), "tau": (2.0,)}


@pytest.mark.parametrize(
    ("name", "value", "kind", "words"),
    [
        ("d", 1, ValueError, "d = 1 is not allowed: an integer from 2 to 1000"),
        ("d", (), ValueError, r"d = \(\) is not allowed: at least one value"),
        ("m", 0, ValueError, "m = 0 is not allowed: an integer >= 1"),
        ("m", (8, 8.0), ValueError, "each value once"),
        ("m", "8", TypeError, "m = '8' is not allowed"),
        ("P", (0.5, 1.5), ValueError, "P = 1.5 is not allowed: a number from 0 to 1"),
        ("P", float("nan"), ValueError, "P = nan is not allowed"),
        ("tau", 0, ValueError, "tau = 0 is not allowed: a finite number > 0"),
        ("tau", 0.5, ValueError, "the theorem speaks of order 1 and tau >= 1"),
        ("order", (0, 1), ValueError, "the theorem speaks of order 1 and tau >= 1"),
        ("order", 6, ValueError, "order = 6 is not allowed"),
        ("delta", 1, ValueError, "delta = 1 is not allowed"),
        ("seeds", 0, ValueError, "seeds = 0 is not allowed"),
        ("seed", -1, ValueError, "seed = -1 is not allowed"),
        ("lam", 0.0, ValueError, "lam = 0.0 is not allowed"),
        ("rtol", 0.0, ValueError, "rtol = 0.0 is not allowed"),
        ("kappa0", "sharp", ValueError, "kappa0 = 'sharp' is not allowed: one of theorem, limit"),
    ],
)
def test_bad_value_is_named(name: str, value: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        SweepSettings(**{**GOOD, name: value})


def test_order_of_writing_and_kind_of_number_have_no_meaning() -> None:
    one = SweepSettings(**{**GOOD, "m": (16, 8.0), "tau": 2})
    assert one == SweepSettings(**GOOD)
    assert [cell.key for cell in cells(one)] == [cell.key for cell in cells(SweepSettings(**GOOD))]


def test_toml_gives_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text("d = 3\nm = [8, 16]\nP = [0, 1]\ntau = [2]\nkappa0 = 'theorem'\n")
    assert SweepSettings.from_mapping(read_toml(path)) == SweepSettings(**GOOD)


@pytest.mark.parametrize("content", [b"d = [3", b"\xff\xfe"])
def test_broken_toml_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "sweep.toml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"sweep\.toml is no TOML file"):
        read_toml(path)


def test_missing_axes_are_named() -> None:
    with pytest.raises(ValueError, match="a sweep needs values for P, tau"):
        SweepSettings.from_mapping({"d": 3, "m": 8})


def test_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'width' is no setting of a sweep: known: d, m, P"):
        SweepSettings.from_mapping({**GOOD, "width": 8})
