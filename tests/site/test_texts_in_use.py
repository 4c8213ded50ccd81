"""Whatever a reader is told can be told in another language: nothing on a page goes around `say`.

The page is given a language in which every sentence stands between brackets. English words outside
of brackets are the words of examples, names, or words that were forgotten.
"""

import json
import re

import pytest
from built import CHAPTERS, SITE, Open, parsed
from hands import alive, settle
from playwright.sync_api import Locator

from pe_lib.course.explorers._stacks import STACKS
from pe_lib.course.explorers.layers import MODELS

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
_INNER = re.compile(r"⟦[^⟦⟧]*⟧")
_NAME = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(NAMES, key=len, reverse=True)))})\b")
_WORD = re.compile(r"[^\W\d_]{3,}")


def outside(text: str) -> str:
    """What stands outside of all brackets; a sentence may hold another.

    >>> outside("⟦a ⟦b⟧ c⟧ d")
    ' d'
    """
    while text != (less := _INNER.sub("", text)):
        text = less
    return text


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
