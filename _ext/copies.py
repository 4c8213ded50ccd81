"""Copies of the notebooks that run without the repository.

A copy begins with a cell that installs library and course where they are missing: from the wheels
beside the notebook, else from the site that offers them. The committed notebooks have no such cell.
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

DATA = re.compile(r'"((?:[\w.-]+/)+)([\w.-]+\.json)"')  # how a chapter names what it reads
EPOCH = "315532800"  # 1 January 1980, the oldest time of a zip: the same files give the same bytes
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"

INSTALL = """\
# Installs what this copy of the notebook needs, unless it is there
from pathlib import Path

try:
    import pe_lib.course.explorers
except ModuleNotFoundError:
    if Path("{library}").exists():
        %pip install -q "./{library}" "./{course}"
    elif Path("../{library}").exists():
        %pip install -q "../{library}" "../{course}"
    elif Path("../../{library}").exists():
        %pip install -q "../../{library}" "../../{course}"
    else:
        {otherwise}
"""
FROM_SITE = '%pip install -q "{site}{library}" "{site}{course}"'
BY_HAND = """\
raise FileNotFoundError(
            "{library}, {course}, and data if there is any, must lie beside this notebook."
            " All are in the zip that the chapter's page offers below its title."
        ) from None"""
FETCH = """
from urllib.request import urlretrieve

for name in {names}:
    if not Path("data", name).exists():
        Path("data").mkdir(exist_ok=True)
        urlretrieve("{site}data/" + name, Path("data", name))
"""


def wheels(root: Path, folder: Path) -> list[Path]:
    """Build the wheels of library and course into `folder`, without touching `root`."""
    with tempfile.TemporaryDirectory() as made:
        tree, new = Path(made, "tree"), Path(made, "new")
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
        shutil.copytree(root / "pe_lib", tree / "pe_lib", ignore=ignored)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(root / name, tree)
        shutil.copy(root / "LICENSE", tree / "pe_lib" / "course")
        folder.mkdir(parents=True, exist_ok=True)
        for project in (tree, tree / "pe_lib" / "course"):
            subprocess.run(
                [sys.executable, "-c", BUILD, str(new)],
                cwd=project,
                env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
                stdout=subprocess.DEVNULL,
                check=True,
            )
        library, course = sorted(new.glob("*.whl"), reverse=True)
        return [Path(shutil.copy(built, folder)) for built in (library, course)]


def data(notebook: Path) -> list[Path]:
    """The recordings that a notebook reads."""
    found = DATA.findall(notebook.read_text("utf-8").replace('\\"', '"'))
    files = (notebook.parent / folder / name for folder, name in found)
    return sorted({file.resolve() for file in files if file.is_file()})


def install(wheels: list[str], site: str, names: list[str]) -> str:
    """The first cell of a copy; `site` is the address of the copies, with a slash, or ''."""
    library, course = wheels
    otherwise = (FROM_SITE if site else BY_HAND).format(library=library, course=course, site=site)
    cell = INSTALL.format(library=library, course=course, otherwise=otherwise)
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


def write(root: Path, folder: Path, site: str) -> list[str]:
    """Write all that is offered: the wheels, the data, each notebook, and a zip for each chapter.

    Returns the names of the wheels, the library's and the course's.
    folder/NN-name.ipynb  exercises/NN-name.ipynb  data/name.json  *.whl  NN-name.zip
    """
    built = [wheel.name for wheel in wheels(root, folder)]
    (folder / "data").mkdir()
    (folder / "exercises").mkdir()
    (folder / "exercises" / "solutions").mkdir()
    for exercise in sorted((root / "exercises").rglob("*.ipynb")):
        text = copy(exercise, install(built, site, []))
        (folder / exercise.relative_to(root)).write_text(text, "utf-8")
    for chapter in sorted((root / "chapters").glob("*.ipynb")):
        files = data(chapter)
        for file in files:
            shutil.copyfile(file, folder / "data" / file.name)
        names = [file.name for file in files]
        text = copy(chapter, install(built, site, names))
        (folder / chapter.name).write_text(text, "utf-8")
        own = [f"{chapter.name}", f"exercises/{chapter.name}"]
        pack(folder, chapter.stem, [*own, *built, *(f"data/{name}" for name in names)])
        if (solutions := folder / "exercises" / "solutions" / chapter.name).exists():
            pack(folder, f"{chapter.stem}-solutions", [str(solutions.relative_to(folder)), *built])
    return built


def pack(folder: Path, name: str, names: list[str]) -> None:
    """The zip `name` with those of the files that are there.

    It holds all that a notebook needs; unpacked one over the other, the zips make up the course.
    """
    with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            if (folder / name).exists():
                entry = zipfile.ZipInfo(f"order-matters/{name}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, (folder / name).read_bytes())
