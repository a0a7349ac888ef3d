"""Laws of neurons by the names people know."""

from __future__ import annotations

import math
from typing import Final

from kernelspec import _checks
from kernelspec.empirical.activations import Activation
from kernelspec.empirical.layers import Direction, PartLaw, WeightsAndBias
from kernelspec.empirical.neurons import NeuronLaw, OnSphere
from kernelspec.laws import GaussianInit, Law, Uniform

__all__ = ["named_law", "named_laws", "prepared"]

_LAYERS: Final = {
    "pytorch": "torch.nn.Linear: weights and bias uniform on [-1/sqrt(d), 1/sqrt(d)]",
    "he": "weights N(0, 2/d), no bias",
    "he-pytorch": "weights N(0, 2/d), bias uniform on [-1/sqrt(d), 1/sqrt(d)]",
    "lecun": "weights N(0, 1/d), no bias",
}
_OTHERS: Final = {
    "sphere": "(w, b) uniform on the unit sphere S^d",
    "tau=T": "w ~ N(0, I), b ~ N(0, T^2), projected to S^d",
    "normal=S,T": "weights N(0, S^2), bias N(0, T^2); T = 0: no bias",
}


def named_laws() -> dict[str, str]:
    """Names that `named_law` knows, with what they mean.

    Examples
    --------
    >>> named_laws()["lecun"]
    'weights N(0, 1/d), no bias'
    """
    return _OTHERS | _LAYERS


def _scale(name: str, text: str, part: str, *, or_zero: bool = False) -> float:
    try:
        value = float(part)
    except ValueError:
        raise _unknown(name, text) from None
    if not (0 < value < math.inf or (or_zero and value == 0)):
        sign = ">= 0" if or_zero else "> 0"
        raise ValueError(f"{name} = {text!r} is not allowed: {part.strip()} is no number {sign}")
    return value


def _unknown(name: str, text: str) -> ValueError:
    return ValueError(f"{name} = {text!r} is not allowed: one of {', '.join(named_laws())}")


def named_law(text: str, d: int, name: str = "law") -> NeuronLaw:
    """Return a law of neurons with d weights by its name.

    Parameters
    ----------
    text : str
        One of `named_laws`, with numbers in place of S and T.
    d : int
        Number of weights.
    name : str
        Name of the argument, for messages.

    Returns
    -------
    NeuronLaw
        Laws of layers in space; "sphere" and "tau=T" on S^d.

    Raises
    ------
    ValueError, TypeError
        If the name is unknown or a number out of range.

    Examples
    --------
    >>> named_law("tau=2", 5)
    OnSphere(law=GaussianInit(d=5, tau=2.0))
    """
    d = _checks.count("d", d)
    head, equals, tail = text.partition("=")
    if (text == "sphere" or (head == "tau" and equals)) and not 2 <= d <= _checks.MAX_DIMENSION:
        raise ValueError(
            f"{name} = {text!r} is not allowed in dimension {d}: laws on the sphere need "
            f"2 to {_checks.MAX_DIMENSION}, normal=S,T does not"
        )
    if text == "sphere":
        return OnSphere(Uniform(d))
    if head == "tau" and equals:
        return OnSphere(GaussianInit(d, _scale(name, text, tail)))
    if head == "normal" and equals and tail.count(",") == 1:
        first, second = tail.split(",")
        spread, offset = _scale(name, text, first), _scale(name, text, second, or_zero=True)
        bias = PartLaw("normal", offset) if offset else PartLaw("zero")
        return WeightsAndBias(d, PartLaw("normal", spread), bias)
    if text not in _LAYERS:
        raise _unknown(name, text)
    box = PartLaw("uniform", 1 / math.sqrt(d))
    if text == "pytorch":
        return WeightsAndBias(d, box, box)
    spread = math.sqrt((1 if text == "lecun" else 2) / d)
    bias = box if text == "he-pytorch" else PartLaw("zero")
    return WeightsAndBias(d, PartLaw("normal", spread), bias)


def prepared(law: NeuronLaw | Law | str, d: int, f: Activation, name: str) -> NeuronLaw:
    """Return a law of neurons for d inputs; that of the direction where only this matters.

    Raises
    ------
    ValueError, TypeError
        If `law` is none, unknown, or of another dimension.

    Examples
    --------
    >>> from kernelspec.empirical.activations import activation
    >>> prepared("tau=2", 3, activation("relu"), "initial").base
    'sphere'
    """
    if isinstance(law, str):
        law = named_law(law, d, name)
    elif isinstance(law, Law):
        law = OnSphere(law)
    if not isinstance(law, NeuronLaw):
        raise TypeError(f"{name} = {law!r} is not allowed: a law of neurons or its name")
    if law.d != d:
        raise ValueError(f"{name} = {law!r} is not allowed: a law for the d = {d} columns of X")
    if f.degree is not None and isinstance(law, WeightsAndBias):
        return Direction(law)
    return law
