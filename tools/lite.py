"""Add a JupyterLite to the built site: every chapter and exercise runs in the reader's browser.

python -m tools.lite [--pyodide FOLDER]

The result, site and all, is in _build/public. Python itself (Pyodide) comes from its public
distribution, or from FOLDER: then nothing is asked of another host.
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

# What the kernel and the explorers need and Pyodide does not bring; the front ends are as new
WIDGETS = ("anywidget", "comm", "ipywidgets", "jupyterlab_widgets", "psygnal")
NOTICES = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyterlab_widgets", "anywidget")
FIRST = """\
# Installs library and course, which come with this site, and what they need
%pip install -q order-matters
"""
LINE = re.compile(r'(<p class="om-run">.*?)(</p>)')
# From a file, and without JavaScript, it can't run. The page's policy lets no inline script run.
LINK = (
    '<span class="om-lite" hidden> · <a href="../lite/lab/index.html?path={name}">in'
    ' the browser (JupyterLite)</a></span><script defer src="../_static/lite.js"></script>'
)
SHOW = """\
if (location.protocol !== "file:")
  for (const link of document.querySelectorAll(".om-lite")) link.hidden = false;
"""


def contents(folder: Path) -> None:
    """The notebooks, with the data that they read."""
    beside = {path.name for path in (ROOT / "chapters").glob("*.ipynb")}
    address = os.environ.get("SITE_URL", "").strip()
    site = f"{address.rstrip('/')}/notebooks/" if address else ""
    for source, target in (("chapters", folder), ("exercises", folder / "exercises")):
        target.mkdir(parents=True, exist_ok=True)
        for notebook in sorted((ROOT / source).glob("*.ipynb")):
            text = copies.copy(notebook, FIRST, site, beside)
            # no server joins the lines of an output here, and the table of contents needs it
            joined = json.dumps(nbformat.reads(text, 4), ensure_ascii=False)
            (target / notebook.name).write_text(joined, "utf-8")
            for name, file in copies.data(notebook).items():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target / name)


def wheels(site: Path, folder: Path) -> list[Path]:
    """The wheels of library and course, and the widgets'."""
    folder.mkdir()
    for wheel in (site / "notebooks").glob("*.whl"):
        shutil.copy(wheel, folder)
    wanted = [f"{name}=={metadata.version(name)}" for name in WIDGETS]
    download = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
    only = ["--no-deps", "--only-binary=:all:", "--platform=any", "--python-version=3.14"]
    subprocess.run([*download, *only, "-d", str(folder), *wanted], check=True)
    return sorted(folder.glob("*.whl"))


def build(site: Path, public: Path, pyodide: str | None) -> None:
    shutil.rmtree(public, ignore_errors=True)
    shutil.copytree(site, public)
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        contents(work / "contents")
        if pyodide:  # jupyterlite looks for it there
            shutil.copytree(pyodide, work / "static" / "pyodide")
        options = {"lite-dir": made, "contents": "contents", "output-dir": str(public / "lite")}
        command = [sys.executable, "-m", "jupyterlite_core.app", "build", "--apps=lab"]
        command += [f"--{name}={value}" for name, value in options.items()]
        command += [f"--piplite-wheels={wheel}" for wheel in wheels(site, work / "wheels")]
        command += ["--no-sourcemaps", "--no-unused-shared-packages"]
        subprocess.run(command, cwd=work, check=True)
    for name in NOTICES:  # the scripts' own licences lie beside them, in third-party-licenses.json
        for file in metadata.files(name) or ():
            if "licenses" in file.parts:
                target = public / "lite" / "licenses" / name / file.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)


def link(public: Path) -> int:
    """Lead to it from each chapter's page; returns from how many."""
    (public / "_static" / "lite.js").write_text(SHOW, "utf-8")
    linked = 0
    for page in sorted(public.glob("chapters/*.html")):
        new = LINK.format(name=f"{page.stem}.ipynb")
        text, count = LINE.subn(rf"\1{new}\2", page.read_text("utf-8"))
        page.write_text(text, "utf-8")
        linked += count
    return linked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pyodide", help="a folder with a Pyodide distribution")
    site, public = ROOT / "_build" / "site", ROOT / "_build" / "public"
    build(site, public, parser.parse_args().pyodide)
    print(f"{link(public)} chapters run in the browser. Publish _build/public.")


if __name__ == "__main__":
    main()
