"""An exercise sheet: one Markdown file, the source of all that learners and teachers meet.

The format is described in exercises/README.md.
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
DRAWS = 5  # on so many sets of numbers a function is tried, where its question has numbers
MOST = 20

Given = types.SimpleNamespace
_FENCE = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(
    r"Hint|Given|Start|Solution|Probe"
    r"|Mistake `(?P<mistake>\w+)`: (?P<title>.+)|Also right `(?P<way>\w+)`"
)
_PLACE = re.compile(r"\{=(\w+)(?::([^}]*))?\}")


class SheetError(ValueError):
    """A sheet or question that isn't there or doesn't follow the format: which, and what is."""

    def _render_traceback_(self) -> list[str]:
        """In a notebook the sentence is enough."""
        return [f"SheetError: {self}"]


@dataclass(frozen=True)
class Variant:
    """Code that answers a question, rightly or wrongly, and the words that go with it."""

    name: str
    title: str
    text: str
    code: str


@dataclass(eq=False, repr=False)
class Question:
    """One exercise: what is asked, what is right, and what is known to go wrong."""

    sheet: str
    name: str
    title: str
    prompt: str
    kind: str
    points: dict[str, float]  # by part
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

    @cached_property
    def answer(self) -> str:
        """The name that the learner defines: where the starter holds `...`, else its last name."""
        names = {}
        for node in ast.parse(self.starter).body:
            if isinstance(node, ast.FunctionDef):
                names[node.name] = ast.dump(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = ast.dump(node)
        empty = [name for name, code in names.items() if "Ellipsis" in code]
        return [*names, *empty][-1]

    def given(self, seed: int = 0, draw: int = 0) -> Given:
        """The numbers of the question for one seed: the same seed, the same numbers.

        Draw 0 is what the learner is shown; a function is tried on the others, too.
        """
        return Given(**copy.deepcopy(self._drawn(seed, draw)))

    @lru_cache(maxsize=1_024)  # noqa: B019 - questions are kept as long as their sheets
    def _drawn(self, seed: int, draw: int) -> dict[str, Any]:
        if not self.given_code:
            return {}
        rng = np.random.default_rng(
            [zlib.crc32(self.name.encode()), seed, *([draw] if draw else [])]
        )
        made = self.run(self.given_code)["given"]
        numbers: dict[str, Any] = made(rng, draw) if made.__code__.co_argcount == 2 else made(rng)
        return numbers

    def asked(self, seed: int = 0) -> str:
        """The prompt with the numbers of one seed put in."""
        given = vars(self.given(seed))
        return self.filled(lambda name, spec: format(given[name], spec))

    def filled(self, shown: Callable[[str, str], str]) -> str:
        """The prompt with `shown(name, format)` in place of each {=name:format}."""
        return _PLACE.sub(lambda match: shown(match[1], match[2] or ""), self.prompt)

    def places(self) -> Iterator[tuple[str, str]]:
        """Name and format of each number that the prompt shows."""
        return ((match[1], match[2] or "") for match in _PLACE.finditer(self.prompt))

    def run(self, code: str, **names: Any) -> dict[str, Any]:
        """The names that `code` defines after the sheet's setup, with `names` given to it."""
        scope = dict(names)
        exec(_compiled(self.setup, f"<setup of {self.sheet}>"), scope)
        exec(_compiled(code, f"<{self.sheet}: {self.name}>"), scope)
        return scope

    def defined(self, code: str, seed: int = 0) -> Any:
        """What `code` defines under the name that the learner is to define."""
        return self.run(code, given=self.given(seed))[self.answer]


@dataclass(frozen=True)
class Content:
    """The questions of one sheet, by name, in order."""

    name: str
    title: str
    intro: str
    questions: dict[str, Question]
    setup: str
    text: str  # all of it, as it was read

    @property
    def total(self) -> float:
        return sum(question.total for question in self.questions.values())


def names() -> list[str]:
    """The sheets that there are, in order."""
    return sorted(path.stem for path in SHEETS.glob("*.md"))


@cache
def load(name: str) -> Content:
    """The sheet of that name; its number is enough. Raises SheetError where there is none.

    >>> load("04").title
    'Sine and cosine'
    """
    found = [known for known in names() if known == name or known.split("-")[0] == name]
    if len(found) != 1:
        raise SheetError(f"there is no sheet {name!r}; there are: {', '.join(names())}")
    return parse((SHEETS / f"{found[0]}.md").read_text("utf-8"), found[0])


def parse(text: str, name: str) -> Content:
    """A sheet from its text. Raises SheetError, which says where and what is wanted."""
    found = list(sections(text))
    if not found or found[0][0] != 1:
        raise SheetError(f"{name}: the first line must be '# Title'")
    _, title, intro = found.pop(0)
    setup, questions, start = "", {}, 0
    if found and found[0][:2] == (3, "Setup"):
        setup, start = _code(found[0][2], f"{name}: Setup")[1], 1
    heads = [n for n, (depth, _, _) in enumerate(found) if depth == 2] + [len(found)]
    if heads[0] != start:
        raise SheetError(f"{name}: {found[start][1]!r} stands before the first question")
    for first, end in pairwise(heads):
        question = _question(name, setup, found[first], found[first + 1 : end])
        if question.name in questions:
            raise SheetError(f"{name}: two questions are called {question.name!r}")
        questions[question.name] = question
    return Content(name, title, intro.strip(), questions, setup, text)


def sections(text: str) -> Iterator[tuple[int, str, str]]:
    """(depth, heading, text below it) of each heading that is not inside a fence."""
    depth, heading, body, fenced = 0, "", "", False
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            fenced = not fenced
        match = None if fenced else re.match(r"(#{1,3}) (.+)", line)
        if match:
            if depth or body.strip():
                yield depth, heading, body
            depth, heading, body = len(match[1]), match[2].strip(), ""
        else:
            body += line
    yield depth, heading, body


def _code(body: str, where: str) -> tuple[str, str]:
    """(prose, code) of a section that holds one python block."""
    blocks = _FENCE.findall(body)
    if len(blocks) != 1:
        raise SheetError(f"{where}: one ```python block is wanted, there are {len(blocks)}")
    code: str = blocks[0].rstrip("\n")
    try:
        ast.parse(code)
    except SyntaxError as error:
        raise SheetError(f"{where}: line {error.lineno} of the code: {error.msg}") from None
    return _FENCE.sub("", body).strip(), code


def _question(
    sheet: str, setup: str, head: tuple[int, str, str], sections: list[tuple[int, str, str]]
) -> Question:
    _, title, body = head
    where = f"{sheet}: {title}"
    meta_line, _, prompt = body.strip().partition("\n")
    meta = dict(re.findall(r"(\w+): *([^|]+?) *(?:\||$)", meta_line))
    if unknown := set(meta) - set(HEAD) or "id" not in meta:
        raise SheetError(
            f"{where}: the line below the heading must read 'id: … | kind: … | points: …',"
            f" got {meta_line!r} ({unknown=})"
        )
    if meta.get("kind") not in KINDS:
        raise SheetError(f"{where}: kind must be one of {', '.join(KINDS)}")
    parts = defaultdict[str, list[Variant]](list)
    for depth, heading, text in sections:
        here = f"{where}, {heading}"
        found = _SECTION.fullmatch(heading)
        if not found:
            raise SheetError(
                f"{here}: not a section of a question (depth {depth}); there are Given, Start,"
                " Hint, Solution, Mistake `name`: title, Also right `name`, Probe"
            )
        prose, code = (text.strip(), "") if heading == "Hint" else _code(text, here)
        name = found["mistake"] or found["way"] or heading.lower()
        parts[heading.split(" `")[0]].append(Variant(name, found["title"] or "", prose, code))
    if missing := {"Start", "Solution"} - set(parts):
        raise SheetError(f"{where}: no section {' and '.join(sorted(missing))}")
    start, solution = parts["Start"][0].code, parts["Solution"][0]
    given, probe = (parts[one][0].code if one in parts else "" for one in ("Given", "Probe"))
    if meta["kind"] == "code" and "def " not in start:
        raise SheetError(f"{where}: Start must define a function, where kind is code")
    prompt, choices = _choices(prompt.strip()) if meta["kind"] == "choice" else (prompt.strip(), {})
    if any(map(_PLACE.search, [*re.findall(r"`([^`]+)`", prompt), *choices.values()])):
        raise SheetError(f"{where}: a number of the question can't stand in backticks or a choice")
    draws = int(meta.get("draws", DRAWS if meta["kind"] == "code" and given else 1))
    if not 1 <= draws <= (MOST if meta["kind"] == "code" else 1):
        raise SheetError(f"{where}: draws are 1 to {MOST} for a function, else 1, not {draws}")
    return Question(
        sheet=sheet,
        name=meta["id"],
        title=title,
        prompt=prompt,
        kind=meta["kind"],
        points=_points(meta.get("points", "1")),
        level=int(meta.get("level", "1")),
        tolerance=float(meta.get("tolerance", "1e-5")),
        draws=draws,
        setup=setup,
        starter=start,
        solution=solution,
        given_code=given,
        probe_code=probe,
        hints=tuple(hint.text for hint in parts["Hint"]),
        mistakes=tuple(parts["Mistake"]),
        also_right=tuple(parts["Also right"]),
        choices=choices,
    )


def _points(text: str) -> dict[str, float]:
    """'2' or 'sines 1, cosines 1.5'.

    >>> _points("2"), _points("sines 1, cosines 1.5")
    ({'answer': 2.0}, {'sines': 1.0, 'cosines': 1.5})
    """
    parts = [part.split() for part in text.split(",")]
    return {part[0] if len(part) > 1 else "answer": float(part[-1]) for part in parts}


def _choices(prompt: str) -> tuple[str, dict[str, str]]:
    """The prompt without its list of choices, and the choices: lines '- a: text' at its end."""
    choices = dict(re.findall(r"^- (\w): (.+)$", prompt, re.MULTILINE))
    return re.sub(r"^- (\w): (.+)\n?", "", prompt, flags=re.MULTILINE).strip(), choices


@cache
def _compiled(code: str, name: str) -> types.CodeType:
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    return compile(code, name, "exec")
