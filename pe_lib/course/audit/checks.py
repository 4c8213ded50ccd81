"""Load the claims of five web pages, and run the checks that decide whether the claims are true.

The claims of each page stand in a TOML file next to this module. Each claim is a table that is
named by its id, such as S2-10. The key `says` is a paraphrase of the page, and `verdict` is one of
VERDICTS. Where the page is not right, `right` holds the correction. The key `chapter` names the
chapter that teaches it. Four more keys define the check:

- `setup`: assignments that compute the names used by the other three;
- `right_if`: an expression that is true if the claim is right as it stands;
- `imprecise_if`: an expression that is true if a kind reading of the claim is right;
- `evidence`: a sentence that says what was computed, as an f-string without its quotes.

This code can use NAMES and everything in the page's module, such as `overview.py` for
`overview.toml`. The module holds experiments that are long or serve several claims.

A claim with a `record`, which names a paper and its section, is quoted and not computed. A claim
with neither `right_if` nor `record` cannot be checked. Several claims can share a check. They name
a table [checks.…] by `check`, pass their values to it by `with`, and may replace parts of it. The
table [printed] holds the tables that a page prints.
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

# The names of the five audited pages, from which the names of their data files are built.
PAGES = {
    "S0": "overview",
    "S1": "course section",
    "S2": "article",
    "S3": "book chapter",
    "S4": "questions and answers",
}

# The code of a check in a TOML file can use the following names. It can also use all names in
# `oracles`, such as np.
MORE = (literal_eval, Counter, Fraction, frequencies, wavelengths, rotation, rotate, softmax,
        positions_from_value, schemes, tasks, train, accuracy, printed, readings)  # fmt: skip
NAMES = vars(oracles) | {each.__name__.rpartition(".")[2]: each for each in MORE}


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim on an audited page, with a field for each key in the claim's table in a TOML file."""

    id: str
    chapter: str
    says: str
    verdict: str
    evidence: str
    right: str = ""
    record: str = ""
    setup: str = ""
    right_if: str = ""
    imprecise_if: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return self.id.split("-")[0]


@dataclass(frozen=True)
class Finding:
    """The result of checking a claim: one of VERDICTS, and a sentence with the evidence."""

    verdict: str
    evidence: str


@cache
def claims(source: str = "") -> tuple[Claim, ...]:
    """Return all claims, or those of one page ("S0" to "S4"), page by page."""
    if not source:
        return tuple(claim for page in PAGES for claim in claims(page))
    file = Path(__file__).with_name(_file_stem(source) + ".toml")
    tables = tomllib.loads(file.read_text("utf-8"))
    checks, _ = (tables.pop(name, {}) for name in ("checks", "printed"))
    return tuple(_make_claim(id, table, checks) for id, table in tables.items())


def _make_claim(id: str, table: dict[str, Any], checks: dict[str, dict[str, str]]) -> Claim:
    shared = checks[table.pop("check")] if "check" in table else {}
    return Claim(id=id, values=table.pop("with", {}), **(shared | table))


def _file_stem(source: str) -> str:
    return PAGES[source].replace(" ", "_")


@cache
def finding(claim: Claim) -> Finding:
    """Run the check for a claim, and return the verdict together with the evidence."""
    module = importlib.import_module(f"pe_lib.course.audit.{_file_stem(claim.source)}")
    try:
        return _run_check(claim, NAMES | vars(module) | claim.values)
    except Exception as error:
        error.add_note(f"in the check of {claim.id}")
        raise


def _run_check(claim: Claim, names: dict[str, Any]) -> Finding:
    exec(claim.setup, names)
    evidence = eval(f'f"""{claim.evidence}"""', names)
    if claim.record:
        return Finding(claim.verdict, f"{claim.record}: {evidence}")
    if not claim.right_if:
        return Finding("cannot be checked", evidence)
    if eval(claim.right_if, names):
        return Finding("right", evidence)
    is_imprecise = claim.imprecise_if and eval(claim.imprecise_if, names)
    return Finding("imprecise" if is_imprecise else "wrong", evidence)
