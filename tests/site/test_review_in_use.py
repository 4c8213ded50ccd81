"""Test that questions are asked again in later chapters and, on a schedule, on the Review page."""

import json
import re
from datetime import datetime, timedelta

import pytest
from built import SITE, Open, parse_page
from playwright.sync_api import Locator, Page, expect
from test_quiz_in_use import format_answer
from visits import OPEN_CARDS

from _ext.quizzing import reviews
from _ext.quizzing.quiz import SEEDS, describe_question, page_questions, storage_key
from pe_lib.course.grading.sheet import Question, load, names

CHAPTER, REVIEW = "chapters/08-rotary.html", "chapters/appendix-exercises.html"
ALL = [question for name in names() for question in page_questions(load(name))]
BY_KEY = {storage_key(question): question for question in ALL}
LATER = [name for name in names() if int(name[:2]) >= reviews.FIRST]
START = datetime(2030, 3, 1, 20, 0)  # in the evening
WAITS = [1, 3, 7, 21]


def question(form: Locator) -> Question:
    return BY_KEY[str(form.get_attribute("data-key"))]


def variant(form: Locator) -> int:
    """Return the index of the set of numbers that a question's prompt contains."""
    given = form.locator("xpath=..").locator(".om-given").all_text_contents()
    every = [one["given"] for one in describe_question(question(form))["variants"]]
    return every.index(given) if given else 0


def answer(form: Locator, right: bool = True) -> None:
    known = describe_question(question(form))["variants"][variant(form)]["right"]
    if question(form).kind == "choice":
        values = form.get_by_role("radio").evaluate_all("(all) => all.map((one) => one.value)")
        chosen = known if right else next(value for value in values if value != known)
        form.locator(f"input[value={chosen}]").check()
    else:
        form.get_by_role("textbox").fill(format_answer(known) if right else "987654.5")
    form.get_by_role("button", name="Check").click()
    expect(form.get_by_role("status")).to_contain_text("✓ Right." if right else "✗ Not yet.")


def open_warm_up(page: Page) -> Locator:
    """Open the box with three warm-up questions, and return their forms once they are loaded."""
    # After a reload, the box with the warm-up questions is still open.
    if not page.evaluate("document.querySelector('.om-warmup').open"):
        page.locator(".om-warmup > summary").click()
    forms = page.locator(".om-again form")
    expect(forms).to_have_count(3)
    return forms


# --- Questions at the beginning of a chapter ---


@pytest.mark.parametrize("name", LATER)
def test_three_questions_of_earlier_chapters_lead_the_list(name: str) -> None:
    page = parse_page(SITE / "chapters" / f"{name}.html")
    (box,) = page.select(".om-warmup")
    keys = [key for key, _ in json.loads(str(box["data-questions"]))]
    assert {BY_KEY[key].sheet for key in keys} == set(names()[: int(name[:2])])
    assert len(set(keys)) == len(keys)
    sheets = [BY_KEY[key].sheet for key in keys[:3]]
    assert len(set(sheets)) == 3 and sheets == sorted(sheets, reverse=True)
    assert int(sheets[0][:2]) == int(name[:2]) - 1
    for key in keys[:3]:
        numbered = any(one.given_code for one in page_questions(load(BY_KEY[key].sheet)))
        assert bool(BY_KEY[key].given_code) == numbered, "its numbers can change"
    assert box.find_next("h2") == page.select("article h2")[0]


def test_every_question_is_there_to_be_asked_again() -> None:
    files = {path.name for path in (SITE / "_static" / reviews.FOLDER).iterdir()}
    assert {reviews.script_name(one) for one in ALL} == files
    for one in ALL:
        text = (SITE / "_static" / reviews.FOLDER / reviews.script_name(one)).read_text("utf-8")
        key, html = re.fullmatch(r"\(.*?\)\[(\".*?\")\] = (.*);\n", text, re.DOTALL).groups()  # type: ignore[union-attr]
        assert BY_KEY[json.loads(key)] is one
        assert json.loads(html).count("<form") == 1
        assert not re.search(r"<section|<h3|noscript|answer-|aria-describedby=.{1,2}card", html)
        assert not [m for m in one.mistakes if m.text[:40] in json.loads(html)]


def test_they_have_other_numbers_than_those_that_were_answered(open_page: Open) -> None:
    page = open_page(CHAPTER)
    fetched = (
        "performance.getEntriesByType('resource')"
        ".filter((one) => one.name.includes('/questions/')).length"
    )
    assert page.evaluate(fetched) == 0  # no question is loaded until the box is opened
    first = question(open_warm_up(page).first)
    assert page.evaluate(fetched) == 3
    assert first.given_code
    for last in (0, len(SEEDS) - 1):
        record = {storage_key(first): {"variant": last, "got": True}}
        page.evaluate("(all) => localStorage.setItem('om-answers', JSON.stringify(all))", record)
        page.reload()
        assert variant(open_warm_up(page).first) == (last + 1) % len(SEEDS)


def test_mistakes_come_first_until_they_are_mended_and_give_no_points(open_page: Open) -> None:
    page = open_page("chapters/02-the-formula.html")
    page.evaluate(OPEN_CARDS)
    form = page.locator(".om-quiz").nth(3)
    missed = question(form)
    answer(form, right=False)
    page.goto(page.url.replace("02-the-formula", "08-rotary"))
    answers = page.evaluate("localStorage.getItem('om-answers')")
    again = open_warm_up(page).first
    assert question(again) is missed
    answer(again)
    assert page.evaluate("localStorage.getItem('om-answers')") == answers
    expect(page.locator("p.om-points")).to_contain_text(re.compile("^0 of"))
    page.reload()
    assert missed not in [question(one) for one in open_warm_up(page).all()]
    with page.expect_navigation():
        page.locator(".om-again a").first.click()
    expect(page.locator("section:target h3")).to_be_in_viewport()


# --- Questions on the schedule of the Review page ---


def on(page: Page, moment: datetime) -> Locator:
    """Reload the Review page with the clock set to `moment`, and return its message."""
    page.clock.set_fixed_time(moment)
    page.reload()
    status = page.locator(".om-due")
    expect(status).to_be_visible()
    return status


def test_a_right_answer_comes_back_after_1_3_7_and_21_days(open_page: Open) -> None:
    page = open_page(REVIEW)
    page.clock.set_fixed_time(START)
    page.goto(page.url.replace(REVIEW, "chapters/02-the-formula.html"))
    answer(page.locator(".om-quiz").first)
    page.goto(page.url.replace("chapters/02-the-formula.html", REVIEW))
    moment = START
    for wait in WAITS:
        soon = "tomorrow" if wait == 1 else f"in {wait} days"
        expect(page.locator(".om-due")).to_have_text(
            f"Nothing is due. 1 more comes back later, the next {soon}."
        )
        expect(on(page, moment + timedelta(wait - 1))).to_contain_text("Nothing is due.")
        # A question is due from the morning of its day, whatever time the last answer was given.
        moment = (moment + timedelta(wait)).replace(hour=8)
        expect(on(page, moment)).to_have_text("1 question is due.")
        answer(page.locator(".om-review .om-again form"))
    expect(page.locator(".om-due")).to_have_text(
        "Nothing is due. 1 question answered right for a month rests."
    )


def test_a_mistake_comes_back_at_once_and_begins_anew(open_page: Open) -> None:
    page = open_page("chapters/02-the-formula.html")
    page.clock.set_fixed_time(START)
    page.reload()
    page.evaluate(OPEN_CARDS)
    for n in (0, 1):
        answer(page.locator(".om-quiz").nth(n), right=bool(n))
    page.goto(page.url.replace("chapters/02-the-formula.html", "index.html"))
    page.get_by_role("link", name="Questions are back").click()
    expect(page.locator(".om-due")).to_contain_text("1 question is due. 1 more comes back later")
    form = page.locator(".om-review .om-again form")
    answer(form, right=False)
    expect(page.locator(".om-due")).to_contain_text("1 question is due.")
    answer(form)
    expect(page.locator(".om-due")).to_contain_text("Nothing is due. 2 more come back later")
    expect(on(page, START + timedelta(1))).to_have_text("2 questions are due.")
    first = question(page.locator(".om-review .om-again form"))
    page.locator(".om-review").get_by_role("button", name="Another question").click()
    second = page.locator(f".om-review .om-again form:not([data-key$=' {first.name}'])")
    answer(second)
    page.locator(".om-review").get_by_role("button", name="Next question").click()
    expect(page.locator(f".om-review .om-again form[data-key$=' {first.name}']")).to_be_visible()
