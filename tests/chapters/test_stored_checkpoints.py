"""Test that each stored configuration has all required fields, a source and a date."""

import json
import re

import pytest
from cells import CHAPTERS

from pe_lib.checkpoints import layers

PATHS = sorted((CHAPTERS / "data" / "checkpoints").glob("*.json"))
MODELS = {path.stem: json.loads(path.read_text("utf-8")) for path in PATHS}
FIELDS = ["model", "by", "released", "kind", "config", "trained", "note", "source", "file", "lacks",
          "link", "checked", "peer"]  # fmt: skip
KINDS = {"text", "text and image", "image", "video", "audio"}


def test_there_are_enough_and_no_model_comes_twice():
    assert len(MODELS) >= 45
    assert len({model["model"] for model in MODELS.values()}) == len(MODELS)
    assert {model["kind"] for model in MODELS.values()} == KINDS
    newest = max((m for m in MODELS.values() if "-" in m["released"]), key=lambda m: m["released"])
    year, month = (int(newest["checked"][part]) - int(newest["released"][part])
                   for part in (slice(4), slice(5, 7)))  # fmt: skip
    assert 12 * year + month <= 12


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_each_has_its_fields_and_is_understood(model):
    assert list(model) == FIELDS
    assert re.fullmatch(r"\d{4}(-\d\d)?", model["released"])
    assert re.fullmatch(r"\d{4}-\d\d", model["checked"]) and model["released"] <= model["checked"]
    assert model["trained"] is None or model["trained"] > 0
    # If the complete file was not available, the field "lacks" must say what is missing.
    assert (model["file"] is None) == bool(model["lacks"])
    if model["file"]:
        assert re.fullmatch(r"[0-9a-f]{40} [0-9a-f]{64}", " ".join(
            model["file"][key] for key in ("commit", "sha256")))  # fmt: skip
    assert model["source"] and model["link"].startswith("https://")
    assert all(model[field] == model[field].strip() for field in ("model", "by", "note", "source"))
    text = model["config"].get("text_config", model["config"])
    assert len(layers(model["config"])) == text.get(
        "num_hidden_layers", len(layers(model["config"]))
    )


def test_facts_that_were_once_stored_wrong():
    """Test stored windows, widths and bases against published configurations and papers."""

    def read_layers(name):
        return layers(MODELS[name]["config"])

    assert {layer.window for layer in read_layers("phi-3-mini-4k")} == {2047}
    scout = read_layers("llama-4-scout")
    assert [layer.scheme for layer in scout[:4]] == ["rotary"] * 3 + ["none"]
    assert scout[0].frequencies[-1] == pytest.approx(500_000 ** (-126 / 128) / 16)
    (deepseek,) = {(x.turned, x.width, x.base, x.scaling) for x in read_layers("deepseek-v3")}
    assert deepseek == (64, 192, 10_000, "yarn")
    # 129 keys are the token's own key and 128 earlier keys.
    assert {x.window for x in read_layers("mimo-v2-flash")} == {None, 129}
    sparse = [x for x in read_layers("minimax-m3") if x.kind == "indexed"]
    assert len(sparse) == 57 and {x.keys for x in sparse} == {2048}
    assert read_layers("gpt-neox-20b")[0].turned == 6144 // 64 * 0.25
    assert read_layers("vit-b-16")[0].rows == (224 // 16) ** 2 + 1
    assert read_layers("gemma-3-1b")[5].base == 1e6 and read_layers("gemma-3-1b")[0].base == 1e4
