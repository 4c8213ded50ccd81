"""What is tried on one sheet or a few, on all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import test_moodle
import test_packages
import test_qti
from test_packages import interface

from classroom.packages import moodle
from pe_lib.course.grading.sheet import Content, load, names

__all__ = ["interface"]  # a fixture

every_sheet = pytest.mark.parametrize("content", [load(name) for name in names()], ids=names())


def moodle_on_all_numbers(content: Content) -> None:
    test_moodle.moodle_tells_what_the_notebook_tells(content, range(moodle.DRAWS))


@every_sheet
@pytest.mark.parametrize(
    "contract",
    [
        moodle_on_all_numbers,
        test_qti.canvas_takes_it,
        test_packages.otter_tells_what_the_notebook_tells,
    ],
)
def test_each_platform_gives_the_same_points(
    contract: Callable[[Content], None], content: Content
) -> None:
    contract(content)


@every_sheet
def test_nbgrader_gives_the_same_points(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_packages.nbgrader_gives_the_points(content, tmp_path, monkeypatch)
