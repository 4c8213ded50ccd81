"""One slip in a right solution: which one gives what a learner has, where no known mistake does.

A slip is what people do without meaning to: a sine for a cosine, a plus for a minus, a factor left
out, one too many. Each is made in the question's own right ways, one at a time, and tried; so what
is told is true of the values, whatever the learner wrote.
"""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from pe_lib.course.grading.agreement import same
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.outcome import Outcome, value_of
from pe_lib.course.grading.sheet import Question

MOST = 800  # slips that are tried at a question
SECONDS = 1.0  # of a processor, for all of them
SLOW = 0.2  # seconds for one value
OTHERS = {  # calls that are taken for one another
    "sin": ("cos", "tan", "arcsin"), "cos": ("sin",), "asin": ("acos", "atan", "sin"),
    "acos": ("asin",), "arcsin": ("arccos",), "log": ("log2", "log10"),
    "max": ("min", "sum", "mean"),
    "min": ("max",), "argmax": ("argmin",), "argmin": ("argmax",), "sum": ("mean", "max", "prod"),
    "mean": ("sum", "median", "max"), "round": ("floor", "ceil"), "floor": ("ceil", "round"),
    "ceil": ("floor",), "hstack": ("vstack",), "tile": ("repeat",), "repeat": ("tile",),
    "clip": ("mod",), "var": ("std",), "std": ("var",), "tri": ("triu",), "outer": ("add.outer",),
}  # fmt: skip
DROPPED = {
    "sqrt",
    "abs",
    "round",
    "sorted",
    "sort",
    "log",
    "exp",
    "asin",
    "acos",
    "floor",
    "radians",
}
SIGNS: dict[type[ast.operator], tuple[str, tuple[type[ast.operator], ...]]] = {
    ast.Add: ("a plus", (ast.Sub, ast.Mult)),
    ast.Sub: ("a minus", (ast.Add,)),
    ast.Mult: ("a product", (ast.Div, ast.Add)),
    ast.Div: ("a quotient", (ast.Mult, ast.FloorDiv, ast.Sub)),
    ast.FloorDiv: ("a whole quotient", (ast.Div,)),
    ast.Pow: ("a power", (ast.Mult,)),
    ast.Mod: ("a remainder", (ast.FloorDiv,)),
}
COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE), ast.Eq: (ast.NotEq,),
}  # fmt: skip
Slip = tuple[str, ast.expr]


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
        same(question, value_of(question, answer, part, seed, draw, SLOW), value)
        for part, values in got.items()
        for draw, value in enumerate(values)
    )


@lru_cache(maxsize=256)
def _slips(question: Question) -> tuple[tuple[str, str], ...]:
    """Each slip in the question's right ways, as words and as a program."""
    found: dict[str, str] = {}
    for way in (question.solution, *question.also_right):
        for words, code in made(way.code) if "linalg" not in way.code else ():  # it prints
            found.setdefault(code, words)
    return tuple((words, code) for code, words in islice(found.items(), MOST))


def made(code: str) -> Iterator[tuple[str, str]]:
    """The program with each slip in turn, and what it is in words.

    >>> dict(made("x = a - 2"))["a plus in place of a minus"]
    'x = a + 2'
    """
    tree = ast.parse(code)
    parameters = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    names = sorted({ast.unparse(n) for n in ast.walk(tree) if _is_given(n)})
    for node in list(ast.walk(tree)):
        own = getattr(node, "id", "") in parameters or _is_given(node)
        for words, other in (*_changes(node, names), *(_beside(node) if own else ())):
            _Put(node, other).visit(tree)
            yield words, ast.unparse(ast.fix_missing_locations(tree))
            _Put(other, node).visit(tree)


class _Put(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _is_given(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "given"


def _beside(node: ast.AST) -> Iterator[Slip]:
    """One more or less than an argument, or a number of the question, or the other sign."""
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        text = ast.unparse(node)
        yield f"`{text} + 1` in place of `{text}`", _plus(node, ast.Add(), 1)
        yield f"`{text} - 1` in place of `{text}`", _plus(node, ast.Sub(), 1)
        yield f"`-{text}` in place of `{text}`", ast.UnaryOp(ast.USub(), node)


def _changes(node: ast.AST, names: list[str]) -> Iterator[Slip]:
    """What may stand in place of a node by one slip."""
    match node:
        case ast.BinOp():
            yield from _of_sign(node)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield "a minus left out", inner
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as n):
            for number in (n + 1, n - 1, 2 * n, n / 2, n / 10, n * 10, -n):
                if number != n:
                    value = int(number) if number == int(number) else number
                    yield f"`{number:g}` in place of `{n:g}`", ast.Constant(value)
        case ast.Call():
            yield from _of_call(node)
        case ast.Attribute(attr="T", value=inner):
            yield "a matrix not transposed", inner
        case ast.Attribute() if _is_given(node):
            own = ast.unparse(node)
            for other in names:
                if other != own:
                    yield f"`{other}` in place of `{own}`", _read(other)
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None)):
            yield "the order not reversed", inner
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for way in COMPARED.get(type(op), ()):
                yield "another comparison", ast.Compare(left, [way()], [right])
        case ast.List(elts=[one, two], ctx=ast.Load()):
            yield "two values in the other order", ast.List([two, one], ast.Load())
        case ast.Tuple(elts=[one, two], ctx=ast.Load()):
            yield "two values in the other order", ast.Tuple([two, one], ast.Load())
        case ast.Name(id="d" | "d_model"):
            yield "the number of pairs in place of the width", _plus(node, ast.FloorDiv(), 2)


def _of_sign(node: ast.BinOp) -> Iterator[Slip]:
    words, others = SIGNS.get(type(node.op), ("", ()))
    for other in others:
        yield f"{SIGNS[other][0]} in place of {words}", ast.BinOp(node.left, other(), node.right)
    if isinstance(node.op, (ast.Sub, ast.Div, ast.Pow, ast.MatMult)):
        yield "the two sides exchanged", ast.BinOp(node.right, node.op, node.left)
    kept = [(node.left, node.right)]
    if isinstance(node.op, (ast.Add, ast.Mult, ast.Sub)):
        kept.append((node.right, node.left))
    for one, gone in kept:
        text = ast.unparse(gone)
        yield f"`{text}` left out" if len(text) < 12 else "a part left out", one


def _of_call(node: ast.Call) -> Iterator[Slip]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    whole = ast.unparse(node.func)
    for other in OTHERS.get(name, ()):
        start = whole.removesuffix(name) or ("math." if other in ("floor", "ceil") else "")
        call = ast.Call(_read(start + other), node.args, node.keywords)
        yield f"`{other}` in place of `{name}`", call
    if name in DROPPED and node.args:
        yield f"`{name}` left out", node.args[0]
    if name in ("sin", "cos", "tan", "exp") and node.args:
        for turned in ("radians", "degrees") if name != "exp" else ():
            inner = ast.Call(_read(f"np.{turned}"), [node.args[0]], [])
            yield "degrees where radians belong", ast.Call(node.func, [inner], [])
        for base in (2, 10) if name == "exp" else ():
            yield f"`{base}` in place of e", ast.BinOp(ast.Constant(base), ast.Pow(), node.args[0])
        turn = ast.BinOp(ast.Constant(2 * np.pi), ast.Mult(), node.args[0])
        yield "turns where radians belong", ast.Call(node.func, [turn], [])
        yield f"`{name}` left out", node.args[0]
    if len(node.args) == 2 and name in ("atan2", "arctan2", "outer", "divmod", "rotation"):
        yield f"the arguments of `{name}` exchanged", ast.Call(node.func, node.args[::-1], [])
    if name in ("range", "arange") and len(node.args) == 1:
        stop = node.args[0]
        ways: tuple[tuple[str, list[ast.expr]], ...] = (
            ("counting from 1", [ast.Constant(1), _plus(stop, ast.Add(), 1)]),
            ("counting without the first", [ast.Constant(1), stop]),
            ("one too few", [_plus(stop, ast.Sub(), 1)]),
            ("one too many", [_plus(stop, ast.Add(), 1)]),
        )
        for words, args in ways:
            yield words, ast.Call(node.func, args, node.keywords)
    for n, keyword in enumerate(node.keywords):
        rest = [other for m, other in enumerate(node.keywords) if m != n]
        yield f"`{keyword.arg}` left out", ast.Call(node.func, node.args, rest)


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _plus(node: ast.expr, op: ast.operator, number: int) -> ast.expr:
    return ast.BinOp(node, op, ast.Constant(number))
