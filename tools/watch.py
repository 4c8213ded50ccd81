"""Serve the site, and build it anew when a page changes: python -m tools.watch [--port 8000].

To import other people's packages takes half of a build's time, so a process does it once, and each
build is a fork of it. Our own modules are imported by each build, since they may have changed.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pe_lib._console import keep_output_printable
from tools import executing
from tools.serve import Handler, open_server

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
KEPT = ROOT / "_build" / ".doctrees" / "environment.pickle"
WATCHED = (
    "index.md", "chapters/*.md", "chapters/*.ipynb", "chapters/data/**/*", "exercises/*",
    "*.yml", "references.bib", "CHANGELOG.md", "CITATION.cff", "_ext/**/*", "pe_lib/**/*",
)  # fmt: skip
IMPORTED = [
    "jupyter_book.cli.main", "jupyter_book.sphinx", "sphinx.builders.html", "myst_nb",
    "sphinx_external_toc", "fontTools.subset", "matplotlib.figure",
    "anywidget", "IPython.display",
]  # fmt: skip
SETTLED = 0.5  # seconds without a change, after which a build begins
RELOAD = "/_reload.js"
BUILD_ID = "/_build_id"
# Each page knows which build it came from, and is loaded again when there is another one. So is a
# page whose style was gone when it asked for it.
SCRIPT = f"""const own = new URL(document.currentScript.src).search.slice(1);
async function look() {{
  try {{
    const now = await (await fetch("{BUILD_ID}")).text();
    if (now !== own) return location.reload();
  }} catch {{ /* the server is being started again */ }}
  setTimeout(look, 300);
}}
look();
"""


class Reloading(Handler):
    """Add a script to each page that loads it again when the site was built anew.

    The script is a file, since the policy of a page allows no script within it.
    """

    def find_answer(self) -> tuple[int, Path, bytes] | None:
        """Answer from one build; while another takes its place, there may be none for a moment."""
        for _ in range(500):
            with suppress(FileNotFoundError):
                build_id, answer = self.build_id(), super().find_answer()
                if build_id == self.build_id():
                    break
            time.sleep(0.002)
        else:  # the site was deleted
            build_id, answer = "", None
        if self.path == BUILD_ID:
            return 200, Path("build.txt"), build_id.encode()
        if self.path.startswith(RELOAD):
            return 200, Path(RELOAD), SCRIPT.encode()
        if answer and answer[1].suffix == ".html":
            status, path, body = answer
            script = f'<script src="{RELOAD}?{build_id}" defer></script></body>'
            return status, path, body.replace(b"</body>", script.encode())
        return answer

    def build_id(self) -> str:
        """Return what differs from one build of the site to the next."""
        status = Path(self.directory).stat()
        return f"{status.st_ino}-{status.st_mtime_ns}"


def change_times() -> dict[Path, int]:
    """Return when each file that a site is made of was last changed."""
    paths = (path for pattern in WATCHED for path in ROOT.glob(pattern))
    files = (path for path in paths if "__pycache__" not in path.parts and path.is_file())
    return {path: path.stat().st_mtime_ns for path in files}


def changes() -> Iterator[list[Path]]:
    """Yield the files that changed, whenever some did, once no more of them change.

    An editor or git writes several files within a moment, and `make notebooks` one after another
    for minutes: it says while it does (`tools.executing`).
    """
    before = change_times()
    while True:
        time.sleep(0.2)
        now = change_times()
        if now == before:
            continue
        is_settled = False
        while not is_settled:
            time.sleep(SETTLED)
            later = change_times()
            is_settled = later == now and not executing.is_going_on()
            now = later
        yield [path for path in now | before if now.get(path) != before.get(path)]
        before = now


def run(log: str, report: str) -> None:
    """Build in a process of its own, which ends with it, and write what is wrong into `report`."""
    out = os.open(log, os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    from tools import build as builder

    problems = builder.build("-q")
    Path(report).write_text("\n".join(map(str, problems)), "utf-8")
    sys.exit(bool(problems))


def build(context: Any) -> None:
    """Build in a process of this `multiprocessing` context; print the seconds or what is wrong.

    What a build that failed has parsed is forgotten, so that its warnings come again the next time.
    """
    start = time.perf_counter()
    kept = KEPT.read_bytes() if KEPT.exists() else None
    with tempfile.TemporaryDirectory() as folder:
        log, report = Path(folder, "log"), Path(folder, "report")
        log.touch()
        report.touch()
        process = context.Process(target=run, args=[str(log), str(report)])
        process.start()
        process.join()
        problems = report.read_text("utf-8").splitlines()
        problems = problems or log.read_text("utf-8", "replace").splitlines()[-20:]
    if process.exitcode == 0:
        print(f"{time.perf_counter() - start:.1f} s", flush=True)
        return
    KEPT.unlink(missing_ok=True)
    if kept is not None:
        KEPT.write_bytes(kept)
    print("failed, the site is as before:", *problems, sep="\n  ", flush=True)


def main() -> None:
    """Serve the site and build it after each change, until Ctrl-C."""
    keep_output_printable()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    context = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
    context.set_forkserver_preload(IMPORTED)
    try:
        with open_server(SITE, parser.parse_args().port, Reloading) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for changed in changes():
                names = sorted(str(path.relative_to(ROOT)) for path in changed)
                print(", ".join(names[:3]) + " …" * (len(names) > 3), end=": ", flush=True)
                build(context)
    except KeyboardInterrupt:
        print("\nStopped.")


if __name__ == "__main__":
    main()
