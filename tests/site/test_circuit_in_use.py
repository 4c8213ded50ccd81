"""The two layers under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, settle, to_the_task, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/07-skipping-positions.html"


@pytest.fixture
def circuit(explored: Explored) -> Locator:
    return explored(PAGE, "circuit")


def word(explorer: Locator, t: int) -> tuple[float, float]:
    """A place in the upper row."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + (t + 0.5) * box["width"] / 16, box["y"] + 30


def test_the_task_is_done_by_dragging_the_word(circuit: Locator) -> None:
    to_the_task(circuit)
    circuit.get_by_role("radio", name="untrained").check()
    mouse = circuit.page.mouse
    mouse.move(*word(circuit, 9))
    mouse.down()
    mouse.move(*word(circuit, 14))
    settle(circuit.page)
    expect(circuit.locator(".ex-says")).to_contain_text("Your turn")  # wrong, but untrained
    mouse.move(*word(circuit, 13))
    mouse.up()
    circuit.get_by_role("radio", name="trained", exact=True).check()
    expect(circuit.locator(".ex-says")).to_contain_text("Your turn")
    expect(circuit.locator(".ex-reading")).to_contain_text("which is right")
    mouse.move(*word(circuit, 13))
    mouse.down()
    mouse.move(*word(circuit, 14))
    mouse.up()
    expect(circuit.locator(".ex-says")).to_contain_text("Found: It answers h")
    expect(circuit.locator(".ex-reading")).to_contain_text(
        "Layer 2, from d at 14: word before 0.30"
    )


def test_arrow_keys_move_by_a_word(circuit: Locator) -> None:
    for key, expected in [("Home", "0"), ("ArrowRight", "1"), ("ArrowLeft", "0"), ("End", "15")]:
        circuit.locator("canvas").press(key)
        settle(circuit.page)
        assert told(circuit, "word") == expected


def test_a_finger_pulls_the_word(explored: Explored) -> None:
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    circuit = explored(PAGE, "circuit", **phone)
    finger(circuit.page, [word(circuit, t) for t in (10, 9, 8, 7, 6)])
    settle(circuit.page)
    assert told(circuit, "word") == "6"
    x, y = word(circuit, 2)
    finger(circuit.page, [(x, y + 120 - 20 * k) for k in range(6)])  # scrolls
    settle(circuit.page)
    assert told(circuit, "word") == "6"
