"""Test that readers can answer the questions at the end of a chapter's page."""

import json
import re
from typing import Any

import pytest
from built import PHONE, SITE, Open
from playwright.sync_api import Page, expect
from visits import OPEN_CARDS

from _ext.quizzing.quiz import SEEDS, describe_question, storage_key
from pe_lib.course.grading.sheet import load, names

PAGE = "chapters/04-sine-and-cosine.html"
QUESTIONS = {
    name: [q for q in load(name).questions.values() if q.kind != "code"] for name in names()
}
ASKED = QUESTIONS["04-sine-and-cosine"]
FIRST = ASKED[0]

# Answer the question at `place` with set number `variant` of numbers, and return the page's reply.
ANSWER = """([place, variant, answer]) => {
  const form = document.querySelectorAll(".om-quiz")[place];
  const other = [...form.querySelectorAll("button")].find((b) => b.textContent === "Other numbers");
  while (Number(form.dataset.at ?? 0) !== variant) {
    other.click();
    form.dataset.at = (Number(form.dataset.at ?? 0) + 1) % 5;
  }
  const field = form.querySelector("input[type=text]");
  if (field) field.value = answer;
  else for (const radio of form.querySelectorAll("input")) radio.checked = radio.value === answer;
  form.requestSubmit();
  return form.querySelector(".om-said").textContent;
}"""


def format_answer(value: Any) -> str:
    """Return an answer as the text that a reader would type."""
    return value if isinstance(value, str) else " ".join(f"{x:.10g}" for x in value)


def test_every_question_with_every_set_of_numbers_is_judged(open_page: Open) -> None:
    """Check that the page judges right and wrong answers correctly for every set of numbers."""
    page = open_page(PAGE)
    assert page.locator(".om-quiz").count() == len(ASKED) > 0
    for place, question in enumerate(ASKED):
        for seed in SEEDS if question.given_code else range(1):
            known = describe_question(question)["variants"][seed]
            wrong = [v for v in known["wrong"].values() if question.kind == "choice" or v]
            assert (
                page.evaluate(ANSWER, [place, seed, format_answer(known["right"])]) == "✓ Right. "
            )
            for value in wrong:
                assert page.evaluate(ANSWER, [place, seed, format_answer(value)]).startswith(
                    "✗ Not yet."
                )


def test_answers_hints_and_mistakes_are_not_there_to_read() -> None:
    for name, questions in QUESTIONS.items():
        text = (SITE / "chapters" / f"{name}.html").read_text("utf-8")
        for question in questions:
            for secret in [*question.hints, *(mistake.text for mistake in question.mistakes)]:
                assert secret[:40] not in text


@pytest.fixture
def page(open_page: Open) -> Page:
    opened = open_page(PAGE)
    opened.evaluate(OPEN_CARDS)
    return opened


def test_by_keyboard_alone(page: Page) -> None:
    page.get_by_label("Your answer").first.focus()
    page.keyboard.type("945")
    page.keyboard.press("Enter")
    form = page.locator(".om-quiz").first
    expect(form.get_by_role("status")).to_contain_text("✗ Not yet.")
    for name in ("Check", "Hint", "Other numbers"):
        page.keyboard.press("Tab")
        expect(form.get_by_role("button", name=name)).to_be_focused()


def test_hints_come_one_by_one_and_stay_and_the_answer_then_earns_nothing(page: Page) -> None:
    form = page.locator(".om-quiz").first
    hints, said = form.locator(".om-hints p"), form.get_by_role("status")
    for number, _ in enumerate(FIRST.hints, start=1):
        form.get_by_role("button", name="Hint").click()
        expect(hints).to_have_count(number)
        expect(hints.last).to_contain_text(f"Hint {number}.")
        assert "✗ Not yet." in page.evaluate(ANSWER, [0, 0, "987654"]), "nor does a check hide them"
        expect(hints).to_have_count(number)
    form.get_by_role("button", name="Show the answer").click()
    first, second = (
        format_answer(describe_question(FIRST)["variants"][n]["right"]) for n in (0, 1)
    )
    expect(said).to_contain_text(first)
    assert "it earns no points" in page.evaluate(ANSWER, [0, 0, first])
    page.reload()
    page.evaluate(OPEN_CARDS)
    expect(hints).to_have_count(len(FIRST.hints))
    assert "it earns no points" in page.evaluate(ANSWER, [0, 0, first])
    expect(page.locator("p.om-points")).to_contain_text("0 of")
    assert page.evaluate(ANSWER, [0, 1, second]) == "✓ Right. "
    expect(page.locator("p.om-points")).to_contain_text(f"{FIRST.total:g} of")


def test_an_answer_may_be_written_in_several_ways(page: Page) -> None:
    said = lambda place, typed: page.evaluate(ANSWER, [place, 0, typed])  # noqa: E731
    right = describe_question(FIRST)["variants"][0]["right"][0]
    for write in ("{:.0f}", " {:.0f} ", "{:,.0f}", "{:.1f}", "+{:.0f}", "{:e}"):
        assert said(0, write.format(right)) == "✓ Right. ", write
    for typed in ("abc", "1/2/3", "--5", "0x10"):
        assert "This is not a number." in said(0, typed), typed
    assert "Not answered yet." in said(0, "")
    assert "Your answer is infinite." in said(0, "1e999")
    where = [q.kind for q in ASKED].index("set")
    numbers = [f"{x:g}" for x in reversed(describe_question(ASKED[where])["variants"][0]["right"])]
    for between in (" ", ", ", ",", ";"):
        assert said(where, between.join(numbers)) == "✓ Right. ", between
    assert said(where, f"[{' '.join(numbers)}]") == "✓ Right. "
    two_not_four = said(where, "1,023 -1,669")
    assert two_not_four.startswith("✗ Not yet. None of your numbers fits. ")


# --- What the browser stores ---


def state(page: Page) -> list[object]:
    """Return the answers, messages and prompts that the first four questions on the page show."""
    return page.locator(".om-quiz").evaluate_all("""(forms) => forms.slice(0, 4).map((form) => [
      form.querySelector("input[type=text]")?.value ?? form.querySelector("input:checked")?.value,
      form.querySelector(".om-said").textContent,
      form.querySelector(".om-said").dataset.kind,
      form.elements.hint.textContent,
      form.previousElementSibling.textContent])""")


def test_answers_and_what_was_said_of_them_are_there_on_return(page: Page) -> None:
    forms = page.locator(".om-quiz")
    assert forms.nth(2).get_by_role("radio").count() > 1
    forms.nth(0).get_by_role("button", name="Other numbers").click()
    forms.nth(0).get_by_label("Your answer").fill("945")
    forms.nth(0).get_by_role("button", name="Check").click()
    forms.nth(1).get_by_role("button", name="Hint").click()
    forms.nth(2).get_by_role("radio").last.check()
    forms.nth(2).get_by_role("button", name="Check").click()
    forms.nth(3).get_by_role("textbox").fill("1 2")  # the answer has been typed but not yet checked
    before = state(page)
    page.reload()
    assert state(page) == before
    assert before[0][0] == "945" and "Not yet" in str(before[0][1])  # type: ignore[index]
    # The next set of numbers is the one after the stored set.
    forms.nth(0).get_by_role("button", name="Other numbers").click()
    given = describe_question(FIRST)["variants"][2]["given"][0]
    expect(page.locator(".om-given").first).to_have_text(given)


def with_kept(page: Page, **records: dict[str, dict[str, Any]]) -> None:
    """Store these records in the browser, and then reload the page."""
    for record, entries in records.items():
        page.evaluate(
            "(all) => localStorage.setItem(...all)", [f"om-{record}", json.dumps(entries)]
        )
    page.reload()


def test_an_answer_to_a_question_that_was_changed_is_judged_anew(page: Page) -> None:
    """Check that answers to edited questions are judged again, and earned points are kept."""
    right = format_answer(describe_question(FIRST)["variants"][1]["right"])
    wrong = {"said": ["wrong", "✗ Not yet.", "As it was said."], "variant": 6, "hints": 9}
    hinted = {"said": ["note", "→ Hint 1 of 3.", "As it was said."], "answer": "1 2"}
    before = [wrong | {"answer": right}, wrong | {"got": True, "answer": "a_choice"},
              wrong | {"answer": "945"}, hinted]  # fmt: skip
    with_kept(page, answers={storage_key(q): one for q, one in zip(ASKED, before, strict=False)})
    assert [seen[:3] for seen in state(page)] == [  # type: ignore[index]
        [right, "✓ Right. ", "right"],
        ["a_choice", "○ This is not a number. Write it like 137, −0.4889, 1/256 or 2.5e3.", "open"],
        [None, "○ Not answered yet. ", "open"],  # the stored answer is no longer among the choices
        ["1 2", "", None],  # a stored hint is not shown, because it may be outdated
    ]
    points = FIRST.total + ASKED[1].total
    expect(page.locator("p.om-points")).to_contain_text(f"{points:g} of")
    told = state(page)
    page.reload()
    assert state(page) == told


def test_points_add_up_over_pages_with_what_to_repeat(page: Page) -> None:
    page.evaluate(ANSWER, [0, 0, format_answer(describe_question(FIRST)["variants"][0]["right"])])
    page.evaluate(ANSWER, [1, 0, "1"])
    last = page.locator(".om-quiz").last
    for _ in range(len(ASKED[-1].hints) + 1):  # the click after the last hint shows the solution
        last.locator("[name=hint]").click()
    page.get_by_role("link", name="All your points").click()
    box = page.locator("#points")
    everything = sum(question.total for name in QUESTIONS for question in QUESTIONS[name])
    expect(box).to_contain_text(f"{FIRST.total:g} of {everything:g} points on these pages")
    expect(box.get_by_role("listitem")).to_have_text(
        f"4. Sine and cosine: {FIRST.total:g} of {sum(q.total for q in ASKED):g} points;"
        f" to repeat: {ASKED[1].title}, {ASKED[-1].title}"
    )
    box.get_by_role("link", name=ASKED[1].title).click()
    expect(page.locator("#exercise-pair-position > h3")).to_be_in_viewport()
    page.evaluate(
        ANSWER, [1, 0, format_answer(describe_question(ASKED[1])["variants"][0]["right"])]
    )
    page.go_back()
    expect(box.get_by_role("listitem")).to_contain_text(ASKED[-1].title)
    expect(box.get_by_role("listitem")).not_to_contain_text(ASKED[1].title)


RECORDS = ["om-answers", "om-guesses", "om-open", "om-place", "om-read", "om-reviews", "om-seen"]


def test_everything_kept_is_forgotten_when_asked_twice(page: Page) -> None:
    page.evaluate(ANSWER, [0, 0, "945"])
    page.evaluate("omKept.keep('guesses', { '4.1': { asked: '', guess: 'never' } })")
    page.get_by_role("checkbox", name="I have read this page").check()
    page.wait_for_timeout(200)
    page.goto(page.url.replace(PAGE, "chapters/appendix-exercises.html"))
    kept = "Object.keys(localStorage).filter((key) => key.startsWith('om-')).sort()"
    assert page.evaluate(kept) == RECORDS
    forget = page.get_by_role("button", name="Forget everything")
    page.once("dialog", lambda dialog: dialog.dismiss())
    forget.click()
    assert page.evaluate(kept) == RECORDS
    page.once("dialog", lambda dialog: dialog.accept())
    forget.click()
    page.wait_for_url(re.compile(r"index\.html$"))
    assert page.evaluate(kept) == []
    expect(page.get_by_role("link", name="Start the course")).to_be_visible()


def test_a_phone_brings_up_digits_and_has_what_its_pad_lacks(open_page: Open) -> None:
    page = open_page(PAGE, viewport=PHONE, has_touch=True, is_mobile=True)
    page.evaluate(OPEN_CARDS)
    fields = page.locator(".om-quiz input[type=text]")
    modes = fields.evaluate_all("(all) => all.map((field) => field.inputMode)")
    assert set(modes) == {"decimal"}
    where = [q.kind for q in ASKED].index("set")
    form = page.locator(".om-quiz").nth(where)
    field = form.get_by_role("textbox")
    field.tap()
    field.press_sequentially("12")
    form.get_by_role("button", name="space").tap()
    form.get_by_role("button", name="minus").tap()
    field.press_sequentially("3")
    expect(field).to_have_value("12 -3")
    expect(field).to_be_focused()
