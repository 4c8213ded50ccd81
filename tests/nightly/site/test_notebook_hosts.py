"""Test that explorers need only what anywidget promises, as VS Code, Colab and marimo also do.

The model offers get, set with a name and a value, on, off, save_changes and send. Any other use is
an error, and so is a value that JSON cannot hold. The kernel receives a value only when
save_changes is called.
"""

import json
from collections.abc import Iterator

import pytest
from hands import settle, until
from playwright.sync_api import Browser, Page, expect

from pe_lib.course import explorers, predictions
from tests.recorded import required_arguments

HOST = """async ([module, state, names]) => {
  const { default: widget } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  const values = { ...state }, listeners = {}, told = window.told = { ...state };
  const contract = {
    get: (name) => structuredClone(values[name]),
    set(name, value) {
      if (!names.includes(name)) throw new Error(`no trait ${name}`);
      const plain = JSON.parse(JSON.stringify(value));
      if (plain === null) throw new Error(`${name} has no value`);
      const news = JSON.stringify(values[name]) !== JSON.stringify(plain);
      values[name] = plain;
      if (news) for (const listener of [...(listeners[`change:${name}`] ?? [])]) listener();
    },
    on(event, listener) { (listeners[event] ??= new Set()).add(listener); },
    off(event, listener) { listeners[event]?.delete(listener); },
    save_changes() { Object.assign(told, values); },
    send() {},
    widget_manager: {},
  };
  window.left = () => Object.values(listeners).reduce((sum, set) => sum + set.size, 0);
  const model = new Proxy(contract, { get(it, name) {
    if (name in it) return it[name];
    throw new Error(`${String(name)} is not in the contract`);
  } });
  const definition = typeof widget === "function" ? await widget() : widget;
  const end = await definition.render({ model, el: document.querySelector("main") });
  window.end = end;
}"""

SYNCED = ("number", "choices", "unit", "guess", "answer", "values")
KINDS = [kind for kind in explorers.kinds() if explorers.of_kind(kind).stories]


@pytest.fixture
def blank(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_content(f"<!doctype html><style>{explorers.stylesheet()}</style><main></main>")
    yield page
    context.close()
    assert not problems


@pytest.mark.parametrize("kind", KINDS)
def test_it_runs_and_the_kernel_learns_what_the_story_did(blank: Page, kind: str) -> None:
    explorer = explorers.of_kind(kind)(**required_arguments(kind))
    state = explorer.state()
    blank.evaluate(HOST, [explorer._esm, state, list(state)])
    following = blank.get_by_role("button", name="Next")
    while following.is_enabled():
        following.click()
        settle(blank)
    expect(blank.locator(".ex-says:not(.ex-unseen)")).to_contain_text("Your turn")
    (*_, (_, last)) = explorer.stories[explorer.story].states(state)
    # JavaScript cannot distinguish 2 from 2.0.
    said = "Object.entries(%s).every(([k, v]) => JSON.stringify(told[k]) === JSON.stringify(v))"
    until(blank, said % json.dumps(last))
    expect(blank.get_by_role("button", name="Copy call")).to_be_visible()
    blank.evaluate("end()")
    assert blank.evaluate("left()") == 0


def test_a_guess_is_told_to_the_kernel_and_shown_beside_the_result(blank: Page) -> None:
    """Check both prediction widgets on a page without an origin, where browsers store no data."""
    for widget in (predictions.predict("9.9", "one", "two"), predictions.predicted("9.9", "two")):
        state = {k: getattr(widget, k) for k in widget.trait_names(sync=True) if k in SYNCED}
        blank.evaluate(HOST, [widget._esm, state, list(state)])
    line = blank.locator(".om-result")
    expect(line).to_contain_text("Prediction 9.9. It is: two. You made no guess.")
    blank.get_by_label("one").check()
    expect(line).to_contain_text("You guessed: one. It is: two.")
