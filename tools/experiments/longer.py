"""Train models on texts of 32 words for chapter 10, and test them on texts of up to 128 words.

The models read the longer texts with other frequencies or after tuning.
"""

from copy import deepcopy
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import context, frequencies, rotary
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Rotary
from pe_lib.course.model.transformer import softmax
from tools.experiments import models
from tools.experiments.models import PREVIOUS, measure_accuracy, round_numbers

SEEDS, TRAINED, TESTED, FACTOR = range(10), 32, (32, 64, 128), 4
FAR = {"previous": PREVIOUS, "latest": tasks.latest()}
REMEDIES = ("plain", "interpolated", "ntk_aware", "dynamic", "by_parts", "yarn")
# a method's frequencies and its scale, for each length in TESTED
Remedy = list[tuple[NDArray[np.float64], float]]
# Two of these bases are controls: the base in training, and a smaller base.
BASES = (200.0, 10_000.0, 50_000.0, 500_000.0, 5_000_000.0)


def set_frequencies(model: Transformer, w: NDArray[np.float64], scale: float = 1.0) -> None:
    """Set a trained model's frequencies and scale, if its position scheme is rotary."""
    if isinstance(model.scheme, Rotary):
        model.scheme.frequencies, model.scheme.scale = w, scale


def choose_frequencies(method: str, d_head: int, length: int) -> tuple[NDArray[np.float64], float]:
    """Return a method's frequencies for texts of this length, and its scale of queries and keys.

    All methods except "plain" and "dynamic" use the factor 4 for texts of any length. The ramp goes
    from 1 to 4 turns as in Llama 3.1, because no pair makes 32 turns in 32 positions.
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


def tune(
    model: Transformer, task: tasks.Task, seed: int, remedies: dict[str, Remedy], steps: int
) -> dict[str, list[list[float]]]:
    """Return a model's accuracies at each length in TESTED, with each way to set its frequencies.

    If `steps` is not 0, a second list holds the accuracies after that many training steps at length
    128. This training starts from the given model, with the frequencies for length 128.
    """
    start, results = model.parameters, {}
    for name, remedy_by_length in remedies.items():
        model.parameters = deepcopy(start)
        results[name] = [shares(model, task, remedy_by_length)]
        if steps:
            options = {"batch": 16, "length": TESTED[-1], "rate": 1e-3}
            models.train(model, task, seed, steps=steps, **options)
            results[name].append(shares(model, task, remedy_by_length))
    return results


def shares(model: Transformer, task: tasks.Task, remedy_by_length: Remedy) -> list[float]:
    """Return the accuracy of a model at each length in TESTED, if a remedy sets its frequencies.

    Afterwards, the model keeps the frequencies for the last length.
    """
    results = []
    for length, scaled in zip(TESTED, remedy_by_length, strict=True):
        set_frequencies(model, *scaled)
        results.append(measure_accuracy(model, task, length, batch=256))
    return results


def read_longer_texts(
    task: str, scheme: str, seed: int, tuning: int = 50, methods: tuple[str, ...] = REMEDIES
) -> dict[str, list[list[float]]]:
    """Train a model on texts of 32 words, and return its accuracies on longer texts.

    A rotary model is tested with each of the `methods`; any other model is tested unchanged.
    """
    kind, slopes = ("none", (1 / 2, 1 / 16)) if scheme == "steep" else (scheme, ())
    model = models.train_model(FAR[task], kind, seed, length=TRAINED, causal=True, slopes=slopes)
    remedies = {scheme: [(frequencies(16), 1.0)] * len(TESTED)}
    if scheme == "rotary":
        remedies = {
            method: [choose_frequencies(method, 16, length) for length in TESTED]
            for method in methods
        }
    return tune(model, FAR[task], seed, remedies, tuning)


def longer_table() -> dict[str, dict[str, list[list[list[float]]]]]:
    """Return each seed's accuracies on longer texts, for each task and each method."""
    table: dict[str, dict[str, list[list[list[float]]]]] = {task: {} for task in FAR}
    for task, scheme, seed in product(FAR, ("rotary", "alibi", "steep", "none"), SEEDS):
        for method, run in read_longer_texts(task, scheme, seed).items():
            table[task].setdefault(method, []).append(run)
    return table


def change_base(task: str, seed: int, tuning: int = 50) -> list[list[list[float]]]:
    """Train a model with base 10,000, and return its accuracies after changing the base.

    For each base, the result has the form that `tune` returns.
    """
    model = models.train_model(FAR[task], "rotary", seed, length=TRAINED, causal=True)
    remedies = {str(base): [(frequencies(16, base), 1.0)] * len(TESTED) for base in BASES}
    return list(tune(model, FAR[task], seed, remedies, tuning).values())


def record_rebased() -> dict[str, Any]:
    """Train the models for rebased.json and return their results. This takes some minutes."""
    results = {task: [change_base(task, seed) for seed in SEEDS] for task in FAR}
    return {"bases": BASES, "lengths": TESTED, "right": results}


def draw_recalled(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
    """Draw texts in which some of the words are questions that ask for the text's first word.

    The first word is 8 to 15, the other words are 0 to 7, and every eighth word is a question,
    which is word 16. The answer to any other word is the previous word. The word after a question
    does not count.
    """
    tokens = rng.integers(8, size=(batch, length))
    targets = np.full_like(tokens, -1)
    targets[:, 1:] = tokens[:, :-1]
    targets[:, 9::8] = -1
    targets[:, 8::8] = tokens[:, :1]
    tokens[:, 0] += 8
    tokens[:, 8::8] = 16
    return tokens, targets


RECALLED = tasks.Task("recalled", 17, 8, False, draw_recalled)


def mislead_model(seed: int) -> dict[str, list[list[float]]]:
    """Train a model on the task `recalled`, and test it with four ways to set its frequencies.

    For each length in TESTED, the result holds the perplexity, the accuracy on words that are not
    questions, and the accuracy on questions among the last 32 words.
    """
    results: dict[str, list[list[float]]] = {}
    model = models.train_model(RECALLED, "rotary", seed, steps=600, length=TRAINED, causal=True)
    remedies = {
        name: choose_frequencies(name, 16, TESTED[-1])[0]
        for name in ("plain", "ntk_aware", "by_parts")
    }
    for name, w in (remedies | {"base 500,000": frequencies(16, 500_000.0)}).items():
        set_frequencies(model, w)
        results[name] = []
        for length in TESTED:
            tokens, targets = RECALLED(np.random.default_rng(1000), 256, length)
            logits = model(tokens).astype(np.float64)
            correct, counts = logits.argmax(axis=-1) == targets, targets >= 0
            likely = np.take_along_axis(logits, np.maximum(targets, 0)[..., None], axis=-1)[..., 0]
            losses = np.log(np.exp(logits).sum(axis=-1)) - likely
            questions = tokens == 16
            late = questions & (np.arange(length) >= length - TRAINED)
            parts = [np.exp(losses[counts].mean()), correct[counts & ~questions].mean()]
            results[name].append(round_numbers([*parts, correct[late].mean()]))
    return results


def record_misled() -> dict[str, Any]:
    """Train the models for misled.json and return their results. This takes a minute.

    The results show what perplexity does not reveal.
    """
    return {"lengths": TESTED, "runs": [mislead_model(seed) for seed in range(5)]}


def limit_offsets(model: Transformer, tokens: Any, limited: NDArray[np.bool_]) -> Any:
    """Return the logits of a rotary model if some pairs turn no further than in training.

    `limited` holds a flag for each pair. If it is set, an offset larger than those in training
    counts as the largest one in training for this pair. The other pairs turn as usual.
    """
    assert isinstance(model.scheme, Rotary)
    w, t = model.scheme.frequencies, np.arange(tokens.shape[1])
    set_frequencies(model, 0 * w)  # with frequencies of 0, queries and keys are not rotated
    layer = model.forward(tokens)[1]["layers"][0]
    set_frequencies(model, w)
    q, k = (layer[name][..., 0::2] + 1j * layer[name][..., 1::2] for name in ("q", "k"))
    offsets = np.subtract.outer(t, t)
    scores = np.where(offsets < 0, -np.inf, 0)
    for i, stops in enumerate(limited):
        angles = w[i] * (np.minimum(offsets, TRAINED - 1) if stops else offsets)
        products = q[..., :, None, i] * k[..., None, :, i].conj()
        scores = scores + (products * np.exp(1j * angles)).real / np.sqrt(2 * len(w))
    weights = softmax(scores).astype(model.dtype)
    return model.forward(tokens, lambda _layer, _weights: weights)[0]


def measure_limited(task: str, seed: int) -> dict[str, float]:
    """Train a model, and test it at length 128 if some pairs turn no further than in training.

    A pair is slow if it makes less than one turn in the length of training.
    """
    model = models.train_model(FAR[task], "rotary", seed, length=TRAINED, causal=True)
    tokens, targets = FAR[task](np.random.default_rng(1000), 64, TESTED[-1])
    slow = context.turns(16, TRAINED) < 1
    results = {}
    for name, limited in {
        "no pair": slow & ~slow,
        "all pairs": slow | ~slow,
        "slow pairs": slow,
        "fast pairs": ~slow,
    }.items():
        is_right = limit_offsets(model, tokens, limited).argmax(axis=-1) == targets
        results[name] = round(float(is_right[targets >= 0].mean()), 3)
    return results


def record_limited() -> dict[str, Any]:
    """Train the models for limited.json and return their results. This takes some minutes."""
    runs = {task: [measure_limited(task, seed) for seed in SEEDS] for task in FAR}
    return {
        task: {name: [run[name] for run in of_task] for name in of_task[0]}
        for task, of_task in runs.items()
    }


def pair_scores(model: Transformer, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return layer 1's scores of all words at all offsets: (heads, query, key, offsets)."""
    p = model.parameters
    u = p["embedding"] / np.sqrt((p["embedding"] ** 2).mean(axis=1, keepdims=True))
    q, k = (np.split(u @ p[name], model.heads, axis=1) for name in ("query0", "key0"))
    rotated_queries = [
        rotary.rotate(part[:, None], offsets) for part in q
    ]  # (words, offsets, width)
    scores = [np.einsum("aod,bd->abo", *pair) for pair in zip(rotated_queries, k, strict=True)]
    return np.asarray(scores, np.float64) / float(q[0].shape[1] ** 0.5)


def measure_attention(seed: int = 0) -> tuple[dict[str, list[float]], list[float]]:
    """Return the attention weights of a model that names the previous word, on texts of 128 words.

    The first result is the attention by offset for three of the methods. The second result holds
    the largest score at the offsets of the training, and the largest score at offsets beyond them.
    """
    model = models.train_model(PREVIOUS, "rotary", seed, length=TRAINED, causal=True)
    sizes = np.abs(pair_scores(model, np.arange(TESTED[-1]))).max(axis=(0, 1, 2))
    largest = [sizes[:TRAINED].max(), sizes[TRAINED:].max()]
    tokens, _ = PREVIOUS(np.random.default_rng(1), 64, TESTED[-1])
    looks = {}
    for method in ("plain", "interpolated", "by_parts"):
        set_frequencies(model, *choose_frequencies(method, 16, TESTED[-1]))
        weights = model.attention(tokens)[0].mean(axis=(0, 1))
        looks[method] = round_numbers([np.diagonal(weights, -k)[-64:].mean() for k in range(64)], 4)
    return looks, round_numbers(largest)


def fit_score(seed: int = 0, cutoff: float = 1e-6) -> Any:
    """Fit a score of 64 pairs to random numbers at 2,048 offsets, and return its coefficients.

    There are 64 coefficients of cosines, followed by 64 coefficients of sines. The fit ignores
    directions with singular values below `cutoff` times the largest singular value.
    """
    angles = np.multiply.outer(np.arange(2048), frequencies(128))
    waves = np.hstack([np.cos(angles), np.sin(angles)])
    noise = np.random.default_rng(seed).uniform(-1, 1, 2048)
    return round_numbers(np.linalg.lstsq(waves, noise, cutoff)[0], 4)


def record_longer() -> dict[str, Any]:
    """Train the models for longer.json and return their results. This takes about 20 minutes.

    "looks" and "sizes" hold the results of `measure_attention` for each seed.
    """
    looks, sizes = zip(*(measure_attention(seed) for seed in SEEDS), strict=True)
    return {"trained": TRAINED, "lengths": TESTED, "right": longer_table(), "score": fit_score(),
            "looks": looks, "sizes": sizes}  # fmt: skip
