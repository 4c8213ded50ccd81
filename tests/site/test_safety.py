"""What a page may do is little, from a server and from disk; test_pages.py: it does no more."""

import re
from pathlib import Path

import pytest
from built import CHAPTERS, ROOT, Open
from playwright.sync_api import Browser

from _ext.face import POLICY

HOLED = "<p>An injected <script>window.injected = 1</script> script.</p>"
CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))


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
