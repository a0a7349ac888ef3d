"""Directives for the reference: the public modules below a package, the names of `kernelspec`."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.nodes import nested_parse_with_titles


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("public-modules", PublicModules)
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True}


def public_modules(name: str) -> Iterator[str]:
    """Yield a module and all modules below it whose names do not begin with an underscore."""
    yield name
    module = import_module(name)
    for child in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not child.name.startswith("_"):
            yield from public_modules(f"{name}.{child.name}")


def defined(name: str) -> list[str]:
    """Return the public names that a module defines itself, in the order of its source."""
    module = import_module(name)
    own = []
    for public in getattr(module, "__all__", []):
        value = getattr(module, public)
        if (inspect.isclass(value) or callable(value)) and hasattr(value, "__module__"):
            if value.__module__ == name:
                own.append(public)
        elif not inspect.ismodule(value) and not hasattr(module, "__path__"):
            own.append(public)  # a constant
    return own


class PublicModules(Directive):
    """Document each of the named modules, and the public modules below them, from docstrings."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"except": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Write one section a module and let autodoc fill it."""
        self.state.document.settings.env.note_reread()  # the code may have changed
        left_out = tuple(self.options.get("except", "").split())
        modules = [
            name
            for root in self.arguments[0].split()
            for name in public_modules(root)
            if not f"{name}.".startswith(tuple(f"{other}." for other in left_out))
        ]
        lines = [line for name in modules for line in _module(name)]
        section = nodes.section()
        section.document = self.state.document
        source = StringList(lines, source=f"<{self.name}>")
        nested_parse_with_titles(self.state, source, section)
        return list(section.children)


def _module(name: str) -> list[str]:
    names = defined(name)
    members = f":members: {', '.join(names)}" if names else ":no-members:"
    return [
        f"## {name}",
        "",
        "```{eval-rst}",
        f".. automodule:: {name}",
        f"   {members}",
        "```",
        "",
    ]


class PublicNames(Directive):
    """A table of the names in a package's `__all__`: each with the first line of its docstring."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the table."""
        self.state.document.settings.env.note_reread()  # the code may have changed
        package = import_module(self.arguments[0])
        lines = ["```{eval-rst}", ".. list-table::", "   :widths: 30 70", ""]
        for name in sorted(package.__all__, key=str.lower):
            value = getattr(package, name)
            role = "class" if inspect.isclass(value) else "func"
            first = (inspect.getdoc(value) or "").partition("\n")[0]
            target = f"{value.__module__}.{value.__qualname__}"
            lines += [f"   * - :py:{role}:`{name} <{target}>`", f"     - {first}"]
        holder = nodes.container()
        source = StringList([*lines, "```"], source=f"<{self.name}>")
        self.state.nested_parse(source, 0, holder)
        return list(holder.children)
