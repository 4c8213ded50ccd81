"""While one writes: what changed is built and written."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from little import build
from playwright.sync_api import Browser, expect

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


@pytest.mark.parametrize(("status", "then"), [(0, b"after"), (1, b"before")])
def test_what_failed_is_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, then: bytes
) -> None:
    kept = tmp_path / "environment.pickle"
    kept.write_bytes(b"before")
    monkeypatch.setattr(watch, "KEPT", kept)
    ended = SimpleNamespace(
        start=lambda: kept.write_bytes(b"after"), join=lambda: None, exitcode=status
    )
    watch.build(SimpleNamespace(Process=lambda target, args: ended))
    assert kept.read_bytes() == then


def test_a_page_comes_again_when_its_folder_was_made_anew(tmp_path: Path, browser: Browser) -> None:
    policy = """<meta http-equiv="Content-Security-Policy" content="default-src 'self'">"""
    for name in ("site", "draft"):
        (tmp_path / name).mkdir()
        text = f"<head>{policy}</head><body><h1>{name}</h1></body>"
        (tmp_path / name / "index.html").write_text(text, "utf-8")
    with watch.open_server(tmp_path / "site", 8000, watch.Reloading) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://localhost:{server.server_port}/")
        with page.expect_response(f"**{watch.RELOAD}"):  # it has asked for the first time
            pass
        (tmp_path / "site").rename(tmp_path / "old")
        (tmp_path / "draft").rename(tmp_path / "site")
        expect(page.locator("h1")).to_have_text("draft")
        page.close()
        server.shutdown()
