"""Read arguments: each mistake is one line that names the option, the value and the range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import typer

__all__ = [
    "FIGURE_SUFFIXES",
    "checked",
    "choice",
    "dimension",
    "figure_file",
    "figure_name",
    "integers",
    "numbers",
    "open_unit",
    "positive",
    "real",
    "reals",
    "unused",
    "whole_number",
]

T = TypeVar("T")

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")


def checked(check: Callable[[], T]) -> T:
    """Return what `check` returns; what it refuses becomes a usage error.

    Examples
    --------
    >>> checked(lambda: 2 + 2)
    4
    """
    try:
        return check()
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def unused(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Refuse options that were given, by parameter names, but would be ignored."""
    given = [name for name in names if _was_given(context, name)]
    if given:
        shown = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        verb = "are" if len(given) > 1 else "is"
        raise typer.BadParameter(f"{shown} {verb} not allowed {why}")


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _refuse(name: str, value: str, allowed: str) -> typer.BadParameter:
    return typer.BadParameter(f"{name} = {value!r} is not allowed: {allowed}")


def _parse(name: str, text: str, allowed: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _refuse(name, text, allowed) from None


def whole_number(name: str, text: str, low: int, high: int | None = None) -> int:
    """Read an integer in [low, high].

    Examples
    --------
    >>> whole_number("--jobs", "2", 1)
    2
    """
    from kernelspec import _checks

    allowed = f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"
    try:
        number: float = int(text)
    except ValueError:
        number = _parse(name, text, allowed)
    return checked(lambda: _checks.integer(name, number, low, high))


def dimension(text: str, name: str = "--d") -> int:
    """Read an ambient dimension.

    Examples
    --------
    >>> dimension("5")
    5
    """
    from kernelspec import _checks

    return whole_number(name, text, 2, _checks.MAX_DIMENSION)


def positive(name: str, text: str) -> float:
    """Read a finite number > 0.

    Examples
    --------
    >>> positive("--lam", "1e-3")
    0.001
    """
    from kernelspec import _checks

    number = _parse(name, text, "a finite number > 0")
    return checked(lambda: _checks.positive(name, number))


def _items(name: str, text: str, allowed: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        raise _refuse(name, text, f"{allowed}, separated by commas")
    return list(dict.fromkeys(items))


def numbers(name: str, text: str) -> list[float]:
    """Read positive numbers separated by commas, each once.

    Examples
    --------
    >>> numbers("--tau", "1,10")
    [1.0, 10.0]
    """
    items = _items(name, text, "finite numbers > 0")
    return list(dict.fromkeys(positive(name, item) for item in items))


def integers(name: str, text: str, low: int, high: int | None = None) -> list[int]:
    """Read integers separated by commas, each once.

    Examples
    --------
    >>> integers("--d", "3,5", 2, 1000)
    [3, 5]
    """
    items = _items(name, text, "integers")
    return list(dict.fromkeys(whole_number(name, item, low, high) for item in items))


def figure_name(text: str, name: str = "--plot") -> Path:
    """Check that a path ends as figures do.

    Examples
    --------
    >>> figure_name("error.svg").suffix
    '.svg'
    """
    path = Path(text)
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        raise _refuse(name, text, f"a file name ending in {', '.join(FIGURE_SUFFIXES)}")
    return path


def figure_file(text: str | None, name: str = "--plot") -> Path | None:
    """Check that a figure can be written at a path, before any work."""
    if text is None:
        return None
    from validation.files import prepare_file

    path = figure_name(text, name)
    try:
        prepare_file(path)
    except ValueError as error:
        raise typer.BadParameter(f"{name} = {error}") from None
    return path


def reals(name: str, text: str, low: float, high: float) -> list[float]:
    """Read numbers in [low, high] separated by commas, each once.

    Examples
    --------
    >>> reals("--P", "0,0.5,1", 0.0, 1.0)
    [0.0, 0.5, 1.0]
    """
    from kernelspec import _checks

    allowed = f"numbers from {low:g} to {high:g}"
    values = [_parse(name, item, allowed) for item in _items(name, text, allowed)]
    return list(
        dict.fromkeys(checked(lambda: _checks.real_array(name, values, low, high)).tolist())
    )


def real(name: str, text: str, low: float, high: float) -> float:
    """Read one number in [low, high].

    Examples
    --------
    >>> real("--rtol", "0.5", 0.0, 1.0)
    0.5
    """
    allowed = f"a number from {low:g} to {high:g}"
    number = _parse(name, text, allowed)
    if not low <= number <= high:
        raise _refuse(name, text, allowed)
    return number


def open_unit(name: str, text: str) -> float:
    """Read a number strictly between 0 and 1.

    Examples
    --------
    >>> open_unit("--delta", "0.05")
    0.05
    """
    from kernelspec import _checks

    number = _parse(name, text, "a number strictly between 0 and 1")
    return checked(lambda: _checks.open_unit(name, number))


def choice(name: str, text: str, allowed: Sequence[str]) -> str:
    """Read one of some words.

    Examples
    --------
    >>> choice("--init", "he", ["he", "spherical"])
    'he'
    """
    if text not in allowed:
        raise _refuse(name, text, f"one of {', '.join(allowed)}")
    return text


def words(name: str, text: str) -> list[str]:
    """Read words separated by commas, each once."""
    return _items(name, text, "names")


def dimensions(name: str, text: str) -> list[int]:
    """Read ambient dimensions separated by commas, each once."""
    items = _items(name, text, "integers from 2 to 1000")
    return list(dict.fromkeys(dimension(item, name) for item in items))


def output_directory(name: str, text: str) -> Path:
    """Make a directory and check that files can be written into it, before any work."""
    from validation.files import prepare_directory

    try:
        prepare_directory(path := Path(text))
    except ValueError as error:
        raise typer.BadParameter(f"{name} = {error}") from None
    return path
