"""Test how we describe each type of decoder against transformers' models with small random weights.

`checkpoint_spy` records what each layer passes to its attention. The record has to agree with
`pe_lib.checkpoints` about which entries rotate, how fast, in which layout and in which layers, how
scores are scaled, and which keys are seen.
"""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from checkpoint_spy import SMALL, amplitudes, check_layers, record_inputs, shrink_config

from pe_lib.checkpoints import layers
from pe_lib.checkpoints._models import classes, read_model, rows

pytestmark = pytest.mark.peers
T = list(range(12))
M_ROPE = np.array([T, [t // 3 for t in T], [t % 3 for t in T]])

TABLE = yaml.safe_load(Path(__file__).with_name("peers.yml").read_text("utf-8"))
CHANGES, NO_SPY = TABLE["changes"], {*TABLE["no_spy"]}
LONG = {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1 + i / 99 for i in range(32)],
        "long_factor": [1 + i / 3 for i in range(32)],
        "original_max_position_embeddings": 16}  # fmt: skip
BEYOND = {"max_position_embeddings": 4096, "original_max_position_embeddings": 16}
SCALED = TABLE["scaled"]
SCALED += [["phi3", {"rope_parameters": LONG, **BEYOND}, length] for length in (None, 300)]


def stacks():
    """Return the model types that transformers implements and that use rotary embeddings."""
    return sorted(
        kind
        for kind in rows()
        if kind in classes() and not (read_model(kind).reader or read_model(kind).refused)
    )


def compare(model_type, changes, positions=T, length=None, tolerance=3e-6):
    """Compare our layers with a small model. Return the layers, their inputs and the model."""
    plain = shrink_config(model_type, **changes)
    if getattr(plain, "sliding_window", None) and "sliding_window" in plain.to_dict():
        changes = {"sliding_window": 5, **changes}
    config = shrink_config(model_type, **changes)
    stack = layers(config.to_dict(), length)
    inputs, model = record_inputs(config, positions)
    check_layers(inputs, stack, positions, tolerance, halves=model_type in TABLE["reordered"])
    # Slow pairs hardly move within a few positions, so their frequencies are compared, too.
    theirs = [w.double().numpy() for n, w in model.named_buffers() if n.endswith("inv_freq")]
    for layer in stack:
        if layer.turned:
            same = [
                w.size == layer.frequencies.size
                and np.allclose(np.sort(w), np.sort(layer.frequencies), rtol=1e-6, atol=0)
                for w in theirs
            ]
            assert any(same), layer
    return stack, inputs, model


@pytest.mark.parametrize("model_type", sorted({*stacks()} - NO_SPY))
def test_what_attention_is_given(model_type):
    positions = M_ROPE if read_model(model_type).sections else T
    _, inputs, _ = compare(model_type, CHANGES.get(model_type, {}), positions)
    assert inputs


@pytest.mark.parametrize(("model_type", "changes", "length"), SCALED)
def test_every_type_of_scaling(model_type, changes, length):
    """Compare each type of scaling with transformers, up to the end of a text of any `length`."""
    axes = read_model(model_type).sections
    positions = M_ROPE if axes else T if length is None else [*T[:-1], length - 1]
    tolerance = 3e-6 if length is None else 3e-5
    stack, inputs, theirs = compare(model_type, changes, positions, length, tolerance)
    assert inputs
    if not axes:
        actual = {round(amplitude, 5) for amplitude in amplitudes(theirs, positions)}
        assert actual == {round(layer.amplitude, 5) for layer in stack}


@pytest.mark.parametrize(("model_type", "changes"), TABLE["edges"])
def test_files_at_the_edge(model_type, changes):
    """Compare unusual configuration files unchanged. Transformers would change them on saving."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[model_type]
    sizes = {k: v for k, v in SMALL.items() if k in cls().to_dict()}
    config = {**sizes, "num_hidden_layers": 4, **changes}
    positions = M_ROPE if read_model(model_type).sections else T
    stack = layers({"model_type": model_type, **config})
    loaded = cls.from_dict(copy.deepcopy(config))
    loaded._experts_implementation = "eager"
    inputs, _ = record_inputs(loaded, positions)
    check_layers(inputs, stack, positions, halves=model_type in TABLE["reordered"])


@pytest.mark.parametrize("model_type", sorted({*rows()} & {*classes()}))
def test_what_a_file_leaves_out_is_what_its_class_takes(model_type):
    """Check that a short file gives the same layers as the full file saved from its class."""
    from transformers import CONFIG_MAPPING

    for few in TABLE["left_out"]:
        try:
            stack = layers({"model_type": model_type, **few})
            saved = CONFIG_MAPPING[model_type].from_dict(copy.deepcopy(few)).to_json_string(False)
        # Either library may reject such a model, and transformers may even crash.
        except Exception:
            continue
        try:
            again = layers(json.loads(saved))
        except ValueError as error:
            assert "contradicts" in str(error) or few.keys() & {"rope_scaling"}, few
            continue
        assert all(layer.same(other) for layer, other in zip(stack, again, strict=True)), few


@pytest.mark.parametrize("model_type", ["ministral3", "mistral4"])
def test_temperatures_that_grow(model_type):
    """Compare growing temperatures at distant positions, with more tolerance for float32 errors."""
    positions = [0, 1, 8190, 8191, 8192, 16_382, 16_383, 16_384, 17_000, 20_000, 40_000, 99_999]
    stack, _, _ = compare(model_type, {"num_hidden_layers": 2}, positions, None, 0.02)
    assert all(layer.query_scale(positions)[-1] > 1.15 for layer in stack)
