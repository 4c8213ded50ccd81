"""Test that under `make serve`, an edit rebuilds the affected pages and reloads open pages."""

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
from little import build
from playwright.sync_api import Browser, Route, expect

from _ext import formulas, lookups, theme
from tools import watch

EXTENSIONS = "_ext.formulas", "_ext.anchors", "_ext.lookups", "_ext.writer"
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
    asked: list[list[str]] = []
    list_pages = lookups.list_outdated_pages
    monkeypatch.setattr(
        lookups, "list_outdated_pages", lambda *given: asked.append(list_pages(*given))
    )
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


def test_no_process_is_left_of_a_build(tmp_path: Path) -> None:
    """Check that node ends after a build in a forked process, which runs no exit handlers."""
    book = {"index": "# Book\n\n$x$"}
    read, write = os.pipe()
    if os.fork() == 0:
        renderers: list[Popen[str]] = []
        process = formulas.Popen
        formulas.Popen = lambda *a, **k: renderers.append(one := process(*a, **k)) or one
        build(tmp_path, book, "_ext.formulas")
        os.write(write, f"{[one.pid for one in renderers]}".encode())
        os._exit(0)
    os.wait()
    (renderer,) = json.loads(os.read(read, 100))
    with pytest.raises(ProcessLookupError):
        os.kill(renderer, 0)


@pytest.mark.parametrize(("warnings", "told"), [(0, "new"), (1, "old")])
def test_what_warned_is_not_published(tmp_path: Path, warnings: int, told: str) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "site").mkdir()
    (tmp_path / "html" / "index.html").write_text("new", "utf-8")
    (tmp_path / "site" / "index.html").write_text("old", "utf-8")
    app = SimpleNamespace(
        _warncount=warnings,
        builder=SimpleNamespace(name="html"),
        outdir=tmp_path / "html",
        srcdir=tmp_path,
        env=SimpleNamespace(found_docs=[]),
    )
    theme.publish_site(app, None)
    assert (tmp_path / "site" / "index.html").read_text("utf-8") == told


POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'self'">"""


def put(folder: Path, name: str) -> Path:
    """Create a site in `folder`, on whose pages the site's name is written."""
    (folder / name).mkdir()
    for page in ("index", "404"):
        text = f"<head>{POLICY}</head><body><h1>{name}</h1></body>"
        (folder / name / f"{page}.html").write_text(text, "utf-8")
    return folder / name


def replace(site: Path, new: Path) -> None:
    """Replace a site by a new site in the same way as a build does."""
    old = site.with_name(f"old {new.name}")
    site.rename(old)
    new.rename(site)
    shutil.rmtree(old)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    site = put(tmp_path, "site")
    with watch.open_server(site, 8000, watch.Reloading) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield site, f"http://localhost:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("address", ["", "not-there.html"])
def test_a_page_comes_again_when_its_site_was_made_anew(
    served: tuple[Path, str], browser: Browser, address: str
) -> None:
    site, host = served
    page = browser.new_page()
    page.goto(host + address)
    for name in ("first", "second"):
        replace(site, put(site.parent, name))
        expect(page.locator("h1")).to_have_text(name)
    page.close()


def test_a_page_that_was_sent_before_the_change_comes_again_too(
    served: tuple[Path, str], browser: Browser
) -> None:
    site, host = served
    page = browser.new_page()

    # publish the second site before the script on the page has loaded
    def delay_answer(route: Route) -> None:
        if site.with_name("second").exists():
            replace(site, site.with_name("second"))
        route.continue_()

    put(site.parent, "second")
    page.route(f"**{watch.RELOAD}*", delay_answer)
    page.goto(host)
    expect(page.locator("h1")).to_have_text("second")
    page.close()


def test_while_one_site_takes_the_place_of_another_whoever_asks_gets_a_whole_page(
    served: tuple[Path, str],
) -> None:
    site, host = served
    wrong, over = [], threading.Event()

    def ask() -> None:
        while not over.is_set():
            try:
                with urlopen(host) as answer:
                    body = answer.read()
                if not (b"<h1>" in body and body.endswith(b"</body>")):
                    wrong.append(body)
            except OSError as error:
                wrong.append(repr(error))

    readers = [threading.Thread(target=ask) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(60):
        new = put(site.parent, f"n{n}")
        old = site.rename(site.with_name("old"))
        time.sleep(0.003)  # in a real build, this gap is shorter
        new.rename(site)
        shutil.rmtree(old)
    over.set()
    for reader in readers:
        reader.join()
    assert not wrong
