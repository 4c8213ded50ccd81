"""Whole models of transformers, tiny and random: healthy, and with each fault that loads silently."""

import collections
import copy
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from pe_lib.checkpoints._models import DECODERS
from pe_lib.doctor import assert_positions, examine

sys.path.insert(0, str(Path(__file__).parents[1] / "checkpoints"))
from checkpoint_spy import shrunk
from test_checkpoints_peers import CHANGES

pytestmark = pytest.mark.peers

TABLES = ("albert", "bert", "biogpt", "camembert", "clip_text_model", "electra", "ernie", "gpt2",
          "gpt_bigcode", "gpt_neo", "m2m_100", "mt5", "openai-gpt", "opt", "roberta", "t5", "umt5",
          "vit", "whisper", "xglm", "qwen2_5_vl_vision", "qwen3_vl_vision", "sam3_vit_model",
          "pixtral", "dinov3_vit")  # fmt: skip
# of these nothing is a buffer: the program computes it, or there is nothing
COMPUTED = {"bamba", "codegen", "gptj", "falcon", "granitemoehybrid"}
SCALED = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 256}
MODELS = {}


def model(kind, **changes):
    """A model of this kind with small sizes, and everything else as its class has it."""
    import torch
    from transformers import AutoModel

    key = (kind, repr(changes))
    if key not in MODELS:
        config = shrunk(kind, **{**CHANGES.get(kind, {}), **changes})
        MODELS[key] = AutoModel.from_config(config, dtype=torch.float32).eval()
    return copy.deepcopy(MODELS[key])


def buffers(made):
    """Module, name and buffer of all frequencies."""
    return [(m, n, b) for m in made.modules() for n, b in m.named_buffers(recurse=False)
            if n.endswith("inv_freq")]  # fmt: skip


@pytest.mark.parametrize("kind", [*sorted(DECODERS), *TABLES])
def test_a_healthy_model_is_healthy(kind):
    report = examine(model(kind))
    assert report.healthy, str(report)
    assert not any("Compared with no" in note for note in report.notes), report.notes
    assert_positions(model(kind))


def wrong_base(made):
    """Its own class computes the buffers, from a base four times as large."""
    from transformers import AutoModel

    config = copy.deepcopy(made.config)
    ropes = [config.rope_parameters, *config.rope_parameters.values()]
    for rope in ropes:
        if isinstance(rope, dict) and rope.get("rope_theta"):
            rope["rope_theta"] *= 4
    other = AutoModel.from_config(config)
    for (module, name, _), (_, _, theirs) in zip(buffers(made), buffers(other), strict=True):
        setattr(module, name, theirs)


def unscaled(made):
    import torch

    for module, name, buffer in buffers(made):
        n = len(buffer)
        setattr(module, name, 1e4 ** (-torch.arange(n) / n))
    for module in made.modules():
        if hasattr(module, "attention_scaling"):
            module.attention_scaling = 1.0


def rounded(made):
    for module, name, buffer in buffers(made):
        setattr(module, name, buffer.bfloat16().float())


def cast(made):
    """What `.to(dtype)` does to every buffer, and no reload undoes."""
    import torch

    made.to(torch.bfloat16)


def swapped(made):
    for module in {id(m): m for m, _, _ in buffers(made)}.values():
        module.register_forward_hook(lambda _, __, out: out[::-1])


def never_filled(made):
    """Built on the meta device, memory taken, and nothing written there: old numbers stand in it."""
    import torch

    rng = torch.Generator().manual_seed(0)
    for module, name, buffer in buffers(made):
        bits = torch.randint(-(2**31), 2**31 - 1, buffer.shape, generator=rng).int()
        setattr(module, name, bits.view(torch.float32))


def zeros(made):
    for module, name, buffer in buffers(made):
        setattr(module, name, buffer * 0)


def on_meta(made):
    for module, name, buffer in buffers(made):
        setattr(module, name, buffer.to("meta"))


HALF = {"half_precision_frequencies"}
FILL = {"never_filled", "not_finite", "all_zero", "on_meta"}
FAULTS = {
    "wrong base": (wrong_base, {"base_differs", "frequencies_differ", "scaling_differs"}),
    "bfloat16 frequencies": (rounded, HALF),
    "cast by .to(dtype)": (cast, HALF),
    "cos and sin swapped": (swapped, {"swapped"}),
    "never filled": (never_filled, FILL),
    "zeros": (zeros, FILL),
    "left on the meta device": (on_meta, FILL),
}
TURNED = sorted(DECODERS.keys() - COMPUTED)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_named(fault, capsys):
    plant, names = FAULTS[fault]
    count = collections.Counter()
    for kind in TURNED:
        made = model(kind)
        if not buffers(made):
            continue
        plant(made)
        report = examine(made)
        asks = any(re.search(r"\(x, position_ids", x.name) for x in examine(model(kind)).entries)
        if fault.startswith("cos") and not asks:
            count["not asked: it is called otherwise"] += 1
            continue
        assert not report.healthy, kind
        assert names & {*report.problems}, (kind, str(report))
        count["found"] += 1
        with pytest.raises(AssertionError):
            assert_positions(made)
    with capsys.disabled():
        print(f"\n{fault}: {dict(count)}")
    assert count["found"] >= 25


def test_scaling_that_is_not_applied(capsys):
    found = 0
    for kind in TURNED:
        if CHANGES.get(kind, {}).get("rope_parameters") or kind in ("gemma3_text",):
            continue
        try:
            made = model(kind, rope_parameters={"rope_theta": 1e4, **SCALED})
            healthy = examine(made)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue  # reads no such scaling
        if not buffers(made) or not healthy.healthy or any("no conf" in x for x in healthy.notes):
            continue
        unscaled(made)
        report = examine(made)
        assert not report.healthy and {"scaling_differs", "frequencies_differ"} & {*report.problems}
        found += 1
    with capsys.disabled():
        print(f"\nscaling not applied: found {found}")
    assert found >= 25


def test_layers_exchanged(capsys):
    """Frequencies of one type of layer in the place of another's."""
    found = 0
    for kind in TURNED:
        made = model(kind)
        typed = [(m, n, b) for m, n, b in buffers(made) if re.match(r"(sliding|full)_\w+_inv", n)]
        kinds = {n.split("_")[0]: b for _, n, b in typed}
        if len(kinds) < 2 or kinds["sliding"].equal(kinds["full"]):
            continue
        for module, name, _ in typed:
            other = {"sliding": "full", "full": "sliding"}[name.split("_")[0]]
            setattr(module, name, kinds[other].clone())
        report = examine(made)
        assert {"other_layers"} == {*report.problems}, (kind, str(report))
        found += 1
    with capsys.disabled():
        print(f"\nlayers exchanged: found {found}")
    assert found >= 5


def test_files_that_torch_and_safetensors_wrote(tmp_path):
    """The line that a refused pickle is told converts it; saved and opened again it is the same."""
    import shlex
    import subprocess

    import torch
    from safetensors import safe_open

    from pe_lib.doctor import _files

    made = model("gpt2")
    torch.save(made.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(_files.UnreadableError) as refused:
        _files.tensors(tmp_path / "pytorch_model.bin")
    command = shlex.split(str(refused.value).partition("to convert it: ")[2])
    subprocess.run([sys.executable, *command[1:]], cwd=tmp_path, check=True)
    with safe_open(tmp_path / "pytorch_model.safetensors", "pt") as file:
        report = examine(file, made.config)
    assert report.healthy and report.entries[0].name == "wpe.weight"
    theirs = _files.tensors(tmp_path / "pytorch_model.safetensors")["wpe.weight"]()
    np.testing.assert_array_equal(theirs, made.wpe.weight.detach().numpy())
