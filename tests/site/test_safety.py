"""What a page may do is little, and it does no more: from a server, a sub-path, and from disk."""

import re
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from built import CHAPTERS, PAGES, ROOT, Open
from hands import to_the_end
from playwright.sync_api import Browser, expect

from _ext.page import POLICY
from tools.serve import Handler, Server

HOLED = "<p>An injected <script>window.injected = 1</script> script.</p>"
CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))


@pytest.fixture(scope="module")
def below(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site as a host serves it whose root is not its own."""
    root = tmp_path_factory.mktemp("host")
    (root / "x").mkdir()
    (root / "x" / "y").symlink_to(site, target_is_directory=True)
    with Server(("127.0.0.1", 0), partial(Handler, directory=str(root))) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/x/y/"
        httpd.shutdown()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_in_a_sub_path_keeps_to_its_policy(open_page: Open, below: str, path: str) -> None:
    """`open_page` sees to the rest: no error, no violation, no request outside the sub-path."""
    page = open_page(path, base=below)
    to_the_end(page)
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())
    assert (
        page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content") == POLICY
    )
    assert page.evaluate("document.cookie") == "" and page.context.cookies() == []


def test_the_policy_allows_no_code_but_the_sites_own() -> None:
    scripts = re.search(r"script-src ([^;]*)", POLICY)[1]
    assert re.fullmatch(r"'self' 'sha256-[\w+/]{43}='", scripts)
    assert "default-src 'self'" in POLICY and "//" not in POLICY.replace(scripts, "")


@pytest.mark.parametrize("source", ["server", "disk"])
def test_an_injected_script_is_blocked(
    browser: Browser, server: str, site: Path, tmp_path: Path, source: str
) -> None:
    page, text = browser.new_page(), (site / CHAPTER).read_text("utf-8")
    holed = re.sub(r"(<article[^>]*>)", lambda tag: tag[1] + HOLED, text, count=1)
    assert HOLED in holed
    if source == "server":
        page.route("**/holed.html", lambda r: r.fulfill(body=holed, content_type="text/html"))
        address = f"{server}chapters/holed.html"
    else:
        (tmp_path / "holed.html").write_text(holed, "utf-8")
        address = (tmp_path / "holed.html").as_uri()
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.goto(address)
    assert page.evaluate("window.injected") is None
    page.evaluate("""() => {
      const link = document.createElement("a"), script = document.createElement("script");
      link.setAttribute("onclick", "window.injected = 2");
      link.click();
      script.textContent = "window.injected = 3";
      document.body.append(script);
    }""")
    assert page.evaluate("window.injected") is None
    page.close()


def test_the_print_button_prints(open_page: Open) -> None:
    page = open_page(CHAPTER)
    page.evaluate("window.print = () => { window.printed = true; }")
    page.evaluate("document.querySelector('.btn-download-pdf-button').click()")
    assert page.evaluate("window.printed")


def test_hosts_are_told_the_same_policy() -> None:
    """CONTRIBUTING.md shows it for hosts that can set headers."""
    shown = re.sub(r"\s+", " ", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert f"Content-Security-Policy: {POLICY}; frame-ancestors 'none'" in shown
