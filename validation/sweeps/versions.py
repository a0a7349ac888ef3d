"""The versions that determine the numbers of a sweep."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import kernelspec

__all__ = ["versions"]

SOURCE_DIGEST_LENGTH = 16


def _files(module: str) -> Iterator[Path]:
    """Yield the files of a module, or of a package except for its plotting, in a fixed order."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the code of {module!r} is not found", name=module)
    origin = Path(spec.origin)
    if spec.submodule_search_locations is None:
        yield origin
        return
    for path in sorted(origin.parent.rglob("*.py")):
        if "plotting" not in path.relative_to(origin.parent).parts:
            yield path


@functools.cache
def versions(code: tuple[str, ...]) -> dict[str, str]:
    """Return versions of Python, of the numerical libraries and of the code that computes.

    Parameters
    ----------
    code : tuple of str
        Modules and packages whose source is digested into ``source``: a version number stands
        still while code is edited.

    Examples
    --------
    >>> list(versions(("kernelspec",)))
    ['python', 'machine', 'numpy', 'scipy', 'kernelspec', 'source']
    """
    digest = hashlib.sha256()
    for module in code:
        for path in _files(module):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "numpy": metadata.version("numpy"),
        "scipy": metadata.version("scipy"),
        "kernelspec": kernelspec.__version__,
        "source": digest.hexdigest()[:SOURCE_DIGEST_LENGTH],
    }
