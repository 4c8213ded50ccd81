"""Every page as its readers meet it: wide, on a phone, from disk, without JavaScript; WCAG 2.2 AA.

Each visit opens the page once. Its tests follow one another, from what a reader meets first to what
leaves the page changed.
"""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import painted
import pytest
from built import BETWEEN, EXPLORED, PAGES, PHONE, ROOT, WIDE, Open
from hands import settle, until
from playwright.sync_api import Browser, Page, expect
from visits import Visit, in_scheme, visit

from _ext.face import POLICY

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"

# Formulas repeat for the eye what their MathML says, pictures have one label: of their letters axe
# sees only the contrast, and can't decide it. A test below does.
RUN = """rules => axe.run({ exclude: [".katex-html", "svg"] }, {
  resultTypes: ["violations", "incomplete"],
  runOnly: rules ??
    ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})"""
COLOURS = ["color-contrast"]  # depends on the scheme
ROOM = ["scrollable-region-focusable", "target-size"]  # depend on the width
LOOKS = [*COLOURS, *ROOM, "link-in-text-block"]


@pytest.fixture(scope="module", params=PAGES)
def wide(request: pytest.FixtureRequest, browser: Browser, below: str) -> Iterator[Visit]:
    """On a wide screen, from a host whose root is not the site's."""
    with visit(browser, below, request.param, viewport=WIDE, color_scheme="light") as seen:
        yield seen


@pytest.fixture(scope="module", params=PAGES)
def phone(request: pytest.FixtureRequest, browser: Browser, server: str) -> Iterator[Visit]:
    """On a phone, in the dark."""
    look = {"viewport": PHONE, "has_touch": True, "color_scheme": "dark"}
    with visit(browser, server, request.param, **look) as seen:
        yield seen


@pytest.fixture(scope="module", params=PAGES)
def disk(request: pytest.FixtureRequest, browser: Browser, site: Path) -> Iterator[Visit]:
    """Opened from disk, in a window of middling width."""
    with visit(browser, f"{site.as_uri()}/", request.param, viewport=BETWEEN) as seen:
        yield seen


@pytest.fixture(scope="module")
def unfolded(wide: Visit) -> Page:
    """The wide page with everything opened and answered."""
    page = wide.unfold()
    page.evaluate(AXE.read_text("utf-8"))
    return page


@pytest.fixture(scope="module")
def unfolded_phone(phone: Visit) -> Page:
    page = phone.unfold()
    page.evaluate(AXE.read_text("utf-8"))
    return page


# --- On a wide screen ---


def test_it_opens_and_keeps_to_its_policy(wide: Visit) -> None:
    """`visit` sees to the rest: no error, no violation, no request to anywhere else."""
    expect(wide.page.locator("h1")).to_be_visible()
    live = wide.page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(wide.page.locator(".om-explorer").count())
    policy = wide.page.locator("meta[http-equiv=Content-Security-Policy]")
    assert policy.get_attribute("content") == POLICY
    assert wide.page.evaluate("document.cookie") == "" and wide.page.context.cookies() == []


def test_a_first_visit_weighs_little(wide: Visit, site: Path) -> None:
    """At most 250 kB as they travel, without the figures that are the page's own."""
    wide.page.wait_for_load_state("networkidle")
    loaded = wide.page.evaluate("""performance.getEntriesByType("resource")
      .filter((entry) => !entry.name.startsWith("data:")).map((entry) => entry.encodedBodySize)""")
    text = re.sub(r"<svg.*?</svg>", "", (site / wide.path).read_text("utf-8"), flags=re.DOTALL)
    assert len(loaded) >= 3 and min(loaded) > 0
    assert sum(loaded) + len(gzip.compress(text.encode())) <= 250_000


def test_it_does_not_jump_while_it_is_read(wide: Visit) -> None:
    assert wide.shift < 0.02


def test_explorers_find_their_room(wide: Visit) -> None:
    find_their_room(wide)


def find_their_room(visit: Visit) -> None:
    """If this fails, give the explorer's kind more --om-room in explorers.css."""
    heights = visit.page.locator(".om-stage").evaluate_all(
        "(all) => all.map((e) => e.offsetHeight)"
    )
    for height, room in zip(heights, visit.rooms, strict=True):
        assert height <= room + 4


# On white paper, without the menu; pictures for explorers, and answers, which paper can't open
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
    if (answer.scrollHeight <= 2 * answer.querySelector("summary").offsetHeight)
      wrong.push(answer.outerHTML.slice(0, 120));
  return wrong;
}"""


def test_an_explorer_is_a_picture_on_paper(wide: Visit) -> None:
    in_scheme(wide.page, "dark")
    wide.page.emulate_media(media="print")
    wrong = wide.page.evaluate(ON_PAPER)
    wide.page.emulate_media(media="screen")
    in_scheme(wide.page, "light")
    assert not wrong


# --- On a wide screen, unfolded ---


def test_everything_seen_has_a_text_alternative(unfolded: Page) -> None:
    silent = unfolded.evaluate("""() => {
      const hidden = (e) => e.closest("[aria-hidden=true], [hidden]");
      const named = (e) => (e.getAttribute("aria-label") ?? "").trim().length > 20;
      const inButton = (e) => e.closest("button"); // which has a name: axe sees to it
      return [
        ...[...document.querySelectorAll("svg")].filter((e) => !e.parentElement.closest("svg"))
          .filter((e) => !(e.getAttribute("role") === "img" && named(e)) && !inButton(e)),
        ...[...document.querySelectorAll("canvas")]
          .filter((e) => !(["img", "application"].includes(e.getAttribute("role")) && named(e))),
        ...[...document.querySelectorAll("img")]
          .filter((e) => !e.hasAttribute("alt") || (!e.alt && e.closest("main"))),
      ].filter((e) => !hidden(e)).map((e) => e.outerHTML.slice(0, 160));
    }""")
    assert not silent


def test_a_slider_says_what_it_is_and_where_it_stands(unfolded: Page) -> None:
    sliders = unfolded.evaluate("""() => [...document.querySelectorAll(
      "input[type=range], [role=slider]")].filter((e) => e.checkVisibility()).map((e) => [
        e.labels?.[0]?.textContent ?? e.getAttribute("aria-label"),
        e.getAttribute("aria-valuetext"),
        e.closest(".ex-slider")?.querySelector("output").textContent ?? ""])""")
    for name, said, shown in sliders:
        assert name and said, f"{name} says {said}"
        assert said.startswith(shown), f"{name}: shows {shown}, says {said}"


# Every stop of the Tab key: its focus ring (2.4.7), and whether something lies over it (2.4.11)
STOPS = """() => {
  const stops = "a[href], button, input, summary, select, [tabindex]";
  const all = [...document.querySelectorAll(stops)]
    .filter((e) => e.tabIndex >= 0 && !e.disabled && !e.closest("dialog:not([open])"))
    .filter((e) => e.checkVisibility({ visibilityProperty: true }));
  const wrong = [];
  for (const stop of all) {
    stop.focus();
    if (document.activeElement !== stop) continue; // another of its radio buttons is the stop
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
  return [all.length, wrong];
}"""


def test_focus_is_seen(unfolded: Page) -> None:
    focus_is_seen(unfolded)


def focus_is_seen(page: Page) -> None:
    page.keyboard.press("Tab")  # from now on focus is shown
    count, wrong = page.evaluate(STOPS)
    assert count > 4 and not wrong


def problems(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds, and what it can't decide and isn't right."""
    result = page.evaluate(RUN, rules)
    found = [(v["id"], n) for v in result["violations"] for n in v["nodes"]]
    found += [
        (v["id"], node)
        for v in result["incomplete"]
        for node in v["nodes"]
        if not is_right(page, v["id"], node)
    ]
    return [f"{rule}: {node['html'][:200]}" for rule, node in found]


def is_right(page: Page, rule: str, undecided: dict[str, Any]) -> bool:
    """Decides what axe leaves open: text that is scrolled under something, a name of one letter."""
    element = page.locator(undecided["target"][0])
    if rule == "color-contrast":
        return float(element.evaluate(painted.CONTRAST)) >= 4.5
    if rule == "label-content-name-mismatch":
        label = element.get_attribute("aria-label") or ""
        return label.startswith((element.text_content() or "?").strip())
    return False


def faint(page: Page) -> list[str]:
    """Formulas, and texts on canvases since the last look, too close to what is behind them."""
    formulas: list[str] = page.evaluate(f"""() => {{
      const contrast = {painted.CONTRAST};
      return [...document.querySelectorAll("article .katex-html")]
        .filter((e) => contrast(e) < 4.5).map((e) => e.textContent);
    }}""")
    return formulas + painted.faint_on_canvases(page)


def test_axe_finds_nothing_in_the_light(unfolded: Page) -> None:
    assert not problems(unfolded)


def test_axe_finds_nothing_in_the_dark(unfolded: Page) -> None:
    in_scheme(unfolded, "dark")
    assert not problems(unfolded, COLOURS)


def test_text_in_formulas_pictures_and_canvases_has_contrast(unfolded: Page) -> None:
    """The last of a visit: of the page nothing but the pictures stays."""
    unfolded.evaluate(painted.WRITTEN)
    found = {}
    for scheme in ("light", "dark"):
        in_scheme(unfolded, scheme)
        found[f"formulas and canvases, {scheme}"] = faint(unfolded)
    for scheme in ("dark", "light"):
        in_scheme(unfolded, scheme)
        found[f"pictures, {scheme}"] = painted.faint_in_pictures(unfolded)
    assert not any(found.values()), found


# --- On a phone ---


def test_it_does_not_jump_on_a_phone(phone: Visit) -> None:
    assert phone.shift < 0.02


def test_explorers_find_their_room_on_a_phone(phone: Visit) -> None:
    find_their_room(phone)


def test_nothing_scrolls_sideways_on_a_phone(phone: Visit) -> None:
    page = phone.page
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.evaluate("scrollTo(50, 0)")
    assert page.evaluate("scrollX") == 0
    beyond = page.evaluate("""() => [...document.querySelectorAll("article *")]
      .filter((e) => e.checkVisibility() && !e.closest("svg, .katex, pre, div.math, .om-figure"))
      .filter((e) => !e.closest(".om-table, .headerlink"))
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML)""")
    assert not beyond


def test_what_scrolls_sideways_is_reachable_by_keyboard(phone: Visit) -> None:
    # the page looks at its sections when it has nothing to do
    until(phone.page, """[...document.querySelectorAll("article *")]
      .filter((e) => e.checkVisibility())
      .filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX))
      .every((e) => e.scrollWidth <= e.clientWidth + 1 || e.tabIndex >= 0)""")  # fmt: skip


def test_targets_are_large_enough_for_a_finger(phone: Visit) -> None:
    small = phone.page.evaluate("""() => [...document.querySelectorAll("button, summary, nav a")]
      .filter((e) => e.checkVisibility({ opacityProperty: true }))
      .filter((e) => !e.closest("dialog:not([open])"))
      .map((e) => [e.getBoundingClientRect(), e]).filter(([b]) => b.width && b.right > 0)
      .filter(([b]) => Math.min(b.width, b.height) < 24).map(([b, e]) => e.outerHTML)""")
    assert not small


def test_axe_finds_nothing_on_a_phone(unfolded_phone: Page) -> None:
    assert not problems(unfolded_phone, ROOM)


def test_focus_is_seen_on_a_phone(unfolded_phone: Page) -> None:
    focus_is_seen(unfolded_phone)


def test_reflow_and_wider_text(unfolded_phone: Page) -> None:
    """At 320 px nothing scrolls sideways (1.4.10), and wider text is not cut off (1.4.12)."""
    page = unfolded_phone
    page.set_viewport_size({"width": 320, "height": 640})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size(PHONE)
    painted.styled(
        page,
        """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
          word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }""",
    )
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    cut = page.evaluate("""() => [...document.querySelectorAll("body *")]
      .filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((e) => !e.closest("svg, .math, .om-hidden, .om-rows thead, .om-fallback"))
      .filter((e) => !e.closest("dialog:not([open])"))
      .filter((e) => {
        const { overflowX, overflowY } = getComputedStyle(e), cuts = ["hidden", "clip"];
        return (cuts.includes(overflowX) && e.scrollWidth > e.clientWidth + 1)
          || (cuts.includes(overflowY) && e.scrollHeight > e.clientHeight + 1);
      }).map((e) => e.outerHTML.slice(0, 160))""")
    assert not cut


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", ["index.html", EXPLORED])
def test_width_changes_no_colour(
    browser: Browser, server: str, path: str, viewport: dict[str, int]
) -> None:
    """Two pages in all four looks; the others' colours are judged wide, their room on a phone."""
    with visit(browser, server, path, viewport=viewport, color_scheme="light") as seen:
        page = seen.unfold()
        page.evaluate(AXE.read_text("utf-8"))
        for scheme in ("light", "dark"):
            in_scheme(page, scheme)
            assert not problems(page, LOOKS), scheme


# --- From disk, and without JavaScript ---


def test_it_works_from_disk(disk: Visit) -> None:
    live = disk.page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(disk.page.locator(".om-explorer").count())
    find_their_room(disk)


@pytest.mark.parametrize("path", ["index.html", EXPLORED, "chapters/appendix-audit.html"])
def test_it_reads_without_javascript(open_page: Open, path: str) -> None:
    """The style is the same for all; that no page lacks a picture: test_build.py."""
    page = open_page(path, java_script_enabled=False)
    expect(page.locator("article p").first).to_be_visible()
    unseen = page.evaluate("""() => [
      ...[...document.querySelectorAll("article .katex-html")].slice(0, 5),
      ...document.querySelectorAll(".om-explorer :is(.om-fallback svg, .om-caption, .om-told li)"),
    ].filter((e) => !e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
     .map((e) => e.outerHTML.slice(0, 120))""")
    assert not unseen
    for picture in page.locator(".om-told img").all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("(image) => image.naturalWidth")
