"""The schemes explorer: JavaScript reads the recording as Python does; the answers are right."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import SchemesExplorer
from pe_lib.course.model.schemes import SCHEMES
from tools import experiments

FILE = Path(__file__).parents[4] / "chapters" / "data" / "lengths.json"
RECORDING = json.loads(FILE.read_text("utf-8"))
CHOICES = list(product(("previous", "order", "counting"), (False, True), (1, 2)))


def explorer(task: str, causal: bool, layers: int, **more: Any) -> SchemesExplorer:
    return SchemesExplorer(recording=RECORDING, task=task, causal=causal, layers=layers, **more)


def test_the_recording_is_whole() -> None:
    assert RECORDING["lengths"] == list(range(16, 49, 4))
    assert len(RECORDING["settings"]) == len(CHOICES) * len(SCHEMES)
    for choice in CHOICES:
        chosen = explorer(*choice).chosen()
        assert list(chosen) == list(SCHEMES)
        assert {right.shape for right in chosen.values()} == {(5, 9)}


@pytest.mark.parametrize(
    ("setting", "seed"), [(("previous", "rotary", True, 1), 2), (("order", "learned", False, 1), 4)]
)
def test_trained_again_it_is_what_was_recorded(setting: Any, seed: int) -> None:
    task, scheme, causal, layers = setting
    again = experiments.setting(*setting, seeds=[seed])["right"]
    recorded = explorer(task, causal, layers).chosen()[scheme]
    np.testing.assert_allclose(again[0], recorded[seed], atol=0.1)


def test_javascript_filters_as_python_does() -> None:
    found = from_module(
        "schemes", f"((r) => {json.dumps(CHOICES)}.map((c) => m.chosen(r, ...c)))"
        f"({json.dumps(RECORDING)})"
    )  # fmt: skip
    for choice, rows in zip(CHOICES, found, strict=True):
        expected = explorer(*choice).chosen()
        assert [scheme for scheme, _ in rows] == list(expected)
        for scheme, lengths in rows:
            np.testing.assert_array_equal(np.array(lengths).T, expected[scheme])


def test_between_two_lengths_both_read_off_a_line() -> None:
    shares = explorer("previous", True, 2).chosen()["rotary"]
    for length in (16.0, 17.5, 20.0, 46.2, 48.0):
        now = explorer("previous", True, 2, length=length).now()["rotary"]
        asked = json.dumps([RECORDING["lengths"], shares.T.tolist(), length])
        found = from_module("schemes", f"m.sharesAt(...{asked})")
        np.testing.assert_allclose(found, now)
    middle = explorer("previous", True, 2, length=18.0).now()["rotary"]
    np.testing.assert_allclose(middle, (shares[:, 0] + shares[:, 1]) / 2)


def test_no_label_lies_on_another() -> None:
    asked = [[[50, 50, 52, 10, 99, 100], 15, 0, 100], [[1, 2, 3], 15, 0, 100], [[40.0], 15, 0, 100]]
    for (wanted, gap, low, high), placed in zip(
        asked, from_module("schemes", f"{json.dumps(asked)}.map((c) => m.apart(...c))"), strict=True
    ):
        order = np.argsort(wanted, kind="stable")
        assert (np.diff(np.array(placed)[order]) >= gap - 1e-9).all()
        assert low <= min(placed) and max(placed) <= high
    assert placed == [40.0]


def test_the_answers_to_the_task_are_right() -> None:
    right = explorer("order", False, 1).chosen()
    guessing = [scheme for scheme, shares in right.items() if shares[:, 0].max() < 0.6]
    assert guessing == ["none", "alibi"]
    at_48 = explorer("previous", True, 2, length=48).now()
    means = {scheme: shares.mean().round(2) for scheme, shares in at_48.items()}
    ranked = sorted(means.items(), key=lambda pair: -pair[1])
    assert ranked == [("rotary", 0.88), ("alibi", 0.81), ("relative", 0.72), ("none", 0.51),
                      ("sinusoidal", 0.21), ("learned", 0.17)]  # fmt: skip


def test_the_story_says_what_was_recorded() -> None:
    at_48 = {s: v.mean() for s, v in explorer("order", False, 1, length=48).now().items()}
    assert at_48["rotary"] > 0.9 > 0.8 > at_48["relative"]
    assert abs(at_48["sinusoidal"] - 0.5) < 0.05 and abs(at_48["learned"] - 0.5) < 0.05
    assert all(v.min() > 0.97 for v in explorer("order", True, 1).now().values())
    assert explorer("previous", True, 1).now()["none"].max() < 0.4
    two = explorer("previous", True, 2).now()
    assert f"{two['none'].mean():.2f}" == "0.93"
    assert min(two["sinusoidal"].mean(), two["learned"].mean()) > 0.995
    far = explorer("previous", True, 2, length=48).now()
    assert far["none"].min() > 2 * max(far["sinusoidal"].max(), far["learned"].max())


@pytest.mark.parametrize(
    "given", [{"task": "magic"}, {"layers": 3}, {"scheme": "magic"}, {"length": 15.0},
              {"length": 48.5}]
)  # fmt: skip
def test_what_was_not_recorded_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError, match=next(iter(given))):
        SchemesExplorer(recording=RECORDING, **given)
    some = {**RECORDING, "settings": [c for c in RECORDING["settings"] if c["layers"] == 1]}
    with pytest.raises(traitlets.TraitError, match="no setting was recorded with task 'order'"):
        SchemesExplorer(recording=some, layers=2)


def test_the_caption_ranks_the_means() -> None:
    caption = explorer("previous", True, 2, length=48).caption()
    said = "read at 48 from word 16 on, mean of the seeds: rotary 0.88; alibi 0.81; relative 0.72"
    assert said in caption
    assert "read at 16, mean" in explorer("previous", True, 2).caption()
    assert "read at 48, mean" in explorer("order", True, 2, length=48).caption()
    lines = explorer("order", False, 1, length=48, scheme="rotary").picture().axes[0].lines
    np.testing.assert_array_equal(lines[-1].get_xdata(), [48])
