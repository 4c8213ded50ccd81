"""An explorer in a real JupyterLab with a kernel: it appears, moves, and the kernel hears of it."""

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
from built import ROOT
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

DATA = ROOT / "chapters" / "data"
IMPORT = f"""\
import json
from pathlib import Path
from pe_lib.course.explorers import *

def read(name):
    return json.loads((Path({str(DATA)!r}) / f"{{name}}.json").read_text())"""

# How each is made, if it needs more than its name; what is pressed, if not ArrowRight on a canvas
MADE = {
    "circuit": "text=read('skipping')['sentence']",
    "context": "score=read('longer')['score']",
    "leak": "shuffle=1",
    "schemes": "recording=read('lengths')",
    "training": "recording=read('training')",
}
PRESSED = {
    "chooser": (".ex-open button", "Enter"),
    "context": ("canvas[tabindex]", "ArrowUp"),
    "layers": ("canvas[tabindex]", "ArrowDown"),
    "leak": ("canvas[tabindex]", "ArrowUp"),
    "mask": (".ex-head", "ArrowRight"),
    "order": (".ex-word", "ArrowRight"),
    "rotary": ("canvas[tabindex]", "ArrowUp"),
    "spectrum": ("input[name=length]", "ArrowLeft"),
    "train": ("select[name=task]", "ArrowDown"),
}
KINDS = sorted(explorers.kinds())
CALLS = [f"{explorers.of_kind(kind).__name__}({MADE.get(kind, '')})" for kind in KINDS]


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
    page.close()


@pytest.mark.parametrize("lab", [[IMPORT, *CALLS]], indirect=True, ids=["every kind"])
def test_every_explorer_works_in_jupyterlab(lab: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 4000})  # nothing out of sight
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    run_all(page, lab)
    for cell, kind in enumerate(KINDS, start=1):
        output = page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")
        reading = output.locator(".ex-reading")
        expect(reading).not_to_be_empty()
        before = reading.inner_text()
        control, key = PRESSED.get(kind, ("canvas[tabindex]", "ArrowRight"))
        output.locator(control).first.press(key)
        expect(reading).not_to_have_text(before)
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
    page.close()
