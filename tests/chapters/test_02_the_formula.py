"""What chapter 2 builds in front of the reader is what the library does, and what it says is so."""

import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cells import executed, functions

from pe_lib import encode, wavelengths
from tools import experiments
from tools.notebooks import ROOT, read

CHAPTER = read(ROOT / "chapters" / "02-the-formula.ipynb")
PROSE = "\n".join(c.source for c in CHAPTER.cells if c.cell_type == "markdown")


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The functions that the chapter defines, by name."""
    return functions("02-the-formula", np=np)


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    """All names of the chapter after its cells have run."""
    return executed("02-the-formula")


def naive(position: float, dimension: int, exponent: float) -> float:
    angle = position / 10_000.0**exponent
    return math.cos(angle) if dimension % 2 else math.sin(angle)


@pytest.mark.parametrize("d_model", [2, 4, 8, 64, 512])
def test_the_function_built_in_the_chapter_is_the_librarys(
    built: dict[str, Any], d_model: int
) -> None:
    for base in (10_000.0, 100.0):
        chapter = built["positional_encoding"](range(300), d_model, base)
        np.testing.assert_allclose(chapter, encode(range(300), d_model, base), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("name", "factor"), [("doubled", 4), ("halved", 1)])
def test_the_mistakes_are_the_ones_that_the_text_names(
    built: dict[str, Any], name: str, factor: int
) -> None:
    table = built[name](range(20), 8)
    for position in range(20):
        for dimension in range(8):
            expected = naive(position, dimension, factor * (dimension // 2) / 8)
            assert table[position, dimension] == pytest.approx(expected, abs=1e-12)
    assert not np.allclose(table, encode(range(20), 8))


def test_the_table_by_hand_holds_what_a_calculator_gives() -> None:
    rows = re.findall(r"^\| (\d) \| (.+) \|$", PROSE, re.MULTILINE)
    assert [int(position) for position, _ in rows] == [0, 1, 2, 3]
    for position, cells in rows:
        values = [float(v.replace("−", "-")) for v in cells.split(" | ")]
        expected = [naive(int(position), j, 2 * (j // 2) / 4) for j in range(4)]
        assert values == pytest.approx(expected, abs=5e-5)


def says(*numbers: str) -> bool:
    return all(number in PROSE for number in numbers)


@pytest.mark.parametrize(("base", "pair", "last"), [(10_000, 9, "47,117"), (100, 17, "544")])
def test_the_answers_about_the_explorer_are_right(base: int, pair: int, last: str) -> None:
    turns = [2 * math.pi * base ** (2 * i / 64) for i in range(32)]
    assert [turn > 64 for turn in turns] == [i >= pair for i in range(32)]
    assert f"{turns[-1]:,.0f}" == last
    assert says("it is pair 9, dimensions 18 and 19", "after 544 positions instead of 47,117")


def test_every_bit_is_the_sign_of_its_sine() -> None:
    assert r"\sin\frac{2\pi\,(t + \frac12)}{2^{b+1}} < 0." in PROSE
    for t in range(1024):
        signs = [math.sin(2 * math.pi * (t + 0.5) / 2 ** (b + 1)) < 0 for b in range(9, -1, -1)]
        assert "".join(str(int(sign)) for sign in signs) == f"{t:010b}"


def test_steps_are_uneven_for_digits_and_single_waves_and_even_for_both(
    run: dict[str, Any],
) -> None:
    def row(t: int, *functions: Callable[[float], float]) -> list[float]:
        return [f(math.tau * (t + 0.5) / 2**b) for f in functions for b in (1, 2, 3, 4)]

    for name, functions_ in (("waves", [math.sin]), ("both", [math.sin, math.cos])):
        expected = [math.dist(row(t, *functions_), row(t + 1, *functions_)) for t in range(15)]
        np.testing.assert_allclose(run["step_lengths"][name], expected, atol=1e-12)
    flips = [(t ^ (t + 1)).bit_count() for t in range(15)]
    np.testing.assert_allclose(np.square(run["step_lengths"]["digits"]), flips)
    assert np.argmax(run["step_lengths"]["digits"]) == np.argmax(run["step_lengths"]["waves"]) == 7
    assert np.ptp(run["step_lengths"]["both"]) < 1e-12 < 0.4 < np.ptp(run["step_lengths"]["waves"])


def test_from_7_to_8_is_longest_for_every_wave_with_the_signs_of_the_digits() -> None:
    """Whatever wave a reader of the first question draws, above 0 for digit 0 and below for 1."""
    t = np.arange(16)
    for phase in np.linspace(0.01, 0.99, 99):
        waves = [np.sin(math.tau * (t + phase) / 2 ** (b + 1)) for b in range(4)]
        for b, wave in enumerate(waves):
            np.testing.assert_array_equal(wave < 0, t >> b & 1)
        steps = np.linalg.norm(np.diff(waves), axis=0)
        assert steps[7] > steps[6]


def test_what_comes_out_is_one_of_the_choices_and_comes_after_the_question() -> None:
    code = [c.source for c in CHAPTER.cells if c.cell_type == "code"]
    asked = {
        m[1]: n for n, c in enumerate(code) for m in [re.match(r'predict\(\s*"(2\.\d)"', c)] if m
    }
    told = {m[1]: n for n, c in enumerate(code) for m in re.finditer(r'predicted\(\s*"(2\.\d)"', c)}
    assert list(asked) == [f"2.{n}" for n in range(1, 8)] and sorted(told) == list(asked)
    for number, n in told.items():
        assert asked[number] < n
        answer = re.search(r'predicted\("2\.\d", ("[^"]+")\)', code[n])
        assert answer is None or answer[1] in code[asked[number]]
    before = [k for k, c in enumerate(CHAPTER.cells) if re.match(r"predict\(", c.source)]
    assert all("> **Predict.**" in CHAPTER.cells[k - 1].source for k in before)


def test_the_hands_are_where_the_chords_say() -> None:
    step = np.linalg.norm((encode(6, 8) - encode(5, 8)).reshape(4, 2), axis=1)
    np.testing.assert_allclose(step, [2 * math.sin(10.0**-i / 2) for i in range(4)], rtol=1e-9)
    assert says("0.959; for hand 1 it is 0.100; for hands 2 and 3, 0.010 and 0.001")
    assert says("moves by 3.6 degrees") and f"{math.degrees(math.tau / 100):.1f}" == "3.6"
    (sines, cosines) = encode(710, 8).reshape(4, 2).T
    assert (sines[1:] > 0.5).all() and -0.5 < cosines[1] < 0 and (cosines[2:] > 0.5).all()


def test_the_two_mistakes_are_other_bases_and_fit_no_reader(run: dict[str, Any]) -> None:
    for name, base in (("doubled", 1e8), ("halved", 100.0)):
        for d_model in (8, 32, 512):
            wrong = run[name](range(70), d_model)
            np.testing.assert_allclose(wrong, encode(range(70), d_model, base), atol=1e-9)
    assert list(run["still"].values()) == [11, 21, 0]
    hits = [(read == np.arange(64)).sum() for read in run["reads"].values()]
    assert hits[0] == 64 and max(hits[1:]) < 10
    assert run["reads"]["doubled: 4i/d"].max() == 16
    assert np.argmax(run["reads"]["halved: i/d"] == 63) == 13
    longer = [(wavelengths(512, base) > 2048).sum() for base in (1e8, 1e4, 100.0)]
    assert longer == [175, 95, 0] and says("175 of the 256 hands", "(of the right ones 95)")
    for base, pair in ((1e8, 2), (1e4, 4), (100.0, 8)):
        turns = wavelengths(32, base)
        assert turns[pair] < 64 < turns[pair + 1]


@pytest.mark.parametrize(
    ("length", "said"), [(64, {1e4: "2.1", 1e8: "3.3", 100.0: "1.3"}),
                         (2048, {1e4: "67", 1e8: "106", 100.0: "582"})],
)  # fmt: skip
def test_which_spread_of_speeds_suffers_depends_on_the_length(
    length: int, said: dict[float, str]
) -> None:
    """The best linear reading under noise, as the regularised least squares it is."""
    assert all(
        re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", PROSE) for number in said.values()
    )
    for base, number in said.items():
        x = encode(range(length), 32, base)
        x = x - x.mean(axis=0)
        t = np.arange(length) - (length - 1) / 2
        rows = np.vstack([x / math.sqrt(length), 0.1 * np.eye(32)])  # noise as 32 more equations
        _, missed, *_ = np.linalg.lstsq(rows, np.append(t / math.sqrt(length), np.zeros(32)))
        assert f"{math.sqrt(missed[0]):.{len(number.partition('.')[2])}f}" == number
    middle = np.std(np.arange(2048))
    assert says(f"*in the middle* is {middle:.0f} off")


def test_the_authors_program_has_other_numbers_and_not_only_another_order() -> None:
    pair, base = np.arange(256), 10_000.0
    theirs = base ** (-pair / (512 / 2 - 1))
    assert math.tau / theirs[-1] == pytest.approx(math.tau * base)
    assert math.tau * base != pytest.approx(wavelengths(512, base)[-1], rel=0.03)
    sines = np.sin(np.outer(np.arange(512), theirs))
    assert abs(sines - encode(range(512), 512)[:, 0::2]).max() > 0.7
    assert says("These are other numbers", r"its last wavelength is $2\pi \cdot 10{,}000$")


def test_neighbours_are_nearest_with_many_hands_and_not_with_four() -> None:
    offset = np.arange(100_001)

    def distances(d_model: int) -> Any:
        hands = (2 * np.sin(offset * math.pi / turn) for turn in wavelengths(d_model))
        return np.sqrt(sum(hand**2 for hand in hands))

    apart = distances(8)
    assert says(f"position 6 is nearer to 0 ({apart[6]:.2f}) than position 1 is ({apart[1]:.2f})")
    assert apart[6] == pytest.approx(math.dist(encode(0, 8), encode(6, 8)))
    for d_model in (16, 32, 64, 512):
        apart = distances(d_model)
        assert apart[2:].min() > apart[1]


def test_sines_alone_lose_what_the_first_answer_says() -> None:
    sines = encode(range(60), 512)[:, 0::2]
    apart = [math.dist(sines[t], sines[t + 5]) for t in (0, 2)]
    assert says("it is {:.2f} from 0 to 5 and {:.2f} from 2 to 7".format(*apart))
    lengths = np.linalg.norm(sines, axis=1), np.linalg.norm(np.diff(sines, axis=0), axis=1)
    assert all(np.ptp(length) > 1 for length in lengths)
    x = encode(range(1000), 16)[:, 0::2]  # more positions than entries: a matrix may not fit
    best, *_ = np.linalg.lstsq(x[:-3], x[3:])
    assert np.abs(x[:-3] @ best - x[3:]).max() > 0.1


def test_the_last_question_is_asked_at_the_length_at_which_it_is_answered() -> None:
    assert says("Two unrelated words, with entries of standard deviation 1,")
    kappa = encode(1, 512) @ encode(6, 512) / 256
    unlike = {s: 256 * kappa / (512 * s**2 + 256) for s in (1, 4)}  # (2.8) for c = 0
    assert unlike[1] > 0.2 and unlike[4] < 0.03


def test_the_worst_sine_of_float32_is_that_of_these_positions_only(run: dict[str, Any]) -> None:
    assert says("At these four positions, the worst of 256 sines")
    frequency = 10_000.0 ** (-np.arange(256) / 256)
    t = np.arange(998_000, 1_000_001)
    short = np.outer(np.float32(t), np.float32(frequency)).astype(float)
    worst = np.abs(np.sin(short) - np.sin(np.outer(t, frequency))).max()
    assert worst > 1.1 * run["error"].max()


def test_distance_grows_up_to_the_offset_that_the_text_names() -> None:
    apart = [math.dist(encode(0, 512), encode(k, 512)) for k in range(60)]
    first_fall = next(k for k in range(59) if apart[k + 1] < apart[k])
    assert says(f"grows up to an offset of {first_fall},")


def test_the_answers_at_the_end_are_right() -> None:
    assert f"{0.02 * math.sqrt(512):.2f}" == "0.45" and says("= 0.45$ long, the encoding 16")
    row = encode(5, 8)
    moved = np.concatenate([row[0::2], row[1::2]]) != row
    assert moved.tolist() == [False] + 6 * [True] + [False]
    angles = 2 * math.pi * np.array([0, 32])[:, None] / [4, 8, 16, 32]
    np.testing.assert_allclose(np.sin(angles), 0, atol=1e-12)
    np.testing.assert_allclose(np.cos(angles), 1)


def test_what_adding_does_is_what_the_text_and_the_pictures_say(run: dict[str, Any]) -> None:
    np.testing.assert_allclose(run["added"], run["tied"], rtol=0, atol=1e-12)
    assert run["added"].shape == (3,)
    assert f"{run['kappa']:.2f}" == "0.74"
    before, after, kappa = run["before"], run["after"], run["kappa"]
    low, high = before < kappa - 0.1, before > kappa + 0.1
    assert low.sum() > 50 and high.sum() > 15
    assert (after[low] > before[low]).all() and (after[high] < before[high]).all()
    np.testing.assert_allclose(after, (512 * before + 256 * kappa) / 768, rtol=0, atol=0.1)


def test_words_drown_by_their_length_and_not_by_their_angle(run: dict[str, Any]) -> None:
    found = [run["name_them"](scale, 2)[0] for scale in (1, 0.1, 0.05, 0.02)]
    assert found == [2000, 1260, 221, 38]
    middle = dict(zip(run["scales"], np.median(run["counts"], axis=1), strict=True))
    assert middle[0.01][0] == pytest.approx(20, abs=5) and middle[0.02][0] == pytest.approx(
        50, abs=5
    )
    assert middle[0.3].tolist() == [2000, 2000] and middle[0.5][1] >= 1998
    assert middle[2][1] == pytest.approx(1300, abs=50) and middle[4][1] == pytest.approx(
        560, abs=30
    )
    for scale in (1, 0.02):  # the angle between words and positions is the same at every scale
        words = scale * np.random.default_rng(0).standard_normal((200, 512))
        cosines = words @ encode(range(100), 512).T / np.linalg.norm(words, axis=1)[:, None] / 16
        assert abs(cosines).max() < 0.2 and cosines.std() == pytest.approx(512**-0.5, rel=0.1)
        ratio = math.sqrt(512) * scale * math.sqrt(512) / 16
        assert says(f"{ratio:.2f}".rstrip("0").rstrip(".") + f" for $s = {scale}$")


def test_positions_are_first_taken_for_their_neighbours() -> None:
    places, near = encode(range(100), 512), {}
    for scale, seed in itertools.product((1, 4), range(5)):  # the draws of the chapter
        rng = np.random.default_rng(seed)
        words = scale * rng.standard_normal((200, 512))
        word, place = rng.integers(200, size=2000), rng.integers(100, size=2000)
        off = abs(((words[word] + places[place]) @ places.T).argmax(axis=1) - place)
        near[scale, seed] = np.mean(off[off > 0] == 1)
    assert {near[1, seed] for seed in range(5)} == {1.0}
    assert all(0.3 < near[4, seed] < 0.5 for seed in range(5))
    assert says("at standard deviation 1 every miss is by one position, at 4 fewer than half are")


def test_a_normal_distribution_cut_off_at_two_deviations_is_narrower() -> None:
    density = math.exp(-2) / math.sqrt(math.tau)
    left = math.sqrt(1 - 4 * density / math.erf(math.sqrt(2)))
    assert says(f"0.02, cut off at two of them (which leaves {0.02 * left:.3f})")


SCALES = json.loads((ROOT / "chapters" / "data" / "scale.json").read_text("utf-8"))


def test_training_mends_the_scale_where_positions_are_added_and_only_there() -> None:
    ends = {
        (entry["scheme"], entry["scale"]): {
            part: np.array([run[part] for run in entry["runs"]]) for part in entry["runs"][0]
        }
        for entry in SCALES
    }
    assert all(part.shape == (5, 2) for entry in ends.values() for part in entry.values())
    added, control = ends["sinusoidal", 0.02], ends["rotary", 0.02]
    for scale in experiments.SCALES:
        assert (ends["sinusoidal", scale]["right"][:, 1] >= 0.999).all()
    for scale in (0.02, 0.125):
        assert (ends["rotary", scale]["right"][:, 1] >= 0.999).all()
    poor = np.sort(ends["rotary", 1.0]["right"][:, 1])
    assert (abs(poor[:2] - 0.8) < 0.03).all() and (poor[2:] > 0.98).all()
    assert says("(from 1 two of five seeds are only about 80 % right)")
    length, named = added["length"][:, 1], added["named"]
    assert says(f"{length.min():.2f} to {length.max():.2f}, and the reader")
    assert says(f"between {100 * named[:, 1].min():.0f} and {100 * named[:, 1].max():.0f} %")
    assert f"{control['length'][:, 1].max():.2f}" == "0.34" and says("to 0.34 at most")
    longer = [part["length"][:, 1] / part["length"][:, 0] for part in (added, control)]
    assert [round(np.median(factor)) for factor in longer] == [7, 2]
    assert np.ptp(control["named"], axis=1).max() < 0.03
    assert control["named"].max() < 0.05 and f"{math.sqrt(32):.2f}" == "5.66"


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary"])
def test_a_training_of_the_recording_comes_out_again(scheme: str) -> None:
    (entry,) = [e for e in SCALES if e["scheme"] == scheme and e["scale"] == 0.02]
    again = experiments.scaled(scheme, 0.02, seed=0)
    for part, width in (("length", 0.1), ("named", 0.15), ("right", 0.02)):
        np.testing.assert_allclose(again[part], entry["runs"][0][part], atol=width)


def test_a_step_is_short_beside_a_right_angle(run: dict[str, Any]) -> None:
    step = math.dist(encode(7, 512), encode(8, 512))
    across = math.dist([16, 0], [0, 16])  # two encodings have the length 16
    assert says(f"it is {step:.4f} long", f"at right angles would be {across:.4f} apart")
    before = run["before"]
    assert before.min() == pytest.approx(-0.2, abs=0.05) and 0.95 < before.max() < 1


@pytest.mark.peers
def test_the_pytorch_code_in_the_text_runs_and_agrees(tmp_path: Path) -> None:
    torch = pytest.importorskip(
        "torch", reason="PyTorch is not installed (it is large and only checks the snippets)"
    )
    (snippet,) = re.findall(r"```python\n(import torch.+?)```", PROSE, re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(snippet, namespace)
    table = namespace["sinusoidal_table"](5000, 64)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table.numpy(), encode(range(5000), 64), rtol=0, atol=6e-8)

    layer = namespace["AddPositions"](64, 5000)
    x = torch.randn(3, 17, 64, generator=torch.Generator().manual_seed(0))
    expected = x.numpy() + encode(range(17), 64)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=0, atol=1e-6)
    assert not list(layer.parameters())
    assert not layer.state_dict()
