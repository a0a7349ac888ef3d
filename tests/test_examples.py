"""Every public name shows in its docstring how it is used."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import kernelspec
import validation

# the command line has a reference of its own, written by its --help
ELSEWHERE = "validation.cli"


def public():
    for root in (kernelspec, validation):
        modules = [
            found.name for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}.")
        ]
        for name in [root.__name__, *modules]:
            if name.startswith(ELSEWHERE) or any(part.startswith("_") for part in name.split(".")):
                continue
            module = import_module(name)
            for own in getattr(module, "__all__", ()):
                value = getattr(module, own)
                if inspect.isclass(value) or inspect.isroutine(value):
                    yield f"{name}.{own}", value


def test_every_public_name_has_an_example():
    found = dict(public())
    assert len(found) > 500
    assert sorted(name for name, value in found.items() if ">>>" not in (value.__doc__ or "")) == []
