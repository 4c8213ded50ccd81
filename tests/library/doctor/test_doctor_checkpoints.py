"""Frequencies of published models give back the base and the scaling of their configurations."""

import json
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pe_lib
from pe_lib import checkpoints
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _config, identify

STORED = Path(pe_lib.__file__).parents[1] / "chapters" / "data" / "checkpoints"
WORDS = {"default": "none", "mrope": "none"}  # what a Layer calls it, and what the doctor does
EXCEPTIONS = {
    "kimi-k2": ("yarn", "llama3"),  # beta_fast = beta_slow: a step, which llama3 has as well
    "phi-4-mini": ("longrope", "none"),  # its short factors are all 1
}
STEPS = {"kimi-k2": (32.0, 5e4), "llama-4-scout": (16.0, 5e5)}


def stored(name: str) -> dict[str, Any]:
    """The configuration of one row."""
    return json.loads((STORED / f"{name}.json").read_text("utf-8"))["config"]


def every() -> Iterator[tuple[str, Layer]]:
    """Of each model, one layer of each kind that turns pairs."""
    for path in sorted(STORED.glob("*.json")):
        kinds = {
            (layer.base, layer.scaling, layer.frequencies.tobytes()): layer
            for layer in checkpoints.layers(stored(path.stem))
            if layer.scheme == "rotary" and layer.frequencies.size >= 4
        }
        yield from ((path.stem, layer) for layer in kinds.values())


ROWS = list(every())
IDS = [f"{name} {layer.base:g} {layer.scaling}" for name, layer in ROWS]


@pytest.mark.parametrize(("name", "layer"), ROWS, ids=IDS)
def test_base_and_scaling_are_read_from_the_frequencies(name: str, layer: Layer) -> None:
    d = identify(layer.frequencies)
    assert len(ROWS) > 50 and d.scheme == "rotary" and layer.base is not None
    assert any(abs(log(b / layer.base)) < 1e-3 for b, exponent in d.readings if exponent == "2i/d")
    scaling = WORDS.get(layer.scaling, layer.scaling)
    if name in EXCEPTIONS:
        configured, scaling = EXCEPTIONS[name]
        assert layer.scaling == configured
    assert d.scaling == scaling


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("form", [np.float64, np.float32])
def test_a_step_is_named_and_is_as_configured(name: str, form: type) -> None:
    """The numbers do not tell llama3 from YaRN, so neither configuration is contradicted."""
    (layer,) = (layer for row, layer in ROWS if row == name)
    factor, base = STEPS[name]
    w = layer.frequencies.astype(form)
    plain = base ** (-np.arange(w.size) / w.size)
    at = int(np.argmax(plain / layer.frequencies > 2))
    np.testing.assert_allclose(layer.frequencies[:at], plain[:at], rtol=1e-12)
    np.testing.assert_allclose(layer.frequencies[at:], plain[at:] / factor, rtol=1e-9)
    d = identify(w)
    assert (d.scaling, d.factor, d.base, d.sure) == ("llama3", factor, base, True)
    (said,) = (text for text in d.alternatives if "YaRN" in text)
    assert f"before pair {at}, and divided by {factor:g}" in said and d.details["step"] == at
    for other in STEPS:
        problems = _config.against(identify(w), _config.read(stored(other))).problems
        assert bool(problems) == (other != name)


def test_a_step_elsewhere_is_no_other_scaling() -> None:
    """Another pair, or a ramp in the configuration: frequencies differ; another factor: scaling."""
    rope = {"type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096}
    config = {"model_type": "llama", "head_dim": 64, "rope_theta": 5e4, "rope_scaling": rope}
    plain = 5e4 ** (-np.arange(32) / 32)
    for at, s, problem in ((12, 32, "frequencies_differ"), (12, 16, "scaling_differs")):
        w = np.where(np.arange(32) < at, plain, plain / s)
        assert _config.against(identify(w), _config.read(config)).problems == [problem]
