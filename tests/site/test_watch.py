"""While one writes: what changed is built and written."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from little import build

from _ext import formulas, lookups
from tools import watch

EXTENSIONS = "_ext.formulas", "_ext.places", "_ext.lookups", "_ext.writer"
BOOK = {
    "index": "# Book\n\n```{toctree}\n:glob:\nchapters/*\n```",
    "chapters/00-one": "# One\n\nSee the base.",
    "chapters/02-two": "# Two\n\n$$x \\tag{2.1}$$\n\n## More\n\nText.",
    "chapters/appendix-notation": '# Notation\n\n- <a id="term-base"></a>**base**: a number.',
    "chapters/appendix-bibliography": '# Sources\n\n- <a id="ash2021"></a>Ash (2021). Trees.',
}


@pytest.mark.parametrize(
    ("page", "old", "new", "others"),
    [
        ("chapters/02-two", "Text.", "Words.", False),
        ("chapters/02-two", "2.1", "2.2", True),
        ("chapters/appendix-notation", "a number", "the number", True),
    ],
)
def test_all_pages_are_written_if_what_they_look_up_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, old: str, new: str, others: bool
) -> None:
    monkeypatch.setattr(formulas, "copy", lambda app: None)  # of fonts, which are not needed here
    asked: list[list[str]] = []
    everything = lookups.everything
    monkeypatch.setattr(lookups, "everything", lambda *given: asked.append(everything(*given)))
    build(tmp_path, BOOK, *EXTENSIONS)
    changed = BOOK[page].replace(old, new)
    assert changed != BOOK[page]
    build(tmp_path, {page: changed}, *EXTENSIONS, fresh=False)
    assert asked == [sorted(BOOK), sorted(BOOK) if others else []]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_what_failed_is_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "environment.pickle"
    kept.write_bytes(b"before")

    def fails(arguments: list[str], standalone_mode: bool) -> None:
        kept.write_bytes(b"after")
        raise SystemExit(1)

    monkeypatch.setattr(watch, "KEPT", kept)
    for name in ("jupyter_book", "jupyter_book.cli", "jupyter_book.cli.main"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(main=fails))
    watch.build()
    assert kept.read_bytes() == b"before"
