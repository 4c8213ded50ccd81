"""Chapter 11, first half: layers that differ, axes that share pairs, parts that do not turn."""

import cmath
import json
import math

import numpy as np
import pytest
from cells import CHAPTERS, functions, printed, said

from pe_lib.checkpoints import layers
from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.schemes import Scheme
from tools import since

NAME = "11-since-2024"
RECORDING = json.loads((CHAPTERS / "data" / "since.json").read_text("utf-8"))
STACKS = {
    name: np.array([run["right"] for run in runs]) for name, runs in RECORDING["stacks"].items()
}  # (seeds, lengths)


def stored(name):
    path = CHAPTERS / "data" / "checkpoints" / f"{name}.json"
    return json.loads(path.read_text("utf-8"))["config"]


@pytest.fixture(scope="module")
def chapter():
    return functions(NAME, np=np, Transformer=Transformer, Scheme=Scheme)


def test_to_tell_and_to_find_by_hand():
    text = said(NAME, "## By hand")
    for name, (a, b) in {"same": (1.0, 0.0), "other": (0.6, 0.8)}.items():
        turned = [a * math.cos(x) + b * math.sin(x) for x in range(4)]
        for kind, row in (("turned", turned), ("standing", [a] * 4)):
            numbers = " | ".join(f"{v:.4f}".replace("-", "−") for v in row)
            assert f"| {name} word, {kind} | {numbers} |" in text
        if name == "same":
            same = turned
    assert all(o > s for o, s in zip(turned[1:], same[1:], strict=True)) and turned[0] < same[0]


def test_the_text_that_is_shown_has_its_answers():
    words, answers = printed(NAME, "ABCDEFGH01234567").split("\n")[:2]
    for place, answer in enumerate(answers):
        if answer.strip():
            assert words[words.index(words[place]) + 1] == answer
    assert len(answers.split()) == 4 and len(words) == 32


def test_the_chapter_s_model_is_the_recorded_one(chapter):
    model, recorded = chapter["stack"]("none", window=8), since.stacked("window, none", 0)
    tokens, _ = tasks.facts()(np.random.default_rng(0), 2, 32)
    np.testing.assert_array_equal(model(tokens), recorded(tokens))


def test_what_is_recorded_is_what_is_trained():
    """Once more, with half of the steps: the two ends of the table."""
    asked = tasks.facts()
    far = {}
    for name in ("window, none", "rotary, rotary"):
        model = since.stacked(name, 7)
        train(model, asked, steps=500, length=32, seed=7)
        assert accuracy(model, asked, 32) > 0.97
        far[name] = accuracy(model, asked, 192, batch=128)
    assert far["window, none"] > 0.9 and far["rotary, rotary"] < 0.6


def test_each_change_helps_in_every_seed():
    far = {name: right[:, -1] for name, right in STACKS.items()}
    for better, worse in [
        ("rotary, none", "rotary, rotary"), ("window, none", "window, rotary"),
        ("window, rotary", "rotary, rotary"), ("window, none", "rotary, none"),
    ]:  # fmt: skip
        assert far[better].min() > far[worse].max()
    assert far["window, none"].min() > 0.97
    means = {name: right.mean(axis=0) for name, right in STACKS.items()}
    assert f"{means['none, none'][0]:.2f}" == "0.97"
    assert min(means, key=lambda name: means[name][-1]) == "none, rotary"
    assert {len(right) for right in STACKS.values()} == {5}
    assert RECORDING["settings"]["reaches"] == [32, 64, 96, 192]
    shown = [f"{means[n][-1]:.2f}" for n in ("window, rotary", "rotary, none")]
    assert shown == ["0.78", "0.55"]
    assert all(0.3 < means[n][-1] < 0.4 for n in ("none, none", "rotary, rotary"))


def test_what_the_base_of_the_layer_that_finds_does():
    far = {
        name.removeprefix("window, "): r[:, -1] for name, r in STACKS.items() if "window" in name
    }
    assert 0.75 < far["rotary"].mean() < 0.85 and 0.88 < far["base 1,000,000"].mean() < 0.95
    assert far["rotary"].max() > far["base 1,000,000"].min()  # they overlap
    assert abs(far["base 10"].mean() - STACKS["none, none"][:, -1].mean()) < 0.02
    assert min(far["a quarter turned"].mean(), far["none"].mean()) > 0.99
    assert round(2 * math.pi * 10 ** (7 / 8)) == 47


def test_pairs_that_find_are_the_slow_ones():
    share = {}
    for name in ("base 10", "rotary", "a quarter turned"):
        found = np.array([run["pairs"] for run in RECORDING["stacks"][f"window, {name}"]])
        found = found.sum(axis=1)
        share[name] = found / found.sum(axis=1, keepdims=True)
        assert np.abs(share[name][:, :2]).max() < 0.01
    assert share["base 10"][:, 6:].sum(axis=1).min() > 0.97
    assert (share["base 10"][:, 5] < 0).all()
    means = [f"{x:.2f}" for x in share["base 10"].mean(axis=0)[5:]]
    assert means == ["-0.12", "0.32", "0.81"]
    assert "0.32 and 0.81, against −0.12 of" in said(NAME, "At 192 the base decides")
    assert np.abs(share["base 10"][:, 6:].mean(axis=0) - [1 / 3, 4 / 5]).max() < 0.03
    for name in ("rotary", "a quarter turned"):
        assert np.abs(share[name][:, 3:].mean(axis=0) - 0.18).max() < 0.04
    assert since.spaced(10_000, 0.25).nonzero()[0].tolist() == [0, 1]


def test_a_preference_is_the_head_s_score_in_parts():
    """The parts of the pairs add up to scores, taken one by one."""
    model = since.stacked("window, rotary", 3)
    found = since.pairs(model).sum(axis=1)
    tokens, targets = tasks.facts()(np.random.default_rng(1000), 512, 32)
    u = model.hidden(tokens)[1].astype(np.float64)
    u /= np.sqrt((u**2).mean(axis=-1, keepdims=True) + 1e-6)
    scores = []
    for head in range(2):
        part = slice(16 * head, 16 * head + 16)
        q, k = (u @ model.parameters[f"{n}1"][:, part].astype(np.float64) for n in ("query", "key"))
        w, gaps = 10_000.0 ** (-np.arange(8) / 8), []
        for text, asked in list(zip(*np.nonzero(targets >= 0), strict=True)):
            a = q[text, asked, 0::2] + 1j * q[text, asked, 1::2]
            b = k[text, :asked, 0::2] + 1j * k[text, :asked, 1::2]
            offset = asked - np.arange(asked)
            score = (a * b.conj() * np.exp(1j * np.outer(offset, w))).sum(axis=1).real / 4
            right = tokens[text].tolist().index(tokens[text, asked]) + 1
            gaps.append(score[right] - score.mean())
        scores.append(np.mean(gaps))
    np.testing.assert_allclose(found, scores, rtol=1e-3, atol=1e-4)


def test_models_with_layers_without_positions():
    for name, sees in [("smollm3-3b", None), ("command-r7b", 4096), ("llama-4-scout", 8192)]:
        for n, layer in enumerate(layers(stored(name))):
            assert layer.scheme == ("none" if n % 4 == 3 else "rotary")
            assert layer.window == (None if n % 4 == 3 else sees)
    printed_list, schemes = printed(NAME, "checkpoints/smollm3-3b.json").split("\n")[:2]
    kinds = ["none" if rotary == 0 else "rotary" for rotary in json.loads(printed_list)]
    assert schemes == str(kinds)


def test_how_many_pairs_come_round():
    """Counted one by one, from the widths and bases of the papers."""

    def came(d, base, sees):
        return sum(sees * base ** (-2 * i / d) >= 2 * math.pi for i in range(d // 2))

    gemma = [came(256, *kind) for kind in ((1e4, 512), (1e6, 32_768), (1e6, 512))]
    bert = [came(64, *kind) for kind in ((1e4, 65), (160_000, 8192), (160_000, 65))]
    assert gemma == [62, 80, 41] and bert == [9, 20, 7]
    rows = [line.split()[-3:] for line in printed(NAME, "come round").strip().split("\n")[1:]]
    assert [int(row[0]) for row in rows] == gemma + bert
    kinds = [layer.window is not None for layer in layers(stored("gemma-3-1b"))][:12]
    assert kinds == ([True] * 5 + [False]) * 2
    kinds = [layer.window is not None for layer in layers(stored("modernbert-base"))][:6]
    assert kinds == [False, True, True] * 2


def test_an_absorbed_query_is_another_for_each_offset():
    matrix, q, c = [[1, 2], [0, 1]], (1, 0), (1, 1)
    rows = printed(NAME, "absorbed @ W").replace("(", " ").replace(")", " ").replace(",", " ")
    for offset, row in enumerate(rows.strip().split("\n")[1:]):
        z = complex(*q) * cmath.exp(1j * offset)
        absorbed = [matrix[0][n] * z.real + matrix[1][n] * z.imag for n in range(2)]
        numbers = [f"{v:.4f}" for v in (*absorbed, absorbed[0] * c[0] + absorbed[1] * c[1])]
        assert row.split()[1:] == numbers
    config = stored("deepseek-v3")
    plain, turned, latent, values, heads = (
        config[name] for name in ("qk_nope_head_dim", "qk_rope_head_dim", "kv_lora_rank",
                                  "v_head_dim", "num_attention_heads"))  # fmt: skip
    assert (plain, turned, latent, values, heads) == (128, 64, 512, 128, 128)
    assert heads * (plain + turned + values) == 40_960 and round(40_960 / 576) == 71


def test_pairs_turn_by_their_axes(chapter):
    rng = np.random.default_rng(2)
    x, places = rng.standard_normal((5, 8)), rng.integers(0, 30, (5, 3))
    axes, w = np.array([0, 2, 1, 1]), np.array([1, 0.3, 0.1, 0.02])
    found = chapter["turned_by_axis"](x, places, axes, w)
    for n, i in np.ndindex(5, 4):
        z = complex(*x[n, 2 * i : 2 * i + 2]) * cmath.exp(1j * w[i] * int(places[n, axes[i]]))
        assert complex(*found[n, 2 * i : 2 * i + 2]) == pytest.approx(z, abs=1e-12)


def test_frequencies_of_the_axes():
    wave = [2 * math.pi * 1e6 ** (i / 64) for i in range(64)]
    assert [round(wave[i]) for i in (0, 15, 16, 39, 40)] == [6, 160, 199, 28_473, 35_333]
    assert f"{32 * 1e6 ** (-40 / 64):.4f}" == "0.0057"
    config = stored("qwen2.5-vl-7b")
    assert config["rope_scaling"]["mrope_section"] == [16, 24, 24]
    first = layers(config)[0]
    assert first.axes.tolist() == [0] * 16 + [1] * 24 + [2] * 24
    kernels = printed(NAME, "np.outer(steps, w[axes == a])")
    assert "sections     column  1.000  1.000  1.000  1.000" in kernels


def test_partial_is_not_proportional():
    assert round(2 * math.pi * 1e6 ** (2 * 63 / 512)) == 188
    assert round(2 * math.pi * 1e6 ** (2 * 63 / 128)) == 5_063_256
    full = layers(stored("gemma-4-26b-a4b"))[5]
    expected = [1e6 ** (-2 * i / 512) for i in range(64)] + [0.0] * 192
    np.testing.assert_allclose(full.frequencies, expected, rtol=1e-12)
    for offset, kernel in ((100, 0.78), (10_000, 0.76), (100_000, 0.73)):
        turning = sum(math.cos(offset * 5e5 ** (-i / 64)) for i in range(16))
        assert (turning + 48) / 64 == pytest.approx(kernel, abs=0.006)
    assert f"{100 * 1e6 ** (-2 * 10 / 128):.1f} {100 * 1e6 ** (-2 * 10 / 512):.1f}" == "11.5 58.3"


def test_which_neighbours_are_named():
    right = {(run["base"], run["share"], run["axis"]): run["right"] for run in RECORDING["axes"]}
    rng = np.random.default_rng(0)
    commonest = {}  # of all 144 patches, and of the 12 in a row or column
    for count in (144, 12):
        images = rng.multinomial(count, [1 / 8] * 8, 20_000)
        commonest[count] = images.max(axis=1).mean() / count
    assert [f"{commonest[n]:.2f}" for n in (144, 12)] == ["0.17", "0.29"]
    for axis in ("row", "column"):
        assert np.mean(right[1_000_000, "sections", axis]) < commonest[144] + 0.01
        assert np.mean(right[1_000_000, "sections, width first", axis]) < commonest[12] + 0.01
    best = right[1_000_000, "interleaved", "row"] + right[1_000_000, "interleaved", "column"]
    assert [f"{f(best):.2f}" for f in (np.mean, min, max)] == ["0.79", "0.60", "0.94"]
    hundred = right[100, "sections", "row"] + right[100, "sections", "column"]
    assert [f"{f(hundred):.2f}" for f in (min, max)] == ["0.37", "0.50"]
    dealt = right[100, "interleaved", "row"] + right[100, "interleaved", "column"]
    assert [f"{f(dealt):.2f}" for f in (np.mean, min, max)] == ["0.90", "0.63", "0.99"]
    assert min(best) > max(right[1_000_000, "sections", "row"]) and min(dealt) > max(hundred)


def test_more_is_right_where_the_slower_axis_turns_more():
    """By hand: the first pair of each axis, of 16, and 11 places from first patch to last."""
    first = {"sections": (4, 10), "sections, width first": (6, 0), "interleaved": (1, 2)}
    for share, (row, column) in first.items():
        axes = since.SHARES[share].tolist()
        assert (axes.index(1), axes.index(2)) == (row, column)
    found = sorted(
        (11 * run["base"] ** (-max(first[run["share"]]) / 16), np.mean(run["right"]))
        for run in RECORDING["axes"]
    )
    turns = [f"{turn:.2g}" for turn, _ in found[::2]]
    assert turns == ["0.002", "0.062", "0.62", "2", "6.2"]
    assert all(a < b for (_, a), (_, b) in zip(found[1::2], found[2::2], strict=False))
    text = said(NAME, "So the shares matter at either base")
    assert all(
        x in text for x in ("0.002 radians", "0.06 with", "0.62 in", "2.0 inter", "6.2 inter")
    )


def test_a_pair_that_tells_may_fall_by_next_to_nothing():
    """Of Gemma 3's 128 pairs, those that turn by less than 0.1 over the largest offset, 511."""
    idle = [sum(511 * base ** (-i / 128) < 0.1 for i in range(128)) for base in (1e6, 1e4)]
    assert idle == [48, 9]
    text = said(NAME, "48 turn by less than a tenth of a radian")
    assert "With base 10,000 there are 9 such pairs" in text


def test_how_long_ago_a_number_was_told():
    tokens, answers = tasks.facts()(np.random.default_rng(0), 2000, 192)
    text, at = np.nonzero(answers >= 0)
    first = (tokens[text] == tokens[text, at][:, None]).argmax(axis=1)
    assert (at - first - 1).max() == 190
    assert "up to 190 words ago" in said(NAME, "## Check yourself")


def test_seeds_of_a_kind_spread():
    spread = max(np.ptp(r, axis=0).max() for name, r in STACKS.items() if "base" not in name)
    assert 0.2 < spread < 0.25 and "spread by up to 0.25" in said(NAME, "five dots for the seeds")


def test_a_neighbour_is_the_patch_before():
    for axis, step in (("row", (1, 0)), ("column", (0, 1))):
        tokens, answers = since.neighbour(axis, side=4)(np.random.default_rng(1), 2, 16)
        for (n, r, c), answer in np.ndenumerate(answers.reshape(2, 4, 4)):
            there = r - step[0], c - step[1]
            expected = -1 if min(there) < 0 else tokens.reshape(2, 4, 4)[n][there]
            assert answer == expected
    assert since.axes_run("interleaved", 100, "row", 0, steps=2) > 0
