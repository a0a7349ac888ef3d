"""Names and flags are read in one way, whatever the settings are of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from validation.settings import Settings, given
from validation.sweeps import SweepSettings
from validation.three_layer.settings import ThreeLayerSettings
from validation.training.settings import TrainingSettings


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (SweepSettings, "tua", "'tua' is no setting of a sweep: did you mean 'tau'?"),
        (
            ThreeLayerSettings,
            "peices",
            "'peices' is no setting of the three-layer example: did you mean 'pieces'?",
        ),
        (TrainingSettings, "widht", "'widht' is no setting of training: did you mean 'width'?"),
    ],
    ids=["sweep", "three-layer", "training"],
)
def test_an_unknown_name_is_answered_by_a_close_one(
    kind: type[Settings], name: str, words: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        kind.from_mapping({name: 1})


@pytest.mark.parametrize(
    "settings",
    [SweepSettings(d=3, m=8, P=(1, 0), tau=2), ThreeLayerSettings(), TrainingSettings(tau=1)],
    ids=["sweep", "three-layer", "training"],
)
def test_plain_values_give_the_settings_back(settings: Settings) -> None:
    values = settings.as_dict()
    assert not any(isinstance(value, tuple) for value in values.values())
    assert type(settings).from_mapping(values) == settings


def test_flags_count_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("m = [8]\nseed = 1\nrtol = 0.5\n")
    flags: dict[str, str | None] = {"m": "16", "P": "0, 0.5", "seed": None, "kappa0": "limit"}
    expected: dict[str, Any] = {
        "m": [16], "P": [0, 0.5], "seed": 1, "rtol": 0.5, "kappa0": "limit",
    }  # fmt: skip
    assert given(file, flags, ["m"]) == expected
