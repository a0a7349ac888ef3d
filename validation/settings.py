"""What settings of experiments have in common: TOML files, flags and the names that are known."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

__all__ = ["Settings", "axis", "given", "read_toml", "word"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Base of frozen dataclasses that hold checked settings.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Widths(Settings):
    ...     m: tuple[int, ...] = (64,)
    >>> Widths(m=(64, 128)).as_dict()
    {'m': [64, 128]}
    """

    _of: ClassVar[str] = "an experiment"
    """What the settings are of, in messages."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, lists for tuples, as JSON would give them back."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Build settings from names and values.

        Raises
        ------
        TypeError, ValueError
            If a name is unknown, with the name that may have been meant, or missing, or if a value
            is refused.

        Examples
        --------
        >>> from validation.sweeps import SweepSettings
        >>> SweepSettings.from_mapping({"d": 3, "m": 64, "P": 0.5, "tua": 1.0})
        Traceback (most recent call last):
        ValueError: 'tua' is no setting of a sweep: did you mean 'tau'?
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
                raise ValueError(f"{name!r} is no setting of {cls._of}: {hint}")
        missing = [
            field.name for field in fields(cls) if _needed(field) and field.name not in values
        ]
        if missing:
            raise ValueError(f"{cls._of} needs values for {', '.join(missing)}")
        return cls(**values)

    def _set(self, checked: Mapping[str, Any]) -> None:
        """Put checked values in the place of those given; for `__post_init__` alone."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)


def _needed(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def axis(name: str, value: Any, check: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the checked values in ascending order: the order of writing has no meaning.

    A single value stands for an axis of one.

    Examples
    --------
    >>> axis("m", [64, 8], int), axis("m", 8, int)
    ((8, 64), (8,))
    """
    entries = value if isinstance(value, (list, tuple)) else [value]
    if not entries:
        raise ValueError(f"{name} = {value!r} is not allowed: at least one value")
    checked = [check(entry) for entry in entries]
    if len(set(checked)) < len(checked):
        raise ValueError(f"{name} = {value!r} is not allowed: each value once")
    return tuple(sorted(checked))


def word(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return one of some words, or say which there are.

    Examples
    --------
    >>> word("init", "he", ("spherical", "he"))
    'he'
    """
    if value not in allowed:
        raise ValueError(f"{name} = {value!r} is not allowed: one of {', '.join(allowed)}")
    return str(value)


def read_toml(path: Path) -> dict[str, Any]:
    """Read the names and values in a TOML file, such as ``m = [64, 128]``.

    Raises
    ------
    ValueError
        If the file cannot be read or is not TOML, naming the file and the place.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "sweep.toml").write_text("m = [64, 128]")
    ...     found = read_toml(Path(folder) / "sweep.toml")
    >>> found
    {'m': [64, 128]}
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None


def given(
    file: Path | None,
    flags: Mapping[str, str | None] | None = None,
    lists: Collection[str] = (),
) -> dict[str, Any]:
    """Return the values in a TOML file, if there is one; flags that are given count before it.

    Parameters
    ----------
    file : Path or None
        Where to read.
    flags : mapping, optional
        Texts by name, None for flags that were left out. Commas separate values.
    lists : collection of str
        Names whose values are lists even where there is one value.

    Raises
    ------
    ValueError
        As `read_toml`.

    Examples
    --------
    >>> given(None, {"m": "64", "seed": "1", "lam": None}, lists=["m"])
    {'m': [64], 'seed': 1}
    """
    values = {} if file is None else read_toml(file)
    for name, text in (flags or {}).items():
        if text is not None:
            items = [_number(item.strip()) for item in text.split(",")]
            values[name] = items if name in lists or len(items) > 1 else items[0]
    return values


def _number(text: str) -> int | float | str:
    # What is no number is left as it is: the settings say what they allow.
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
