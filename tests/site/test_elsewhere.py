"""A chapter runs away from its repository: its copy, its first cell, and the links to it."""

import json
import re
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
import pytest
from built import ROOT, parsed
from IPython.core.inputtransformer2 import TransformerManager
from little import build
from sphinx.application import Sphinx

sys.path.append(str(ROOT))

import pe_lib
from _ext import copies, elsewhere

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


@pytest.mark.parametrize("notebook", NOTEBOOKS[::5], ids=lambda path: path.stem)
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


def test_links_of_a_copy_lead_to_the_site_or_are_text() -> None:
    text = "[word [0]](02-x.ipynb), [d](e.md#f), [g](https://h), [i](#j)"
    assert copies.linked(text, "") == "word [0], d, [g](https://h), [i](#j)"
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


# what is not told, and what then cannot be linked
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
    found = vars(elsewhere.public(given))
    assert {name for name, value in found.items() if value} == set(left.split())
    at_another_forge = elsewhere.public(given | {"GITHUB_SERVER_URL": "https://forge.example"})
    assert not at_another_forge.colab and not at_another_forge.binder


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
