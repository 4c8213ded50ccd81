"""What explorers compute in Python, by another way: number by number, by hand, by the papers."""

import math
import re
from typing import Any

import numpy as np
import pytest

from pe_lib import encode, kernel, rotation
from pe_lib.biases import t5_buckets
from pe_lib.checkpoints import Layer
from pe_lib.course import explorers as ex
from pe_lib.course.explorers._choices import ADVICE, FIRST, QUESTIONS, SCHEMES
from pe_lib.course.explorers.chooser import ends, follow
from pe_lib.course.explorers.counter import rounded
from pe_lib.course.explorers.grid import GOLDEN
from pe_lib.course.explorers.layers import MODELS, marks, reach, verdict
from pe_lib.course.explorers.leak import LENGTH, sequences, shuffled
from pe_lib.course.explorers.offset import scrambled, scrambler
from tests.recorded import given
from tools import experiments
from tools.layers import kind as kind_of
from tools.layers import models

KINDS = [kind for one in MODELS.values() for kind in one["kinds"].values()]


def softmax_by_hand(rows: Any, width: int, causal: bool = False) -> tuple[list[Any], list[Any]]:
    """Weights and outputs of rows that are queries, keys and values, one number at a time."""
    weights, outputs = [], []
    for t, query in enumerate(rows):
        seen = rows[: t + 1] if causal else rows
        powers = [math.exp(sum(q * k for q, k in zip(query, key, strict=True)) / math.sqrt(width))
                  for key in seen]  # fmt: skip
        weights.append([p / sum(powers) for p in powers] + [0.0] * (len(rows) - len(seen)))
        outputs.append([sum(w * row[c] for w, row in zip(weights[-1], rows, strict=True))
                        for c in range(width)])  # fmt: skip
    return weights, outputs


@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_attention(positions: bool, backwards: bool) -> None:
    vectors = [[k / 2, -k / 3] for k in range(5)]
    one = ex.AttentionExplorer(words=[*"abcde"], vectors=vectors, positions=positions,
                               backwards=backwards)  # fmt: skip
    places = range(4, -1, -1) if backwards else range(5)
    rows = [(x + positions * math.sin(t), y + positions * math.cos(t))
            for t, (x, y) in zip(places, vectors, strict=True)]  # fmt: skip
    weights, outputs = softmax_by_hand(rows, 2)
    np.testing.assert_allclose(one.weights(), weights, atol=1e-12)
    np.testing.assert_allclose(one.outputs(), outputs, atol=1e-12)


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_order(positions: bool, causal: bool, pooled: bool) -> None:
    order = [6, 3, 2, 0, 5, 1, 4]
    one = ex.OrderExplorer(order=order, positions=positions, causal=causal, pooled=pooled)

    def outputs(order: Any) -> Any:
        rows = [list(one.vectors[k]) for k in order]
        for t, row in enumerate(rows):
            for c in range(8):
                angle = t / 10_000 ** ((c - c % 2) / 8)
                row[c] += positions * (math.cos(angle) if c % 2 else math.sin(angle))
        return np.array(softmax_by_hand(rows, 8, causal)[1])

    before, after = outputs(range(7)), outputs(order)
    expected = np.abs(after - before[order]).max(axis=1)
    if pooled:
        expected = np.abs(after.mean(axis=0) - before.mean(axis=0)).max(keepdims=True)
    np.testing.assert_allclose(one.changes(), expected, rtol=0, atol=1e-12)


def test_biases() -> None:
    one = ex.BiasesExplorer(heads=8, head=1, query=30)
    assert one.bias([-2, -1, 0]).tolist() == [-1, -0.5, 0]
    share = [math.exp(-k / 2) for k in range(31)]
    np.testing.assert_allclose(one.weights()[30::-1], np.array(share) / sum(share))
    assert not one.weights()[31:].any()  # behind the mask
    t5 = ex.BiasesExplorer(scheme="t5", causal=False).bias([-100, -8, -7, 0, 1, 7, 8, 100])
    assert t5.round(9).tolist() == [-1.5, -0.8, -0.7, 0, -0.1, -0.7, -0.8, -1.5]


def test_chord() -> None:
    for pair, k, position in [(0, 0.5, 0), (1, 7, 12), (7, 20, 99.5)]:
        rows = encode([position, position + k], 16).reshape(2, 8, 2)[:, pair]
        found = ex.ChordExplorer(pair=pair, position=position, offset=k).chord()
        assert found == pytest.approx(np.hypot(*(rows[1] - rows[0])), abs=1e-12)


def test_circuit_without_a_recording_looks_everywhere() -> None:
    even = np.tri(16) / np.arange(1, 17)[:, None]
    for weights in ex.CircuitExplorer().weights():
        np.testing.assert_allclose(weights, even, atol=0.5 / 255 + 1e-9)


@pytest.mark.parametrize("s", [1.0, 1.25, 16.0])
@pytest.mark.parametrize("method", ["none", "interpolation", "ntk", "dynamic", "yarn"])
def test_context(method: str, s: float) -> None:
    """By the papers, pair by pair."""
    score = scrambled(128)

    def scaled(s: float) -> list[float]:
        plain = [math.pow(10_000, -i / 64) for i in range(64)]
        ramp = [min(1.0, max(0.0, (2048 * w / math.tau - 1) / 31)) for w in plain]
        longer = [math.pow(10_000 * math.pow(s, 128 / 126), -i / 64) for i in range(64)]
        return {"none": plain, "interpolation": [w / s for w in plain], "ntk": longer,
                "dynamic": longer,
                "yarn": [k * w + (1 - k) * w / s for k, w in zip(ramp, plain, strict=True)],
                }[method]  # fmt: skip

    one = ex.ContextExplorer(method=method, factor=s, score=score.tolist())
    np.testing.assert_allclose(one.scaled(), scaled(s), rtol=1e-12)
    assert one.offsets()[-1] == s * 2048
    for n in (0, 1, 100, 256):
        x = one.offsets()[n]
        w = np.array(scaled(max(1.0, x / 2048) if method == "dynamic" else s))
        sharper = (0.1 * math.log(s) + 1) ** 2 if method == "yarn" else 1
        expected = sharper * (score[:64] @ np.cos(x * w) + score[64:] @ np.sin(x * w))
        assert one.scores()[n] == pytest.approx(expected, abs=1e-9)
    seen = [2048 * math.pow(10_000, -i / 64) for i in range(64)]
    further = [s * 2048 * w > arc + 1e-9 for w, arc in zip(scaled(s), seen, strict=True)
               if arc < math.tau]  # fmt: skip
    assert one.new() == sum(further) and len(further) == 23
    assert ex.ContextExplorer(factor=s, score=score.tolist(), length=32768).reached() == s * 2048


def test_counter() -> None:
    for t in range(16):
        for roundness in (0, 0.4, 1):
            right = ex.CounterExplorer(roundness=roundness).hands(t)[:, 0]
            assert "".join(str(int(x < 0)) for x in right) == f"{t:04b}"
    angles = np.linspace(0, 2 * np.pi, 33)
    circle = np.stack([np.sin(angles), np.cos(angles)])
    np.testing.assert_allclose(rounded(circle, 1), circle, atol=1e-12)
    assert (np.abs(rounded(circle, 0)).max(axis=0) == 1).all()


def test_grid() -> None:
    """Each scheme's score, term by term, without a vector."""
    n, base = 16, 100.0
    lengths = [base ** (-i / n) for i in range(n)]
    turns = [math.pi / 2 * (i * GOLDEN % 1) for i in range(n)]
    for r, c in [(0, 1), (1, 0), (-3, 5), (7, 7)]:
        both = list(zip(lengths, turns, strict=True))
        mixed = [math.cos(w * (r * math.cos(a) + c * math.sin(a))) for w, a in both]
        mixed += [math.cos(w * (c * math.cos(a) - r * math.sin(a))) for w, a in both]
        expected = {
            "numbered": [math.cos((14 * r + c) * base ** (-i / 2 / n)) for i in range(2 * n)],
            "axial": [math.cos(w * k) for w in lengths for k in (r, c)],
            "rotary": [math.cos(w * k) for w in lengths for k in (r + 2, c + 3)],
            "mixed": mixed, "coordinates": [(6 * (6 + r) + 6 * (6 + c)) / 13**2 / 2],
        }  # fmt: skip
        for scheme, terms in expected.items():
            found = ex.GridExplorer(scheme=scheme).scores()[6, 6, 6 + r, 6 + c]
            assert found == pytest.approx(math.fsum(terms) / len(terms), abs=1e-12)


def test_layers_see_as_far_as_a_mask_says() -> None:
    k = np.arange(8_300)
    for kind in KINDS:
        for q in (0, 1, 64, 127, 1_024, 4_999, 8_191, 8_192, 8_299):
            seen = k <= q
            if kind["window"]:
                seen &= q - k < kind["window"]
            if kind["chunk"]:
                seen &= q // kind["chunk"] == k // kind["chunk"]
            assert reach(kind, q) == seen.sum() - 1


def test_layers_tell_what_can_be_told() -> None:
    for kind in KINDS:
        if kind["scheme"] == "rotary":  # a pair's score falls at every step up to its mark
            for w, mark in zip(kind["values"], marks(kind), strict=True):
                if mark <= 10_000:
                    scores = np.cos(w * np.arange(int(mark) + 3))
                    assert (np.diff(scores[: int(mark) + 1]) < 0).all() and scores[-1] > scores[-2]
        if kind["scheme"] == "alibi":  # a head leaves a thousandth
            for n in (1, 8, 500, 1_771, 2_000):
                telling = int(np.sum(np.exp(-np.array(kind["values"]) * n) >= 1e-3))
                says = f"tells it: {telling} of" if telling else "sees it; none of"
                assert verdict(kind, 2_047, 2_047 - n)[1].startswith(says)
        if kind["scheme"] == "t5":
            buckets = t5_buckets(-np.arange(512))
            for n in range(1, 512):
                alike = np.flatnonzero(buckets == buckets[n])
                state = "tells" if len(alike) == 1 else "seen" if alike[-1] == 511 else "roughly"
                assert verdict(kind, 511, 511 - n)[0] == state
                assert len(alike) == 1 or f"{alike[0]:,} " in verdict(kind, 511, 511 - n)[1]


def test_stored_layers_are_those_of_the_configurations() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""
    made = models()
    assert list(made) == list(MODELS)
    for name, one in MODELS.items():
        kinds = made[name].pop("kinds")
        assert made[name] == {"length": one["length"], "order": one["order"]}
        for letter, kind in one["kinds"].items():
            np.testing.assert_allclose(kinds[letter]["values"], kind["values"], rtol=2e-7)
            assert {**kinds[letter], "values": 0} == {**kind, "values": 0}
    with pytest.raises(ValueError, match="no picture is made of scheme 'convolution'"):
        kind_of(Layer("convolution"))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("layers", [1, 3])
def test_leak(causal: bool, layers: int) -> None:
    """Variance by entry, and what a fitted line leaves over, not a correlation."""
    one = ex.LeakExplorer(causal=causal, layers=layers)
    added = np.array([one.run(tokens)[1] for tokens in sequences()])
    np.testing.assert_allclose(one.variances(), added.var(axis=0).mean(axis=1))
    x, y = np.log(one.variances()), np.log(np.arange(1, LENGTH + 1))
    line = np.column_stack([x, np.ones(LENGTH)])
    rest = y - line @ np.linalg.lstsq(line, y, rcond=None)[0]
    assert one.probe() == pytest.approx(1 - rest.var() / y.var(), abs=1e-9)
    assert all(sorted(shuffled(n)) == [*range(16)] and shuffled(n)[15] == 15 for n in range(100))
    assert one.standing().tolist() == [*range(16)]


def test_mask() -> None:
    order = [6, 3, 2, 0, 5, 1, 4]
    plain, masked = ex.MaskExplorer(order=order), ex.MaskExplorer(order=order, causal=True)
    p, s = np.eye(7)[order], np.array(plain.scores)
    np.testing.assert_array_equal(plain.table(), p @ s @ p.T)
    np.testing.assert_array_equal(masked.table(), np.where(np.tri(7) > 0, p @ s @ p.T, -np.inf))


def test_offset() -> None:
    for d, base in [(8, 100.0), (64, 1e6)]:
        ways = {"nothing": np.eye(d), "rotation": rotation(20, d, base), "random": scrambler(d)}
        for between, matrix in ways.items():
            one = ex.OffsetExplorer(d_model=d, base=base, between=between)
            keys = [encode(237.25 + k, d, base) for k in range(-100, 101)]
            expected = [encode(237.25, d, base) @ matrix @ key * 2 / d for key in keys]
            np.testing.assert_allclose(one.scores(237.25), expected, atol=1e-10)
    np.testing.assert_array_equal(scrambler(3).ravel(), scrambled(9))
    assert abs(scrambled(10_000).mean()) < 0.05


@pytest.mark.parametrize(
    ("position", "digits", "cosines"), [(11, 3, False), (0, 1, True), (377, 2, True)]
)
def test_phase_finds_who_prints_the_same(position: int, digits: int, cosines: bool) -> None:
    for read in ([], [0], [0, 1], [0, 2, 3]):
        one = ex.PhaseExplorer(position=position, digits=digits, read=read, cosines=cosines)
        dims = [2 * i + part for i in read for part in range(1 + cosines)]
        prints = [
            [f"{v + 0.0:.{digits}f}" for v in encode(k, 8)[dims].round(digits)] for k in range(400)
        ]
        same = [k for k in range(400) if prints[k] == prints[position]]
        assert one.candidates().tolist() == same


@pytest.mark.parametrize(
    ("position", "d", "digits", "off"), [(137, 8, 1, 0.0), (399, 8, 6, 0.2), (300, 12, 2, 0.1)]
)
def test_phase_goes_from_guess_to_guess(position: int, d: int, digits: int, off: float) -> None:
    """Against the places of all turns, and the one of them that is nearest."""
    one = ex.PhaseExplorer(d_model=d, position=position, digits=digits, off=off, story="nearest",
                           read=[*range(d // 2)])  # fmt: skip
    row, guess, expected = encode(position, d).round(digits), 0.0, []
    for n, i in enumerate(reversed(range(d // 2))):
        w = 10_000 ** (-2 * i / d)
        angle = np.arctan2(row[2 * i], row[2 * i + 1]) + (-1) ** n * off
        places = (angle % (2 * np.pi) + 2 * np.pi * np.arange(5_000)) / w
        guess = places[np.abs(places - guess).argmin() if n else 0]
        expected.append(guess)
    np.testing.assert_allclose([guess for _, guess in one.guesses()], expected)


@pytest.mark.parametrize("vectors", ["ones", "random", "peak"])
def test_rotary(vectors: str) -> None:
    """A pair is a complex number, and its share Re(q k* e^(i w offset))."""
    one = ex.RotaryExplorer(vectors=vectors, query=7, key=3, shift=1000)
    q, k = one.pair().view(complex)
    turns = np.exp(1j * np.outer(np.arange(-250, 251), 10_000.0 ** (-np.arange(32) / 32)))
    expected = (q * k.conj() * turns).real.sum(axis=1)
    np.testing.assert_allclose(one.curve(), expected, rtol=0, atol=1e-9)
    assert one.score() == pytest.approx(expected[254], abs=1e-9)
    np.testing.assert_allclose(np.linalg.norm(one.pair(), axis=1), 8)
    if vectors == "ones":
        np.testing.assert_allclose(one.curve(), 2 * kernel(np.arange(-250, 251), 64), atol=1e-9)


def test_recordings_are_whole() -> None:
    recording = given("schemes")["recording"]
    assert recording["lengths"] == list(range(16, 49, 4))
    assert len(recording["settings"]) == 3 * 2 * 2 * 6
    assert {np.shape(one["right"]) for one in recording["settings"]} == {(5, 9)}
    halfway = ex.SchemesExplorer(recording=recording, length=18.0)
    ends = [shares[:, :2].mean() for shares in halfway.chosen().values()]
    np.testing.assert_allclose([shares.mean() for shares in halfway.now().values()], ends)
    recording = given("training")["recording"]
    assert recording["steps"] == recording["every"] * 25 == 400
    first = ex.TrainingExplorer(recording=recording)
    for n, run in enumerate(recording["runs"]):
        assert (len(run["right"]), len(run["loss"])) == (26, 100)
        np.testing.assert_allclose(first.map(n, "attention").sum(axis=1), 1, atol=16 * 0.5 / 255)
    table, step = encode(range(48), 32), recording["runs"][1]["reach"] / 255
    plane = experiments.plane(table[None])[0]
    np.testing.assert_allclose(first.places(1)[0], plane, atol=1.01 * step)


def test_the_plane_is_the_one_in_which_rows_move_most() -> None:
    rng = np.random.default_rng(0)
    first, axes = rng.standard_normal((48, 32)), np.linalg.qr(rng.standard_normal((32, 2)))[0].T
    moved = rng.standard_normal((48, 2)) @ axes
    found = experiments.plane(np.stack([first, first + moved]))
    expected = np.linalg.norm(moved, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found[1] - found[0], axis=1), expected)


# The line of chapter 10's table that each piece of advice is taken from
LINES = {"loaded": 0, "set": 1, "numbers": 2, "directions": 3, "one size": 3, "many sizes": 3,
         "video": 4, "smallest": 5, "both sides": 6, "further": 7, "the rest": 8}  # fmt: skip


def headings_and_table(stem: str) -> tuple[set[str], list[list[str]]]:
    """The addresses of a chapter's sections, and the rows of chapter 10's table."""
    cells = experiments.json.loads((experiments.DATA.parent / f"{stem}.ipynb").read_text("utf-8"))
    texts = ["".join(c["source"]) for c in cells["cells"] if c["cell_type"] == "markdown"]
    lines = [line for text in texts for line in text.splitlines()]
    titles = {line.lstrip("# ").lower() for line in lines if line.startswith("#")}
    table = [text for text in texts if "stop at the first line" in text]
    rows = [line for text in table for line in text.splitlines() if line.startswith("|")][2:]
    cut = [[part.strip() for part in row.strip("|").split(" | ")] for row in rows]
    return {re.sub(r"[^a-z0-9]+", "-", title).strip("-") for title in titles}, cut


def test_the_chooser_advises_what_the_chapter_does() -> None:
    """In the words and the order of its table; each reason is a section."""
    _, table = headings_and_table("10-choosing")
    assert set(ends(FIRST)) == set(ADVICE) == set(LINES)
    assert set(LINES.values()) == set(range(len(table)))
    for end, advice in ADVICE.items():
        _, advised, why = table[LINES[end]]
        assert advice["says"].rstrip(".").lower() in advised.lower()
        named = {int(number) for number in re.findall(r"\d+", re.sub(r"\(.*?\)", "", why))}
        assert named <= {int(stem[:2]) for _, stem, _ in advice["reasons"]}
        for _, stem, section in advice["reasons"]:
            assert section in headings_and_table(stem)[0]
    for at, question in QUESTIONS.items():  # each no leads on to a later line
        lines = [min(LINES[end] for end in ends(to)) for _, to in question["answers"].values()]
        assert min(lines) == min(LINES[end] for end in ends(at))


def test_the_chooser_names_the_schemes_that_it_advises() -> None:
    words = {"none": "no positions", "sinusoidal": "sinusoids", "learned": "learned table",
             "relative": "bias", "alibi": "ALiBi, which", "rotary": "rotary"}  # fmt: skip
    for end, advice in ADVICE.items():
        said = advice["says"].lower().replace("learned frequency vectors", "rotary")
        named = {scheme for scheme, word in words.items() if word.lower() in said}
        assert set(advice["schemes"]) == (named or set(SCHEMES)), end
    assert follow(["no", "sequence", "no", "yes", "yes"])[1] == "further"
    assert [end for end, advice in ADVICE.items() if "alibi" in advice["schemes"]] == [
        "loaded",
        "further",
    ]
