"""A sheet's questions without code as QTI 1.2, which Canvas imports, through text2qti.

text2qti (tried with 0.8.0) reads a quiz written in its own Markdown; see `quiz`.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from classroom.optional import needed
from classroom.packages import put, replies
from classroom.packages.moodle import DRAWS, IN_ORDER, without_code
from classroom.packages.replies import Reply
from pe_lib.course.grading.sheet import Content, Question

LEAST = 1e-4  # nearer to 0 Canvas takes no number, and it keeps so many decimals
LOST = """\
Lost on the way: which mistake a number is (choices keep their texts), hints after the first, and
the solution's code. Of several numbers each is a question of its own. A set must be typed in rising
order. Canvas keeps four decimals of a tolerance, which is widened to them."""
NEXT = "Next, in Canvas: Settings, Import Course Content, QTI .zip file."


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write the sheet's package, with the numbers of ten seeds from `seed` on; says what it did.

    Raises ValueError where text2qti is missing, or the file is there already.
    """
    path = out / f"{content.name}.zip"
    if path.exists():
        raise ValueError(f"{path} is there already")
    put(path, package(quiz(content, range(seed, seed + DRAWS))))
    return f"Written: {path}\n{LOST}\n{NEXT}"


def package(text: str) -> bytes:
    """The zip that text2qti makes of a quiz in its Markdown. No file of its own is read or left."""
    names = ("config", "qti", "quiz")
    config, qti, quiz = (needed(f"text2qti.{name}", "text2qti") for name in names)
    made: bytes = qti.QTI(quiz.Quiz(text, config=config.Config())).zip_bytes()
    return made


def quiz(content: Content, seeds: range) -> str:
    """The sheet as text2qti reads it: a group for each question, of which Canvas draws one."""
    lines = [f"Quiz title: Order Matters {content.name[:2]}: {content.title}", ""]
    for question in without_code(content):
        drawn = seeds if question.given_code else seeds[:1]
        parts = 1
        if question.kind == "numbers":
            parts = len(replies.numbers(question, seeds[0]))
        points = max(1, round(question.total / parts))
        for part in range(parts):
            texts = dict.fromkeys("\n".join(_question(question, seed, part)) for seed in drawn)
            lines += ["GROUP", "pick: 1", f"points per question: {points}", *texts, "END_GROUP", ""]
    return "\n".join(lines)


def _question(question: Question, seed: int, part: int) -> Iterator[str]:
    """Its lines. What goes on in the next line stands under what it goes on from."""
    several = question.kind == "numbers"
    title = f"{question.title}, number {part + 1}" if several else question.title
    asked = question.asked(seed)
    if several:
        asked += f"\n\nAnswer with number {part + 1} of these alone."
    if question.kind == "set":
        asked += f"\n\n{IN_ORDER}"
    yield f"Title: {title}"
    yield _under("1.  ", asked)
    yield _under("... ", question.solution.text)
    if question.kind == "choice":
        yield from _choices(question, seed)
        return
    yield _under("-   ", f"Not right. {replies.hinted(question)}")
    if question.kind == "set":
        right = next(iter(replies.sets(question, seed)))
        yield from (f"*   {text}" for text in replies.spelled(right))
    else:
        yield from _number(replies.numbers(question, seed)[part][0])
    yield ""


def _choices(question: Question, seed: int) -> Iterator[str]:
    for key, told in replies.choices(question, seed).items():
        yield _under(f"{key})  " if told else f"*{key}) ", question.choices[key])
        if told:
            yield _under("... ", told)
    yield ""


def _number(right: Reply) -> Iterator[str]:
    """A range as wide as the tolerance; near 0, where there is none, the ways to write it."""
    low = math.floor((right.value - right.margin) / LEAST) * LEAST
    high = math.ceil((right.value + right.margin) / LEAST) * LEAST
    if low >= LEAST or high <= -LEAST:
        yield f"=   [{low:.4f}, {high:.4f}]"
    else:
        forms = (replies.shown(right.value), *(f"{right.value:.{n}f}" for n in (0, 2, 3, 4)))
        yield from (f"*   {text}" for text in dict.fromkeys(forms))


def _under(sign: str, text: str) -> str:
    """text2qti knows formulas in a line only, with no space at their ends."""
    inline = re.sub(r"\$\$\s*(.+?)\s*\$\$", lambda f: f"${_one_line(f[1])}$", text, flags=re.DOTALL)
    return sign + textwrap.indent(inline, " " * len(sign)).lstrip()


def _one_line(text: str) -> str:
    return " ".join(text.split())
