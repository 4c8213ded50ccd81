"""WCAG 2.2 AA on every page: what axe-core finds, and what it leaves to a person to decide."""

from collections import Counter
from typing import Any

import painted
import pytest
from built import CHAPTERS, EXPLORED, PAGES, PHONE, ROOT, WIDE, Open
from hands import settle, to_the_end
from playwright.sync_api import Browser, Page, expect

from tools.browser import ARGS

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"

# Everything opened and answered, and laid out whether it is on the screen or not
UNFOLD = """() => {
  for (const section of document.querySelectorAll("article section"))
    section.style.contentVisibility = "visible";
  for (const details of document.querySelectorAll("article details")) details.open = true;
  for (const form of document.querySelectorAll(".om-quiz")) {
    const field = form.querySelector("input[type=text]");
    if (field) field.value = "3";
    else form.querySelector("input").checked = true;
    form.requestSubmit();
  }
}"""

# Formulas repeat for the eye what their MathML says, pictures have one label: of their letters axe
# sees only the contrast, and can't decide it. A test below does.
RUN = """rules => axe.run({ exclude: [".katex-html", "svg"] }, {
  resultTypes: ["violations", "incomplete"],
  runOnly: rules ??
    ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})"""
LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]


def unfolded(open_page: Open, path: str, **options: object) -> Page:
    page = open_page(path, **options)
    page.evaluate(UNFOLD)
    to_the_end(page)
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())
    page.evaluate("scrollTo(0, 0)")
    return page


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


@pytest.fixture(scope="module")
def axe() -> str:
    assert AXE.is_file(), "axe-core is not installed: npm ci"
    return AXE.read_text("utf-8")


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(open_page: Open, axe: str, path: str) -> None:
    page = unfolded(open_page, path, color_scheme="light", reduced_motion="reduce")
    page.evaluate(axe)
    found = {"light, wide": problems(page)}
    for name, scheme, viewport in [
        ("dark, wide", "dark", WIDE),
        ("dark, phone", "dark", PHONE),
        ("light, phone", "light", PHONE),
    ]:
        page.set_viewport_size(viewport)
        in_scheme(page, scheme)
        found[name] = problems(page, LOOKS)
    assert not any(found.values()), found


@pytest.mark.parametrize("path", CHAPTERS)
def test_text_in_formulas_pictures_and_canvases_has_contrast(open_page: Open, path: str) -> None:
    page = unfolded(open_page, path, color_scheme="light", bypass_csp=True)
    page.evaluate(painted.WRITTEN)
    faint: dict[str, list[str]] = {}
    for scheme in ("dark", "light"):
        in_scheme(page, scheme)
        faint[f"canvas, {scheme}"] = painted.faint_on_canvases(page)
        faint[f"formula, {scheme}"] = page.evaluate(f"""() => {{
          const contrast = {painted.CONTRAST};
          return [...document.querySelectorAll("article .katex-html")]
            .filter((e) => contrast(e) < 4.5).map((e) => e.textContent);
        }}""")
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        faint[f"picture, {scheme}"] = painted.faint_in_pictures(page)
    assert not any(faint.values()), faint


def in_scheme(page: Page, scheme: str) -> None:
    """The page in light or dark, painted."""
    page.emulate_media(color_scheme=scheme)
    expect(page.locator("html")).to_have_attribute("data-theme", scheme, timeout=20_000)
    settle(page)


@pytest.mark.parametrize("path", PAGES)
def test_everything_seen_has_a_text_alternative(open_page: Open, path: str) -> None:
    page = unfolded(open_page, path)
    silent = page.evaluate("""() => {
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


def test_a_screen_reader_gets_what_waits_with_its_layout(
    browser: Browser, server: str, executable: str | None
) -> None:
    """Headings and formulas far from the screen are there as they are when all is laid out."""

    def told() -> Counter[str]:
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        roles = Counter(node["role"]["value"] for node in nodes if not node["ignored"])
        return Counter({role: roles[role] for role in ("heading", "MathMLMath", "figure", "link")})

    listened_to = [*ARGS, "--force-renderer-accessibility"]
    chromium = browser.browser_type.launch(executable_path=executable, args=listened_to)
    page = chromium.new_page(viewport=WIDE)
    page.goto(server + EXPLORED)
    session = page.context.new_cdp_session(page)
    session.send("Accessibility.enable")
    before = told()
    page.evaluate("""() => {
      for (const waiting of document.querySelectorAll("article section, .katex-mathml"))
        waiting.style.contentVisibility = "visible";
    }""")
    settle(page)
    laid_out = told()
    chromium.close()
    assert before == laid_out and before["heading"] > 20 and before["MathMLMath"] > 50


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_slider_says_what_it_is_and_where_it_stands(open_page: Open, path: str) -> None:
    page = unfolded(open_page, path)
    for slider in page.get_by_role("slider").all():
        name = slider.evaluate("e => e.labels?.[0]?.textContent ?? e.getAttribute('aria-label')")
        said = slider.get_attribute("aria-valuetext") or ""
        assert name and said, slider.evaluate("e => e.outerHTML")
        shown = slider.evaluate("e => e.closest('.ex-slider')?.querySelector('output').textContent")
        assert not shown or said.startswith(shown), f"{name}: shows {shown}, says {said}"


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
  return [all.length, wrong];
}"""


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", PAGES)
def test_focus_is_seen(open_page: Open, path: str, viewport: dict[str, int]) -> None:
    page = unfolded(open_page, path, viewport=viewport, reduced_motion="reduce")
    page.keyboard.press("Tab")  # from now on focus is shown
    count, wrong = page.evaluate(STOPS)
    assert count > 4 and not wrong


@pytest.mark.parametrize("path", PAGES)
def test_reflow_and_wider_text(open_page: Open, path: str) -> None:
    """At 320 px nothing scrolls sideways (1.4.10), and wider text is not cut off (1.4.12)."""
    page = unfolded(open_page, path, viewport={"width": 320, "height": 640}, bypass_csp=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size(PHONE)
    page.add_style_tag(
        content="""* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
          word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }"""
    )
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    cut = page.evaluate("""() => [...document.querySelectorAll("body *")]
      .filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((e) => !e.closest("svg, .math, .om-hidden, .visually-hidden, .om-fallback"))
      .filter((e) => !e.closest("dialog:not([open])"))
      .filter((e) => {
        const { overflowX, overflowY } = getComputedStyle(e), cuts = ["hidden", "clip"];
        return (cuts.includes(overflowX) && e.scrollWidth > e.clientWidth + 1)
          || (cuts.includes(overflowY) && e.scrollHeight > e.clientHeight + 1);
      }).map((e) => e.outerHTML.slice(0, 160))""")
    assert not cut


def test_nothing_moves_for_those_who_asked_for_that(open_page: Open) -> None:
    page = unfolded(open_page, EXPLORED, reduced_motion="reduce")
    in_scheme(page, "dark")  # would fade
    page.locator("button.pst-navbar-icon, .search-button-field").first.click()
    assert page.evaluate("document.getAnimations().length") == 0
    moving = page.evaluate("""() => [...document.querySelectorAll("*")].filter((e) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(e);
      return parseFloat(transitionDuration) || animationName !== "none"
        || scrollBehavior !== "auto";
    }).map((e) => e.outerHTML.slice(0, 120))""")
    assert not moving
