"""Moodle's grading of the questions in a Moodle XML file, written anew from its rules.

From Moodle's documentation of Numerical, Short answer, Cloze and Multiple choice questions: the
first answer that fits gives points and feedback. A numerical one fits within its tolerance, and an
answer * fits everything; a short answer fits as text, without regard to case, * standing for any
text; Cloze writes {1:NUMERICAL:=12:0.1~%0%13:0.1#text}.
"""

import html
import re
from dataclasses import dataclass
from xml.etree import ElementTree as Xml


@dataclass(frozen=True)
class Told:
    """What Moodle gives for an answer: a share of the points, and its feedback as HTML."""

    share: float
    feedback: str


def questions(tree: Xml.Element) -> dict[str, Xml.Element]:
    """By ID number."""
    return {number: element for element in tree if (number := element.findtext("idnumber"))}


def grade(question: Xml.Element, typed: list[str]) -> list[Told]:
    """What is told for what was typed into each field; of a choice, its HTML."""
    kind = question.get("type")
    if kind == "multianswer":
        fields = cloze(question.findtext("questiontext/text") or "")
        assert len(fields) == len(typed)
        return [_numerical(field, text) for field, text in zip(fields, typed, strict=True)]
    [text] = typed
    answers = [
        (
            answer.findtext("text") or "",
            float(answer.findtext("tolerance") or 0),
            Told(float(answer.get("fraction", "")) / 100, answer.findtext("feedback/text") or ""),
        )
        for answer in question.findall("answer")
    ]
    if kind == "numerical":
        return [_numerical(answers, text)]
    if kind == "shortanswer":
        return [next(told for known, _, told in answers if _like(known, text))]
    assert kind == "multichoice"
    [chosen] = [told for known, _, told in answers if known == text]
    return [chosen]


def _numerical(answers: list[tuple[str, float, Told]], text: str) -> Told:
    value = float(text.replace(" ", ""))
    for known, tolerance, told in answers:
        if known == "*" or abs(value - float(known)) <= tolerance + 1e-14 * abs(float(known)):
            return told
    return Told(0, "")


def _like(known: str, text: str) -> bool:
    pattern = ".*".join(re.escape(piece) for piece in known.split("*"))
    return re.fullmatch(pattern, text.strip(), re.IGNORECASE) is not None


def cloze(text: str) -> list[list[tuple[str, float, Told]]]:
    """The answers of each numerical field of a Cloze text."""
    return [
        [_alternative(one) for one in re.split(r"(?<!\\)~", field)]
        for field in re.findall(r"\{1:NUMERICAL:(.*?)(?<!\\)\}", text, re.DOTALL)
    ]


def _alternative(text: str) -> tuple[str, float, Told]:
    match = re.fullmatch(r"(=|%0%)([-+.\de]+):([-+.\de]+)(?:#(.*))?", text, re.DOTALL)
    assert match, text
    right, number, tolerance, feedback = match.groups()
    said = html.unescape(feedback or "").replace("\\}", "}").replace("\\#", "#")
    return number, float(tolerance), Told(float(right == "="), said)
