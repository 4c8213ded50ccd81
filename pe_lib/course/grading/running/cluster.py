"""Many submissions on many machines, by a cluster of dask.distributed.

The machines get notebooks as bytes, and run them as at home, each isolated; what they left is
judged here, so that the table is the same to the byte. They need this library, in this version.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pe_lib.course.grading.running.grader import Left, Terms, content
from pe_lib.course.grading.running.pool import LOST, spread
from pe_lib.course.grading.sheet import load

BATCH = 20  # submissions that one process of a machine tries one after the other
PATIENCE = 10  # seconds for the scheduler to answer
AHEAD = 3  # batches for each thread of the cluster that are on their way

Texts = list[bytes]


@dataclass(frozen=True)
class Job:
    """The terms as another machine can follow them; of the library it must have the same."""

    sheet: str
    library: str
    isolated: bool
    seed: int
    secrets: tuple[int, ...]
    seconds: float
    total: float
    memory: int

    def terms(self) -> Terms:
        """Raises ValueError where this machine can't follow them."""
        from pe_lib.course.grading.running.folder import library

        if library() != self.library:
            raise ValueError("it has another version of pe_lib; install the one that grades")
        terms = Terms(
            load(self.sheet), self.seed, self.secrets, self.seconds, self.total, self.memory
        )
        if self.isolated and terms.jail == "none":
            raise ValueError("it can't keep a submission from its files; install bubblewrap there")
        return terms


def grade_there(texts: Texts, job: Job) -> list[Left]:
    """On a machine of the cluster: what each of these submissions left."""
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name, f"{number}.ipynb") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text)
        found = dict(spread(paths, job.terms(), 1, (Path(name),)))
    return [found[path] for path in paths]


def spread_out(
    paths: list[Path], terms: Terms, address: str, library: str
) -> Iterator[tuple[Path, Left]]:
    """What each submission left, as soon as it is known, by the cluster at `address`.

    A batch whose machine is lost goes to another, and then its submissions one by one; what is
    lost even so is reported as lost, and tried again by the next run. Raises ValueError where
    there is no cluster, or a machine can't do it.
    """
    distributed = _distributed()
    job = Job(
        terms.content.name, library, terms.jail != "none", terms.seed, terms.secrets,
        terms.seconds, terms.total, terms.memory,
    )  # fmt: skip
    try:
        client = distributed.Client(address, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no cluster at {address}: {error}") from None
    with client:
        batches = _batches(paths, BATCH)
        under_way: dict[Any, list[Path]] = {}
        done = distributed.as_completed([], loop=client.loop)

        def send(batch: list[Path]) -> None:
            texts = [content(path) for path in batch]
            future = client.submit(grade_there, texts, job, pure=False)
            under_way[future] = batch
            done.add(future)

        for batch in islice(batches, AHEAD * max(1, sum(client.nthreads().values()))):
            send(batch)
        for future in done:
            batch = under_way.pop(future)
            error = future.exception()
            if error is None:
                yield from zip(batch, future.result(), strict=True)
            elif not isinstance(error, distributed.scheduler.KilledWorker):
                raise ValueError(f"a machine of the cluster: {error}") from None
            elif len(batch) > 1:
                for path in batch:
                    send([path])
            else:
                yield batch[0], Left((), LOST, final=False)
            if following := next(batches, None):
                send(following)


def _batches(paths: list[Path], size: int) -> Iterator[list[Path]]:
    for start in range(0, len(paths), size):
        yield paths[start : start + size]


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ValueError(f"This needs dask ({error}): pip install distributed") from None
    return distributed
