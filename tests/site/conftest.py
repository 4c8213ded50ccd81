"""The built site, served, and one Chromium for all tests."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from built import SITE, WIDE, Open
from playwright.sync_api import Browser, Page, Request, Route, sync_playwright

from tools.browser import ARGS, chosen
from tools.serve import Handler, Server


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail("There is no site in _build/site. Build it first: make site", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """The address of the served site, with a slash at the end."""
    with Server(("127.0.0.1", 0), partial(Handler, directory=str(site))) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


@pytest.fixture(scope="session")
def executable() -> str | None:
    return chosen()


@pytest.fixture(scope="session")
def browser(executable: str | None) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=ARGS)
        yield chromium
        chromium.close()


def unwanted(request: Request) -> bool:
    """Whether a request failed, and not merely because the page was left before its end."""
    return request.failure != "net::ERR_ABORTED"


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
        page.on("requestfailed", lambda r: unwanted(r) and problems.append(f"failed: {r.url}"))
        page.on("response", lambda r: r.status >= 400 and problems.append(f"{r.status} {r.url}"))
        page.goto(base + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not problems
