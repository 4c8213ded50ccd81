"""A whole model, or what is left of it in files: what holds positions, found and diagnosed."""

import copy
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _config
from pe_lib.doctor._config import Group
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import told
from pe_lib.doctor._sentences import SCHEMES

# tensors that hold positions, as published models name them
KNOWN = re.compile(
    r"(^|[._/])(inv_freq|freqs?|freqs_cis|rope_freqs|cos|sin|cos_cached|sin_cached|cos_sin_cache|"
    r"cos_cache|sin_cache|freqs_cos|freqs_sin|pos_embed|pos_embedding|position_embed\w*|"
    r"positional_embedding|pos_emb|wpe|embed_positions|pe|positional_encoding|pos_table|"
    r"relative_attention_bias|relative_position_bias_table|alibi(_bias|_slopes)?|slopes|"
    r"position_embd)([._/]?weights?)?$"
)
FREQUENCIES = re.compile(r"(^|[._/])(inv_freq|rope_freqs)([._/]?weights?)?$")
# causal masks, which older models keep beside their weights
MASK = re.compile(r"(^|[._])(attn|attention|self_attn)\.bias$")
# weights and what counts: their names say that they are no positions
OTHER = re.compile(
    r"(weight|bias|ids|num_batches_tracked|running_mean|running_var)$|"
    r"(^|[._/])(embed_tokens|wte|word_embeddings|shared|lm_head|[qkvo]_proj|\w*norm\w*|scales?)([._/]|$)"
)
LAYER = re.compile(r"(?:^|[._/])(?:layers?|h|blocks?|blk|resblocks)[._/](\d+)(?=[._/])")
# the type of layer that a buffer of several is for, and what DeepSeek-V4 calls two of them
TYPED = re.compile(r"(?:^|[._/])(?!original_|long_)([a-z]+)_\w*inv_freq$")
TYPES = {"main": "sliding", "compress": "compressed"}
SIGHT = re.compile(r"vision|visual|image")
POSITIONS = 8  # of which a module is asked: below every length at which frequencies change
SMALL = 1 << 22  # entries of a tensor of unknown name that is looked at

Get = Callable[[], Any]


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
        numbers = f" (layers {spans(self.layers)})" if len(self.layers) > 1 else ""
        return self.name + (f" and {told(self.count - 1)} more{numbers}" if self.count > 1 else "")

    def line(self) -> str:
        """What is healthy, in one line."""
        d = self.diagnosis
        facts = [SCHEMES[d.scheme], *([f"base {told(d.base)}"] if d.base else [])]
        fits = [f"fits {d.details['fits']}"] if "fits" in d.details else []
        return f"ok: {self.title}: {'; '.join([', '.join(facts), *fits])}."


@dataclass
class Report:
    """What `examine` found: an entry for each group of layers that hold the same, and notes."""

    entries: list[Entry]
    notes: list[str] = field(default_factory=list)
    wanted: "Wanted" = field(default_factory=lambda: Wanted(), repr=False)

    @property
    def healthy(self) -> bool:
        return all(entry.healthy for entry in self.entries)

    @property
    def problems(self) -> list[str]:
        """The names of all problems, each once."""
        return list(dict.fromkeys(name for x in self.entries for name in x.diagnosis.problems))

    def as_dicts(self) -> list[dict[str, Any]]:
        """One dictionary an entry: tensor, count, layers, healthy, and `Diagnosis.as_dict()`."""
        return [
            {"tensor": x.name, "count": x.count, "layers": x.layers, "healthy": x.healthy,
             **x.diagnosis.as_dict()}
            for x in self.entries
        ]  # fmt: skip

    def __str__(self) -> str:
        told_whole = [x for x in self.entries if not x.healthy or len(self.entries) == 1]
        wrong = [f"{x.title}\n{x.diagnosis}\n" for x in told_whole]
        right = [x.line() for x in self.entries if x not in told_whole]
        return "\n".join([*wrong, *right, *self.notes])


def examine(model: Any, config: Any = None) -> Report:
    """Everything in a model that holds positions, each compared with the model's configuration.

    `model` is a `torch.nn.Module` (its buffers, parameters and attributes are looked at, and its
    rotary modules asked for a few positions), a dictionary of arrays or tensors, or an open
    safetensors file. `config` is a dictionary as in config.json, or an object with `to_dict()`;
    without it `model.config` is taken, if there is one. Tensors are known by their names
    (`inv_freq`, `cos_cached`, `wpe`, `relative_attention_bias` …), buffers also by their numbers.
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
    given = getattr(model, "config", None) if config is None else config
    given = given.to_dict() if given is not None and hasattr(given, "to_dict") else given
    found = held(model)
    report = whole(found, given if isinstance(given, Mapping) or config is not None else None,
                   sure=config is not None)  # fmt: skip
    if hasattr(model, "named_modules") and report.wanted.text:
        report.entries += called(model, report.wanted, report.entries)
    return report


def assert_positions(model: Any, config: Any = None) -> None:
    """For a training script or a test: raises AssertionError with the report if anything is wrong.

    Takes what `examine` takes, and raises what it raises; call it after loading, before training.

    >>> import numpy as np
    >>> assert_positions({"inv_freq": np.zeros(64)})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: inv_freq
    No positions.
    ...
    """
    report = examine(model, config)
    if not report.healthy:
        raise AssertionError(str(report))


def whole(found: Mapping[str, Get], config: Any, sure: bool = False) -> Report:
    """All that may hold positions in a model; a configuration that is not known is an error only
    if it was given for sure.
    """
    notes, wanted = [], Wanted()
    try:
        wanted = Wanted() if config is None else asked(config)
    except (TypeError, ValueError) as error:
        if sure:
            raise
        notes.append(f"Compared with no configuration: {error}.")
    report = inspected(found, wanted, {name for name in found if KNOWN.search(name)})
    if not report.entries:
        notes.append("Nothing in it holds positions by its name or its numbers.")
        notes += [f"The configuration asks for {SCHEMES[x.scheme]} in {x.name}."
                  for x in wanted.groups]  # fmt: skip
    report.notes = notes
    return report


def asked(config: Mapping[str, Any]) -> "Wanted":
    """What a configuration asks for. Raises what `pe_lib.checkpoints.layers` raises."""
    text = _config.groups(config)
    if not isinstance(config.get("vision_config"), Mapping):
        return Wanted(text)
    try:
        return Wanted(text, _config.groups(config["vision_config"]))
    except ValueError:  # an image tower that is not known
        return Wanted(text, [])


@dataclass
class Wanted:
    """What a configuration asks for, by the part of the model that a name belongs to."""

    text: list[Group] = field(default_factory=list)
    sight: list[Group] | None = None  # of a model that also sees

    @property
    def groups(self) -> list[Group]:
        return [*self.text, *(self.sight or [])]

    def of(self, name: str) -> tuple[list[Group], list[Group]]:
        """The groups that a tensor of this name may belong to, and all groups of its part."""
        sees = self.sight is not None and SIGHT.search(name)
        everything = (self.sight or []) if sees else self.text
        typed = TYPED.search(name)
        kind = TYPES.get(typed[1], typed[1]) if typed else None
        found = [x for x in everything if kind is None or kind in x.kinds]
        found = [x for x in found if re.search(rf"(^|[._/]){x.layer.part}", name)] or found
        found = [x for x in found if number(name) in x.layers] or found
        return found, everything


def number(name: str) -> int | None:
    """The layer in a tensor's name."""
    found = LAYER.search(name)
    return int(found[1]) if found else None


def spans(numbers: Sequence[int]) -> str:
    """Numbers as people write them: [0, 1, 2, 5] is "0-2, 5"."""
    runs: list[list[int]] = []
    for n in sorted(set(numbers)):
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{x[0]}-{x[-1]}" if len(x) > 1 else f"{x[0]}" for x in runs)


def held(model: Any) -> dict[str, Get]:
    """What in a model may hold positions, by name, not read yet."""
    if hasattr(model, "named_modules") and hasattr(model, "named_buffers"):
        found = {n: x for n, x in model.named_parameters() if KNOWN.search(n)}
        found |= {n: x for n, x in model.named_buffers() if KNOWN.search(n) or _maybe(n, x)}
        for name, module in model.named_modules():
            for key, x in vars(module).items():
                if hasattr(x, "detach") and KNOWN.search(key):
                    found[f"{name}.{key}" if name else key] = x
        return {name: partial(_same, x) for name, x in found.items()}
    if hasattr(model, "get_slice") and hasattr(model, "keys"):  # an open safetensors file
        names = [n for n in list(model.keys()) if KNOWN.search(n) or MASK.search(n)]
        return {name: partial(model.get_tensor, name) for name in names}
    if isinstance(model, Mapping):
        kept = {n: x for n, x in model.items() if KNOWN.search(n) or _maybe(n, x)}
        return {name: partial(_same, x) for name, x in kept.items()}
    raise TypeError(
        "model must be a torch.nn.Module, a dictionary of tensors or an open safetensors file, "
        f"got {type(model).__name__}"
    )


def _same(x: Any) -> Any:
    return x


def _maybe(name: str, x: Any) -> bool:
    """Whether a tensor of unknown name is worth a look: small, and its name says nothing else."""
    shape = tuple(getattr(x, "shape", ()))
    if MASK.search(name):
        return len(shape) > 1
    size = int(np.prod(shape, dtype=object))
    return 1 <= len(shape) <= 4 and 4 <= size <= SMALL and not OTHER.search(name)


def inspected(
    found: Mapping[str, Get], wanted: Wanted, sure: Collection[str] | None = None
) -> Report:
    """Each of these diagnosed, the same numbers of one group once.

    Of names that are not in `sure` only what is positions for certain is reported.
    """
    same: dict[tuple[Any, ...], Entry | None] = {}  # by their numbers
    alike: dict[tuple[Any, ...], Entry] = {}  # and, where they differ and are right, by their names
    for name, arrays in _together(found):
        groups, everything = wanted.of(name)
        values = [numbers(x) for x in arrays]
        data = [b"" if x is None else np.ascontiguousarray(x).tobytes() for x in values]
        key = (*data, *(tuple(x.shape) for x in arrays), *map(id, groups))
        entry = same.get(key)
        if key not in same:
            entry = _entry(name, values, arrays, groups, everything)
            if entry and sure is not None and not {*name.split(", ")} & {*sure}:
                entry = entry if entry.diagnosis.sure else None
            if entry and entry.healthy:
                place = (LAYER.sub("", name), entry.diagnosis.scheme, *map(id, groups))
                entry = alike.setdefault(place, entry)
            elif entry:
                alike[key] = entry
            same[key] = entry
        if entry:
            entry.count += 1
            layer = number(name)
            if layer is not None and layer not in entry.layers:
                entry.layers.append(layer)
    return Report(list(alike.values()), wanted=wanted)


def _entry(
    name: str, values: list[Any], given: list[Any], groups: list[Group], everything: list[Group]
) -> Entry | None:
    if any(x is None for x in values):
        d = Diagnosis()
        shape = " × ".join(told(n) for n in given[0].shape)
        d.problem("on_meta", shape=shape)
        return Entry(name, d)
    if MASK.search(name):
        return _mask(name, values[0])
    try:
        d = _named(name, values)
    except (TypeError, ValueError) as error:
        d = Diagnosis(details={"notes": [f"Not looked at: {error}."]})
    rotary = FREQUENCIES.search(name) is not None or len(values) == 2
    if _speaks(values, d, rotary, groups):
        _config.against(d, values, groups)
        if d.problems:
            rest = [x for x in everything if x not in groups and x.layer.part != "vision"]
            other = [x for x in rest if _config.explained(values, x.layer, d)]
            if other:
                d.problems, d.findings = [], []
                d.problem("other_layers", found=other[0].name, wanted=groups[0].name)
    unlike = not (d.sure or _falls(values)) or (len(values) == 1 and not _turns(values[0]))
    if rotary and unlike and "not_finite" not in d.problems and "all_zero" not in d.problems:
        d.problems, d.findings, d.alternatives = [], [], []
        first = ", ".join(told(float(v)) for v in values[0].reshape(-1)[:4])
        d.problem("never_filled", f"they begin {first}")
    return Entry(name, d)


def _falls(values: list[Any]) -> bool:
    """Whether these are frequencies of some kind, which what lay in memory is not."""
    w = values[0]
    falling = w.ndim == 1 and bool(w[0] > 0 and w[-1] >= 0 and (np.diff(w) <= 0).all())
    return len(values) == 1 and falling


def _turns(w: NDArray[Any]) -> bool:
    """Whether no pair turns backwards, or by more than a circle from one position to the next."""
    return bool(w.min() >= 0 and w.max() <= 2 * np.pi)


def _speaks(values: list[Any], d: Diagnosis, rotary: bool, groups: Sequence[Group]) -> bool:
    """Whether a configuration says anything of such an array.

    A table beside a rotation may be there for something else, and programs count the patches of an
    image in units of their own.
    """
    if any(_config.explained(values, x.layer, d) for x in groups):
        return True
    here = [x for x in groups if x.layer.part != "vision"]
    tables = [x for x in here if x.scheme in ("learned", "sinusoidal") and x.layer.rows]
    return bool((rotary and here) or tables) or any(x.scheme == d.scheme for x in here)


def _named(name: str, values: list[Any]) -> Diagnosis:
    """Arrays whose name may say what their numbers cannot."""
    if len(values) == 2:
        return identify(values[0], values[1])
    x = values[0]
    if re.search(r"cos_sin_cache$", name) and x.ndim == 2 and x.shape[1] % 2 == 0:
        values[:] = [x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :]]
        return identify(*values)
    d = identify(x)
    if re.search(r"relative_(attention_bias|position_bias_table)", name) and not d.sure:
        d.scheme, d.layout = "t5", None
        d.details["buckets"] = int(x.shape[0])
    return d


def _mask(name: str, x: NDArray[Any]) -> Entry | None:
    """A causal mask shows the past, or the last keys of it, and nothing else."""
    square = np.asarray(x).reshape(-1, x.shape[-1])
    if square.shape[0] != square.shape[1]:
        return None
    d = Diagnosis(scheme="mask", sure=True)
    window = int((square != 0).sum(axis=1).max())
    seen = np.tri(len(square)) - np.tri(len(square), k=-window)  # the last `window` keys, or all
    if window == 0 or not np.array_equal(square != 0, seen != 0):
        d.problem("not_causal")
    return Entry(name, d)


def _together(found: Mapping[str, Get]) -> Iterable[tuple[str, list[Any]]]:
    """Cosines and sines that belong together, by their names; everything else alone."""
    used: set[str] = set()
    for name, get in found.items():
        if name in used:
            continue
        used.add(name)
        part = re.search(r"(?:^|[._/]|freqs_)(cos|sin)(?=$|[._/]|_cached|_cache)", name)
        word = {"cos": "sin", "sin": "cos"}[part[1]] if part else ""
        other = name[: part.start(1)] + word + name[part.end(1) :] if part else name
        if other != name and other in found:
            used.add(other)
            pair = sorted([name, other], key=lambda n: len(re.findall("sin", n)))
            cos, sin = (found[n]() for n in pair)
            if cos.shape == sin.shape:
                yield ", ".join(pair), [cos, sin]
                continue
            yield other, [found[other]()]
        x = get()
        yield name, [x.real, x.imag] if "complex" in str(getattr(x, "dtype", "")) else [x]


def numbers(x: Any) -> NDArray[Any] | None:
    """The numbers of an array or tensor; None of one on the meta device, which has none."""
    if getattr(x, "is_meta", False):
        return None
    if hasattr(x, "detach"):
        x = x.detach().cpu()
        x = x.float() if "bfloat16" in str(x.dtype) else x
        x = x.numpy()
    return np.asarray(x)


def called(model: Any, wanted: Wanted, seen: Sequence[Entry]) -> list[Entry]:
    """What rotary modules return for the first positions, where their buffers are right."""
    ill = {name for x in seen if not x.healthy for name in [x.name.rpartition(".")[0]]}
    made: dict[tuple[bytes, ...], Entry] = {}
    for name, module in model.named_modules():
        buffers = {k: x for k, x in module.named_buffers() if re.fullmatch(r"(\w+_)?inv_freq", k)}
        takes = [*inspect.signature(module.forward).parameters] if buffers else []
        groups, _ = wanted.of(f"{name}.")
        if takes[:2] != ["x", "position_ids"] or name in ill or not groups:
            continue
        types = [k.removesuffix("inv_freq") for k in buffers if "original" not in k]
        for kind in types if "layer_type" in takes else [""]:
            answer = _asked(module, next(iter(buffers.values())), kind.rstrip("_"))
            if answer is None:
                continue
            where = f"{name}(x, position_ids{f', {kind[:-1]!r}' if kind else ''})"
            groups, _ = wanted.of(f"{name}.{kind}inv_freq")
            if not groups:
                continue
            d = _config.against(identify(*answer), answer, groups)
            key = tuple(x.tobytes() for x in answer)
            if key not in made:
                made[key] = Entry(where, d, count=1)
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
