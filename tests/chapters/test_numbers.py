"""Every number in the prose of a chapter is one that the chapter shows, or has its origin stored.

A number has a decimal point, a comma for thousands, two digits and more, or is a percentage; whole
numbers from 0 to 9 stand near every cell, so that to look for them would prove nothing. A number
must be printed, to the rounding it is written with, or stand in the code, of a cell near by. Where
it is not, it is listed in numbers.yml under its cell, with what it is:

shown     printed further off in the same notebook
stored    in a configuration or a recording in chapters/data
computed  from the expression beside it, or by the chapter's own test
seen      a place on an axis of the figure that is described
cited     from what is linked beside it, from a trial that is described and not shown, or made up
plain     a whole number below 100 that the sentence itself chooses, counts or works out
"""

import json
import math
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from cells import CHAPTERS
from nbformat import NotebookNode

import pe_lib
from pe_lib import biases, context, rotary
from pe_lib.course.audit import claims
from tests.recorded import recorded
from tools.notebooks import ROOT, read

LISTED = yaml.load((ROOT / "tests/chapters/numbers.yml").read_bytes(), yaml.CSafeLoader)
ORIGINS = ("shown", "stored", "computed", "seen", "cited", "plain")
PATHS = sorted(CHAPTERS.glob("*.ipynb"))
NEAR = 3  # cells before and after
EXACT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?(?:e[-+]?\d+)?")
WRITTEN = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w)( ?\\?%)?")
NO_NUMBERS = re.compile(
    r"```.*?```|`[^`]*`"  # code
    r"|\]\([^)]*\)|<[^>]*>|https?://\S+|[\w.-]+ #\d+"  # links, and threads by their number
    r"|\\tag\{[^}]*\}|\((?:\d{1,2}|[A-D])\.\d{1,2}\)|\bS\d-\d+"  # formulas, claims of the audit
    r"|^ *\d+\. |\^\{?-?\d+\}?"  # an item of a list; an exponent
    r"|\b(?:[Ff]igures?|[Ss]ections?|[Cc]hapters?|[Tt]ables?)"
    r" [\d.]+(?:(?:,| and| to|, and) [\d.]*\d)*"
    r"|\b(?:[1][89]|20)\d\d\b(?![,.]\d)"  # years
    r"|\b(?:Llama|Phi|Command|GLM|EXAONE|SmolLM|Qwen|v)[ -]?\d\.\d|\b\d+\.\d+\.\d+\b",  # versions
    re.DOTALL | re.MULTILINE,
)


def value(number: str) -> float:
    return float(number.rstrip(",.").replace(",", ""))


def decimals(number: str) -> int:
    return len(number.partition(".")[2])


def written(cell: NotebookNode) -> list[tuple[str, bool]]:
    """The numbers of a cell of prose, and whether each is a percentage."""
    if cell.cell_type != "markdown":
        return []
    text = NO_NUMBERS.sub(" ", cell.source.replace("{,}", ","))
    found = [(m[1], bool(m[2])) for m in WRITTEN.finditer(text)]
    return [(n, share) for n, share in found if share or "." in n or "," in n or len(n) > 1]


@cache
def notebook(stem: str) -> list[NotebookNode]:
    cells: list[NotebookNode] = read(CHAPTERS / f"{stem}.ipynb").cells
    return cells


@cache
def shown(stem: str, place: int) -> tuple[list[tuple[float, int]], set[float]]:
    """What a cell prints, each number with its decimals, and the numbers in its code."""
    cell = notebook(stem)[place]
    if cell.cell_type != "code":
        return [], set()
    texts = [output.get("text", "") for output in cell.outputs]
    for output in cell.outputs:
        for kind, data in output.get("data", {}).items():
            if kind == "text/plain" or kind.endswith("+json"):
                texts.append(data if isinstance(data, str) else json.dumps(data))
    printed = re.sub(r"\[figure [^\]]*\]", "", "\n".join(texts))  # its size and fingerprint
    code = re.sub(r"(?<=\d)_(?=\d)", "", cell.source)
    return (
        [(value(n), decimals(n)) for n in EXACT.findall(printed)],
        {value(n) for n in EXACT.findall(code)},
    )


def rounds(exact: float, number: str, part: int = 1) -> bool:
    """Whether the number is this one, rounded to the digits that it is written with."""
    return abs(value(number) / part - abs(exact)) <= 0.5001 * 10.0 ** -decimals(number) / part


def is_shown(stem: str, places: Iterable[int], number: str, share: bool) -> bool:
    for place in places:
        printed, code = shown(stem, place)
        for part in (1, 100) if share else (1,):
            if value(number) / part in code:
                return True
            for exact, digits in printed:
                fine = digits >= decimals(number)  # what is printed coarser proves no digits
                if exact == value(number) / part or (fine and rounds(exact, number, part)):
                    return True
    return False


def unexplained(stem: str, cells: list[NotebookNode]) -> list[tuple[str, str]]:
    """Cell and number of what is neither shown near by nor listed."""
    found = []
    for place, cell in enumerate(cells):
        listed = " ".join(LISTED.get(stem, {}).get(cell.id, {}).values()).split()
        near = range(max(0, place - NEAR), min(len(cells), place + NEAR + 1))
        found += [
            (cell.id, number)
            for number, share in written(cell)
            if number not in listed and not is_shown(stem, near, number, share)
        ]
    return found


WHAT_TO_DO = f"""\
No cell of {{name}} prints these numbers within {NEAR} cells of where the text says them:
{{numbers}}
If a number is wrong, correct the text. If it is right, print it in a cell near by; or list it in
tests/chapters/numbers.yml under its cell, as one of {", ".join(ORIGINS)}:
the head of tests/chapters/test_numbers.py says what each means."""


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_number_in_the_prose_is_shown_near_by_or_listed(path: Path) -> None:
    numbers = unexplained(path.stem, notebook(path.stem))
    lines = [f"    {number} in cell {name}" for name, number in numbers]
    assert not numbers, WHAT_TO_DO.format(name=path.name, numbers="\n".join(lines))


KNOWN = {name: getattr(pe_lib, name) for name in pe_lib.__all__} | {
    "np": np, "biases": biases, "context": context, "rotary": rotary, "claims": claims,
    "recorded": recorded,
    **{name: getattr(math, name) for name in dir(math) if name[0] != "_"},
}  # fmt: skip


@pytest.mark.parametrize("stem", LISTED["expressions"])
def test_what_is_computed_beside_its_number_rounds_to_it(stem: str) -> None:
    for number, expression in LISTED["expressions"][stem].items():
        found = float(eval(str(expression), dict(KNOWN)))
        assert rounds(found, number), f"{number} is not {expression}, which is {found}"


@pytest.mark.parametrize("stem", sorted(LISTED.keys() - {"expressions"}))
def test_what_is_listed_stands_in_its_cell_and_is_what_it_is_said_to_be(stem: str) -> None:
    cells = {cell.id: cell for cell in notebook(stem)}
    for name, origins in LISTED[stem].items():
        assert origins.keys() <= set(ORIGINS)
        shares = dict(written(cells[name]))
        for number in " ".join(origins.values()).split():
            assert number in shares, f"{name} has no {number} any more"
        for number in origins.get("shown", "").split():
            assert is_shown(stem, range(len(cells)), number, shares[number]), (name, number)
        assert {value(number) for number in origins.get("stored", "").split()} <= stored()


@cache
def stored() -> set[float]:
    """Whole numbers in configurations, and in the settings of recordings."""
    texts = [path.read_text("utf-8") for path in (CHAPTERS / "data/checkpoints").glob("*.json")]
    for path in (CHAPTERS / "data").glob("*.json"):
        data = json.loads(path.read_text("utf-8"))
        texts.append(json.dumps(data.get("settings", {}) if isinstance(data, dict) else {}))
    return {float(n) for text in texts for n in re.findall(r"(?<![\d.])\d+(?:\.0)?(?![\d.])", text)}
