"""The built site, served from this machine, and a browser that reaches nothing else."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1]
sys.path[:0] = [str(DOCS), str(DOCS / "_ext")]
SITE = Path(os.environ.get("KERNELSPEC_DOCS_HTML", DOCS / "_build" / "html"))
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built site."""
    if not (SITE / "index.html").exists():
        pytest.fail(f"no site at {SITE}: run `python docs/build.py` first")
    return SITE


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Serve the site; yield its address."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium as installed on the machine; Playwright downloads none."""
    from playwright.sync_api import sync_playwright

    names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    if program is None:
        pytest.fail("no Chromium: install one (Debian: apt-get install chromium) or set CHROMIUM")
    # its sandbox does not run as root
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """Open a tab; `page.trouble` lists what it complained of, and what it asked of the network."""
    context = browser.new_context(viewport=WIDE, color_scheme="light")
    page = context.new_page()
    page.trouble = trouble = []

    def local_only(route: Any) -> None:
        if route.request.url.startswith((f"{address}/", "file:", "data:", "blob:")):
            route.continue_()
        else:
            trouble.append(f"asked for {route.request.url}")
            route.abort()

    context.route("**/*", local_only)
    page.on("console", lambda said: said.type in ("error", "warning") and trouble.append(said.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("requestfailed", lambda request: trouble.append(f"failed: {request.url}"))
    page.on(
        "response",
        lambda answer: answer.status >= 400 and trouble.append(f"{answer.status}: {answer.url}"),
    )
    yield page
    context.close()
