"""Build the documentation: `python docs/build.py [--only PAGE ...] [--out DIR] [--cold]`.

Warnings are errors. With `--only` the named pages (paths below docs/, without suffix) are built
alone, for a quick look: references to other pages then stay unresolved, and warnings are shown
without failing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Build the site; return Sphinx's exit status."""
    parser = argparse.ArgumentParser(description="Build the documentation.")
    parser.add_argument("--only", nargs="+", default=[], metavar="PAGE", help="build these alone")
    parser.add_argument("--out", type=Path, default=HERE / "_build", metavar="DIR")
    parser.add_argument("--cold", action="store_true", help="forget earlier builds and results")
    arguments = parser.parse_args()
    # cells work on many small matrices, for which threads cost more than they bring
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from sphinx.cmd.build import main as sphinx

    parts = ("html", "doctrees", ".jupyter_cache")
    html, doctrees, cache = (arguments.out / part for part in parts)
    if arguments.cold:
        for folder in (html, doctrees, cache):
            shutil.rmtree(folder, ignore_errors=True)
    pages = [page.removesuffix(".md") for page in arguments.only]
    if missing := [page for page in pages if not (HERE / f"{page}.md").exists()]:
        parser.error(f"no such page below docs/: {', '.join(missing)}")
    options = ["-b", "html", "-d", str(doctrees), "-D", f"nb_execution_cache_path={cache}"]
    if pages:
        os.environ["KERNELSPEC_DOCS_ONLY"] = os.pathsep.join(pages)
    else:
        options += ["-W", "-n", "--keep-going"]
    return int(sphinx([*options, str(HERE), str(html)]))


if __name__ == "__main__":
    sys.exit(main())
