"""Plant the faults of real ports in a healthy model: in its buffers, its tables or its settings.

A fault is named if the report on the damaged model lists one of the fault's `names` as a problem.
"""

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from test_doctor_peers import (
    BASE,
    FAULTS,
    FILL,
    buffers,
    cast_buffers,
    exchange_layers,
    never_filled,
    on_meta,
    round_buffers,
    swap_parts,
    zeros,
)

from pe_lib.doctor import examine

RESERVED = 4  # at most this many rows of a table belong to no position
LENGTH = {"bucket_count_differs", "length_differs", "offset_count_differs"}
YARN = {"rope_type": "yarn", "factor": 8.0}
FREQUENCIES = re.compile(r"inv_freq$")


@dataclass(frozen=True)
class Fault:
    """A fault with the function that plants it, and the problems of which each names it."""

    plant: Callable[..., Any]
    names: set[str]
    only: str = ""  # the scheme of the only tables in which the fault can be seen


# --- Faults of buffers, which change a model ---


def lose_base(model: Any) -> None:
    """Compute frequencies with base 10,000, or with 500,000 where that is right."""
    import torch

    for module, name, buffer in buffers(model):
        i = torch.arange(len(buffer.reshape(-1))) / buffer.numel()
        usual, other = (base**-i for base in (1e4, 5e5))
        new = other if torch.allclose(buffer.reshape(-1), usual, rtol=1e-4) else usual
        setattr(module, name, torch.where(buffer == 0, buffer, new.reshape(buffer.shape)))


def mix_layouts(model: Any) -> list[Any]:
    """Make modules repeat the sines otherwise than the cosines, and return which do so."""
    import torch

    changed_modules = []

    def change_output(module: Any, inputs: Any, out: Any) -> Any:
        cos, sin = out if isinstance(out, tuple) else (out.real, out.imag)
        n = sin.shape[-1] // 2
        if torch.equal(sin[..., :n], sin[..., n:]):
            other = sin[..., :n].repeat_interleave(2, dim=-1)
        elif torch.equal(sin[..., 0::2], sin[..., 1::2]):
            other = torch.cat([sin[..., 0::2], sin[..., 0::2]], dim=-1)
        else:
            return out  # there is a column for each pair, so that nothing is repeated
        changed_modules.append(module)
        return cos, other

    for module in {id(m): m for m, _, _ in buffers(model)}.values():
        module.register_forward_hook(change_output)
    return changed_modules


IN_BUFFERS = {
    "base lost": Fault(lose_base, {*BASE, "other_layers"}),
    "frequencies in bfloat16": Fault(round_buffers, FAULTS["bfloat16 frequencies"][1]),
    "cast by .to(dtype)": Fault(cast_buffers, FAULTS["cast by .to(dtype)"][1]),
    "never filled": Fault(never_filled, FILL),
    "zeros": Fault(zeros, FILL),
    "left on the meta device": Fault(on_meta, FILL),
    "layers exchanged": Fault(exchange_layers, {"other_layers"}),
}
IN_CALLS = {
    "cos and sin swapped": Fault(swap_parts, {"swapped"}),
    "layouts mixed": Fault(mix_layouts, {"mixed_layouts"}),
}


def plant_in_buffers(model: Any, healthy: Any) -> Iterator[tuple[str, bool]]:
    """Plant each fault of buffers that a configuration describes, and yield if it is named."""
    fitting = [x.name for x in healthy.entries if "fits" in x.diagnosis.details]
    if not any(FREQUENCIES.search(name) for name in fitting):
        return
    kept = [(module, name, buffer.clone()) for module, name, buffer in buffers(model)]
    faults = IN_BUFFERS | (IN_CALLS if any("(x, position_ids" in name for name in fitting) else {})
    for name, fault in faults.items():
        changed_modules = fault.plant(model)
        is_changed = name in IN_CALLS or any(
            b.device.type != "cpu" or not b.equal(old[2])
            for (_, _, b), old in zip(buffers(model), kept, strict=True)
        )
        if is_changed:
            is_named = _is_named(fault, examine(model))
            if name != "layouts mixed" or changed_modules:
                yield name, is_named
        for module, key, buffer in kept:
            setattr(module, key, buffer.clone())
            module._forward_hooks.clear()


def _is_named(fault: Fault, report: Any) -> bool:
    return bool(fault.names & {*report.problems}) and not report.healthy


# --- Faults of tables ---


def exchange_halves(x: Any) -> Any:
    import torch

    return torch.cat([x[:, x.shape[1] // 2 :], x[:, : x.shape[1] // 2]], dim=1)


def change_entry(x: Any) -> Any:
    x = x.clone()
    x[len(x) // 2, -1] = float("nan")
    return x


def add_rows(x: Any) -> Any:
    import torch

    return torch.cat([x, x.new_zeros(64, x.shape[1])])


IN_TABLES = {
    "rows cut": Fault(lambda x: x[: 3 * len(x) // 4], LENGTH),
    "rows added": Fault(add_rows, {*LENGTH, "zero_rows"}),
    "transposed": Fault(
        lambda x: x.T.contiguous(), {*LENGTH, "transposed", "table_transposed", "scheme_differs"}
    ),
    "a number lost": Fault(change_entry, {"not_finite"}),
    "rows shifted": Fault(
        lambda x: x.roll(2, 0), {"rows_off", "first_position", "counted_down"}, "sinusoidal"
    ),
    "scaled": Fault(lambda x: x * 8, {"amplitude", "amplitude_differs"}, "sinusoidal"),
    "halves exchanged": Fault(exchange_halves, {"columns_differ"}, "sinusoidal"),
}


def plant_in_tables(model: Any, healthy: Any) -> Iterator[tuple[str, bool]]:
    """Plant each fault in each table that a configuration describes, and yield if it is named."""
    tensors = dict([*model.named_parameters(), *model.named_buffers()])
    for entry in healthy.entries:
        x = tensors.get(entry.name)
        if x is None or x.squeeze().ndim != 2 or "fits" not in entry.diagnosis.details:
            continue
        if not x.is_floating_point():
            continue  # an index is no table
        x = x.detach().squeeze()
        for name, fault in IN_TABLES.items():
            # Some rows of a table may belong to no position, so its length is known to a few rows.
            is_square = name == "transposed" and abs(x.shape[0] - x.shape[1]) <= RESERVED
            if fault.only not in ("", entry.diagnosis.scheme) or is_square:
                continue
            report = examine({entry.name: fault.plant(x)}, model.config)
            yield name, _is_named(fault, report)


# --- A setting that is not obeyed ---


def plant_in_settings(model: Any, healthy: Any) -> Iterator[tuple[str, bool]]:
    """Ask for YaRN in the configuration, and yield if its absence from the buffer is named."""
    config = copy.deepcopy(model.config.to_dict())
    rope = config.get("rope_parameters") or {}
    fitting = [x.name for x in healthy.entries if "fits" in x.diagnosis.details]
    is_plain = rope.get("rope_type") == "default" and "inv_freq" in str(fitting)
    if is_plain:
        trained = config.get("original_max_position_embeddings") or 512
        config["rope_parameters"] = rope | YARN | {"original_max_position_embeddings": trained}
        tensors = {n: x for n, x in model.named_buffers() if n.endswith("inv_freq")}
        fault = Fault(lambda x: x, {*BASE, "amplitude_differs"})
        yield "scaling not applied", _is_named(fault, examine(tensors, config))


def plant_faults(model: Any, healthy: Any) -> Iterator[tuple[str, bool]]:
    """Plant every fault that a model can carry, and yield its name and whether it was named."""
    for plant in (plant_in_tables, plant_in_settings, plant_in_buffers):
        yield from plant(model, healthy)
