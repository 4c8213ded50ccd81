"""Read an exercise sheet, which is a single Markdown file.

Everything that learners and teachers see is generated from this file. exercises/README.md describes
the format.
"""

import ast
import copy
import linecache
import re
import types
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

SHEETS = Path(__file__).parent / "sheets"
KINDS = ("code", "number", "numbers", "set", "choice")
HEAD = ("id", "kind", "points", "level", "tolerance", "draws")
# a function is tested with this many sets of random numbers
DRAWS = 5
MOST_DRAWS = 20

Given = types.SimpleNamespace
_FENCE = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(
    r"Hint|Given|Start|Solution|Probe"
    r"|Mistake `(?P<mistake>\w+)`: (?P<title>.+)|Also right `(?P<way>\w+)`"
)
_NUMBER = re.compile(r"\{=(\w+)(?::([^}]*))?\}")  # matches {=name:format} in a question's prompt


class SheetError(ValueError):
    """Raised if a sheet or question does not exist, or if a sheet breaks the format."""

    def _render_traceback_(self) -> list[str]:
        """Return only the error message, which a notebook shows instead of the traceback."""
        return [f"SheetError: {self}"]


@dataclass(frozen=True)
class Variant:
    """A correct or incorrect program for a question, with a title and an explanation."""

    name: str
    title: str
    text: str
    code: str


@dataclass(eq=False, repr=False)
class Question:
    """A question of an exercise sheet, with its prompt, its solutions and its known mistakes."""

    sheet: str
    name: str
    title: str
    prompt: str
    kind: str
    points: dict[str, float]  # maps each part of the question to its points
    level: int
    tolerance: float
    draws: int
    setup: str
    starter: str
    solution: Variant
    given_code: str = ""
    probe_code: str = ""
    hints: tuple[str, ...] = ()
    mistakes: tuple[Variant, ...] = ()
    also_right: tuple[Variant, ...] = ()
    choices: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<question {self.name} of {self.sheet}>"

    @property
    def total(self) -> float:
        return sum(self.points.values())

    @property
    def wants_whole(self) -> bool:
        """Whether the prompt asks for nothing but whole numbers."""
        if self.kind == "number":
            return "whole number" in self.prompt
        return self.kind == "numbers" and bool(re.search(r"\w+ whole numbers", self.prompt))

    @cached_property
    def answer(self) -> str:
        """The name to which the learner's code must assign the answer.

        This is the last name that the starter sets to `...`, or else the last name it defines.
        """
        definitions = {}
        for node in ast.parse(self.starter).body:
            if isinstance(node, ast.FunctionDef):
                definitions[node.name] = ast.dump(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                definitions[node.targets[0].id] = ast.dump(node)
        empty = [name for name, code in definitions.items() if "Ellipsis" in code]
        return [*definitions, *empty][-1]

    def given_numbers(self, seed: int = 0, draw: int = 0) -> Given:
        """Return a question's random numbers, which depend on a seed and a draw number.

        The learner sees the numbers of draw 0. A function is tried on the other draws as well.
        """
        return Given(**copy.deepcopy(self._draw_numbers(seed, draw)))

    @lru_cache(maxsize=1_024)  # noqa: B019 - questions are kept as long as their sheets
    def _draw_numbers(self, seed: int, draw: int) -> dict[str, Any]:
        if not self.given_code:
            return {}
        rng = np.random.default_rng(
            [zlib.crc32(self.name.encode()), seed, *([draw] if draw else [])]
        )
        function = self.run(self.given_code)["given"]
        takes_draw = function.__code__.co_argcount == 2
        numbers: dict[str, Any] = function(rng, draw) if takes_draw else function(rng)
        return numbers

    def format_prompt(self, seed: int = 0) -> str:
        """Return the question's prompt, filled in with the random numbers of this seed."""
        numbers = vars(self.given_numbers(seed))
        return self.fill_prompt(lambda name, spec: format(numbers[name], spec))

    def fill_prompt(self, format_number: Callable[[str, str], str]) -> str:
        """Return the prompt with each {=name:format} replaced by `format_number(name, format)`."""
        return _NUMBER.sub(lambda match: format_number(match[1], match[2] or ""), self.prompt)

    def shown_numbers(self) -> Iterator[tuple[str, str]]:
        """For each number in the prompt, yield the number's name and its format."""
        return ((match[1], match[2] or "") for match in _NUMBER.finditer(self.prompt))

    def run(self, code: str, **names: Any) -> dict[str, Any]:
        """Run the sheet's setup code and then `code`, and return all names that they define.

        The keyword arguments are names that are already defined when both programs run.
        """
        scope = dict(names)
        exec(_compile(self.setup, f"<setup of {self.sheet}>"), scope)
        exec(_compile(code, f"<{self.sheet}: {self.name}>"), scope)
        return scope

    def run_answer(self, code: str, seed: int = 0) -> Any:
        """Run `code`, and return the value of the name that the question asks for."""
        return self.run(code, given=self.given_numbers(seed))[self.answer]


@dataclass(frozen=True)
class Content:
    """The content of a sheet: its questions in order, and the text between the questions."""

    name: str
    title: str
    intro: str
    questions: dict[str, Question]
    setup: str
    text: str  # the whole Markdown file

    @property
    def total(self) -> float:
        return sum(question.total for question in self.questions.values())


def names() -> list[str]:
    """Return the names of all exercise sheets, in the order of the chapters."""
    return sorted(path.stem for path in SHEETS.glob("*.md"))


@cache
def load(name: str) -> Content:
    """Return the exercise sheet with this name or number, or raise SheetError if none has it.

    >>> load("04").title
    'Sine and cosine'
    """
    matches = [sheet for sheet in names() if sheet == name or sheet.split("-")[0] == name]
    if len(matches) != 1:
        raise SheetError(f"there is no sheet {name!r}; there are: {', '.join(names())}")
    return parse((SHEETS / f"{matches[0]}.md").read_text("utf-8"), matches[0])


def parse(text: str, name: str) -> Content:
    """Read an exercise sheet from text, or raise SheetError if the text breaks the format."""
    headings = list(sections(text))
    if not headings or headings[0][0] != 1:
        raise SheetError(f"{name}: the first line must be '# Title'")
    _, title, intro = headings.pop(0)
    setup, questions, start = "", {}, 0
    if headings and headings[0][:2] == (3, "Setup"):
        setup, start = _split_code(headings[0][2], f"{name}: Setup")[1], 1
    heads = [n for n, (depth, _, _) in enumerate(headings) if depth == 2] + [len(headings)]
    if heads[0] != start:
        raise SheetError(f"{name}: {headings[start][1]!r} stands before the first question")
    for first, end in pairwise(heads):
        question = _parse_question(name, setup, headings[first], headings[first + 1 : end])
        if question.name in questions:
            raise SheetError(f"{name}: two questions are called {question.name!r}")
        questions[question.name] = question
    return Content(name, title, intro.strip(), questions, setup, text)


def sections(text: str) -> Iterator[tuple[int, str, str]]:
    """For each section of a text, yield its depth, heading and body, ignoring headings in code."""
    depth, heading, body, is_fenced = 0, "", "", False
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            is_fenced = not is_fenced
        match = None if is_fenced else re.match(r"(#{1,3}) (.+)", line)
        if match:
            if depth or body.strip():
                yield depth, heading, body
            depth, heading, body = len(match[1]), match[2].strip(), ""
        else:
            body += line
    yield depth, heading, body


def _split_code(body: str, where: str) -> tuple[str, str]:
    """Return the prose and the code of a section that contains exactly one Python block."""
    blocks = _FENCE.findall(body)
    if len(blocks) != 1:
        raise SheetError(f"{where}: one ```python block is wanted, there are {len(blocks)}")
    code: str = blocks[0].rstrip("\n")
    try:
        ast.parse(code)
    except SyntaxError as error:
        raise SheetError(f"{where}: line {error.lineno} of the code: {error.msg}") from None
    return _FENCE.sub("", body).strip(), code


def _parse_question(
    sheet: str, setup: str, head: tuple[int, str, str], sections: list[tuple[int, str, str]]
) -> Question:
    _, title, body = head
    where = f"{sheet}: {title}"
    meta_line, _, prompt = body.strip().partition("\n")
    meta = _parse_meta(meta_line, where)
    kind = meta["kind"]
    parts = _parse_parts(sections, where)
    start, solution = parts["Start"][0].code, parts["Solution"][0]
    given_code, probe_code = (
        parts[name][0].code if name in parts else "" for name in ("Given", "Probe")
    )
    if kind == "code" and "def " not in start:
        raise SheetError(f"{where}: Start must define a function, where kind is code")
    prompt, choices = _split_choices(prompt.strip()) if kind == "choice" else (prompt.strip(), {})
    if any(map(_NUMBER.search, [*re.findall(r"`([^`]+)`", prompt), *choices.values()])):
        raise SheetError(f"{where}: a number of the question can't stand in backticks or a choice")
    draws = int(meta.get("draws", DRAWS if kind == "code" and given_code else 1))
    if not 1 <= draws <= (MOST_DRAWS if kind == "code" else 1):
        raise SheetError(
            f"{where}: draws are 1 to {MOST_DRAWS} for a function, else 1, not {draws}"
        )
    return Question(
        sheet=sheet,
        name=meta["id"],
        title=title,
        prompt=prompt,
        kind=kind,
        points=_parse_points(meta.get("points", "1")),
        level=int(meta.get("level", "1")),
        tolerance=float(meta.get("tolerance", "1e-5")),
        draws=draws,
        setup=setup,
        starter=start,
        solution=solution,
        given_code=given_code,
        probe_code=probe_code,
        hints=tuple(hint.text for hint in parts["Hint"]),
        mistakes=tuple(parts["Mistake"]),
        also_right=tuple(parts["Also right"]),
        choices=choices,
    )


def _parse_meta(line: str, where: str) -> dict[str, str]:
    """Read the line below a question's heading, such as 'id: … | kind: … | points: …'."""
    meta = dict(re.findall(r"(\w+): *([^|]+?) *(?:\||$)", line))
    if unknown := set(meta) - set(HEAD) or "id" not in meta:
        raise SheetError(
            f"{where}: the line below the heading must read 'id: … | kind: … | points: …',"
            f" got {line!r} ({unknown=})"
        )
    if meta.get("kind") not in KINDS:
        raise SheetError(f"{where}: kind must be one of {', '.join(KINDS)}")
    return meta


def _parse_parts(
    sections: list[tuple[int, str, str]], where: str
) -> defaultdict[str, list[Variant]]:
    """Return a question's sections, grouped by the first word of their headings, such as Hint."""
    parts = defaultdict[str, list[Variant]](list)
    for depth, heading, text in sections:
        here = f"{where}, {heading}"
        match = _SECTION.fullmatch(heading)
        if not match:
            raise SheetError(
                f"{here}: not a section of a question (depth {depth}); there are Given, Start,"
                " Hint, Solution, Mistake `name`: title, Also right `name`, Probe"
            )
        prose, code = (text.strip(), "") if heading == "Hint" else _split_code(text, here)
        name = match["mistake"] or match["way"] or heading.lower()
        parts[heading.split(" `")[0]].append(Variant(name, match["title"] or "", prose, code))
    if missing := {"Start", "Solution"} - set(parts):
        raise SheetError(f"{where}: no section {' and '.join(sorted(missing))}")
    return parts


def _parse_points(text: str) -> dict[str, float]:
    """Read a question's points, such as '2', or 'sines 1, cosines 1.5' for a question with parts.

    >>> _parse_points("2"), _parse_points("sines 1, cosines 1.5")
    ({'answer': 2.0}, {'sines': 1.0, 'cosines': 1.5})
    """
    parts = [part.split() for part in text.split(",")]
    return {part[0] if len(part) > 1 else "answer": float(part[-1]) for part in parts}


def _split_choices(prompt: str) -> tuple[str, dict[str, str]]:
    """Split a prompt into its text and its choices, which are written in lines like '- a: text'."""
    choices = dict(re.findall(r"^- (\w): (.+)$", prompt, re.MULTILINE))
    return re.sub(r"^- (\w): (.+)\n?", "", prompt, flags=re.MULTILINE).strip(), choices


@cache
def _compile(code: str, name: str) -> types.CodeType:
    """Compile a program from a sheet so that its lines can be shown in tracebacks."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    return compile(code, name, "exec")
