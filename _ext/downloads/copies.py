"""Make copies of the notebooks that run without the repository.

The first cell of a copy installs the library and the course if they are missing. It installs them
from the wheels in the notebook's folder, or else from the website that offers the wheels. The
committed notebooks have no such cell.
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
ARCHIVE = "order-matters.zip"  # the archive of all notebooks, with everything that they need
# the README has the suffix .txt, because every operating system opens such files
README = "README.txt"
READERS = ("", "pe_lib/course")  # the source folders of the two packages that notebooks need
PROJECTS = (*READERS, "classroom")
# matches a Markdown link to a file of the course, with groups for its text, file and anchor
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^()\s#]+)(#[^()\s]*)?\)")
# matches the path of a data file in a chapter's code
DATA = re.compile(r'"(data/[\w./{}-]+\.json)"')
BRACES = re.compile(r"\{\w*\}")
FOLDER = re.compile(r'"(data/[\w-]+)"')  # matches the path of a data folder in a chapter's code
# A fixed date makes the wheels identical in every build. Zip files hold no date before 1980.
EPOCH = "315532800"
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"

# the first cell of a copied notebook imports this module, to find out if a package is missing
MODULE = "pe_lib.course.explorers"


def wheels(root: Path, folder: Path, projects: tuple[str, ...] = READERS) -> list[Path]:
    """Build a wheel of each project in `folder`, and leave all files in `root` unchanged."""
    # Import this here, because the release check uses this module without the course's packages.
    from pe_lib.course import explorers

    explorers.build_scripts()  # these scripts are built first, because wheels contain them
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary, "tree")
        paths: list[Path] = []
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
            target = Path(temporary, f"wheel {len(paths)}")
            subprocess.run(
                [sys.executable, "-c", BUILD, str(target)],
                cwd=tree / project,
                env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            (wheel,) = target.glob("*.whl")
            paths.append(Path(shutil.copy(wheel, folder)))
        return paths


def data(notebook: Path) -> dict[str, Path]:
    """Return the recordings that a notebook reads, by their paths relative to the notebook.

    If the notebook names a folder, all recordings in that folder are included. A name with braces,
    as in f"data/{name}.json", includes every recording whose name matches the pattern.
    """
    text = notebook.read_text("utf-8").replace('\\"', '"')
    patterns = {BRACES.sub("*", name) for name in DATA.findall(text)}
    patterns |= {f"{folder}/*.json" for folder in FOLDER.findall(text)}
    files = {file for pattern in patterns for file in notebook.parent.glob(pattern)}
    return {file.relative_to(notebook.parent).as_posix(): file for file in sorted(files)}


def install(wheels: list[str], site: str, names: list[str]) -> str:
    """Return the first cell of a copied notebook, which installs the course from its wheels.

    `site` is the address of the copies with a slash at the end, or "" if there is no website.
    """
    # Import this here, because the release check uses this module without Jinja being installed.
    from _ext.markup import render_template

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


def readme(wheels: list[str]) -> str:
    """Return the README of the archive, which explains how to run its notebooks."""
    from _ext.markup import render_template

    return render_template("downloads/readme.txt", wheels=" ".join(wheels)) + "\n"


def redirect_links(text: str, site: str, beside: Container[str] = ()) -> str:
    """In a Markdown text, let links to other pages of the course lead to the website.

    `site` is the address of the copies. If it is empty, the links become plain text. Links to files
    listed in `beside`, which are in the copy's own folder, do not change.
    """

    def redirect(link: re.Match[str]) -> str:
        text, file, anchor = link.groups("")
        if file in beside:
            return link[0]
        pages = site.removesuffix("notebooks/") + "chapters/"
        return f"[{text}]({pages}{PurePosixPath(file).stem}.html{anchor})" if site else text

    return LINK.sub(redirect, text)


def copy(notebook: Path, first: str, site: str = "", beside: Container[str] = ()) -> str:
    """Return the text of a notebook's copy, which has a new first cell with the source `first`.

    The figures of the copy hold fewer bytes than the committed ones, and look the same.
    """
    # Import this here, because the release check uses this module without Sphinx being installed.
    from _ext.outputs import svg

    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] != "code":
            text = redirect_links("".join(cell["source"]), site, beside)
            cell["source"] = text.splitlines(keepends=True)
        for output in cell.get("outputs", []):
            if figure := output.get("data", {}).get("image/svg+xml"):
                output["data"]["image/svg+xml"] = [svg.shrink("".join(figure))]
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {"tags": ["install"]},
        "outputs": [],
        "source": first.rstrip("\n").splitlines(keepends=True),
    }
    content["cells"].insert(0, cell)
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def write(root: Path, folder: Path, site: str) -> list[str]:
    """Write all downloads: the wheels, the data, the notebooks, and an archive of all of them.

    Return the names of the wheels, with the library's wheel first and then the course's.

    folder/NN-name.ipynb  exercises/NN-name.ipynb  data/name.json  *.whl  LICENSE*  README.txt
    order-matters.zip
    """
    wheel_names = [wheel.name for wheel in wheels(root, folder)]
    for name in LICENCES:
        shutil.copy(root / name, folder)
    (folder / README).write_text(readme(wheel_names), "utf-8")
    (folder / "exercises" / "solutions").mkdir(parents=True)
    for exercise in sorted((root / "exercises").rglob("*.ipynb")):
        text = copy(exercise, install(wheel_names, site, []), site)
        (folder / exercise.relative_to(root)).write_text(text, "utf-8")
    for chapter in sorted((root / "chapters").glob("*.ipynb")):
        files = data(chapter)
        for name, file in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / name)
        names = list(files)
        text = copy(chapter, install(wheel_names, site, names), site)
        (folder / chapter.name).write_text(text, "utf-8")
    pack(folder)
    return wheel_names


def pack(folder: Path) -> None:
    """Write an archive of all files in `folder`, except the solutions of the exercises.

    Solutions are left out, so that nobody who unpacks the course meets them by accident.
    """
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    with zipfile.ZipFile(folder / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if file.parent.name != "solutions":
                entry = zipfile.ZipInfo(f"order-matters/{file.relative_to(folder).as_posix()}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, file.read_bytes())
