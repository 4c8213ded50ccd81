"""Explorers on pages of their own: no built site is needed."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from built import ROOT
from drawn import RECORD, Show
from hands import settle, until
from playwright.sync_api import Browser, Page
from visits import PATIENCE

from pe_lib.course.explorers import Explorer, bundle, stylesheet

PAGE = f"""<!doctype html><style>{stylesheet()}</style>
<div class="om-explorer"><div class="om-stage"></div></div>"""

# The module as a notebook runs it, for the site's loader, whose model is kept
REGISTER = """async ([kind, module, state]) => {
  const { default: explorer } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  const render = (given) => {
    window.model = given.model;
    return explorer.render(given);
  };
  window.omExplorers = { [kind]: { render } };
  Object.assign(document.querySelector(".om-explorer").dataset, { kind, state });
}"""


Draw = Callable[[Explorer, int], Page]


@pytest.fixture(scope="session")
def draw(browser: Browser) -> Iterator[Draw]:
    """Draws an explorer in its state, so many pixels wide; each story of a kind keeps its page."""
    kept: dict[tuple[str, str], tuple[Page, dict[str, Any]]] = {}
    problems: list[str] = []

    def opened(explorer: Explorer) -> Page:
        page = browser.new_page(reduced_motion="reduce")  # what glides is there at once
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.set_content(PAGE)
        page.evaluate(RECORD)
        state = json.dumps(explorer.state())
        page.evaluate(REGISTER, [explorer.kind, bundle(explorer.kind), state])
        page.add_script_tag(path=ROOT / "_ext/assets/loader.js")
        until(page, "Boolean(window.model)")
        return page

    def drawn(explorer: Explorer, width: int) -> Page:
        state = explorer.state()
        which = explorer.kind, explorer.story
        page, before = kept.get(which) or (opened(explorer), state)
        kept[which] = page, state
        page.set_viewport_size({"width": width, "height": 800})
        changes = {name: value for name, value in state.items() if value != before[name]}
        page.evaluate("changes => window.model.set(changes)", changes)
        settle(page)
        assert not problems
        return page

    yield drawn
    for page, _ in kept.values():
        page.close()


@pytest.fixture(params=[900, 360], ids=["wide", "phone"])
def show(request: pytest.FixtureRequest, draw: Draw) -> Show:
    """Draws an explorer in its state, on a wide page and on a phone's."""
    return lambda explorer: draw(explorer, request.param)
