"""A whole model, or what is left of it in files: what holds positions, found and diagnosed."""

import copy
import hashlib
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.checkpoints._groups import runs
from pe_lib.doctor import _config
from pe_lib.doctor._config import Group, Wanted, asked
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._held import FREQUENCIES, KNOWN, LAYER, MASK, held, number, numbers, together
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import told
from pe_lib.doctor._probe import probe
from pe_lib.doctor._sentences import SCHEMES

CERTAIN = ("rotary", "sinusoidal", "alibi")  # what is looked for under unknown names
POSITIONS = 8  # of which a module is asked: below every length at which frequencies change


@dataclass
class Entry:
    """Tensors that hold the same numbers for layers of one group, and what these are."""

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
        more = f" and {told(self.count - 1)} more" if self.count > 1 else ""
        spans = [f"{x[0]}-{x[-1]}" if len(x) > 1 else f"{x[0]}" for x in runs(sorted(self.layers))]
        return self.name + more + (f" (layers {', '.join(spans)})" if spans else "")

    def line(self) -> str:
        """What is healthy, in one line."""
        d = self.diagnosis
        base = f", base {told(d.base)}" if d.base else ""
        fits = f"; fits {d.details['fits']}" if "fits" in d.details else ""
        return f"ok: {self.title}: {SCHEMES[d.scheme]}{base}{fits}."


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
        right = [x.line() for x in self.entries if not alone and x.healthy]
        return "\n".join([*wrong, *right, *self.notes])


def examine(model: Any, config: Any = None) -> Report:
    """Everything in a model that holds positions, each compared with the model's configuration.

    `model` is a `torch.nn.Module` (its buffers, parameters and attributes are looked at, and if all
    are right, its rotary modules asked for a few positions), a dictionary of arrays or tensors, or
    an open safetensors file. `config` is a dictionary as in config.json, or an object with
    `to_dict()`; without it `model.config` is taken, if there is one. Tensors are known by their
    names (`inv_freq`, `cos_cached`, `wpe`, `relative_attention_bias` …), others by their numbers.
    What the configuration asks for is said by `pe_lib.checkpoints`; of a kind of model that it does
    not know, each tensor is diagnosed by itself, and a note says so.

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
    notes, wanted = [], Wanted()
    given: Any = getattr(model, "config", None) if config is None else config
    given = given.to_dict() if hasattr(given, "to_dict") else given
    try:
        wanted = asked(given) if isinstance(given, Mapping) or config is not None else wanted
    except ValueError as error:
        if config is not None:
            raise
        notes.append(f"Compared with no configuration: {error}.")
    report = inspected(held(model), wanted)
    if report.healthy and hasattr(model, "named_modules"):
        report.entries += called(model, wanted)
    if not report.entries:
        notes.append("Nothing in it holds positions by its name or its numbers.")
        notes += [f"The configuration asks for {SCHEMES[x.scheme]} in {x.name}."
                  for x in wanted.groups]  # fmt: skip
    report.notes = notes
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
        found = Entry("", probe(model))
        if not found.healthy:
            raise AssertionError(str(found.diagnosis))
    elif not (report := examine(model, config)).healthy:
        raise AssertionError(str(report))


def inspected(found: Mapping[str, Any], wanted: Wanted, guess: bool = False) -> Report:
    """Each of these diagnosed, the same numbers of one group once.

    Of unknown names only what is positions for certain is reported, unless it is to `guess`.
    """
    same: dict[Any, Entry | None] = {}  # by their numbers
    alike: dict[Any, Entry] = {}  # and, where they differ and are right, by their names
    for name, given in together(found):
        if MASK.search(name) and len(given[0].shape) < 2:
            continue
        groups, everything = wanted.of(name)
        arrays = [numbers(x) for x in given]
        data = [np.ascontiguousarray(0 if x is None else x).data for x in arrays]
        digests = (hashlib.blake2b(x).digest() for x in data)
        key = (*digests, *(tuple(x.shape) for x in given), *map(id, groups))
        if key not in same:
            entry = Entry(name, _diagnosis(name, given, arrays, groups, everything))
            certain = entry.diagnosis.sure and entry.diagnosis.scheme in CERTAIN
            place = key
            if entry.healthy:
                place = (LAYER.sub("", name), entry.diagnosis.scheme, *map(id, groups))
            told_of = guess or certain or KNOWN.search(name.partition(",")[0])
            same[key] = alike.setdefault(place, entry) if told_of else None
        if known := same[key]:
            known.count += 1
            layer = number(name)
            if layer is not None and layer not in known.layers:
                known.layers.append(layer)
    return Report(list(alike.values()))


def _diagnosis(
    name: str, given: list[Any], arrays: list[Any], groups: list[Group], everything: list[Group]
) -> Diagnosis:
    """What arrays of such a name are, compared with the groups that they may belong to."""
    if any(x is None for x in arrays):
        d = Diagnosis()
        d.problem("on_meta", shape=" × ".join(told(n) for n in given[0].shape))
        return d
    try:
        d = identify(*arrays)
    except (TypeError, ValueError) as error:
        d = Diagnosis(details={"notes": [f"Not looked at: {error}."]})
    if re.search(r"relative_(attention_bias|position_bias_table)|attn_rel_b", name) and not d.sure:
        d.scheme, d.layout = "t5", None
        d.details["buckets"] = int(arrays[0].shape[0])
    rotary = FREQUENCIES.search(name) is not None or len(arrays) == 2
    if not MASK.search(name) and _speaks(arrays, d, rotary, groups):
        _config.against(d, arrays, groups)
        rest = [x for x in everything if x not in groups and x.layer.part != "vision"]
        other = [x for x in rest if _config.explained(arrays, x.layer, d)]
        if other and "fits" not in d.details:
            d.problems, d.findings = [], []
            d.problem("other_layers", found=other[0].name, wanted=groups[0].name)
    if rotary and not _plausible(d, arrays):
        d.problems, d.findings, d.alternatives = [], [], []
        first = ", ".join(told(float(v)) for v in arrays[0].reshape(-1)[:4])
        d.problem("never_filled", f"they begin {first}")
    return d


def _plausible(d: Diagnosis, arrays: list[NDArray[Any]]) -> bool:
    """Whether these may turn pairs, as what lay in memory does not.

    Frequencies fall, none is negative, and none is above a circle from one position to the next.
    """
    w = arrays[0][np.isfinite(arrays[0])]
    if len(arrays) == 2 or w.size == 0:
        return d.sure or "not_finite" in d.problems
    falling = w[0] > 0 and (np.diff(w) <= 0).all()
    return bool((d.sure or falling) and w.min() >= 0 and w.max() <= 2 * np.pi)


def _speaks(arrays: list[Any], d: Diagnosis, rotary: bool, groups: list[Group]) -> bool:
    """Whether a configuration says anything of such an array.

    A table beside a rotation may be there for something else, and programs count the patches of an
    image in units of their own.
    """
    if any(_config.explained(arrays, x.layer, d) for x in groups):
        return True
    here = [x for x in groups if x.layer.part != "vision"]
    tables = [x for x in here if x.scheme in ("learned", "sinusoidal") and x.layer.rows]
    return bool((rotary and here) or tables) or any(x.scheme == d.scheme for x in here)


def called(model: Any, wanted: Wanted) -> list[Entry]:
    """What rotary modules return for the first positions, each answer once."""
    made: dict[tuple[bytes, ...], Entry] = {}
    for name, module in model.named_modules():
        buffers = {k: x for k, x in module.named_buffers() if re.fullmatch(r"(\w+_)?inv_freq", k)}
        takes = [*inspect.signature(module.forward).parameters] if buffers else []
        if takes[:2] != ["x", "position_ids"]:
            continue
        types = [k.removesuffix("inv_freq") for k in buffers if "original" not in k]
        for kind in types if "layer_type" in takes else [""]:
            groups, _ = wanted.of(f"{name}.{kind}inv_freq")
            answer = _asked(module, next(iter(buffers.values())), kind.rstrip("_"))
            if answer is None or not groups:
                continue
            where = f"{name}(x, position_ids{f', {kind[:-1]!r}' if kind else ''})"
            d = _config.against(identify(*answer), answer, groups)
            made.setdefault(tuple(x.tobytes() for x in answer), Entry(where, d, count=1))
    return list(made.values())


def _asked(module: Any, like: Any, kind: str) -> list[NDArray[Any]] | None:
    """cos and sin (positions, n) of a module, from 0 on; None if it is called otherwise."""
    module = copy.deepcopy(module)  # some keep what the last call made
    x = like.new_zeros((1, 1, 1)).float()
    at = like.new_tensor([list(range(POSITIONS))]).long()
    for ids in (at, at.expand(3, 1, POSITIONS)):  # M-RoPE has three numbers a token
        try:
            answer = module(x, ids, kind) if kind else module(x, ids)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, KeyError):
            continue
        pair = answer if isinstance(answer, tuple) else (answer.real, answer.imag)
        found = [y for y in map(numbers, pair) if y is not None]
        if len(found) == 2 and all(y.shape[-2:-1] == (POSITIONS,) for y in found):
            return [y.reshape(-1, POSITIONS, y.shape[-1])[0] for y in found]
    return None
