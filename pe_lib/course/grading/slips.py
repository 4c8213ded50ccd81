"""One slip in a right solution: which one gives what a learner has, where no known mistake does.

A slip is what people do without meaning to: a sine for a cosine, a plus for a minus, a factor left
out, one too many. Each is made in the question's own right ways, one at a time, and tried; so what
is told is true of the values, whatever the learner wrote. What people do most often is tried first.
"""

from __future__ import annotations

import ast
import dis
import time
import tomllib
import types
import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from pe_lib.course.grading.agreement import same
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.outcome import Outcome, Value, value_of
from pe_lib.course.grading.sheet import Question

MOST = 800  # slips that are tried at a question
SECONDS = 0.6  # of a processor, for all of them
SLOW = 0.2  # seconds for one value
TABLES = tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8"))
Slip = tuple[int, str, ast.expr]  # 0 where it is made often, 2 where seldom; in words; what stands


def slip(question: Question, got: Outcome, seed: int) -> str:
    """The slip with which a right way gives this outcome, in words, or ''."""
    if not any(tells(value) for values in got.values() for value in values):
        return ""
    end = time.process_time() + SECONDS
    for words, code in _slips(question):
        if time.process_time() > end:
            break
        if _gives(question, code, got, seed):
            return words
    return ""


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
    return bool(value.size > 3 or np.any((value != np.round(value)) | (np.abs(value) >= 100)))


def _gives(question: Question, code: str, got: Outcome, seed: int) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"), limit(SLOW):
            answer = question.defined(code, seed)
    except (Exception, TooSlow):
        return False
    return all(
        _is(question, value, value_of(question, answer, part, seed, draw, SLOW))
        for part, values in got.items()
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
    every = [one for code in ways if "linalg" not in code for one in made(code)]  # it prints
    found: dict[str, str] = {}
    for _, words, code in sorted(every, key=lambda one: one[0]):
        found.setdefault(code, words)
    return tuple((words, code) for code, words in islice(found.items(), MOST))


def made(code: str) -> Iterator[tuple[int, str, str]]:
    """The program with each slip in turn: how seldom it is made, what it is, and the program.

    >>> (0, "a plus in place of a minus", "x = a + 2") in made("x = a - 2")
    True
    """
    tree = ast.parse(code)
    parameters = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    names = sorted({ast.unparse(n) for n in ast.walk(tree) if _is_given(n)})
    for node in list(ast.walk(tree)):
        own = getattr(node, "id", "") in parameters or _is_given(node)
        for seldom, words, other in (*_changes(node, names), *(_beside(node) if own else ())):
            _Put(node, other).visit(tree)
            yield seldom, words, ast.unparse(ast.fix_missing_locations(tree))
            _Put(other, node).visit(tree)


class _Put(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _is_given(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "given"


def _beside(node: ast.AST) -> Iterator[Slip]:
    """What people make of an argument, or of a number of the question."""
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        x = ast.unparse(node)
        for other in TABLES["beside"]["x"]:
            made = other.replace("x", x)
            yield 1, f"`{made}` in place of `{x}`", _read(made)


def _changes(node: ast.AST, names: list[str]) -> Iterator[Slip]:
    """What may stand in place of a node by one slip."""
    if isinstance(node, (ast.BinOp, ast.Call)):
        for digits, to in enumerate(("whole numbers", "one decimal", "two decimals")):
            rounded = ast.Call(_read("np.round"), [node, ast.Constant(digits)], [])
            yield 3, f"rounded to {to} on the way", rounded
    match node:
        case ast.BinOp():
            yield from _of_sign(node)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield 0, "a minus left out", inner
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as n):
            for number in (n + 1, n - 1, 2 * n, n / 2, n / 10, n * 10, -n):
                if number != n:
                    value = int(number) if number == int(number) else number
                    yield 2, f"`{number:g}` in place of `{n:g}`", ast.Constant(value)
        case ast.Call():
            yield from _of_call(node)
        case ast.Attribute(attr="T", value=inner):
            yield 0, "a matrix not transposed", inner
        case ast.Attribute() if _is_given(node):
            own = ast.unparse(node)
            for other in names:
                if other != own:
                    yield 1, f"`{other}` in place of `{own}`", _read(other)
                    yield 2, f"`{own} * {other}` in place of `{own}`", _read(f"{own} * {other}")
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None)):
            yield 0, "the order not reversed", inner
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for way in TABLES["comparisons"].get(type(op).__name__, ()):
                yield 1, "another comparison", ast.Compare(left, [getattr(ast, way)()], [right])
        case ast.List(elts=[one, two], ctx=ast.Load()):
            yield 0, "two values in the other order", ast.List([two, one], ast.Load())
        case ast.Tuple(elts=[one, two], ctx=ast.Load()):
            yield 0, "two values in the other order", ast.Tuple([two, one], ast.Load())
        case ast.Name(id="d" | "d_model" as name):
            yield 1, "the number of pairs in place of the width", _read(f"{name} // 2")


def _of_sign(node: ast.BinOp) -> Iterator[Slip]:
    kept = [(node.left, node.right)]
    if isinstance(node.op, (ast.Add, ast.Mult, ast.Sub)):
        kept.append((node.right, node.left))
    for one, gone in kept:
        text = ast.unparse(gone)
        yield 0, f"`{text}` left out" if len(text) < 12 else "a part left out", one
    words, *others = TABLES["signs"].get(type(node.op).__name__, [""])
    for other in others:
        said = f"{TABLES['signs'][other][0]} in place of {words}"
        new = ast.BinOp(node.left, getattr(ast, other)(), node.right)
        yield int(other == "FloorDiv"), said, new
    if isinstance(node.op, (ast.Sub, ast.Div, ast.Pow, ast.MatMult)):
        yield 0, "the two sides exchanged", ast.BinOp(node.right, node.op, node.left)
    if isinstance(node.op, ast.Div):
        root = ast.BinOp(node.right, ast.Pow(), ast.Constant(0.5))
        yield 1, "a root where none belongs", ast.BinOp(node.left, node.op, root)


def _of_call(node: ast.Call) -> Iterator[Slip]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    whole = ast.unparse(node.func)
    for other in TABLES["calls"].get(name, ()):
        start = whole.removesuffix(name) or ("math." if other in ("floor", "ceil") else "")
        call = ast.Call(_read(start + other), node.args, node.keywords)
        yield 0, f"`{other}` in place of `{name}`", call
    if name in TABLES["forgotten"]["calls"] and node.args:
        yield 0, f"`{name}` left out", node.args[0]
    if name in ("sum", "max", "mean", "dot"):
        yield 1, "a root where none belongs", ast.BinOp(node, ast.Pow(), ast.Constant(0.5))
    for turned in ("radians", "degrees") if name in ("sin", "cos", "tan") and node.args else ():
        inner = ast.Call(_read(f"np.{turned}"), [node.args[0]], [])
        yield 0, "degrees where radians belong", ast.Call(node.func, [inner], [])
    for base in (2, 10) if name == "exp" and node.args else ():
        power = ast.BinOp(ast.Constant(base), ast.Pow(), node.args[0])
        yield 0, f"`{base}` in place of e", power
    if len(node.args) == 2 and name in ("atan2", "arctan2", "outer", "divmod", "rotation"):
        yield 0, f"the arguments of `{name}` exchanged", ast.Call(node.func, node.args[::-1], [])
    if name in ("range", "arange") and len(node.args) == 1:
        stop = ast.unparse(node.args[0])
        ways = {"counting from 1": f"1, ({stop}) + 1", "counting without the first": f"1, {stop}",
                "one too few": f"({stop}) - 1", "one too many": f"({stop}) + 1"}  # fmt: skip
        for words, arguments in ways.items():
            yield 0, words, _read(f"{whole}({arguments})")
    for n, keyword in enumerate(node.keywords):
        rest = [other for m, other in enumerate(node.keywords) if m != n]
        yield 0, f"`{keyword.arg}` left out", ast.Call(node.func, node.args, rest)


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
