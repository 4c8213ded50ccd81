"""What scripts put around the text is said in the language of the page: nothing goes around `say`.

As with explorers, the page is given a language of brackets. What was not in the page as it was
built has been made by a script, and must stand between them, but for what the page itself tells.
"""

import json
import re
from functools import cache
from typing import Any

import pytest
from built import SITE, Open, parsed
from playwright.sync_api import Page, expect
from test_texts_in_use import _WORD, BRACKETS, outside

from _ext.quiz import kept_as, on_page
from pe_lib.course.grading.sheet import load, names

CHAPTER = "chapters/08-rotary-and-biases.html"
READ = ["aria-label", "title", "placeholder", "alt"]
# words of the page's own: exercises and explorers have their tests
MADE = """(attributes) => {
  const others = ".om-explorer, .om-quiz, .om-search-results, .katex, noscript, script, style";
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest(others)) continue;
    found.push(...attributes.map((name) => element.getAttribute(name) ?? ""));
    for (const node of element.childNodes) if (node.nodeType === 3) found.push(node.data); // text
  }
  return found;
}"""


@cache
def built(path: str) -> set[str]:
    """The texts of a page as it was built, and the words that it gives its scripts."""
    page = parsed(SITE / path)
    found = [str(text) for text in page.find_all(string=True)]
    for element in page.find_all(True):
        found += [str(value) for name, value in element.attrs.items() if name in READ]
    return {" ".join(text.split()) for text in found}


def unsaid(page: Page, path: str, *own: str) -> set[str]:
    """The words that scripts have put into a page without `say`; `own` are its visitor's."""
    known, data = built(path), set(_WORD.findall(" ".join(own)))
    for element in parsed(SITE / path).select("[data-questions], [data-prediction]"):
        data |= {word for value in element.attrs.values() for word in _WORD.findall(str(value))}
    shown = [" ".join(text.split()) for text in page.evaluate(MADE, READ)]
    assert any("⟦" in text for text in shown), "nothing was said at all"
    new = [text for text in shown if text not in known]
    new = [re.sub("⟦[^⟧]*$|^[^⟦]*⟧", "", outside(text)) for text in new]  # a link parts a sentence
    return {word for text in new for word in _WORD.findall(text)} - data


@pytest.fixture
def visit(open_page: Open) -> Any:
    """Opens a page in the language of brackets, in a browser that has kept these records."""

    def open_(path: str, **records: object) -> Page:
        page = open_page("404.html", reduced_motion="reduce", permissions=["clipboard-write"])
        for name, value in records.items():
            page.evaluate(
                "([n, v]) => localStorage.setItem(n, v)", [f"om-{name}", json.dumps(value)]
            )
        page.add_init_script(BRACKETS)
        page.goto(page.url.replace("404.html", path))
        return page

    return open_


def test_the_frame_of_a_page(visit: Any) -> None:
    page: Page = visit(CHAPTER)
    page.get_by_role("button", name="⟦Dark⟧").click()
    page.locator(".om-copy >> visible=true").first.click()
    expect(page.locator(".om-copy[data-done]")).to_have_text("⟦copied⟧")
    page.locator(".om-read input").check()
    expect(page.locator(".om-menu .om-tick")).to_have_attribute("aria-label", "⟦(read)⟧")
    page.locator(".om-warmup summary").click()
    expect(page.locator(".om-warmup .om-again")).to_have_count(3)
    expect(page.locator("p.om-points")).to_contain_text("on this page.⟧")
    page.set_viewport_size({"width": 300, "height": 700})  # code, formulas and tables scroll now
    expect(page.locator("pre[tabindex]").first).to_have_attribute("aria-label", "⟦Code⟧")
    prompts = " ".join(page.locator(".om-again").all_text_contents())
    assert not unsaid(page, CHAPTER, prompts)


def test_the_search(visit: Any) -> None:
    page: Page = visit(CHAPTER)
    page.keyboard.press("/")
    for words, told in (("rotary", "result⟧"), ("qqqqzzzz", "⟦Nothing found.⟧")):
        page.get_by_placeholder("⟦Search the course⟧").fill(words)
        expect(page.locator(".om-search-status")).to_contain_text(told)
        assert not unsaid(page, CHAPTER)


def test_a_guess_in_all_its_states(visit: Any) -> None:
    page: Page = visit(CHAPTER)
    numbers = {}
    for host in parsed(SITE / CHAPTER).select(".om-predicted"):
        about = json.loads(str(host["data-prediction"]))
        numbers[about["number"]] = about
    for number, about in numbers.items():
        form = page.locator(f"form[data-prediction='{number}']")
        line = page.locator(f".om-predicted[data-prediction*='\"{number}\"'] .om-result")
        assert not unsaid(page, CHAPTER)
        if about["choices"]:
            for n in range(len(about["choices"])):
                form.get_by_role("radio").nth(n).check()
                expect(line).to_contain_text("⟦You guessed")
                assert not unsaid(page, CHAPTER)
        else:
            it = about["values"][0]
            for guess in ("word", 1.004 * it, 1.05 * it, 0.95 * it, 0.8 * it, 1.3 * it, it / 9,
                          9 * it, 1e9 * it, -it, 0, it):  # fmt: skip
                form.get_by_role("textbox").fill(str(guess))
                assert not unsaid(page, CHAPTER, "word")
        line.scroll_into_view_if_needed()
        expect(form.locator(".om-guess-note")).to_contain_text("You have met the result")


def test_the_page_on_review_the_points_and_the_way_back(visit: Any) -> None:
    questions = [q for name in names() for q in on_page(load(name))][:4]
    now, day = 1_893_456_000_000, 86_400_000  # long ago, and long from now
    reviews = {kept_as(q): {"step": step, "at": at, "variant": 0} for q, step, at in
               zip(questions, (1, 1, 5, 2), (0, now, now, now + day), strict=True)}  # fmt: skip
    answers = {kept_as(q): {"got": q is questions[0], "again": True} for q in questions}
    place = {"page": CHAPTER, "title": "Rotary", "section": "Pairs", "id": "pairs"}
    wanted = {"chapters/appendix-review.html": ".om-due", "index.html": "article a >> text=⟦",
              "chapters/appendix-exercises.html": "div.om-points button"}  # fmt: skip
    for path, made in wanted.items():
        page: Page = visit(path, reviews=reviews, answers=answers, place=place)
        expect(page.locator(made).first).to_contain_text("⟦")
        own = " ".join([q.title for q in questions] + page.locator(".om-again").all_text_contents())
        assert not unsaid(page, path, own, "Rotary Pairs")


@pytest.mark.parametrize("path", ["chapters/appendix-audit.html", "chapters/appendix-models.html"])
def test_a_filter_says_how_much_is_left(visit: Any, path: str) -> None:
    page: Page = visit(path)
    page.get_by_label("Words or a number").fill("rotary")
    expect(page.locator(".om-filter [role=status]")).to_contain_text("⟦")
    assert not unsaid(page, path)
