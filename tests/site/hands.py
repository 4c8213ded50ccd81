"""Provide functions that scroll, touch and wait as a reader does, for all browser tests."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

PATIENCE = 60_000  # in milliseconds; only a wait that fails takes this long

# Add a time limit, because a promise may wait for a frame that a busy browser never paints.
RACE = """(...parameters) => {
  const limit = new Promise((_, refuse) => setTimeout(
    () => refuse(new Error("the page was still waiting after %d ms")), %d));
  return Promise.race([(%s)(...parameters), limit]);
}"""
SCROLL = """async (y) => {
  scrollTo(0, y);
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  return y + innerHeight < document.documentElement.scrollHeight ? y + innerHeight : null;
}"""
TWO_FRAMES = """() => new Promise(
  (drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"""


def wait_for_promise(
    target: Page | Locator, script: str, argument: object = None, limit: int = PATIENCE
) -> Any:
    """Return the value of the promise that `script` returns, or fail after `limit` milliseconds.

    Every promise in a page is awaited here, since `evaluate` would wait for ever. Where a test has
    stopped the page's clock, the limit of the test itself ends the wait.
    """
    return target.evaluate(RACE % (limit, limit, script), argument)


def to_the_end(page: Page) -> None:
    """Scroll through the whole page, so that content loads that waits until it is visible."""
    y: float | None = 0
    while y is not None:
        y = wait_for_promise(page, SCROLL, y)


# Open all fold-out cards that contain a given element.
UNSHUT = """(host) => {
  for (let card = host; (card = card.parentElement.closest("details")); ) card.open = true;
}"""

# Open the part of an explorer that holds its settings.
UNFOLDED = """(host) => {
  for (const fold of host.querySelectorAll("details.ex-folded")) fold.open = true;
}"""


def find_live_explorer(page: Page, kind: str, nth: int = 0) -> Locator:
    """Scroll to the `nth` explorer of this kind, and return its element when it is running."""
    explorer = page.locator(f".om-explorer[data-kind={kind}]").nth(nth)
    explorer.evaluate(UNSHUT)
    scroll_to(page, explorer)
    expect(explorer.locator(".om-live :is(.ex-scene, .ex-controls, canvas)").first).to_be_visible()
    explorer.evaluate(UNFOLDED)
    settle(page)
    return explorer


def scroll_to(page: Page, target: Locator) -> None:
    """Scroll to an element until it stays where it is.

    A section that the browser has skipped gets its true size only when it comes near the screen.
    Then a card in it that was opened meanwhile may move what is below it far away.
    """
    before = None
    while True:
        target.scroll_into_view_if_needed()
        settle(page)
        if (box := target.bounding_box()) == before:
            return
        before = box


def until(page: Page, condition: str) -> None:
    """Wait until a JavaScript condition becomes true.

    Playwright's own wait evaluates a string as a script, which the pages' security policy forbids.
    """
    for _ in range(1200):
        if wait_for_promise(page, f"() => ({condition})"):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"This did not become true within a minute: {condition}")


def settle(page: Page) -> None:
    """Wait for two animation frames, after which the browser has painted every change."""
    wait_for_promise(page, TWO_FRAMES)


def picture(explorer: Locator) -> str:
    """Return an explorer's picture as a data URL."""
    settle(explorer.page)
    return str(explorer.locator("canvas").first.evaluate("(canvas) => canvas.toDataURL()"))


def read_value_text(explorer: Locator, slider: str) -> str | None:
    """Return the text that a screen reader announces as a slider's value."""
    return explorer.get_by_role("slider", name=slider).get_attribute("aria-valuetext")


def finger(page: Page, moves: list[tuple[float, float]], rest: int = 0) -> None:
    """Drag a finger from the first point through all other points, on a page with `has_touch`.

    The finger moves at once, or after it has rested for `rest` milliseconds.
    """
    session = page.context.new_cdp_session(page)
    for k, (x, y) in enumerate(moves):
        touch = {"type": "touchMove" if k else "touchStart", "touchPoints": [{"x": x, "y": y}]}
        session.send("Input.dispatchTouchEvent", touch)
        if k:
            settle(page)
        elif rest:
            page.wait_for_timeout(rest)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
