"""Copies of the notebooks that run without the repository.

A copy begins with a cell that installs `pe_lib` where it is missing: from the wheel beside the
notebook, else from the site that offers it. The committed notebooks have no such cell.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

DATA = re.compile(r'"((?:[\w.-]+/)+)([\w-]+\.json)"')  # how a chapter names what it reads
EPOCH = "315532800"  # 1 January 1980, the oldest time of a zip: the same files give the same bytes
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"

INSTALL = """\
# Installs what this copy of the notebook needs, unless it is there
from importlib.util import find_spec
from pathlib import Path

if not all(map(find_spec, ["pe_lib", "matplotlib", "anywidget"])):
    if Path("{wheel}").exists():
        %pip install -q "./{wheel}[figures]"
    elif Path("../{wheel}").exists():
        %pip install -q "../{wheel}[figures]"
    else:
        {otherwise}
"""
FROM_SITE = '%pip install -q "pe-lib[figures] @ {site}{wheel}"'
BY_HAND = """\
raise FileNotFoundError(
            "{wheel}, and data if there is any, must lie beside this notebook."
            " Both are in the zip that the chapter's page offers below its title."
        )"""
FETCH = """
from urllib.request import urlretrieve

for name in {names}:
    if not Path("data", name).exists():
        Path("data").mkdir(exist_ok=True)
        urlretrieve("{site}data/" + name, Path("data", name))
"""


def wheel(root: Path, folder: Path) -> Path:
    """Build the wheel of `pe_lib` into `folder`, without touching `root`."""
    with tempfile.TemporaryDirectory() as made:
        tree, new = Path(made, "tree"), Path(made, "new")
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "pe_lib", tree / "pe_lib", ignore=ignored)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(root / name, tree)
        subprocess.run(
            [sys.executable, "-c", BUILD, str(new)],
            cwd=tree,
            env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        (built,) = new.glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(built, folder))


def data(notebook: Path) -> list[Path]:
    """The recordings that a notebook reads."""
    found = DATA.findall(notebook.read_text("utf-8").replace('\\"', '"'))
    files = (notebook.parent / folder / name for folder, name in found)
    return sorted({file.resolve() for file in files if file.is_file()})


def install(wheel: str, site: str, names: list[str]) -> str:
    """The first cell of a copy; `site` is the address of the copies, with a slash, or ''."""
    otherwise = (FROM_SITE if site else BY_HAND).format(wheel=wheel, site=site)
    cell = INSTALL.format(wheel=wheel, otherwise=otherwise)
    return cell + FETCH.format(names=json.dumps(names), site=site) if names and site else cell


def copy(notebook: Path, first: str) -> str:
    """The text of a notebook that begins with the cell `first` and has its data beside it."""
    content = json.loads(notebook.read_text("utf-8"))
    known = {file.name for file in data(notebook)}
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            text = DATA.sub(
                lambda m: f'"data/{m[2]}"' if m[2] in known else m[0], "".join(cell["source"])
            )
            cell["source"] = text.splitlines(keepends=True)
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {"tags": ["install"]},
        "outputs": [],
        "source": first.rstrip("\n").splitlines(keepends=True),
    }
    content["cells"].insert(0, cell)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write(root: Path, folder: Path, site: str) -> None:
    """Write all that is offered: the wheel, the data, each notebook, and a zip for each chapter.

    folder/NN-name.ipynb  exercises/NN-name.ipynb  data/name.json  pe_lib-….whl  NN-name.zip
    """
    library = wheel(root, folder)
    (folder / "data").mkdir()
    (folder / "exercises").mkdir()
    for exercise in sorted((root / "exercises").glob("*.ipynb")):
        text = copy(exercise, install(library.name, site, []))
        (folder / "exercises" / exercise.name).write_text(text, "utf-8")
    for chapter in sorted((root / "chapters").glob("*.ipynb")):
        files = data(chapter)
        for file in files:
            shutil.copyfile(file, folder / "data" / file.name)
        names = [file.name for file in files]
        text = copy(chapter, install(library.name, site, names))
        (folder / chapter.name).write_text(text, "utf-8")
        pack(folder, chapter.stem, [library.name, *(f"data/{name}" for name in names)])


def pack(folder: Path, chapter: str, others: list[str]) -> None:
    """Everything for one chapter; unpacked one over the other, the zips make up the course."""
    names = [f"{chapter}.ipynb", f"exercises/{chapter}.ipynb", *others]
    with zipfile.ZipFile(folder / f"{chapter}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            if (folder / name).exists():
                entry = zipfile.ZipInfo(f"order-matters/{name}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, (folder / name).read_bytes())
