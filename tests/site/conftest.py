"""The built site, served, and one Chromium for all tests."""

import gzip
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from built import ROOT, SITE, WIDE, Open
from playwright.sync_api import Browser, Page, Route, sync_playwright

sys.path.append(str(ROOT / "tools"))

from browser import ARGS, system_chromium


class Handler(SimpleHTTPRequestHandler):
    """Serves as a real host does: compressed, if the client takes it."""

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        packed = "gzip" in self.headers.get("Accept-Encoding", "") and path.suffix in PACKED
        if not packed or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass


PACKED = {".html", ".css", ".js", ".svg", ".ipynb"}


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail("There is no site in _build/site. Build it first: make site", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """The address of the served site, with a slash at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as httpd:
        httpd.daemon_threads = True
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=system_chromium(), args=ARGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser, server: str) -> Iterator[Open]:
    """Opens a page of the site; at the end there must have been no error and no foreign request."""
    contexts, problems = [], []

    def opened(path: str, *, base: str = server, **options: object) -> Page:
        context = browser.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(5_000)
        contexts.append(context)

        def foreign(route: Route) -> None:
            problems.append(f"requested {route.request.url}")
            route.abort()

        context.route(lambda url: not url.startswith((base, "data:", "blob:")), foreign)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda m: m.type == "error" and problems.append(f"console: {m.text}"))
        page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
        page.on("response", lambda r: r.status >= 400 and problems.append(f"{r.status} {r.url}"))
        page.goto(base + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not problems
