"""Train what chapters 2, 6, 7, 9 and 11 show, and record it in chapters/data: make experiments.

What the explorer "train" shows where no script runs is recorded beside it.

Training amplifies the last digit of every processor, so that two machines agree on what is learned
and not on each number. What the chapters print of it live are thresholds; curves and maps come from
these recordings. The tests train again and compare within wide margins.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pe_lib import context, encode, frequencies, rotary  # noqa: E402
from pe_lib.course.explorers import TrainExplorer  # noqa: E402
from pe_lib.course.explorers.train import CHOICES, RUNS  # noqa: E402
from pe_lib.course.model import History, Transformer, accuracy, tasks  # noqa: E402
from pe_lib.course.model import train as quietly  # noqa: E402
from pe_lib.course.model.schemes import SCHEMES, Rotary, Scheme  # noqa: E402
from pe_lib.course.model.training import adam  # noqa: E402

DATA = ROOT / "chapters" / "data"
LENGTH, STEPS, EVERY = 16, 400, 16


def train(model: Transformer, task: tasks.Task, **options: Any) -> History:
    """As the library's, with a dot for each training; in two processes, parts take minutes."""
    history = quietly(model, task, progress=False, **options)
    print(".", end="", file=sys.stderr, flush=True)
    return history


def training(scheme: str, steps: int = STEPS) -> dict[str, Any]:
    """One run on the task `previous`, looked at every 16 steps.

    `loss` holds the mean of every 4 steps; `right` the share of right answers of each look, and
    `similarity` and `attention` its maps, (looks, 16, 16), as bytes: cosines of the position
    vectors from -1 to 1, and weights, the mean over heads and 64 sequences, from 0 to 1. `plane`
    has the places of all 48 rows, (looks, 48, 2), as bytes from -`reach` to `reach`: see `plane`.
    """
    task = tasks.previous()
    model = Transformer(8, 8, scheme, max_length=48)
    history = train(model, task, steps=steps, record=EVERY)
    tokens, _ = task(np.random.default_rng(9), 64, LENGTH)
    right, similarity, attention, tables = [], [], [], []
    for _, parameters in history.snapshots:
        model.parameters.update(parameters)
        right.append(round(accuracy(model, task, LENGTH), 3))
        tables.append(np.array(model.scheme.added(model.parameters, 48), dtype=np.float64))
        rows = np.array(model.scheme.added(model.parameters, LENGTH), dtype=np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        similarity.append((rows @ rows.T + 1) / 2)
        attention.append(model.attention(tokens)[0].mean(axis=(0, 1)))
    places = plane(np.array(tables))
    reach = round(1.08 * float(np.abs(places).max()), 2)
    return {
        "scheme": scheme,
        "loss": every_fourth(history.loss),
        "right": right,
        "similarity": packed(np.array(similarity)),
        "attention": packed(np.array(attention)),
        "plane": packed((places / reach + 1) / 2),
        "reach": reach,
    }


def plane(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the rows of a table are, look by look, in the plane in which they moved most.

    Of a table that does not move it is the plane in which its rows differ most. (looks, rows, 2).
    """
    moved = tables[-1] - tables[0]
    spread = moved if moved.any() else tables[0] - tables[0].mean(axis=0)
    axes: NDArray[np.float64] = np.linalg.svd(spread)[2][:2]
    axes *= np.sign(axes.sum(axis=1, keepdims=True))  # the sign of such an axis is left open
    return tables @ axes.T


def lengths(scheme: str, seeds: int = 5) -> list[list[float]]:
    """Of models trained at 16, the share of right answers at 16, 24 and 48, for each seed."""
    task, found = tasks.previous(), []
    for seed in range(seeds):
        model = Transformer(8, 8, scheme, max_length=48, seed=seed)
        train(model, task, steps=STEPS, seed=seed)
        found.append([round(accuracy(model, task, length), 3) for length in (16, 24, 48)])
    return found


CURVE = tuple(range(16, 49, 4))  # trained at the first
ORDERLY = {"previous": tasks.previous(), "order": tasks.order(), "counting": tasks.counting()}


def setting(
    task: str, scheme: str, causal: bool, layers: int, seeds: Iterable[int] = range(5),
    lengths: tuple[int, ...] = CURVE,
) -> dict[str, Any]:  # fmt: skip
    """One cell of chapter 7's table: the share right at each of the lengths, for each seed.

    Where each word has an answer, longer texts count those alone that stand beyond the first of
    the lengths, that of the training: under a mask the others are those of a shorter text.
    """
    right = []
    for seed in seeds:
        asked = ORDERLY[task]
        model = Transformer(
            asked.vocabulary, asked.classes, scheme, causal=causal, layers=layers,
            pooled=asked.pooled, max_length=max(lengths), seed=seed,
        )  # fmt: skip
        train(model, asked, steps=STEPS, length=lengths[0], seed=seed)
        right.append([beyond(model, asked, length, lengths[0]) for length in lengths])
    return {"task": task, "scheme": scheme, "causal": causal, "layers": layers, "right": right}


def beyond(model: Transformer, asked: tasks.Task, length: int, known: int) -> float:
    """The share right in texts of `length`: if they are longer than `known`, from there on."""
    if asked.pooled or length <= known:
        return round(accuracy(model, asked, length), 3)
    tokens, targets = asked(np.random.default_rng(1000), 512, length)
    right = model(tokens).argmax(axis=-1) == targets
    counts = targets >= 0
    return round(float(right[:, known:][counts[:, known:]].mean()), 3)


def settings() -> list[dict[str, Any]]:
    """The whole table, two settings at a time; some minutes."""
    todo = list(product(ORDERLY, SCHEMES, (False, True), (1, 2)))
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(setting, *zip(*todo, strict=True)))


def record_lengths() -> None:
    """The table of chapter 7, some minutes: python tools/experiments.py lengths."""
    recorded = dict.fromkeys(ORDERLY, date.today().isoformat())
    table = {"recorded": recorded, "lengths": CURVE, "steps": STEPS, "settings": settings()}
    (DATA / "lengths.json").write_text(json.dumps(table) + "\n", "utf-8")


WAYS = ("untrained", "clamp", "wrap", "interpolate")


def resized(table: NDArray[np.float32], way: str, length: int) -> NDArray[np.float32]:
    """`length` rows from a table of which the first 16 are trained, in one of chapter 6's WAYS."""
    at = {
        "untrained": np.arange(length),
        "clamp": np.minimum(np.arange(length), LENGTH - 1),
        "wrap": np.arange(length) % LENGTH,
        "interpolate": np.linspace(0, LENGTH - 1, length),
    }[way]
    low = np.floor(at).astype(int)
    part = (at - low)[:, None]
    return ((1 - part) * table[low] + part * table[np.ceil(at).astype(int)]).astype(np.float32)


def right_at(model: Transformer, length: int) -> list[float]:
    """The share of right answers at each position from 1 on, in 512 sequences of `previous`."""
    tokens, targets = tasks.previous()(np.random.default_rng(1000), 512, length)
    right = (model(tokens).argmax(axis=-1) == targets).mean(axis=0)
    return right[1:].round(3).tolist()


def table(scheme: str, seed: int) -> dict[str, Any]:
    """One training of chapter 6: its loss, and the share right at each of 48 positions.

    Of a learned table too how far each row moved, as a share of its length; and in each of the
    WAYS the share right at each of 24 positions.
    """
    task = tasks.previous()
    model = Transformer(8, 8, scheme, max_length=48, seed=seed)
    before = model.parameters.get("positions", np.zeros(0)).copy()
    history = train(model, task, steps=STEPS, length=LENGTH, seed=seed)
    found = {"loss": every_fourth(history.loss), "right": right_at(model, 48)}
    if scheme == "learned":
        trained, after = model.parameters, model.parameters["positions"]
        moved = np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1)
        found |= {"moved": moved.round(3).tolist(), "resized": {}}
        for way in WAYS:
            model = Transformer(8, 8, scheme, max_length=24, seed=seed)
            model.parameters = {name: value.copy() for name, value in trained.items()}
            model.parameters["positions"] = resized(after, way, 24)
            found["resized"][way] = right_at(model, 24)
    return found


class Fixed(Scheme):
    """Adds rows that no training changes: the control of chapter 6's learned table."""

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self.rows = rows

    def added(self, parameters: dict[str, Any], length: int) -> NDArray[np.float32]:
        return self.rows[:length]


KINDS = ("trained", "frozen", "sinusoidal")
# the standard deviations of words and positions at the start: the course's own, positions alone
# small, those of BERT and of GPT-2, and "small" with both a fiftieth
STARTS = {
    "ours": (1, 0.5**0.5), "small": (1, 0.02), "BERT": (0.02, 0.02), "GPT-2": (0.02, 0.01),
    "tiny": (0.02, 0.0004),
}  # fmt: skip
TABLE_STEPS, TABLE_EVERY, RATE = 600, 10, 0.003


def started(kind: str, start: str, causal: bool, seed: int) -> Transformer:
    """A model that has one of the KINDS of table, as large as one of the STARTS says.

    The frozen table is the one from which the trained one starts; sinusoids are scaled until the
    root of their mean square is the same. All other weights are alike.
    """
    model = Transformer(8, 8, "learned", causal=causal, max_length=48, seed=seed)
    words, positions = STARTS[start]
    model.parameters["embedding"] *= np.float32(words)
    model.parameters["positions"] *= np.float32(positions * 2**0.5)
    if kind != "trained":
        rows = model.parameters.pop("positions")
        waves = positions * 2**0.5 * encode(range(48), model.scheme.d_model)
        model.scheme = Fixed(rows if kind == "frozen" else waves.astype(np.float32))
    return model


def start_run(
    kind: str, start: str, causal: bool, seed: int, steps: int = TABLE_STEPS, rate: float = RATE
) -> dict[str, Any]:
    """One training on `previous`: the share right at length 16 every 10 steps.

    Of a trained table too the mean length of its rows 0 to 15, before and after, how far they
    moved as a share of that, and the mean cosine of two of them by their offset, from 1 on.
    """
    task, model = tasks.previous(), started(kind, start, causal, seed)
    before = model.parameters.get("positions", np.zeros((0, 1))).copy()[:LENGTH]
    history = train(
        model, task, steps=steps, length=LENGTH, rate=rate, seed=seed, record=TABLE_EVERY
    )
    right = []
    for _, parameters in history.snapshots:
        model.parameters.update(parameters)
        right.append(round(accuracy(model, task, LENGTH, batch=256), 3))
    found: dict[str, Any] = {"right": right}
    if kind == "trained":
        after = model.parameters["positions"][:LENGTH]
        first, last = (np.linalg.norm(rows, axis=1) for rows in (before, after))
        moved = np.linalg.norm(after - before, axis=1) / first
        found["length"] = [round(float(size.mean()), 3) for size in (first, last)]
        found["moved"] = round(float(moved.mean()), 3)
        found["cosine"] = by_offset(after)
    return found


@threadpool_limits.wrap(limits=1, user_api="blas")  # as in `train`
def geared_run(gear: float, seed: int, steps: int = TABLE_STEPS) -> dict[str, list[float]]:
    """The start "small" without a mask, its table alone at `gear` times the rate of the others.

    Every 10 steps the share `right` at length 16, and the root mean square of rows 0 to 15.
    """
    task, model = tasks.previous(), started("trained", "small", False, seed)
    rng = np.random.default_rng(seed)
    moments = {
        name: (np.zeros_like(value), np.zeros_like(value))
        for name, value in model.parameters.items()
    }
    found: dict[str, list[float]] = {"right": [], "size": []}
    for step in range(steps + 1):
        if step % TABLE_EVERY == 0:
            rows = model.parameters["positions"][:LENGTH]
            found["right"].append(round(accuracy(model, task, LENGTH, batch=256), 3))
            found["size"].append(round(float(np.sqrt((rows**2).mean())), 4))
        _, gradients = model.loss_and_gradients(*task(rng, 64, LENGTH))
        for name, value in model.parameters.items():
            rate = RATE * (gear if name == "positions" else 1)
            adam(value, gradients[name], *moments[name], step + 1, rate)
    return found


def by_offset(rows: NDArray[np.float32]) -> list[float]:
    """The mean cosine of rows that are 1 apart, 2 apart, and so on."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return [
        round(float(np.diagonal(rows @ rows.T, offset).mean()), 3) for offset in range(1, len(rows))
    ]


def resize_run(seed: int, steps: int = 150) -> dict[str, dict[str, list[float]]]:
    """Trained at 16, resized to 24 in each of the WAYS, and trained on at 24, looked at every 5.

    "afresh" is the control: a model that has seen nothing before. `old` and `new` hold the share
    right at the positions 1 to 15, and at 16 to 23.
    """
    task = tasks.previous()
    found: dict[str, dict[str, list[float]]] = {}
    start = Transformer(8, 8, "learned", max_length=48, seed=seed)
    train(start, task, steps=STEPS, length=LENGTH, seed=seed)
    for way in (*WAYS, "afresh"):
        model = Transformer(8, 8, "learned", max_length=24, seed=seed)
        if way != "afresh":
            model.parameters = {name: value.copy() for name, value in start.parameters.items()}
            model.parameters["positions"] = resized(model.parameters["positions"], way, 24)
        history = train(model, task, steps=steps, length=24, seed=seed + 10, record=5)
        found[way] = {"old": [], "new": []}
        for _, parameters in history.snapshots:
            model.parameters.update(parameters)
            right = right_at(model, 24)
            found[way]["old"].append(round(float(np.mean(right[:15])), 3))
            found[way]["new"].append(round(float(np.mean(right[15:])), 3))
    return found


REACHES = (16, 24, 32, 48)


def shared_run(kind: str, causal: bool, seed: int) -> dict[str, Any]:
    """Trained at 16: what longer texts do to the positions 1 to 15 that were trained.

    For each length the share `right` at each of them, and the weight that each sends `beyond`
    position 15, the mean of two heads and 512 texts. `alike` is the share right at length 48 where
    all words from 16 on are one and the same, `astray` the weight beyond there, and `wrong` how
    many answers are wrong and how many of these are that word.
    """
    task, model = tasks.previous(), started(kind, "ours", causal, seed)
    train(model, task, steps=STEPS, length=LENGTH, seed=seed)
    found: dict[str, Any] = {"right": [], "beyond": []}
    for length in REACHES:
        tokens, targets = task(np.random.default_rng(1000), 512, length)
        right = (model(tokens).argmax(axis=-1) == targets)[:, 1:LENGTH]
        weights = model.attention(tokens)[0][:, :, 1:LENGTH, LENGTH:].sum(axis=-1)
        found["right"].append(right.mean(axis=0).round(3).tolist())
        found["beyond"].append(weights.mean(axis=(0, 1)).round(3).tolist())
    tokens[:, LENGTH:] = tokens[:, LENGTH : LENGTH + 1]
    right = (model(tokens).argmax(axis=-1) == targets)[:, 1:LENGTH]
    found["alike"] = right.mean(axis=0).round(3).tolist()
    weights = model.attention(tokens)[0][:, :, 1:LENGTH, LENGTH:].sum(axis=-1)
    found["astray"] = weights.mean(axis=(0, 1)).round(3).tolist()
    that = model(tokens).argmax(axis=-1)[:, 1:LENGTH] == tokens[:, LENGTH:][:, :1]
    found["wrong"] = [int((~right).sum()), int((that & ~right).sum())]
    return found


def record_tables(seeds: int = 5) -> None:
    """Chapter 6's tables and their controls, some minutes: python tools/experiments.py tables."""
    runs = range(seeds)
    recording = {
        "date": date.today().isoformat(),
        "settings": {
            "task": "previous", "seeds": seeds, "trained": LENGTH, "steps": TABLE_STEPS,
            "every": TABLE_EVERY, "batch": 64, "rate": RATE, "starts": STARTS,
            "reaches": REACHES,
        },
        "starts": [
            {"start": start, "kind": kind, "causal": causal,
             "runs": [start_run(kind, start, causal, seed) for seed in runs]}
            for start, kind, causal in product(STARTS, KINDS, (False, True))
        ],
        # trained tables under a mask, once more at other rates
        "rates": [
            {"start": start, "rate": rate,
             "runs": [start_run("trained", start, True, seed, rate=rate) for seed in runs]}
            for start, rate in (("tiny", 0.0003), ("small", 0.01))
        ],
        "gears": [
            {"gear": gear, "runs": [geared_run(gear, seed) for seed in runs]}
            for gear in (0.5, 1, 2)
        ],
        # "small" without a mask: the share right every 500 steps
        "long": [
            {"kind": kind,
             "right": [start_run(kind, "small", False, seed, 5000)["right"][::50] for seed in runs]}
            for kind in KINDS[1:]
        ],
        "resized": [resize_run(seed) for seed in runs],
        "shared": [
            {"kind": kind, "causal": causal,
             "runs": [shared_run(kind, causal, seed) for seed in runs]}
            for kind, causal in product(("trained", "sinusoidal"), (False, True))
        ],
    }  # fmt: skip
    (DATA / "tables.json").write_text(json.dumps(recording) + "\n", "utf-8")


def order(scheme: str, causal: bool, seed: int) -> list[float]:
    """The losses of one training of chapter 7 on who bites whom."""
    asked = ORDERLY["order"]
    model = Transformer(
        asked.vocabulary, asked.classes, scheme, causal=causal, pooled=True, seed=seed
    )
    return every_fourth(train(model, asked, steps=STEPS, length=LENGTH, seed=seed).loss)


def every_fourth(loss: NDArray[np.float64]) -> list[float]:
    """The means of every four losses."""
    return loss.reshape(-1, 4).mean(axis=1).round(3).tolist()


def record_seeds() -> None:
    """The curves of chapters 6 and 7, a minute: python tools/experiments.py seeds."""
    recording = {
        "table": {s: [table(s, seed) for seed in range(5)] for s in ("learned", "sinusoidal")},
        "order": {
            name: [order(scheme, causal, seed) for seed in range(5)]
            for name, scheme, causal in [
                ("no mask, no positions", "none", False),
                ("no mask, sinusoidal", "sinusoidal", False),
                ("causal mask, no positions", "none", True),
            ]
        },
    }
    (DATA / "seeds.json").write_text(json.dumps(recording) + "\n", "utf-8")


TRAINED, TESTED, FACTOR = 32, (32, 64, 128), 4  # chapter 9: trained short, tested longer
FAR = {"previous": tasks.previous(), "latest": tasks.latest()}
REMEDIES = ("plain", "interpolated", "ntk_aware", "dynamic", "by_parts", "yarn")


def remedy(method: str, d_head: int, length: int) -> tuple[NDArray[np.float64], float]:
    """The frequencies, and the scale of queries and keys, with which a text of `length` is read.

    All but "plain" and "dynamic" have the factor 4 for texts of any length. The ramp is that of
    Llama 3.1, from 1 to 4 turns: no pair makes 32 turns in 32 positions.
    """
    parts = context.by_parts(d_head, FACTOR, TRAINED, alpha=1, beta=4)
    return {
        "plain": (frequencies(d_head), 1.0),
        "interpolated": (context.interpolated(d_head, FACTOR), 1.0),
        "ntk_aware": (context.ntk_aware(d_head, FACTOR), 1.0),
        "dynamic": (context.dynamic(d_head, length, TRAINED), 1.0),
        "by_parts": (parts, 1.0),
        "yarn": (parts, context.temperature(FACTOR)),
    }[method]


def longer(
    task: str, scheme: str, seed: int, tuning: int = 50, methods: tuple[str, ...] = REMEDIES
) -> dict[str, list[list[float]]]:
    """Trained at 32: the share right at each of TESTED, by method; again after tuning at 128.

    A rotary model is tested with each of the `methods`, any other as it is. Tuning, for `tuning`
    steps, starts each time from the trained model, with the frequencies for 128.
    """
    asked, found = FAR[task], {}
    model = Transformer(asked.vocabulary, asked.classes, scheme, causal=True, seed=seed)
    train(model, asked, steps=STEPS, length=TRAINED, seed=seed)
    trained = {name: value.copy() for name, value in model.parameters.items()}

    def use(method: str, length: int) -> None:
        if isinstance(model.scheme, Rotary):
            model.scheme.frequencies, model.scheme.scale = remedy(method, 16, length)

    def right(method: str) -> list[float]:
        shares = []
        for length in TESTED:
            use(method, length)
            shares.append(round(accuracy(model, asked, length, batch=256), 3))
        return shares

    for method in methods if scheme == "rotary" else (scheme,):
        found[method] = [right(method)]
        if tuning:
            use(method, TESTED[-1])
            train(model, asked, steps=tuning, batch=16, length=TESTED[-1], rate=1e-3, seed=seed)
            found[method].append(right(method))
            model.parameters = {name: value.copy() for name, value in trained.items()}
    return found


def longer_table(seeds: int = 5) -> dict[str, dict[str, list[list[list[float]]]]]:
    """For each task and method, the shares of each seed: before and after tuning."""
    todo = list(product(FAR, ("rotary", "alibi", "none"), range(seeds)))
    table: dict[str, dict[str, list[list[list[float]]]]] = {task: {} for task in FAR}
    with ProcessPoolExecutor(2) as pool:
        for (task, _, _), found in zip(
            todo, pool.map(longer, *zip(*todo, strict=True)), strict=True
        ):
            for method, shares in found.items():
                table[task].setdefault(method, []).append(shares)
    return table


# chapter 9: another base, and training on; the trained one and a smaller one are the controls
BASES = (200.0, 10_000.0, 50_000.0, 500_000.0, 5_000_000.0)


def rebased(task: str, seed: int, tuning: int = 50) -> list[list[list[float]]]:
    """Trained at 32 with base 10,000, then read with each of BASES: before and after tuning at 128.

    As in `longer`: the share right at each of TESTED, (bases, before and after, lengths).
    """
    asked, found = FAR[task], []
    model = Transformer(asked.vocabulary, asked.classes, "rotary", causal=True, seed=seed)
    train(model, asked, steps=STEPS, length=TRAINED, seed=seed)
    trained = {name: value.copy() for name, value in model.parameters.items()}
    for base in BASES:
        model.parameters = {name: value.copy() for name, value in trained.items()}
        model.scheme.frequencies = frequencies(16, base)  # type: ignore[attr-defined]
        shares = []
        for steps in (0, tuning):
            if steps:
                train(model, asked, steps=steps, batch=16, length=TESTED[-1], rate=1e-3, seed=seed)
            at = [accuracy(model, asked, length, batch=256) for length in TESTED]
            shares.append([round(share, 3) for share in at])
        found.append(shares)
    return found


def record_rebased(seeds: int = 5) -> None:
    """Chapter 9's other bases, some minutes: python tools/experiments.py rebased."""
    right = {task: [rebased(task, seed) for seed in range(seeds)] for task in FAR}
    recording = {"bases": BASES, "lengths": TESTED, "right": right}
    (DATA / "rebased.json").write_text(json.dumps(recording) + "\n", "utf-8")


def recalled() -> tasks.Task:
    """Name the previous word; at every eighth place, a question, name the first word instead.

    Words are 0 to 7, the first one is 8 to 15 and a question 16. After a question nothing counts.
    """

    def draw(
        rng: np.random.Generator, batch: int, length: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        tokens = rng.integers(8, size=(batch, length))
        targets = np.full_like(tokens, -1)
        targets[:, 1:] = tokens[:, :-1]
        targets[:, 9::8] = -1
        targets[:, 8::8] = tokens[:, :1]
        tokens[:, 0] += 8
        tokens[:, 8::8] = 16
        return tokens, targets

    return tasks.Task("recalled", 17, 8, False, draw)


def misled(seed: int) -> dict[str, list[list[float]]]:
    """Trained at 32 on `recalled`, read with four sets of frequencies: for each of TESTED,

    the perplexity, the share right of all answers but those to questions, and of those to questions
    in the last 32 places.
    """
    asked, found = recalled(), {}
    model = Transformer(asked.vocabulary, asked.classes, "rotary", causal=True, seed=seed)
    train(model, asked, steps=600, length=TRAINED, seed=seed)
    ways = {name: remedy(name, 16, TESTED[-1])[0] for name in ("plain", "ntk_aware", "by_parts")}
    for name, w in (ways | {"base 500,000": frequencies(16, 500_000.0)}).items():
        model.scheme.frequencies = w  # type: ignore[attr-defined]
        found[name] = []
        for length in TESTED:
            tokens, targets = asked(np.random.default_rng(1000), 256, length)
            logits = model(tokens).astype(np.float64)
            right, counts = logits.argmax(axis=-1) == targets, targets >= 0
            likely = np.take_along_axis(logits, np.maximum(targets, 0)[..., None], axis=-1)[..., 0]
            losses = np.log(np.exp(logits).sum(axis=-1)) - likely
            questions = tokens == 16
            late = questions & (np.arange(length) >= length - TRAINED)
            shares = (np.exp(losses[counts].mean()), right[counts & ~questions].mean(),
                      right[late].mean())  # fmt: skip
            found[name].append([round(float(share), 3) for share in shares])
    return found


def record_misled(seeds: int = 5) -> None:
    """What perplexity does not show, a minute: python tools/experiments.py misled."""
    recording = {"lengths": TESTED, "runs": [misled(seed) for seed in range(seeds)]}
    (DATA / "misled.json").write_text(json.dumps(recording) + "\n", "utf-8")


def pair_scores(model: Transformer, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scores of all pairs of words in the first layer: (heads, query, key, offsets)."""
    p = model.parameters
    u = p["embedding"] / np.sqrt((p["embedding"] ** 2).mean(axis=1, keepdims=True))
    q, k = (np.split(u @ p[name], model.heads, axis=1) for name in ("query0", "key0"))
    d = q[0].shape[1]
    turned = [rotary.rotate(part[:, None], offsets) for part in q]  # (words, offsets, d)
    return (
        np.array([np.einsum("aod,bd->abo", *pair) for pair in zip(turned, k, strict=True)]) / d**0.5
    )


def looked(seed: int = 0) -> tuple[dict[str, list[float]], list[float]]:
    """Of a model that names the previous word, trained at 32: where it looks in texts of 128.

    The attention by offset with three of the methods, and its largest score by offset.
    """
    model, asked = Transformer(8, 8, "rotary", causal=True, seed=seed), FAR["previous"]
    train(model, asked, steps=STEPS, length=TRAINED, seed=seed)
    sizes = np.abs(pair_scores(model, np.arange(TESTED[-1]))).max(axis=(0, 1, 2))
    tokens, _ = asked(np.random.default_rng(1), 64, TESTED[-1])
    looks = {}
    for method in ("plain", "interpolated", "by_parts"):
        model.scheme.frequencies, _ = remedy(method, 16, TESTED[-1])  # type: ignore[attr-defined]
        weights = model.attention(tokens)[0].mean(axis=(0, 1))
        by_offset = [np.diagonal(weights, -k)[-64:].mean() for k in range(64)]
        looks[method] = [round(float(share), 4) for share in by_offset]
    return looks, [round(float(size), 3) for size in sizes]


def fitted(seed: int = 0, cutoff: float = 1e-6) -> list[float]:
    """A score of 64 pairs, fitted to noise at the offsets 0 to 2047: 64 cosines, then 64 sines.

    What the fit hardly sees, singular values below `cutoff` of the largest, it leaves out.
    """
    angles = np.multiply.outer(np.arange(2048), frequencies(128))
    waves = np.hstack([np.cos(angles), np.sin(angles)])
    noise = np.random.default_rng(seed).uniform(-1, 1, 2048)
    return np.linalg.lstsq(waves, noise, cutoff)[0].round(4).tolist()


def record_skipping() -> None:
    """What chapter 7 shows of networks without positions: python tools/experiments.py skipping."""
    from tools import skipping  # which takes its parts from here

    skipping.record()


def record_longer() -> None:
    """Chapter 9 alone, some minutes: python tools/experiments.py longer."""
    looks, sizes = looked()
    recording = {"trained": TRAINED, "lengths": TESTED, "right": longer_table(), "score": fitted(),
                 "looks": looks, "sizes": sizes}  # fmt: skip
    (DATA / "longer.json").write_text(json.dumps(recording) + "\n", "utf-8")


def recall(keys: int = 8, values: int = 8) -> tasks.Task:
    """Keys and values in turn; in each text a key has one value. Asked at a key: its value, if the
    key was there before.

    >>> tokens, targets = recall(2, 2)(np.random.default_rng(1), 1, 8)
    >>> print(tokens, targets)
    [[1 3 1 3 0 2 0 2]] [[-1 -1  1 -1 -1 -1  0 -1]]
    """

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
        pairs = (length + 1) // 2
        book = rng.integers(values, size=(batch, keys))
        asked = rng.integers(keys, size=(batch, pairs))
        value = np.take_along_axis(book, asked, axis=1)
        before = np.tri(pairs, k=-1, dtype=bool)  # [n, m]: pair m stands before pair n
        known = ((asked[:, :, None] == asked[:, None]) & before).any(axis=2)
        tokens, targets = np.empty((batch, 2 * pairs), int), np.full((batch, 2 * pairs), -1)
        tokens[:, 0::2], tokens[:, 1::2] = asked, keys + value
        targets[:, 0::2] = np.where(known, value, -1)
        return tokens[:, :length], targets[:, :length]

    return tasks.Task("recall", keys + values, values, False, draw)


DROPPED = {"previous": tasks.previous(), "latest": tasks.latest(), "recall": recall()}
READ, AGAIN = (32, 64, 96), (60, 300, 600)  # chapter 11: lengths, and steps of recalibration


def dropped(
    task: str, seed: int, steps: int = 600, again: tuple[int, ...] = AGAIN
) -> dict[str, list[float]]:
    """A rotary model of two layers, trained at 32, loses its positions: the share right at READ.

    "trained" is that model; "dropped 0" the same with every frequency 0, "dropped 60" and so on
    after as many more steps at 32; "kept" has its positions in the longest of these. "never" had
    none, and trains as long as "trained"; "never, on" as long as "kept".
    """
    asked, found = DROPPED[task], {}

    def new(scheme: str) -> Transformer:
        return Transformer(
            asked.vocabulary, asked.classes, scheme, causal=True, layers=2, seed=seed
        )

    def right(model: Transformer) -> list[float]:
        return [beyond(model, asked, length, READ[0]) for length in READ]

    def train_on(model: Transformer, more: int) -> list[float]:
        train(model, asked, steps=more, length=READ[0], seed=seed + 1000)
        return right(model)

    model = new("rotary")
    train(model, asked, steps=steps, length=READ[0], seed=seed)
    trained = {name: value.copy() for name, value in model.parameters.items()}
    found["trained"] = right(model)
    found["kept"] = train_on(model, again[-1])
    model.scheme.frequencies = np.zeros(8)  # type: ignore[attr-defined]
    for more in (0, *again):
        model.parameters = {name: value.copy() for name, value in trained.items()}
        found[f"dropped {more}"] = train_on(model, more) if more else right(model)
    model = new("none")
    train(model, asked, steps=steps, length=READ[0], seed=seed)
    found["never"] = right(model)
    found["never, on"] = train_on(model, again[-1])
    return found


def record_dropped(seeds: int = 5) -> None:
    """Chapter 11 alone, a quarter of an hour: python tools/experiments.py dropped."""
    right: dict[str, dict[str, list[list[float]]]] = {task: {} for task in DROPPED}
    for task, seed in product(DROPPED, range(seeds)):
        for model, shares in dropped(task, seed).items():
            right[task].setdefault(model, []).append(shares)
    recording = {"lengths": READ, "again": AGAIN, "right": right}
    (DATA / "dropped.json").write_text(json.dumps(recording) + "\n", "utf-8")


def record_since() -> None:
    """What chapter 11 trains, half an hour: python tools/experiments.py since."""
    from tools import since  # which takes its parts from here

    since.record()


WORDS, SCALES = 64, (0.02, 0.125, 1.0)  # chapter 2: embeddings that start short, and longer


def named(words: NDArray[np.float32], places: NDArray[np.float64]) -> float:
    """The share of all sums word + place whose largest dot product with a word is with its own."""
    sums = words[:, None] + places
    right = (sums @ words.T).argmax(axis=-1) == np.arange(len(words))[:, None]
    return round(float(right.mean()), 3)


def scaled(scheme: str, scale: float, seed: int) -> dict[str, list[float]]:
    """One training of chapter 2, before and after: the embeddings start at `scale` times N(0, 1).

    `length` is the mean length of their rows; `named` the share of words that are named when a
    sinusoidal encoding of the same width is added to them; `right` the share of right answers.
    """
    task, width = tasks.previous(WORDS), 64
    model = Transformer(WORDS, WORDS, scheme, d_model=width, max_length=LENGTH, seed=seed)
    model.parameters["embedding"] *= np.float32(scale)
    found: dict[str, list[float]] = {"length": [], "named": [], "right": []}
    for steps in (0, 600):
        if steps:
            train(model, task, steps=steps, length=LENGTH, seed=seed)
        words = model.parameters["embedding"]
        length = float(np.linalg.norm(words, axis=1).mean())
        found["length"].append(round(length, 3))
        found["named"].append(named(words, encode(range(LENGTH), width)))
        found["right"].append(round(accuracy(model, task, LENGTH), 3))
    return found


def record_scale() -> None:
    """Chapter 2 alone, two minutes: python tools/experiments.py scale."""
    recording = [
        {"scheme": scheme, "scale": scale, "runs": [scaled(scheme, scale, s) for s in range(5)]}
        for scheme, scale in product(("sinusoidal", "rotary"), SCALES)
    ]
    (DATA / "scale.json").write_text(json.dumps(recording) + "\n", "utf-8")


PAGE = """
import { begin, course, look } from "TRAINER";
const seen = ({ likeness, attention }) =>
  ({ likeness: likeness.map((map) => [...map]), attention: attention.map((map) => [...map]) });
console.log(JSON.stringify(SETTINGS.map((settings) => {
  const state = begin(settings), found = { settings, loss: [], looks: [seen(look(state))] };
  for (const { loss, shares } of course(state, 300)) {
    if (loss !== undefined) found.loss.push(loss);
    if (shares) found.right = Object.fromEntries(shares.map((one) => [one.length, one.right]));
  }
  found.looks.push(seen(look(state)));
  return found;
})));
"""


def page_run(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page's own script makes of 300 steps with each of these settings."""
    code = PAGE.replace("TRAINER", RUNS.with_name("trainer.mjs").as_uri())
    code = code.replace("SETTINGS", json.dumps(settings))
    command = ["node", "--input-type=module", "--eval", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    runs: list[dict[str, Any]] = json.loads(printed)
    for run in runs:
        run["loss"] = np.reshape(run["loss"], (-1, 5)).mean(axis=1).round(5).tolist()
        run["right"] = {length: round(share, 4) for length, share in run["right"].items()}
        for look in run["looks"]:
            likeness, attention = np.array(look["likeness"]), np.array(look["attention"])
            look["likeness"] = [packed(map_) for map_ in (likeness + 1) / 2]
            look["attention"] = [packed(map_) for map_ in attention]
    return runs


def record_page() -> None:
    """The trainings in the page's story, for those without a script: experiments.py page."""
    states = [state for story in TrainExplorer.stories.values()
              for _, state in story.states(TrainExplorer().state())]  # fmt: skip
    chosen = [{name: state[name] for name in CHOICES} for state in states]
    runs = page_run([one for n, one in enumerate(chosen) if one not in chosen[:n]])
    RUNS.write_text("[\n" + ",\n".join(map(json.dumps, runs)) + "\n]\n", "utf-8")


def packed(shares: NDArray[np.float64]) -> str:
    """Numbers from 0 to 1, a byte each, in base 64."""
    return base64.b64encode(np.rint(shares * 255).clip(0, 255).astype(np.uint8)).decode()


def record_training() -> None:
    """Chapter 6's explorer and its lengths alone: python tools/experiments.py training."""
    runs = [training(scheme) for scheme in ("learned", "sinusoidal")]
    recording = {"length": LENGTH, "steps": STEPS, "every": EVERY, "runs": runs,
                 "lengths": {run["scheme"]: lengths(run["scheme"]) for run in runs}}  # fmt: skip
    (DATA / "training.json").write_text(json.dumps(recording, indent=1) + "\n", "utf-8")


PARTS = {
    "training": record_training,
    "lengths": record_lengths,
    "seeds": record_seeds,
    "tables": record_tables,
    "skipping": record_skipping,
    "longer": record_longer,
    "rebased": record_rebased,
    "misled": record_misled,
    "since": record_since,
    "dropped": record_dropped,
    "scale": record_scale,
    "page": record_page,
}


def main(names: list[str]) -> None:
    """Record these parts, or all; say which is next, and how long each took."""
    DATA.mkdir(exist_ok=True)
    for number, name in enumerate(names or PARTS, start=1):
        print(f"{number} of {len(names or PARTS)}, {name} ", end="", file=sys.stderr, flush=True)
        start = monotonic()
        PARTS[name]()
        print(f" {monotonic() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if unknown := set(sys.argv[1:]) - set(PARTS):
        raise SystemExit(f"No part {', '.join(unknown)}; there are {', '.join(PARTS)}.")
    main(sys.argv[1:])
