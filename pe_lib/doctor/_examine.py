"""A whole model, or what is left of it in files: what holds positions, found and diagnosed."""

import copy
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.checkpoints._groups import ranges
from pe_lib.doctor import _config
from pe_lib.doctor._arrays import to_numpy
from pe_lib.doctor._config import VISION, Group, Requirements, read_requirements
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._probe import probe
from pe_lib.doctor._sentences import SCHEMES
from pe_lib.doctor._tensors import (
    FREQUENCIES,
    KNOWN,
    LAYER,
    MASK,
    find_tensors,
    group_tensors,
    layer_number,
)

CERTAIN = ("rotary", "sinusoidal", "alibi")  # what is looked for under unknown names
BUCKETS = re.compile(r"relative_(attention_bias|position_bias_table)|attn_rel_b")
POSITIONS = 8  # of which a module is asked: below every length at which frequencies change


@dataclass
class Entry:
    """Tensors of one kind of which the same is said, and what these are."""

    name: str  # of the first
    diagnosis: Diagnosis
    layers: list[int] = field(default_factory=list)  # by the numbers in their names
    count: int = 0

    @property
    def healthy(self) -> bool:
        """Whether a rule or the configuration holds, or the table is learned and without faults."""
        d = self.diagnosis
        return not d.problems and (d.sure or d.scheme in ("learned", "t5"))

    @property
    def title(self) -> str:
        more = f" and {format_number(self.count - 1)} more" if self.count > 1 else ""
        where = f" (layers {ranges(sorted(self.layers))})" if self.layers else ""
        return self.name + more + where

    @property
    def line(self) -> str:
        """What is said of it, if it is healthy."""
        d = self.diagnosis
        base = f", base {format_number(d.base)}" if d.base else ""
        fits = f"; fits {d.details['fits']}" if "fits" in d.details else ""
        return f"{SCHEMES[d.scheme]}{base}{fits}."


@dataclass
class Report:
    """What `examine` found: an entry for each group of layers that hold the same, and notes."""

    entries: list[Entry]
    notes: list[str] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        return all(entry.healthy for entry in self.entries)

    @property
    def problems(self) -> list[str]:
        """The names of all problems, each once."""
        return list(dict.fromkeys(name for x in self.entries for name in x.diagnosis.problems))

    def as_dicts(self) -> list[dict[str, Any]]:
        """One dictionary an entry: tensor, count, layers, healthy, and `Diagnosis.as_dict()`."""
        return [{"tensor": x.name, "count": x.count, "layers": x.layers, "healthy": x.healthy,
                 **x.diagnosis.as_dict()} for x in self.entries]  # fmt: skip

    def __str__(self) -> str:
        alone = len(self.entries) == 1
        wrong = [f"{x.title}\n{x.diagnosis}\n" for x in self.entries if alone or not x.healthy]
        right = [f"ok: {x.title}: {x.line}" for x in self.entries if not alone and x.healthy]
        return "\n".join([*wrong, *right, *self.notes])


def examine(model: Any, config: Any = None) -> Report:
    """Everything in a model that holds positions, each compared with the model's configuration.

    `model` is a `torch.nn.Module` (its buffers, parameters and attributes are looked at, and if all
    are right, its rotary modules asked for a few positions), a dictionary of arrays or tensors, or
    an open safetensors file. `config` is a dictionary as in config.json, or an object with
    `to_dict()`; without it `model.config` is taken, if there is one. Tensors are known by their
    names (`inv_freq`, `cos_cached`, `wpe`, `relative_attention_bias` …), others by their numbers.
    What the configuration asks for is said by `pe_lib.checkpoints`, and is all that is reported
    where nothing is found; of a kind of model that it does not know, each tensor is diagnosed by
    itself, and a note says so.

    Raises TypeError for a model that is none of these, and TypeError or ValueError for a `config`
    that was given and cannot be read.

    >>> import pe_lib
    >>> config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    ...           "num_hidden_layers": 32, "rope_theta": 5e5}
    >>> report = examine({"rotary_emb.inv_freq": pe_lib.frequencies(128, 5e5)}, config)
    >>> report.healthy, report.entries[0].diagnosis.details["fits"]
    (True, 'all 32 layers')
    >>> examine({"rotary_emb.inv_freq": pe_lib.frequencies(128)}, config).problems
    ['base_differs']
    """
    notes, wanted = [], Requirements()
    given: Any = getattr(model, "config", None) if config is None else config
    given = given.to_dict() if hasattr(given, "to_dict") else given
    try:
        wanted = wanted if given is None else read_requirements(given)
    except (TypeError, ValueError) as error:
        if config is not None:
            raise
        notes.append(f"Compared with no configuration: {error}.")
    report = Report(diagnose_tensors(find_tensors(model), wanted), notes)
    if report.healthy and hasattr(model, "named_modules"):
        report.entries += diagnose_modules(model, wanted)
    if not report.entries:
        if model:
            notes.append("Nothing in it holds positions by its name or its numbers.")
        report.entries = [Entry(x.name, _config.describe_group(x), [*x.layers], 1)
                          for x in [*wanted.text, *wanted.within.get(VISION, [])]]  # fmt: skip
    return report


def assert_positions(model: Any, config: Any = None) -> None:
    """For a training script or a test: raises AssertionError with the report if anything is wrong.

    Takes what `examine` takes, and raises what it raises; call it after loading, before training.
    Where only a function is at hand that turns vectors, a server's say, it takes what `probe` does.

    >>> import numpy as np
    >>> try:
    ...     assert_positions({"inv_freq": np.zeros(64)})
    ... except AssertionError as error:
    ...     print(str(error).splitlines()[1])
    No positions.
    """
    if callable(model) and not hasattr(model, "named_modules"):
        report = Report([Entry("function(x, t)", probe(model), count=1)])
    else:
        report = examine(model, config)
    if not report.healthy:
        raise AssertionError(str(report))


def diagnose_tensors(found: Mapping[str, Any], wanted: Requirements) -> list[Entry]:
    """Each of these diagnosed, the same numbers once; those of which the same is said together.

    Of unknown names, unless they were chosen to be read, only what is positions for certain.
    """
    known: dict[str, Diagnosis] = {}
    entries: dict[str, Entry] = {}
    for names, given in group_tensors(found):
        name, shape = names[0], given[0].shape
        groups, others = wanted.of(name)
        pattern = LAYER.sub("", name.replace("original_", ""))
        meta = getattr(given[0], "is_meta", False)  # such a tensor has a shape and no numbers
        arrays = [] if meta else [np.asarray(to_numpy(x)) for x in given]
        bits = [hash(x.tobytes()) for x in arrays]
        key = str([pattern, shape, bits, [group.name for group in groups]])
        if meta:
            known[key] = Diagnosis()
            known[key].problem("on_meta", shape=" × ".join(map(format_number, shape)))
        elif key not in known:
            known[key] = _diagnose(name, arrays, groups, others)
        d, layer = known[key], layer_number(name)
        certain = d.sure and d.scheme in CERTAIN
        if certain or callable(found[name]) or KNOWN.search(name):
            new = Entry(", ".join(names), d)
            entry = entries.setdefault(f"{pattern}: {new.line if new.healthy else d}", new)
            entry.count += 1
            if layer is not None and layer not in entry.layers:
                entry.layers.append(layer)
    return list(entries.values())


def _diagnose(
    name: str, arrays: list[NDArray[Any]], groups: list[Group], others: list[Group]
) -> Diagnosis:
    """What arrays of such a name are, compared with the groups that they may belong to."""
    try:
        d = identify(*arrays)
    except (TypeError, ValueError) as error:
        d = Diagnosis(details={"notes": [f"Not looked at: {error}."]})
    if BUCKETS.search(name) and not d.sure:
        d.scheme, d.layout = "t5", None
        d.details["buckets"] = int(arrays[0].shape[0])
    rotary = FREQUENCIES.search(name) is not None or len(arrays) == 2
    # A table beside a rotation may be there for something else, and programs count the patches of
    # an image in units of their own.
    speaks = any(_config.matching_format(arrays, x.layer, d) for x in groups) or any(
        rotary or x.scheme == d.scheme or (x.scheme in ("learned", "sinusoidal") and x.layer.rows)
        for x in groups if x.layer.part != "vision"
    )  # fmt: skip
    if speaks and not MASK.search(name):
        _config.compare_with_groups(d, arrays, groups, others)
    if rotary and not _is_plausible(d, arrays):
        d.alternatives = []
        d.drop(*d.problems)
        first = ", ".join(format_number(float(v)) for v in arrays[0].reshape(-1)[:4])
        d.problem("never_filled", f"they begin {first}")
    return d


def _is_plausible(d: Diagnosis, arrays: list[NDArray[Any]]) -> bool:
    """Whether these may turn pairs, as what lay in memory does not.

    Frequencies fall, none is negative, and none is above a circle from one position to the next.
    """
    w = arrays[0][np.isfinite(arrays[0])]
    if len(arrays) == 2 or w.size == 0:
        return d.sure or "not_finite" in d.problems
    falling = w[0] > 0 and (np.diff(w) <= 0).all()
    return bool((d.sure or falling) and w.min() >= 0 and w.max() <= 2 * np.pi)


def diagnose_modules(model: Any, wanted: Requirements) -> list[Entry]:
    """What rotary modules return for the first positions, each answer once."""
    made: dict[Any, Entry] = {}
    for name, module in model.named_modules():
        for buffer, like in module.named_buffers(recurse=False):
            found = re.fullmatch(r"(?:(\w+)_)?inv_freq", buffer)
            takes = [*inspect.signature(module.forward).parameters] if found else []
            if found is None or "original" in buffer or takes[:2] != ["x", "position_ids"]:
                continue
            more = [found[1]] if "layer_type" in takes else []
            groups, _ = wanted.of(f"{name}.{buffer}")
            answer = _call_module(module, like, more)
            if answer and groups:
                where = f"{name}({', '.join(['x', 'position_ids', *map(repr, more)])})"
                d = _config.compare_with_groups(identify(*answer), answer, groups)
                made.setdefault(tuple(x.tobytes() for x in answer), Entry(where, d, count=1))
    return list(made.values())


def _call_module(module: Any, like: Any, more: list[str]) -> list[NDArray[Any]]:
    """cos and sin (positions, n) of a module, from 0 on; none if it is called otherwise."""
    module = copy.deepcopy(module)  # some keep what the last call made
    x = like.new_zeros((1, 1, 1)).float()
    at = like.new_tensor([list(range(POSITIONS))]).long()
    for ids in (at, at.expand(3, 1, POSITIONS)):  # M-RoPE has three numbers a token
        try:
            answer = module(x, ids, *more)
            pair = answer if isinstance(answer, tuple) else (answer.real, answer.imag)
            cos, sin = (to_numpy(y).reshape(-1, POSITIONS, pair[0].shape[-1])[0] for y in pair)
        except Exception:  # whatever another's module raises
            continue
        return [cos, sin]
    return []
