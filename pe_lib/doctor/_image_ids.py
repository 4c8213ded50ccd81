"""Report mistakes in position ids on three axes: time, height and width, as M-RoPE has them.

A word has the same id on all axes. All patches of an image have one id for the time, and count its
rows and columns from this id on. The text goes on after the largest id of the image (Wang et al.
2024, section 2.1; `get_rope_index` in transformers).
"""

import numpy as np

from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats

AXES = ("first", "second", "third")  # for time, height and width
LEAST_WORDS = 8  # fewer tokens that count on two axes alone may be anything


def report_mistakes(d: Diagnosis, ids: Floats) -> None:
    """Report mistakes in the ids (3, texts, T) of a batch.

    Only images are examined, and words whose time stands still. The frames of a video and sounds
    follow rules that differ from model to model.
    """
    for k in range(ids.shape[1]):
        _check_words(d, k, ids[:, k])
        time = ids[0, k]
        edges = [0, *(np.flatnonzero(np.diff(time) != 0) + 1).tolist(), time.size]
        for j in range(len(edges) - 1):
            begin, end = edges[j], edges[j + 1]
            if end - begin > 1:
                _check_run(d, k, ids[:, k], begin, end)


def _check_words(d: Diagnosis, k: int, ids: Floats) -> None:
    """Report words of text k, with ids (3, T), that two axes count while the third stands still."""
    steps = np.diff(ids, axis=1)
    for axis in range(len(AXES)):
        one, two = (other for other in range(len(AXES)) if other != axis)
        counts = (ids[one, 1:] == ids[two, 1:]) & (steps[one] == 1) & (steps[two] == 1)
        still = np.concatenate([[False], counts & (steps[axis] == 0), [False]])
        edges = np.flatnonzero(still[1:] != still[:-1])
        for j in range(0, edges.size, 2):
            begin, count = int(edges[j]), int(edges[j + 1] - edges[j]) + 1
            if count >= LEAST_WORDS:
                place = float(ids[axis, begin])
                d.problem(
                    "axis_stands", row=k, axis=AXES[axis], id=place, column=begin, count=count
                )
                return


def _check_run(d: Diagnosis, k: int, ids: Floats, begin: int, end: int) -> None:
    """Report mistakes in a run of tokens with one time, in the ids (3, T) of text k."""
    time, height, width = ids[:, begin:end]
    count, first = end - begin, float(time[0])
    rows, columns = (int(x.max() - first) + 1 for x in (height, width))
    place = np.arange(count)
    if min(rows, columns) < 2 or rows * columns != count:
        return
    along, down = place % columns + first, place // columns + first
    if np.array_equal(height, down) and np.array_equal(width, along):
        _check_text_after(d, k, ids, begin, end)
    elif np.array_equal(height, place % rows + first) and np.array_equal(
        width, place // rows + first
    ):
        d.problem("image_exchanged", row=k, column=begin, last=end - 1, rows=columns, columns=rows)


def _check_text_after(d: Diagnosis, k: int, ids: Floats, begin: int, end: int) -> None:
    """Report that text k does not go on with the id after the largest one of an image."""
    if end == ids.shape[1]:
        return
    first, largest = float(ids[0, begin]), float(ids[:, begin:end].max())
    is_word = bool((ids[:, end] == ids[0, end]).all())
    actual = float(ids[0, end])
    name = ""
    if is_word and actual == first + 1 <= largest:
        name = "image_overlapped"
    if is_word and actual == first + end - begin and actual != largest + 1:
        name = "image_counted"
    if name:
        d.problem(name, row=k, column=begin, last=end - 1, actual=actual, largest=largest,
                  expected=largest + 1)  # fmt: skip
