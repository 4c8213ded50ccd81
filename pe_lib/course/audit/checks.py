"""The claims as data, and what their checks find.

The claims of each page stand in a TOML file beside this module, a table a claim, named by its id
(S2-10). `says` is what the page says, in our words; `verdict` is one of VERDICTS; `right` is what
is right, where the page is not; `chapter` teaches it. The other keys are the check:

- `given`: assignments, which compute what the other three name;
- `holds`: an expression, true if the claim is right as it stands;
- `kindly`: an expression, true if a kind reading of the claim holds;
- `found`: what was computed, in a sentence: an f-string without its quotes.

They know NAMES, and what stands in the page's module, `overview.py` beside `overview.toml`: the
printed tables, and experiments that are long or serve several claims. A claim with a `record`, a
paper and its section, is quoted and not computed; one with neither `holds` nor `record` can't be
checked. Claims with the same check name it (`check`, of the table [checks.…]), give it their values
(`with`) and may replace a part of it. What a page prints in tables is in [printed].
"""

from __future__ import annotations

import importlib
import tomllib
from ast import literal_eval
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from pe_lib.candidates import positions_from_value
from pe_lib.course.audit import oracles
from pe_lib.course.audit.readings import printed, readings
from pe_lib.course.model import accuracy, schemes, tasks, train
from pe_lib.course.model.transformer import softmax
from pe_lib.relative import rotation
from pe_lib.rotary import rotate
from pe_lib.sinusoidal import frequencies, wavelengths

VERDICTS = ("right", "imprecise", "wrong", "cannot be checked")

# The five pages, by the names that the appendix and the files give them
PAGES = {
    "S0": "overview",
    "S1": "course section",
    "S2": "article",
    "S3": "book chapter",
    "S4": "questions and answers",
}

# What checks know: oracles with what it imports (math, np, encode, attention …), and these
MORE = (literal_eval, Counter, Fraction, frequencies, wavelengths, rotation, rotate, softmax,
        positions_from_value, schemes, tasks, train, accuracy, printed, readings)  # fmt: skip
NAMES = vars(oracles) | {each.__name__.rpartition(".")[2]: each for each in MORE}


@dataclass(frozen=True, eq=False)
class Claim:
    """One claim of one page, as it stands in the page's file."""

    id: str
    chapter: str
    says: str
    verdict: str
    found: str
    right: str = ""
    record: str = ""
    given: str = ""
    holds: str = ""
    kindly: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return self.id.split("-")[0]


@dataclass(frozen=True)
class Finding:
    """What a check found: one of VERDICTS, and what was computed, in a sentence."""

    verdict: str
    evidence: str


@cache
def claims(source: str = "") -> tuple[Claim, ...]:
    """All claims, or those of one page ("S0" to "S4"), in the order of the page."""
    if not source:
        return tuple(claim for page in PAGES for claim in claims(page))
    file = Path(__file__).with_name(_file(source) + ".toml")
    tables = tomllib.loads(file.read_text("utf-8"))
    checks, _ = (tables.pop(name, {}) for name in ("checks", "printed"))
    return tuple(_claim(id, table, checks) for id, table in tables.items())


def _claim(id: str, table: dict[str, Any], checks: dict[str, dict[str, str]]) -> Claim:
    shared = checks[table.pop("check")] if "check" in table else {}
    return Claim(id=id, values=table.pop("with", {}), **(shared | table))


def _file(source: str) -> str:
    return PAGES[source].replace(" ", "_")


@cache
def finding(claim: Claim) -> Finding:
    """What the check of this claim finds now."""
    room = importlib.import_module(f"pe_lib.course.audit.{_file(claim.source)}")
    try:
        return _found(claim, NAMES | vars(room) | claim.values)
    except Exception as error:
        error.add_note(f"in the check of {claim.id}")
        raise


def _found(claim: Claim, names: dict[str, Any]) -> Finding:
    exec(claim.given, names)
    evidence = eval(f'f"""{claim.found}"""', names)
    if claim.record:
        return Finding(claim.verdict, f"{claim.record}: {evidence}")
    if not claim.holds:
        return Finding("cannot be checked", evidence)
    if eval(claim.holds, names):
        return Finding("right", evidence)
    kindly = claim.kindly and eval(claim.kindly, names)
    return Finding("imprecise" if kindly else "wrong", evidence)
