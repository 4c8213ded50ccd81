"""Check that an answer earns nothing if it calls the library function that it should replace."""

import functools
import sys
from typing import Any

import numpy as np
import pytest

import pe_lib
from pe_lib import doctor
from pe_lib.course.attention import attention
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import load


def grade_answer(sheet: str, name: str, answer: Any) -> Result:
    question = load(sheet).questions[name]
    return grade(question, {question.answer: answer})


def look_rotation_up(offset: int, d_model: int) -> Any:
    return getattr(pe_lib, "rot" + "ation")(offset, d_model)


def call_in_a_list(offset: int, d_model: int) -> Any:
    return next(map(pe_lib.rotation, [offset], [d_model])).tolist()


def import_inside(offset: int, d_model: int) -> Any:
    # this import happens only when the answer runs
    from pe_lib.relative import rotation as imported

    return (lambda: imported(offset, d_model))()


def fit_by_least_squares(offset: int, d_model: int) -> Any:
    """Compute the matrix by fitting encodings with least squares, as one correct solution does."""
    rows = pe_lib.encode(range(d_model + offset), d_model)
    return np.linalg.lstsq(rows[: -offset or None], rows[offset:], rcond=None)[0].T


@pytest.mark.parametrize(
    "answer",
    [
        pe_lib.rotation,
        functools.partial(pe_lib.rotation),
        look_rotation_up,
        call_in_a_list,
        import_inside,
    ],
)
def test_whoever_calls_the_library_is_told_what_it_called(answer: Any) -> None:
    result = grade_answer("05", "shift_matrix", answer)
    assert (result.status, result.score, result.relation) == ("wrong", 0, "borrowed")
    assert result.hint.startswith("`shift_matrix` calls `rotation` of `pe_lib`.")
    assert "hint" in result.step


def test_what_the_question_itself_builds_on_is_free() -> None:
    """Check that an answer may call `encode`, because one correct solution calls it."""
    assert grade_answer("05", "shift_matrix", fit_by_least_squares).relation != "borrowed"


@pytest.mark.parametrize(
    ("sheet", "name", "answer", "function"),
    [
        ("01", "causal_mask", lambda *inputs: attention(*inputs, causal=True), "attention"),
        ("04", "decode_vector", pe_lib.position_from_encoding, "position_from_encoding"),
        ("08", "interleaved", pe_lib.rotary.rotate, "rotate"),
        ("02", "write_encoding", pe_lib.encode, "encode"),
        ("09", "alibi_bias", lambda length, _: pe_lib.biases.clipped_offsets(length, 9),
         "clipped_offsets"),
        ("05", "first_rise", lambda d, base: doctor.identify(pe_lib.encode(range(9), d, base)),
         "identify"),
    ],
)  # fmt: skip
def test_no_sheet_is_answered_by_the_library(
    sheet: str, name: str, answer: Any, function: str
) -> None:
    result = grade_answer(sheet, name, answer)
    assert (result.score, result.relation) == (0, "borrowed"), result.hint
    assert f"calls `{function}` of" in result.hint


def test_what_an_answer_is_called_from_is_watched_no_longer() -> None:
    grade_answer("05", "shift_matrix", lambda *_: 1 / 0)
    assert sys.getprofile() is None
