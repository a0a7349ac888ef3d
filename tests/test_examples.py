"""What a package exports shows in its docstring how it is used."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import kernelspec
import validation


def exported():
    for root in (kernelspec, validation):
        names = [root.__name__]
        names += [
            found.name
            for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}.")
            if found.ispkg and not any(part.startswith("_") for part in found.name.split("."))
        ]
        for package in map(import_module, names):
            for name in getattr(package, "__all__", ()):
                value = getattr(package, name)
                if inspect.isclass(value) or inspect.isroutine(value):
                    yield f"{value.__module__}.{value.__qualname__}", value


def test_every_exported_name_has_an_example():
    found = dict(exported())
    assert len(found) > 150
    assert sorted(name for name, value in found.items() if ">>>" not in (value.__doc__ or "")) == []
