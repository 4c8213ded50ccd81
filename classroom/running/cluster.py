"""Many submissions on many machines, by a cluster of dask.distributed.

The machines get notebooks as bytes, and run them as at home, each isolated; what they left is
judged here, so that the table is the same to the byte. They need library, course and classroom in
this edition.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from classroom.optional import needed
from classroom.running import edition, jail
from classroom.running.grader import Left, handed_in
from classroom.running.pool import LOST, spread
from classroom.running.terms import Terms

BATCH = 20  # submissions that one process of a machine tries one after the other
PATIENCE = 10  # seconds for the scheduler to answer
AHEAD = 3  # batches for each thread of the cluster that are on their way

Texts = dict[str, bytes]  # by the path of a submission in its folder


def grade_there(texts: Texts, terms: Terms, library: str) -> dict[str, Left]:
    """On a machine of the cluster: what each of these submissions left.

    Raises ValueError where this machine can't follow the terms of the one that grades.
    """
    if edition.library() != library:
        raise ValueError("it has another edition of the course; install the one that grades")
    if terms.jail != "none" and jail.best() == "none":
        raise ValueError("it can't keep a submission from its files; install bubblewrap there")
    terms = replace(terms, jail=jail.best())
    if multiprocessing.current_process().daemon:  # which may start no processes of its own
        raise ValueError("its worker has a nanny; start it with --no-nanny")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{number}.ipynb") for number, name in enumerate(texts)}
        for name, text in texts.items():
            paths[name].write_bytes(text)
        return dict(spread(paths, terms, 1, (Path(folder),)))


def spread_out(paths: dict[str, Path], terms: Terms, address: str) -> Iterator[tuple[str, Left]]:
    """What each submission left, by its name, as soon as it is known, by the cluster at `address`.

    A batch whose machine is lost goes to another, and then its submissions one by one; what is
    lost even so is reported as lost, and tried again by the next run. Raises ValueError where
    there is no cluster, or a machine can't do it.
    """
    distributed = needed("distributed", "distributed")
    try:
        client = distributed.Client(address, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no cluster at {address}: {error}") from None
    with client:
        batches = batched(paths, BATCH)
        under_way: dict[Any, tuple[str, ...]] = {}
        done = distributed.as_completed([], loop=client.loop)

        def send(names: tuple[str, ...]) -> None:
            texts = {name: handed_in(paths[name]) for name in names}
            future = client.submit(grade_there, texts, terms, edition.library(), pure=False)
            under_way[future] = names
            done.add(future)

        for names in islice(batches, AHEAD * max(1, sum(client.nthreads().values()))):
            send(names)
        for future in done:
            names, problem = under_way.pop(future), future.exception()
            if problem is None:
                yield from future.result().items()
            elif not isinstance(problem, distributed.scheduler.KilledWorker):
                raise ValueError(f"a machine of the cluster: {problem}")
            elif len(names) > 1:
                for name in names:
                    send((name,))
            else:
                yield names[0], Left(ended=LOST, final=False)
            if following := next(batches, None):
                send(following)


def batched(paths: dict[str, Path], size: int) -> Iterator[tuple[str, ...]]:
    names = iter(paths)
    return iter(lambda: tuple(islice(names, size)), ())
