"""Facts and definitions of chapter 10, against the library, plain loops and high precision."""

import json
import math
import re

import mpmath
import nbformat
import numpy as np
import pytest
from cells import CHAPTERS, executed, printed

from pe_lib import encode, kernel, shift, wavelengths
from pe_lib.checkpoints import layers
from pe_lib.course.explorers import GridExplorer
from pe_lib.course.model import Transformer, accuracy, train
from pe_lib.grid import encode_grid, grid_frequencies, grid_kernel, rotate_grid

STORED = [json.loads(p.read_text("utf-8")) for p in (CHAPTERS / "data/checkpoints").glob("*.json")]
TURNED = [
    {"model": m["model"], "trained": m["trained"], "turned": first.turned, "base": first.base}
    for m in STORED
    if m["trained"] and (first := layers(m["config"])[0]).turned
]


@pytest.fixture(scope="module")
def chapter():
    return executed("10-choosing", slow="said = model(tokens)")


@pytest.fixture(scope="module")
def prose():
    cells = nbformat.read(CHAPTERS / "10-choosing.ipynb", 4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_its_functions_are_the_library_s(chapter):
    rows, columns = np.divmod(np.arange(35), 7)
    found = chapter["axial"](rows, columns, 16, 50.0)
    np.testing.assert_allclose(found, encode_grid(rows, columns, 16, 50.0), atol=1e-12)
    x = np.random.default_rng(4).standard_normal((3, 16))
    for row, column in [(0, 0), (3, -8), (1.5, 400)]:
        np.testing.assert_allclose(
            chapter["rotate_axial"](x, row, column, 50.0),
            rotate_grid(x, row, column, 50.0),
            atol=1e-11,
        )


def test_the_smallest_case_by_hand(prose):
    """The table of sines and cosines, and the four products."""
    for row, column in [(2, 3), (3, 5)]:
        entries = [f(t) for t in (row, column) for f in (math.sin, math.cos)]
        numbers = " | ".join(f"{v:.4f}".replace("-", "−") for v in entries)
        assert f"| row {row}, column {column} | {numbers} |" in prose
    products = [a * b for a, b in zip(
        [math.sin(2), math.cos(2), math.sin(3), math.cos(3)],
        [math.sin(3), math.cos(3), math.sin(5), math.cos(5)], strict=True)]  # fmt: skip
    assert [round(p, 4) for p in products] == [0.1283, 0.4120, -0.1353, -0.2808]
    assert sum(products) == pytest.approx(math.cos(1) + math.cos(2))


def test_patches_are_cut_and_joined(chapter):
    image, patches = chapter["image"], chapter["original"]
    np.testing.assert_array_equal(chapter["joined"](patches), image)
    np.testing.assert_array_equal(patches[8].reshape(8, 8), image[8:16, 8:16])
    assert sorted(chapter["mixed_up"]) == list(range(49))
    assert not np.array_equal(chapter["scrambled"], patches)


def test_only_with_positions_is_a_scrambled_image_another_one(chapter):
    for name, same in [("no positions", True), ("positions", False)]:
        there, scrambled = chapter["answers"][name]
        assert np.allclose(there, scrambled, atol=1e-12) == same
    assert abs(there - scrambled).max() > 0.01


def test_the_scores_that_the_words_say():
    found = [f"{kernel(step, 64, 100) / 32:.2f}" for step in (1, 5, 14)]
    assert found == ["0.94", "0.47", "0.30"]
    assert divmod(15, 6) == (2, 3) and divmod(9, 6) == (1, 3)
    assert divmod(15, 4) == (3, 3) and divmod(9, 4) == (2, 1) and 15 - 4 == 11
    ends = [13 * base ** (-15 / 16) for base in (10_000, 100)]
    assert [round(1 / ends[1]), round(1000 * ends[0])] == [6, 2]


def test_where_the_curves_off_the_row_part(chapter):
    far, way = np.linspace(0, 9, 91), np.radians([[0], [20], [45]])
    spread = {}
    for name, angle in [("axial", 0.0), ("many directions", chapter["ANGLES"])]:
        row, _, diagonal = found = (
            grid_kernel(far * np.sin(way), far * np.cos(way), 64, 100, angle) / 32
        )
        spread[name] = np.ptp(found, axis=0)
        assert (spread[name][far <= 2] < 0.015).all()
        first = far[np.argmax(diagonal > row + 1e-9)]
        assert first == (0 if name == "axial" else pytest.approx(7, abs=0.3))  # 0: nowhere
    assert (spread["many directions"] <= spread["axial"])[1:].all()
    assert spread["many directions"][far <= 7].max() < 0.07 and spread["axial"].max() > 0.2


def test_the_numbered_stripe_goes_on_in_the_next_rows():
    steps = 14 * np.arange(-6, 8)[:, None] + np.arange(-6, 8)
    score = kernel(steps, 64, 100) / 32
    assert score[5].argmax() == 13 and score[7].argmax() == 0
    assert min(score[5, 13], score[7, 0]) > 0.4 > np.delete(score, (5, 6, 7), axis=0).max()


def test_a_step_is_one_map_and_one_score_from_every_place(chapter):
    rng = np.random.default_rng(9)
    r, c = rng.integers(0, 1000, (2, 200))
    for angle in (0.0, chapter["ANGLES"]):
        here, there = (encode_grid(r + a, c + b, 64, 100, angle) for a, b in [(0, 0), (3, -5)])
        assert np.ptp((here * there).sum(axis=1)) < 1e-9
    patch = encode_grid(4, 9, 64, 100)
    moved = np.concatenate([shift(patch[:32], 3, 100), shift(patch[32:], -2, 100)])
    np.testing.assert_allclose(moved, encode_grid(7, 7, 64, 100), atol=1e-12)


def test_axial_attention_is_a_row_s_weight_times_a_column_s(chapter):
    weight = chapter["weight"]
    product = np.outer(weight.sum(axis=1), weight.sum(axis=0))
    np.testing.assert_allclose(weight, product, atol=1e-12)


def test_numbers_of_a_patch_change_with_the_grid():
    assert (2 * 8 + 3, 2 * 10 + 3) == (19, 23)


def test_how_many_pairs_hardly_move_on_a_short_axis():
    moved = {base: [13 * base ** (-i / 16) for i in range(16)] for base in (10_000, 100)}
    assert [sum(a < 1 for a in moved[base]) for base in moved] == [11, 7]


def test_two_bare_numbers_prefer_a_corner():
    """The explorer's second task: where the top is, for each kind of patch."""
    scores = GridExplorer(scheme="coordinates").scores()
    for r, c in np.ndindex(14, 14):
        top = np.argwhere(scores[r, c] == scores[r, c].max()).tolist()
        assert len(top) == (14 if r == 0 else 1) * (14 if c == 0 else 1)
        assert top[-1] == [13, 13] and (top == [[r, c]]) == ((r, c) == (13, 13))


@pytest.mark.peers
def test_the_code_to_paste(prose):
    """In PyTorch: two axes, against the library; a table, against one axis at a time."""
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    resize, turning = ({} for _ in range(2))
    for code, names in zip(re.findall(r"```python\n(.+?)```", prose, re.DOTALL),
                           (resize, turning), strict=True):  # fmt: skip
        exec(code, names)
    x = np.random.default_rng(5).standard_normal((2, 3, 35, 16))
    turned = turning["turn"](torch.tensor(x), turning["axial_angles"](5, 7, 16))
    expected = rotate_grid(x, *np.divmod(np.arange(35), 7), base=100)
    assert turned.dtype == torch.float64
    np.testing.assert_allclose(turned, expected, atol=1e-5)  # it computes in single precision

    table = torch.tensor(np.random.default_rng(6).standard_normal((1 + 35, 6)))
    new = resize["resize_positions"](table, (5, 7), (9, 11))
    assert new.shape == (1 + 99, 6) and (new[0] == table[0]).all()
    np.testing.assert_allclose(resize["resize_positions"](table, (5, 7), (5, 7)), table)

    def line(values, length):
        """Along the last axis, one row for each of the others."""
        rows = values.reshape(1, -1, 1, values.shape[-1])
        out = torch.nn.functional.interpolate(
            rows, (1, length), mode="bicubic", align_corners=False
        )
        return out.reshape(*values.shape[:-1], length)

    t, old = np.arange(14), torch.zeros((1, 64), dtype=torch.float64)
    known = torch.tensor(encode_grid(t[:, None], t, 64, 100).reshape(196, 64))
    finer = resize["resize_positions"](torch.cat([old, known]), (14, 14), (24, 24))[1:]
    for at, off in [((np.arange(24) + 0.5) * 14 / 24 - 0.5, "0.0066"),
                    (np.linspace(0, 13, 24), "0.0172")]:  # fmt: skip
        place = encode_grid(at[:, None], at, 64, 100).reshape(576, 64)
        assert f"{np.abs(finer.numpy() - place).mean():.4f}" == off and off in prose

    grid = table[1:].reshape(5, 7, 6).permute(2, 0, 1)  # (6, rows, columns)
    wide = line(grid, 11)  # along the columns, then along the rows
    both = line(wide.transpose(1, 2), 9).transpose(1, 2)
    np.testing.assert_allclose(new[1:], both.permute(1, 2, 0).reshape(99, 6), atol=1e-12)


def test_one_more_seed_and_what_the_numbers_taught(chapter):
    """On 6 by 4, the model with numbers answers with the patch six back, not with the one above."""
    rights = {}
    for name in ("by_number", "by_axes"):
        model = Transformer(8, 8, "none", heads=1, seed=2)
        model.scheme = chapter["Placed"](chapter[name](6, 6))
        train(model, chapter["above"](6), steps=300, batch=32, length=36, seed=2)
        assert accuracy(model, chapter["above"](6), 36, batch=64) > 0.95
        model.scheme = chapter["Placed"](chapter[name](6, 4))
        tokens = np.random.default_rng(3).integers(8, size=(64, 24))
        said = model(tokens).argmax(axis=-1)
        rights[name] = [(said[:, n:] == tokens[:, :-n]).mean() for n in (4, 6)]
    above, back = rights["by_number"]
    assert above < 0.25 and back > 0.9
    above, back = rights["by_axes"]
    assert above > 0.95 and back < 0.25


def test_no_axial_score_prefers_a_diagonal():
    """(10.5): opposite corners of every rectangle of offsets, for random queries and keys."""
    rng = np.random.default_rng(6)
    angles = np.pi / 2 * (np.arange(4) * 0.618 % 1)
    gaps = {0.0: [], 1.0: []}
    for _ in range(50):
        q, k = rng.standard_normal((2, 16))
        (r, r2), (c, c2) = rng.integers(-20, 20, (2, 2))
        for axes in gaps:
            a = 0.0 if axes == 0.0 else angles
            s = [q @ rotate_grid(k, *p, 100, a) for p in [(r, c), (r2, c2), (r, c2), (r2, c)]]
            gaps[axes].append(abs(s[0] + s[1] - s[2] - s[3]))
    assert max(gaps[0.0]) < 1e-10 < np.median(gaps[1.0])


def test_what_scores_can_explain(chapter):
    """By singular values, in place of normal equations; each fit is that of a query and a key."""
    offsets = np.arange(-13, 14)
    r, c = (k.ravel() for k in np.meshgrid(offsets, offsets, indexing="ij"))
    expected = {"a column": [0.34, 0.03, 0.20], "a diagonal": [0.0, 0.25, 0.13]}
    for name, wanted in [("a column", c == 0), ("a diagonal", r == c)]:
        for angle, share in zip((0.0, np.pi / 4, chapter["ANGLES"]), expected[name], strict=True):
            f = grid_frequencies(64, 100, angle)
            phase = np.outer(r, f[:, 0]) + np.outer(c, f[:, 1])
            x, y = np.hstack([np.sin(phase), np.cos(phase)]), wanted * 1.0
            u, size, vt = np.linalg.svd(x, full_matrices=False)
            w = vt.T @ (size / (size**2 + 0.1) * (u.T @ y))
            found = 1 - ((y - x @ w) ** 2).sum() / ((y - y.mean()) ** 2).sum()
            assert found == pytest.approx(share, abs=0.0051)
            assert chapter["explained"](y, angle) == pytest.approx(found, abs=1e-6)
            q, k = np.tile([1.0, 0.0], 32), np.ravel([w[32:], -w[:32]], order="F")
            assert q @ rotate_grid(k, 5, -2, 100, angle) == pytest.approx(
                (x @ w)[(r == 5) & (c == -2)][0], abs=1e-9
            )


def test_a_table_is_resized_in_two_dimensions(chapter):
    """Bilinear interpolation, place by place, beyond the border as at it; a list mixes rows."""
    table = np.random.default_rng(8).standard_normal((4, 3, 5))
    new = chapter["resized"](table, chapter["centres"](4, 7), chapter["centres"](3, 8))
    assert new.shape == (7, 8, 5)
    for i, j in [(0, 0), (6, 7), (3, 5), (5, 2)]:
        r = min(max((i + 0.5) * 4 / 7 - 0.5, 0), 3)
        c = min(max((j + 0.5) * 3 / 8 - 0.5, 0), 2)
        a, b = min(int(r), 2), min(int(c), 1)
        u, v = r - a, c - b
        expected = ((1 - u) * (1 - v) * table[a, b] + u * (1 - v) * table[a + 1, b]
                    + (1 - u) * v * table[a, b + 1] + u * v * table[a + 1, b + 1])  # fmt: skip
        np.testing.assert_allclose(new[i, j], expected, atol=1e-12)
    assert 7 < chapter["centres"](196, 576)[24] < 8  # the first of row 1, in patches of row 0
    assert f"{chapter['centres'](14, 24)[0]:.3f}" == "-0.208"
    lines = printed("10-choosing", "resized by").splitlines()[1:]
    own, other = [float(x) for x in lines[0].split()[1:]], [float(x) for x in lines[1].split()[1:]]
    assert f"{own[1] / own[0]:.1f} {other[0] / other[1]:.1f}" == "1.8 2.8"


def test_the_class_token_stands_at_row_0_column_0():
    """Of unturned queries only those at patches notice how the patches are numbered, and by (10.4)
    as much as a query in row 0, column 0 does; turned by complex numbers."""
    token, query, key = np.random.default_rng(10).standard_normal((3, 64))
    w = np.array([100 ** (-2 * i / 32) for i in range(16)])

    def turned(x, row, column):
        return x.view(complex) * np.exp(1j * np.concatenate([w * row, w * column]))

    lines = printed("10-choosing", "token, query").splitlines()[1:]
    for line, (r, c) in zip(lines, [(0, 0), (5, 5), (30, 2)], strict=True):
        other = turned(key, r + 2, c + 6)
        patches = (turned(query, r + 4, c + 1) * other.conj()).real.sum()
        unturned = (token.view(complex) * other.conj()).real.sum()
        numbers = [float(x) for x in re.findall(r"-?\d+\.\d{3}", line)]
        np.testing.assert_allclose(numbers, [patches, unturned, unturned], atol=5.1e-4)


def test_the_base_of_time(chapter):
    expected = np.geomspace(6, 8760, 8)
    np.testing.assert_allclose(chapter["in_hours"], expected, rtol=1e-12)
    t = np.array([-3.0, 0.25, 4000.75])
    angle = 2 * np.pi * np.divide.outer(t, expected)
    by_hand = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(3, 16)
    np.testing.assert_allclose(chapter["encode_hours"](t), by_hand, atol=1e-9)
    minute = chapter["encode_hours"](0) @ chapter["encode_hours"](1 / 60) / 8
    assert round(minute, 5) == 0.99998


def test_nerf_s_features_are_the_encoding(chapter):
    p, fastest = np.linspace(-1, 1, 7), 2**9 * math.pi
    ours = encode(fastest * p, 20, base=2.0**10).reshape(-1, 10, 2)[:, ::-1]
    np.testing.assert_allclose(chapter["gamma"](p, 10), ours.reshape(-1, 20), atol=1e-11)
    assert wavelengths(20, 2.0**10)[-1] / fastest == pytest.approx(2)


def test_a_learned_table_does_not_know_its_numbers(chapter):
    renamed = chapter["renamed"][chapter["names"]]
    np.testing.assert_array_equal(renamed, chapter["learned"])


def test_nerf_turns_512_times_over_the_box():
    fast, slow = 2 / 2**9, 2.0  # wavelengths 2π/(2^k π)
    assert 2 / fast == 512 and 2 / slow == 1
    assert encode(math.pi, 2)[1] == pytest.approx(-1)  # sin and cos 2^0 π p at p = 1


def test_the_flow_finds_what_the_text_says(chapter):
    fits = chapter["fits"]
    assert fits("sides", "offset alone") == ["relative keys or bias", "rotary"]
    assert set(fits()) == set(chapter["CAN"])
    assert fits("grid", "any length", "sides", "nothing learned", "offset alone") == ["rotary"]


def test_the_groups_of_models(chapter, prose):
    """Counted again: the groups by a plain loop, and what the text and the caption say of them."""
    assert f"a table of {len(STORED)} published models" in prose
    assert f"what {len(STORED)} published models chose" in prose
    found = {}
    for m in STORED:
        made, year = layers(m["config"]), int(m["released"][:4])
        ways = []
        for layer in made:
            way = layer.scheme, layer.base, layer.window
            if way not in ways:
                ways.append(way)
        if any(layer.kind in ("mamba", "linear", "conv") for layer in made):
            name = "attention in some layers"
        elif all(layer.turned == 0 for layer in made):
            name = "nothing turned"
        else:
            name = "rotary, layers alike" if len(ways) == 1 else "rotary, layers differ"
        found.setdefault(name, []).append(year)
    counts = {(name, y): years.count(y) for name, years in found.items() for y in set(years)}
    assert dict(chapter["counts"]) | counts == dict(chapter["counts"])
    assert sum(counts.values()) == len(STORED)
    differ = found["rotary, layers differ"] + found["attention in some layers"]
    assert sum(year >= 2024 for year in differ) == len(differ)
    every = [year for years in found.values() for year in years]
    shares = [differ.count(year) / every.count(year) for year in (2024, 2025, 2026)]
    assert shares == sorted(shares) and shares[-1] > 0.5
    assert max(found["nothing turned"]) < 2024 <= min(differ)
    alike = found["rotary, layers alike"]
    assert f"{len(alike)} {alike.count(2024) + alike.count(2025)}" == "38 27"
    assert min(alike) == 2021 and "27 of 38 in 2024 and 2025" in prose
    for m in STORED:  # the caption
        made = layers(m["config"])
        turns = any(x.turned for x in made)
        without = any(x.kind in ("mamba", "linear", "conv") for x in made)
        assert turns or without or m["released"] < "2024", m["model"]
    for name in ("SAM 3 image encoder", "Llama 4 Scout", "Qwen3-VL 4B", "Qwen3.5 27B"):
        assert name in {m["model"] for m in STORED}  # whose added tables the text names


def test_what_follows_from_the_models_numbers(capsys):
    """Wavelengths with 30 digits, turns counted one by one; the printed lines hold them."""
    cells = nbformat.read(CHAPTERS / "10-choosing.ipynb", 4).cells
    printed = next(c for c in cells if "'longest'" in c.source).outputs[0].text
    ratios, shares = {}, {}
    with mpmath.workdps(30):
        for m in TURNED:
            d, base, length = m["turned"], mpmath.mpf(m["base"]), m["trained"]
            waves = [2 * mpmath.pi * base ** (mpmath.mpf(2 * i) / d) for i in range(d // 2)]
            count = sum(wave <= length for wave in waves)
            ratios[m["model"]] = float(waves[-1] / length)
            shares[m["model"]] = count / (d // 2)
            (line,) = [row for row in printed.splitlines() if row[:15].strip() == m["model"]]
            assert line.split()[-3:] == [
                f"{float(waves[-1]):,.0f}", f"{ratios[m['model']]:.1f}", f"{count}/{d // 2}",
            ]  # fmt: skip
    assert min(ratios.values()) > 6 and max(ratios.values()) == ratios["Llama 3 8B"]
    assert [round(min(ratios.values()), 1), round(max(ratios.values()))] == [6.6, 312]
    assert min(shares.values()) > 0.5 and max(shares.values()) < 0.8
    llama = next(m for m in TURNED if m["model"] == "LLaMA 7B")
    raised = [m for m in TURNED if m["base"] > 10_000]
    assert len(raised) == 5
    for m in raised:  # grown by more than the length, which is the same as a larger ratio
        assert ratios[m["model"]] > ratios[llama["model"]]
    assert 32_768 / 2_048 == 16
    longest = {name: ratios[name] * t for name, t in [("LLaMA 7B", 2_048), ("Qwen2.5 7B", 32_768)]}
    assert round(longest["Qwen2.5 7B"] / longest["LLaMA 7B"]) == 93
    whisper = 10_000.0 ** (-np.arange(384) / 383)  # whisper/model.py, width 768
    assert 2 * math.pi / whisper[-1] == pytest.approx(20_000 * math.pi)


def test_numbers_of_the_quiz(prose):
    for answer in ("= 0.5839$", "= 471$ patches", "= 35.2$", "3, 23 and 43", "18 of them"):
        assert answer in prose
    assert f"{encode_grid(7, 2, 4) @ encode_grid(5, 2, 4):.4f}" == "0.5839"
    assert f"{math.cos(2) + 1:.4f}" == "0.5839" and f"{wavelengths(32, 100)[-1]:.0f}" == "471"
    assert f"{64 * math.log(1000 / math.tau) / math.log(10_000):.1f}" == "35.2"
    assert [t for t in range(50) if t % 20 == 3] == [3, 23, 43]
    assert 2 * math.pi * 100 ** (15 / 16) == pytest.approx(471, abs=0.5)
    waves = [2 * math.pi * 10_000 ** (i / 64) for i in range(64)]
    assert int(np.argmin(np.abs(np.array(waves) - 1_000))) == 35 and round(waves[35]) == 968
    late = [wave for wave in waves if wave > 4_096]
    assert len(late) == 18 and sum(20_000 % wave >= 4_096 for wave in late) == 11
    last = 10_000 ** (510 / 512) * 2 * math.pi
    assert [f"{v:.1f}" for v in (last, 20_000 * math.pi)] == ["60611.5", "62831.9"]


def test_three_axes_as_two():
    """(10.4) for time, row and column, by complex numbers: another start, the same score."""
    rng = np.random.default_rng(11)
    f, (q, k) = rng.normal(size=(8, 3)), rng.normal(size=(2, 16)).view(complex)
    step, scores = np.array([2, -1, 3]), []
    for start in ([0, 0, 0], [7, 5, -4], [300, 2, 90]):
        query, key = (x * np.exp(1j * f @ p) for x, p in ((q, start), (k, start + step)))
        scores.append((query * key.conj()).real.sum())
    assert np.ptp(scores) < 1e-10
