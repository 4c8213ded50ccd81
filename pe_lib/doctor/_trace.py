"""Record the cosines and sines that each layer of a model really uses for a prompt.

A module's buffers do not show what its layers do with them. Positions may be counted wrongly, or a
layer may get the numbers of another type of layer. Therefore `trace` lets the model read a prompt,
and hooks record the arguments of each attention module. The model also reads the prompt with a
cache and with padding. Both times its answer should be the same as without them.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._arrays import to_numpy
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._examine import Entry, Report, examine
from pe_lib.doctor._numbers import DATA, format_number, round_significant

LENGTH = 16  # the length of the prompt, if the caller has none
KEPT = 4  # with a cache, the model reads this many tokens at once and the others one by one
PADDING = 3  # this many padding tokens are put before the prompt
CACHES = ("cache", "past_key_values")  # the names of a cache in a model's output and arguments
ARGUMENT = "position_embeddings"  # in transformers, attention takes cosines and sines as this
# Two answers agree if they differ by at most this share of the largest number in an answer. Half
# precision needs a larger share, because a number may be off by 2^-8, and errors grow from layer to
# layer.
SAME = {"float32": 1e-3, "float64": 1e-3}
SAME_IN_HALF = 0.1

Pair = tuple[NDArray[Any], NDArray[Any]]


@dataclass
class Trace(Report):
    """The report on one prompt, with the recorded cosines and sines and two tests of the answer.

    `cosines` maps the name of each attention that rotates to its cosines and sines, an array
    (length, width) each. `cached` and `padded` say how much the last answer changes with a cache,
    and with padding before the prompt, as shares of the largest number in the answer. They are None
    if the model takes no cache or no padding.
    """

    cosines: dict[str, Pair] = field(default_factory=dict)
    cached: float | None = None
    padded: float | None = None


def trace(model: Any, text: Any = None, config: Any = None, pad: int = 0) -> Trace:
    """Let a model read a prompt, and compare what each layer used with the configuration.

    `model` is a `torch.nn.Module` that takes token ids, as the models of transformers do. `text` is
    a list or tensor of token ids, and `config` is that of `examine`. Without `text`, the prompt is
    1, 2, 3 … up to 16 tokens. `pad` is the token that is put before the prompt to try padding.

    The result prints as a report. It is healthy if the cosines and sines of every layer are those
    that the configuration asks for at positions 0, 1, 2 …, and if a cache does not change the
    answer. An answer that changes with padding is only a note, because it need not be a mistake. A
    model that counts columns, as GPT-2 does, needs `position_ids` when there is padding.

    Raises TypeError for a `model` that is not a module, and the errors of the model itself.

    >>> try:
    ...     trace({"inv_freq": [1.0, 0.1]})
    ... except TypeError as error:
    ...     print(error)
    model must be a torch.nn.Module, got dict
    """
    if not hasattr(model, "named_modules"):
        raise TypeError(f"model must be a torch.nn.Module, got {type(model).__name__}")
    torch = importlib.import_module("torch")
    device = next((x.device for x in model.parameters()), None)
    if text is None:
        text = range(1, LENGTH + 1)
    ids = torch.as_tensor(text if hasattr(text, "dtype") else [*text], device=device)
    ids = ids.reshape(1, -1).long()
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            with record_cosines(model) as cosines:
                whole = _answer(model, ids)
            cached, padded = _look_first(model, ids, whole, pad, torch)
    finally:
        model.train(was_training)
    settings = getattr(model, "config", None) if config is None else config
    tensors = {f"{name}.{word}": x for name, pair in cosines.items()
               for word, x in zip(("cos", "sin"), pair, strict=True)}  # fmt: skip
    report = examine(tensors, settings)
    if not cosines:
        report.notes = [DATA["trace"]["no_cosines"]]
    result = Trace(report.entries, report.notes, report.has_config, False, cosines, cached, padded)
    limit = SAME.get(str(whole.dtype).rpartition(".")[2], SAME_IN_HALF)
    _add_first_look(result, limit)
    return result


@contextmanager
def record_cosines(model: Any) -> Iterator[dict[str, Pair]]:
    """Record the cosines and sines of each attention while the model runs inside the block.

    An attention that gets them and does not use them is left out: its answer stays the same with
    a cosine of 1 and a sine of 0.
    """
    cosines: dict[str, Pair] = {}

    def make_hook(name: str, forward: Callable[..., Any]) -> Callable[..., None]:
        names = [*inspect.signature(forward).parameters]

        def record(module: Any, arguments: Any, keywords: dict[str, Any], out: Any) -> None:
            bound = {**dict(zip(names, arguments, strict=False)), **keywords}
            pair = _split(bound.get(ARGUMENT))
            if pair is not None and _is_used(forward, bound, _first(out)):
                cosines[name] = _rows(pair)

        return record

    handles = [
        module.register_forward_hook(make_hook(name, module.forward), with_kwargs=True)
        for name, module in _attentions(model)
    ]
    try:
        yield cosines
    finally:
        for handle in handles:
            handle.remove()


def _attentions(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield the innermost modules that are called with cosines and sines, with their names."""
    takers = {
        name: module
        for name, module in model.named_modules()
        if ARGUMENT in inspect.signature(module.forward).parameters
    }
    for name, module in takers.items():
        if not any(other.startswith(f"{name}.") for other in takers):
            yield name, module


def _split(value: Any) -> tuple[Any, Any] | None:
    """Return cosines and sines from a pair of tensors or from a complex tensor, or else None."""
    if isinstance(value, tuple | list) and len(value) == 2 and hasattr(value[0], "detach"):
        return value[0], value[1]
    if hasattr(value, "detach") and "complex" in str(value.dtype):
        return value.real, value.imag
    return None


def _is_used(forward: Callable[..., Any], bound: Mapping[str, Any], out: Any) -> bool:
    """Return whether the output of an attention changes if its cosines are 1 and its sines 0."""
    turns = bound[ARGUMENT]
    is_pair = isinstance(turns, tuple | list)
    still = (turns[0] * 0 + 1, turns[1] * 0) if is_pair else turns * 0 + 1
    return bool((_first(forward(**{**bound, ARGUMENT: still})) - out).abs().max() > 0)


def _first(out: Any) -> Any:
    return out[0] if isinstance(out, tuple | list) else out


def _rows(pair: tuple[Any, Any]) -> Pair:
    """Return the cosines and sines of the first text as arrays (length, width)."""
    cos, sin = (np.asarray(to_numpy(x)) for x in pair)
    shape = (-1, *cos.shape[-2:])
    return cos.reshape(shape)[0], sin.reshape(shape)[0]


# A first look at the answer: does it change with a cache, or with padding?


def _answer(model: Any, ids: Any, **more: Any) -> Any:
    """Return the model's output for the last token: its logits or its last hidden state."""
    out = model(ids, **{"use_cache": False, **more})
    for name in ("logits", "last_hidden_state"):
        if getattr(out, name, None) is not None:
            return getattr(out, name)[0, -1]
    return _first(out)[0, -1]


def _look_first(
    model: Any, ids: Any, whole: Any, pad: int, torch: Any
) -> tuple[float | None, float | None]:
    """Return how far a cache changes the model's answer, and how far padding changes it."""

    def move(answer: Callable[[], Any]) -> float | None:
        try:
            off = (answer() - whole).abs().max() / whole.abs().max()
        except Exception:  # a model that takes no cache or no padding may raise any exception
            return None
        return float(off)

    def answer_with_cache() -> Any:
        out = model(ids[:, :KEPT], use_cache=True)
        # Newer versions of transformers call the cache `cache`, and warn about the older name.
        names = [name for name in CACHES if getattr(out, name, None) is not None]
        if not names:
            raise TypeError("the model keeps no cache")
        more = {names[0]: getattr(out, names[0]), "use_cache": True}
        answer = whole
        for i in range(KEPT, ids.shape[1]):
            answer = _answer(model, ids[:, i : i + 1], **more)
        return answer

    def answer_with_padding() -> Any:
        row = torch.nn.functional.pad(ids, (PADDING, 0), value=pad)
        mask = torch.ones_like(row)
        mask[:, :PADDING] = 0
        return _answer(model, row, attention_mask=mask)

    return move(answer_with_cache), move(answer_with_padding)


def _add_first_look(result: Trace, limit: float) -> None:
    """Report how far a cache and padding change the answer, with a finding for the cache."""
    for name, off in (("cached", result.cached), ("padded", result.padded)):
        if off is None:
            result.notes.append(DATA["trace"][f"{name}_missing"])
            continue
        short = format_number(round_significant(off, 2)) if off > 0 else "0"
        words = {"off": short}
        if off <= limit:
            result.notes.append(DATA["trace"][f"{name}_same"].format(**words))
        elif name == "padded":
            result.notes.append(DATA["trace"]["padded_moves"].format(**words))
        else:
            scheme = result.entries[0].diagnosis.scheme if result.entries else "unknown"
            d = Diagnosis(scheme, sure=True)
            d.problem("cache_differs", off=short)
            result.entries.append(Entry("the answer with a cache", d, count=1))
