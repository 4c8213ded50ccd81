"""A sheet's questions without code as Moodle XML, with its mistakes as answers worth 0 %.

Moodle takes the first answer that fits (qtype_numerical_question::get_matching_answer), and so do
the parts of a Cloze question; tried with Moodle 4.5.6. A question for several numbers is a Cloze
question, with a field for each. A set is a short answer: what is typed is seen as a whole there.
"""

from __future__ import annotations

import html
import math
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from classroom.packages import put, web
from pe_lib.course.grading import notebooks, outcome
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
UNKNOWN = "No mistake that is known gives this."
ONE_OF_SEVERAL = "This number is what a known mistake gives."
SIGN = "Yours is right but for its sign."
HALF = 0.499_999  # what is typed within it rounds to the number

Reply = tuple[float, float, str]  # a number, how far off it still counts, and what is told


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write the sheet's file, with the numbers of ten seeds from `seed` on; says what was written.

    Raises ValueError if the file is there already.
    """
    path, asked = out / f"{content.name}.xml", without_code(content)
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
    element, head = Xml.Element("question", type=TYPES[question.kind]), Xml.Element("head")
    _text(element, "name", f"{question.title} ({seed})" if question.given_code else question.title)
    fill = {"number": _numerical, "numbers": _cloze, "set": _set, "choice": _choice}[question.kind]
    found = fill(head, question, seed)
    body = _as_it_stands(web.block(question.asked(seed))) + found[0]
    _text(element, "questiontext", body, format="html")
    code = html.escape(question.solution.code, quote=False)
    why = _as_it_stands(web.block(question.solution.text)) + f"<p>{found[1]}</p>"
    _text(element, "generalfeedback", f"{why}<pre><code>{code}</code></pre>", format="html")
    for name, value in (("defaultgrade", f"{question.total:g}"), ("penalty", PENALTY)):
        Xml.SubElement(element, name).text = value
    element.extend(head)
    for hint in question.hints:
        shown = _text(element, "hint", _as_it_stands(web.block(hint)), format="html")
        if question.kind == "numbers":
            Xml.SubElement(shown, "shownumcorrect")
            Xml.SubElement(shown, "clearwrong")
    edition = zlib.crc32(Xml.tostring(element))
    name = f"{question.sheet[:2]}-{question.name}-{seed}-{edition:08x}"
    Xml.SubElement(element, "idnumber").text = name
    return element


# Each puts the answers into `head`; returns what the text ends with, and the answer in words


def _numerical(head: Xml.Element, question: Question, seed: int) -> tuple[str, str]:
    [known] = replies(question, seed)
    for value, margin, told in known:
        answer = _answer(head, shown(value), told)
        Xml.SubElement(answer, "tolerance").text = shown(margin)
    _answer(head, "*", f"{UNKNOWN} {_hinted(question)}")
    return "", f"With these numbers: {shown(known[0][0])}"


def _cloze(_: Xml.Element, question: Question, seed: int) -> tuple[str, str]:
    """A field for each number, in the text: Cloze has its answers there."""
    fields = replies(question, seed)
    rows = (
        f"<p>Number {n}: {{1:NUMERICAL:{'~'.join(map(_alternative, field))}}}</p>"
        for n, field in enumerate(fields, start=1)
    )
    right = ", ".join(shown(field[0][0]) for field in fields)
    return "".join(rows), f"With these numbers: {right}"


def _alternative(reply: Reply) -> str:
    """Value, margin and text as Cloze writes them; it decodes entities, and takes ~ and }."""
    value, margin, told = reply
    number = f"{shown(value)}:{shown(margin)}"
    if not told:
        return f"={number}"
    text = _inline(told if told == SIGN else f"{ONE_OF_SEVERAL} {told}").replace("&", "&amp;")
    return f"%0%{number}#{text.replace('~', '&#126;').replace('}', '&#125;')}"


def _set(head: Xml.Element, question: Question, seed: int) -> tuple[str, str]:
    """Each set of whole numbers that is known: nobody types the digits of others."""
    Xml.SubElement(head, "usecase").text = "0"
    found = {
        name: tuple(int(number) for number in np.unique(value))
        for name, value in _values(question, seed).items()
        if np.array_equal(value, np.round(value))
    }
    right, texts = found.pop("solution"), dict[tuple[int, ...], list[str]]()
    for mistake in question.mistakes:
        if found.get(mistake.name, right) != right:
            texts.setdefault(found[mistake.name], []).append(mistake.text)
    for numbers, told in [(right, [""]), *texts.items()]:
        for text in spelled(numbers):
            _answer(head, text, either(told))
    _answer(head, "*", f"{UNKNOWN} {_hinted(question)} {IN_ORDER}")
    return f"<p>{IN_ORDER}</p>", f"With these numbers: {spelled(right)[0]}"


def _choice(head: Xml.Element, question: Question, seed: int) -> tuple[str, str]:
    for name, value in (("single", "true"), ("shuffleanswers", "true"), ("answernumbering", "abc")):
        Xml.SubElement(head, name).text = value
    given = outcome.known(question, seed)
    told = {given[mistake.name]["answer"][0]: mistake.text for mistake in question.mistakes}
    for key, text in question.choices.items():
        _answer(head, _inline(text), told.get(key, ""), "html")
    return "", " ".join(_inline(t) for key, t in question.choices.items() if key not in told)


def _values(question: Question, seed: int) -> dict[str, np.ndarray]:
    """What the solution and each mistake give, as far as it is numbers."""
    found = {name: parts["answer"][0] for name, parts in outcome.known(question, seed).items()}
    return {
        name: np.ravel(value)
        for name, value in found.items()
        if isinstance(value, np.ndarray) and np.isfinite(value).all()
    }


def replies(question: Question, seed: int = 0) -> list[list[Reply]]:
    """For each number that is asked for, what may be typed: the first that fits counts.

    The right one comes first, so that no mistake beside it takes its points; then the mistakes in
    the order of the sheet, each known by the numbers in which it differs, and the other sign. Where
    all that is known is whole, what rounds to a mistake's number is taken for it.

    >>> from pe_lib.course.grading.sheet import load
    >>> [known] = replies(load("04").questions["slow_sine"])
    >>> [value for value, _, told in known[:3]]
    [1238.0, 1238001.0, 39.0]
    """
    values = _values(question, seed)
    right = values["solution"].tolist()
    given = [
        (mistake.text, values[mistake.name].tolist())
        for mistake in question.mistakes
        if mistake.name in values and len(values[mistake.name]) == len(right)
    ]
    typed = all(np.array_equal(value, np.round(value)) for value in values.values())

    def of(n: int) -> list[Reply]:
        texts = dict[tuple[float, float], list[str]]()
        first = right[n], question.tolerance * (1 + abs(right[n]))
        for text, several in given:
            value, margin = several[n], question.tolerance * (1 + abs(several[n]))
            margin = max(margin, math.floor(margin) + HALF) if typed else margin
            if not _fits(value, first):
                same = next((known for known in texts if _fits(value, known)), (value, margin))
                texts.setdefault(same, []).append(text)
        known = [(*first, ""), *((*number, either(said)) for number, said in texts.items())]
        taken = any(_fits(-right[n], reply[:2]) for reply in known)
        return known if taken else [*known, (-first[0], first[1], SIGN)]

    return [of(n) for n in range(len(right))]


def _fits(value: float, known: tuple[float, float]) -> bool:
    return abs(value - known[0]) <= known[1]


def either(texts: list[str]) -> str:
    """
    >>> either(["This."]), either(["This.", "That."])
    ('This.', 'Either: This. Or: That.')
    """
    texts = list(dict.fromkeys(texts))
    return texts[0] if len(texts) == 1 else f"Either: {' Or: '.join(texts)}"


def spelled(numbers: tuple[int, ...]) -> list[str]:
    """The ways in which learners write a few numbers, or that there are none.

    >>> spelled((8, 14))
    ['8, 14', '8 14', '8,14', '8; 14', '[8, 14]', '{8, 14}']
    """
    words = [str(number) for number in numbers]
    if not words:
        return ["none", "[]", "{}", "∅"]
    joined = [between.join(words) for between in (", ", " ", ",", "; ")]
    return list(dict.fromkeys([*joined, f"[{joined[0]}]", f"{{{joined[0]}}}"]))


def shown(value: float) -> str:
    """
    >>> shown(1238.0), shown(-0.0), shown(0.1 + 0.2)
    ('1238', '0', '0.3')
    """
    return f"{value + 0.0:.10g}"


def _hinted(question: Question) -> str:
    return f"A hint: {question.hints[0]}" if question.hints else ""


def _inline(text: str) -> str:
    return _as_it_stands(web.inline(text))


def _as_it_stands(text: str) -> str:
    """Code that Moodle's filters leave alone, else (n) in it shows a thumb; tables with space."""
    text = text.replace("<table>", '<table class="generaltable">')
    return re.sub(r"<code>.*?</code>", r'<span class="nolink">\g<0></span>', text)


def _answer(
    element: Xml.Element, text: str, told: str, kind: str = "moodle_auto_format"
) -> Xml.Element:
    answer = Xml.SubElement(element, "answer", fraction="0" if told else "100", format=kind)
    Xml.SubElement(answer, "text").text = text
    _text(answer, "feedback", _inline(told), format="html")
    return answer


def _text(element: Xml.Element, tag: str, text: str, **attributes: str) -> Xml.Element:
    made = Xml.SubElement(element, tag, attributes)
    Xml.SubElement(made, "text").text = text
    return made
