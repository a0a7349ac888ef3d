"""JAX and optax, which only training needs: at hand, or a message that says how to get them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

__all__ = ["MISSING", "TrainingExtraMissingError", "available", "precision", "require"]

MISSING: Final = 'training needs JAX and optax: pip install "kernelspec[train]"'


class TrainingExtraMissingError(RuntimeError):
    """The packages that training needs are not installed.

    Examples
    --------
    Nothing is printed where both are installed:

    >>> try:
    ...     require()
    ... except TrainingExtraMissingError as error:
    ...     print(error)
    """


def available() -> bool:
    """Return whether JAX and optax are installed, without importing them.

    Examples
    --------
    With the extra "train":

    >>> available()
    True
    """
    try:
        return all(find_spec(name) is not None for name in ("jax", "optax"))
    except ValueError:  # a module that was put into sys.modules without a specification
        return False


def require() -> None:
    """Make sure that JAX and optax can be imported.

    Raises
    ------
    TrainingExtraMissingError
        In one line, with the command that installs them.

    Examples
    --------
    Nothing happens where both are installed; the error says:

    >>> require()
    >>> MISSING
    'training needs JAX and optax: pip install "kernelspec[train]"'
    """
    if not available():
        raise TrainingExtraMissingError(MISSING)


@contextmanager
def precision(double: bool) -> Iterator[None]:
    """Let JAX compute in float64 or float32 within the block, and as before after it.

    Examples
    --------
    >>> with precision(double=True):
    ...     import jax
    ...     print(jax.numpy.ones(1).dtype)
    float64
    """
    require()
    import jax

    with jax.enable_x64(double):
        yield
