"""One slip in a right solution: which one gives what a learner has, where no known mistake does.

A slip is what people do without meaning to: a sine for a cosine, a plus for a minus, a factor left
out, one too many (slips.toml). Each is made in the question's own right ways, one at a time, and
tried; so what is told is true of the values, whatever the learner wrote.
"""

import ast
import dis
import re
import time
import tomllib
import types
import warnings
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, islice
from pathlib import Path

import numpy as np

from pe_lib.course.grading.agreement import agree, pieces, same
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.outcome import Outcome, Value, known, value_of
from pe_lib.course.grading.sheet import Question

MOST = 1_500  # slips that are tried at a question
SECONDS = 0.6  # of a processor, for all of them
SLOW = 0.2  # seconds for one value
LONG = 12  # characters of an expression; a longer one is called a part
TABLE = tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8"))
ROWS = [
    (rank, ast.parse(right, mode="eval").body, wrong, words)
    for rank, name in enumerate(("often", "sometimes", "seldom"))
    for right, wrong, words in TABLE[name]
]
_text = lru_cache(maxsize=10_000)(ast.unparse)


def slip(question: Question, got: Outcome, seed: int) -> str:
    """The slip with which a right way gives this outcome, in words, or ''.

    If none does: one that gives all that is wrong in it, if nobody has that by chance.
    """
    mine, right = (pieces(question, one) for one in (got, known(question, seed)["solution"]))
    fine = {p: mine[p] for p in mine if agree(question, mine[p], right.get(p, ()))}
    wrong = {p: mine[p] for p in mine if p not in fine}
    if not any(tells(value) for values in mine.values() for value in values):
        return ""
    sure = all(any(map(_is_fraction, values)) for values in wrong.values())
    end, found = time.process_time() + SECONDS, ""
    for words, code in _slips(question):
        if time.process_time() > end:
            break
        if _gives(question, code, wrong, seed):
            if _gives(question, code, fine, seed):
                return words
            found = found or words * sure
    return found


def unused(question: Question, answer: object) -> str:
    """The arguments that a function never looks at, though the solution does, in words, or ''."""
    solution = question.defined(question.solution.code)
    lost = sorted(_idle(answer) - _idle(solution))
    return f"It never looks at {' and '.join(f'`{name}`' for name in lost)}." if lost else ""


def _idle(function: object) -> set[str]:
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return set()
    read = set(code.co_cellvars)
    for step in dis.get_instructions(code):
        if "LOAD" in step.opname:
            read |= set(step.argval) if isinstance(step.argval, tuple) else {step.argval}
    return set(code.co_varnames[: code.co_argcount]) - read


def tells(value: object) -> bool:
    """Whether nobody has these numbers by chance."""
    if not isinstance(value, np.ndarray) or not np.isfinite(value).all():
        return False
    many = value.size > 3 and np.ptp(value) > 0
    return bool(many or np.any((value != np.round(value)) | (np.abs(value) >= 100)))


def _is_fraction(value: object) -> bool:
    return tells(value) and isinstance(value, np.ndarray) and bool(np.any(value != np.round(value)))


def _gives(question: Question, code: str, mine: Outcome, seed: int) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"), limit(SLOW):
            answer = question.defined(code, seed)
    except (Exception, TooSlow):
        return False
    if question.kind == "numbers":
        value = value_of(question, answer, "answer", seed, 0, SLOW)
        made = pieces(question, {"answer": (value,)})
        return all(p in made and _is(question, mine[p][0], made[p][0]) for p in mine)
    return all(
        _is(question, value, value_of(question, answer, part, seed, draw, SLOW))
        for part, values in mine.items()
        for draw, value in enumerate(values)
    )


def _is(question: Question, yours: Value, slipped: Value) -> bool:
    """Whether the two are the same to all the digits that the learner gave, up to six."""
    if not same(question, slipped, yours):
        return False
    if not (isinstance(yours, np.ndarray) and isinstance(slipped, np.ndarray)):
        return True
    for one, other in zip(np.sort(yours.ravel()), np.sort(slipped.ravel()), strict=True):
        decimals = len(f"{one:.9f}".rstrip("0").partition(".")[2])
        if abs(one - other) > max(0.51 * 10.0**-decimals, 2e-6 * abs(other)):
            return False
    return True


@lru_cache(maxsize=256)
def _slips(question: Question) -> tuple[tuple[str, str], ...]:
    """Each slip in the question's right ways, as words and as a program."""
    ways = [way.code for way in (question.solution, *question.also_right)]
    loud = re.compile(r"linalg\.(?!norm)")  # it prints
    every = [one for code in ways if not loud.search(code) for one in made(code)]
    found: dict[str, str] = {}
    for _, words, code in sorted(every, key=lambda one: one[0]):
        found.setdefault(code, words)
    return tuple((words, code) for code, words in islice(found.items(), MOST))


def made(code: str) -> Iterator[tuple[int, str, str]]:
    """The program with each slip in turn: how seldom it is made, what it is, and the program.

    >>> (0, "a plus in place of a minus", "x = ((a) + (2))") in made("x = a - 2")
    True
    """
    tree, data = ast.parse(code), code.encode()
    starts = [0, *accumulate(len(line) for line in data.splitlines(keepends=True))]
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    given = {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    given = {text for text in given if text.startswith("given.")}

    def place(line: int | None, column: int | None) -> int:
        return starts[(line or 1) - 1] + (column or 0)

    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            first = place(node.lineno, node.col_offset)
            last = place(node.end_lineno, node.end_col_offset)
            for seldom, words, other in _changes(node, own, given):
                changed = data[:first] + f"({other})".encode() + data[last:]
                yield seldom, words, changed.decode()
        if isinstance(node, ast.FunctionDef):  # an argument, wherever it is used
            body = node.body[0]
            at, indent = place(body.lineno, body.col_offset), " " * body.col_offset
            for name in [argument.arg for argument in node.args.args]:
                for seldom, words, other in _changes(ast.Name(name, ast.Load()), own, given):
                    line = f"{name} = {other}\n{indent}".encode()
                    yield seldom, words, (data[:at] + line + data[at:]).decode()


def _changes(node: ast.expr, own: set[str], given: set[str]) -> Iterator[tuple[int, str, str]]:
    """What may stand in place of a node by one slip: how seldom, in words, and as a program."""
    for seldom, right, wrong, words in ROWS:
        bound: dict[str, str] = {}
        if _fits(right, node, own | given, bound):
            said, program = words, wrong
            for name, text in bound.items():
                said = said.replace(f"`{name}`", _short(text)).replace(name, text)
                program = re.sub(rf"\b{name}\b", f"({text})".replace("\\", r"\\"), program)
            yield seldom, said, program
    text = _text(node)
    others = sorted(given - {text}, key=lambda other: SequenceMatcher(None, text, other).ratio())
    for other in reversed(others) if text in given else ():  # the most alike first
        yield 1, f"`{other}` in place of `{text}`", other
        yield 2, f"`{text} * {other}` in place of `{text}`", f"{text} * {other}"
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as n):
            for value in (n + 1, n - 1, 2 * n, n / 2, n / 10, n * 10, -n):
                number = int(value) if value == int(value) else value
                if number != n:
                    yield 2, f"`{number:g}` in place of `{n:g}`", repr(number)
        case ast.Call(func=function, args=arguments, keywords=named):
            for keyword in named:
                rest = [other for other in named if other is not keyword]
                call = ast.unparse(ast.Call(function, arguments, rest))
                yield 0, f"`{keyword.arg}` left out", call


def _short(text: str) -> str:
    """An expression in words: its name, or all of it where that isn't long."""
    named = text.replace(".", "").isidentifier()
    return f"`{text}`" if named or len(text) < LONG else "a part"


def _fits(pattern: ast.AST, node: ast.AST, own: set[str], bound: dict[str, str]) -> bool:
    """Whether a node is as the pattern says; what its names then stand for is put into `bound`."""
    if isinstance(pattern, ast.Name) and pattern.id.startswith("_"):
        text = _text(node)
        kinds = {"_x": text in own, "_e": isinstance(node, (ast.BinOp, ast.Call))}
        return kinds.get(pattern.id, True) and bound.setdefault(pattern.id, text) == text
    if type(pattern) is not type(node):
        return False
    for name, value in ast.iter_fields(pattern):
        both = value, getattr(node, name)
        mine, theirs = (one if isinstance(one, list) else [one] for one in both)
        if len(mine) != len(theirs):
            return False
        for one, other in zip(mine, theirs, strict=True):
            if not (_fits(one, other, own, bound) if isinstance(one, ast.AST) else one == other):
                return False
    return True
