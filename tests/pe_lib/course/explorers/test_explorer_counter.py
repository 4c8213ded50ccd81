"""The counter explorer: every digit is the sign of the sine that the hand over it shows."""

from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import CounterExplorer
from pe_lib.course.explorers.counter import rounded

PLACES = [0, 0.25, 3, 6, 7.4, 7.5, 9.3, 15]


def test_each_bit_is_the_sign_of_its_sine() -> None:
    sines = from_module("counter", "Array.from({ length: 256 }, (_, t) => [0, 1, 2, 3, 4, 5, 6, 7]"
                        ".map((b) => Math.sin(m.angle(t, b))))")  # fmt: skip
    for t, row in enumerate(sines):
        expected = f"{t:08b}"[::-1]  # bit 0 first
        assert "".join(str(int(sine < 0)) for sine in row) == expected
        assert min(map(abs, row)) > 0.01  # the half keeps t away from the zeros


def test_javascript_digits_are_pythons_binary() -> None:
    found = from_module("counter", f"{PLACES}.map((t) => [3, 2, 1, 0].map((b) => m.digit(t, b)))")
    said = ["".join(map(str, digits)) for digits in found]
    assert said == ["0000", "0000", "0011", "0110", "0111", "1000", "1001", "1111"]
    assert said == [f"{CounterExplorer(position=t).number():04b}" for t in PLACES]


@pytest.mark.parametrize("roundness", [0, 0.3, 1])
def test_javascript_shadows_equal_pythons_hands(roundness: float) -> None:
    found = from_module(
        "counter", f"[3, 2, 1, 0].map((b) => {PLACES}.map((t) => m.shadow(t, b, {roundness})))"
    )
    right = CounterExplorer(roundness=roundness).hands(PLACES)[..., 0]
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-9)


def test_a_clock_is_a_square_a_circle_or_between() -> None:
    angles = np.linspace(0, 2 * np.pi, 33)
    circle = np.stack([np.sin(angles), np.cos(angles)])
    np.testing.assert_allclose(rounded(circle, 1), circle, atol=1e-12)
    assert (np.abs(rounded(circle, 0)).max(axis=0) == 1).all()
    for roundness in (0, 0.4, 1):
        bent = rounded(circle, roundness)
        assert (np.sign(bent) == np.sign(circle.round(12))).all()  # no digit changes
        np.testing.assert_allclose(np.abs(bent) ** (1 / max(roundness, 1e-9)) if roundness else 0,
                                   np.abs(circle) if roundness else 0, atol=1e-9)  # fmt: skip


def test_a_wave_goes_through_where_it_is_pulled() -> None:
    pulled = [(0.5, 0.8), (-0.5, -0.8), (0.2, 0.9), (0.9, 0.95)]
    found = from_module("counter", f"{[list(p) for p in pulled]}.map((p) => m.roundnessFor(...p))")
    for (sine, wanted), roundness in zip(pulled, found, strict=True):
        assert 0 <= roundness <= 1
        assert float(rounded(sine, roundness)) == pytest.approx(wanted)
    assert from_module("counter", "[0, 0.5, -0.5, 1, -0.999].map(m.pliable)") == [
        False, True, True, False, False,
    ]  # fmt: skip
    beyond = from_module("counter", "[[0.5, 0.1], [0.5, -0.3], [0.5, 1.4]]"
                         ".map((p) => m.roundnessFor(...p))")  # fmt: skip
    assert beyond == [1, 1, 0]


def test_the_answer_to_the_task_is_right() -> None:
    flips = [(t ^ (t + 1)).bit_count() for t in range(15)]
    assert [t for t, many in enumerate(flips) if many == 4] == [7]
    leaps = from_module("counter", "[m.leap(7, 3, 0), m.leap(7, 3, 1)]")
    assert leaps == pytest.approx([2, 2 * np.sin(np.pi / 16)])


@pytest.mark.parametrize("width", [310, 350, 760])
def test_nothing_lies_over_anything(width: int) -> None:
    at = from_module("counter", f"m.layout({width}, 352)")
    places = "(({ digits, middle }) => [digits(0), digits(1), middle(0)])"
    first, second, middle = from_module("counter", f"{places}(m.layout({width}, 352))")
    assert first + at["cell"] < middle - at["r"] - 5  # digit, then clock and wave with their dots
    assert middle + at["r"] + 5 < second
    assert at["dials"] - at["r"] > 14 and at["paper"] > at["dials"] + at["r"] + 5
    assert at["paper"] + 16 * at["step"] <= 352 and at["step"] > 13


@pytest.mark.parametrize(
    ("given", "message"),
    [({"position": 16}, "position"), ({"position": -1}, "position"), ({"roundness": 1.5}, "rou")],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        CounterExplorer(**given)


def test_the_caption_says_digits_and_sines() -> None:
    said = CounterExplorer(position=6).caption()
    assert "The number 6 is 0110 in binary" in said and "2π · 6.5 divided by 16, 8, 4" in said
    assert "0.56, −0.92, −0.71, 1.00: negative where the digit is 1" in said
    assert "round clock" in CounterExplorer(roundness=1).caption()


def test_the_picture_shows_hands_waves_and_digits() -> None:
    explorer = CounterExplorer(position=9, roundness=1)
    axes = explorer.picture().axes
    for k, (dial, paper) in enumerate(zip(axes[:4], axes[4:], strict=True)):
        np.testing.assert_allclose(dial.lines[1].get_xydata()[1], explorer.hands(9)[k])
        assert [text.get_text() for text in paper.texts] == [f"{n:04b}"[k] for n in range(10)]
        wave = paper.lines[0].get_xydata()
        sine = np.sin(np.pi * (wave[:, 1] + 0.5) / 2 ** (3 - k))
        np.testing.assert_allclose(wave[:, 0], sine, rtol=0, atol=1e-9)
