"""Chapter 10: trained at 32, read at up to 128, with other frequencies or after a little tuning."""

from copy import deepcopy
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import context, frequencies, rotary
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Rotary
from tools.experiments import models
from tools.experiments.models import PREVIOUS, right, rounded

SEEDS, TRAINED, TESTED, FACTOR = range(5), 32, (32, 64, 128), 4
FAR = {"previous": PREVIOUS, "latest": tasks.latest()}
REMEDIES = ("plain", "interpolated", "ntk_aware", "dynamic", "by_parts", "yarn")
Way = list[tuple[NDArray[np.float64], float]]  # frequencies and scale, for each of TESTED
# the trained one and a smaller one are the controls
BASES = (200.0, 10_000.0, 50_000.0, 500_000.0, 5_000_000.0)


def turn(model: Transformer, w: NDArray[np.float64], scale: float = 1.0) -> None:
    """Put these frequencies into a trained model, if it turns."""
    if isinstance(model.scheme, Rotary):
        model.scheme.frequencies, model.scheme.scale = w, scale


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


def tuned(
    model: Transformer, asked: tasks.Task, seed: int, ways: dict[str, Way], steps: int
) -> dict[str, list[list[float]]]:
    """The share right at each of TESTED, by way; again after so many steps of training at 128.

    Each time these start from the model as it came, with the frequencies for 128.
    """
    start, found = model.parameters, {}
    for name, way in ways.items():
        model.parameters = deepcopy(start)
        found[name] = [shares(model, asked, way)]
        if steps:
            options = {"batch": 16, "length": TESTED[-1], "rate": 1e-3}
            models.train(model, asked, seed, steps=steps, **options)
            found[name].append(shares(model, asked, way))
    return found


def shares(model: Transformer, asked: tasks.Task, way: Way) -> list[float]:
    """The share right at each of TESTED; the frequencies stay those for the last."""
    found = []
    for length, scaled in zip(TESTED, way, strict=True):
        turn(model, *scaled)
        found.append(right(model, asked, length, batch=256))
    return found


def longer(
    task: str, scheme: str, seed: int, tuning: int = 50, methods: tuple[str, ...] = REMEDIES
) -> dict[str, list[list[float]]]:
    """Each of the `methods` with a rotary model, any other as it is: see `tuned`."""
    kind, slopes = ("none", (1 / 2, 1 / 16)) if scheme == "steep" else (scheme, ())
    model = models.trained(FAR[task], kind, seed, length=TRAINED, causal=True, slopes=slopes)
    ways = {scheme: [(frequencies(16), 1.0)] * len(TESTED)}
    if scheme == "rotary":
        ways = {method: [remedy(method, 16, length) for length in TESTED] for method in methods}
    return tuned(model, FAR[task], seed, ways, tuning)


def longer_table() -> dict[str, dict[str, list[list[list[float]]]]]:
    """For each task and method, the shares of each seed: before and after tuning."""
    table: dict[str, dict[str, list[list[list[float]]]]] = {task: {} for task in FAR}
    for task, scheme, seed in product(FAR, ("rotary", "alibi", "steep", "none"), SEEDS):
        for method, one in longer(task, scheme, seed).items():
            table[task].setdefault(method, []).append(one)
    return table


def rebased(task: str, seed: int, tuning: int = 50) -> list[list[list[float]]]:
    """Trained with base 10,000, then read with each of BASES: `tuned`, base by base."""
    model = models.trained(FAR[task], "rotary", seed, length=TRAINED, causal=True)
    ways = {str(base): [(frequencies(16, base), 1.0)] * len(TESTED) for base in BASES}
    return list(tuned(model, FAR[task], seed, ways, tuning).values())


def record_rebased() -> dict[str, Any]:
    """Other bases, some minutes."""
    found = {task: [rebased(task, seed) for seed in SEEDS] for task in FAR}
    return {"bases": BASES, "lengths": TESTED, "right": found}


def recalled(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
    """Name the previous word; at every eighth place, a question, name the first word instead.

    Words are 0 to 7, the first one is 8 to 15 and a question 16. After a question nothing counts.
    """
    tokens = rng.integers(8, size=(batch, length))
    targets = np.full_like(tokens, -1)
    targets[:, 1:] = tokens[:, :-1]
    targets[:, 9::8] = -1
    targets[:, 8::8] = tokens[:, :1]
    tokens[:, 0] += 8
    tokens[:, 8::8] = 16
    return tokens, targets


RECALLED = tasks.Task("recalled", 17, 8, False, recalled)


def misled(seed: int) -> dict[str, list[list[float]]]:
    """Trained on `recalled`, read with four sets of frequencies: for each of TESTED,

    the perplexity, the share right of all answers but those to questions, and of those to questions
    in the last 32 places.
    """
    found = {}
    model = models.trained(RECALLED, "rotary", seed, steps=600, length=TRAINED, causal=True)
    ways = {name: remedy(name, 16, TESTED[-1])[0] for name in ("plain", "ntk_aware", "by_parts")}
    for name, w in (ways | {"base 500,000": frequencies(16, 500_000.0)}).items():
        turn(model, w)
        found[name] = []
        for length in TESTED:
            tokens, targets = RECALLED(np.random.default_rng(1000), 256, length)
            logits = model(tokens).astype(np.float64)
            correct, counts = logits.argmax(axis=-1) == targets, targets >= 0
            likely = np.take_along_axis(logits, np.maximum(targets, 0)[..., None], axis=-1)[..., 0]
            losses = np.log(np.exp(logits).sum(axis=-1)) - likely
            questions = tokens == 16
            late = questions & (np.arange(length) >= length - TRAINED)
            parts = [np.exp(losses[counts].mean()), correct[counts & ~questions].mean()]
            found[name].append(rounded([*parts, correct[late].mean()]))
    return found


def record_misled() -> dict[str, Any]:
    """What perplexity does not show, a minute."""
    return {"lengths": TESTED, "runs": [misled(seed) for seed in SEEDS]}


def pair_scores(model: Transformer, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scores of all pairs of words in the first layer: (heads, query, key, offsets)."""
    p = model.parameters
    u = p["embedding"] / np.sqrt((p["embedding"] ** 2).mean(axis=1, keepdims=True))
    q, k = (np.split(u @ p[name], model.heads, axis=1) for name in ("query0", "key0"))
    turned = [rotary.rotate(part[:, None], offsets) for part in q]  # (words, offsets, width)
    scores = [np.einsum("aod,bd->abo", *pair) for pair in zip(turned, k, strict=True)]
    return np.array(scores) / q[0].shape[1] ** 0.5


def looked(seed: int = 0) -> tuple[dict[str, list[float]], list[float]]:
    """Of a model that names the previous word: where it looks in texts of 128.

    The attention by offset with three of the methods, and its largest score by offset.
    """
    model = models.trained(PREVIOUS, "rotary", seed, length=TRAINED, causal=True)
    sizes = np.abs(pair_scores(model, np.arange(TESTED[-1]))).max(axis=(0, 1, 2))
    tokens, _ = PREVIOUS(np.random.default_rng(1), 64, TESTED[-1])
    looks = {}
    for method in ("plain", "interpolated", "by_parts"):
        turn(model, *remedy(method, 16, TESTED[-1]))
        weights = model.attention(tokens)[0].mean(axis=(0, 1))
        looks[method] = rounded([np.diagonal(weights, -k)[-64:].mean() for k in range(64)], 4)
    return looks, rounded(sizes)


def fitted(seed: int = 0, cutoff: float = 1e-6) -> Any:
    """A score of 64 pairs, fitted to noise at the offsets 0 to 2047: 64 cosines, then 64 sines.

    What the fit hardly sees, singular values below `cutoff` of the largest, it leaves out.
    """
    angles = np.multiply.outer(np.arange(2048), frequencies(128))
    waves = np.hstack([np.cos(angles), np.sin(angles)])
    noise = np.random.default_rng(seed).uniform(-1, 1, 2048)
    return rounded(np.linalg.lstsq(waves, noise, cutoff)[0], 4)


def record_longer() -> dict[str, Any]:
    """Some minutes."""
    looks, sizes = looked()
    return {"trained": TRAINED, "lengths": TESTED, "right": longer_table(), "score": fitted(),
            "looks": looks, "sizes": sizes}  # fmt: skip
