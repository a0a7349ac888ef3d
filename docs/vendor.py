"""Files of other projects that the site carries along, so that a reader needs no network.

They come from the npm registry in a pinned version, are checked against a digest, and are kept in
`_build/vendor`: by `npm pack` where there is npm, else from the registry by Python itself.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).parent / "_build" / "vendor" / "static"
TOOLS = STATIC.parent / "tools"
REGISTRY = "https://registry.npmjs.org"


@dataclass(frozen=True)
class Package:
    """One file of a package on the npm registry; `sha256` is that of the package's archive."""

    name: str
    version: str
    sha256: str
    member: str
    folder: Path

    @property
    def archive(self) -> str:
        """Name of the archive, as the registry and `npm pack` write it."""
        return f"{self.name}-{self.version}.tgz"

    @property
    def target(self) -> Path:
        """Where the file is kept."""
        return self.folder / f"{self.name}-{self.version}" / Path(self.member).name


PACKAGES = {
    "mathjax": Package(
        "mathjax",
        "3.2.2",
        "1b9c0a1c44df864e915690558e72adb9cc5203360daefd385084ced3b6c64c09",
        "package/es5/tex-svg-full.js",
        STATIC,
    ),
    "axe-core": Package(
        "axe-core",
        "4.10.3",
        "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292",
        "package/axe.min.js",
        TOOLS,
    ),
}


def place(name: str) -> str:
    """Fetch a package's file unless it is there; return its path relative to its folder."""
    package = PACKAGES[name]
    if not package.target.exists():
        data = _extract(_checked(_download(package), package), package)
        package.target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=package.target.parent, delete=False) as part:
            part.write(data)
        Path(part.name).chmod(0o644)
        Path(part.name).replace(package.target)  # whole or not at all
    return package.target.relative_to(package.folder).as_posix()


def _checked(archive: bytes, package: Package) -> bytes:
    digest = hashlib.sha256(archive).hexdigest()
    if digest != package.sha256:
        raise SystemExit(
            f"docs: {package.archive} has the SHA-256 {digest}, not {package.sha256}: "
            "what was downloaded is not the pinned package"
        )
    return archive


def _extract(archive: bytes, package: Package) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as files:
        member = files.extractfile(package.member)
        assert member is not None  # the digest has fixed the archive's contents
        return member.read()


def _download(package: Package) -> bytes:
    reasons = []
    npm = shutil.which("npm")
    if npm is not None:
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", f"{package.name}@{package.version}", "--silent"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return (Path(folder) / package.archive).read_bytes()
        reasons.append(f"npm pack: {done.stderr.strip() or f'exit status {done.returncode}'}")
    url = f"{REGISTRY}/{package.name}/-/{package.archive}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return bytes(answer.read())
    except (OSError, urllib.error.URLError) as error:
        reasons.append(f"{url}: {error}")
    raise SystemExit(
        f"docs: cannot fetch {package.archive} ({'; '.join(reasons)}). Once fetched it is kept; "
        f"without network, put {package.member} of that package at {package.target}"
    )
