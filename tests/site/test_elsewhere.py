"""A chapter runs away from its repository: its copy, its first cell, and the links to it."""

import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
import pytest
from built import CHAPTERS, EXPLORED, ROOT, parsed
from IPython.core.inputtransformer2 import TransformerManager
from little import build
from playwright.sync_api import Browser
from sphinx.application import Sphinx

sys.path.append(str(ROOT))

import pe_lib
from _ext import copies, elsewhere
from pe_lib.course.grading.running import submission
from tools import lite

CHAPTER_NOTEBOOKS = sorted((ROOT / "chapters").glob("*.ipynb"))
NOTEBOOKS = [*CHAPTER_NOTEBOOKS, *sorted((ROOT / "exercises").glob("*.ipynb"))]
IDS = ["/".join(path.parts[-2:]) for path in NOTEBOOKS]
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


def offered(site: Path, notebook: Path) -> Path:
    folder = "exercises" if notebook.parent.name == "exercises" else ""
    return site / "notebooks" / folder / notebook.name


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=IDS)
def test_a_copy_is_the_notebook_after_one_cell(notebook: Path, site: Path) -> None:
    copy, original = nbformat.read(offered(site, notebook), 4), nbformat.read(notebook, 4)
    nbformat.validate(copy)
    first, *cells = copy.cells
    assert "%pip install" in first.source and first.source not in notebook.read_text("utf-8")
    moved = re.compile(r'(?<=")[\w./]+/(?=\w+\.json")')
    for cell, before in zip(cells, original.cells, strict=True):
        text = before.source if before.cell_type == "code" else copies.linked(before.source, "")
        assert moved.sub("", cell.source) == moved.sub("", text)
        assert {**cell, "source": ""} == {**before, "source": ""}


@pytest.mark.parametrize("notebook", CHAPTER_NOTEBOOKS, ids=lambda p: p.stem)
def test_a_download_holds_what_the_chapter_needs(notebook: Path, site: Path) -> None:
    wheels = {wheel.name for wheel in (site / "notebooks").glob("*.whl")}
    assert {name.split("-")[0] for name in wheels} == {"pe_lib", "order_matters"}
    with zipfile.ZipFile(site / "notebooks" / f"{notebook.stem}.zip") as archive:
        held = {name.removeprefix("order-matters/") for name in archive.namelist()}
        copy = archive.read(f"order-matters/{notebook.name}")
    assert copy == offered(site, notebook).read_bytes()
    cells = "\n".join("".join(c["source"]) for c in json.loads(copy)["cells"][1:])
    named = set(re.findall(r'"(data/[\w./{}-]+)"', cells))
    exact = {name for name in named if name.endswith(".json") and "{" not in name}
    folders = {name.split("/{")[0] for name in named - exact}
    chapters = ROOT / "chapters"
    inside = {f"{f}/{path.name}" for f in folders for path in (chapters / f).glob("*.json")}
    files = exact | inside
    sheet = ROOT / "exercises" / notebook.name
    exercises = {f"exercises/{sheet.name}"} if sheet.exists() else set()
    assert held == {notebook.name} | wheels | files | exercises | set(copies.LICENCES)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_offers_no_notebook_that_would_stop_at_its_first_cell(name: str, site: Path) -> None:
    links = [a["href"] for a in parsed(site / name).select("a[href]") if "://" not in a["href"]]
    assert not [link for link in links if link.endswith(".ipynb")]


def test_every_sheet_and_its_solutions_are_offered_with_what_they_need(site: Path) -> None:
    page = site / "chapters" / "appendix-exercises.html"
    offered = {a["href"] for a in parsed(page).select("a[href$='.zip']")}
    sheets = [path.stem for path in (ROOT / "exercises").glob("*.ipynb")]
    wanted = {f"../notebooks/{name}{more}.zip" for name in sheets for more in ("", "-solutions")}
    assert offered == wanted and len(wanted) == 24
    for address in wanted:
        with zipfile.ZipFile((page.parent / address).resolve()) as archive:
            names = archive.namelist()
        assert sum(name.endswith(".whl") for name in names) == 2
        assert ("order-matters/exercises/solutions" in " ".join(names)) == ("solution" in address)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A Python with everything that is installed here, except `pe_lib` and a way to the network."""
    venv.create(tmp_path / "bare", with_pip=False)
    bin_, lib = (
        Path(sysconfig.get_path(name, "venv", {"base": str(tmp_path / "bare")}))
        for name in ("scripts", "purelib")
    )
    # a folder named here is searched, but the .pth files in it, where pe_lib is, are not read
    (lib / "others.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return bin_ / f"python{sysconfig.get_config_var('EXE')}"


# pip finds pe_lib's own record among the others, and no index
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_IGNORE_INSTALLED": "1"}


def test_a_download_runs_in_an_empty_folder(site: Path, bare: Path, tmp_path: Path) -> None:
    """From top to bottom, the library being nowhere but in the download; and its exercises."""
    with zipfile.ZipFile(site / "notebooks" / "05-relative-positions.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "order-matters"
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= OFFLINE | {"ORDER_MATTERS_HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(bare), *arguments], cwd=folder, env=environment, capture_output=True, text=True
        )
        return done.stdout if done.returncode == 0 else done.stderr

    missing = "from importlib.util import find_spec; print(find_spec('pe_lib'))"
    assert run("-c", missing) == "None\n"
    names = ["05-relative-positions.ipynb", "exercises/05-relative-positions.ipynb"]
    assert run("-m", "nbconvert", "--execute", "--to", "notebook", "--inplace", *names) == ""
    printed = [
        "".join(output.get("text", "") for output in cell.get("outputs", []))
        for cell in nbformat.read(folder / "05-relative-positions.ipynb", 4).cells[1:]
    ]
    committed = nbformat.read(ROOT / "chapters" / "05-relative-positions.ipynb", 4).cells
    for cell, text in zip(committed, printed, strict=True):
        assert text == "".join(output.get("text", "") for output in cell.get("outputs", []))


class Shell:
    """Stands for IPython: notes what would be installed, and whether it then is there."""

    def __init__(self, cell: dict[str, Any], works: bool) -> None:
        self.installed: list[str] = []
        self.cell, self.works = cell, works

    def run_line_magic(self, magic: str, line: str, *_: object) -> None:
        assert magic == "pip"
        self.installed.append(line.format(**self.cell))
        if self.works:
            self.cell["is_there"] = lambda: True


def first_cell(
    monkeypatch: pytest.MonkeyPatch, missing: str, cell: str, works: bool = True
) -> list[str]:
    """What the cell installs when the module `missing` is not there."""
    names: dict[str, Any] = {}
    shell = Shell(names, works)
    names["get_ipython"] = lambda: shell
    with monkeypatch.context() as patch:
        if missing:
            for name in [name for name in sys.modules if name.split(".")[0] in ("pe_lib", missing)]:
                patch.delitem(sys.modules, name)
            patch.setitem(sys.modules, missing, None)
        code = TransformerManager().transform_cell(cell)
        exec(compile(code, "first cell", "exec"), names)
    return shell.installed


@pytest.mark.parametrize("missing", ["pe_lib", "pe_lib.course", "matplotlib", "anywidget"])
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
    cell = copies.install(THESE, SITE_NOTEBOOKS, [])
    addresses = " ".join(f'"{SITE_NOTEBOOKS}{wheel}"' for wheel in THESE)
    assert first_cell(monkeypatch, missing, cell) == [f"install -q {addresses}"]


def test_the_first_cell_does_nothing_where_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert first_cell(monkeypatch, "", copies.install(THESE, "", ["a.json"])) == []


def test_the_first_cell_replaces_another_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for wheel in WHEELS:
        (tmp_path / wheel).touch()
    installed = first_cell(monkeypatch, "", copies.install(WHEELS, "", []))
    assert installed == ['install -q "./{}" "./{}"'.format(*WHEELS)]


def test_the_first_cell_says_so_when_nothing_was_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As without pip: `%pip` prints a line and goes on."""
    monkeypatch.chdir(tmp_path)
    for wheel in WHEELS:
        (tmp_path / wheel).touch()
    with pytest.raises(RuntimeError, match=r"In a terminal: python -m pip install \"\./pe_lib-1"):
        first_cell(monkeypatch, "", copies.install(WHEELS, "", []), works=False)


def test_links_of_a_copy_lead_to_the_site_or_are_text() -> None:
    text = "[word [0]](02-x.ipynb), [d](e.md#f), [g](https://h), [i](#j)"
    plain = "word [0], d, [g](https://h), [i](#j)"
    assert copies.linked(text, "") == plain
    assert copies.linked(text, "", {"02-x.ipynb"}) == plain.replace("word [0]", text.split(",")[0])
    pages = "https://me.example/chapters/"
    assert copies.linked(text, SITE_NOTEBOOKS) == (
        f"[word [0]]({pages}02-x.html), [d]({pages}e.html#f), [g](https://h), [i](#j)"
    )


def test_no_link_in_a_download_is_dead(site: Path) -> None:
    """Each that leads to no other host leads to a file of the zip, or within its notebook."""
    for path in sorted((site / "notebooks").glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            held = set(archive.namelist())
            for name in [name for name in held if name.endswith(".ipynb")]:
                cells = json.loads(archive.read(name))["cells"]
                text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] != "code")
                for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", text):
                    assert str(PurePosixPath(name).parent / link) in held, (name, link)


def test_the_first_cell_fetches_missing_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / "site" / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / "data" / name).write_text("theirs", "utf-8")
    (tmp_path / "here" / "data").mkdir(parents=True)
    (tmp_path / "here" / "data" / "a.json").write_text("mine", "utf-8")
    monkeypatch.chdir(tmp_path / "here")
    site = (tmp_path / "site").as_uri() + "/"
    assert (
        first_cell(monkeypatch, "", copies.install(THESE, site, ["data/a.json", "data/b.json"]))
        == []
    )
    found = [Path("data", name).read_text("utf-8") for name in ("a.json", "b.json")]
    assert found == ["mine", "theirs"]


@pytest.mark.parametrize("site", ["", SITE_NOTEBOOKS])
def test_a_copy_can_be_graded(site: str) -> None:
    ast.parse(submission.plain(copies.install(WHEELS, site, ["a.json"])))


@pytest.mark.parametrize(
    ("given", "site", "colab", "binder"),
    [
        (PUBLISHED, True, True, True),
        ({}, False, False, False),
        ({**PUBLISHED, "SITE_URL": ""}, False, False, False),
        ({**PUBLISHED, "NOTEBOOKS_BRANCH": ""}, True, False, True),
        ({**PUBLISHED, "GITHUB_REPOSITORY": ""}, True, False, False),
        ({**PUBLISHED, "GITHUB_REF_NAME": ""}, True, True, False),
        ({**PUBLISHED, "GITHUB_SERVER_URL": "https://forge.example"}, True, False, False),
        ({"SITE_URL": "https://me.example/course/"}, True, False, False),
    ],
)
def test_only_what_is_published_is_linked(
    given: dict[str, str], site: bool, colab: bool, binder: bool
) -> None:
    assert elsewhere.public(given) == elsewhere.Public(
        site="https://me.example/course/notebooks/" if site else "",
        colab="https://colab.research.google.com/github/me/course/blob/notebooks/" if colab else "",
        binder="https://mybinder.org/v2/gh/me/course/next%2Fedition?labpath=chapters%2F"
        if binder
        else "",
        repository="https://github.com/me/course" if colab or binder else "",
    )


def test_the_front_page_offers_the_book_where_it_is_released(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(elsewhere, "write", lambda app: None)
    for name, value in PUBLISHED.items():
        monkeypatch.setenv(name, value)
    links = build(tmp_path, {"index": "# I\n\na\n"}, "_ext.elsewhere")["index"].select("p.om-run a")
    released = "https://github.com/me/course/releases/latest/download/order-matters"
    assert [a["href"] for a in links] == [
        f"{released}.pdf", f"{released}.epub", "https://github.com/me/course",
    ]  # fmt: skip


def test_another_address_writes_the_pages_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(elsewhere, "write", lambda app: None)
    for name, value in PUBLISHED.items():
        monkeypatch.setenv(name, value)
    text = "# I\n\na\n"
    for repository in ("me/course", "you/fork"):
        monkeypatch.setenv("GITHUB_REPOSITORY", repository)
        page = build(tmp_path, {"index": text}, "_ext.elsewhere")["index"]
        assert page.select("p.om-run a")[-1]["href"] == f"https://github.com/{repository}"


@pytest.mark.parametrize("published", [True, False])
def test_a_page_links_its_own_chapter(
    published: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in PUBLISHED.items():
        monkeypatch.setenv(name, value if published else "")

    def pretend(app: Sphinx) -> None:
        (Path(app.outdir) / "notebooks").mkdir(parents=True)
        (Path(app.outdir) / "notebooks" / "x.zip").write_bytes(b"." * 41_600)

    monkeypatch.setattr(elsewhere, "write", pretend)
    pages = {
        "index": "# I\n\n```{toctree}\nchapters/x\n```\n",
        "chapters/x": "# x\n\na\n\nb\n\nc\n",
    }
    soup = build(tmp_path, pages, "_ext.elsewhere")["chapters/x"]
    line = soup.select_one("h1 + p + p + p.om-run")
    links = {a.get_text(): a["href"] for a in line.select("a")}
    download = {"download, 42 kB": "../notebooks/x.zip"}
    others = {
        "Colab": "https://colab.research.google.com/github/me/course/blob/notebooks/x.ipynb",
        "Binder": "https://mybinder.org/v2/gh/me/course/next%2Fedition?labpath=chapters%2Fx.ipynb",
    }
    assert links == (download | others if published else download)


def test_a_chapter_is_downloaded_by_keyboard_from_a_file(browser: Browser, site: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((site / EXPLORED).as_uri())
        page.locator(".om-run a").first.focus()
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        assert zipfile.is_zipfile(download.value.path())
        page.emulate_media(media="print")
        assert not page.locator(".om-run").is_visible()


def test_a_page_leads_to_jupyterlite_once_it_is_there(tmp_path: Path) -> None:
    for folder in ("chapters", "_static"):
        (tmp_path / folder).mkdir(parents=True)
    page, other = (tmp_path / "chapters" / f"{name}.html" for name in ("x", "other"))
    page.write_text('<p class="om-run">Run: <a href="x.zip">download</a></p><p>text</p>')
    other.write_text("<p>no notebook</p>")
    assert lite.link(tmp_path) == 1
    assert '<a href="../lite/lab/index.html?path=x.ipynb">' in page.read_text()
    assert page.read_text().endswith("</p><p>text</p>")
    assert other.read_text() == "<p>no notebook</p>"


def test_jupyterlite_has_every_notebook_and_its_data(tmp_path: Path) -> None:
    lite.contents(tmp_path)
    for notebook in NOTEBOOKS:
        folder = tmp_path / "exercises" if notebook.parent.name == "exercises" else tmp_path
        first, *cells = nbformat.read(folder / notebook.name, 4).cells
        assert first.source.splitlines()[-1] == "%pip install -q order-matters"
        text = "".join(cell.source for cell in cells if cell.cell_type != "code")
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", text):
            assert (folder / link).is_file(), link
        for name in re.findall(r'Path\(\s*"([^"]+)"\s*\)', "\n".join(c.source for c in cells)):
            assert (folder / name).exists(), name


def test_data_of_a_notebook_are_the_files_that_it_names(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "checkpoints"
    folder.mkdir(parents=True)
    for name in ("phi-3.5-mini.json", "other.json"):
        (folder / name).write_text("{}")
    code = 'Path("data/checkpoints/phi-3.5-mini.json"), "data/missing.json"'
    cells = [nbformat.v4.new_code_cell(code)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a.ipynb")
    named = {"data/checkpoints/phi-3.5-mini.json": folder / "phi-3.5-mini.json"}
    assert copies.data(tmp_path / "a.ipynb") == named
    assert json.loads(copies.copy(tmp_path / "a.ipynb", "first"))["cells"][1]["source"] == [code]


def test_data_from_elsewhere_join_those_beside_a_copy_and_a_folder_counts_whole(
    tmp_path: Path,
) -> None:
    for name in ("chapters/data/many/a.json", "chapters/data/many/b.json", "results/c.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    notebook = tmp_path / "chapters" / "a.ipynb"
    cells = [nbformat.v4.new_code_cell('Path("data/many").glob("*"), "../results/c.json"')]
    for name in ("data/d.json", "data/e.json"):
        (notebook.parent / name).write_text("{}")
    nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
    assert set(copies.data(notebook)) == {"data/many/a.json", "data/many/b.json", "data/c.json"}
    changed = json.loads(copies.copy(notebook, "first"))["cells"][1]["source"]
    assert changed == ['Path("data/many").glob("*"), "data/c.json"']
    cells = [nbformat.v4.new_code_cell('Path(f"data/{name}.json")')]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
    assert set(copies.data(notebook)) == {"data/d.json", "data/e.json"}
