"""Execute notebooks and bring them into the one form that is committed.

python -m tools.notebooks [NOTEBOOK ...]    these; where none is named, those that changed, or that
                                            import what changed, since they were executed
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
RECORD = ROOT / ".venv" / "executed.json"  # what each was made of when it was last executed


def notebooks() -> list[Path]:
    """Return every notebook of the course, in reading order."""
    folders = ("chapters", "exercises/solutions")  # students' notebooks stay unanswered
    return [p for folder in folders for p in sorted((ROOT / folder).glob("*.ipynb"))]


def read(path: Path) -> NotebookNode:
    """Read a notebook, whatever version of the format it was saved in."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def normalise(notebook: NotebookNode, stem: str) -> NotebookNode:
    """Return the notebook without anything that differs from run to run or from editor to editor.

    Cell ids stay where they are unique; the others become `stem` and a number. Execution counts run
    from 1. Of the metadata, tags stay, and from which sheet an exercise comes. Live widget views
    go, since their ids are random, but the explorers' own state stays. Neighbouring pieces of one
    stream are joined. A chapter gets instructions below its title that say how to run it.
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
    """Return the outputs of the cell that is executed as number `count`: see `normalise`."""
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
    """Return the notebook as the text of its file."""
    text: str = nbformat.writes(notebook, indent=1)
    return text + "\n"


def execute(path: Path) -> float:
    """Execute a notebook in a new kernel and write it back; return the seconds that it took."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the tests, see conftest.py
    # where there are several checkouts, the kernel imports from this one
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    notebook, start = read(path), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        sockets = {} if os.name == "nt" else {"transport": "ipc", "ip": f"{folder}/k"}
        kernel = AsyncKernelManager(kernel_name=KERNEL["name"], **sockets)
        resources = {"metadata": {"path": path.parent}}
        # the client would leave the kernel running, since it did not start it itself
        client = NotebookClient(notebook, km=kernel, timeout=120, resources=resources)
        client.execute(cleanup_kc=True, env=os.environ | {"PYTHONPATH": paths})
    path.write_text(serialise(normalise(notebook, path.stem)), encoding="utf-8")
    return time.perf_counter() - start


def sources(path: Path) -> list[str]:
    """Return patterns of all files that a notebook is made of: itself, its recordings, what is
    installed, the library and the course; of explorers and sheets those alone that it names."""
    explorers = re.findall(r"(\w+)explorer", path.read_text("utf-8").lower())
    patterns = [path.relative_to(ROOT).as_posix(), "constraints.txt", "pe_lib/*.*", "pe_lib/*/*.*"]
    patterns += ["pe_lib/course/[!eg]*/*", "pe_lib/course/grading/*.*"]
    patterns += [f"pe_lib/course/grading/sheets/{path.stem}.md", "pe_lib/course/explorers/*.*"]
    kinds = sorted({"frame", "model", "scene", *explorers})
    patterns += [f"pe_lib/course/explorers/{kind}/*" for kind in kinds]
    return patterns + [f"chapters/{name}" for name in copies.data(path)]


def digest_sources(path: Path) -> str:
    """Return a digest of all files that a notebook is made of."""
    return digest(ROOT, sources(path))


def edited_files() -> list[str] | None:
    """Return the files that differ from the last commit; None where there is no git."""
    command = ["git", "-C", str(ROOT), "status", "--porcelain", "-z", "--no-renames", "-uall"]
    try:
        status = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return [entry[3:] for entry in status.split("\0") if entry]


def depends_on(path: Path, files: Iterable[str]) -> bool:
    """Return whether a notebook is made of one of these files; one that is gone counts, too."""
    patterns = [pattern.split("/") for pattern in sources(path)]
    return any(
        len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern))
        for parts in (file.split("/") for file in files)
        for pattern in patterns
    )


def outdated(record: dict[str, str]) -> list[Path]:
    """Return the notebooks of which something changed since they were executed.

    The record says what each was made of when it was last executed here. One without a record is as
    it was committed, so git says whether it, or something that it is made of, was edited. Those
    that were not are put on record, so that a later change is noticed after it is committed, too.
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
    """Execute the notebooks that are named, or those that are outdated."""
    arguments = sys.argv[1:]
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    paths = [Path(name).resolve() for name in arguments if name != "--all"] or notebooks()
    if not arguments:
        paths = outdated(record)
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
    """Keep what each notebook was made of, for the next time."""
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=0), "utf-8")


if __name__ == "__main__":
    main()
