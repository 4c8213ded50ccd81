"""Test that the security policy allows only the site's own code, and blocks injected scripts."""

import re
from pathlib import Path

from built import CHAPTERS, ROOT
from playwright.sync_api import Browser, Page

from _ext.theme import POLICY

HOLED = "<p>An injected <script>window.injected = 1</script> script.</p>"
CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))


def test_the_policy_allows_no_code_but_the_sites_own() -> None:
    scripts = re.search(r"script-src ([^;]*)", POLICY)[1]
    assert re.fullmatch(r"'self' 'sha256-[\w+/]{43}='", scripts)
    assert "default-src 'self'" in POLICY and "//" not in POLICY.replace(scripts, "")
    # CONTRIBUTING.md must show the policy of the site, for hosts that can set HTTP headers.
    shown = re.sub(r"\s+", " ", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert f"Content-Security-Policy: {POLICY}; frame-ancestors 'none'" in shown


def with_a_hole(site: Path) -> str:
    text = (site / CHAPTER).read_text("utf-8")
    return re.sub(r"(<article[^>]*>)", lambda tag: tag[1] + HOLED, text, count=1)


def find_injected_script(page: Page, address: str) -> int | None:
    """Return which injected script ran, as a number, or None if the policy blocked all three.

    The first script is in the page, the second in an attribute, and the third is added by a script.
    """
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.goto(address)
    page.evaluate("""() => {
      const link = document.createElement("a"), script = document.createElement("script");
      link.setAttribute("onclick", "window.injected = 2");
      link.click();
      script.textContent = "window.injected = 3";
      document.body.append(script);
    }""")
    found: int | None = page.evaluate("window.injected")
    page.close()
    return found


def test_an_injected_script_is_blocked(browser: Browser, server: str, site: Path) -> None:
    page, holed = browser.new_page(), with_a_hole(site)
    assert HOLED in holed
    page.route("**/holed.html", lambda r: r.fulfill(body=holed, content_type="text/html"))
    assert find_injected_script(page, f"{server}chapters/holed.html") is None
