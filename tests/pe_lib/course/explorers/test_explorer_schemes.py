"""The schemes explorer: JavaScript filters the recording as Python does; the answers are right."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import SchemesExplorer
from pe_lib.course.model.schemes import SCHEMES

FILE = Path(__file__).parents[4] / "chapters" / "data" / "schemes.json"
RECORDING = json.loads(FILE.read_text("utf-8"))
CHOICES = list(product(("previous", "order", "counting"), (False, True), (1, 2)))


def explorer(task: str, causal: bool, layers: int) -> SchemesExplorer:
    return SchemesExplorer(recording=RECORDING, task=task, causal=causal, layers=layers)


def test_the_recording_is_whole() -> None:
    assert len(RECORDING["settings"]) == len(CHOICES) * len(SCHEMES)
    for choice in CHOICES:
        chosen = explorer(*choice).chosen()
        assert list(chosen) == list(SCHEMES)
        assert {right.shape for right in chosen.values()} == {(5, 3)}


def test_javascript_filters_as_python_does() -> None:
    found = from_module(
        "schemes", f"{json.dumps(CHOICES)}.map((c) => m.chosen({json.dumps(RECORDING)}, ...c))"
    )
    for choice, rows in zip(CHOICES, found, strict=True):
        expected = explorer(*choice).chosen()
        assert [scheme for scheme, _ in rows] == list(expected)
        for scheme, lengths in rows:
            np.testing.assert_array_equal(np.array(lengths).T, expected[scheme])


def test_the_answers_to_the_task_are_right() -> None:
    right = explorer("order", False, 1).chosen()
    guessing = [scheme for scheme, shares in right.items() if shares[:, 0].max() < 0.6]
    assert guessing == ["none", "alibi"]
    means = {scheme: shares.mean(axis=0)[2].round(2)
             for scheme, shares in explorer("previous", True, 2).chosen().items()}  # fmt: skip
    ranked = sorted(means.items(), key=lambda pair: -pair[1])
    assert ranked == [("rotary", 0.92), ("alibi", 0.86), ("relative", 0.81), ("none", 0.65),
                      ("sinusoidal", 0.46), ("learned", 0.43)]  # fmt: skip


def test_no_scheme_is_not_said_like_the_scheme_none() -> None:
    asked = [["none"], [], ["rotary", "alibi"]]
    said = from_module("schemes", f"{json.dumps(asked)}.map(m.named)")
    assert said == ["none", "no scheme", "rotary, alibi"]


def test_what_was_not_recorded_is_refused() -> None:
    with pytest.raises(traitlets.TraitError, match="no setting was recorded with task 'order'"):
        explorer("order", True, 3)


def test_the_caption_holds_the_means() -> None:
    assert "none 0.50, 0.50, 0.53" in explorer("order", False, 1).caption()
    assert len(explorer("order", False, 1).picture().axes[0].get_yticklabels()) == 6
