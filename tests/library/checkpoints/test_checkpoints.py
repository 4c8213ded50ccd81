"""Configurations: against loops from the papers, recorded numbers, both spellings, bad input.

They and what is said of them are in configurations.yml.
"""

import math
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pe_lib import biases
from pe_lib.checkpoints import Layer, layers

TABLE = yaml.safe_load(Path(__file__).with_name("configurations.yml").read_text("utf-8"))
CONFIGS, SIZES = TABLE["configs"], TABLE["configs"]["sizes"]
LLAMA, PHI_35 = CONFIGS["llama"], CONFIGS["phi_35"]


def plain(width, base=10_000.0):
    return np.array([math.pow(base, -2 * i / width) for i in range(width // 2)])


def ramp(width, ends, factor):
    """Kept up to the first pair, divided by the factor from the second on, on a line between."""
    return np.interp(range(width // 2), ends, [1, 1 / factor])


def same(one, other):
    for a, b in zip(one, other, strict=True):
        for name in Layer.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


# what models do


def turning(width, base):
    """At how many pairs a head has turned 32 times and once in 4,096 positions."""
    return [width / 2 * math.log(4096 / (2 * math.pi * r)) / math.log(base) for r in (32, 1)]


STRETCH = 2 * 6000 / 2048 - 1  # the factor of dynamic at 6,000 positions
PHI_SHORT, PHI_LONG = (PHI_35["rope_scaling"][f"{n}_factor"] for n in ("short", "long"))


def computed(x):
    """A text of the table that begins with "= ", as what it says."""
    known = {**globals(), "alibi_slopes": biases.alibi_slopes}
    return eval(x[2:], known) if isinstance(x, str) and x.startswith("= ") else x


@pytest.mark.parametrize(
    ("config", "length", "index", "w", "facts"),
    TABLE["facts"],
    ids=[f"{row[0].get('model_type', 'flux')} {row[2]}" for row in TABLE["facts"]],
)
def test_layers_of_models(config, length, index, w, facts):
    layer = layers(config, length)[index]
    assert not layer.frequencies.flags.writeable
    if w is not None:
        np.testing.assert_allclose(layer.frequencies, computed(w), rtol=1e-12)
    for name, want in facts.items():
        got, want = attrgetter(name)(layer), computed(want)
        got = np.asarray(got).tolist() if isinstance(got, np.ndarray | tuple) else got
        assert got == (pytest.approx(want) if isinstance(want, float) else want), name


@pytest.mark.parametrize(("changes", "turned"), TABLE["partial"])
def test_partial_widths_have_the_frequencies_of_a_narrower_head(changes, turned):
    layer = layers({**SIZES, "rope_theta": 10_000, **changes})[0]
    assert layer.turned == turned and layer.width == 128
    np.testing.assert_allclose(layer.frequencies, plain(turned), rtol=1e-14)


@pytest.mark.parametrize(("config", "kinds", "schemes"), TABLE["differ"])
def test_layers_that_differ(config, kinds, schemes):
    made = layers(config)
    assert [layer.kind for layer in made] == kinds.split()
    assert [layer.scheme for layer in made] == schemes.split()


# spellings


@pytest.mark.parametrize(("old", "new"), TABLE["spellings"])
def test_both_spellings_are_one_configuration(old, new):
    same(layers(old), layers(new))


# bad input


@pytest.mark.parametrize(("config", "message"), TABLE["refused"])
def test_errors_name_the_key_the_value_and_what_is_known(config, message):
    with pytest.raises(ValueError) as error:
        layers(config)
    assert message in str(error.value), str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_configuration():
    for config in (None, [LLAMA], 3):
        with pytest.raises(TypeError, match="config must be a dictionary or the path of"):
            layers(config)
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        layers(LLAMA, 0)


WHOLE = [CONFIGS[name] for name in ("llama", "deepseek", "gpt_oss", "scout", "gemma_3", "phi_35")]
WHOLE += [{**LLAMA, "rope_scaling": CONFIGS["llama_31"]}, CONFIGS["qwen_vl"]["text_config"]]
ODD = st.sampled_from([None, True, "", "3", -1, 0, 0.5, 1e300, math.nan, math.inf, 10**400, [],
                       [1], {}, {"a": 1}, {"type": []}, [None] * 8])  # fmt: skip


@settings(max_examples=3 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_broken_value_gives_layers_or_one_line(data):
    config = dict(data.draw(st.sampled_from(WHOLE)))
    inner = config.get("rope_scaling")
    if isinstance(inner, dict) and data.draw(st.booleans()):
        inner = dict(inner)
        inner[data.draw(st.sampled_from(sorted(inner)))] = data.draw(ODD)
        config["rope_scaling"] = inner
    else:
        config[data.draw(st.sampled_from(sorted(config)))] = data.draw(ODD)
    if config.get("num_hidden_layers") in (1e300, 10**400):
        return
    try:
        made = layers(config, data.draw(st.sampled_from([None, 1, 10**6])))
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
    else:
        for layer in made:
            assert np.isfinite(layer.frequencies).all() and layer.width > 0
            assert math.isfinite(layer.amplitude * layer.softmax_scale)
