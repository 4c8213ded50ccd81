"""What explorers hold: layers, weights, recordings and advice are what they were made from."""

import json
import re
from typing import Any

import numpy as np

from pe_lib import encode
from pe_lib.course import explorers as ex
from pe_lib.course.explorers.chooser import TABLE
from pe_lib.course.explorers.layers import MODELS
from tests import attended
from tests.recorded import DATA, given, maps, places
from tools.experiments import tables
from tools.layers import models


def test_circuit_without_a_recording_looks_everywhere() -> None:
    even = np.tri(16) / np.arange(1, 17)[:, None]
    np.testing.assert_allclose(attended.layers(ex.CircuitExplorer()), [even] * 2, atol=0.002)


def test_stored_layers_are_those_of_the_configurations() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""

    def nearly(found: Any) -> Any:
        return json.loads(json.dumps(found), parse_float=lambda digits: f"{float(digits):.6g}")

    assert nearly(models()) == nearly(MODELS)


def test_recordings_are_whole() -> None:
    recording = given("schemes")["recording"]
    assert len(recording["settings"]) == 3 * 2 * 2 * 6
    assert {np.shape(one["right"]) for one in recording["settings"]} == {(5, 9)}
    recording = given("training")["recording"]
    for one in recording["runs"]:
        assert (len(one["right"]), len(one["loss"])) == (26, 100)
        weights = maps(recording, one["scheme"], "attention")[0]
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=16 * 0.5 / 255)
    table, step = encode(range(48), 32), recording["runs"][1]["reach"] / 255
    found = places(recording, "sinusoidal")[0]
    np.testing.assert_allclose(found, tables.plane(table[None])[0], atol=1.01 * step)


# The line of chapter 11's table that each piece of advice is taken from
LINES = {"loaded": 0, "set": 1, "numbers": 2, "directions": 3, "one size": 3, "many sizes": 3,
         "video": 4, "smallest": 5, "both sides": 6, "further": 7, "the rest": 8}  # fmt: skip


def lines(stem: str) -> list[str]:
    cells = json.loads((DATA.parent / f"{stem}.ipynb").read_text("utf-8"))["cells"]
    texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    return [line for text in texts for line in text.splitlines()]


def ends(at: str) -> list[str]:
    """The advice that can still be reached."""
    if at in TABLE["advice"]:
        return [at]
    return [end for one in TABLE["questions"][at]["answers"] for end in ends(one["to"])]


def test_the_chooser_advises_what_the_chapter_does() -> None:
    """In the words and the order of its table; each reason is a section."""
    assert set(ends(TABLE["first"])) == set(TABLE["advice"]) == set(LINES)
    _, _, table = "\n".join(lines("11-choosing")).partition("stop at the first line")
    rows = re.findall(r"^\|(.*?) \| (.*?) \| (.*)\|$", table, re.MULTILINE)[2:]
    assert set(LINES.values()) == set(range(len(rows)))
    for end, advice in TABLE["advice"].items():
        _, advised, why = rows[LINES[end]]
        assert advice["says"].rstrip(".").lower() in advised.lower()
        named = {int(number) for number in re.findall(r"\d+", re.sub(r"\(.*?\)", "", why))}
        shown = [one["shown"].split(".html#") for one in advice["reasons"]]
        assert named <= {int(stem[:2]) for stem, _ in shown}
        for stem, section in shown:
            titles = [line.lstrip("# ").lower() for line in lines(stem) if line.startswith("#")]
            assert section in {re.sub(r"[^a-z0-9]+", "-", title).strip("-") for title in titles}
    for at, question in TABLE["questions"].items():  # each no leads on to a later line
        later = [min(LINES[end] for end in ends(one["to"])) for one in question["answers"]]
        assert min(later) == min(LINES[end] for end in ends(at))


def test_the_chooser_names_the_schemes_that_it_advises() -> None:
    words = {"none": "no positions", "sinusoidal": "sinusoids", "learned": "learned table",
             "relative": "bias", "alibi": "alibi, which", "rotary": "rotary"}  # fmt: skip
    for end, advice in TABLE["advice"].items():
        said = advice["says"].lower().replace("learned frequency vectors", "rotary")
        named = {scheme for scheme, word in words.items() if word in said}
        assert set(advice["schemes"]) == (named or {one["scheme"] for one in TABLE["schemes"]}), end
