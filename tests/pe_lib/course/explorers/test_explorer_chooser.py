"""The chooser: what it advises is what chapter 10's table says, and every end can be reached."""

import json
import re
from pathlib import Path

import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import ChooserExplorer
from pe_lib.course.explorers._choices import ADVICE, FIRST, QUESTIONS, SCHEMES
from pe_lib.course.explorers.chooser import ends, follow, possible

CHAPTERS = Path(__file__).parents[4] / "chapters"
TABLE = json.dumps(ChooserExplorer.about()["table"])


def cells(chapter: str) -> list[str]:
    notebook = json.loads((CHAPTERS / f"{chapter}.ipynb").read_text("utf-8"))
    return [
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    ]


def rows() -> list[list[str]]:
    """The chapter's table: question, what to take if yes, why."""
    (cell,) = [text for text in cells("10-choosing") if "stop at the first line" in text]
    lines = [line for line in cell.splitlines() if line.startswith("|")][2:]
    return [[part.strip() for part in line.strip("|").split(" | ")] for line in lines]


def ways(at: str = FIRST) -> dict[str, list[str]]:
    """The answers that lead to each end from a question."""
    if at in ADVICE:
        return {at: []}
    answers = QUESTIONS[at]["answers"].items()
    return {end: [a, *way] for a, (_, to) in answers for end, way in ways(to).items()}


# The line of the chapter's table that each piece of advice is taken from
LINES = {"loaded": 0, "set": 1, "numbers": 2, "directions": 3, "one size": 3, "many sizes": 3,
         "video": 4, "smallest": 5, "both sides": 6, "further": 7, "the rest": 8}  # fmt: skip


def test_every_end_can_be_reached_and_every_line_of_the_chapter_has_one() -> None:
    assert set(ways()) == set(ADVICE) == set(LINES)
    assert set(LINES.values()) == set(range(len(rows())))
    assert set(QUESTIONS) == {at for way in ways().values() for at, _ in follow(way)[0]}


@pytest.mark.parametrize("end", ADVICE)
def test_advice_is_in_the_words_of_the_chapter(end: str) -> None:
    _, advised, why = rows()[LINES[end]]
    assert ADVICE[end]["says"].rstrip(".").lower() in advised.lower()
    named = {int(number) for number in re.findall(r"\d+", re.sub(r"\(.*?\)", "", why))}
    named |= {10} if "this chapter" in why else set()
    assert named <= {int(stem[:2]) for _, stem, _ in ADVICE[end]["reasons"]}


def test_the_questions_come_in_the_order_of_the_chapter() -> None:
    """Each no leads on to a later line."""
    for at in QUESTIONS:
        lines = [min(LINES[end] for end in ends(to)) for _, to in QUESTIONS[at]["answers"].values()]
        assert min(lines) == min(LINES[end] for end in ends(at))


def test_every_reason_is_a_section_of_a_chapter() -> None:
    for advice in ADVICE.values():
        for _, stem, section in advice["reasons"]:
            headings = [line.lstrip("# ") for text in cells(stem) for line in text.splitlines()
                        if line.startswith("#")]  # fmt: skip
            assert section in {re.sub(r"[^a-z0-9]+", "-", h.lower()).strip("-") for h in headings}


def test_schemes_are_those_that_the_advice_names() -> None:
    words = {"none": "no positions", "sinusoidal": "sinusoids", "learned": "learned table",
             "relative": "bias", "alibi": "ALiBi, which", "rotary": "rotary"}  # fmt: skip
    for end, advice in ADVICE.items():
        said = advice["says"].lower().replace("learned frequency vectors", "rotary")
        named = {scheme for scheme, word in words.items() if word.lower() in said}
        assert set(advice["schemes"]) == (named or set(SCHEMES)), end


def test_the_comparison_is_asked_for_in_the_chapter() -> None:
    said = "train both on your task, with several seeds, at every length that will occur"
    assert any(said in text for text in cells("10-choosing"))
    assert said in (Path(__file__).parents[4] / "pe_lib/course/explorers/chooser.mjs").read_text(
        "utf-8"
    )


def test_javascript_goes_the_same_ways() -> None:
    for end, way in ways().items():
        found = from_module("chooser", f"((t) => [m.follow(t, {json.dumps(way)}).at,"
                            f" m.route(t, {json.dumps(end)})])({TABLE})")  # fmt: skip
        assert found == [end, way]
    left = from_module("chooser", f"((t) => {json.dumps(list(QUESTIONS))}"
                       f".map((q) => [...m.possible(t, q)].sort()))({TABLE})")  # fmt: skip
    assert left == [sorted(possible(at)) for at in QUESTIONS]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["maybe"], "answers to 'Are there weights to load.' are yes, no, got 'maybe'"),
        (["yes", "no"], "no question is left"),
        (["no", "constructor"], "answers to"),
    ],
)
def test_what_does_not_fit_is_refused(answers: list[str], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        ChooserExplorer(answers=answers)
    assert from_module(
        "chooser", f"[{answers}, [['yes']], [1]].map((a) => m.follow({TABLE}, a) ?? 0)"
    ) == [0, 0, 0]


def test_the_task_has_one_answer() -> None:
    """ALiBi is advised at one end alone, but for weights that have it."""
    assert [end for end, advice in ADVICE.items() if "alibi" in advice["schemes"]] == [
        "loaded", "further",
    ]  # fmt: skip
    assert ways()["further"] == ["no", "sequence", "no", "yes", "yes"]


def test_the_caption_says_the_way_and_the_advice() -> None:
    said = ChooserExplorer(answers=["no", "set"]).caption()
    assert said == ("Are there weights to load? no, from scratch; "
                    "What does the model read? a set. No positions.")  # fmt: skip
    assert ChooserExplorer().caption() == (
        "The next question: Are there weights to load? yes; or no, from scratch."
    )
    texts = [t.get_text() for t in ChooserExplorer(answers=["yes"]).picture().axes[0].texts]
    assert texts[:2] == ["Are there weights to load?  yes",
                         "Exactly their scheme: base, layout, width turned, scaling."]  # fmt: skip
