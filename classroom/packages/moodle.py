"""A sheet's questions without code as Moodle XML, with its mistakes as answers worth 0 %.

Moodle takes the first answer that fits (qtype_numerical_question::get_matching_answer), and so do
the parts of a Cloze question; tried with Moodle 4.5.6. A question for several numbers is a Cloze
question, with a field for each. A set is a short answer: what is typed is seen as a whole there.
"""

from __future__ import annotations

import html
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree as Xml

from classroom.packages import put, replies, web
from classroom.packages.replies import Reply
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content, Question

DRAWS = 10  # so many sets of numbers a question
PENALTY = "0.3333333"  # Moodle's own for another try; it wants it written like this
TYPES = {
    "number": "numerical",
    "numbers": "multianswer",  # Cloze
    "set": "shortanswer",
    "choice": "multichoice",
}
IN_ORDER = (
    "Write them in rising order, with commas or spaces between them, such as 3, 14, 15. If there"
    " are none, write none."
)
UNKNOWN = "No mistake that is known gives this. "
ONE_OF_SEVERAL = "This number is what a known mistake gives. "


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write the sheet's file, with the numbers of ten seeds from `seed` on; says what was written.

    Raises ValueError if the file is there already.
    """
    path = out / f"{content.name}.xml"
    asked = without_code(content)
    tree = quiz(content, range(seed, seed + DRAWS))
    put(path, Xml.tostring(tree, encoding="utf-8", xml_declaration=True))
    made = len(tree.findall("question/questiontext"))
    left = [question.title for question in content.questions.values() if question not in asked]
    return (
        f"Written: {path}: {len(asked)} questions, {made} counting each set of numbers.\n"
        f"Left to the notebook, since they want code: {'; '.join(left)}\n"
        "Next, in the course's question bank: Import, Moodle XML format."
    )


def without_code(content: Content) -> list[Question]:
    return [question for question in content.questions.values() if question.kind != "code"]


def quiz(content: Content, seeds: range) -> Xml.Element:
    """All of it: a category for each question, to draw one from at random."""
    tree = Xml.Element("quiz")
    sheet = f"{content.name[:2]} {content.title}"
    for number, question in enumerate(without_code(content), start=1):
        names = ("top", "Order Matters", sheet, f"{number} {question.title}")
        category = Xml.SubElement(tree, "question", type="category")
        _text(category, "category", "/".join(name.replace("/", "//") for name in names))
        points = notebooks.points_in_words(question)
        drawn = seeds if question.given_code else seeds[:1]
        text = f"<p>Worth {points} in the course. {len(drawn)} to draw one from.</p>"
        _text(category, "info", text, format="html")
        for seed in drawn:
            tree.append(asked(question, seed))
    Xml.indent(tree)
    return tree


def asked(question: Question, seed: int) -> Xml.Element:
    """The question with the numbers of one seed."""
    element = Xml.Element("question", type=TYPES[question.kind])
    _text(element, "name", f"{question.title} ({seed})" if question.given_code else question.title)
    fill = {"number": _numerical, "numbers": _cloze, "set": _set, "choice": _choice}[question.kind]
    head = Xml.Element("head")
    body = _block(question.asked(seed)) + fill(head, question, seed)
    _text(element, "questiontext", body, format="html")
    _text(element, "generalfeedback", solution(question, seed), format="html")
    for name, value in (("defaultgrade", f"{question.total:g}"), ("penalty", PENALTY)):
        Xml.SubElement(element, name).text = value
    element.extend(head)
    for hint in question.hints:
        shown = _text(element, "hint", _block(hint), format="html")
        if question.kind == "numbers":
            Xml.SubElement(shown, "shownumcorrect")
            Xml.SubElement(shown, "clearwrong")
    edition = zlib.crc32(Xml.tostring(element))
    name = f"{question.sheet[:2]}-{question.name}-{seed}-{edition:08x}"
    Xml.SubElement(element, "idnumber").text = name
    return element


def solution(question: Question, seed: int) -> str:
    """The reason, the answer for these numbers, and the code that finds it."""
    why = _block(question.solution.text)
    if question.kind == "choice":
        told = replies.choices(question, seed)
        return why + "".join(
            f"<p>{_inline(text)}</p>" for key, text in question.choices.items() if not told[key]
        )
    if question.kind == "set":
        found = replies.spelled(next(iter(replies.sets(question, seed))))[0]
    else:
        found = ", ".join(map(replies.shown, replies.values(question, seed)["solution"]))
    code = html.escape(question.solution.code, quote=False)
    return f"{why}<p>With these numbers: {found}</p><pre><code>{code}</code></pre>"


def _numerical(element: Xml.Element, question: Question, seed: int) -> str:
    [known] = replies.numbers(question, seed)
    for reply in known:
        answer = _answer(element, replies.shown(reply.value), _inline(reply.told), not reply.told)
        Xml.SubElement(answer, "tolerance").text = replies.shown(reply.margin)
    _answer(element, "*", _inline(UNKNOWN + replies.hinted(question)))
    return ""


def _cloze(element: Xml.Element, question: Question, seed: int) -> str:
    """A field for each number, in the text: Cloze has its answers there."""
    fields = replies.numbers(question, seed)
    return "".join(
        f"<p>Number {n}: {{1:NUMERICAL:{'~'.join(map(_alternative, field))}}}</p>"
        for n, field in enumerate(fields, start=1)
    )


def _alternative(reply: Reply) -> str:
    """Value, margin and text as Cloze writes them."""
    number = f"{replies.shown(reply.value)}:{replies.shown(reply.margin)}"
    if not reply.told:
        return f"={number}"
    told = ONE_OF_SEVERAL + reply.told if reply.known else reply.told
    return f"%0%{number}#{_in_cloze(_inline(told))}"


def _in_cloze(text: str) -> str:
    """Moodle decodes entities once more there, and takes ~ and } for its own."""
    return text.replace("&", "&amp;").replace("~", "&#126;").replace("}", "&#125;")


def _set(element: Xml.Element, question: Question, seed: int) -> str:
    Xml.SubElement(element, "usecase").text = "0"
    for numbers, told in replies.sets(question, seed).items():
        for text in replies.spelled(numbers):
            _answer(element, text, _inline(told), not told)
    _answer(element, "*", _inline(f"{UNKNOWN}{replies.hinted(question)} {IN_ORDER}"))
    return f"<p>{IN_ORDER}</p>"


def _choice(element: Xml.Element, question: Question, seed: int) -> str:
    for name, value in (("single", "true"), ("shuffleanswers", "true"), ("answernumbering", "abc")):
        Xml.SubElement(element, name).text = value
    for key, told in replies.choices(question, seed).items():
        text = _inline(question.choices[key])
        _answer(element, text, _inline(told), not told, format="html")
    return ""


def _block(text: str) -> str:
    return _as_it_stands(web.block(text))


def _inline(text: str) -> str:
    return _as_it_stands(web.inline(text))


def _as_it_stands(text: str) -> str:
    """Code that Moodle's filters leave alone, else (n) in it shows a thumb; tables with space."""
    text = text.replace("<table>", '<table class="generaltable">')
    return re.sub(r"<code>.*?</code>", r'<span class="nolink">\g<0></span>', text)


def _answer(
    element: Xml.Element, text: str, told: str, right: bool = False, format: str = ""
) -> Xml.Element:
    fraction = "100" if right else "0"
    kind = format or "moodle_auto_format"
    answer = Xml.SubElement(element, "answer", fraction=fraction, format=kind)
    Xml.SubElement(answer, "text").text = text
    _text(answer, "feedback", told, format="html")
    return answer


def _text(element: Xml.Element, tag: str, text: str, **attributes: str) -> Xml.Element:
    made = Xml.SubElement(element, tag, attributes)
    Xml.SubElement(made, "text").text = text
    return made
