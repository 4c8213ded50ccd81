"""What need not be judged again: a page that passed, while nothing that it rests on has changed.

The proof is a digest of the page's bytes, of the style, scripts and fonts that it loads, of
test_pages.py with what that imports, and of the browser. It is kept in _build/proofs.json, on this
machine alone; `make test ALL=1` and CI judge everything.
"""

import hashlib
import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from built import ROOT, SITE

from tools.browser import system_chromium

KEPT = ROOT / "_build" / "proofs.json"
ABOUT_A_PAGE = re.compile(r"/test_pages\.py::\w+\[([\w/-]+\.html)\]$")
TESTS = ("built", "conftest", "hands", "painted", "proof", "test_pages", "visits")


@cache
def shared() -> bytes:
    """All that a verdict on any page rests on beside the page itself."""
    files = [p for p in (SITE / "_static").rglob("*") if p.is_file()]
    files += [Path(__file__).with_name(f"{name}.py") for name in TESTS]
    files += [ROOT / name for name in ("tools/serve.py", "constraints.txt", "package-lock.json")]
    known = hashlib.sha256()
    for file in sorted(files):
        known.update(file.read_bytes())
    if chromium := system_chromium():
        known.update(subprocess.run([chromium, "--version"], capture_output=True).stdout)
    return known.digest()


@cache
def proof(page: str) -> str:
    file = SITE / page
    content = file.read_bytes() if file.is_file() else b""
    return hashlib.sha256(shared() + content).hexdigest()


def kept() -> dict[str, str]:
    """The proof with which each test passed last, by its node id."""
    found: dict[str, str] = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}
    return found


def is_proven(nodeid: str, known: dict[str, str]) -> bool:
    page = ABOUT_A_PAGE.search(nodeid)
    return bool(page) and known.get(nodeid) == proof(page[1])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("ALL") or os.environ.get("CI"):
        return
    known = kept()
    verdicts = [(item, is_proven(item.nodeid, known)) for item in items]
    config.hook.pytest_deselected(items=[item for item, passed in verdicts if passed])
    items[:] = [item for item, passed in verdicts if not passed]


class Ledger:
    """Writes down what passed; where one test of a page failed, none of the page's did."""

    def __init__(self) -> None:
        self.passed: dict[str, str] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not (page := ABOUT_A_PAGE.search(report.nodeid)):
            return
        if report.failed:
            self.failed.add(page[1])
        elif report.when == "call" and report.passed:
            self.passed[report.nodeid] = page[1]

    def pytest_sessionfinish(self) -> None:
        new = {nodeid: proof(page) for nodeid, page in self.passed.items()
               if page not in self.failed}  # fmt: skip
        if new and KEPT.parent.is_dir():
            KEPT.write_text(json.dumps(kept() | new, indent=1) + "\n", "utf-8")
