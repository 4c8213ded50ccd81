"""Serve the site, and rebuild it when a file changes: python -m tools.watch [--port 8000].

Importing third-party packages takes half of a build's time, so one process imports them once and is
forked for each build. Each build imports our own modules again, since they may have changed.
"""

import argparse
import multiprocessing
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from watchfiles import Change, watch

from pe_lib._console import keep_output_printable
from tools import executing
from tools.serve import Handler, open_server

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
KEPT = ROOT / "_build" / ".doctrees" / "environment.pickle"
FILES = {"index.md", "_config.yml", "_toc.yml", "references.bib", "CHANGELOG.md", "CITATION.cff"}
FOLDERS = "chapters/", "exercises/", "_ext/", "pe_lib/"
# matches files that are no sources: hidden files, and files that tools write beside sources
BESIDE = re.compile(r"(^|/)(\.|__pycache__/|build/|built/)|\.egg-info/|~$")
IMPORTED = [
    "jupyter_book.cli.main", "jupyter_book.sphinx", "sphinx.builders.html", "myst_nb",
    "sphinx_external_toc", "fontTools.subset", "matplotlib.figure",
    "anywidget", "IPython.display",
]  # fmt: skip
SETTLED = 200  # a build begins when no file has changed for this many milliseconds
# one watcher waits this many milliseconds for a first change, before the other has its turn
LISTENING = 100
RELOAD = "/_reload.js"
BUILD_ID = "/_build_id"
# Each page knows the build that it came from, and reloads itself when there is a newer build.
# This also repairs pages that were loaded during a build, without their style sheet.
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
    """A request handler that adds a script to each page, which reloads the page after a new build.

    The script is a separate file, because the page's security policy forbids inline scripts.
    """

    def find_answer(self) -> tuple[int, Path, bytes] | None:
        """Return the answer to a request, taking all files from the same build.

        While a new build replaces the old one, files may be missing for a moment, so this method
        waits.
        """
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
        """Return a text that is different for each build of the site."""
        status = Path(self.directory).stat()
        return f"{status.st_ino}-{status.st_mtime_ns}"


def is_source(change: Change, path: str) -> bool:
    """Return whether the site is built anew when this file changes."""
    name = Path(path).relative_to(ROOT).as_posix()
    return (name.startswith(FOLDERS) or name in FILES) and not BESIDE.search(name)


def changes() -> Iterator[set[Path]]:
    """Yield the files that changed, each time when no file has changed for a moment.

    An editor or git writes several files within a moment. `make notebooks` writes one file after
    another for minutes, and marks that it is doing so (see `tools.executing`).
    """
    # only the top folder itself is watched, because its subfolders .venv and _build are large
    start = partial(
        watch, watch_filter=is_source, step=SETTLED, rust_timeout=LISTENING, yield_on_timeout=True
    )
    at_top = start(ROOT, recursive=False)
    below = start(*(ROOT / folder for folder in FOLDERS))
    changed: set[Path] = set()
    for events in zip(at_top, below, strict=True):
        now = {Path(path) for part in events for _, path in part}
        changed |= now
        if changed and not now and not executing.is_going_on():
            yield changed
            changed = set()


def run(log: str, report: str) -> None:
    """Build the site in this process, write the problems to the file `report`, and exit."""
    out = os.open(log, os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    from tools import build as builder

    problems = builder.build("-q")
    Path(report).write_text("\n".join(map(str, problems)), "utf-8")
    sys.exit(bool(problems))


def build(context: Any) -> None:
    """Build the site in a new process, and print either the time that it took or the problems.

    The process belongs to this `multiprocessing` context. After a failed build, Sphinx's stored
    state is reset to what it was before, so that the next build repeats the warnings.
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
    """Serve the site, and rebuild it after each change, until Ctrl-C is pressed."""
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
