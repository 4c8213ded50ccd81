"""Find barriers for disabled readers (WCAG 2.2 AA) with axe-core, apart from low contrast."""

from built import ROOT
from hands import wait_for_promise
from playwright.sync_api import Page

SOURCE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")

# Remove formulas, pictures and code colours first, because axe-core never finds errors in them.
STRIP = """() => {
  document.querySelectorAll(".katex-html, svg > *").forEach((part) => part.remove());
  for (const code of document.querySelectorAll("pre")) code.textContent = code.textContent;
}"""

# Count undecided results as errors, unless a label has no letters or fits its hidden name.
RUN = """async ([within, rules]) => {
  const isRight = (rule, { target }) => {
    const element = document.querySelector(target[0]), text = element.textContent.trim();
    return rule === "label-content-name-mismatch" &&
      (/^[^\\p{L}\\p{N}]+$/u.test(text) || element.ariaLabel?.startsWith(text || "?"));
  };
  const found = await axe.run(within,
    { resultTypes: ["violations", "incomplete"], ...rules });
  const wrong = found.violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node]));
  for (const { id, nodes } of found.incomplete)
    wrong.push(...nodes.filter((node) => !isRight(id, node)).map((node) => [id, node]));
  return wrong.map(([id, { html }]) => `${id}: ${html.slice(0, 200)}`);
}"""


def axe(page: Page, within: str = "html") -> list[str]:
    """Return the errors that axe-core finds on a page or on a part of it.

    The page must not be used afterwards, because parts of it have been removed.
    """
    levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    off = {"color-contrast": {"enabled": False}}
    if within != "html":  # a part of a page need not lie inside a landmark
        off["region"] = {"enabled": False}
    page.evaluate(STRIP)
    page.evaluate(SOURCE)
    rules = {"runOnly": {"type": "tag", "values": levels}, "rules": off}
    found: list[str] = wait_for_promise(page, RUN, [within, rules])
    return found
