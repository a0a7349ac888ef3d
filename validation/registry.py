"""The register of claims: each module of `validation.claims` enters one or more."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from validation.context import Context
from validation.records import Finding

__all__ = ["Claim", "claim", "from_tau_one", "registered", "select"]

Check = Callable[[Context], Finding | Sequence[Finding]]
# Says why the claim states nothing for these parameters, or None where it does state something.
Scope = Callable[[Mapping[str, float]], str | None]


def _everywhere(parameters: Mapping[str, float]) -> str | None:
    return None


def from_tau_one(parameters: Mapping[str, float]) -> str | None:
    """Say that a claim on the Gaussian initialisation is stated for tau >= 1 only.

    Examples
    --------
    >>> from_tau_one({"tau": 2.0}) is None, from_tau_one({"tau": 0.5}) is None
    (True, False)
    """
    return None if parameters["tau"] >= 1 else "stated for tau >= 1 only"


@dataclass(frozen=True)
class Claim:
    """A statement that can be checked.

    Parameters
    ----------
    id
        Short name, as typed on the command line.
    title
        One line in words.
    statement
        The statement in TeX (the subset matplotlib sets, so that reports need no network).
    source
        Where it comes from.
    assumptions
        Under which conditions it is stated.
    needs
        The parameters it depends on, out of "d" and "tau".
    check
        Turns a context into a finding, or into one for each part of the statement: then the worst
        of them decides.
    fixed
        Parameters the statement itself fixes; then `needs` is empty.
    outside
        Says why the claim states nothing for some parameters, None where it does.

    Examples
    --------
    >>> (found,) = select(["kappa0"])
    >>> found.id, found.needs
    ('kappa0', ('d', 'tau'))
    """

    id: str
    title: str
    statement: str
    source: str
    assumptions: str
    needs: tuple[str, ...]
    check: Check
    fixed: Mapping[str, float] = field(default_factory=dict)
    outside: Scope = _everywhere


_CLAIMS: dict[str, Claim] = {}


def claim(
    id: str,
    *,
    title: str,
    statement: str,
    source: str,
    assumptions: str,
    needs: tuple[str, ...] = (),
    fixed: Mapping[str, float] | None = None,
    outside: Scope = _everywhere,
) -> Callable[[Check], Check]:
    """Enter the decorated check into the register.

    Raises
    ------
    ValueError
        If the name is taken, or a needed parameter is neither "d" nor "tau".

    Examples
    --------
    The claim is taken out of the register again:

    >>> def check(context):
    ...     return Finding(predicted=1.0, relation="==", low=1.0, high=1.0, method="exact algebra")
    >>> words = {"title": "One is one", "statement": "1=1", "source": "arithmetic"}
    >>> claim("one", **words, assumptions="none")(check) is check
    True
    >>> _CLAIMS.pop("one").title
    'One is one'
    """

    def enter(check: Check) -> Check:
        if id in _CLAIMS:
            raise ValueError(f"id = {id!r} is not allowed: this claim is registered already")
        unknown = set(needs) - {"d", "tau"}
        if unknown:
            raise ValueError(f"needs = {needs!r} is not allowed: names out of 'd', 'tau'")
        _CLAIMS[id] = Claim(
            id, title, statement, source, assumptions, needs, check, dict(fixed or {}), outside
        )
        return check

    return enter


def registered() -> dict[str, Claim]:
    """Return all claims by name, in alphabetical order.

    Examples
    --------
    >>> registered()["kappa0"].title
    "The initialisation's mismatch never exceeds the theorem's constant"
    """
    package = importlib.import_module("validation.claims")
    for module in (m.name for m in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"validation.claims.{module}")
    return dict(sorted(_CLAIMS.items()))


def select(names: Iterable[str] | None = None) -> list[Claim]:
    """Return the named claims, each once, or all of them.

    Raises
    ------
    ValueError
        If a name is unknown; the message lists those that exist.

    Examples
    --------
    >>> [claim.id for claim in select(["kappa0", "decay"])]
    ['kappa0', 'decay']
    """
    claims = registered()
    if names is None:
        return list(claims.values())
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in claims:
            raise ValueError(f"claims = {name!r} is not allowed: one of {', '.join(claims)}")
    return [claims[name] for name in wanted]
