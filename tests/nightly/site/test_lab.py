"""Test that every explorer works in a real JupyterLab, and sends its values to the kernel."""

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
from hands import PATIENCE, until
from playwright.sync_api import Browser, expect

from pe_lib.course import explorers
from tools.notebooks import KERNEL

# JupyterLab displays "idle" even before there is a kernel, so the session's status is read instead.
READY = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
# The braces discard the promise, so that the script does not wait until the command has finished.
EXECUTE = "(command) => { window.jupyterapp.commands.execute(command) }"

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
DATA = ROOT / "chapters" / "data"
IMPORT = f"""\
import json
from pathlib import Path
from pe_lib.course.explorers import *

def read(name):
    return json.loads((Path({str(DATA)!r}) / f"{{name}}.json").read_text())"""
# These two cells test whether the kernel receives a value that a reader sets in an explorer.
HEATMAP = "explorer = HeatmapExplorer(positions=64)\nexplorer"
TOLD = "print(explorer.positions)"

# MADE has the arguments that some explorers require. PRESSED has keys to use instead of ArrowRight.
MADE = {
    "circuit": "text=read('skipping')['sentence']",
    "context": "score=read('longer')['score']",
    "training": "recording=read('training')",
}
PRESSED = {
    "layers": (".ex-canvas[tabindex]", "ArrowDown"),
    "rotary": (".ex-canvas[tabindex]", "ArrowUp"),
}
KINDS = sorted(explorers.kinds())
CALLS = [f"{explorers.of_kind(kind).__name__}({MADE.get(kind, '')})" for kind in KINDS]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """Yield the address of a JupyterLab whose folder contains a single notebook."""
    cells = [nbformat.v4.new_code_cell(source) for source in (IMPORT, *CALLS, HEATMAP, TOLD)]
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
    settings = ROOT / "tools" / "jupyter"  # `make lab` uses these settings, too
    assert f'JUPYTER_CONFIG_PATH="$(CURDIR)/{settings.relative_to(ROOT)}"' in MAKEFILE
    private = {
        "JUPYTER_CONFIG_PATH": str(settings),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "HOME": str(tmp_path),
    }
    log = tmp_path / "lab.log"
    with log.open("w") as said:
        server = subprocess.Popen(command, stderr=said, env={**os.environ, **private})
    try:
        while not (
            found := re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/lab", log.read_text())
        ):
            assert server.poll() is None, log.read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{found[1]}/lab/tree/explorer.ipynb?token={token}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def test_every_explorer_works_in_jupyterlab_and_the_kernel_hears_of_it(
    lab: str, browser: Browser
) -> None:
    # The window is high enough to show all cells of the notebook at the same time.
    page = browser.new_page(viewport={"width": 1280, "height": 4000})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(PATIENCE)
    page.goto(lab)
    cells = page.locator(".jp-CodeCell")
    cells.first.click()
    until(page, READY)
    page.evaluate(EXECUTE, "notebook:run-all-cells")
    for number, kind in enumerate(KINDS, start=1):
        output = cells.nth(number).locator(".jp-OutputArea-output")
        reading = output.locator(".ex-reading")
        expect(reading).not_to_be_empty()
        before = reading.inner_text()
        control, key = PRESSED.get(kind, (".ex-canvas[tabindex]", "ArrowRight"))
        output.locator(control).first.press(key)
        expect(reading).not_to_have_text(before)
    cells.nth(-2).get_by_text("Settings").click()
    slider = cells.nth(-2).get_by_role("slider", name="positions")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "65")
    cells.last.locator(".cm-content").click()
    page.evaluate(EXECUTE, "notebook:run-cell")
    expect(cells.last.locator(".jp-OutputArea-output")).to_have_text("65\n")
    # Explorers in a saved notebook must also react if the notebook is opened without its kernel.
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.goto(lab)
    reading = cells.nth(1).locator(".ex-reading")
    expect(reading).not_to_be_empty()
    before = reading.inner_text()
    cells.nth(1).locator(".ex-canvas[tabindex]").first.press("ArrowRight")
    expect(reading).not_to_have_text(before)
    expect(page.get_by_text("model not found")).to_have_count(0)
    assert errors == []
    page.close()
