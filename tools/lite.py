"""Add JupyterLite to the built site, so that readers can run all notebooks in a browser.

python -m tools.lite [--pyodide FOLDER]

The result is written to _build/public and includes the site. Readers' browsers load Python itself
(Pyodide) from its public distribution. With --pyodide, they load it from a copy of FOLDER on the
site, and no other host is needed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import nbformat

from _ext.downloads import copies

ROOT = Path(__file__).resolve().parent.parent

# The Python packages that explorers need but Pyodide does not include.
# The versions are the installed ones, because the build copies each package's front end from there.
WIDGETS = ("anywidget", "comm", "ipywidgets", "jupyterlab_widgets", "psygnal")
NOTICES = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyterlab_widgets", "anywidget")
FIRST_CELL = """\
# Installs library and course, which come with this site, and what they need
%pip install -q order-matters
"""
RUN_LINE = re.compile(r'(<p class="om-run">.*?)(</p>)')
# JupyterLite needs a web server and JavaScript, so a script shows the link only where both exist.
# This script is a separate file, because the page's security policy forbids inline scripts.
LINK = (
    '<span class="om-lite" hidden> · <a href="../lite/lab/index.html?path={name}">in'
    ' the browser (JupyterLite)</a></span><script defer src="../_static/lite.js"></script>'
)
SHOW_LINKS = """\
if (location.protocol !== "file:")
  for (const link of document.querySelectorAll(".om-lite")) link.hidden = false;
"""


def write_contents(folder: Path) -> None:
    """Write all notebooks, and the data that they read, into `folder`."""
    chapters = {path.name for path in (ROOT / "chapters").glob("*.ipynb")}
    address = os.environ.get("SITE_URL", "").strip()
    site = f"{address.rstrip('/')}/notebooks/" if address else ""
    for source, target in (("chapters", folder), ("exercises", folder / "exercises")):
        target.mkdir(parents=True, exist_ok=True)
        for notebook in sorted((ROOT / source).glob("*.ipynb")):
            text = copies.copy(notebook, FIRST_CELL, site, chapters)
            # JupyterLab's table of contents expects each output as a single string
            text_of_notebook = json.dumps(nbformat.reads(text, 4), ensure_ascii=False)
            (target / notebook.name).write_text(text_of_notebook, "utf-8")
            for name, file in copies.data(notebook).items():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target / name)


def collect_wheels(site: Path, folder: Path) -> list[Path]:
    """Collect the wheels of library, course and widgets in `folder`, and return their paths."""
    folder.mkdir()
    for wheel in (site / "notebooks").glob("*.whl"):
        shutil.copy(wheel, folder)
    requirements = [f"{name}=={metadata.version(name)}" for name in WIDGETS]
    download = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
    only = ["--no-deps", "--only-binary=:all:", "--platform=any", "--python-version=3.14"]
    subprocess.run([*download, *only, "-d", str(folder), *requirements], check=True)
    return sorted(folder.glob("*.whl"))


def build(site: Path, public: Path, pyodide: str | None) -> None:
    """Copy the site to `public`, and build JupyterLite in the subfolder `lite` of the copy."""
    shutil.rmtree(public, ignore_errors=True)
    shutil.copytree(site, public)
    with tempfile.TemporaryDirectory() as folder_name:
        work = Path(folder_name)
        write_contents(work / "contents")
        if pyodide:  # JupyterLite expects to find Pyodide in this folder
            shutil.copytree(pyodide, work / "static" / "pyodide")
        options = {
            "lite-dir": folder_name,
            "contents": "contents",
            "output-dir": str(public / "lite"),
        }
        command = [sys.executable, "-m", "jupyterlite_core.app", "build", "--apps=lab"]
        command += [f"--{name}={value}" for name, value in options.items()]
        command += [f"--piplite-wheels={wheel}" for wheel in collect_wheels(site, work / "wheels")]
        command += ["--no-sourcemaps", "--no-unused-shared-packages"]
        subprocess.run(command, cwd=work, check=True)
    # JupyterLite itself writes the licences of its scripts to third-party-licenses.json.
    for name in NOTICES:
        for file in metadata.files(name) or ():
            if "licenses" in file.parts:
                target = public / "lite" / "licenses" / name / file.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)


def link_chapters(public: Path) -> int:
    """Add a link to JupyterLite to each chapter's page, and return the number of these pages."""
    (public / "_static" / "lite.js").write_text(SHOW_LINKS, "utf-8")
    total = 0
    for page in sorted(public.glob("chapters/*.html")):
        new = LINK.format(name=f"{page.stem}.ipynb")
        text, count = RUN_LINE.subn(rf"\1{new}\2", page.read_text("utf-8"))
        page.write_text(text, "utf-8")
        total += count
    return total


def main() -> None:
    """Build JupyterLite next to the site, and link each chapter to it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pyodide", help="a folder with a Pyodide distribution")
    site, public = ROOT / "_build" / "site", ROOT / "_build" / "public"
    build(site, public, parser.parse_args().pyodide)
    print(f"{link_chapters(public)} chapters run in the browser. Publish _build/public.")


if __name__ == "__main__":
    main()
