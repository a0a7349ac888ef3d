"""The versions that determine the numbers of a sweep."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib import metadata
from pathlib import Path

import kernelspec

__all__ = ["versions"]

SOURCE_DIGEST_LENGTH = 16


def _source_digest() -> str:
    """Digest the code that computes: a version number stands still while code is edited."""
    root = Path(kernelspec.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith("plotting/"):
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:SOURCE_DIGEST_LENGTH]


@functools.cache
def versions() -> dict[str, str]:
    """Return versions of Python, of the numerical libraries and of `kernelspec` itself.

    ``source`` is a digest of the modules of `kernelspec` (plotting excepted).
    """
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "numpy": metadata.version("numpy"),
        "scipy": metadata.version("scipy"),
        "kernelspec": kernelspec.__version__,
        "source": _source_digest(),
    }
