"""Train what chapters 6 and 7 show, and record it in chapters/data: make experiments.

Training amplifies the last digit of every processor, so that two machines agree on what is learned
and not on each number. What the chapters print of it live are thresholds; curves and maps come from
these recordings. The tests train again and compare within wide margins.
"""

import base64
import json
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pe_lib.model import Transformer, accuracy, tasks, train  # noqa: E402
from pe_lib.model.schemes import SCHEMES  # noqa: E402

DATA = ROOT / "chapters" / "data"
LENGTH, STEPS, EVERY = 16, 400, 16


def training(scheme: str, steps: int = STEPS) -> dict[str, Any]:
    """One run on the task `previous`, looked at every 16 steps.

    `loss` holds the mean of every 4 steps; `right` the share of right answers of each look, and
    `similarity` and `attention` its maps, (looks, 16, 16), as bytes: cosines of the position
    vectors from -1 to 1, and weights, the mean over heads and 64 sequences, from 0 to 1.
    """
    task = tasks.previous()
    model = Transformer(8, 8, scheme, max_length=48)
    history = train(model, task, steps=steps, record=EVERY)
    tokens, _ = task(np.random.default_rng(9), 64, LENGTH)
    right, similarity, attention = [], [], []
    for _, parameters in history.snapshots:
        model.parameters.update(parameters)
        right.append(round(accuracy(model, task, LENGTH), 3))
        rows = np.array(model.scheme.added(model.parameters, LENGTH), dtype=np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        similarity.append((rows @ rows.T + 1) / 2)
        attention.append(model.attention(tokens)[0].mean(axis=(0, 1)))
    return {
        "scheme": scheme,
        "loss": history.loss.reshape(-1, 4).mean(axis=1).round(3).tolist(),
        "right": right,
        "similarity": packed(np.array(similarity)),
        "attention": packed(np.array(attention)),
    }


def lengths(scheme: str, seeds: int = 5) -> list[list[float]]:
    """Of models trained at 16, the share of right answers at 16, 24 and 48, for each seed."""
    task, found = tasks.previous(), []
    for seed in range(seeds):
        model = Transformer(8, 8, scheme, max_length=48, seed=seed)
        train(model, task, steps=STEPS, seed=seed)
        found.append([round(accuracy(model, task, length), 3) for length in (16, 24, 48)])
    return found


LENGTHS = (16, 24, 48)  # trained at the first
ORDERLY = {"previous": tasks.previous(), "order": tasks.order(), "counting": tasks.counting()}


def setting(task: str, scheme: str, causal: bool, layers: int, seeds: int = 5) -> dict[str, Any]:
    """One cell of chapter 7's table: the share right at each of LENGTHS, for each seed."""
    right = []
    for seed in range(seeds):
        asked = ORDERLY[task]
        model = Transformer(
            asked.vocabulary, asked.classes, scheme, causal=causal, layers=layers,
            pooled=asked.pooled, max_length=max(LENGTHS), seed=seed,
        )  # fmt: skip
        train(model, asked, steps=STEPS, length=LENGTHS[0], seed=seed)
        right.append([round(accuracy(model, asked, length), 3) for length in LENGTHS])
    return {"task": task, "scheme": scheme, "causal": causal, "layers": layers, "right": right}


def settings() -> list[dict[str, Any]]:
    """The whole table, two settings at a time; some minutes."""
    todo = list(product(ORDERLY, SCHEMES, (False, True), (1, 2)))
    with ProcessPoolExecutor(2) as pool:
        waiting = [pool.submit(setting, *cell) for cell in todo]
        for done, _ in enumerate(as_completed(waiting), start=1):
            print(f"\r{done}/{len(todo)} settings", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return [cell.result() for cell in waiting]


def packed(shares: NDArray[np.float64]) -> str:
    """Numbers from 0 to 1, a byte each, in base 64."""
    return base64.b64encode(np.rint(shares * 255).clip(0, 255).astype(np.uint8)).decode()


def main() -> None:
    DATA.mkdir(exist_ok=True)
    runs = [training(scheme) for scheme in ("learned", "sinusoidal")]
    recording = {"length": LENGTH, "steps": STEPS, "every": EVERY, "runs": runs,
                 "lengths": {run["scheme"]: lengths(run["scheme"]) for run in runs}}  # fmt: skip
    (DATA / "training.json").write_text(json.dumps(recording, indent=1) + "\n", "utf-8")
    table = {"lengths": LENGTHS, "steps": STEPS, "settings": settings()}
    (DATA / "schemes.json").write_text(json.dumps(table) + "\n", "utf-8")


if __name__ == "__main__":
    main()
