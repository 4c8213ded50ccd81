"""Test that pages meet WCAG 2.2 AA on a phone, and that some also do on wide screens and paper.

The checks of a visit run in order, from what a reader meets first to checks that change the page.
Each check returns a list of problems.
"""

import gzip
import re

import painted
import pytest
from axe import axe
from built import PAGES, PHONE, SITE
from hands import settle, to_the_end, until, wait_for_promise
from playwright.sync_api import Browser, Page, expect
from visits import in_scheme, open_in_new_context, unfold

from _ext.theme import POLICY

# Together, these pages contain each type of content. The nightly tests check all pages in full.
UNLIKE = ["index.html", "search.html", "chapters/02-the-formula.html"]
UNLIKE += [f"chapters/appendix-{name}.html" for name in ("doctor", "exercises", "models")]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_on_a_phone(browser: Browser, below: str, path: str) -> None:
    on_a_phone(browser, below, path, path in UNLIKE)


def on_a_phone(browser: Browser, below: str, path: str, whole: bool) -> None:
    """Run the fast checks of a page on a phone, and the slow checks, too, if `whole` is true."""
    page, problems = open_in_new_context(browser, below, path, viewport=PHONE, has_touch=True)
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
    found = {
        "while it is read": read_page(page),
        "policy": keeps_to_its_policy(page),
        "weight": weighs_too_much(page, path),
        "beyond the phone": sticks_out(page),
        "unreachable by keyboard": find_unreachable(page),
        "too small for a finger": too_small(page),
    }
    unfold(page)
    found |= {
        "silent": find_silent_pictures(page),
        "nameless": find_nameless_controls(page),
        "sliders": sliders(page),
    }
    if whole:
        found |= {"focus": focus_unseen(page), "wider text": spoilt_by_wider_text(page)}
    found["at 320 pixels"] = too_wide(page)
    for scheme in ("light", "dark"):  # test_colours.py tests the wide layout
        in_scheme(page, scheme)
        found[f"faint in the {scheme}"] = painted.faint_texts(page)
    if whole:
        found["axe"] = axe(page)  # axe must run last, because it removes parts of the page
    page.context.close()
    found["errors, and requests to others"] = problems
    assert not {check: wrong for check, wrong in found.items() if wrong}


@pytest.mark.parametrize("path", UNLIKE)
def test_a_page_on_a_wide_screen_and_on_paper(browser: Browser, below: str, path: str) -> None:
    wide_and_on_paper(browser, below, path)


def wide_and_on_paper(browser: Browser, below: str, path: str) -> None:
    page, problems = open_in_new_context(browser, below, path)
    found = {"while it is read": read_page(page), "on paper": is_wrong_on_paper(page)}
    page.context.close()
    found["errors, and requests to others"] = problems
    assert not {check: wrong for check, wrong in found.items() if wrong}


SHIFTS = """() => { window.shift = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true }); }"""

# For each visible explorer, measure the height that the style or the static picture reserves.
STAGES = ".om-stage:not(details:not([open]) *)"
ROOMS = """(stages) => [...document.querySelectorAll(stages)].map((stage) => Math.max(
  parseFloat(getComputedStyle(stage).minHeight),
  stage.querySelector(".om-fallback").scrollHeight))"""


def read_page(page: Page) -> list[str]:
    """Scroll through a page, and check that each explorer runs and fits its reserved space."""
    page.evaluate(SHIFTS)
    wait_for_promise(page, "() => document.fonts.ready.then(() => 0)")
    rooms = page.evaluate(ROOMS, STAGES)
    to_the_end(page)
    expect(page.locator(".om-explorer[data-live]")).to_have_count(len(rooms))
    settle(page)
    shift = page.evaluate("window.shift")
    heights = page.locator(STAGES).evaluate_all("(all) => all.map((e) => e.offsetHeight)")
    found = [f"it jumps by {shift}"] * (shift >= 0.02)
    # If an explorer is too high, give its kind a larger --om-room in rooms.toml.
    return found + [
        f"explorer {n} is {height} high, in a room of {room}"
        for n, (height, room) in enumerate(zip(heights, rooms, strict=True))
        if height > room + 4
    ]


def keeps_to_its_policy(page: Page) -> list[str]:
    """Check that a page has the site's security policy and sets no cookies.

    Whatever the policy forbids would already be an error on the console.
    """
    meta = page.locator("meta[http-equiv=Content-Security-Policy]")
    cookies = page.context.cookies()
    return [f"cookie {c}" for c in cookies] + ["policy"] * (meta.get_attribute("content") != POLICY)


def weighs_too_much(page: Page, path: str) -> list[str]:
    """Check that a first visit to a page transfers at most 250 kB, without the page's figures."""
    loaded = page.evaluate("""performance.getEntriesByType("resource")
      .filter((entry) => !entry.name.startsWith("data:")).map((entry) => entry.encodedBodySize)""")
    text = re.sub(r"<svg.*?</svg>", "", (SITE / path).read_text("utf-8"), flags=re.DOTALL)
    weight = sum(loaded) + len(gzip.compress(text.encode()))
    return [f"{weight} bytes in {len(loaded)} files"] * (weight > 250_000 or len(loaded) < 3)


# Check that printed pages are white, and show static pictures and open answers but no menu.
ON_PAPER = """() => {
  const seen = (e) => e && e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const wrong = [];
  if (getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)") wrong.push("dark");
  if (seen(document.querySelector(".om-menu"))) wrong.push("the menu is there");
  for (const explorer of document.querySelectorAll(".om-explorer")) {
    const part = (name) => seen(explorer.querySelector(name));
    if (!part(".om-fallback svg") || !part(".om-caption") || part(".om-live"))
      wrong.push(explorer.id);
  }
  const answers = "article details:not(.hide, .om-warmup, .om-live *)";
  for (const answer of document.querySelectorAll(answers))
    if (answer.scrollHeight < answer.querySelector("summary").offsetHeight + 12)
      wrong.push(answer.outerHTML.slice(0, 120));
  return wrong;
}"""


# An A4 page without its margins is 170 mm by 257 mm. An explorer and its steps are never divided
# between two pages, so an explorer that is nearly as tall as a page would leave a page empty.
A4 = {"width": 643, "height": 971}
TALLEST_ON_PAPER = 0.8 * A4["height"]
TALL_EXPLORERS = """(tallest) => [...document.querySelectorAll(".om-explorer")]
  .filter((explorer) => explorer.offsetHeight > tallest
    || getComputedStyle(explorer).breakInside !== "avoid")
  .map((explorer) => `${explorer.id} is ${explorer.offsetHeight} pixels tall on paper`)"""


def is_wrong_on_paper(page: Page) -> list[str]:
    """Check that a page prints correctly, even if the reader chose the dark theme."""
    on_screen = page.viewport_size
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size(A4)
    until(page, "document.documentElement.dataset.theme === 'dark'")
    wrong: list[str] = page.evaluate(ON_PAPER)
    wrong += page.evaluate(TALL_EXPLORERS, TALLEST_ON_PAPER)
    page.emulate_media(media="screen")
    page.set_viewport_size(on_screen)
    return wrong


def sticks_out(page: Page) -> list[str]:
    """Check that on a phone nothing scrolls sideways, except the boxes that are meant to."""
    page.evaluate("scrollTo(50, 0)")
    wide = page.evaluate("document.documentElement.scrollWidth") - PHONE["width"]
    found = ["the page scrolls sideways"] * (wide > 0 or page.evaluate("scrollX") > 0)
    return found + page.evaluate("""() => [...document.querySelectorAll("article *")]
      .filter((e) => !e.closest("svg, .katex, pre, div.math, .om-figure, .om-table, .headerlink"))
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility())
      .map((e) => e.outerHTML.slice(0, 160))""")


def find_unreachable(page: Page) -> list[str]:
    """Check that every element that scrolls sideways can be focused with the Tab key."""
    # Wait, because the page makes scrolling elements focusable only when the browser is idle.
    until(page, """[...document.querySelectorAll("article *")]
      .filter((e) => e.checkVisibility())
      .filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX))
      .every((e) => e.scrollWidth <= e.clientWidth + 1 || e.tabIndex >= 0)""")  # fmt: skip
    return []


def too_small(page: Page) -> list[str]:
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll(
      "button, summary, nav a")]
      .filter((e) => e.checkVisibility({ opacityProperty: true }))
      .filter((e) => !e.closest("dialog:not([open])"))
      .map((e) => [e.getBoundingClientRect(), e]).filter(([b]) => b.width && b.right > 0)
      .filter(([b]) => Math.min(b.width, b.height) < 24).map(([b, e]) => e.outerHTML)""")
    return found


def find_silent_pictures(page: Page) -> list[str]:
    """Return all pictures without a text alternative, except pictures inside buttons.

    Axe checks the pictures in buttons.
    """
    found: list[str] = page.evaluate("""() => {
      const played = ["img", "application", "slider"];
      const hidden = (e) => e.closest("[aria-hidden=true], [hidden]");
      const says = (e) => e.getAttribute("aria-valuetext") ?? e.getAttribute("aria-label") ?? "";
      const named = (e) => says(e).trim().length > 20;
      return [
        ...[...document.querySelectorAll("svg")]
          .filter((e) => !e.parentElement.closest("svg") && !e.closest("button"))
          .filter((e) => !(played.includes(e.getAttribute("role")) && named(e))),
        ...[...document.querySelectorAll("canvas")]
          .filter((e) => !(["img", "application"].includes(e.getAttribute("role")) && named(e))),
        ...[...document.querySelectorAll("img")]
          .filter((e) => !e.hasAttribute("alt") || (!e.alt && e.closest("main"))),
      ].filter((e) => !hidden(e)).map((e) => e.outerHTML.slice(0, 160));
    }""")
    return found


def find_nameless_controls(page: Page) -> list[str]:
    """Return all controls without an accessible name.

    This check is faster than the check with axe.
    """
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll(
      "a[href], button, input, select, summary, [tabindex='0']")]
      .filter((e) => e.checkVisibility() && !e.closest("[aria-hidden=true]") && !e.labels?.length)
      .filter((e) => !(e.ariaLabel ?? e.textContent).trim() && !e.querySelector("[aria-label]"))
      .map((e) => e.outerHTML.slice(0, 160))""")
    return found


def sliders(page: Page) -> list[str]:
    """Return all sliders without a name, or whose spoken value differs from the visible value."""
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll(
      "input[type=range], [role=slider]")].filter((e) => e.checkVisibility()).map((e) => [
        e.labels?.[0]?.textContent ?? e.getAttribute("aria-label"),
        e.getAttribute("aria-valuetext"),
        e.closest(".ex-slider")?.querySelector("output").textContent ?? ""])
      .filter(([name, said, shown]) => !name || !said || !said.startsWith(shown))""")
    return found


# Check that each Tab stop has a focus ring (WCAG 2.4.7) and is not covered (WCAG 2.4.11).
# Similar Tab stops share a style, so only the first of each type is checked in each part of a page.
STOPS = """() => {
  const stops = "a[href], button, input, summary, select, [tabindex]";
  const all = [...document.querySelectorAll(stops)]
    .filter((e) => e.tabIndex >= 0 && !e.disabled && !e.closest("dialog:not([open])"))
    .filter((e) => e.checkVisibility({ visibilityProperty: true }));
  const wrong = [], met = new Set();
  for (const stop of all) {
    const part = stop.closest(".om-explorer, form, table, figure, nav, header, footer, section p");
    const kind = [part?.id, part?.className, stop.tagName, stop.type, stop.className].join();
    if (met.has(kind)) continue;
    stop.focus();
    if (document.activeElement !== stop) continue; // another of its radio buttons is the stop
    met.add(kind);
    const { outlineStyle, outlineWidth } = getComputedStyle(stop);
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 2)
      wrong.push(["no ring", stop.outerHTML.slice(0, 120)]);
    const { left, right, top, bottom } = stop.getBoundingClientRect();
    const seen = [0.1, 0.5, 0.9].some((a) => [0.1, 0.5, 0.9].some((b) => {
      const at = document.elementFromPoint(left + a * (right - left), top + b * (bottom - top));
      return at && (stop.contains(at) || at.contains(stop));
    }));
    if (!seen) wrong.push(["covered", stop.outerHTML.slice(0, 120)]);
  }
  document.activeElement.blur();
  scrollTo(0, 0);
  return all.length > 4 ? wrong : ["nothing stops the Tab key"];
}"""


def focus_unseen(page: Page) -> list[str]:
    page.keyboard.press("Tab")  # after a key press, the browser shows the focus ring
    found: list[str] = page.evaluate(STOPS)
    return found


WIDER = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }"""
CUT = """() => [...document.querySelectorAll("body *")]
  .filter((e) => !e.closest("svg, .math, .om-hidden, .om-rows thead, .om-fallback"))
  .filter((e) => e.localName !== "input") // a text field scrolls as its reader types
  .filter((e) => !e.closest("dialog:not([open])"))
  .filter((e) => {
    const { overflowX, overflowY } = getComputedStyle(e), cuts = ["hidden", "clip"];
    return (cuts.includes(overflowX) && e.scrollWidth > e.clientWidth + 1)
      || (cuts.includes(overflowY) && e.scrollHeight > e.clientHeight + 1);
  })
  .filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map((e) => e.outerHTML.slice(0, 160))"""


def spoilt_by_wider_text(page: Page) -> list[str]:
    """Check that wider text spacing neither cuts off text nor widens the page (WCAG 1.4.12)."""
    with painted.apply_style(page, WIDER):
        settle(page)
        return find_cut_parts(page, PHONE["width"])


def too_wide(page: Page) -> list[str]:
    """Check that on a screen of 320 pixels nothing is cut off or scrolls sideways (WCAG 1.4.10)."""
    page.set_viewport_size({"width": 320, "height": 640})
    settle(page)
    return find_cut_parts(page, 320)


def find_cut_parts(page: Page, width: int) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth") > width
    found: list[str] = page.evaluate(CUT)
    return ["it scrolls sideways"] * wide + found
