"""An explorer in a real JupyterLab with a kernel: it appears, moves, and the kernel hears of it."""

import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from hands import until
from playwright.sync_api import Browser, Locator, Page, expect
from visits import PATIENCE

from pe_lib.course import explorers
from tools.notebooks import KERNEL

START = """\
from pe_lib.course.explorers import HeatmapExplorer

explorer = HeatmapExplorer(d_model=8, positions=64, position=5, dim=1)
explorer"""


# the indicator says "idle" before there is a kernel, and whoever runs cells then is asked for one
READY = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
EXECUTE = "(command) => { window.jupyterapp.commands.execute(command) }"  # does not wait

IMPORT = """\
import json
from pe_lib.course.explorers import *

def read(path):
    with open(path) as file:
        return json.load(file)"""
DATA = Path(__file__).parents[2] / "chapters" / "data"

# How an explorer is moved by keyboard: the control, the key, and where the reading begins then
KEYS = {
    "AttentionExplorer(chosen=1)": (
        "canvas[tabindex]",
        "ArrowRight",
        "“good not bad”: not is (0.50",
    ),
    "BiasesExplorer()": ("canvas[tabindex]", "ArrowRight", "19 of 42 words"),
    "ChordExplorer()": ("canvas[tabindex]", "ArrowRight", "Positions 2 and 4, pair 1"),
    "ChooserExplorer()": (".ex-open button", "Enter", "Exactly their scheme"),
    f"CircuitExplorer(text=read({str(DATA / 'skipping.json')!r})['sentence'])": (
        "canvas[tabindex]",
        "ArrowRight",
        "Layer 2, from e at 9: word before 0.55",
    ),
    f"ContextExplorer(score=read({str(DATA / 'longer.json')!r})['score'])": (
        "canvas[tabindex]",
        "ArrowUp",
        "Pair 51: 0.2",
    ),
    "CounterExplorer()": ("canvas[tabindex]", "ArrowRight", "7 is 0111"),
    "GridExplorer()": (
        "canvas[tabindex]",
        "ArrowRight",
        "(6, 7) with (7, 7), 1 down and 0 right",
    ),
    "HandsExplorer()": ("canvas[tabindex]", "ArrowRight", "Position 6, “and”"),
    "LayersExplorer()": ("canvas[tabindex]", "ArrowDown", "4,999 back: 4 of 26 layers"),
    "LeakExplorer(shuffle=1)": ("canvas[tabindex]", "ArrowUp", "The last output changes by"),
    "MaskExplorer(causal=True, order=[0, 1, 6, 2, 3, 4, 5])": (
        ".ex-head",
        "ArrowRight",
        "dog sees old, the, man, dog",
    ),
    "OffsetExplorer()": ("canvas[tabindex]", "ArrowRight", "Positions 150 and 161"),
    "OrderExplorer()": (".ex-word", "ArrowRight", "old the dog"),
    "PhaseExplorer()": ("canvas[tabindex]", "ArrowRight", "Position 12"),
    "RotaryExplorer()": ("canvas[tabindex]", "ArrowUp", "Query at 8, key at 4"),
    f"SchemesExplorer(recording=read({str(DATA / 'lengths.json')!r}))": (
        "canvas[tabindex]",
        "ArrowRight",
        "alibi at 17 words: ",
    ),
    "StackExplorer()": ("canvas[tabindex]", "ArrowRight", "126 back: 8 of 8 layers"),
    "TrainExplorer()": ("select[name=task]", "ArrowDown", "Untrained: no positions, who bites"),
    f"TrainingExplorer(recording=read({str(DATA / 'training.json')!r}))": (
        "canvas[tabindex]",
        "ArrowRight",
        "Step 16: ",
    ),
    "SpectrumExplorer()": ("input[name=length]", "ArrowLeft", "Wavelengths from 6.28"),
}


@pytest.fixture
def lab(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a JupyterLab that shows a folder with one notebook of these cells in it."""
    cells = [nbformat.v4.new_code_cell(source) for source in request.param]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, tmp_path / "explorer.ipynb")
    token = secrets.token_hex(8)
    options = {
        "IdentityProvider.token": token,
        "ServerApp.root_dir": str(tmp_path),
        "ServerApp.port": 0,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{k}={v}" for k, v in options.items())]
    private = {"JUPYTER_CONFIG_DIR": str(tmp_path / "config"), "HOME": str(tmp_path)}
    log = tmp_path / "lab.log"
    with log.open("w") as said:
        server = subprocess.Popen(command, stderr=said, env={**os.environ, **private})
    try:
        for _ in range(600):
            if found := re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/lab", log.read_text()):
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"JupyterLab did not say where it is:\n{log.read_text()}")
        yield f"http://127.0.0.1:{found[1]}/lab/tree/explorer.ipynb?token={token}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def run_all(page: Page, lab: str) -> None:
    page.set_default_timeout(PATIENCE)
    page.goto(lab)
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    until(page, READY)
    page.evaluate(EXECUTE, "notebook:run-all-cells")


@pytest.mark.parametrize("lab", [[START, "print(explorer.positions)"]], indirect=True)
def test_the_kernel_hears_of_what_the_reader_does(lab: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 1200})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    run_all(page, lab)

    canvas = page.locator("canvas.ex-canvas")
    expect(canvas).to_be_visible()
    reading = page.locator(".ex-reading")
    expect(reading).to_contain_text(
        "PE(5, 1) = cos(5 / 10,0002·0/8) = cos(5 × 1) = cos(5) = 0.2837"
    )
    output = page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")
    expect(output).to_have_text("64\n")

    before = canvas.evaluate("(c) => c.toDataURL()")
    slider = page.get_by_role("slider", name="positions")
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "65")
    assert canvas.evaluate("(c) => c.toDataURL()") != before
    canvas.focus()
    canvas.press("ArrowDown")
    expect(reading).to_contain_text("PE(6, 1)")

    page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
    page.evaluate(EXECUTE, "notebook:run-cell")
    expect(output).to_have_text("65\n")  # the kernel's explorer moved too
    assert errors == []
    assert json.dumps(page.evaluate("window.jupyterapp.version"))  # it was JupyterLab
    page.close()


@pytest.mark.parametrize("lab", [[IMPORT, *KEYS]], indirect=True, ids=["every kind"])
def test_every_other_explorer_works_in_jupyterlab(lab: str, browser: Browser) -> None:
    assert {call.split("(")[0] for call in KEYS} | {"HeatmapExplorer"} == {
        explorers.of_kind(kind).__name__ for kind in explorers.kinds()
    }
    page = browser.new_page(viewport={"width": 1280, "height": 4000})  # nothing out of sight
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    run_all(page, lab)
    for cell, (control, key, begins) in enumerate(KEYS.values(), start=1):
        output = page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")
        reading = output.locator(".ex-reading")
        expect(reading).not_to_be_empty()
        before = reading.inner_text()
        output.locator(control).first.press(key)
        expect(reading).not_to_have_text(before)
        expect(reading).to_contain_text(begins)
    assert errors == []
    page.close()


GUESSES = [
    "from pe_lib.course.predictions import predict, predicted",
    'predict("2.1", "about as much", "far more")',
    'predict("2.2", unit="positions")',
    'predicted("2.1", "far more")',
    'predicted("2.2", 60.2, unit="positions")',
]


@pytest.mark.parametrize("lab", [GUESSES], indirect=True, ids=["guesses"])
def test_guesses_are_kept_in_jupyterlab(lab: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 1600})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    run_all(page, lab)
    first, second = page.locator(".om-result").first, page.locator(".om-result").last
    expect(second).to_contain_text("It is: 60.2 positions. You made no guess.")
    page.get_by_label("about as much").check()
    page.get_by_role("textbox", name="Your guess").fill("1")
    for _ in range(2):
        expect(first).to_contain_text("You guessed: about as much. It is: far more.")
        expect(second).to_contain_text("You guessed 1; it is 60.2 positions: 60 times your guess.")
        expect(page.get_by_label("far more")).to_be_disabled()  # it was met
        expect(page.get_by_role("textbox", name="Your guess")).to_have_value("1")
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=f"{folder}/guesses-in-lab.png")
        page.evaluate("document.querySelectorAll('.om-result').forEach((line) => line.remove())")
        page.evaluate(EXECUTE, "notebook:run-all-cells")  # loses nothing
    assert errors == []
    page.close()


EXERCISES = [
    'import numpy as np\nfrom pe_lib.course.grading import Sheet\n\nsheet = Sheet("04")\nsheet',
    'slow_k = sheet.given("slow_sine").value * 1_000\nsheet.check("slow_sine")',
    'sheet.hint("slow_sine")',
    'sheet.solution("slow_sine")',
    'def pe(k, d_model):\n    return np.zeros(d_model)\n\n\nSheet("02").check("write_encoding")',
    'def pe(k, d_model):\n    while True:\n        pass\n\n\nSheet("02").check("write_encoding")',
    'def pe(k, d_model):\n    return angles[k]\n\n\nSheet("02").check("write_encoding")',
    "sheet.progress()",
    'sheet.check("no_such")',
]


@pytest.mark.parametrize("lab", [EXERCISES], indirect=True, ids=["exercises"])
def test_exercises_answer_back_in_jupyterlab(lab: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 2600})
    run_all(page, lab)

    def output(cell: int) -> Locator:
        return page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")

    expect(output(1)).to_contain_text("✗ Not yet · 0 of 2 points")
    expect(output(1)).to_contain_text("You scaled the sine itself.")
    expect(output(2)).to_contain_text("Hint 1 of 2.")
    expect(output(3).locator("mjx-container, .MathJax").first).to_be_visible()
    expect(output(4).get_by_role("img")).to_be_visible()
    expect(output(4)).to_contain_text("yours 0, expected")
    expect(output(5)).to_contain_text("a loop that never ends?")
    expect(output(6)).to_contain_text("NameError")
    expect(output(6)).to_contain_text("in line 2: return angles[k]")
    expect(output(7).get_by_role("img").first).to_be_visible()
    expect(output(7)).to_contain_text("the sine was not undone")
    expect(output(8)).to_contain_text("there is no question 'no_such' here")
    assert "Traceback" not in output(8).inner_text()
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/exercises-in-lab.png")
    page.close()
