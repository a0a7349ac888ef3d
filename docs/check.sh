#!/usr/bin/env bash
# Build the site from nothing, test its pages in a browser, run the notebooks.
# PYTHON names the interpreter; it needs the extras docs, test and train.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python}

"$python" docs/build.py --cold
"$python" -m pytest -q docs/tests
"$python" -m pytest -q --nbmake --nbmake-timeout=120 notebooks
