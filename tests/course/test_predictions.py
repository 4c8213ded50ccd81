"""Test that the kernel checks readers' guesses, and that the page compares them with results."""

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pe_lib.course import predictions
from pe_lib.course.predictions import MIME, SOURCE, predict, predicted


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget all questions before each test, as if the kernel had just started."""
    predictions._questions.clear()
    yield
    predictions._questions.clear()


def data(shown: object) -> dict[str, object]:
    bundle = shown._repr_mimebundle_()  # type: ignore[attr-defined]
    return dict(bundle[0])


def test_a_question_and_its_result_are_published_beside_their_text() -> None:
    asked, told = data(predict("2.1", "one", "two", unit="m")), data(predicted("2.1", "two"))
    assert asked["text/plain"] == "Your guess:\n( ) one\n( ) two"
    assert asked[MIME] == {"number": "2.1", "choices": ["one", "two"], "unit": "m"}
    assert told["text/plain"] == "It is: two"
    assert told[MIME] == {"number": "2.1", "unit": "", "said": "two", "values": []}


@pytest.mark.parametrize(
    ("answer", "digits", "text"),
    [
        (60.2345, 3, "60.2"),
        (1234.5, 3, "1,230"),
        (1e9 + 1, 3, "1,000,000,000"),
        (-0.48881, 3, "-0.489"),
        ((5, 7), 3, "5 to 7"),
    ],
)
def test_a_number_has_as_many_digits_as_wanted(answer: float, digits: int, text: str) -> None:
    result = predicted("2.2", answer, digits=digits)
    assert result.answer == text
    ends = answer if isinstance(answer, tuple) else (answer,)
    for value, end in zip(result.values, ends, strict=True):
        assert value == pytest.approx(end, rel=0.5 * 10 ** (1 - digits))


def test_an_answer_that_was_not_asked_for_is_refused() -> None:
    predict("2.1", "one", "two")
    with pytest.raises(ValueError, match="one of"):
        predicted("2.1", "three")
    with pytest.raises(ValueError, match="finite"):
        predicted("2.2", math.nan)
    for choices in (("one",), ("one", "one")):
        with pytest.raises(ValueError, match="all different"):
            predict("2.1", *choices)


def test_running_a_cell_again_loses_no_guess() -> None:
    first, told = predict("2.1", "one", "two"), predicted("2.1", "two")
    first.guess = "one"
    assert told.guess == "one"
    assert predict("2.1", "one", "two").guess == "one"
    assert predicted("2.1", "two").guess == "one"
    # The number 2.1 now belongs to another question, so the earlier guess is dropped.
    assert predict("2.1", "one", "three").guess == ""


TABLE = yaml.safe_load(Path(__file__).with_name("guesses.yml").read_text("utf-8"))
WRITTEN = TABLE["written"]
# For each guess, whether it is in the range from 0.83 to 0.99.
RANGES = {0.5: False, 0.83: True, 0.9: True, 0.99: True, 1.5: False}
SCRIPT = """
const { said, ranges, written } = GIVEN;
console.log(JSON.stringify({
  said: said.map(([about, guess]) => m.verdict(about, guess)[1]),
  ranges: ranges.map((guess) => m.compare(guess, [0.83, 0.99])[0]),
  written: written.map(m.number),
}));
"""


def test_what_the_script_says_of_a_number() -> None:
    given = {
        "said": [
            [{"said": f"{answer:,.15g}", "values": [answer], "unit": "m"}, guess]
            for guess, answer, _ in TABLE["said"]
        ],
        "ranges": list(RANGES),
        "written": list(WRITTEN),
    }
    code = f"import * as m from {SOURCE.as_uri()!r};" + SCRIPT.replace("GIVEN", json.dumps(given))
    command = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    told = json.loads(done.stdout)
    assert told["said"] == [said for *_, said in TABLE["said"]]
    assert told["ranges"] == list(RANGES.values())
    assert told["written"] == list(WRITTEN.values())
