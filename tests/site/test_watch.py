"""While one writes: what changed is built and written, and the page in the browser follows."""

import os
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from little import build
from playwright.sync_api import Browser, expect

from _ext import formulas, lookups
from tools import watch
from tools.serve import Reloading, Server

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
        ("chapters/02-two", "## More", "## Less", True),
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
def test_what_failed_is_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "environment.pickle"
    kept.write_bytes(b"before")

    def fails(arguments: list[str], standalone_mode: bool) -> None:
        kept.write_bytes(b"after")
        os.write(1, b"a.md:3: WARNING: no such page\n")
        raise SystemExit(1)

    monkeypatch.setattr(watch, "KEPT", kept)
    for name in ("jupyter_book", "jupyter_book.cli", "jupyter_book.cli.main"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(main=fails))
    watch.build()
    assert kept.read_bytes() == b"before"
    said = capsys.readouterr().out
    assert "the site is as before" in said and "a.md:3: WARNING: no such page" in said


def test_the_page_in_the_browser_follows(browser: Browser, tmp_path: Path) -> None:
    def make(name: str, text: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "index.html").write_text(f"<body><h1>{text}</h1></body>", "utf-8")
        return folder

    site = make("site", "before")
    with Server(("127.0.0.1", 0), partial(Reloading, directory=str(site))) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{httpd.server_port}/")
        expect(page.locator("h1")).to_have_text("before")
        time.sleep(0.5)  # it has asked which folder that is
        draft = make("draft", "after")
        site.rename(tmp_path / "old")
        draft.rename(site)
        expect(page.locator("h1")).to_have_text("after")
        page.close()
        httpd.shutdown()
