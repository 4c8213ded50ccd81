"""Open a page in a new browser context, and record its problems from the first request on."""

from typing import Literal

from built import WIDE
from hands import PATIENCE, settle, to_the_end, until, wait_for_promise
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

# Open all answers, answer all questions, and lay out also the parts that are off the screen.
UNFOLD = """() => {
  for (const section of document.querySelectorAll("article section"))
    section.style.contentVisibility = "visible";
  for (const details of document.querySelectorAll("article details")) details.open = true;
  for (const veiled of document.querySelectorAll(".om-veil [hidden]")) veiled.hidden = false;
  for (const form of document.querySelectorAll(".om-quiz")) {
    const field = form.querySelector("input[type=text]");
    if (field) field.value = "3";
    else form.querySelector("input").checked = true;
    form.requestSubmit();
  }
}"""
# Open every folded card.
OPEN_CARDS = "document.querySelectorAll('details.om-fold').forEach((card) => { card.open = true; })"
# Replace each explorer by a copy that is not running, and run the page's loader again.
ANEW = """() => new Promise((done) => {
  document.activeElement?.blur();
  for (const old of document.querySelectorAll(".om-explorer")) {
    const host = old.cloneNode(true); // no earlier loader watches it
    host.querySelector(".om-live")?.remove();
    delete host.dataset.live;
    old.replaceWith(host);
  }
  const loader = document.createElement("script");
  loader.src = document.querySelector("script[src*=loader]").src;
  loader.onload = () => done();
  document.body.append(loader);
})"""
ALL_LIVE = "!document.querySelector('.om-explorer:not([data-live])')"


def unfold(page: Page) -> None:
    """Open all answers, answer all questions, start every explorer, and switch off animations."""
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(UNFOLD)
    if not page.evaluate(ALL_LIVE):
        to_the_end(page)
        until(page, ALL_LIVE)
    page.evaluate("scrollTo(0, 0)")


def watch_problems(context: BrowserContext, base: str) -> list[str]:
    """Return a list that collects a page's errors, failed requests and requests to other hosts."""
    problems: list[str] = []

    def note_request(request: Request) -> None:
        if not request.url.startswith((base, "data:", "blob:")):
            problems.append(f"requested {request.url}")

    def note_message(message: ConsoleMessage) -> None:
        if message.type == "error":
            problems.append(f"console: {message.text}")

    def note_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # leaving the page cancels requests
            problems.append(f"failed: {request.url}")

    def note_response(response: Response) -> None:
        if response.status >= 400:
            problems.append(f"{response.status} {response.url}")

    def follow(page: Page) -> None:
        page.on("request", note_request)
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", note_message)
        page.on("requestfailed", note_failure)
        page.on("response", note_response)

    context.on("page", follow)
    context.set_default_timeout(PATIENCE)
    return problems


def open_in_new_context(
    browser: Browser, base: str, path: str, **options: object
) -> tuple[Page, list[str]]:
    """Open a page in a new browser context. Return the page, and a list of its problems."""
    context = browser.new_context(**{"viewport": WIDE, **options})
    problems = watch_problems(context, base)
    page = context.new_page()
    page.goto(base + path)
    if options.get("java_script_enabled", True):
        settle(page)  # Chromium ignores clicks before the first frame is painted
    return page, problems


def renew(page: Page, address: str | None = None) -> None:
    """Restart all explorers as if the page had just been opened, at `address` if it is given."""
    if address is not None:
        page.evaluate("(to) => history.replaceState(null, '', location.pathname + to)", address)
    wait_for_promise(page, ANEW)


def in_scheme(page: Page, scheme: Literal["dark", "light"]) -> None:
    """Change to the light or the dark colour scheme, and wait until the page is repainted."""
    page.emulate_media(color_scheme=scheme)
    until(page, f"document.documentElement.dataset.theme === '{scheme}'")
    settle(page)
