"""A class graded on a cluster of processes: the same grades, and a machine may be lost."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest
from test_folder import class_of

from classroom.running import cluster as module
from classroom.running.cluster import spread_out
from classroom.running.folder import grade_folder, submissions
from classroom.running.terms import Terms
from pe_lib.course.grading.sheet import load

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
TERMS = Terms(load("04"), seconds=2, total=90)
QUIET = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error", "DASK_CONFIG": os.devnull}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler, and its two workers' processes, which nobody starts again."""
    folder = tmp_path_factory.mktemp("cluster")
    at = folder / "scheduler.json"
    where = ("--no-dashboard", "--scheduler-file", str(at))
    worker = ("dask_worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{name}", *words, *where],
            env=os.environ | QUIET, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for name, *words in (("dask_scheduler", "--port", "0"), worker, worker)
    ]  # fmt: skip
    try:
        end = time.monotonic() + 60
        while not at.exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        address = json.loads(at.read_text("utf-8"))["address"]
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, [process.pid for process in processes[1:]]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_the_table_is_that_of_one_machine_even_if_a_worker_is_lost(
    cluster: tuple[str, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, workers = cluster
    monkeypatch.setattr(module, "BATCH", 3)
    folder = tmp_path / "class"
    class_of(folder, 9)
    (folder / "none.ipynb").write_text("none", "utf-8")
    running = spread_out(submissions(folder), TERMS, address)
    lefts = dict([next(running)])
    os.kill(workers[0], signal.SIGKILL)
    lefts |= dict(running)
    assert [left.final for left in lefts.values()] == [True] * 10

    home, there = tmp_path / "home.jsonl", tmp_path / "there.jsonl"
    grades = grade_folder(folder, there, TERMS, 2, io.StringIO(), cluster=address)
    assert grades == grade_folder(folder, home, TERMS, 2, io.StringIO())
    told = io.StringIO()
    assert grades == grade_folder(folder, there, TERMS, 2, told, cluster=address)
    assert "10 of 10 are graded already" in told.getvalue()
