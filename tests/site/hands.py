"""Scroll, touch and wait as a reader does, for all tests of pages and explorers."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

PATIENCE = 60_000  # milliseconds; a wait that ends early costs nothing

# In a page a promise may never be kept: a busy browser may forget to draw the frame it waits for
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
    """Return what the function `script` promises, or fail after `limit` milliseconds.

    Every promise in a page is awaited here, since `evaluate` would wait for ever. Where a test has
    stopped the page's clock, the limit of the test itself ends the wait.
    """
    return target.evaluate(RACE % (limit, limit, script), argument)


def to_the_end(page: Page) -> None:
    """Scroll through the page, so that whatever waits for the screen is started."""
    y: float | None = 0
    while y is not None:
        y = wait_for_promise(page, SCROLL, y)


# Opens the card that an element is in
UNSHUT = """(host) => {
  for (let card = host; (card = card.parentElement.closest("details")); ) card.open = true;
}"""

# Opens the settings of an explorer, if it has some
UNFOLDED = """(host) => {
  for (const fold of host.querySelectorAll("details.ex-folded")) fold.open = true;
}"""


def alive(page: Page, kind: str, nth: int = 0) -> Locator:
    """Scroll to the page's first explorer of this kind, or a later one; return it once it runs."""
    explorer = page.locator(f".om-explorer[data-kind={kind}]").nth(nth)
    explorer.evaluate(UNSHUT)
    explorer.scroll_into_view_if_needed()
    expect(explorer.locator(".om-live :is(.ex-scene, .ex-controls, canvas)").first).to_be_visible()
    explorer.evaluate(UNFOLDED)
    settle(page)
    return explorer


def until(page: Page, condition: str) -> None:
    """Wait until a condition in JavaScript holds.

    Playwright's own wait runs text as a script, which the pages' policy forbids.
    """
    for _ in range(1200):
        if wait_for_promise(page, f"() => ({condition})"):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"This did not become true within a minute: {condition}")


def settle(page: Page) -> None:
    """Wait for two frames, after which whatever was changed has been painted."""
    wait_for_promise(page, TWO_FRAMES)


def picture(explorer: Locator) -> str:
    """Return what the explorer's canvas shows, as the address of a picture."""
    settle(explorer.page)
    return str(explorer.locator("canvas").first.evaluate("(canvas) => canvas.toDataURL()"))


def told(explorer: Locator, slider: str) -> str | None:
    """Return what a screen reader says of a slider."""
    return explorer.get_by_role("slider", name=slider).get_attribute("aria-valuetext")


def finger(page: Page, moves: list[tuple[float, float]], rest: int = 0) -> None:
    """Put a finger on the first point, move it over the others and lift it; needs `has_touch`.

    It moves at once, or after it has rested for so many milliseconds.
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
