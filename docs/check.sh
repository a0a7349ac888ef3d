#!/usr/bin/env bash
# Build the site from nothing, test its pages in a browser, run the notebooks.
# PYTHON names the interpreter; it needs the extras docs, test and train.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python}

# the notebooks run beside the build, which takes one core
"$python" -m pytest -q --nbmake --nbmake-timeout=300 notebooks &
notebooks=$!
"$python" docs/build.py --cold
wait "$notebooks"
"$python" -m pytest -q -n auto docs/tests
