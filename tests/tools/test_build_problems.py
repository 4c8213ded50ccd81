"""Test which problems `make site` reports at the end, and when `make serve` starts a build."""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import watchfiles
from sphinx.errors import ExtensionError
from watchfiles.main import FileChange

from tools import build, executing, watch

CELLS = [
    {"id": "one", "source": ["# A chapter\n", "\n", "See (5.9)."]},
    {
        "id": "two",
        "source": ["First.\n", "Then [the sine](03-sin.ipynb) and [a term](x.md#term-ofset)."],
    },
]


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters/01-a.ipynb").write_text(json.dumps({"cells": CELLS}), "utf-8")
    (tmp_path / "chapters/b.md").write_text("# B\n\nSee [there](nowhere.md).\n", "utf-8")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("stderr", "result", "expected"),
    [
        (
            "\x1b[91m{root}/chapters/01-a.ipynb:40002: WARNING: 'myst' cross-reference target not"
            " found: '03-sin.ipynb' [myst.xref_missing]\x1b[39m",
            1,
            "chapters/01-a.ipynb, cell 2 (two), line 2, in [the sine](03-sin.ipynb):"
            " there is no file '03-sin.ipynb'.",
        ),
        (
            "{root}/chapters/b.md:3: WARNING: 'myst' cross-reference target not found: 'nowhere.md'"
            " [myst.xref_missing]",
            1,
            "chapters/b.md, line 3, in [there](nowhere.md): there is no file 'nowhere.md'.",
        ),
        (
            "Extension error:\nchapters/01-a: nothing has the number (5.9)",
            ExtensionError("chapters/01-a: nothing has the number (5.9)"),
            "chapters/01-a.ipynb, cell 1 (one), line 3, in (5.9): nothing has the number (5.9).",
        ),
        (
            "{root}/chapters/01-a.ipynb:20002: WARNING: local id not found in doc 'chapters/x':"
            " 'term-ofset' [myst.xref_missing]",
            ExtensionError("chapters/01-a links to x.html#term-ofset, which is not there"),
            "chapters/01-a.ipynb, cell 2 (two), line 2, in [a term](x.md#term-ofset):"
            " chapters/x has no place called '#term-ofset'.",
        ),
        (
            "{root}/chapters/b.md:3: WARNING: Pygments lexer name 'pyton' is not known",
            1,
            "chapters/b.md, line 3: Pygments lexer name 'pyton' is not known.",
        ),
        ("", ValueError("no page"), "The site: ValueError: no page."),
        ("", 1, "The site: something is wrong, see above."),
    ],
)
def test_one_sentence_names_file_cell_and_link(
    book: Path, stderr: str, result: object, expected: str
) -> None:
    problems = build.find_problems(stderr.format(root=book), result)
    assert list(map(str, problems)) == [expected]


def test_a_build_waits_until_no_more_files_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "ROOT", tmp_path)
    monkeypatch.setattr(executing, "MARK", tmp_path / "_build" / "executing")
    (tmp_path / "index.md").write_text("before", "utf-8")
    for folder in watch.FOLDERS:
        (tmp_path / folder).mkdir()

    listening = threading.Semaphore(0)

    def report_start(*paths: Path, **options: Any) -> Iterator[set[FileChange]]:
        events = watchfiles.watch(*paths, **options)
        yield next(events)
        listening.release()
        yield from events

    monkeypatch.setattr(watch, "watch", report_start)

    def write() -> None:
        for _ in ("the files at the top", "the folders"):
            listening.acquire()
        with executing.mark():  # `make notebooks` creates this file, too
            # the last of these is a file of an editor
            for name in ("a.ipynb", "b.ipynb", ".b.ipynb.swp"):
                (tmp_path / "chapters" / name).write_text("{}", "utf-8")
                time.sleep(6 * watch.SETTLED / 1000)

    writer = threading.Thread(target=write)
    changes = watch.changes()
    writer.start()
    assert sorted(path.name for path in next(changes)) == ["a.ipynb", "b.ipynb"]
    writer.join()
    assert not executing.is_going_on()


def test_a_command_that_was_killed_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executing, "MARK", tmp_path / "_build" / "executing")
    executing.renew()
    assert executing.is_going_on()
    monkeypatch.setattr(executing, "FORGOTTEN", 0)
    assert not executing.is_going_on()


@pytest.mark.parametrize(
    ("present", "result", "expected"),
    [
        ([], 0, []),
        (["index.html"], 0, ["classroom.slides"]),
        (["index.html", "order-matters-anki.txt"], 0, ["classroom.slides", "classroom.cards"]),
        (["index.html"], 1, []),
    ],
)
def test_a_build_makes_the_slides_and_cards_anew_that_the_site_had(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    present: list[str],
    result: int,
    expected: list[str],
) -> None:
    (tmp_path / "slides").mkdir()
    for name in present:
        (tmp_path / "slides" / name).touch()
    jupyter_book = SimpleNamespace()

    def publish(command: list[str], standalone_mode: bool) -> None:
        shutil.rmtree(tmp_path / "slides")  # a newly built site contains no slides
        jupyter_book.builder_specific_actions(result, "html")

    jupyter_book.main = publish
    modules: list[str] = []
    monkeypatch.setattr(build, "SITE", tmp_path)
    monkeypatch.setattr(build.importlib, "import_module", lambda name: jupyter_book)
    monkeypatch.setattr(build.subprocess, "run", lambda command, **_: modules.append(command[2]))
    assert bool(build.build()) == bool(result)
    assert modules == expected
