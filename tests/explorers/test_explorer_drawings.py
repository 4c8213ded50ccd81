"""Test that each step of each story is drawn without errors and agrees with `pe_lib`.

One node process draws all pictures for a phone and for a wide page. Positions must agree to a tenth
of a pixel.
"""

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from drawn import Axis, Drawing, Mark, assert_near, draw, number
from traitlets import TraitError

from pe_lib.course import explorers as ex
from tests.explorers.states import MARKS, ExpectedMarks
from tests.recorded import make_explorer, required_arguments

MINUS_ZERO = re.compile(r"[−-]0(?:\.0+)?(?![\d.,]*[1-9])")
# `machine` covers nothing. It counts the parts that the steps have named so far, draws only these,
# and dims the table from the start.
WHOLE = {"machine"}
# In these explorers, each step draws some parts that only the story's first sentence names.
# Examples are the letters in `circuit` and `leak`, and the patches in `grid`.
ALWAYS = {"circuit", "grid", "heatmap", "leak", "phase"}
STORIES = [(kind, name) for kind in ex.kinds() for name in ex.of_kind(kind).stories]


def steps(kind: str, name: str) -> list[ex.Explorer]:
    """Return an explorer for each step of a story, and an explorer that shows its task's answer."""
    type_ = ex.of_kind(kind)
    story, start = type_.stories[name], type_(story=name, **required_arguments(kind)).state()
    states = [state for _, state in story.states(start)]
    return [type_(**state) for state in (*states, {**states[-1], **story.task.answer})]


def ends(kind: str) -> list[ex.Explorer]:
    """For each trait, return explorers with its smallest and largest value, or with each choice.

    Values that are not valid together with the other traits are left out.
    """
    type_, explorers = ex.of_kind(kind), [make_explorer(kind)]
    for name, trait in type_.about()["traits"].items():
        limits = [trait.get("min"), trait.get("max")]
        for value in trait.get("values", [limit for limit in limits if limit is not None]):
            with suppress(TraitError):
                explorers.append(type_(**required_arguments(kind) | {name: value}))
    return explorers


@pytest.fixture(scope="session")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> list[list[Drawing]]:
    tellings = [steps(*story) for story in STORIES] + [ends(kind) for kind in ex.kinds()]
    tellings += [[make_explorer(marks.kind, **marks.state)] for marks in MARKS]
    return draw(tellings, len(STORIES), tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("kind", ex.kinds())
def test_every_step_and_end_is_drawn_whole(kind: str, drawings: list[list[Drawing]]) -> None:
    """Check that a drawing fits its canvas, and has valid numbers and no overlapping labels."""
    tellings = [*STORIES, *((kind, "ends") for kind in ex.kinds())]
    for (whose, name), telling in zip(tellings, drawings, strict=False):
        story = ex.of_kind(whose).stories.get(name)
        named = {name for step in story.steps for name in step.parts} if story else set()
        for drawing in telling if whose == kind else []:
            assert not drawing.problems
            assert named <= {*drawing.parts}
            assert len(drawing.marks) > 12
            assert drawing.reading and not re.search("NaN|undefined|null", drawing.reading)
            boxes = [label_box(label) for label in drawing.all("label") if label.text.strip()]
            for n, (left, top, right, bottom, text) in enumerate(boxes):
                assert left > -4 and right < drawing.width + 4, text
                for a, b, c, d, other in boxes[:n]:
                    over = min(right, c) - max(left, a) > 3 and min(bottom, d) - max(top, b) > 2
                    assert not over or text == other, (text, other)


def label_box(label: Mark) -> tuple[float, float, float, float, str]:
    """Return a label's text, and its approximate edges in pixels (left, top, right, bottom)."""
    (x, y), wide = label.at, label.width
    left = x - {"right": wide, "end": wide, "center": wide / 2}.get(label.align, 0)
    return left, y - 5, left + wide, y + 5, label.text


@pytest.mark.parametrize(("kind", "name"), STORIES)
def test_a_step_draws_only_what_has_been_named(
    kind: str, name: str, drawings: list[list[Drawing]]
) -> None:
    """Check that a story's first step names a part, and that each drawn shape belongs to a part.

    Grid lines may be drawn from the beginning, because they show nothing without other marks.
    """
    steps = ex.of_kind(kind).stories[name].steps
    assert steps[0].parts or kind in WHOLE, "the story shows the whole picture from the beginning"
    for drawing in drawings[STORIES.index((kind, name))]:
        early = [mark for mark in drawing.unnamed if (mark.kind, mark.colour) != ("line", "grid")]
        assert not early or kind in WHOLE | ALWAYS
        assert drawing.seen and (kind in WHOLE or len(drawing.seen) >= len(early))


def test_the_machine_shows_a_number_only_after_a_step_has_named_it(
    drawings: list[list[Drawing]],
) -> None:
    """Check that the first step shows two hands, and only the second the angle between them."""
    counts = [
        sum(mark.kind == "label" and mark.text.endswith("°") for mark in drawing.seen)
        for drawing in drawings[STORIES.index(("machine", "angle"))]
    ]
    count = len(counts) // 2  # the same steps on a phone and on a wide page
    for width in (counts[:count], counts[count:]):
        assert width[0] == 0 and min(width[1:]) > 0, counts


@pytest.mark.parametrize("kind", ex.kinds())
def test_numbers_and_choices_are_shown_well(kind: str, drawings: list[list[Drawing]]) -> None:
    """Check that no number is written as −0, and that each choice has one option selected."""
    tellings = [*STORIES, *((kind, "ends") for kind in ex.kinds())]
    for (whose, _), telling in zip(tellings, drawings, strict=False):
        for drawing in telling if whose == kind else []:
            texts = [drawing.reading, drawing.told]
            texts += [label.text for label in (*drawing.all("label"), *drawing.seen)]
            assert not [text for text in texts if MINUS_ZERO.search(text)]
            assert not drawing.unchecked


@pytest.mark.parametrize("expected", MARKS, ids=lambda marks: f"{marks.kind} {marks.mark}")
def test_marks_stand_where_pe_lib_says(
    expected: ExpectedMarks, drawings: list[list[Drawing]]
) -> None:
    values = expected.values(make_explorer(expected.kind, **expected.state))
    for drawing in drawings[MARKS.index(expected) - len(MARKS)]:
        COMPARE[expected.mark](drawing, expected, values)


def compare_hands(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    assert_near(np.ravel(drawing.hands(expected.colour)), np.ravel(values), 0.01)


def compare_waves(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    across = horizontal_axes(drawing, expected)[0]
    assert_near(drawing.lines(expected.colour)[0].points[:, 0], across(values), 0.1)


def compare_curve(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    """Check that the drawn part of a curve equals the last part of the expected curve.

    The rest of the expected curve lies outside the picture.
    """
    curve = drawing.lines(expected.colour)[0].points
    across = horizontal_axes(drawing, expected)[0 if expected.axis == "first" else -1]
    points = np.column_stack([across(values[0]), drawing.axes(1)[0](values[1])])
    assert_near(curve, points[-len(curve) :], 0.1)


def compare_place(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    """Check that the last dot or frame in the picture is drawn at the expected position."""
    across, down = horizontal_axes(drawing, expected)[-1], drawing.axes(1)[0]
    assert_near(drawing.all(expected.mark, "ink")[-1].at, [across(values[0]), down(values[1])], 0.1)


def compare_shadows(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    """Check that the dots on the curves of the clocks' shadows have the expected positions."""
    dots, (rim, *_) = drawing.all("dot", "ink"), drawing.all("arc", "grid")
    x, y = rim.at[0] + rim.r * values[0], drawing.axes(1)[0](values[1])
    assert_near([dot.at for dot in dots[: len(x)]], np.column_stack([x, y]), 0.1)


def compare_upright_lines(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    lines = drawing.lines(expected.colour, straight=True)
    upright = [line for line in lines if np.ptp(line.points[:, 1]) > 50]
    assert upright
    assert_near(
        [line.at[0] for line in upright], horizontal_axes(drawing, expected)[0](values), 0.1
    )


def compare_widths(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    widths = [line.width for line in drawing.lines(expected.colour, straight=True)]
    # the other lines get their width from their class
    assert_near([width for width in widths if width], values)


def compare_map(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    cells = np.concatenate([mark.cells for mark in drawing.all("map")])
    assert_near(cells, np.ravel(values), 0.01)


def compare_edges(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    """Check that the corners of a heatmap are drawn at the expected positions."""
    across, down = horizontal_axes(drawing, expected)[0], drawing.axes(1)[0]
    assert_near(drawing.all("map")[0].points.T, [across(values[0]), down(values[1])])


def compare_signed_cells(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    cells = drawing.columns("teal", "rose")
    signed = [bar.depth if bar.colour == "rose" else -bar.depth for bar in cells]
    assert_near(signed, np.clip(np.ravel(values), -1, 1), 0.01)


def compare_depths(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    depths = [2 * bar.depth - 1 for bar in drawing.columns(expected.colour)]
    assert_near(depths, np.ravel(values))


def compare_bars(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    heights = [np.ptp(bar.points[:, 1]) for bar in drawing.columns("ink", "muted")]
    assert_near(heights, values)


def compare_scores(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    """Check the scores that are written in a table, except the scores that the mask hides."""
    values = values[np.isfinite(values)]
    cells = [mark for mark in drawing.all("label") if re.fullmatch(r"−?\d\.\d+", mark.text)]
    labels = sorted(cells[: len(values)], key=lambda mark: (mark.at[1], mark.at[0]))
    assert_near([number(label.text) for label in labels], values, 0.051)


def compare_words(drawing: Drawing, expected: ExpectedMarks, values: Any) -> None:
    """Check that a picture shows the expected words, from left to right or from top to bottom."""
    labels = [label for label in drawing.all("label", expected.colour) if label.text in values]
    assert [label.text for label in sorted(labels, key=lambda mark: tuple(mark.at))] == values


def horizontal_axes(drawing: Drawing, expected: ExpectedMarks) -> list[Axis]:
    return drawing.axes(0, np.log10 if expected.axis == "log" else np.asarray)


COMPARE = {
    "bars": compare_bars,
    "curve": compare_curve,
    "depths": compare_depths,
    "dot": compare_place,
    "edges": compare_edges,
    "frame": compare_place,
    "hands": compare_hands,
    "line": compare_upright_lines,
    "map": compare_map,
    "scores": compare_scores,
    "shadows": compare_shadows,
    "signed": compare_signed_cells,
    "waves": compare_waves,
    "widths": compare_widths,
    "words": compare_words,
}


def test_every_kind_is_read_back() -> None:
    assert {marks.kind for marks in MARKS} == set(ex.kinds())
