"""Execute notebooks, and write them in the normalised form in which they are committed.

python -m tools.notebooks [NOTEBOOK ...]    the named notebooks, or by default those that have
                                            changed, or import a changed file, since their last run
python -m tools.notebooks --all             all chapters and solutions
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from _ext.cache import digest
from _ext.downloads import copies
from tools import executing
from tools.how_to_run import insert_instructions

ROOT = Path(__file__).resolve().parent.parent
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
RECORD = ROOT / ".venv" / "executed.json"  # the digest of each notebook's sources at its last run


def notebooks() -> list[Path]:
    """Return the paths of all notebooks in the course, in reading order."""
    folders = ("chapters", "exercises/solutions")  # the notebooks for students are not executed
    return [p for folder in folders for p in sorted((ROOT / folder).glob("*.ipynb"))]


def read(path: Path) -> NotebookNode:
    """Read a notebook, whichever version of the notebook format it uses."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def normalise(notebook: NotebookNode, stem: str) -> NotebookNode:
    """Return the notebook without parts that change with each run or with the editor in use.

    Cell ids are kept if they are unique; all other cells get an id from `stem` and a number.
    Execution counts run from 1. The metadata keep only tags and the sheet that an exercise comes
    from. Live widget views are removed, because their ids are random, but the explorers' own state
    is kept. Adjacent outputs of the same stream are joined. A chapter gets instructions below its
    title that explain how to run it.
    """
    cells, ids_so_far, count = [], set(), 0
    for number, cell in enumerate(insert_instructions(notebook), start=1):
        identity = cell.get("id", "")
        if not identity or identity in ids_so_far:
            identity = f"{stem}-{number:03}"
        ids_so_far.add(identity)
        metadata = {"tags": sorted(cell.metadata["tags"])} if cell.metadata.get("tags") else {}
        source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
        clean = NotebookNode(
            id=identity, cell_type=cell.cell_type, metadata=metadata, source=source
        )
        if cell.cell_type == "code":
            count += 1
            clean |= {"execution_count": count, "outputs": normalise_outputs(cell.outputs, count)}
        cells.append(clean)
    origin = {key: value for key, value in notebook.metadata.items() if key == "order_matters"}
    return NotebookNode(
        cells=cells,
        metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}} | origin,
        nbformat=4,
        nbformat_minor=5,
    )


def normalise_outputs(outputs: list[NotebookNode], count: int) -> list[NotebookNode]:
    """Return a cell's outputs in normalised form, with the execution count `count`."""
    merged: list[NotebookNode] = []
    for output in outputs:
        clean = NotebookNode(output)
        if "data" in clean:
            clean["data"] = {k: v for k, v in sorted(clean["data"].items()) if k != WIDGET_VIEW}
            clean["metadata"] = {}
        if clean["output_type"] == "execute_result":
            clean["execution_count"] = count
        last = merged[-1] if merged else {}
        if clean["output_type"] == "stream" and last.get("name") == clean["name"]:
            last["text"] += clean["text"]
        else:
            merged.append(clean)
    return merged


def serialise(notebook: NotebookNode) -> str:
    """Return the text of the notebook's file."""
    text: str = nbformat.writes(notebook, indent=1)
    return text + "\n"


def execute(path: Path) -> float:
    """Execute a notebook in a new kernel, save it, and return how many seconds this took."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # use a single thread, as in conftest.py
    # a machine may have several copies of the repository, and the kernel must import from this one
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    notebook, start = read(path), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        sockets = {} if os.name == "nt" else {"transport": "ipc", "ip": f"{folder}/k"}
        kernel = AsyncKernelManager(kernel_name=KERNEL["name"], **sockets)
        resources = {"metadata": {"path": path.parent}}
        # with cleanup_kc, the client shuts the kernel down at the end, even if we started the
        # kernel
        client = NotebookClient(notebook, km=kernel, timeout=120, resources=resources)
        client.execute(cleanup_kc=True, env=os.environ | {"PYTHONPATH": paths})
    path.write_text(serialise(normalise(notebook, path.stem)), encoding="utf-8")
    return time.perf_counter() - start


def sources(path: Path) -> list[str]:
    """Return patterns for all files that a notebook depends on.

    These are the notebook itself, its recordings, the versions of packages, the library and the
    course. Of all explorers and sheets, only those that the notebook uses are included.
    """
    explorers = re.findall(r"(\w+)explorer", path.read_text("utf-8").lower())
    patterns = [path.relative_to(ROOT).as_posix(), "constraints.txt", "pe_lib/*.*", "pe_lib/*/*.*"]
    patterns += ["pe_lib/course/[!eg]*/*", "pe_lib/course/grading/*.*"]
    patterns += [f"pe_lib/course/grading/sheets/{path.stem}.md", "pe_lib/course/explorers/*.*"]
    kinds = sorted({"frame", "model", "scene", *explorers})
    patterns += [f"pe_lib/course/explorers/{kind}/*" for kind in kinds]
    return patterns + [f"chapters/{name}" for name in copies.data(path)]


def digest_sources(path: Path) -> str:
    """Return a digest of all files on which a notebook depends."""
    return digest(ROOT, sources(path))


def edited_files() -> list[str] | None:
    """Return the files that differ from the last commit, or None outside a git repository."""
    command = ["git", "-C", str(ROOT), "status", "--porcelain", "-z", "--no-renames", "-uall"]
    try:
        status = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return [entry[3:] for entry in status.split("\0") if entry]


def depends_on(path: Path, files: Iterable[str]) -> bool:
    """Return whether a notebook depends on any of these files, some of which may be deleted."""
    patterns = [pattern.split("/") for pattern in sources(path)]
    return any(
        len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern))
        for parts in (file.split("/") for file in files)
        for pattern in patterns
    )


def find_outdated_notebooks(record: dict[str, str]) -> list[Path]:
    """Return the notebooks whose files have changed since the notebooks were last executed.

    The record holds a digest of each notebook's sources at its last execution on this machine. For
    a notebook without a digest, git tells whether the notebook or one of its sources was edited. If
    not, its digest is added to the record, so that a later change is noticed even after it has been
    committed.
    """
    edited = edited_files()
    paths = []
    for path in notebooks():
        digest_now = digest_sources(path)
        if str(path) not in record and edited is not None and not depends_on(path, edited):
            record[str(path)] = digest_now
        if record.get(str(path)) != digest_now:
            paths.append(path)
    return paths


def main() -> None:
    """Execute the notebooks that are named on the command line, or else all outdated notebooks."""
    arguments = sys.argv[1:]
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    paths = [Path(name).resolve() for name in arguments if name != "--all"] or notebooks()
    if not arguments:
        paths = find_outdated_notebooks(record)
        write_record(record)
        print(f"{len(notebooks()) - len(paths)} are up to date; execute them, too: --all, or ALL=1")
    with executing.mark():
        for number, path in enumerate(paths, start=1):
            print(f"[{number}/{len(paths)}] {path.name} ", end="", flush=True)
            try:
                print(f"{execute(path):.1f} s", flush=True)
            except CellExecutionError as error:
                raise SystemExit(f"failed; the file is left as it was\n{error}") from None
            executing.renew()
            if path in notebooks():
                record[str(path)] = digest_sources(path)
                write_record(record)


def write_record(record: dict[str, str]) -> None:
    """Save the digests of all notebooks' sources, for comparison in the next run."""
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=0), "utf-8")


if __name__ == "__main__":
    main()
