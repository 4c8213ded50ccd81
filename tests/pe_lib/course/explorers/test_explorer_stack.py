"""The stack explorer: its layers are those that the chapters state, and its story is true."""

import json
from pathlib import Path

import pytest
import traitlets
from test_explorers import from_module

from pe_lib import checkpoints
from pe_lib.course.explorers import StackExplorer
from pe_lib.course.explorers._stacks import STACKS

CHAPTERS = Path(__file__).parents[4] / "chapters"
PLACES = [10, 127, 128, 4_095, 4_096, 8_191, 8_192, 100_000]


@pytest.mark.parametrize("model", STACKS)
def test_each_is_as_its_checkpoint(model: str) -> None:
    stack = STACKS[model]
    file = CHAPTERS / "data" / "checkpoints" / f"{stack['stored']}.json"
    stored = checkpoints.layers(json.loads(file.read_text("utf-8"))["config"])
    group = [[layer.scheme == "rotary", layer.window] for layer in stored]
    assert group == stack["group"] * (len(stored) // len(stack["group"]))
    chunked = {layer.kind for layer in stored if layer.window} == {"chunked"}
    assert chunked == stack.get("chunks", False)


@pytest.mark.parametrize("model", STACKS)
def test_javascript_sees_what_python_sees(model: str) -> None:
    seen = "m.layers(s).map((layer) => m.sees(layer, d))"
    stack = json.dumps(STACKS[model])
    found = from_module("stack", f"((s) => {PLACES}.map((d) => {seen}))({stack})")
    assert found == [StackExplorer(model=model, distance=d).seeing() for d in PLACES]


def test_the_story_is_true() -> None:
    def count(model: str, distance: int) -> int:
        return sum(StackExplorer(model=model, distance=distance).seeing())

    assert count("LLaMA 7B", 100_000) == 8 and count("Mistral 7B v0.1", 100) == 8
    assert count("Mistral 7B v0.1", 10_000) == 0 and count("gpt-oss", 10_000) == 4
    assert count("Mistral 7B v0.1", 4_095) == 8 and count("Mistral 7B v0.1", 4_096) == 0
    window = json.dumps(STACKS["Mistral 7B v0.1"])
    steps = "(d) => m.steps(m.layers(s), d)"
    found = from_module("stack", f"((s) => [4095, 4096, 8190, 8191, 10000].map({steps}))({window})")
    assert found == [1, 2, 2, 3, 3]  # each layer hands on 4,095 further
    far = StackExplorer(model="Llama 4 Scout", distance=8_192)
    assert [turns for (turns, _), sees in zip(far.layers(), far.seeing(), strict=True) if sees] == [
        False, False,
    ]  # fmt: skip
    assert count("Llama 4 Scout", 8_191) == 8


@pytest.mark.parametrize(
    ("given", "message"), [({"model": "BERT"}, "model"), ({"distance": 9}, "distance")]
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        StackExplorer(**given)


def test_caption_and_picture_count_the_layers() -> None:
    explorer = StackExplorer(model="Mistral 7B v0.1", distance=10_000)
    assert "seen by none of 8 layers" in explorer.caption()
    assert [round(bar.get_width()) for bar in explorer.picture().axes[0].patches] == [4_085] * 8
