"""Guesses: written below the question, kept, and shown again where the answer was read."""

import json
import re

import pytest
from built import CHAPTERS, PHONE, ROOT, SITE, Open, parsed
from playwright.sync_api import expect

PAGE = "chapters/04-sine-and-cosine.html"
GUESS = "13, I think\nor 14 <b>"


def asked(path: str) -> int:
    """How often a chapter asks for a guess."""
    cells = json.loads((ROOT / path.replace(".html", ".ipynb")).read_text("utf-8"))["cells"]
    return len(
        re.findall(
            r"^> \*\*Predict\.\*\*", "".join("".join(c["source"]) + "\n" for c in cells), re.M
        )
    )


@pytest.mark.parametrize("path", [page for page in CHAPTERS if page.startswith("chapters/0")])
def test_every_question_has_a_field(open_page: Open, path: str) -> None:
    page = open_page(path)
    assert page.locator("blockquote .om-guess textarea").count() == asked(path) > 0
    assert page.locator(".om-guessed").count() == 0


def test_a_guess_is_kept_and_shown_where_the_answer_is(open_page: Open) -> None:
    page = open_page(PAGE)
    fields = page.get_by_label("Your guess")
    fields.nth(0).fill(GUESS)
    fields.nth(1).fill("yes")
    for _ in range(2):
        again = page.locator(".om-guessed")
        expect(again.nth(0)).to_have_text(f"You guessed: {GUESS}")
        expect(again.nth(1)).to_have_text("You guessed: yes")
        # at the head of a chapter the next section answers; elsewhere the question's own
        where = again.evaluate_all("(all) => all.map((line) => line.closest('section').id)")
        own = fields.evaluate_all("(all) => all.map((field) => field.closest('section').id)")
        assert own[0] == "predict-first" and where[0] == "by-hand-22-is-nearly-seven-half-turns"
        assert where[1] == own[1]
        below = again.nth(1).evaluate(
            "(line) => line.compareDocumentPosition(document.querySelectorAll('.om-guess')[1])"
        )
        assert below & 2
        page.reload()
    assert fields.nth(0).input_value() == GUESS
    fields.nth(0).fill("")
    page.reload()
    assert fields.nth(0).input_value() == ""
    expect(page.locator(".om-guessed")).to_have_count(1)


def test_without_javascript_and_on_paper_there_is_nothing_of_it(open_page: Open) -> None:
    assert not parsed(SITE / PAGE).select(".om-guess, textarea")
    page = open_page(PAGE)
    page.get_by_label("Your guess").first.fill("13")
    page.emulate_media(media="print")
    for part in (".om-guess", ".om-guessed", ".om-points"):
        assert page.locator(part).first.is_hidden(), part


def test_on_a_phone_it_fits(open_page: Open) -> None:
    page = open_page(PAGE, viewport=PHONE, has_touch=True, is_mobile=True)
    field = page.get_by_label("Your guess").first
    field.fill("a" * 200)
    page.locator(".om-guessed").scroll_into_view_if_needed()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = field.bounding_box()
    assert box and box["height"] >= 44
