"""Test cosines and sines whose rows stand at any positions, on one axis or on several."""

import doctor_bank as bank
import numpy as np
import pytest
from test_doctor_checkpoints import LLAMA, STORED, read_stored_config

from pe_lib import checkpoints
from pe_lib.doctor import compare, examine, identify

FORMS = ("float32", "float64", "bfloat16", "float16")
LAYOUTS = ("halves", None, "interleaved", "halves")
DOWN, ACROSS = np.divmod(np.arange(12 * 20), 20)
IMAGE = np.stack([np.full(240, 20), 20 + DOWN, 20 + ACROSS])
TEXT = np.arange(20) * np.ones((3, 1))
# Three axes of a text with an image in it, after which the text goes on.
MIXED = np.concatenate([TEXT, IMAGE, np.arange(40, 60) * np.ones((3, 1))], axis=1)


def space(base, n):
    """Return frequencies that are evenly spaced on a logarithmic scale, from 1 downwards."""
    return base ** (-np.arange(n) / n)


def cache(angles, form, layout=None):
    """Return the cosines and sines of angles, repeated as a layout does it and rounded."""
    if layout == "halves":
        angles = np.concatenate([angles, angles], axis=1)
    if layout == "interleaved":
        angles = np.repeat(angles, 2, axis=1)
    return tuple(bank.to(form, f(angles)) for f in (np.cos, np.sin))


def on_axes(positions, axis, w):
    """Return the angles of pairs that turn by the position on their axis."""
    return np.asarray(positions, float)[axis].T * w


def sections(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def of_qwen3():
    axis = np.zeros(64, int)
    axis[1:60:3], axis[2:60:3] = 1, 2
    return axis


# For each kind: positions on each axis, the axis of each pair, frequencies, base.
KINDS = {
    "alternating": ([DOWN, ACROSS], np.arange(64) % 2, space(1e4, 64), 1e4),
    "alternating, 24 pairs": ([DOWN, ACROSS], np.arange(24) % 2, space(100, 24), 100),
    "three sections": (MIXED, sections(16, 24, 24), space(1e6, 64), 1e6),
    "three axes in turn": (MIXED, of_qwen3(), space(5e6, 64), 5e6),
    "FLUX": ([0 * DOWN, DOWN, ACROSS], sections(8, 28, 28),
             np.concatenate([space(1e4, 8), space(1e4, 28), space(1e4, 28)]), 1e4),
    "FLUX 2": ([0 * DOWN, DOWN, ACROSS, 0 * DOWN], sections(16, 16, 16, 16),
               np.tile(space(2e3, 16), 4), 2e3),
    "a tower": ([DOWN, ACROSS], sections(20, 20), np.tile(space(1e4, 20), 2), 1e4),
    "a tower in turn": ([ACROSS, DOWN], np.arange(36) % 2, np.repeat(space(1e4, 18), 2), 1e4),
    "Pixtral": ([DOWN, ACROSS], sections(16, 16),
                np.concatenate([space(1e4, 32)[::2], space(1e4, 32)[1::2]]), 1e4),
    "a zigzag shard": ([[*range(64), *range(448, 512)]], sections(64), space(5e5, 64), 5e5),
    "packed texts": ([[*range(100), *range(50), *range(70)]], sections(64), space(5e5, 64), 5e5),
    "padding": ([[1] * 30 + [*range(50)]], sections(32), space(1e4, 32), 1e4),
    "one decoding step": ([[3571]], sections(64), space(1e6, 64), 1e6),
    "every tenth": ([range(0, 640, 10)], sections(40), space(1e4, 40), 1e4),
    "samples": ([np.random.default_rng(3).integers(0, 100_000, 60)], sections(32),
                space(1e4, 32), 1e4),
}  # fmt: skip


@pytest.mark.parametrize(("form", "layout"), list(zip(FORMS, LAYOUTS, strict=True)))
@pytest.mark.parametrize("kind", KINDS)
def test_positions_and_axes_are_found_without_a_configuration(kind, form, layout):
    positions, axis, w, base = KINDS[kind]
    positions = np.asarray([[*p] for p in positions])
    values = cache(on_axes(positions, axis, w), form, layout)
    d = identify(*values)
    assert (d.scheme, d.sure, d.problems) == ("rotary", True, []), str(d)
    assert d.base == base or kind == "Pixtral", str(d)
    np.testing.assert_array_equal(d.recipe.places[:, d.recipe.axis], positions[axis].T)
    np.testing.assert_allclose(np.stack(d.rebuild()), np.stack(values), atol=2**-8)


def test_sections_that_should_alternate_are_named():
    """Test two arrays in which only the axes of the pairs differ, as in a published report."""
    w = space(1e4, 64)
    one, other = (cache(on_axes([DOWN, ACROSS], axis, w), "float32")
                  for axis in (np.arange(64) % 2, sections(32, 32)))  # fmt: skip
    assert identify(*one).problems == [] and "2 axes" in str(identify(*one))
    d = identify(*other)
    assert d.problems == ["axes_in_sections"] and "alternate" in str(d)
    difference = compare(one, other)
    assert difference.sure and str(difference) == (
        "b's arrangement is sections, and a's is alternating.")  # fmt: skip


def test_turns_at_positions_that_nobody_can_find_are_no_empty_buffer():
    rng = np.random.default_rng(0)
    for angles in (rng.normal(size=(60, 32)) * 3, np.outer(rng.random(50), rng.random(16))):
        for form in FORMS:
            cos, sin = cache(angles, form, "halves")
            d = identify(cos, sin)
            assert d.scheme == "rotary" and not d.sure and d.problems == []
            assert "positions are unknown" in str(d)
            report = examine({"rope.cos": cos, "rope.sin": sin})
            assert report.healthy and report.problems == []


def test_items_of_a_batch_may_stand_at_different_positions():
    w = space(5e5, 32)
    items = [np.arange(40), np.maximum(np.arange(40) - 7, 0), [*range(25), *range(15)]]
    both = [cache(np.outer(t, w), "float32", "halves") for t in items]
    cos, sin = (np.stack(part) for part in zip(*both, strict=True))
    d = identify(cos, sin)
    assert d.sure and d.problems == [] and "Of 3 items, 2 stand at other positions." in str(d)
    sin[2, 5] = 0.3
    assert identify(cos, sin).problems == ["items_differ"]


def name_tables(values):
    return {"rotary.cos": values[0], "rotary.sin": values[1]}


# a fourth of the configurations is tested with each change, and the others at night
CONFIGURATIONS = [
    pytest.param(path.stem, marks=[pytest.mark.nightly] if n % 4 else [])
    for n, path in enumerate(sorted(STORED.glob("*.json")))
]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_rows_of_each_configuration_may_stand_anywhere(name):
    config, rng = read_stored_config(name), np.random.default_rng(1)
    for group in checkpoints.groups(config):
        layer = group.layer
        if layer.frequencies.size < 4 or layer.scheme not in ("rotary", "rotary_axes"):
            continue
        axes = len(layer.axis_names) or 1
        axis = np.zeros(layer.frequencies.size, int) if layer.axes is None else layer.axes
        positions = rng.integers(0, 60, (axes, 50)).cumsum(axis=1) // 30
        angles = on_axes(positions, axis, layer.frequencies)
        for form in ("float32", "bfloat16"):
            values = [layer.amplitude * x for x in cache(angles, "float64", "halves")]
            values = [bank.to(form, x) for x in values]
            prefix = "visual." if layer.part == "vision" and "vision_config" in config else ""
            tensors = {prefix + key: x for key, x in name_tables(values).items()}
            report = examine(tensors, config)
            assert report.healthy and "fits" in str(report), str(report)
        if layer.part == "decoder":
            other = np.stack([np.cos(angles * 1.3), np.sin(angles * 1.3)]).astype("f4")
            assert not examine(name_tables(other), config).healthy, name


@pytest.mark.parametrize("name", ["qwen2.5-vl-7b", "qwen3-vl-4b", "qwen3.5-27b"])
def test_axes_that_stand_otherwise_than_configured_are_named(name):
    config = read_stored_config(name)
    layer = next(x for x in checkpoints.layers(config) if x.scheme == "rotary_axes")
    w = layer.frequencies
    for axis in (np.arange(w.size) % 3, sections(w.size - 2 * (w.size // 3), *[w.size // 3] * 2)):
        values = cache(on_axes(MIXED, axis, w), "float32", "halves")
        same = np.array_equal(axis, layer.axes)
        assert examine(name_tables(values), config).problems == ([] if same else ["axes_differ"])


def test_positions_of_a_shard_are_right_and_those_from_one_are_wrong():
    w = space(5e5, 64)
    for first, problems in ((1, ["first_position"]), (57, []), (-40, [])):
        values = cache(np.outer(np.arange(first, first + 90), w), "float32", "halves")
        report = examine(name_tables(values), LLAMA)
        assert report.problems == problems, str(report)
    quarter = cache(np.outer(np.arange(90) / 4, w), "float32", "halves")
    assert not examine(name_tables(quarter), LLAMA).healthy, "positions were divided by 4"


@pytest.mark.parametrize(("bits", "dtype"), [("int8", np.int8), ("int16", np.int16)])
@pytest.mark.parametrize("config", [None, LLAMA])
def test_positions_that_overflowed_are_named(bits, dtype, config):
    middle = np.iinfo(dtype).max + 1
    t = np.arange(middle - 40, middle + 60).astype(dtype).astype(float)
    arrays = dict(
        zip(("cos", "sin"), cache(np.outer(t, space(5e5, 64)), "float32", "halves"), strict=True)
    )
    report = examine(arrays, config)
    assert report.problems == ["positions_overflow"], str(report)
    assert f"overflow {bits}: row 40 stands at position {-middle:,}" in str(report)
    before = np.outer(np.arange(-60.0, 40.0), space(5e5, 64))  # offsets of earlier keys
    arrays = dict(zip(("cos", "sin"), cache(before, "float32", "halves"), strict=True))
    assert examine(arrays, config).problems == []


@pytest.mark.parametrize("layout", [None, "halves", "interleaved"])
def test_pairs_that_turn_backwards_are_named(layout):
    angles = np.outer(np.arange(90), space(1e6, 64))
    angles[:, 32:] *= -1
    d = identify(*cache(angles, "float32", layout))
    assert d.problems == ["part_turned_back"] and "Pairs 32–63 turn backwards" in str(d), str(d)


def test_a_cache_has_each_position_once():
    w = space(5e5, 64)
    for positions in (np.arange(200) % 90, np.maximum(np.arange(90) - 20, 0)):
        cos, sin = cache(np.outer(positions, w), "float32", "halves")
        for config in (None, LLAMA):
            report = examine({"rope.cos_cached": cos, "rope.sin_cached": sin}, config)
            assert not report.healthy and "cache_moved" in report.problems, str(report)
            assert examine({"rope.cos": cos, "rope.sin": sin}, config).healthy


@pytest.mark.parametrize("config", [None, LLAMA])
def test_rows_that_all_stand_at_one_position_are_named(config):
    """Test image tokens from position 65,536 on, which bfloat16 rounds to one number."""
    far = bank.to("bfloat16", 65_536 + np.arange(240) // 20)
    cos, sin = cache(np.outer(far, space(5e5, 64)), "float32", "halves")
    report = examine({"cos": cos, "sin": sin}, config)
    assert report.problems == ["same_place"], str(report)
    assert "All 240 rows stand at one position" in str(report)
    assert examine({"cos": cos[:4], "sin": sin[:4]}, config).problems == []
