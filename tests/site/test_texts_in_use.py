"""Whatever a reader is told can be told in another language: nothing on a page goes around `say`.

The page is given a language in which every sentence stands between brackets. English words outside
of brackets are the words of examples, names, or words that were forgotten.
"""

import json
import re
from collections.abc import Iterator
from gettext import NullTranslations

import pytest
from built import CHAPTERS, SITE, Open, parsed
from hands import alive, settle
from playwright.sync_api import Locator

from _ext import quiz, reviews
from pe_lib.course import texts
from pe_lib.course.explorers._stacks import STACKS
from pe_lib.course.explorers.layers import MODELS
from pe_lib.course.grading.sheet import load, names
from tests.brackets import Brackets, outside

BRACKETS = """
window.omTexts = new Proxy({}, { get: (_, text) => `⟦${String(text)}⟧` });
Object.defineProperty(window, "omTexts", { writable: false }); // no table comes after it
window.omDrawn = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
  window.omDrawn.push([this.canvas, String(text)]);
  return fill.call(this, text, ...where);
};
"""
TOLD = """(host) => {
  const aria = ["label", "valuetext", "roledescription"].map((name) => `aria-${name}`);
  const read = [...aria, "title", "placeholder", "alt"];
  const live = host.querySelector(".om-live") ?? host;
  const found = window.omDrawn.filter(([canvas]) => live.contains(canvas)).map(([, text]) => text);
  for (const element of [live, ...live.querySelectorAll("*")])
    found.push(...read.map((name) => element.getAttribute(name) ?? ""));
  const data = (node) => node.data ?? Array.from(node.childNodes, data).join(" ");
  return [...found, data(live)]; // at once: within a sentence a place may be bold
}"""
NAMES = {
    "RoPE", "ALiBi", "NoPE", "YaRN", "NTK", "Llama", "Gemma", "Qwen", "BERT", "GPT", "ViT",
    *MODELS, *STACKS,
    "sinusoidal", "learned", "rotary", "alibi", "relative",  # as Python calls the schemes
    "sin", "cos",
}  # fmt: skip
_NAME = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(NAMES, key=len, reverse=True)))})\b")
_WORD = re.compile(r"[^\W\d_]{3,}")


def unsaid(host: Locator) -> set[str]:
    """The words that an explorer shows without `say`, but for those of its example."""
    own = set(_WORD.findall(str(host.get_attribute("data-state"))))
    shown = host.evaluate(TOLD)
    assert any("⟦" in text for text in shown), "nothing was said at all"
    words = {word for text in shown for word in _WORD.findall(_NAME.sub("", outside(text)))}
    return words - own


EXPLORERS = sorted({
    (path, str(host["data-kind"]))
    for path in CHAPTERS for host in parsed(SITE / path).select(".om-explorer")
})  # fmt: skip


@pytest.mark.parametrize(("path", "kind"), EXPLORERS)
def test_an_explorer_says_everything_in_the_language_of_its_page(
    open_page: Open, path: str, kind: str
) -> None:
    page = open_page("404.html", reduced_motion="reduce")
    page.add_init_script(BRACKETS)
    page.goto(page.url.replace("404.html", path))
    hosts = page.locator(f".om-explorer[data-kind={kind}]")
    for n in range(hosts.count()):
        host = alive(page, kind, n)
        for _ in range(8):  # through the whole story
            assert not (words := unsaid(host)), json.dumps(sorted(words))
            further = host.locator(".ex-next")
            if not further.count() or not further.is_enabled():
                break
            further.press("Enter")
            settle(page)


@pytest.fixture
def brackets() -> Iterator[None]:
    texts.use(Brackets())
    yield
    texts.use(NullTranslations())


# all that is said of a question, one state after the other: its form, what comes of nothing, of
# words, of nonsense, of half of a list, of what is known, all hints, the answer, other numbers
SAID = """() => [...document.querySelectorAll(".om-quiz")].map((form) => {
  const turned = (c) => String.fromCharCode(33 + (c.charCodeAt(0) + 14) % 94);
  const asked = JSON.parse(form.dataset.asked.replace(/[!-~]/g, turned));
  const { hint, other } = form.elements, field = form.querySelector("input[type=text]");
  const labels = [...form.querySelectorAll("[aria-label]")].map((one) => one.ariaLabel);
  const read = () => said.push(form.textContent), said = labels;
  const submit = (value) => {
    if (field) field.value = value.join(" ");
    else for (const one of form.querySelectorAll("input")) one.checked = one.value === value[0];
    form.requestSubmit();
    read();
  };
  const [{ right, wrong }] = asked.variants, list = [right].flat();
  [[], ...Object.values(wrong), right].forEach((value) => submit([value].flat()));
  if (field) for (const value of [
    ["nothing"], [987654.25, ...list.slice(1)], [...list, 7], list.slice(1),
    list.map((x) => x + 1), list.map((x) => -3 * x), list.map((x) => x * 1.001),
  ]) submit(value);
  for (let n = 0; n <= asked.hints.length; n++) {
    hint.click();
    read();
  }
  other?.click();
  read();
  return said;
})"""


@pytest.mark.parametrize("name", names())
def test_a_question_says_everything_in_the_language_of_its_page(
    open_page: Open, name: str, brackets: None
) -> None:
    page = open_page("404.html")
    page.add_init_script(BRACKETS)
    page.goto(page.url)
    forms = "".join(quiz._form(question) for question in quiz.on_page(load(name)))
    page.evaluate("(forms) => { document.querySelector('main').innerHTML = forms; }", forms)
    page.add_script_tag(url=f"_static/{quiz.SCRIPT}")
    for said in page.evaluate(SAID):
        words = {word for text in said for word in _WORD.findall(outside(text))}
        assert not words, json.dumps(sorted(words))
        assert sum("⟦" in text for text in said) > 3


def test_what_stands_around_questions_is_said(brackets: None) -> None:
    shown = [reviews.warm_up(3), *(f"<p>{one['title']}</p>" for one in quiz.summary())]
    shown += [text for text in quiz.cell(load("04")).split("\n\n") if text.startswith("<p>")]
    for text in (re.sub("<[^>]*>", "", html) for html in shown):
        assert "⟦" in text and not _WORD.findall(outside(text)), text
    listed = json.loads(re.sub("&quot;", '"', reviews.listed(quiz.on_page(load("04")))))
    assert all(title.startswith("⟦") for _, title in listed)


def test_the_key_of_an_answer_is_the_same_in_every_language(brackets: None) -> None:
    questions = [question for name in names() for question in quiz.on_page(load(name))]
    said = [quiz.kept_as(question) for question in questions]
    assert "⟦" in quiz.turned(quiz.coded(questions[0]))
    texts.use(NullTranslations())
    assert said == [quiz.kept_as(question) for question in questions]


def test_an_answer_of_the_english_page_is_judged_anew_in_another_language(open_page: Open) -> None:
    page = open_page("chapters/04-sine-and-cosine.html")
    first, second = page.locator(".om-quiz").nth(0), page.locator(".om-quiz").nth(1)
    first.get_by_role("textbox").fill("945")
    first.get_by_role("button", name="Check").click()
    second.get_by_role("button", name="Hint").click()
    page.add_init_script(BRACKETS)
    page.add_init_script("""new MutationObserver((_, seen) => {
      if (!document.documentElement) return;
      document.documentElement.lang = "de";
      seen.disconnect();
    }).observe(document, { childList: true });""")
    page.reload()
    assert "⟦Not yet⟧" in first.locator(".om-said").inner_text()
    assert second.locator(".om-said").inner_text() == "", "a hint in the language of another page"
    assert second.locator("[name=hint]").inner_text() == "Hint"
