"""Frequencies of published models give back the base and the scaling of their configurations."""

import json
import subprocess
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pe_lib import checkpoints
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _config, identify

STORED = Path(__file__).parents[3] / "chapters" / "data" / "checkpoints"
WORDS = {"default": "none", "mrope": "none"}  # what a Layer calls it, and what the doctor does
EXCEPTIONS = {
    "kimi-k2": ("yarn", "llama3"),  # beta_fast = beta_slow: a step, which llama3 has as well
    "phi-4-mini": ("longrope", "none"),  # its short factors are all 1
}
STEPS = {"kimi-k2": (32.0, 5e4), "llama-4-scout": (16.0, 5e5)}


def stored(name: str) -> dict[str, Any]:
    """The configuration of one row."""
    return json.loads((STORED / f"{name}.json").read_text("utf-8"))["config"]


def turning(name: str) -> list[Layer]:
    """One layer of each kind that turns pairs."""
    kinds = {
        (layer.base, layer.scaling, layer.frequencies.tobytes()): layer
        for layer in checkpoints.layers(stored(name))
        if layer.scheme == "rotary" and layer.frequencies.size >= 4
    }
    return list(kinds.values())


def every() -> Iterator[tuple[str, Layer]]:
    for path in sorted(STORED.glob("*.json")):
        for layer in turning(path.stem):
            yield path.stem, layer


ROWS = list(every())


def test_there_are_rows() -> None:
    assert len(ROWS) > 50 and set(EXCEPTIONS) <= {name for name, _ in ROWS}


@pytest.mark.parametrize(
    ("name", "layer"), ROWS, ids=[f"{name} {layer.base:g} {layer.scaling}" for name, layer in ROWS]
)
def test_base_and_scaling_are_read_from_the_frequencies(name: str, layer: Layer) -> None:
    d = identify(layer.frequencies)
    assert d.scheme == "rotary" and layer.base is not None
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
    (layer,) = turning(name)
    factor, base = STEPS[name]
    w = layer.frequencies.astype(form)
    plain = base ** (-np.arange(w.size) / w.size)
    divided = np.abs(plain / layer.frequencies / factor - 1) < 1e-9
    at = int(np.argmax(divided))
    np.testing.assert_allclose(layer.frequencies[:at], plain[:at], rtol=1e-12)
    assert at > 0 and divided[at:].all()
    d = identify(w)
    assert (d.scaling, d.factor, d.base, d.sure) == ("llama3", factor, base, True)
    assert d.details["step"] == at
    (said,) = (text for text in d.alternatives if "YaRN" in text)
    assert f"before pair {at}, and divided by {factor:g}" in said
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


def test_the_page_says_the_same(tmp_path: Path) -> None:
    """Every row's frequencies against its own configuration, and each step's against both."""
    from _ext import doctor as page  # here: the peers collect this file, and have no Sphinx

    tried = [
        {"config": stored(other), "list": layer.frequencies.tolist()}
        for name, layer in ROWS
        for other in ({name, *STEPS} if name in STEPS else {name})
    ]
    (tmp_path / "words.json").write_text(json.dumps(page.words()), "utf-8")
    (tmp_path / "none.jsonl").write_text("", "utf-8")
    (tmp_path / "configs.json").write_text(json.dumps(tried), "utf-8")
    files = [tmp_path / name for name in ("words.json", "none.jsonl", "configs.json")]
    script = Path(__file__).with_name("agreement.mjs")
    command = ["node", script, page.HERE, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line)["text"] for line in run.stdout.splitlines()][-len(tried) :]
    for case, text in zip(tried, lines, strict=True):
        try:
            want = _config.read(case["config"])
            found = identify(np.array(case["list"]))
            expected = f"{_config.diagnosis(want)}\n{_config.against(found, want)}"
        except ValueError as error:
            expected = str(error)
        assert text == expected
