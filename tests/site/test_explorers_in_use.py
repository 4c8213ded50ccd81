"""The contract that every explorer keeps with its reader, whatever its kind.

explorers.yml says where one of each kind stands, which keys and drags move what, and how its task
is done. The state is what a reader's link holds; what is drawn and said of a state is right by
tests/explorers and tests/vectors, and the same when the link is followed.
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
from built import PHONE, SITE, WIDE, parsed
from hands import UNFOLDED, UNSHUT, finger, settle, wait_for_promise
from playwright.sync_api import Browser, Locator, Page, expect
from visits import opened, renew

from pe_lib.course import explorers

TABLE = contract.WHERE
LINKS = contract.recorded()["links"]

# Nothing but the explorers, and room to scroll: the whole page is looked at in test_pages
ALONE = """() => {
  for (const one of document.querySelectorAll("body *")) {
    if (one.matches(".om-explorer")) one.style.marginBlock = "1000px";
    else if (!one.closest(".om-explorer") && !one.querySelector(".om-explorer"))
      one.style.display = "none";
  }
}"""

# After two frames what was changed has been painted: the link, what is said, what is drawn
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

# A busy machine moves the finger late; to drag.mjs one that stays 350 ms is one that takes hold
UNHURRIED = """() => {
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...rest) => wait(call, ms === 350 ? 60_000 : ms, ...rest);
}"""

PATIENT = 200
KEYS = {"checkbox": "Space", "range": "ArrowRight", "button": "Enter"}  # others: ArrowDown
ROLES = {"choose": "radio", "set": "slider",
         "select": "combobox", "type": "spinbutton", "tick": "checkbox",
         "untick": "checkbox"}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """What a reader has of an explorer at a moment."""

    state: dict[str, Any]
    reading: str
    picture: str


class Case:
    """An explorer where it stands: its line of the table, and the state it was built with."""

    def __init__(self, name: str, about: dict[str, Any]) -> None:
        self.name, self.about, self.kind = name, about, name.split("-")[0]
        self.path = f"chapters/{about['page']}.html"
        self.type = explorers.of_kind(self.kind)

    def __str__(self) -> str:
        """Page and name: what stands on a page goes to one worker (conftest.py)."""
        return f"{self.path} {self.name}"

    @cached_property
    def start(self) -> dict[str, Any]:
        (host,) = parsed(SITE / self.path).select(f"#{self.about['id']}")
        found: dict[str, Any] = json.loads(str(host["data-state"]))
        return found

    @property
    def story(self) -> Any:
        return self.type.stories[self.start["story"]]

    def on(self, page: Page) -> "Shown":
        host = page.locator(f"#{self.about['id']}")
        host.evaluate(UNSHUT)
        host.scroll_into_view_if_needed()
        expect(host.locator(".om-live .ex-reading")).to_be_visible()
        host.evaluate(UNFOLDED)
        return Shown(self, host)


class Shown:
    """An explorer that runs, and a reader's hands on it."""

    def __init__(self, case: Case, host: Locator) -> None:
        self.case, self.host, self.page = case, host, host.page
        self.held = host.element_handle()  # a locator would look for it each time
        scene = host.locator(".ex-scene")
        self.canvas = scene.locator(".ex-canvas")
        self.says = host.locator(".ex-says")

    def button(self, name: str) -> Locator:
        return self.host.get_by_role("button", name=name, exact=True)

    def look(self) -> Look:
        self.address, reading, picture = wait_for_promise(self.held, LOOK)
        start = self.case.start
        changed = {
            name: text if isinstance(start[name], str) else json.loads(text)
            for name, text in parse_qsl(urlsplit(self.address).query)
            if name in start  # not the story's step
        }
        return Look(start | changed, reading, picture)

    def until(self, fits: Callable[[Look], str]) -> Look:
        """The look in which nothing is wrong any more."""
        for _ in range(PATIENT * (10 if "long" in self.case.about else 1)):
            if not (wrong := fits(now := self.look())):
                return now
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{wrong}\n{now.reading}\n{now.state}")

    def holds(self, expected: str) -> Look:
        """A look of a state with this trait, such as `position=5`, or nearly so: `position~5`."""
        near = "=" not in expected
        name, text = expected.split("~" if near else "=", 1)
        given = self.case.start[name]
        wanted = text if isinstance(given, str) else json.loads(text)
        wanted = pytest.approx(wanted, rel=0.03) if near else wanted
        return self.until(lambda now: "" if now.state[name] == wanted else f"not {expected}")

    def follow(self, steps: str, last: bool = True) -> None:
        """What a reader does, as a line of the table says it; without the last step, or with it."""
        settle(self.page)  # a reader sees what stands there now
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
        """Mouse or finger over points of the picture; under a finger the page stays."""
        box = self.centred()
        there = [(box["x"] + x, box["y"] + y) for x, y in points]
        if by == "finger":
            finger(self.page, there)
            moved = self.canvas.bounding_box()["y"] - box["y"]
            assert abs(moved) < 25  # what is said may have become a line longer
        else:
            self.page.mouse.move(*there[0])
            self.page.mouse.down()
            for x, y in there:
                self.page.mouse.move(x, y)
            self.page.mouse.up()
            before = self.look().state  # the picture of a training may still come
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            assert self.look().state == before  # it has let go

    def centred(self) -> Any:
        """The canvas's place once it lies in the middle of the screen and stays there."""
        before = None
        while True:
            self.held.evaluate(CENTRED)
            settle(self.page)
            if (box := self.canvas.bounding_box()) == before:
                return box
            before = box

    def reset(self) -> Look:
        """Where something was changed; else there is no way back."""
        back = self.host.get_by_role("button", name=re.compile("Reset|Back to step"))
        if self.look().state != self.case.start:
            back.press("Enter")
        self.page.evaluate("document.activeElement.blur()")
        return self.until(lambda now: "" if now.state == self.case.start else "not reset")


CASES = sorted((Case(*line) for line in TABLE.items()), key=lambda case: case.path)


# A table, hands, vectors; how a picture is held by a finger is one script for all kinds
HELD = ["attention", "grid", "heatmap"]


def at_night(later: Callable[[Case], bool], cases: Sequence[Case] = CASES) -> pytest.MarkDecorator:
    """These cases, some of them later."""
    params = [pytest.param(one, marks=[pytest.mark.nightly] * later(one)) for one in cases]
    return pytest.mark.parametrize("case", params, indirect=True, ids=str)


# A kind's second case is there for its story, whose states are tried without a browser, too; what
# takes long has tests of its own
of_each_kind = at_night(lambda case: case.name != case.kind or "long" in case.about)


@pytest.fixture(scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="module")
def visited() -> Iterator[dict[str, tuple[Page, Any, list[str]]]]:
    """The page that is open, by its path."""
    pages: dict[str, tuple[Page, Any, list[str]]] = {}
    yield pages
    for page, *_ in pages.values():
        page.context.close()


@pytest.fixture
def anew(case: Case, visited: Any, browser: Browser, server: str) -> Iterator[Callable[..., Shown]]:
    """The explorer as on a page just opened, wide or on a phone; who reads wants no motion."""

    def fresh(look: dict[str, int] = WIDE, address: str = "") -> Shown:
        if case.path not in visited:
            for page, *_ in visited.values():
                page.context.close()
            visited.clear()
            options = {"reduced_motion": "reduce", "permissions": ["clipboard-write"]}
            page, problems = opened(browser, server, case.path, **options)
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

    yield fresh
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
        assert seen or "quiet" in case.about
        # a choice may hide other controls, or leave them nothing to change
        before = now if kind == "range" else shown.reset()
    shown.reset()
    shown.canvas.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    before = shown.host.bounding_box()
    shown.follow(case.about["keys"])
    shown.look()
    now = shown.host.bounding_box()
    assert before and now and abs(now["y"] - before["y"]) < 5  # the picture moved, not the page


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
    """Step by step for who wants no motion; else until a hand stops it."""
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
    """And what is said of it is what pe_lib computes of that state."""
    link, state = urlsplit(LINKS[case.name]["link"]), LINKS[case.name]["state"]
    assert (link.path, link.fragment) == (case.path, case.about["id"]), contract.MEANT
    now = anew(address=f"?{link.query}#{link.fragment}").look().state
    assert {**now, **state} == now, contract.MEANT
