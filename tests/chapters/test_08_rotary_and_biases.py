"""Facts and definitions of chapter 8, against the library, complex numbers and loops."""

import cmath
import math
import re

import nbformat
import numpy as np
import pytest
from cells import CHAPTERS, executed, functions, printed

from pe_lib import biases, encode, frequencies, kernel, relative, rotary, rotation
from pe_lib.course.attention import attention


@pytest.fixture(scope="module")
def chapter():
    return executed("08-rotary-and-biases")


def prose():
    cells = nbformat.read(CHAPTERS / "08-rotary-and-biases.ipynb", 4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_its_functions_are_the_library_s(chapter):
    rng = np.random.default_rng(5)
    q, k = rng.standard_normal((2, 9, 8))
    for limit in (0, 1, 20):
        vectors = rng.standard_normal((2 * limit + 1, 8))
        np.testing.assert_allclose(
            chapter["relative_scores"](q, k, vectors), biases.shaw_scores(q, k, vectors)
        )
    for heads in (1, 2, 4, 8, 16):
        np.testing.assert_allclose(chapter["alibi"](9, heads), biases.alibi_bias(9, heads))
    for both in (True, False):
        found = [chapter["bucket"](n, both=both) for n in range(-3000, 3000)]
        expected = biases.t5_buckets(range(-3000, 3000), bidirectional=both)
        np.testing.assert_array_equal(found, expected)
    positions = np.arange(9) + 1000
    for name, layout in [("rotate", "interleaved"), ("rotate_halves", "halves")]:
        np.testing.assert_allclose(
            chapter[name](q, positions, 100.0), rotary.rotate(q, positions, 100.0, layout)
        )
    weights = rng.standard_normal((5, 24))
    for heads in (1, 2, 3):
        sizes = {"heads": heads, "d_head": 24 // heads}
        found = chapter["to_halves"](weights, 24 // heads)
        expected = rotary.convert_weights(weights, "halves", axis=1, **sizes)
        np.testing.assert_array_equal(found, expected)
        transposed = chapter["permuted"](weights.T, heads)
        expected = rotary.convert_weights(weights.T, "halves", axis=0, **sizes)
        np.testing.assert_array_equal(transposed, expected)


def test_tables_of_offsets_are_the_library_s(chapter):
    shown = printed("08-rotary-and-biases", "# a query's row").strip()
    assert shown == str(biases.clipped_offsets(3, 1))
    np.testing.assert_array_equal(chapter["bias"], biases.t5_bias(60, chapter["table"]))
    assert chapter["by_hand"] == (-3, 3, -8, -20, -90, -91, -1000)


def test_none_of_six_heads_has_the_same_slope_in_both():
    formula = [2 ** (-8 * h / 6) for h in range(1, 7)]
    assert not np.isclose(formula, biases.alibi_slopes(6)).any()


def test_only_with_a_mask_is_a_mirrored_sentence_another_one(chapter):
    for name, same in [("no mask", True), ("causal", False)]:
        model, text = chapter["model"][name], chapter["text"]
        there, back = model(text), model(text[:, ::-1])
        assert np.allclose(there, back, atol=1e-12) == same
        ours, mirrored = (model.attention(x)[0][0, 0] for x in (text, text[:, ::-1]))
        assert np.allclose(mirrored, ours[::-1, ::-1]) == same


def test_scores_and_lengths_stay_when_all_positions_move(chapter):
    rotate, t = chapter["rotate"], np.arange(12)
    q, k = np.random.default_rng(3).standard_normal((2, 12, 64))
    scores, later = (rotate(q, n + t) @ rotate(k, n + t).T for n in (0, 1000))
    np.testing.assert_allclose(scores, later, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(rotate(q, t), axis=1), np.linalg.norm(q, axis=1))
    assert not np.allclose(q @ k.T, scores)


def test_turned_after_the_weights_and_not_before(chapter):
    for t in (4, 50, 1007):
        assert chapter["after"](t, t - 4) == pytest.approx(chapter["after"](7, 3))
    assert abs(chapter["before"](1007, 1003) - chapter["before"](7, 3)) > 1


def test_values_are_not_turned():
    q, k, v = np.random.default_rng(4).standard_normal((3, 6, 64))
    known = {"np": np, "frequencies": frequencies, "attention": attention}
    names = functions("08-rotary-and-biases", q=q, k=k, v=v, **known)
    output, rotate = names["output"], names["rotate"]
    np.testing.assert_allclose(output(0, False), output(100, False), atol=1e-9)
    assert not np.allclose(output(0, True), output(100, True), atol=0.1)
    np.testing.assert_allclose(rotate(output(0, True), 100), output(100, True), atol=1e-9)


def test_weights_go_from_one_layout_to_the_other(chapter):
    right, wrong, converted = (chapter[name] for name in ("right", "wrong", "converted"))
    np.testing.assert_allclose(converted, right, atol=1e-12)
    assert np.abs(wrong - right).max() > 1
    diagonals = [s.diagonal(axis1=1, axis2=2) for s in (right, wrong)]
    np.testing.assert_allclose(*diagonals, atol=1e-12)
    theirs = printed("08-rotary-and-biases", "def permuted").splitlines()
    assert theirs[0].split("[")[1] == theirs[1].split("[")[1]  # ours and theirs
    for d in (2, 4, 6, 8, 64):
        order = rotary.to_halves(d)
        assert (order[order] == range(d)).all() == (d <= 4)


def test_three_conversions_that_fail_in_silence(chapter):
    """Queries of four heads, keys of two, a norm with gains: score by score, in a loop."""
    x, gain, rotate = chapter["ten"], chapter["gain"], chapter["rotate"]
    w_q, w_k = chapter["G_q"].reshape(64, 4, 16), chapter["G_k"].reshape(64, 2, 16)
    for head, t, s in [(0, 3, 1), (1, 9, 0), (2, 5, 5), (3, 2, 8)]:
        q, k = x[t] @ w_q[:, head], x[s] @ w_k[:, head // 2]
        q, k = (rotate(gain * v / math.sqrt(v @ v / 16), n) for v, n in ((q, t), (k, s)))
        assert chapter["truth"][head, t, s] == pytest.approx(q @ k)
    rows = printed("08-rotary-and-biases", "keys told 4 heads").splitlines()
    spread, changes = float(rows[0].split()[-1]), [float(row.split()[-1]) for row in rows[2:]]
    assert changes[0] == 0 and min(changes[1:]) > 2 * spread
    refused = printed("08-rotary-and-biases", "rotary.convert_weights")
    assert "got shape (64, 32)" in refused


def test_a_cache_of_turned_keys(chapter):
    np.testing.assert_allclose(chapter["row"], chapter["at_once"][19], atol=1e-12)
    rotate, t = chapter["rotate"], np.arange(8, 20)
    np.testing.assert_allclose(chapter["kept"], rotate(chapter["k"][8:], t - 8), atol=1e-12)
    stored = rotate(chapter["k"][0], 50)  # the fourth question
    np.testing.assert_allclose(rotate(stored, -30), rotate(chapter["k"][0], 20), atol=1e-12)


def test_entries_beyond_the_turned_ones_stay(chapter):
    q = np.random.default_rng(2).standard_normal(96)
    part = rotary.rotate(q, 1000, layout="halves", turned=24)
    np.testing.assert_array_equal(part[24:], q[24:])
    np.testing.assert_allclose(part[:24], chapter["rotate_halves"](q[:24], 1000))


def test_turning_is_a_product_with_a_complex_number(chapter):
    x = np.random.default_rng(0).standard_normal(6)
    for t in (-3, 0, 1, 1003):
        expected = []
        for i in range(3):
            z = complex(*x[2 * i : 2 * i + 2]) * cmath.exp(1j * t * 10_000 ** (-2 * i / 6))
            expected += [z.real, z.imag]
        np.testing.assert_allclose(chapter["rotate"](x, t), expected, atol=1e-12)
        z = complex(*x[:2]) * cmath.exp(1j * t)
        np.testing.assert_allclose(chapter["turning"](t) @ x[:2], [z.real, z.imag], atol=1e-12)


def test_the_table_of_buckets_by_hand():
    rows = re.findall(r"^\| (−?[\d,]+) \| ([\d,]+) \| ([\d.]*) ?\|(.*)\|$", prose(), re.MULTILINE)
    assert [row[0] for row in rows] == ["−3", "3", "−8", "−20", "−90", "−91", "−1,000"]
    for offset, distance, inner, result in rows:
        n = int(offset.replace("−", "-").replace(",", ""))
        assert abs(n) == int(distance.replace(",", ""))
        if inner:
            assert float(inner) == round(8 * math.log(abs(n) / 8) / math.log(16), 2)
        last = re.search(r"(\d+)(?:, the most)? $", result)
        assert last and int(last[1]) == biases.t5_buckets(n)


def test_the_first_distances_of_buckets():
    for both, first, number in [(True, 91, 15), (False, 113, 31)]:
        found = biases.t5_buckets(-np.arange(500), bidirectional=both)
        assert found.max() == number and int((found == number).argmax()) == first


def test_a_window_holds_what_8_5_says():
    for slope in biases.alibi_slopes(8):
        share = [math.exp(-slope * n) for n in range(30_000)]
        for count in (1, 10, 100):
            assert sum(share[:count]) / sum(share) == pytest.approx(1 - math.exp(-slope * count))
    assert 10 * 256 == 2560
    assert f"{1 - math.exp(-11 / 256):.3f}" == "0.042"  # the explorer shows 151 words, not all


def test_reversed_words_give_reversed_outputs_without_a_mask():
    """Steps 1 to 4 of the proof, for each head; the mask and T5's table break them."""
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((3, 7, 4))

    def output(q, k, v, bias):
        powers = np.exp(q @ k.T / 2 + bias)
        return powers / powers.sum(axis=1, keepdims=True) @ v

    def mirrored(bias):
        back = slice(None, None, -1)
        return np.allclose(output(q[back], k[back], v[back], bias)[back], output(q, k, v, bias))

    for bias in biases.alibi_bias(7, 8, causal=False):
        assert mirrored(bias)
    assert not mirrored(biases.alibi_bias(7, 8)[0])
    assert not mirrored(biases.t5_bias(7, rng.standard_normal((32, 1)))[0])


def test_a_linear_relative_map_is_a_power_of_an_orthogonal_matrix():
    """Steps 1 to 8: for a pair, rotations keep the requirement, and of mirrors A_t is I or A_1."""
    rng = np.random.default_rng(4)
    step = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    powers = [np.linalg.matrix_power(step, t) for t in range(12)]
    for t in range(4):
        for s in range(4):
            np.testing.assert_allclose(
                powers[t].T @ powers[s], powers[t + 5].T @ powers[s + 5], atol=1e-12
            )
    other = rng.standard_normal((6, 6))  # not orthogonal: not relative
    assert not np.allclose(other, other.T @ other @ other)
    for angle in (0.3, 2.0):
        c, s = math.cos(angle), math.sin(angle)
        mirror = np.array([[c, s], [s, -c]])
        np.testing.assert_allclose(mirror @ mirror, np.eye(2), atol=1e-15)


def test_different_maps_for_queries_and_keys_need_not_be_rotations():
    q, k = np.random.default_rng(8).standard_normal((2, 6))
    score = [
        0.9**t * rotary.rotate(q, t) @ rotary.rotate(k, s) * 0.9**-s for t, s in [(7, 3), (27, 23)]
    ]
    assert score[0] == pytest.approx(score[1])


def test_an_orthogonal_matrix_comes_apart_into_planes():
    rng = np.random.default_rng(6)
    for width in (4, 5):
        a = np.linalg.qr(rng.standard_normal((width, width)))[0]
        value, vectors = np.linalg.eigh(a + a.T)
        for eigenvalue, v in zip(value, vectors.T, strict=True):
            np.testing.assert_allclose(a @ a @ v, eigenvalue * a @ v - v, atol=1e-12)


def test_between_turned_vectors_only_blocks_are_allowed():
    """Chapter 5's steps with the rotation of this chapter: d of the d² numbers are free."""
    turn = rotary.rotate(np.eye(8), 1).T
    conditions = np.kron(turn.T, turn.T) - np.eye(64)
    assert 64 - np.linalg.matrix_rank(conditions) == 8


def test_scores_of_random_vectors_do_not_know_the_offset(chapter):
    for offset in (0, 10, 50, 200, 1000):
        assert chapter["typical"](offset) == pytest.approx(8, abs=0.25)
    turned = rotary.rotate(np.eye(64), 1000)  # its rows: an orthogonal matrix
    np.testing.assert_allclose(turned @ turned.T, np.eye(64), atol=1e-12)


def test_all_ones_have_twice_the_kernel():
    ones, offsets = np.ones(64), np.arange(300)
    np.testing.assert_allclose(rotary.score(ones, ones, offsets), 2 * kernel(offsets, 64))
    assert round(float(rotary.score(ones, ones, 200)), 2) == 22.87
    assert round(float(rotary.score(ones, ones, 4)), 2) == 47.87


def test_a_key_can_be_built_for_any_offset():
    rng = np.random.default_rng(9)
    for peak in (1, 40, 333):
        query = rng.standard_normal(64)
        found = rotary.score(query, rotary.rotate(query, peak), range(-500, 501))
        assert found.argmax() - 500 == peak
        assert found.max() == pytest.approx(query @ query)


def test_chapter_5_turns_clockwise():
    np.testing.assert_allclose(relative.rotation(3, 8), rotary.rotate(np.eye(8), -3).T, atol=1e-12)
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((2, 8))
    opposite = [rotary.rotate(q, t) @ relative.shift(k, s) for t, s in [(7, 3), (8, 2), (9, 3)]]
    assert opposite[0] == pytest.approx(opposite[1])  # t + s is 10 in both
    assert opposite[0] != pytest.approx(opposite[2])
    np.testing.assert_allclose(relative.shift(q, 7), rotary.rotate(q, -7))
    swap = np.arange(8) ^ 1  # 1, 0, 3, 2, …
    np.testing.assert_allclose(relative.shift(q, 7), rotary.rotate(q[swap], 7)[swap])
    both = relative.shift(q, 7) @ relative.shift(k, 3)
    assert both == pytest.approx(rotary.score(q, k, -4))  # clockwise: the opposite offset


def test_the_rounded_angle_is_the_culprit(chapter):
    angle = np.float32(4096) * chapter["frequencies"](128).astype(np.float32)
    error = np.abs(np.cos(angle.astype(float)) - np.cos(chapter["exact"])).max()
    assert 1e-6 < error < 1e-3
    half = chapter["error"][np.float16]
    assert 0.45 < half.max() < 0.55 and half.argmax() < 8  # "up to a half among the fast pairs"
    single = chapter["error"][np.float32]
    assert half[0] == single[0] == 0 and (half[1:] > 0).all() and (single[1:] > 0).all()
    times = half[1:] / single[1:]
    assert (times > 1000).mean() > 0.9 and times.min() < 1000  # "for most pairs"


def test_a_head_built_in_the_rotary_circuit(chapter):
    """The scores against a loop over (8.8), and what is said of lead, mask and wobble."""
    omega = 10_000.0 ** (-np.arange(32) / 32)
    x = chapter["some_words"](20, 4)
    for pairs in (1, 6, 32):
        w_q, w_k = chapter["circuit"](pairs)
        found = chapter["circuit_scores"](x, w_q, w_k)
        for t, s in [(5, 5), (5, 4), (4, 5), (19, 2)]:
            expected = sum(math.cos(omega[i] * (t - s - 1)) for i in range(pairs)) / 8
            assert found[t, s] == pytest.approx(expected)
            turn = np.zeros((64, 64))  # R(-n), pair by pair
            for i, w in enumerate(omega):
                c, sine = math.cos(w * (s - t)), math.sin(w * (s - t))
                turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -sine], [sine, c]]
            assert x[t] @ w_q @ turn @ w_k.T @ x[s] / 8 == pytest.approx(expected)
        flat = chapter["circuit_scores"](x, w_q, w_k, turned=False)
        assert np.ptp(flat) < 1e-12  # without turning, no offset stands out
    leads = {pairs: (1 - np.cos(omega[:pairs])).sum() for pairs in (6, 32)}
    assert f"{leads[6]:.2f} {leads[32]:.2f}" == "1.05 1.08"
    assert f"{leads[32] / 32:.0%} {leads[6] / 6:.0%}" == "3% 17%"
    share = chapter["share"]
    at = chapter["wobbles"].index(0.05)
    assert share[6][:, at].min() == 1 and share[32][:, at].max() < 0.6
    assert share[6][:, -1].min() > 0.5 and share[32][:, 0].min() == 1
    text = prose()
    for number in (0, 1, 2, 7, 8):
        value = math.cos(number - 1)
        assert value == 1 or f"{value:.4f}".replace("-", "−") in text


def test_how_the_score_of_all_pairs_falls():
    """As the words for figure 8.18 say: a quarter in five steps, then slowly to about a half."""
    score = np.cos(np.outer(np.arange(40), 10_000.0 ** (-np.arange(32) / 32))).mean(axis=1)
    assert score[5] == pytest.approx(0.75, abs=0.03) and score[39] == pytest.approx(0.5, abs=0.03)
    assert (np.diff(score)[:5] < 0).all() and (np.diff(score) > 0).any()  # ripples


def test_a_head_on_sums_with_room_of_its_own():
    """Words without a part in the 28 directions of 64 positions: every row, with five seeds."""
    table = encode(range(64), 512)
    strongest = np.linalg.svd(table)[2][:28]
    keep = strongest.T @ strongest
    for seed in range(5):
        drawn = np.random.default_rng(seed).standard_normal((64, 512)) / 2**0.5
        x = drawn - drawn @ keep + table
        looks_at = (x @ keep @ rotation(-1, 512).T @ keep @ x.T).argmax(axis=1)
        np.testing.assert_array_equal(looks_at[1:], np.arange(63))


def test_numbers_of_the_prose():
    text = prose()
    for number, shown in [(math.cos(7), "0.7539"), (math.cos(3), "-0.9900"),
                          (math.sin(7), "0.6570"), (math.sin(3), "0.1411"),
                          (math.cos(4), "-0.6536"), (-6 * math.sin(3), "-0.8467")]:  # fmt: skip
        assert f"{number:.4f}" == shown and shown in text
    assert biases.alibi_slopes(4).tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256]
    assert biases.alibi_slopes(6)[4:].tolist() == [1 / 2, 1 / 8]
    assert biases.t5_buckets(10) == 24
    turned = (
        rotary.rotate([0, 2], 10, frequencies=[0.5]),
        rotary.rotate([3, 0], 4, frequencies=[0.5]),
    )
    assert np.dot(*turned) == pytest.approx(-6 * math.sin(3))
    assert len(range(-999, 1000)) == 1999
    assert 6144 // 64 == 96 and 96 // 4 == 24  # GPT-NeoX-20B: width, heads, a quarter


@pytest.mark.peers
def test_the_layer_to_paste_is_relative_and_the_library_s():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    (source,) = re.findall(r"```python\n(import torch.*?)```", prose(), re.DOTALL)
    names = {}
    exec(source, names)
    x = torch.randn(2, 3, 7, 16, dtype=torch.float64)
    expected = rotary.rotate(x.numpy(), np.arange(7) + 5, layout="halves")
    np.testing.assert_allclose(names["turn"](x, start=5).numpy(), expected, atol=1e-12)
    layer = names["RotaryAttention"](32, 4).double()
    words = torch.randn(2, 7, 32, dtype=torch.float64)
    weights = layer.qkv.weight.detach().numpy().T
    q, k, v = (
        part.reshape(2, 7, 4, 8).swapaxes(1, 2)
        for part in np.split(words.numpy() @ weights, 3, axis=-1)
    )
    q, k = (rotary.rotate(part, range(7), layout="halves") for part in (q, k))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(8)
    powers = np.exp(np.where(np.triu(np.ones((7, 7)), 1) == 1, -np.inf, scores))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ v
    expected = mixed.swapaxes(1, 2).reshape(2, 7, 32) @ layer.out.weight.detach().numpy().T
    np.testing.assert_allclose(layer(words).detach().numpy(), expected, atol=1e-10)
    cache = []  # in pieces: five words, one, one
    pieces = [layer(piece, cache) for piece in (words[:, :5], words[:, 5:6], words[:, 6:])]
    np.testing.assert_allclose(torch.cat(pieces, 1).detach().numpy(), expected, atol=1e-10)
    assert cache[0].shape == (2, 4, 7, 8)


@pytest.mark.peers
def test_the_layer_to_paste_needs_no_float64_but_on_the_cpu():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from torch.utils._python_dispatch import TorchDispatchMode

    class Elsewhere(TorchDispatchMode):  # a device without float64, as Apple's MPS is
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            for one in out if isinstance(out, (tuple, list)) else [out]:
                if isinstance(one, torch.Tensor) and one.device.type == "meta":
                    assert one.dtype != torch.float64, function
            return out

    (source,) = re.findall(r"```python\n(import torch.*?)```", prose(), re.DOTALL)
    names = {}
    exec(source, names)
    with Elsewhere():
        turned = names["turn"](torch.zeros(1, 2, 3, 8, device="meta"))
        assert turned.device.type == "meta" and turned.dtype == torch.float32
        with pytest.raises(AssertionError):
            torch.zeros(3, device="meta").double()  # the control
