"""Configuration of the documentation site; `docs/README.md` says how to build it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "_ext")]

import kernelspec  # noqa: E402
import vendor  # noqa: E402

project = "kernelspec"
author = "The kernelspec authors"
version = release = kernelspec.__version__
language = "en"  # the British catalogue breaks the count of search results

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "command_line",
    "plain_docstrings",
    "public_names",
    "reexports",
]
# Names of other projects are not linked: an inventory fetched over the network would decide
# whether the build has warnings.
intersphinx_mapping: dict[str, tuple[str, None]] = {}

exclude_patterns = ["_build", "README.md", "tests"]
# `build.py --only PAGE` reads these pages alone
only = [page for page in os.environ.get("KERNELSPEC_DOCS_ONLY", "").split(os.pathsep) if page]
if only:
    include_patterns = [f"{page}.md" for page in only]
    root_doc = only[0]

# Markdown and executed pages
myst_enable_extensions = [
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
]
myst_dmath_double_inline = True  # "$$" also within a paragraph
myst_dmath_allow_labels = True
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # of a cell: a few seconds on an idle machine
nb_execution_show_tb = True
nb_merge_streams = True
nb_number_source_lines = False
numfig = True  # sphinx-proof numbers with it

# The reference, from docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings state types and shapes
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
add_module_names = False
nitpicky = not only

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "alpha"
bibtex_reference_style = "author_year"

# Formulas: MathJax's single-file SVG build, served with the site
mathjax_path = vendor.place("mathjax")
mathjax3_config = {
    "tex": {"tags": "none"},
    "svg": {"fontCache": "global"},
    "options": {"enableMenu": False},
}

html_theme = "furo"
html_title = "kernelspec"
html_static_path = ["_static", str(vendor.STATIC)]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_use_index = True
html_domain_indices = False  # the reference lists the modules
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": False}
