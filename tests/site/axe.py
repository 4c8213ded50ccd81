"""axe, which looks for what keeps people out (WCAG 2.2 AA), and what it leaves to be decided."""

import painted
from built import ROOT
from playwright.sync_api import Page

SOURCE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
COLOURS = ["color-contrast", "link-in-text-block"]  # depend on the scheme

# Formulas repeat for the eye what their MathML says, pictures have one label, and colours of code
# no meaning: axe could find nothing in them but contrast, and can't decide it; painted.py does.
STRIP = """() => {
  document.querySelectorAll(".katex-html, svg > *").forEach((part) => part.remove());
  for (const code of document.querySelectorAll("pre")) code.textContent = code.textContent;
}"""

# What axe can't decide is decided for all places at once, in the page: one by one it takes forty
# times as long.
RUN = f"""async ([within, rules]) => {{
  const contrast = {painted.CONTRAST};
  const isRight = (rule, {{ target }}) => {{
    const element = document.querySelector(target[0]);
    if (rule === "color-contrast") return contrast(element) >= 4.5;
    if (rule === "label-content-name-mismatch") {{ // a name of one letter, or a sign
      const text = element.textContent.trim();
      return /^[^\\p{{L}}\\p{{N}}]+$/u.test(text) || element.ariaLabel?.startsWith(text || "?");
    }}
    return false;
  }};
  const found = await axe.run(within,
    {{ resultTypes: ["violations", "incomplete"], ...rules }});
  const wrong = found.violations.flatMap(({{ id, nodes }}) => nodes.map((node) => [id, node]));
  for (const {{ id, nodes }} of found.incomplete)
    wrong.push(...nodes.filter((node) => !isRight(id, node)).map((node) => [id, node]));
  return wrong.map(([id, {{ html }}]) => `${{id}}: ${{html.slice(0, 200)}}`);
}}"""


def axe(page: Page, within: str = "html", colours: bool = False) -> list[str]:
    """What axe finds wrong: colours alone, or all but these, which take longest.

    Nothing but that can be asked of the page afterwards.
    """
    if colours:
        rules: dict[str, object] = {"runOnly": COLOURS}
    else:
        levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        off = {rule: {"enabled": False} for rule in COLOURS}
        rules = {"runOnly": {"type": "tag", "values": levels}, "rules": off}
    if within != "html":  # a part of a page needs no landmark of its own
        rules.setdefault("rules", {}).update(region={"enabled": False})  # type: ignore[attr-defined]
    page.evaluate(STRIP)
    page.evaluate(SOURCE)
    found: list[str] = page.evaluate(RUN, [within, rules])
    return found
