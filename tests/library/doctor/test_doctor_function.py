"""Test that a function is compared with the configuration, and not diagnosed in spite of it."""

import numpy as np
import pytest
from test_doctor_checkpoints import LLAMA, STORED, read_stored_config

from pe_lib import checkpoints
from pe_lib.doctor import assert_positions, examine, probe


def rotate_pairs(x, t, w, layout="halves"):
    """Rotate the pairs of x (…, 2n) by t · w, written without the library."""
    n = len(w)
    i = np.arange(n)
    one, two = (i, i + n) if layout == "halves" else (2 * i, 2 * i + 1)
    cos, sin, y = np.cos(t * w), np.sin(t * w), np.array(x, float)
    y[..., one] = x[..., one] * cos - x[..., two] * sin
    y[..., two] = x[..., one] * sin + x[..., two] * cos
    return y


def space(base, n, width=None):
    """Return frequencies that are evenly spaced on a logarithmic scale, from 1 downwards."""
    return base ** (-2 * np.arange(n) / (width or 2 * n))


def of_llama(base=5e5, **more):
    w = space(base, 64)
    return lambda x, t: rotate_pairs(x, t, w, **more)


def of_half(x, t):
    return np.concatenate([rotate_pairs(x[..., :64], t, space(5e5, 32)), x[..., 64:]], -1)


FAULTS = {
    "another base": (of_llama(1e4), "base_differs"),
    "a scaling": (lambda x, t: of_llama()(x, t / 4), "scaling_differs"),
    "the other layout": (of_llama(layout="interleaved"), "layout_differs"),
    "nothing": (lambda x, t: x, "scheme_differs"),
    "half of the head": (of_half, "width_differs"),
    "the other way": (lambda x, t: of_llama()(x, -t), "clockwise"),
    "an amplitude": (lambda x, t: 1.2 * of_llama()(x, t), "amplitude_differs"),
    "positions from 1": (lambda x, t: of_llama()(x, t + 1), "first_position"),
    "positions that wrap": (lambda x, t: of_llama()(x, t % 300), "breaks"),
}


def test_the_configured_function_is_healthy():
    report = examine(of_llama(), LLAMA)
    assert report.healthy and report.entries[0].diagnosis.details["fits"] == "all 32 layers"
    assert_positions(of_llama(), LLAMA)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_function_that_is_not_as_configured_fails(fault):
    function, problem = FAULTS[fault]
    assert problem in examine(function, LLAMA).problems
    with pytest.raises(AssertionError):
        assert_positions(function, LLAMA)


@pytest.mark.parametrize("name", sorted(path.stem for path in STORED.glob("*.json")))
def test_each_stored_configuration_accepts_its_own_rotation_and_no_other_base(name):
    config = read_stored_config(name)
    for group in checkpoints.groups(config):
        layer = group.layer
        if layer.part != "decoder" or not layer.turned or layer.width > 256:
            continue

        def function(x, t, layer=layer, base=1.0):
            part = slice(layer.start, layer.start + layer.turned)
            w, y = layer.frequencies, np.array(x, float)
            w = w * base ** (-np.arange(w.size) / w.size)
            y[..., part] = layer.amplitude * rotate_pairs(y[..., part], t, w, layer.layout)
            return y

        assert examine(function, config).healthy, layer
        report = examine(lambda x, t, f=function: f(x, t, base=1.2), config)
        assert not report.healthy, layer


def test_frequencies_may_be_spaced_over_more_entries_than_turn():
    """Test the two pairings that people give Gemma 4, whose base is 1,000,000 over 512 entries."""
    w = space(1e6, 64, 512)

    def rotate_first_part(x, t):
        return np.concatenate([rotate_pairs(x[..., :128], t, w), x[..., 128:]], -1)

    def rotate_whole_width(x, t):
        return rotate_pairs(x, t, np.append(w, np.zeros(192)))

    for function, turned in (
        (rotate_first_part, "The first 128 of 512"),
        (rotate_whole_width, "the first 64 of 256"),
    ):
        d = probe(function, 512)
        assert (d.base, d.exponent, d.problems, d.sure) == (1e6, "2i/d", [], True), str(d)
        assert turned in str(d)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [6, 8])
def test_frequencies_with_few_digits_were_not_printed(dtype, width):
    """Test frequencies that are short numbers by themselves, such as 1, 0.1, 0.01 and 0.001."""
    base = {6: 1e3, 8: 1e4}[width]
    w = space(base, width // 2).astype(dtype)
    config = {"model_type": "llama", "hidden_size": width, "num_attention_heads": 1,
              "num_hidden_layers": 2, "rope_theta": base}  # fmt: skip
    for given in (None, config):
        report = examine({"rotary_emb.inv_freq": w}, given)
        assert report.problems == [], str(report)
    assert_positions({"rotary_emb.inv_freq": w}, config)
