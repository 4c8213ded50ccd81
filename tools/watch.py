"""Serve the site, and build it anew when a page changes: python -m tools.watch [--port 8000].

Each build is a fork of this process, which has everything imported already: half of a build's time
is imports. When code changes, this process starts itself anew. Where there is no fork (Windows), a
build is a process from scratch, some seconds slower.
"""

import argparse
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import yaml

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
KEPT = ROOT / "_build" / ".doctrees" / "environment.pickle"
WATCHED = (
    "index.md", "chapters/*.md", "chapters/*.ipynb", "chapters/data/**/*", "exercises/*",
    "*.yml", "references.bib", "CHANGELOG.md", "CITATION.cff", "_ext/**/*", "pe_lib/**/*",
    "benchmarks/results/*",
)  # fmt: skip
IMPORTED = "jupyter_book.cli.main", "jupyter_book.sphinx", "sphinx.builders.html"
BUILD = ["build", str(ROOT), "-W", "-n", "--keep-going", "-q"]


def times() -> dict[Path, int]:
    """When each file that a site is made of was last changed."""
    found = (path for pattern in WATCHED for path in ROOT.glob(pattern))
    kept = (path for path in found if "__pycache__" not in path.parts and path.is_file())
    return {path: path.stat().st_mtime_ns for path in kept}


def changes() -> Iterator[list[Path]]:
    """The files that changed, whenever some did, a moment after the last of them."""
    before = times()
    while True:
        time.sleep(0.2)
        now = times()
        if now == before:
            continue
        while (later := times()) != now:  # an editor, or git, is still writing
            now = later
            time.sleep(0.1)
        yield [path for path in now | before if now.get(path) != before.get(path)]
        before = now


def build() -> None:
    """Build and say how it went; if it fails, all that it parsed is parsed again the next time."""
    start = time.perf_counter()
    kept = KEPT.read_bytes() if KEPT.exists() else None
    with tempfile.TemporaryFile() as out:  # no pipe: KaTeX's server outlives the build and has it
        if hasattr(os, "fork"):
            child = os.fork()
            if child == 0:
                in_a_child(out.fileno())
            failed = os.waitpid(child, 0)[1] != 0
        else:
            code = "from jupyter_book.cli.main import main; main()"
            command = [sys.executable, "-c", code, *BUILD]
            failed = subprocess.run(command, cwd=ROOT, stdout=out, stderr=out).returncode != 0
        out.seek(0)
        said = out.read()
    if not failed:
        print(f"{time.perf_counter() - start:.1f} s", flush=True)
        return
    if kept is None:
        KEPT.unlink(missing_ok=True)
    else:
        KEPT.write_bytes(kept)
    lines = said.decode("utf-8", "replace").splitlines()
    told = [line for line in lines if "WARNING" in line or "rror" in line] or lines[-20:]
    print("failed, the site is as before:", *told, sep="\n  ", flush=True)


def in_a_child(out: int) -> NoReturn:
    """Build in this process, a fork, and end it."""
    from jupyter_book.cli.main import main

    os.dup2(out, 1)
    os.dup2(out, 2)
    status = 1
    sys.stdout.flush()
    try:
        main(BUILD, standalone_mode=False)
        status = 0
    except BaseException as error:
        print(f"Error: {error}")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def import_all() -> None:
    """What every build imports."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"]
    for name in (*IMPORTED, *config["extensions"]):
        importlib.import_module(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", default="8000")
    parser.add_argument("--build", action="store_true", help="build before anything changed")
    args = parser.parse_args()
    serve = [str(ROOT / "tools" / "serve.py"), str(SITE), "--port", args.port, "--reload"]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the server stops, too
    with subprocess.Popen([sys.executable, *serve]) as server:
        try:
            import_all()
            if args.build:
                build()
            for changed in changes():
                names = sorted(str(path.relative_to(ROOT)) for path in changed)
                print(", ".join(names[:3]) + " …" * (len(names) > 3), end=": ", flush=True)
                if any(path.suffix == ".py" for path in changed):
                    print("code; starting anew", flush=True)
                    break
                build()
        except KeyboardInterrupt:
            return
        finally:
            server.terminate()
    os.chdir(ROOT)
    again = [sys.executable, "-m", "tools.watch", "--port", args.port, "--build"]
    os.execv(sys.executable, again)


if __name__ == "__main__":
    main()
