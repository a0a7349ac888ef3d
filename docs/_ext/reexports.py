"""Resolve `kernelspec.mismatch` and the like to where the object is documented.

The reference documents every object in the module that defines it; the text names it as users
import it, often from the package.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import isclass
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

OBJECTS = {"func", "class", "obj", "meth", "attr", "data", "exc"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("missing-reference", resolve)
    app.connect("doctree-read", settle_types)
    return {"parallel_read_safe": True}


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.TextElement
) -> nodes.Element | None:
    """Answer a reference that Sphinx could not resolve by the object's own name."""
    if node.get("refdomain") != "py":
        return None
    if node["reftype"] == "mod" and is_private(node["reftarget"]):
        return text  # named in a docstring, not documented
    if node["reftype"] not in OBJECTS:
        return None
    own = own_name(node["reftarget"], node.get("py:module"))
    if own is None or own == node["reftarget"]:
        return None
    python: Any = env.get_domain("py")
    return python.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], own, node, text)


def settle_types(app: Sphinx, doctree: nodes.document) -> None:
    """Link the types in docstrings as the docstring's module sees them.

    They are prose ("array_like, shape (n, d)") in which Sphinx takes every word for a class.
    """
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") != "py" or node["reftype"] != "class" or not _in_field(node):
            continue
        own = own_name(node["reftarget"], node.get("py:module"))
        if own is None or not _is_public_class(own):
            node.parent.replace(node, node.children)
        else:
            node["reftarget"] = own


def _is_public_class(name: str) -> bool:
    module, _, own = name.rpartition(".")
    if not module.startswith(("kernelspec", "validation")):
        return False
    found = import_module(module)
    return own in getattr(found, "__all__", ()) and isclass(getattr(found, own))


def _in_field(node: nodes.Node) -> bool:
    while node is not None and not isinstance(node, nodes.field):
        node = node.parent
    return node is not None


def is_private(module: str) -> bool:
    """Tell whether a name is that of a module that exists and is not public."""
    return any(part.startswith("_") for part in module.split(".")) and bool(find_spec(module))


def _ancestors(parts: list[str]) -> list[list[str]]:
    return [parts[:length] for length in range(len(parts), 0, -1)]


@cache
def own_name(target: str, module: str | None = None) -> str | None:
    """Return the dotted name under which an object was defined, or None."""
    parents = [".".join(parts) for parts in _ancestors((module or "kernelspec").split("."))]
    for full in (target, *(f"{parent}.{target}" for parent in parents)):
        parts = full.split(".")
        if parts[0] not in ("kernelspec", "validation"):
            continue
        for split in range(len(parts) - 1, 0, -1):
            try:
                value = import_module(".".join(parts[:split]))
                for part in parts[split:]:
                    value = getattr(value, part)
            except (ImportError, AttributeError):
                continue
            name = getattr(value, "__qualname__", None)
            if name is not None:
                return f"{value.__module__}.{name}"
    return None
