"""The table of claims, and the checks behind it."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pe_lib.course.audit.finding import Finding

FOLDER = Path(__file__).parent / "claims"

# The five pages, by the names that the appendix gives them
PAGES = {
    "S0": "overview",
    "S1": "course section",
    "S2": "article",
    "S3": "book chapter",
    "S4": "questions and answers",
}


@dataclass(frozen=True)
class Claim:
    """One claim of one source.

    `says` is what the page says, in our words; `right` what is right, '' where the page is;
    `chapter` the stem of the chapter that teaches it; `check` names a module and a function here.
    """

    id: str
    kind: str
    says: str
    verdict: str
    right: str
    chapter: str
    check: str

    @property
    def source(self) -> str:
        return self.id.split("-")[0]


@cache
def claims(source: str = "") -> tuple[Claim, ...]:
    """All claims, or those of one source ("S0" to "S4"), in the order of the page."""
    files = sorted(FOLDER.glob(f"{source or 'S'}*.json"))
    return tuple(Claim(**entry) for file in files for entry in json.loads(file.read_text("utf-8")))


@cache
def finding(claim: Claim) -> Finding:
    """What the check of this claim finds now."""
    module, _, name = claim.check.partition(".")
    found: Finding = getattr(importlib.import_module(f"pe_lib.course.audit.{module}"), name)()
    return found
