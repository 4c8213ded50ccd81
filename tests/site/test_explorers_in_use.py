"""Test that readers can operate every explorer by keyboard, mouse and touch, and share its state.

explorers.yml lists a page for each kind of explorer, the keys and drags that change the state, and
the steps that solve the task. The state is read from the link that a reader would share.
tests/explorers and tests/vectors check that the picture and the text for a state are right.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import contract
import pytest
from built import PHONE, SITE, WIDE, parse_page
from hands import UNFOLDED, UNSHUT, finger, scroll_to, settle, wait_for_promise
from playwright.sync_api import Browser, Locator, Page, expect
from visits import open_in_new_context, renew

from _ext import moved
from pe_lib.course import explorers

TABLE = contract.WHERE
LINKS = contract.read_contract()["links"]

# Hide everything but the explorers, and put enough space around each explorer for scrolling.
ALONE = """() => {
  for (const one of document.querySelectorAll("body *")) {
    if (one.matches(".om-explorer")) one.style.marginBlock = "1000px";
    else if (!one.closest(".om-explorer") && !one.querySelector(".om-explorer"))
      one.style.display = "none";
  }
}"""

# Wait for two painted frames, and then return the explorer's link, its text and its picture.
LOOK = """(host) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  let address = location.href; // a browser that is asked for new ones too often keeps the old one
  history.replaceState = (state, title, link) => { address = link; };
  host.querySelector(".ex-steps > :last-child").click(); // Link
  delete history.replaceState;
  const said = host.querySelector(".ex-reading").innerText.replace(/\\s+/g, " ");
  const tables = [...host.querySelectorAll("svg canvas")].map((table) => table.toDataURL());
  done([address, said, host.querySelector("svg.ex-canvas").innerHTML + tables]);
})))"""

CENTRED = "(host) => host.querySelector('.ex-canvas').scrollIntoView({ block: 'center' })"

# Delay the long press, because on a slow machine any touch may last longer than 350 ms.
UNHURRIED = """() => {
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...rest) => wait(call, ms === 350 ? 60_000 : ms, ...rest);
}"""

PATIENT = 200
KEYS = {"checkbox": "Space", "range": "ArrowRight", "button": "Enter"}  # for other types, ArrowDown
ROLES = {"choose": "radio", "set": "slider",
         "select": "combobox", "type": "spinbutton", "tick": "checkbox",
         "untick": "checkbox"}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """A snapshot of an explorer's state, text and picture."""

    state: dict[str, Any]
    reading: str
    picture: str


class Case:
    """An explorer on a page, with its settings from explorers.yml and its initial state."""

    def __init__(self, name: str, about: dict[str, Any]) -> None:
        self.name, self.about, self.kind = name, about, name.split("-", maxsplit=1)[0]
        self.path = f"chapters/{about['page']}.html"
        self.type = explorers.of_kind(self.kind)

    def __str__(self) -> str:
        """Return the page and the explorer's name. conftest.py runs a page's cases together."""
        return f"{self.path} {self.name}"

    @cached_property
    def start(self) -> dict[str, Any]:
        (host,) = parse_page(SITE / self.path).select(f"#{self.about['id']}")
        found: dict[str, Any] = json.loads(str(host["data-state"]))
        return found

    @property
    def story(self) -> Any:
        return self.type.stories[self.start["story"]]

    def on(self, page: Page) -> "Shown":
        host = page.locator(f"#{self.about['id']}")
        host.evaluate(UNSHUT)
        scroll_to(page, host)
        expect(host.locator(".om-live .ex-reading")).to_be_visible()
        host.evaluate(UNFOLDED)
        return Shown(self, host)


class Shown:
    """A running explorer on a page, with methods that operate it as a reader would."""

    def __init__(self, case: Case, host: Locator) -> None:
        self.case, self.host, self.page = case, host, host.page
        # a locator would search the whole page each time it is used
        self.held = host.element_handle()
        scene = host.locator(".ex-scene")
        self.canvas = scene.locator(".ex-canvas")
        self.says = host.locator(".ex-says:not(.ex-unseen)")

    def button(self, name: str) -> Locator:
        return self.host.get_by_role("button", name=name, exact=True)

    def look(self) -> Look:
        self.address, reading, picture = wait_for_promise(self.held, LOOK)
        start, query = self.case.start, dict(parse_qsl(urlsplit(self.address).query))
        traits = self.case.type.about()["traits"]
        texts = {name: query.get(traits[name].get("link", name)) for name in start}
        changed = {
            name: text if isinstance(start[name], str) else json.loads(text)
            for name, text in texts.items()
            if text is not None
        }
        return Look(start | changed, reading, picture)

    def until(self, fits: Callable[[Look], str]) -> Look:
        """Wait until the function `fits` accepts a snapshot of the explorer, and return it."""
        for _ in range(PATIENT * (10 if "long" in self.case.about else 1)):
            if not (wrong := fits(now := self.look())):
                return now
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{wrong}\n{now.reading}\n{now.state}")

    def holds(self, expected: str) -> Look:
        """Wait until a trait equals a value exactly (`position=5`) or about (`position~5`)."""
        near = "=" not in expected
        name, text = expected.split("~" if near else "=", 1)
        given = self.case.start[name]
        wanted = text if isinstance(given, str) else json.loads(text)
        wanted = pytest.approx(wanted, rel=0.03) if near else wanted
        return self.until(lambda now: "" if now.state[name] == wanted else f"not {expected}")

    def follow(self, steps: str, last: bool = True) -> None:
        """Perform the steps listed in explorers.yml, but the last step only if `last` is true."""
        settle(self.page)  # start only when all earlier changes have been painted
        for step in steps.split("; ")[: None if last else -1]:
            if " " not in step.split("=")[0].split("~")[0]:
                self.holds(step)
            else:
                self.act(*step.split(" ", 1))

    def act(self, verb: str, what: str) -> None:
        if verb == "press":
            self.canvas.focus()
            for key in what.split():
                self.page.keyboard.press(key)
        elif verb == "next":
            for _ in range(int(what)):
                self.button("Next").press("Enter")
        elif verb == "push":
            self.button(what).press("Enter")
        elif verb in ("drag", "finger"):
            self.draw(verb, [tuple(map(float, point.split(","))) for point in what.split()])
        else:
            name, _, value = what.partition(": ") if verb in ("select", "type") else (what, "", "")
            if verb == "set":
                name, value = what.rsplit(" ", 1)
            control = self.host.get_by_role(ROLES[verb], name=name, exact=True)
            match verb:
                case "set":
                    control.fill(value)
                case "type":
                    control.fill(value)
                    control.press("Enter")
                case "select":
                    control.select_option(label=value)
                case _:
                    control.set_checked(verb != "untick")
        settle(self.page)

    def draw(self, by: str, points: list[Any]) -> None:
        """Drag through points of the picture, and check that the page does not scroll meanwhile."""
        box = self.centred()
        there = [(box["x"] + x, box["y"] + y) for x, y in points]
        if by == "finger":
            finger(self.page, there)
            moved = self.canvas.bounding_box()["y"] - box["y"]
            # the text above the picture may grow by one line, which moves the picture
            assert abs(moved) < 25
        else:
            self.page.mouse.move(*there[0])
            self.page.mouse.down()
            for x, y in there:
                self.page.mouse.move(x, y)
            self.page.mouse.up()
            # compare only the states, because pictures may be drawn late
            before = self.look().state
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            # after the mouse button is released, moving the mouse changes nothing
            assert self.look().state == before

    def centred(self) -> Any:
        """Scroll the canvas to the middle of the screen, and return its box after scrolling."""
        before = None
        while True:
            self.held.evaluate(CENTRED)
            settle(self.page)
            if (box := self.canvas.bounding_box()) == before:
                return box
            before = box

    def reset(self) -> Look:
        """Go back to the first step of the story, and wait for the explorer's initial state.

        A reader who has changed a later step goes back to this step first, and then to the start.
        """
        back = self.host.get_by_role("button", name=re.compile("Reset|Back to step"))
        first = re.compile("step 1 ")
        for _ in range(3):
            label = self.host.locator(".ex-dots").get_attribute("aria-label") or ""
            if self.look().state == self.case.start and first.match(label):
                break
            # the buttons change only when the reader has stopped for a moment
            self.page.wait_for_timeout(300)
            back.press("Enter")
        self.page.evaluate("document.activeElement.blur()")
        return self.until(lambda now: "" if now.state == self.case.start else "not reset")


CASES = sorted((Case(*line) for line in TABLE.items()), key=lambda case: case.path)


# All kinds of explorers use the same script for touch, so three kinds suffice by day.
HELD = ["attention", "grid", "heatmap"]


def at_night(later: Callable[[Case], bool], cases: Sequence[Case] = CASES) -> pytest.MarkDecorator:
    """Return a decorator that runs a test on all cases, but on some cases only at night.

    The function `later` returns whether a case runs only at night.
    """
    params = [pytest.param(one, marks=[pytest.mark.nightly] * later(one)) for one in cases]
    return pytest.mark.parametrize("case", params, indirect=True, ids=str)


# By day, test one case for each kind of explorer unless it is slow. Test all other cases at night.
of_each_kind = at_night(lambda case: case.name != case.kind or "long" in case.about)


@pytest.fixture(scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="module")
def visited() -> Iterator[dict[str, tuple[Page, Any, list[str]]]]:
    """Yield a dictionary that holds the page that is open, by its path, or is empty if none is."""
    pages: dict[str, tuple[Page, Any, list[str]]] = {}
    yield pages
    for page, *_ in pages.values():
        page.context.close()


@pytest.fixture
def anew(case: Case, visited: Any, browser: Browser, server: str) -> Iterator[Callable[..., Shown]]:
    """Yield a function that resets the explorer and returns it, on a screen of the given size.

    The browser is set to prefer reduced motion.
    """

    def open_afresh(look: dict[str, int] = WIDE, address: str = "") -> Shown:
        if case.path not in visited:
            for page, *_ in visited.values():
                page.context.close()
            visited.clear()
            options = {"reduced_motion": "reduce", "permissions": ["clipboard-write"]}
            page, problems = open_in_new_context(browser, server, case.path, **options)
            page.evaluate(UNHURRIED)
            page.evaluate(ALONE)
            visited[case.path] = (page, page.context.new_cdp_session(page), problems)
        page, session, _ = visited[case.path]
        page.mouse.up()
        touch = {"enabled": look is PHONE, "maxTouchPoints": 1}
        session.send("Emulation.setTouchEmulationEnabled", touch)
        page.set_viewport_size(look)
        renew(page, address)
        return case.on(page)

    yield open_afresh
    assert not visited[case.path][2]


def test_every_kind_is_in_the_table() -> None:
    assert {case.kind for case in CASES} == set(explorers.kinds())


@of_each_kind
def test_controls_work_by_keyboard(case: Case, anew: Any) -> None:
    shown: Shown = anew()
    expect(shown.button("Step")).to_have_count(int("play" in case.about))
    controls = shown.host.locator(
        ".ex-scene :is(input:not([type=radio]), input:checked, select, .ex-button)"
    )
    before = shown.look()
    for control in [one for one in controls.element_handles() if one.is_visible()]:
        kind, ends = control.evaluate("(one) => [one.type, one.value === one.max]")
        key = "ArrowLeft" if kind == "range" and ends else KEYS.get(kind, "ArrowDown")
        control.press(key)
        now = shown.look()
        assert now.state != before.state
        seen = (now.reading, now.picture) != (before.reading, before.picture)
        # A story's first step may hide the part that a setting changes.
        hides = shown.canvas.locator(".unnamed").count() > 0
        assert seen or hides or "quiet" in case.about
        # A choice may hide or disable other controls, so reset the explorer before each control.
        before = now if kind == "range" else shown.reset()
    shown.reset()
    shown.canvas.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    before = shown.host.bounding_box()
    shown.follow(case.about["keys"])
    shown.look()
    now = shown.host.bounding_box()
    assert before and now and abs(now["y"] - before["y"]) < 5  # the page has not scrolled


@of_each_kind
def test_the_picture_is_dragged_by_mouse(case: Case, anew: Any) -> None:
    shown: Shown = anew()
    for line in case.about["mouse"]:
        before = shown.reset()
        shown.follow(line)
        assert shown.look().picture != before.picture


@at_night(lambda case: case.name not in HELD)
def test_on_a_phone_a_finger_drags_and_a_thumb_scrolls_past(case: Case, anew: Any) -> None:
    shown: Shown = anew(PHONE)
    assert shown.host.evaluate("(host) => host.scrollWidth <= host.clientWidth")
    before = shown.look()
    shown.follow(case.about["finger"])
    held = shown.look()
    assert held.picture != before.picture
    sliders = [one for one in shown.host.get_by_role("slider").all() if one.is_visible()]
    for target in [shown.canvas, *sliders[:1]]:
        target.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        settle(shown.page)
        box = target.bounding_box()
        assert box
        x, y = box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2
        finger(shown.page, [(x, y - step) for step in (0, 4, 12, 30, 60, 100)])
        assert shown.look().state == held.state
    for slider in sliders[:1]:
        slider.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        settle(shown.page)
        box = slider.bounding_box()
        assert box
        middle = box["y"] + box["height"] / 2
        finger(shown.page, [(box["x"] + part * box["width"], middle) for part in (0.5, 0.6, 0.7)])
        assert shown.look().state != held.state


@of_each_kind
def test_its_story_its_task_and_its_link(case: Case, anew: Any) -> None:
    shown: Shown = anew()
    states = case.story.states(case.start)
    for step, state in states:
        expect(shown.says).to_have_text(step.says)
        assert shown.look().state == state
        shown.button("Next").press("Enter")
    task = case.story.task.says
    expect(shown.says).to_have_text(f"Your turn: {task}")
    expect(shown.button("Next")).to_be_disabled()
    shown.button("Back").press("Enter")
    expect(shown.says).to_have_text(step.says)
    assert shown.look().state == state
    shown.button("Next").press("Enter")
    shown.follow(case.about["task"], last=False)
    expect(shown.says).to_have_text(f"Your turn: {task}")
    shown.act(*case.about["task"].split("; ")[-1].split(" ", 1))
    expect(shown.says).to_contain_text("✓ Found: ")

    done, address = shown.look(), urlsplit(shown.address)
    renew(shown.page, f"?{address.query}#{address.fragment}")
    shown = case.on(shown.page)
    same = shown.until(
        lambda now: "" if (now.state, now.reading) == (done.state, done.reading) else "not restored"
    )
    shown.button("Next").press("Enter")
    assert shown.reset().picture != same.picture
    expect(shown.says).to_have_text(states[0][0].says)
    if "refused" in case.about:
        query = quote(case.about["refused"], safe="=&")
        renew(shown.page, f"?{query}#{case.about['id']}")
        assert case.on(shown.page).look().state == case.start


@at_night(lambda case: case.name not in HELD, [one for one in CASES if "play" in one.about])
def test_it_plays(case: Case, anew: Any) -> None:
    """Check that Step works even with reduced motion, and that pressing a key stops Play."""
    shown: Shown = anew()
    trait = case.about["play"]
    before = shown.look()
    for _ in range(2):
        shown.button("Step").press("Enter")
        now = shown.look()
        assert now.state[trait] != before.state[trait]
        before = now
    shown.page.emulate_media(reduced_motion="no-preference")
    shown.button("Play").press("Enter")
    shown.until(lambda now: "" if now.state[trait] != before.state[trait] else "it does not run")
    shown.canvas.press("ArrowDown")
    expect(shown.button("Play")).to_be_visible()
    shown.page.emulate_media(reduced_motion="reduce")
    shown.look()


FIRST = [one for one in CASES if one.name in LINKS]


@at_night(lambda case: "long" in case.about, FIRST)
def test_a_link_shared_long_ago_brings_its_state(case: Case, anew: Any) -> None:
    """Check that each link in contract.yml still restores the explorer state recorded for it."""
    link, state = urlsplit(LINKS[case.name]["link"]), LINKS[case.name]["state"]
    assert link.fragment == case.about["id"], contract.MEANT
    if link.path != case.path:  # test_moved.py tests that such a link leads to the new page
        moves = moved.load_moves(moved.TABLE.read_text("utf-8"))[link.path.removesuffix(".html")]
        assert f"{moves[link.fragment].partition('#')[0]}.html" == case.path, contract.MEANT
    now = anew(address=f"?{link.query}#{link.fragment}").look().state
    assert {**now, **state} == now, contract.MEANT
