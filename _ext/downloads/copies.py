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
from collections.abc import Container
from pathlib import Path, PurePosixPath

LICENCES = ("LICENSE", "LICENSE-text")
READERS = ("", "pe_lib/course")  # the projects that a notebook needs, by folder
PROJECTS = (*READERS, "classroom")
# a Markdown link to a file of the course: its text, the file, the place in it
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^()\s#]+)(#[^()\s]*)?\)")
DATA = re.compile(r'"(data/[\w./{}-]+\.json)"')  # how a chapter names what it reads
BRACES = re.compile(r"\{\w*\}")
FOLDER = re.compile(r'"(data/[\w-]+)"')  # and a folder full of it
EPOCH = "315532800"  # 1 January 1980, the oldest time of a zip: the same files give the same bytes
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"

MODULE = "pe_lib.course.explorers"  # rests on all that a notebook needs


def wheels(root: Path, folder: Path, projects: tuple[str, ...] = READERS) -> list[Path]:
    """Build the wheels of these projects into `folder`, without touching `root`."""
    with tempfile.TemporaryDirectory() as made:
        tree, built = Path(made, "tree"), []
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
        for name in ("pe_lib", "classroom"):
            shutil.copytree(root / name, tree / name, ignore=ignored)
        for name in ("", "classroom"):
            shutil.copy(root / "LICENSE", tree / name)
        shutil.copy(root / "pyproject.toml", tree)
        for name in LICENCES:
            shutil.copy(root / name, tree / "pe_lib" / "course")
        folder.mkdir(parents=True, exist_ok=True)
        for project in projects:
            new = Path(made, f"wheel {len(built)}")
            subprocess.run(
                [sys.executable, "-c", BUILD, str(new)],
                cwd=tree / project,
                env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            (wheel,) = new.glob("*.whl")
            built.append(Path(shutil.copy(wheel, folder)))
        return built


def data(notebook: Path) -> dict[str, Path]:
    """The recordings that a notebook reads, by their place beside it.

    A folder that is named counts with all its recordings, and so does one of which some are named
    with braces, as in f"data/{name}.json".
    """
    text = notebook.read_text("utf-8").replace('\\"', '"')
    patterns = {BRACES.sub("*", name) for name in DATA.findall(text)}
    patterns |= {f"{folder}/*.json" for folder in FOLDER.findall(text)}
    files = {file for pattern in patterns for file in notebook.parent.glob(pattern)}
    return {file.relative_to(notebook.parent).as_posix(): file for file in sorted(files)}


def install(wheels: list[str], site: str, names: list[str]) -> str:
    """The first cell of a copy; `site` is the address of the copies, with a slash, or ''."""
    from _ext.markup import render_template  # a release is checked before Jinja is there

    library, course = wheels
    name, version, *_ = library.split("-")
    return render_template(
        "downloads/install.txt",
        library=library,
        course=course,
        name=name,
        version=version,
        module=MODULE,
        site=site,
        names=json.dumps(names) if names else "",
    )


def linked(text: str, site: str, beside: Container[str] = ()) -> str:
    """Markdown whose links to other pages lead to those of the site, or are plain text without one.

    Those to files `beside` the copy stay. `site` is the address of the copies.
    """

    def new(link: re.Match[str]) -> str:
        text, file, place = link.groups("")
        if file in beside:
            return link[0]
        pages = site.removesuffix("notebooks/") + "chapters/"
        return f"[{text}]({pages}{PurePosixPath(file).stem}.html{place})" if site else text

    return LINK.sub(new, text)


def copy(notebook: Path, first: str, site: str = "", beside: Container[str] = ()) -> str:
    """The text of a notebook that begins with the cell `first`; its links are `linked`."""
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] != "code":
            text = linked("".join(cell["source"]), site, beside)
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
    folder/NN-name.ipynb  exercises/NN-name.ipynb  data/name.json  *.whl  LICENSE*  NN-name.zip
    """
    built = [wheel.name for wheel in wheels(root, folder)]
    for name in LICENCES:
        shutil.copy(root / name, folder)
    (folder / "exercises" / "solutions").mkdir(parents=True)
    for exercise in sorted((root / "exercises").rglob("*.ipynb")):
        text = copy(exercise, install(built, site, []), site)
        (folder / exercise.relative_to(root)).write_text(text, "utf-8")
    for chapter in sorted((root / "chapters").glob("*.ipynb")):
        files = data(chapter)
        for name, file in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / name)
        names = list(files)
        text = copy(chapter, install(built, site, names), site)
        (folder / chapter.name).write_text(text, "utf-8")
        own = [f"{chapter.name}", f"exercises/{chapter.name}"]
        pack(folder, chapter.stem, [*own, *built, *LICENCES, *names])
        if (solutions := folder / "exercises" / "solutions" / chapter.name).exists():
            own = [str(solutions.relative_to(folder)), *built, *LICENCES]
            pack(folder, f"{chapter.stem}-solutions", own)
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
