"""Find the tensors in a model, or in its files, that encode positions, and diagnose them."""

import copy
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.checkpoints._groups import ranges
from pe_lib.doctor import (
    _axes,
    _batches,
    _config,
    _fill,
    _formats,
    _ids,
    _masks,
    _matching,
    _requirements,
    _windows,
)
from pe_lib.doctor._arrays import to_numpy
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._folder import Files
from pe_lib.doctor._function import compare_function
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._probe import probe
from pe_lib.doctor._requirements import VISION, Group, Requirements, read_requirements
from pe_lib.doctor._sentences import SCHEMES
from pe_lib.doctor._tensors import (
    ATTENTION,
    FREQUENCIES,
    IDS,
    INDEX,
    KNOWN,
    LAYER,
    MASK,
    STORED_IDS,
    TEXTS,
    find_tensors,
    group_tensors,
    layer_number,
)

# A tensor with an unknown name is reported only if its diagnosis has one of these schemes.
CERTAIN = ("rotary", "sinusoidal", "alibi", "ids", "index", "relative", "coordinates")
# If a bias has one of these schemes, only its number of heads or buckets is compared.
COUNTED = ("alibi", "t5")
BUCKETS = re.compile(r"relative_attention_bias|attn_rel_b")
WINDOW_TABLE = re.compile(r"relative_position_bias_table")
# OTHER_TABLE finds learned tables for queries, boxes, times and layers, which are not positions in
# a text, so that no configuration describes them.
OTHER_TABLE = re.compile(r"query|object|box_|(^|[._/])[xyhw]_|row_|col(umn)?_|time|level|segment")
# WITHOUT_FIRST_ROWS finds tables in GGUF files, which lack the rows before the first position.
WITHOUT_FIRST_ROWS = re.compile(r"(^|[._/])position_embd([._/]|$)")
# VECTOR finds a single vector that is added to a token, such as the position of a class token.
VECTOR = re.compile(r"(emb\w*|encoding|token)([._/]?weight)?$")
# Frequencies that are stored axis after axis form at most this many falling runs.
MAX_RUNS = 4
# Names of caches that hold only cosines, or only sines, and of tables that are added to embeddings.
WAVES = {
    "cosines": re.compile(r"(^|[._/]|freqs_)cos(_?cached?)?$"),
    "sines": re.compile(r"(^|[._/]|freqs_)sin(_?cached?)?$"),
}
ADDED_TABLE = re.compile(
    r"(^|[._/])(pos_embed(ding)?|position_embed\w*|positional_embedding|embed_positions|pe"
    r"|positional_encoding|pos_table)([._/]weight)?$"
)
EMBED = re.compile(r"(^|[._/])embed_positions$")  # GPT-J's buffer of sines and cosines
SIDE_BY_SIDE = re.compile(r"cos_sin_cache$")  # a buffer of cosines and sines, read as two arrays
CACHE = re.compile(r"cos_(sin_)?cached?$")  # a buffer with one row for each position
COORDINATES = re.compile(r"relative_coords_table$")
SLOPES = re.compile(r"slopes|alibi")
# Modules are called for only 8 positions, because some change their frequencies in long texts.
POSITIONS = 8


@dataclass
class Entry:
    """A group of tensors with the same diagnosis, such as equal buffers in every layer."""

    name: str  # the name of the first tensor in the group
    diagnosis: Diagnosis
    # the layer numbers that appear in the tensors' names
    layers: list[int] = field(default_factory=list)
    count: int = 0

    @property
    def healthy(self) -> bool:
        """Return whether the tensors fit a rule or the configuration, or are learned and intact."""
        d = self.diagnosis
        # The positions of cosines and sines may be unknown, without being wrong.
        is_known = d.sure or d.scheme in ("learned", "t5", "ids", "index") or "turns" in d.details
        is_known = is_known or "unusual" in d.details
        return not d.problems and is_known

    @property
    def title(self) -> str:
        more = f" and {format_number(self.count - 1)} more" if self.count > 1 else ""
        where = f" (layers {ranges(sorted(self.layers))})" if self.layers else ""
        return self.name + more + where

    @property
    def line(self) -> str:
        """Return the one line about a healthy entry in the report."""
        d = self.diagnosis
        base = f", base {format_number(d.base)}" if d.base else ""
        fits = f"; fits {d.details['fits']}" if "fits" in d.details else ""
        return f"{SCHEMES[d.scheme]}{base}{fits}."


@dataclass
class Report:
    """The result of `examine`: notes, and an entry for each group of tensors."""

    entries: list[Entry]
    notes: list[str] = field(default_factory=list)
    has_config: bool = False  # whether there was a configuration to compare tensors with
    # whether that configuration could be read, and says what each layer does
    has_groups: bool = field(default=True, init=False)
    # whether the report describes the configuration with which other files are compared
    is_reference: bool = False

    @property
    def healthy(self) -> bool:
        return all(entry.healthy for entry in self.entries)

    @property
    def status(self) -> str:
        """Return "found", "unknown", "not compared" or "healthy".

        "unknown" means that the doctor does not know some numbers. "not compared" means that no
        tensor was read, or that a configuration was given and no tensor could be compared with it.
        """
        if not self.healthy:
            return "found" if self.problems else "unknown"
        read = [x for x in self.entries if "asked" not in x.diagnosis.details]
        has_match = any(
            "fits" in x.diagnosis.details or (self.has_groups and x.diagnosis.scheme in COUNTED)
            for x in read
        )
        is_compared = read and (has_match or not self.has_config)
        return "healthy" if is_compared or self.is_reference else "not compared"

    @property
    def problems(self) -> list[str]:
        """Return the names of the problems in all entries, without repetitions."""
        return list(dict.fromkeys(name for x in self.entries for name in x.diagnosis.problems))

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each entry: its tensor, count, layers, health and diagnosis."""
        return [{"tensor": x.name, "count": x.count, "layers": sorted(x.layers),
                 "healthy": x.healthy, **x.diagnosis.as_dict()} for x in self.entries]  # fmt: skip

    def __str__(self) -> str:
        is_alone = len(self.entries) == 1
        in_full = [x for x in self.entries if is_alone or not x.healthy]
        in_a_line = [x for x in self.entries if x.healthy and not is_alone]
        texts = [f"{x.title}\n{x.diagnosis}\n" for x in in_full]
        lines = [f"ok: {x.title}: {x.line}" for x in in_a_line]
        text = "\n".join([*texts, *lines, *self.notes])
        if self.status != "not compared":
            return text
        are_asked = all("asked" in x.diagnosis.details for x in self.entries)
        last = DATA["report"]["nothing_read" if are_asked else "not_compared"]
        kept = [line for line in text.splitlines() if line != DATA["summary"]["healthy"]]
        return "\n".join([*kept, last])


def examine(model: Any, config: Any = None) -> Report:
    """Diagnose all tensors that encode positions, and compare them with the model's configuration.

    `model` is a `torch.nn.Module`, a dictionary of arrays or tensors, an open safetensors file, or
    a function as `probe` takes it, which is called for vectors of the configured width.
    For a module, the buffers, parameters and attributes are examined. If they are all right, its
    rotary modules are called for a few positions. `config` is a dictionary as in config.json, or an
    object with `to_dict()`. Without `config`, `model.config` is used if it exists.

    Tensors are recognised by their names (`inv_freq`, `cos_cached`, `wpe`,
    `relative_attention_bias` …), and others by their numbers. `pe_lib.checkpoints` says what the
    configuration asks for. If no tensor holds positions, the report contains only a note that says
    so. If `pe_lib.checkpoints` does not know this kind of model, each tensor is diagnosed by
    itself, and a note says so.

    Raises TypeError for a `model` of any other type, and TypeError or ValueError for a `config`
    that cannot be read.

    >>> import pe_lib
    >>> config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    ...           "num_hidden_layers": 32, "rope_theta": 5e5}
    >>> report = examine({"rotary_emb.inv_freq": pe_lib.frequencies(128, 5e5)}, config)
    >>> report.healthy, report.entries[0].diagnosis.details["fits"]
    (True, 'all 32 layers')
    >>> examine({"rotary_emb.inv_freq": pe_lib.frequencies(128)}, config).problems
    ['base_differs']
    """
    requirements, notes = _read_config(model, config)
    has_config = config is not None or getattr(model, "config", None) is not None
    if _is_function(model):
        groups = requirements.text
        d = compare_function(model, groups) if groups else probe(model)
        return Report([Entry("function(x, t)", d, count=1)], notes, has_config)
    report = Report(diagnose_tensors(find_tensors(model), requirements), notes, has_config)
    report.has_groups = bool(requirements.text)
    if isinstance(model, Files) and model.is_whole:
        _accept_stored_halves(report.entries, model)
    if report.healthy and hasattr(model, "named_modules"):
        report.entries += diagnose_modules(model, requirements)
    _report_missing_layers(report, requirements, getattr(model, "is_whole", True))
    if not report.entries:
        if model:
            notes.append(DATA["report"]["no_positions"])
        groups = [*requirements.text, *requirements.within.get(VISION, [])]
        report.entries = [
            Entry(x.name, _requirements.describe_group(x), [*x.layers], 1) for x in groups
        ]
    return report


def _report_missing_layers(report: Report, requirements: Requirements, is_whole: bool) -> None:
    """Report rotary layers whose frequencies are in no tensor, although others' frequencies are.

    If the tensors belong to single layers, or an array was saved alone, they may be only a part of
    the model. Then the report gets a note instead of a problem.
    """
    if not report.healthy:
        return
    fitting = {name for x in report.entries for name in x.diagnosis.details.get("fits_groups", [])}
    for groups in (requirements.text, *requirements.within.values()):
        missing = _requirements.find_groups_without_numbers(groups, fitting)
        names = {group.name for group in groups}
        users = [x for x in report.entries
                 if names & {*x.diagnosis.details.get("fits_groups", [])}]  # fmt: skip
        for group in missing:
            words = {"layers": group.name, "need": _requirements.name_rule(group)}
            # Frequencies and caches serve all layers, but the cosines and sines of one call serve
            # only one kind of layer.
            serve_all = any(FREQUENCIES.search(x.name) or CACHE.search(x.name.split(",")[0])
                            for x in users)  # fmt: skip
            if is_whole and serve_all and not any(entry.layers for entry in users):
                users[0].diagnosis.problem("layers_missing", **words)
            else:
                text = DATA["report"]["layers_missing"]
                report.notes.append(str(text.format(**words)))


def _accept_stored_halves(entries: list[Entry], files: Files) -> None:
    """Replace the finding on frequencies in half precision by a note if no program reads them.

    Older versions of transformers stored this buffer in the checkpoint, in the format of the
    weights (Pythia). Newer versions compute it, and leave out what the file holds.
    """
    name = "half_precision_frequencies"
    for entry in entries:
        d = entry.diagnosis
        is_buffer = FREQUENCIES.search(entry.name) is not None and "fits" in d.details
        if d.problems == [name] and is_buffer and files.is_stored_in_half(entry.name):
            d.drop(name)
            d.note("stored_in_half", form=d.precision)


def _is_function(model: Any) -> bool:
    return callable(model) and not hasattr(model, "named_modules")


def _read_config(model: Any, config: Any) -> tuple[Requirements, list[str]]:
    """Return what a configuration requires, and notes. By default, read the model's configuration.

    Raises TypeError or ValueError if the configuration that was given cannot be read.
    """
    settings: Any = getattr(model, "config", None) if config is None else config
    settings = settings.to_dict() if hasattr(settings, "to_dict") else settings
    if settings is None:
        return Requirements(), []
    try:
        requirements = read_requirements(settings)
        return requirements, [DATA["report"]["doubt"].format(what=x) for x in requirements.notes]
    except (TypeError, ValueError) as error:
        if config is not None:
            raise
        return Requirements(), [str(DATA["report"]["no_config"].format(why=error))]


def assert_positions(model: Any, config: Any = None) -> None:
    """Raise AssertionError with the report if the doctor finds a mistake in a model's positions.

    Call this function in a training script or a test, after loading and before training. It takes
    the arguments of `examine` and raises the same errors. If all you have is a function that
    rotates vectors, as with a server, pass that function, in the form that `probe` takes. It is
    compared with the configuration, too.

    >>> import numpy as np
    >>> try:
    ...     assert_positions({"inv_freq": np.zeros(64)})
    ... except AssertionError as error:
    ...     print(str(error).splitlines()[1])
    No positions.
    """
    report = examine(model, config)
    if not report.healthy:
        raise AssertionError(str(report))


def diagnose_tensors(tensors: Mapping[str, Any], requirements: Requirements) -> list[Entry]:
    """Diagnose each distinct tensor once, and return an entry for each distinct diagnosis.

    A tensor with an unknown name has an entry only if it certainly holds positions, or if its user
    chose it. A chosen tensor comes as a function that reads it.
    """
    has_local = _requirements.has_local_module(tensors)
    diagnoses: dict[str, Diagnosis] = {}
    entries: dict[str, Entry] = {}
    batch = _batches.Batch()
    for names, values in group_tensors(tensors):
        name, shape = names[0], values[0].shape
        groups, others = requirements.of(name, has_local)
        pattern = LAYER.sub("", name.replace("original_", ""))
        # A tensor on the meta device has a shape but contains no numbers.
        is_meta = getattr(values[0], "is_meta", False)
        arrays = [] if is_meta else [np.asarray(to_numpy(x)) for x in values]
        bits = [hash(x.tobytes()) for x in arrays]
        key = str([pattern, shape, bits, [group.name for group in groups]])
        if is_meta:
            diagnoses[key] = Diagnosis()
            diagnoses[key].problem("on_meta", shape=" × ".join(map(format_number, shape)))
        elif key not in diagnoses:
            rows = shape[-2] if len(shape) > 1 else 1
            all_rows = getattr(values[0], "all_rows", rows)
            diagnoses[key] = _diagnose(name, arrays, groups, others, all_rows)
            is_cache = CACHE.search(name.split(",")[0]) is not None
            if is_cache and requirements.longest and all(x.layer.axes is None for x in groups):
                may_grow = SIDE_BY_SIDE.search(name) is None
                longest = requirements.longest
                _config.report_short_cache(diagnoses[key], all_rows, longest, may_grow)
        d, layer = diagnoses[key], layer_number(name)
        if arrays:
            batch.add(name, arrays[0], d)
        if TEXTS.search(name) and len(tensors) > len(names):
            continue  # they only say which tokens of the other arrays belong to one text
        is_certain = d.scheme in CERTAIN and (d.sure or (d.scheme == "index" and d.problems))
        if is_certain or callable(tensors[name]) or KNOWN.search(name):
            new = Entry(", ".join(names), d)
            entry = entries.setdefault(f"{pattern}: {new.line if new.healthy else d}", new)
            entry.count += 1
            if layer is not None and layer not in entry.layers:
                entry.layers.append(layer)
    batch.report_conflicts()
    return list(entries.values())


def _diagnose(
    name: str,
    arrays: list[NDArray[Any]],
    groups: list[Group],
    others: list[Group],
    all_rows: int,
) -> Diagnosis:
    """Diagnose a tensor's arrays, and compare them with the layers to which its name may refer.

    The tensor has `all_rows` rows, of which the arrays may hold only the first ones.
    """
    if len(arrays) == 1 and (by_name := _diagnose_named(name, arrays[0], groups)):
        return by_name
    # Some programs store slopes with axes of length 1 for a batch, for queries and for keys.
    if SLOPES.search(name) and sum(n > 1 for n in arrays[0].shape) == 1:
        arrays = [x.reshape(-1) for x in arrays]
    groups = _without_first_rows(name, groups)
    d = _identify_named(name, arrays)
    if d.scheme == "ids":
        return _config.compare_ids(d, arrays[0], groups) if groups else d
    if arrays[0].ndim > 1 and arrays[0].shape[-2] < all_rows:
        d.all_rows = all_rows
        d.note("read", rows=arrays[0].shape[-2], all=all_rows)
    pair = _split_cache(name, arrays, d, groups)
    if pair:
        arrays, d = pair, identify(*pair)
        d.note("cosines_and_sines")
    _mark_buckets(d, name, arrays)
    groups = _without_offsets(name, d, groups)
    if d.scheme == "mask":
        return _config.compare_mask(d, groups)
    is_rotary = FREQUENCIES.search(name) is not None or len(arrays) == 2
    is_rotary = is_rotary or _may_be_frequencies(d, arrays[0], groups)
    # A table in a rotary model may serve another purpose, so a table is compared only with layers
    # of the same scheme. In vision models only the base is compared, because programs count patches
    # in different units.
    is_other = OTHER_TABLE.search(name) is not None
    may_match = bool(groups) and len(arrays) == 2 and "turns" in d.details
    may_match = may_match or any(_matching.matching_format(arrays, x.layer, d) for x in groups)
    is_configured = may_match or any(
        is_rotary or (x.scheme == d.scheme and not is_other)
        or (x.scheme in ("learned", "sinusoidal") and x.layer.rows and not is_other)
        or (x.layer.slopes is not None and arrays[0].ndim == 1)
        for x in groups if x.layer.part != "vision"
    )  # fmt: skip
    # In an image tower, a learned table can be compared, because it has a row for each patch.
    is_configured = is_configured or any(
        x.layer.part == "vision" and x.layer.rows and d.scheme == "learned"
        and arrays[0].shape[-1] != arrays[0].size and not is_other
        for x in groups
    )  # fmt: skip
    if is_configured and not MASK.search(name):
        _config.compare_with_groups(d, arrays, groups, others)
    elif FREQUENCIES.search(name) or (arrays[0].ndim == 1 and d.scheme == "rotary"):
        _config.compare_base(d, groups)
    _report_cosines_first(d, name)
    _report_lone_waves(d, name)
    if CACHE.search(name):
        _report_moved_cache(d, arrays[0].shape[-2])
    _accept_usual_rows(d)
    if FREQUENCIES.search(name) and d.scheme == "geometric" and not groups and not d.problems:
        # A list that falls evenly from 1 fits frequencies of any base. Only a configuration can say
        # whether its base is right.
        d.scheme, d.details["unusual"] = "rotary", True
    if is_rotary and not _is_plausible(d, arrays):
        d.alternatives = []
        d.drop(*d.problems)
        first = ", ".join(format_number(float(v)) for v in arrays[0].reshape(-1)[:4])
        d.problem("never_filled", f"they begin {first}")
    return d


def _diagnose_named(name: str, x: NDArray[Any], groups: list[Group]) -> Diagnosis | None:
    """Diagnose position ids, padding masks and indices, which are recognised by their names."""
    if IDS.search(name) and _ids.are_named_ids(x):
        d = _ids.diagnose_batch(x)
        return _config.compare_ids(d, x, groups) if groups else d
    if STORED_IDS.search(name):
        ids = np.asarray(x, np.float64)
        return _config.compare_stored_ids(_ids.diagnose_ids(ids), ids, groups)
    if ATTENTION.search(name) and x.ndim > 0 and (mask := _masks.diagnose_named_mask(x)):
        return _config.compare_mask(mask, groups)
    if groups and FREQUENCIES.search(name) and sum(n > 1 for n in x.shape) == 2:
        return _diagnose_angles(name, x, groups)
    if COORDINATES.search(name) and x.ndim > 2:
        return _windows.diagnose_coordinates(x) or Diagnosis()
    if not INDEX.search(name):
        return None
    if index := _windows.diagnose_index(x):
        return _config.compare_index(index, groups)
    # An index that follows no known window may be right.
    return Diagnosis("index") if x.dtype.kind in "iu" else None


def _diagnose_angles(name: str, x: NDArray[Any], groups: list[Group]) -> Diagnosis | None:
    """Diagnose the angles of all patches, stored under the name of frequencies, or return None."""
    d = _identify_named(name, [x])
    if not d.holds_angles and "notes" not in d.details:
        return None
    angles = np.asarray(x, np.float64)
    _config.match_angles(d, [np.cos(angles), np.sin(angles)], groups)
    return d if "fits" in d.details else None


def _report_cosines_first(d: Diagnosis, name: str) -> None:
    """Report that GPT-J's buffer has its cosines first, if cosines and sines are exchanged."""
    if EMBED.search(name) and "swapped" in d.problems:
        d.drop("swapped")
        _config.report_layout(d, "halves, cosine first", "halves")


def _report_lone_waves(d: Diagnosis, name: str) -> None:
    """Report an array that holds only sines or only cosines, if its name says that it should not.

    A table that is added to embeddings needs both of them.
    """
    actual = d.details.get("alone")
    if not actual or not d.sure:
        return
    other = "sines" if actual == "cosines" else "cosines"
    if WAVES[other].search(name):
        d.problem("named_otherwise", actual=actual, expected=other)
    elif ADDED_TABLE.search(name) and d.order == "repeated":
        d.problem("half_missing", actual=actual, missing=other)


def _report_moved_cache(d: Diagnosis, rows: int) -> None:
    """Report a whole cache of angles, or one with other positions than 0, 1, 2 and so on."""
    if d.holds_angles:
        d.problem("angles_stored")
    _fill.report_first_position(d)
    if d.details.get("arrangement") != "one axis" or d.first_position:
        return
    if slip := _axes.find_misplaced(d):
        d.drop(slip[0])
        d.problem(slip[0], **slip[1])
    if slip and slip[0] not in ("rows_permuted", "positions_overflow"):
        return
    positions = d.details["axis_positions"][0]
    if positions != _axes.describe_positions(np.arange(float(rows))):
        d.problem("cache_moved", positions=positions)


def _mark_buckets(d: Diagnosis, name: str, arrays: list[NDArray[Any]]) -> None:
    """Fill in the scheme of a table whose name says that its rows are buckets or offsets."""
    if WINDOW_TABLE.search(name) and not d.sure:
        d.scheme = "learned"
        _describe_window_table(d, int(arrays[0].shape[0]))
    if BUCKETS.search(name) and not d.sure:
        d.scheme, d.layout = "t5", None
        d.details["buckets"] = int(arrays[0].shape[0])


def _describe_window_table(d: Diagnosis, rows: int) -> None:
    """Say to which square window a table with a row for each offset of patches belongs.

    In a window of n × n patches there are (2n - 1)² offsets. BEiT has three more rows, for the
    offsets from and to the class token.
    """
    for more, name in ((0, "window_table"), (3, "class_table")):
        side = floor((max(0, rows - more)) ** 0.5 + 0.5)
        if side % 2 and side**2 == rows - more:
            d.note(name, rows=rows, side=(side + 1) // 2)


def _without_first_rows(name: str, groups: list[Group]) -> list[Group]:
    """Return the groups, with shorter tables if a name of llama.cpp leaves out the first rows."""
    if not WITHOUT_FIRST_ROWS.search(name):
        return groups
    return [replace(x, layer=replace(x.layer, first_position=0)) for x in groups]


def _without_offsets(name: str, d: Diagnosis, groups: list[Group]) -> list[Group]:
    """Return the groups, without biases for offsets if a table's name is not that of such biases.

    A model with such biases may have tables of positions, too, as Grounding DINO has for its text.
    """
    is_table = d.scheme in ("learned", "sinusoidal") and KNOWN.search(name) is not None
    if not is_table or WINDOW_TABLE.search(name):
        return groups
    return [group for group in groups if group.layer.sides is None]


def _may_be_frequencies(d: Diagnosis, x: NDArray[Any], groups: list[Group]) -> bool:
    """Return whether a list that follows no rule has one number for each pair of a layer."""
    sizes = [group.layer.frequencies.size for group in groups if group.scheme == "rotary"]
    return x.ndim == 1 and x.size in sizes and d.scheme == "unknown"


def _split_cache(
    name: str, arrays: list[NDArray[Any]], d: Diagnosis, groups: list[Group]
) -> list[NDArray[Any]]:
    """Return the cosines and sines that stand side by side in one array, or [].

    Unless the name is GPT-J's, their width must be that of a rotary layer. The diagnosis d of the
    one array may already say that cosines come first. If it does not, its row 0 must be that of
    position 0.
    """
    x, sizes = arrays[0], [y.layer.frequencies.size for y in groups if y.scheme == "rotary"]
    half = x.shape[-1] // 2
    if len(arrays) > 1 or x.ndim < 2 or half < 1 or x.shape[-1] % 2 or not sizes:
        return []
    pair = [x[..., :half], x[..., half:]]
    # GPT-J's own code stores the sines first. In its layers no other table stands there.
    if d.layout == "halves" and EMBED.search(name):
        return [pair[1], pair[0]]
    if half not in sizes and half / 2 not in sizes:
        return []
    first_cosines, first_sines = (y.reshape(-1, half)[0] for y in pair)
    begins_at_zero = not first_sines.any() and bool((first_cosines == first_cosines[0]).all())
    is_known = d.layout == "halves" and d.order == "cosine first"
    return pair if (is_known or begins_at_zero) and _are_turns(pair) else []


def _identify_transposed(arrays: list[NDArray[Any]]) -> Diagnosis | None:
    """Diagnose a cache of cosines and sines that was transposed and then split, or return None."""
    d = identify(np.concatenate(arrays, axis=-1))
    if "transposed" not in d.problems:
        return None
    d.scheme = "rotary"
    return d


def _identify_named(name: str, arrays: list[NDArray[Any]]) -> Diagnosis:
    """Diagnose arrays by their numbers or, if the numbers say too little, by the tensor's name."""
    x = arrays[0]
    lengths = [n for n in x.shape if n > 1]
    is_finite = bool(np.isfinite(x).all())
    holds_frequencies = is_finite and FREQUENCIES.search(name) is not None
    # Some image towers store the angles of all patches under the name of the frequencies.
    if holds_frequencies and len(lengths) == 2:
        angles = x.reshape(lengths).astype(np.float64)
        d = identify(*(_formats.round_to(f(angles), "float32") for f in (np.cos, np.sin)))
        if "turns" in d.details or d.sure:
            d.note("angles")
            return d
    # Some image towers store the frequencies of one axis after those of the other axis.
    rises = int((np.diff(x.reshape(-1)) > 0).sum()) if holds_frequencies else 0
    if 0 < rises < MAX_RUNS and len(lengths) == 1:
        d = identify(np.sort(x.reshape(-1))[::-1])
        if d.sure and not d.problems:
            d.note("reordered", count=rises + 1)
            return d
    try:
        d = identify(*arrays)
    except (TypeError, ValueError) as error:
        d = Diagnosis()
        d.note("not_examined", why=f"{error}")
    if len(arrays) == 2 and not d.sure and SIDE_BY_SIDE.search(name):
        d = _identify_transposed(arrays) or d
    is_vector = len(arrays) == 1 and len(lengths) < 2 and VECTOR.search(name) is not None
    if is_vector and not d.sure and is_finite:
        d = Diagnosis("learned", width=int(x.size))
        d.note("vector")
    return d


def _accept_usual_rows(d: Diagnosis) -> None:
    """Replace findings by notes if published models have the unusual rows on purpose."""
    if d.scheme in ("learned", "sinusoidal") and "padding_row" in d.problems:
        row = next(x for x in d.findings if x.name == "padding_row").seen
        d.drop("padding_row")
        d.details.setdefault("notes", []).append(row)
    # Transformer-XL and conformers list offsets in falling order, from the farthest earlier key.
    if d.scheme == "sinusoidal" and d.problems == ["counted_down"]:
        first, rows = d.first_position or 0.0, len(d.seen)
        if 2 * -first + 1 == rows or 2 * first + 1 == rows or -first == rows - 1:
            text = d.findings[0].seen
            d.drop("counted_down")
            d.details.setdefault("notes", []).append(text)


def _is_plausible(d: Diagnosis, arrays: list[NDArray[Any]]) -> bool:
    """Return whether numbers may be frequencies or a cache, instead of uninitialised memory.

    The frequencies of rotations never rise from pair to pair. They are not negative, and a pair
    makes at most one full turn per position.
    """
    if "turns" in d.details or "resembles" in d.details or "same_arrays" in d.problems:
        return True
    w = arrays[0][np.isfinite(arrays[0])]
    if len(arrays) == 2 or w.size == 0:
        return d.sure or "not_finite" in d.problems or _are_turns(arrays)
    falling = w[0] > 0 and (np.diff(w) <= 0).all()
    if d.sure and not d.exceptions["pairs"]:
        return True
    return bool((d.sure or falling) and w.min() >= 0 and w.max() <= 2 * np.pi)


def _are_turns(arrays: list[NDArray[Any]]) -> bool:
    """Return whether two arrays may be cosines and sines: cos² + sin² is the same everywhere."""
    if len(arrays) != 2 or arrays[0].ndim < 2 or arrays[0].shape != arrays[1].shape:
        return False
    cos, sin = (x.reshape(-1, x.shape[-1]).astype(np.float64) for x in arrays)
    return _axes.read_turns(cos, sin) is not None


def diagnose_modules(model: Any, requirements: Requirements) -> list[Entry]:
    """Call a model's rotary modules at the first positions, and diagnose each distinct result."""
    entries: dict[Any, Entry] = {}
    has_local = _requirements.has_local_module(name for name, _ in model.named_modules())
    for name, module in model.named_modules():
        for buffer, like in module.named_buffers(recurse=False):
            match = re.fullmatch(r"(?:(\w+)_)?inv_freq", buffer)
            parameters = [*inspect.signature(module.forward).parameters] if match else []
            is_rotary = parameters[:2] == ["x", "position_ids"]
            if match is None or "original" in buffer or not is_rotary:
                continue
            more = [match[1]] if "layer_type" in parameters else []
            groups, _ = requirements.of(f"{name}.{buffer}", has_local)
            answer = _call_module(module, like, more)
            if answer and groups:
                call = f"{name}({', '.join(['x', 'position_ids', *map(repr, more)])})"
                d = _config.compare_with_groups(identify(*answer), answer, groups)
                entries.setdefault(tuple(x.tobytes() for x in answer), Entry(call, d, count=1))
    return list(entries.values())


def _call_module(module: Any, like: Any, more: list[str]) -> list[NDArray[Any]]:
    """Return the cosines and sines of the first positions from a module, or [] if it fails."""
    module = copy.deepcopy(module)  # calling a module may change it
    x = like.new_zeros((1, 1, 1)).float()
    at = like.new_tensor([list(range(POSITIONS))]).long()
    for ids in (at, at.expand(3, 1, POSITIONS)):  # M-RoPE expects three position ids for each token
        try:
            answer = module(x, ids, *more)
            pair = answer if isinstance(answer, tuple) else (answer.real, answer.imag)
            cos, sin = (to_numpy(y).reshape(-1, POSITIONS, pair[0].shape[-1])[0] for y in pair)
        except Exception:  # other people's modules may raise any exception
            continue
        return [cos, sin]
    return []
