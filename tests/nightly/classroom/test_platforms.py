"""Check the Moodle quiz of every sheet, because test_moodle.py checks only two sheets."""

import pytest
import test_moodle

from classroom.packages import moodle
from pe_lib.course.grading.sheet import load, names


@pytest.mark.parametrize("name", names())
def test_moodle_gives_the_same_points(name: str) -> None:
    test_moodle.check_sheet(load(name), range(moodle.DRAWS))
