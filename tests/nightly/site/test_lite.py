"""Test that pages link to JupyterLite, and that JupyterLite works with a host's security headers.

If `make lite` has built JupyterLite, the tests use it. Otherwise they use a small page that needs
the same permissions.
"""

import json
import re
import threading
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from built import EXPLORED, ROOT, SITE
from playwright.sync_api import Browser, expect

from tools import lite
from tools.serve import Handler, Server

STAND_IN = """<!doctype html><main></main><script>
const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(eval('6 * 7'))"])));
worker.onmessage = ({ data }) => { document.querySelector("main").textContent = eval("data") };
</script>"""
PUBLIC = ROOT / "_build" / "public"
CELLS = nbformat.read(ROOT / EXPLORED.replace(".html", ".ipynb"), 4).cells
HEADINGS = len(
    re.findall(
        r"^#+ ", "\n".join(c.source for c in CELLS if c.cell_type == "markdown"), re.MULTILINE
    )
)


def rules() -> list[tuple[str, str, str]]:
    """Return the rules in CONTRIBUTING.md's example: a path pattern, a header and its value."""
    (shown,) = re.findall(
        r"```text\n(/\*\n.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL
    )
    found, pattern = [], ""
    for line in filter(None, shown.splitlines()):
        if line.startswith("/"):
            pattern = line
        else:
            name, value = line.strip().split(": ", 1)
            found.append((pattern, name, value))
    return found


class Host(Handler):
    """A request handler that sends the headers of all rules whose pattern matches the path."""

    def end_headers(self) -> None:
        for pattern, name, value in rules():
            if fnmatch(urlsplit(self.path).path, pattern):
                self.send_header(name, value)
        super().end_headers()


@pytest.fixture(scope="module")
def published(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, bool]]:
    """Yield a host's address for the site, and whether a real JupyterLite was built for it."""
    folder = PUBLIC
    if not (real := (PUBLIC / "lite" / "lab" / "index.html").is_file()):
        folder = tmp_path_factory.mktemp("public")
        (folder / "chapters").mkdir()
        (folder / "_static").mkdir()
        for file in (SITE / "_static").iterdir():
            if file.name != "lite.js":
                (folder / "_static" / file.name).symlink_to(file)
        (folder / EXPLORED).write_text((site / EXPLORED).read_text("utf-8"), "utf-8")
        (folder / "lite" / "lab").mkdir(parents=True)
        (folder / "lite" / "lab" / "index.html").write_text(STAND_IN, "utf-8")
        assert lite.link_chapters(folder) == 1
    with Server(("127.0.0.1", 0), partial(Host, directory=str(folder))) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/", real
        httpd.shutdown()


def test_a_reader_comes_from_a_chapter_to_its_notebook_in_jupyterlite(
    browser: Browser, published: tuple[str, bool]
) -> None:
    address, real = published
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    blocked: list[str] = []
    page.on("console", lambda m: blocked.append(m.text) if "Security Policy" in m.text else None)
    page.goto(address + EXPLORED)
    # The host's security headers must not stop the explorers on the site.
    expect(page.locator(".om-explorer .om-live").first).to_be_attached()
    page.locator(".om-before > summary").click()
    link = page.get_by_role("link", name="in the browser (JupyterLite)")
    expect(link).to_be_visible()
    link.click()
    if real:
        cells = page.locator(".jp-Notebook .jp-Cell")
        # In JupyterLite, a notebook has one more cell, which installs the course.
        expect(cells).to_have_count(len(CELLS) + 1, timeout=60_000)
        page.locator("[data-id=table-of-contents]").first.click()
        expect(page.locator(".jp-tocItem")).to_have_count(HEADINGS, timeout=10_000)
    else:
        expect(page.locator("main")).to_have_text("42")
    assert blocked == []
    page.close()


def test_it_has_every_notebook_its_data_and_joined_lines(tmp_path: Path) -> None:
    """Check that JupyterLite has each notebook and its data, and that each cell is a single string.

    JupyterLite has no server to convert notebooks, and a cell stored as a list of lines would break
    the table of contents.
    """
    lite.write_contents(tmp_path)
    for notebook in [*(ROOT / "chapters").glob("*.ipynb"), *(ROOT / "exercises").glob("*.ipynb")]:
        folder = tmp_path / "exercises" if notebook.parent.name == "exercises" else tmp_path
        first, *cells = json.loads((folder / notebook.name).read_text("utf-8"))["cells"]
        assert first["source"].splitlines()[-1] == "%pip install -q order-matters"
        assert all(isinstance(cell["source"], str) for cell in cells)
        text, code = (
            "\n".join(cell["source"] for cell in cells if cell["cell_type"] == kind)
            for kind in ("markdown", "code")
        )
        links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", text)
        for name in links + re.findall(r'Path\(\s*"([^"]+)"\s*\)', code):
            assert (folder / name).exists(), name
