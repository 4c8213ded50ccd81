"""What a submission finds where it runs."""

import os
import sys
from pathlib import Path

import pytest

from pe_lib.course.grading.running import jail, process
from pe_lib.course.grading.running.grader import run_one
from pe_lib.course.grading.running.terms import Terms
from pe_lib.course.grading.sheet import load

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")


def test_there_is_a_way_on_every_system_and_a_sentence_about_it() -> None:
    assert jail.best() in jail.KINDS
    assert jail.KINDS[jail.best()].endswith(".")


def test_python_finds_itself_and_the_library() -> None:
    seen = [inside for _, inside in jail.view().binds]
    for needed in (sys.executable, os.__file__, jail.__file__, jail.np.__file__):
        assert any(Path(needed).is_relative_to(path) for path in seen) or needed.startswith("/usr")


@linux
def test_the_checkout_is_not_shown_but_its_library_is() -> None:
    checkout = Path(jail.pe_lib.__path__[0]).parent
    seen = {inside for _, inside in jail.view().binds}
    assert str(checkout) not in seen
    assert str(checkout / "tests") not in seen


@linux
def test_a_class_among_what_is_shown_is_hidden(tmp_path: Path) -> None:
    inside = Path(jail.pe_lib.__path__[0]) / "course" / "class"
    assert jail.view((inside, tmp_path)).hidden == (str(inside),)


def test_none_of_my_variables_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "for nobody")
    given = jail.environment("/nowhere")
    assert "for nobody" not in given.values()
    assert (given["HOME"], given["MPLBACKEND"]) == ("/nowhere", "Agg")


def test_it_is_gone_without_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process.tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "broken.ipynb"
    path.write_text("{}")
    before = process._children()
    assert run_one(path, Terms(load("04"))).ended.startswith("it is not a notebook")
    assert list(tmp_path.iterdir()) == [path]
    assert process._children() == before
