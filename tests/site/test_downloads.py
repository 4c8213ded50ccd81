"""Test that the copies of chapters that readers download run without the repository."""

import json
import re
import sys
import zipfile
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from built import ROOT
from IPython.core.inputtransformer2 import TransformerManager
from little import build
from sphinx.application import Sphinx

sys.path.append(str(ROOT))

import pe_lib
from _ext.downloads import copies, links
from _ext.outputs import svg
from pe_lib.course import figures

CHAPTER_NOTEBOOKS = sorted((ROOT / "chapters").glob("*.ipynb"))
NOTEBOOKS = [*CHAPTER_NOTEBOOKS, *sorted((ROOT / "exercises").glob("*.ipynb"))]
PACKAGES = {"pe_lib", "order_matters"}
WHEELS = ["pe_lib-1.2.3-py3-none-any.whl", "order_matters-1.2.3-py3-none-any.whl"]
THESE = [f"{name}-{pe_lib.__version__}-py3-none-any.whl" for name in ("pe_lib", "order_matters")]
SITE_NOTEBOOKS = "https://me.example/notebooks/"
PUBLISHED = {
    "SITE_URL": "https://me.example/course",
    "NOTEBOOKS_BRANCH": "notebooks",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "me/course",
    "GITHUB_REF_NAME": "next/edition",
}


def read_numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def locate_download(site: Path, notebook: Path) -> Path:
    folder = "exercises" if notebook.parent.name == "exercises" else ""
    return site / "notebooks" / folder / notebook.name


@pytest.mark.parametrize("notebook", NOTEBOOKS[::5], ids=lambda path: path.stem)
def test_a_copy_is_the_notebook_after_one_cell(notebook: Path, site: Path) -> None:
    copy, original = nbformat.read(locate_download(site, notebook), 4), nbformat.read(notebook, 4)
    nbformat.validate(copy)
    first, *cells = copy.cells
    assert "%pip install" in first.source and first.source not in notebook.read_text("utf-8")
    for cell, before in zip(cells, original.cells, strict=True):
        text = (
            before.source
            if before.cell_type == "code"
            else copies.redirect_links(before.source, "")
        )
        for output in before.get("outputs", []):
            if figure := output.get("data", {}).get("image/svg+xml"):
                output["data"]["image/svg+xml"] = svg.shrink(figure)
        assert cell.source == text
        assert {**cell, "source": ""} == {**before, "source": ""}


def test_the_figure_of_a_copy_looks_the_same_in_fewer_bytes() -> None:
    figure, axes = figures.subplots(2, 2)
    axes.plot(np.sin(np.arange(200) / 7))
    axes.set_ylabel("share")
    before = figures.svg(figure, "a line")
    after = svg.shrink(before)
    assert len(after) < 0.8 * len(before)
    kept, original = (BeautifulSoup(text, "html.parser") for text in (after, before))
    assert not kept.find("metadata") and original.find("metadata")
    assert re.search("font-family: *'DejaVu Sans'.*sans-serif", kept.svg["style"])
    for name in ("path", "use", "text"):
        pairs = zip(kept.find_all(name), original.find_all(name), strict=True)
        for one, other in pairs:
            styles = [re.sub(r"\s", "", x.get("style", "")) for x in (one, other)]
            assert styles[0] == re.sub(r"font-family:[^;]*;", "", styles[1]), "colours stay"
            for places in ("d", "transform"):
                ours, theirs = (read_numbers(x.get(places, "")) for x in (one, other))
                assert ours == pytest.approx(theirs, abs=0.051)


def test_the_archive_holds_what_its_notebooks_need(site: Path) -> None:
    """Check that it has the wheels, the licences, and all files that its notebooks use."""
    with zipfile.ZipFile(site / "notebooks" / copies.ARCHIVE) as archive:
        held = {file.removeprefix("order-matters/") for file in archive.namelist()}
        notebooks = {
            file: json.loads(archive.read(f"order-matters/{file}"))["cells"][1:]
            for file in held
            if file.endswith(".ipynb")
        }
        readme = archive.read(f"order-matters/{copies.README}").decode("utf-8")
    assert readme == copies.readme(THESE) and all(wheel in held for wheel in THESE)
    assert {*copies.LICENCES, copies.README} <= held
    assert {file.split("-")[0] for file in held if file.endswith(".whl")} == PACKAGES
    expected = {path.name for path in CHAPTER_NOTEBOOKS}
    expected |= {f"exercises/{path.name}" for path in (ROOT / "exercises").glob("*.ipynb")}
    assert set(notebooks) == expected  # no solutions are among them
    for file, cells in notebooks.items():
        text, code = (
            "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)
            for kind in ("markdown", "code")
        )
        links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", text)
        for needed in links + re.findall(r'"(data/[\w./-]+)(?=/\{|")', code):
            inside = str(PurePosixPath(file).parent / needed)
            assert any(f"{one}/".startswith(f"{inside}/") for one in held), (file, needed)


def first_cell(
    monkeypatch: pytest.MonkeyPatch, missing: str, cell: str, works: bool = True
) -> list[str]:
    """Return the arguments of `%pip install` in the first cell if the module `missing` is missing.

    The function runs the first cell of a copy. If `works` is true, the module can be imported after
    the installation.
    """
    installed: list[str] = []
    names: dict[str, Any] = {}

    def install(magic: str, line: str, *_: object) -> None:
        assert magic == "pip"
        installed.append(line.format(**names))
        if works:
            names["is_there"] = lambda: True

    names["get_ipython"] = lambda: SimpleNamespace(run_line_magic=install)
    with monkeypatch.context() as patch:
        if missing:
            for name in [name for name in sys.modules if name.split(".")[0] in ("pe_lib", missing)]:
                patch.delitem(sys.modules, name)
            patch.setitem(sys.modules, missing, None)
        code = TransformerManager().transform_cell(cell)
        exec(compile(code, "first cell", "exec"), names)
    return installed


@pytest.mark.parametrize("missing", ["pe_lib", "pe_lib.course", "anywidget"])
def test_the_first_cell_installs_what_is_missing(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "exercises" / "solutions").mkdir(parents=True)
    for wheel in THESE:
        (tmp_path / wheel).touch()
    library, course = THESE
    cell = copies.install(THESE, "", [])
    for folder, up in (("", "."), ("exercises", ".."), ("exercises/solutions", "../..")):
        monkeypatch.chdir(tmp_path / folder)
        wanted = [f'install -q "{up}/{library}" "{up}/{course}"']
        assert first_cell(monkeypatch, missing, cell) == wanted
    (tmp_path / library).unlink()
    with pytest.raises(FileNotFoundError, match=re.escape(f"{library}, {course}, and data")):
        first_cell(monkeypatch, missing, cell)
    with pytest.raises(RuntimeError, match=r"In a terminal: python -m pip install"):
        first_cell(monkeypatch, missing, copies.install(THESE, SITE_NOTEBOOKS, []), works=False)
    cell = copies.install(THESE, SITE_NOTEBOOKS, [])
    addresses = " ".join(f'"{SITE_NOTEBOOKS}{wheel}"' for wheel in THESE)
    assert first_cell(monkeypatch, missing, cell) == [f"install -q {addresses}"]


def test_the_first_cell_does_nothing_where_this_version_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert first_cell(monkeypatch, "", copies.install(THESE, "", ["a.json"])) == []
    for wheel in WHEELS:
        (tmp_path / wheel).touch()
    installed = first_cell(monkeypatch, "", copies.install(WHEELS, "", []))
    assert installed == ['install -q "./{}" "./{}"'.format(*WHEELS)]


def test_the_readme_installs_the_wheels_that_lie_beside_it_on_each_system() -> None:
    lines = [line.strip() for line in copies.readme(WHEELS).splitlines()]
    for python in (".venv/bin/python", r".venv\Scripts\python"):
        install = f"{python} -m pip install jupyterlab {' '.join(WHEELS)}"
        (first,) = (n for n, line in enumerate(lines) if line == install)
        assert lines[first - 1].endswith(" -m venv .venv")
        assert lines[first + 1] == f"{python} -m jupyterlab"


def test_links_of_a_copy_lead_to_the_site_or_are_text() -> None:
    text = "[word [0]](02-x.ipynb), [d](e.md#f), [g](https://h), [i](#j)"
    assert copies.redirect_links(text, "") == "word [0], d, [g](https://h), [i](#j)"
    pages = "https://me.example/chapters/"
    assert copies.redirect_links(text, SITE_NOTEBOOKS) == (
        f"[word [0]]({pages}02-x.html), [d]({pages}e.html#f), [g](https://h), [i](#j)"
    )


def test_the_first_cell_fetches_missing_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = ["data/a.json", "data/b.json"]
    for folder, held in (("site", files), ("here", files[:1])):
        (tmp_path / folder / "data").mkdir(parents=True)
        for name in held:
            (tmp_path / folder / name).write_text(folder, "utf-8")
    monkeypatch.chdir(tmp_path / "here")
    site = (tmp_path / "site").as_uri() + "/"
    assert first_cell(monkeypatch, "", copies.install(THESE, site, files)) == []
    assert [Path(name).read_text("utf-8") for name in files] == ["here", "site"]


# Each case: a missing environment variable, and the addresses that are known without it.
@pytest.mark.parametrize(
    ("untold", "left"),
    [
        ("", "site colab binder repository"),
        ("SITE_URL", ""),
        ("NOTEBOOKS_BRANCH", "site binder repository"),
        ("GITHUB_REPOSITORY", "site"),
        ("GITHUB_REF_NAME", "site colab repository"),
    ],
)
def test_only_what_is_published_is_linked(untold: str, left: str) -> None:
    given = {name: value for name, value in PUBLISHED.items() if name != untold}
    found = vars(links.public(given))
    assert {name for name, value in found.items() if value} == set(left.split())
    at_another_forge = links.public(given | {"GITHUB_SERVER_URL": "https://forge.example"})
    assert not at_another_forge.colab and not at_another_forge.binder


@pytest.mark.parametrize("published", [True, False])
def test_a_page_links_its_own_chapter_and_the_front_page_the_book(
    published: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in PUBLISHED.items():
        monkeypatch.setenv(name, value if published else "")

    def pretend(app: Sphinx) -> None:
        (Path(app.outdir) / "notebooks").mkdir(parents=True)
        (Path(app.outdir) / "notebooks" / "x.ipynb").touch()
        (Path(app.outdir) / "notebooks" / copies.ARCHIVE).write_bytes(b"." * 2_460_000)

    monkeypatch.setattr(links, "write", pretend)
    toctree = "```{toctree}\nchapters/x\n```"
    pages = {"index": f"# I\n\na\n\n{toctree}\n", "chapters/x": "# x\n\na\n\nb\n\nc\n"}
    made = build(tmp_path, pages, "_ext.downloads.links")
    line = made["chapters/x"].select_one("h1 + p + p + p.om-run")
    shown = {a.get_text(): a["href"] for a in line.select("a")}
    assert "download the course, 2.5 MB (unpack it and follow its README)" in line.get_text()
    download = {
        "download the course, 2.5 MB": "../notebooks/order-matters.zip",
        "this notebook alone": "../notebooks/x.ipynb",
    }
    others = {
        "Colab": "https://colab.research.google.com/github/me/course/blob/notebooks/x.ipynb",
        "Binder": "https://mybinder.org/v2/gh/me/course/next%2Fedition?labpath=chapters%2Fx.ipynb",
    }
    assert shown == (download | others if published else download)
    released = "https://github.com/me/course/releases/latest/download/order-matters"
    book = [f"{released}.pdf", "https://github.com/me/course"]
    assert [a["href"] for a in made["index"].select("p.om-run a")] == (book if published else [])
    clone = ["git clone https://github.com/me/course order-matters"]
    commands = [code.get_text() for code in made["index"].select("p.om-run code")]
    assert commands == (clone if published else [])
