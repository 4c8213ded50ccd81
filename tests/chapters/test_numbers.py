"""Test that each number in a chapter's prose appears in a nearby cell, or has a listed origin.

A number here has a decimal point, a comma for thousands, or two digits or more, or it is a
percentage. Whole numbers from 0 to 9 occur near every cell, so finding them would prove nothing. A
number must be printed by a nearby cell, to as many digits as the prose has, or occur in its code.
Otherwise it is listed in numbers.yml under its cell, with its origin:

shown     printed further off in the same notebook
stored    in a configuration or a recording in chapters/data
computed  by its expression in computed_numbers.py, or by the chapter's own test
seen      a place on an axis of the figure that is described
cited     from a linked source, from a trial that is described but not shown, or invented
plain     a whole number below 100 that the sentence itself chooses, counts or works out
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import yaml
from cells import CHAPTERS
from computed_numbers import COMPUTED
from nbformat import NotebookNode

from tools.notebooks import ROOT, read

LISTED = yaml.load((ROOT / "tests/chapters/numbers.yml").read_bytes(), yaml.CSafeLoader)
ORIGINS = ("shown", "stored", "computed", "seen", "cited", "plain")
PATHS = sorted(CHAPTERS.glob("*.ipynb"))
NEAR = 3  # a cell is near if it is at most this many cells before or after the number
EXACT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?(?:e[-+]?\d+)?")
WRITTEN = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w)( ?\\?%)?")
NO_NUMBERS = re.compile(
    r"```.*?```|`[^`]*`"  # code
    r"|\]\([^)]*\)|<[^>]*>|https?://\S+|[\w.-]+ #\d+"  # matches links, and numbers of issue threads
    # matches the numbers of equations, and the ids of claims in the audit
    r"|\\tag\{[^}]*\}|\((?:\d{1,2}|[A-D])\.D?\d{1,2}\)|\bS\d-\d+"
    r"|^ *\d+\. |\^\{?-?\d+\}?"  # matches the numbers of list items, and exponents
    r"|\b(?:[Ff]igures?|[Ss]ections?|[Cc]hapters?|[Tt]ables?)"
    r" [\d.]+D?\d*(?:(?:,| and| to|, and) [\d.]*D?\d+)*"
    r"|\b(?:[1][89]|20)\d\d\b(?![,.]\d)"  # years
    r"|\b(?:Llama|Phi|Command|GLM|EXAONE|SmolLM|Qwen|v)[ -]?\d\.\d|\b\d+\.\d+\.\d+\b",  # versions
    re.DOTALL | re.MULTILINE,
)


def parse(number: str) -> float:
    """Return the value of a number in the prose, such as 1,999 or 0.25 or 1e-10."""
    return float(number.rstrip(",.").replace(",", ""))


def count_decimals(number: str) -> int:
    return len(number.partition(".")[2])


def numbers_in_prose(cell: NotebookNode) -> list[tuple[str, bool]]:
    """Return the numbers in a Markdown cell, each with whether it is a percentage."""
    if cell.cell_type != "markdown":
        return []
    text = NO_NUMBERS.sub(" ", cell.source.replace("{,}", ","))
    numbers = [(match[1], bool(match[2])) for match in WRITTEN.finditer(text)]
    return [
        (number, is_share)
        for number, is_share in numbers
        if is_share or "." in number or "," in number or len(number) > 1
    ]


@cache
def notebook(stem: str) -> list[NotebookNode]:
    cells: list[NotebookNode] = read(CHAPTERS / f"{stem}.ipynb").cells
    return cells


@cache
def numbers_of_code(stem: str, index: int) -> tuple[list[tuple[float, int]], set[float]]:
    """Return the numbers that a cell prints, with their decimals, and the numbers in its code."""
    cell = notebook(stem)[index]
    if cell.cell_type != "code":
        return [], set()
    texts = [output.get("text", "") for output in cell.outputs]
    for output in cell.outputs:
        for kind, data in output.get("data", {}).items():
            if kind == "text/plain" or kind.endswith("+json"):
                texts.append(data if isinstance(data, str) else json.dumps(data))
    # Readers do not see a figure's size and fingerprint, so these are removed.
    printed = re.sub(r"\[figure [^\]]*\]", "", "\n".join(texts))
    code = re.sub(r"(?<=\d)_(?=\d)", "", cell.source)
    return (
        [(parse(number), count_decimals(number)) for number in EXACT.findall(printed)],
        {parse(number) for number in EXACT.findall(code)},
    )


def rounds_to(exact: float, number: str, part: int = 1) -> bool:
    """Return whether `exact`, rounded to the decimals of `number`, equals `number`."""
    half_digit = 0.5001 * 10.0 ** -count_decimals(number)
    return abs(parse(number) / part - abs(exact)) <= half_digit / part


def is_shown(stem: str, indices: Iterable[int], number: str, is_share: bool) -> bool:
    """Return whether one of these cells prints the number or contains it in its code.

    A percentage may be shown as a fraction, such as 0.25 for 25 %.
    """
    for index in indices:
        printed, code = numbers_of_code(stem, index)
        for part in (1, 100) if is_share else (1,):
            if parse(number) / part in code:
                return True
            for exact, decimals in printed:
                # A printed number with fewer decimals than the prose does not confirm its number.
                is_precise = decimals >= count_decimals(number)
                if exact == parse(number) / part or (is_precise and rounds_to(exact, number, part)):
                    return True
    return False


def find_unexplained(stem: str, cells: list[NotebookNode]) -> list[tuple[str, str]]:
    """Return each number that no nearby output and no list explains, with its cell's id."""
    unexplained = []
    for index, cell in enumerate(cells):
        listed = " ".join(LISTED.get(stem, {}).get(cell.id, {}).values()).split()
        near = range(max(0, index - NEAR), min(len(cells), index + NEAR + 1))
        unexplained += [
            (cell.id, number)
            for number, is_share in numbers_in_prose(cell)
            if number not in listed and not is_shown(stem, near, number, is_share)
        ]
    return unexplained


WHAT_TO_DO = f"""\
No cell of {{name}} prints these numbers within {NEAR} cells of where the text says them:
{{numbers}}
If a number is wrong, correct the text. If it is right, print it in a cell near by; or list it in
tests/chapters/numbers.yml under its cell, as one of {", ".join(ORIGINS)}:
the head of tests/chapters/test_numbers.py says what each means."""


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_number_in_the_prose_is_shown_near_by_or_listed(path: Path) -> None:
    numbers = find_unexplained(path.stem, notebook(path.stem))
    lines = [f"    {number} in cell {name}" for name, number in numbers]
    assert not numbers, WHAT_TO_DO.format(name=path.name, numbers="\n".join(lines))


@pytest.mark.parametrize("stem", COMPUTED)
def test_what_is_computed_beside_its_number_rounds_to_it(stem: str) -> None:
    for number, exact in COMPUTED[stem]().items():
        assert rounds_to(float(exact), number), f"{stem} says {number}, and it is {exact}"


@pytest.mark.parametrize("stem", LISTED)
def test_what_is_listed_stands_in_its_cell_and_is_what_it_is_said_to_be(stem: str) -> None:
    cells = {cell.id: cell for cell in notebook(stem)}
    for name, origins in LISTED[stem].items():
        assert origins.keys() <= set(ORIGINS), f"{name}: {origins.keys()} are not all of {ORIGINS}"
        is_share = dict(numbers_in_prose(cells[name]))
        for number in " ".join(origins.values()).split():
            assert number in is_share, f"{name} has no {number} any more"
        for number in origins.get("shown", "").split():
            assert is_shown(stem, range(len(cells)), number, is_share[number]), (name, number)
        assert {parse(number) for number in origins.get("stored", "").split()} <= stored_numbers()


@cache
def stored_numbers() -> set[float]:
    """Return the whole numbers in stored configurations and in the recordings' settings."""
    texts = [path.read_text("utf-8") for path in (CHAPTERS / "data/checkpoints").glob("*.json")]
    for path in (CHAPTERS / "data").glob("*.json"):
        data = json.loads(path.read_text("utf-8"))
        texts.append(json.dumps(data.get("settings", {}) if isinstance(data, dict) else {}))
    whole = re.compile(r"(?<![\d.])\d+(?:\.0)?(?![\d.])")
    return {float(number) for text in texts for number in whole.findall(text)}
