"""Grade answers to the questions in a Moodle XML file by the rules that Moodle uses.

The rules are from Moodle's documentation of Numerical, Short answer, Cloze and Multiple choice
questions. The first answer that fits gives points and feedback. A numerical answer fits within its
tolerance, and an answer * fits everything. A short answer fits as text, without regard to case, and
* in it stands for any text. Cloze writes {1:NUMERICAL:=12:0.1~%0%13:0.1#text}.
"""

import html
import re
from dataclasses import dataclass
from xml.etree import ElementTree as Xml


@dataclass(frozen=True)
class Reply:
    """Moodle's reply to an answer: the share of the points, and the feedback as HTML."""

    share: float
    feedback: str


def questions(tree: Xml.Element) -> dict[str, Xml.Element]:
    """Return the questions in a Moodle XML file, as XML elements by ID number."""
    return {number: element for element in tree if (number := element.findtext("idnumber"))}


def grade(question: Xml.Element, texts: list[str]) -> list[Reply]:
    """Return Moodle's reply to the text in each field. For a choice, the text is its HTML."""
    kind = question.get("type")
    if kind == "multianswer":
        fields = cloze(question.findtext("questiontext/text") or "")
        assert len(fields) == len(texts)
        return [_numerical(field, text) for field, text in zip(fields, texts, strict=True)]
    [text] = texts
    answers = [
        (
            answer.findtext("text") or "",
            float(answer.findtext("tolerance") or 0),
            Reply(float(answer.get("fraction", "")) / 100, answer.findtext("feedback/text") or ""),
        )
        for answer in question.findall("answer")
    ]
    if kind == "numerical":
        return [_numerical(answers, text)]
    if kind == "shortanswer":
        return [
            next(reply for answer_text, _, reply in answers if _matches_pattern(answer_text, text))
        ]
    assert kind == "multichoice"
    [chosen] = [reply for answer_text, _, reply in answers if answer_text == text]
    return [chosen]


def _numerical(answers: list[tuple[str, float, Reply]], text: str) -> Reply:
    value = float(text.replace(" ", ""))
    for answer_text, tolerance, reply in answers:
        if answer_text == "*":
            return reply
        number = float(answer_text)
        if abs(value - number) <= tolerance + 1e-14 * abs(number):
            return reply
    return Reply(0, "")


def _matches_pattern(answer_text: str, text: str) -> bool:
    pattern = ".*".join(re.escape(piece) for piece in answer_text.split("*"))
    return re.fullmatch(pattern, text.strip(), re.IGNORECASE) is not None


def cloze(text: str) -> list[list[tuple[str, float, Reply]]]:
    """Return the possible answers for each numerical field in a Cloze question."""
    return [
        [_alternative(alternative) for alternative in re.split(r"(?<!\\)~", field)]
        for field in re.findall(r"\{1:NUMERICAL:(.*?)(?<!\\)\}", text, re.DOTALL)
    ]


def _alternative(text: str) -> tuple[str, float, Reply]:
    match = re.fullmatch(r"(=|%0%)([-+.\de]+):([-+.\de]+)(?:#(.*))?", text, re.DOTALL)
    assert match, text
    right, number, tolerance, feedback = match.groups()
    feedback_text = html.unescape(feedback or "").replace("\\}", "}").replace("\\#", "#")
    return number, float(tolerance), Reply(float(right == "="), feedback_text)
