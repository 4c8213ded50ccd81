"""Find a small slip that turns the correct solution into the learner's answer.

A slip is a small error that people make without meaning to: a sine for a cosine, a plus for a
minus, a factor left out, a number too large by one (slips.toml). If no known mistake fits, each
slip is made in the question's own solutions, one at a time, and the program is run. So the
learner's values are exactly those that the slip gives, whatever program the learner wrote.
"""

import ast
import builtins
import dis
import re
import time
import tomllib
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, islice, zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.agreement import is_same_part, is_same_value, split_pieces
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.outcome import Outcome, Value, compute_value, reference_outcomes
from pe_lib.course.grading.sheet import Question, Variant

MOST_IN_MISTAKE = 60  # the largest number of slips that are tried in a known mistake
MOST = 1_500  # the largest number of slips that are tried for a question
SECONDS = 0.6  # the limit on processor time, in seconds, for all slips of a question
SLOW = 0.2  # the limit on processor time, in seconds, for one value
LONGEST = 30  # if an expression is longer, a description calls it A_PART and does not show it
A_PART = "one of its parts"
# Among hundreds of slips, some give the learner's number by chance if the number has fewer digits
# than this.
LEAST_DIGITS = {"whole": 5, "fraction": 4}
LEAST_BITS = 16  # an array of zeros and ones with fewer entries is no evidence
# the tables in slips.toml, in the order in which their slips are tried
RANKS = ("often", "sometimes", "seldom")


@dataclass(frozen=True)
class SlipRule:
    """A row of slips.toml: a correct expression, an incorrect expression, and a description."""

    rank: int
    right: ast.expr
    wrong: str
    words: str


def read_rules(table: dict[str, list[dict[str, str]]]) -> list[SlipRule]:
    """Read the slip rules in slips.toml, or raise ValueError for an unknown table or field."""
    if unknown := set(table) ^ set(RANKS):
        raise ValueError(f"slips.toml: {', '.join(unknown)}; the tables are {', '.join(RANKS)}")
    rules = []
    for rank, name in enumerate(RANKS):
        for row in table[name]:
            if set(row) != {"right", "wrong", "words"}:
                raise ValueError(
                    f"slips.toml, {name}: the fields are right, wrong, words, not {row}"
                )
            right = ast.parse(row["right"], mode="eval").body
            rules.append(SlipRule(rank, right, row["wrong"], row["words"]))
    return rules


# matches the functions that pass their arguments on to LAPACK
CALLS_LAPACK = re.compile(r"linalg\.(?!norm)|\b(?:polyfit|lstsq|pinv|svd|solve|inv|roots)\b")
RULES = read_rules(tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8")))
_unparse = lru_cache(maxsize=10_000)(ast.unparse)


def find_slip(question: Question, outcome: Outcome, seed: int) -> str:
    """Describe the slip by which a correct solution gives the learner's values, or return ''.

    The description completes the sentence "A correct solution gives exactly your result if …". If
    no slip gives the whole outcome, describe a slip that gives all wrong parts of the outcome,
    provided that a learner could hardly have these values by chance.
    """
    solution = reference_outcomes(question, seed)["solution"]
    mine, right = split_pieces(question, outcome), split_pieces(question, solution)
    fine = {p: mine[p] for p in mine if is_same_part(question, mine[p], right.get(p, ()))}
    wrong = {p: mine[p] for p in mine if p not in fine}
    if not is_evidence([value for values in wrong.values() for value in values]):
        return ""
    is_sure = all(any(map(_is_fraction, values)) for values in wrong.values())
    end, partial = time.process_time() + SECONDS, ""
    for words, code in _slips(question):
        if time.process_time() > end:
            break
        if _gives(question, code, wrong, seed):
            if _gives(question, code, fine, seed):
                return words
            if is_sure and not partial:
                partial = words
    return partial


def find_slip_in_mistake(
    question: Question, outcome: Outcome, seed: int
) -> tuple[Variant | None, str]:
    """Find a known mistake whose program, after one more slip, gives all of the learner's values.

    Return the mistake and the description of the slip, or None and an empty text. The description
    is empty as well if a correct solution stays correct with this slip, so that it is no error. A
    function is tried on several sets of numbers, so two errors together are hardly found by chance.
    """
    solution = reference_outcomes(question, seed)["solution"]
    wrong = [p for p in outcome if not is_same_part(question, outcome[p], solution[p])]
    if question.kind != "code" or not is_evidence([v for part in wrong for v in outcome[part]]):
        return None, ""
    end = time.process_time() + SECONDS
    programs = [_slips_in_mistake(question, mistake.name) for mistake in question.mistakes]
    # the likeliest slip in each mistake is tried before the second likeliest slip in any of them
    for row in zip_longest(*programs):
        for mistake, slip in zip(question.mistakes, row, strict=True):
            if time.process_time() > end:
                return None, ""
            if slip and _gives(question, slip[1], outcome, seed):
                is_harmless = any(
                    words == slip[0] and _gives(question, code, solution, seed)
                    for words, code in _slips(question)
                )
                return mistake, "" if is_harmless else slip[0]
    return None, ""


def is_evidence(values: list[Value]) -> bool:
    """Return whether values have so many digits that a slip could hardly give them by chance."""
    arrays = [np.ravel(v) for v in values if isinstance(v, np.ndarray) and np.isfinite(v).all()]
    if any(array.size > 3 and np.ptp(array) > 0 and not _are_bits(array) for array in arrays):
        return True
    numbers = np.unique(np.concatenate([np.empty(0), *arrays]))
    kind = "whole" if np.array_equal(numbers, np.round(numbers)) else "fraction"
    digits = (f"{abs(n):.6g}".partition("e")[0].replace(".", "").strip("0") for n in numbers)
    return sum(map(len, digits)) >= LEAST_DIGITS[kind]


def _are_bits(array: NDArray[np.float64]) -> bool:
    """Return whether an array holds only a few zeros and ones.

    They may say which tests an answer passes, and many programs pass the same tests.
    """
    return array.size < LEAST_BITS and bool(np.isin(array, (0, 1)).all())


def describe_unused_arguments(question: Question, answer: object) -> str:
    """Name the arguments that the solution uses but the answer does not, or return ''."""
    solution = question.run_answer(question.solution.code)
    unused = sorted(_unread_arguments(answer) - _unread_arguments(solution))
    return f"It never uses {' and '.join(f'`{name}`' for name in unused)}." if unused else ""


def _unread_arguments(function: object) -> set[str]:
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return set()
    read = set(code.co_cellvars)
    for step in dis.get_instructions(code):
        if "LOAD" in step.opname:
            read |= set(step.argval) if isinstance(step.argval, tuple) else {step.argval}
    return set(code.co_varnames[: code.co_argcount]) - read


def is_telling(value: object) -> bool:
    """Return whether a learner could hardly have arrived at these numbers by chance."""
    if not isinstance(value, np.ndarray) or not np.isfinite(value).all():
        return False
    is_varied = value.size > 3 and np.ptp(value) > 0
    return bool(is_varied or np.any((value != np.round(value)) | (np.abs(value) >= 100)))


def _is_fraction(value: object) -> bool:
    return (
        is_telling(value)
        and isinstance(value, np.ndarray)
        and bool(np.any(value != np.round(value)))
    )


def _gives(question: Question, code: str, pieces: Outcome, seed: int) -> bool:
    """Return whether a program computes the values that the learner has in the given pieces."""
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"), limit(SLOW):
            answer = question.run_answer(code, seed)
    except (Exception, TooSlow):
        return False
    if question.kind == "numbers":
        value = compute_value(question, answer, "answer", seed, 0, SLOW)
        slipped = split_pieces(question, {"answer": (value,)})
        return all(
            place in slipped and _is_same_as_shown(question, pieces[place][0], slipped[place][0])
            for place in pieces
        )
    return all(
        _is_same_as_shown(question, value, compute_value(question, answer, part, seed, draw, SLOW))
        for part, values in pieces.items()
        for draw, value in enumerate(values)
    )


def _is_same_as_shown(question: Question, yours: Value, slipped: Value) -> bool:
    """Return whether two values agree in all digits that the learner typed, up to six of them."""
    if not is_same_value(question, slipped, yours):
        return False
    if not (isinstance(yours, np.ndarray) and isinstance(slipped, np.ndarray)):
        return True
    for mine, other in zip(np.sort(yours.ravel()), np.sort(slipped.ravel()), strict=True):
        decimals = len(f"{mine:.9f}".rstrip("0").partition(".")[2])
        if abs(mine - other) > max(0.51 * 10.0**-decimals, 2e-6 * abs(other)):
            return False
    return True


@lru_cache(maxsize=256)
def _slips(question: Question) -> tuple[tuple[str, str], ...]:
    """Return all slips in the correct solutions, each as a description and the changed program."""
    ways = (question.solution, *question.also_right)
    return tuple(_slips_in_programs(question, [way.code for way in ways], MOST, len(RANKS)))


@lru_cache(maxsize=1_024)
def _slips_in_mistake(question: Question, name: str) -> tuple[tuple[str, str], ...]:
    """Return the likeliest slips in a known mistake's program, in the same form as `_slips`."""
    code = next(mistake.code for mistake in question.mistakes if mistake.name == name)
    slips = _slips_in_programs(question, [code], MOST_IN_MISTAKE, 0)
    # A known mistake may consist in leaving something out. To leave it out once more is no slip.
    return tuple(slip for slip in slips if "is left out" not in slip[0])


def _slips_in_programs(
    question: Question, codes: list[str], most: int, last_rank: int
) -> list[tuple[str, str]]:
    # LAPACK itself prints a line for each invalid argument. So no slips are tried in programs that
    # call LAPACK.
    seen_names = known_names(question)
    codes = [code for code in codes if not CALLS_LAPACK.search(code)]
    slips = [slip for code in codes for slip in make_slips(code, seen_names)]
    words_of: dict[str, str] = {}
    for rank, words, code in sorted(slips, key=lambda slip: slip[0]):
        if rank <= last_rank:
            words_of.setdefault(code, words)
    return [(words, code) for code, words in islice(words_of.items(), most)]


@lru_cache(maxsize=256)
def known_names(question: Question) -> frozenset[str]:
    """Return the names that a learner has seen in the setup, the starter code or the prompt."""
    names: set[str] = {"given", *dir(builtins)}
    for node in ast.walk(ast.parse(f"{question.setup}\n{question.starter}")):
        for field in ("id", "arg", "name", "asname"):
            names.add(str(getattr(node, field, "")))
    words = re.findall(r"`([^`]+)`", question.prompt)
    return frozenset(names.union(*(re.findall(r"[^\W\d]\w*", word) for word in words)))


def make_slips(
    code: str, seen_names: frozenset[str] = frozenset()
) -> Iterator[tuple[int, str, str]]:
    """For each possible slip in `code`, yield how rare it is, a description and the changed code.

    A description shows only expressions whose names are in `seen_names`.

    >>> (0, "it has a plus in place of a minus", "x = ((a) + (2))") in make_slips("x = a - 2")
    True
    """
    tree, data = ast.parse(code), code.encode()
    line_starts = [0, *accumulate(len(line) for line in data.splitlines(keepends=True))]
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    attributes = {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    of_question = {text for text in attributes if text.startswith("given.")}

    def byte_index(line: int | None, column: int | None) -> int:
        return line_starts[(line or 1) - 1] + (column or 0)

    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            start = byte_index(node.lineno, node.col_offset)
            end = byte_index(node.end_lineno, node.end_col_offset)
            for rank, words, other in _slips_at(node, own, of_question, seen_names):
                yield rank, words, (data[:start] + f"({other})".encode() + data[end:]).decode()
        # this slip gives the parameter a wrong value once, at the start, so that all its uses
        # change
        if isinstance(node, ast.FunctionDef):
            body = node.body[0]
            start, indent = byte_index(body.lineno, body.col_offset), " " * body.col_offset
            for name in [argument.arg for argument in node.args.args]:
                for rank, words, other in _slips_at(
                    ast.Name(name, ast.Load()), own, of_question, seen_names
                ):
                    line = f"{name} = {other}\n{indent}".encode()
                    yield rank, words, (data[:start] + line + data[start:]).decode()


def _slips_at(
    node: ast.expr, own: set[str], of_question: set[str], seen_names: frozenset[str]
) -> Iterator[tuple[int, str, str]]:
    """For each slip in an expression, yield how rare it is, a description and the new code."""
    for rule in RULES:
        bound: dict[str, str] = {}
        if _matches(rule.right, node, own | of_question, bound):
            words, code = _fill_words(rule.words, bound, seen_names), rule.wrong
            for name, text in bound.items():
                code = re.sub(rf"\b{name}\b", f"({text})".replace("\\", r"\\"), code)
            yield rule.rank, words, code
    text = _unparse(node)
    if text in of_question:
        others = of_question - {text}
        likeness = {other: SequenceMatcher(None, text, other).ratio() for other in sorted(others)}
        for other in sorted(
            likeness, key=likeness.__getitem__, reverse=True
        ):  # names that look alike are the likeliest to be mixed up, so they are tried first
            yield 1, f"it has `{other}` in place of `{text}`", other
            yield 2, f"it has `{text} * {other}` in place of `{text}`", f"{text} * {other}"
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as n):
            yield from _slips_in_number(n)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            for keyword in keywords:
                rest = [other for other in keywords if other is not keyword]
                call = ast.unparse(ast.Call(function, arguments, rest))
                yield 0, f"`{keyword.arg}` is left out", call


def _slips_in_number(n: float) -> Iterator[tuple[int, str, str]]:
    """Yield slips that replace a number by a related one, such as its double or a tenth of it."""
    for value in (n + 1, n - 1, 2 * n, n / 2, n / 10, n * 10, -n):
        number = int(value) if value == int(value) else value
        if number != n:
            yield 2, f"it has `{number:g}` in place of `{n:g}`", repr(number)


def _fill_words(words: str, bound: dict[str, str], seen_names: frozenset[str]) -> str:
    """Fill the expressions from a program into the description of a slip.

    Long expressions, and those with a name that the learner has never seen, are called A_PART.

    >>> words, bound = "`_b` is left out of `_a - _b`", {"_a": "given.n", "_b": "1"}
    >>> _fill_words(words, bound, frozenset({"given"}))
    '`1` is left out of `given.n - 1`'
    >>> _fill_words(words, {"_a": "pairs", "_b": "1"}, frozenset())
    '`1` is left out of one of its parts'
    """

    def show(match: re.Match[str]) -> str:
        text = re.sub(r"\b_[a-fx]\b", lambda name: bound.get(name[0], name[0]), match[1])
        names = re.findall(r"(?<![\w.])[^\W\d]\w*", text) if text != match[1] else []
        return f"`{text}`" if len(text) <= LONGEST and seen_names.issuperset(names) else A_PART

    text = re.sub(r"`([^`]+)`", show, words)
    return text.replace(f"{A_PART} is left out of {A_PART}", f"{A_PART} is left out")


def _matches(pattern: ast.AST, node: ast.AST, own: set[str], bound: dict[str, str]) -> bool:
    """Return whether an expression in a program has the form of a pattern from slips.toml.

    The code that each name in the pattern matches is stored in `bound`.
    """
    if isinstance(pattern, ast.Name) and pattern.id.startswith("_"):
        text = _unparse(node)
        kinds = {"_x": text in own, "_e": isinstance(node, (ast.BinOp, ast.Call))}
        return kinds.get(pattern.id, True) and bound.setdefault(pattern.id, text) == text
    if type(pattern) is not type(node):
        return False
    for name, value in ast.iter_fields(pattern):
        both = value, getattr(node, name)
        patterns, nodes = (field if isinstance(field, list) else [field] for field in both)
        if len(patterns) != len(nodes):
            return False
        for inner, other in zip(patterns, nodes, strict=True):
            is_match = (
                _matches(inner, other, own, bound) if isinstance(inner, ast.AST) else inner == other
            )
            if not is_match:
                return False
    return True
