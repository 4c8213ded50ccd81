"""Test the doctor on small random models from transformers, both healthy and with hidden faults."""

import collections
import copy
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from pe_lib.checkpoints import layers
from pe_lib.doctor import assert_positions, examine

sys.path.insert(0, str(Path(__file__).parents[1] / "checkpoints"))
from checkpoint_spy import SMALL, build_model, shrink_config
from test_checkpoints_peers import CHANGES, NO_SPY, stacks

pytestmark = pytest.mark.peers

TABLES = ("albert", "bert", "biogpt", "camembert", "clip_text_model", "electra", "ernie", "gpt2",
          "gpt_bigcode", "gpt_neo", "m2m_100", "mt5", "openai-gpt", "opt", "roberta", "t5", "umt5",
          "vit", "whisper", "xglm", "qwen2_5_vl_vision", "qwen3_vl_vision", "sam3_vit_model",
          "pixtral", "dinov3_vit")  # fmt: skip
TINY = {"m2m_100": {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2},
        "xglm": {"d_model": 32, "num_layers": 2},
        "gpt_neo": {"attention_types": [[["global", "local"], 2]]}}  # fmt: skip
IMAGES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "patch_size": 14,
          "intermediate_size": 32, "image_size": 56}  # fmt: skip


def model(kind, **changes):
    """Build a small model of the type `kind`, with its class's defaults except for the sizes."""
    return build_model(shrink_config(kind, **{**CHANGES.get(kind, {}), **changes}))


def buffers(network):
    """Return each buffer of frequencies in a model, with the module that holds it and its name."""
    return [(m, n, b) for m in network.modules() for n, b in m.named_buffers(recurse=False)
            if n.endswith("inv_freq")]  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
def test_a_healthy_table_is_healthy(kind):
    network = model(kind, **TINY.get(kind, {}))
    report = examine(network)
    assert report.healthy and report.entries, str(report)
    assert_positions(network)


@pytest.mark.parametrize("kind", ["gemma3", "llava", "llama4", "mistral3"])
def test_a_model_that_sees_has_two_parts(kind):
    from transformers import CONFIG_MAPPING, AutoModel

    whole = CONFIG_MAPPING[kind]()
    parts = {}
    for part, sizes in (("text_config", {**SMALL, "head_dim": 64}), ("vision_config", IMAGES)):
        usual = getattr(whole, part)
        defaults = usual.to_dict()
        parts[part] = type(usual)(**{k: v for k, v in sizes.items() if k in defaults})
    network = AutoModel.from_config(CONFIG_MAPPING[kind](**parts))
    report = examine(network)
    assert report.healthy and not report.notes and len(report.entries) >= 2, str(report)
    swap_parts(network.language_model)
    assert not examine(network).healthy


def wrong_base(network):
    """Recompute the buffers with the model's own class, but from a base four times as large."""
    config = copy.deepcopy(network.config)
    ropes = [config.rope_parameters, *config.rope_parameters.values()]
    for rope in ropes:
        if isinstance(rope, dict) and rope.get("rope_theta"):
            rope["rope_theta"] *= 4
    other = build_model(config)
    for (module, name, _), (_, _, theirs) in zip(buffers(network), buffers(other), strict=True):
        setattr(module, name, theirs)


def round_buffers(network):
    for module, name, buffer in buffers(network):
        setattr(module, name, buffer.bfloat16().float())


def cast_buffers(network):
    """Cast every buffer as `.to(dtype)` does. Loading the weights does not undo this fault."""
    import torch

    for module in {id(m): m for m, _, _ in buffers(network)}.values():
        module.to(torch.bfloat16)


def swap_parts(network):
    """Make modules swap the cosines and sines that they return, as a pair or as complex numbers."""

    def swap_output(module, inputs, out):
        return out[::-1] if isinstance(out, tuple) else 1j * out.conj()

    for module in {id(m): m for m, _, _ in buffers(network)}.values():
        module.register_forward_hook(swap_output)


def exchange_layers(network):
    """Exchange the frequencies of sliding layers and of layers with full attention."""
    typed_buffers = [x for x in buffers(network) if re.match(r"(sliding|full)_\w+_inv", x[1])]
    kinds = {n.split("_")[0]: b for _, n, b in typed_buffers}
    if len(kinds) == 2 and not kinds["sliding"].equal(kinds["full"]):
        for module, name, _ in typed_buffers:
            other = {"sliding": "full", "full": "sliding"}[name.split("_")[0]]
            setattr(module, name, kinds[other].clone())


def unscale_frequencies(network):
    """Replace the scaled frequencies in a model by unscaled frequencies with the same base."""
    import torch

    for module, name, buffer in buffers(network):
        setattr(module, name, 1e4 ** (-torch.arange(len(buffer)) / len(buffer)))
        module.attention_scaling = 1.0


def never_filled(network):
    """Leave the buffers as uninitialised memory, as after loading from the meta device."""
    import torch

    rng = torch.Generator().manual_seed(0)
    for module, name, buffer in buffers(network):
        bits = torch.randint(-(2**31), 2**31 - 1, buffer.shape, generator=rng).int()
        setattr(module, name, bits.view(torch.float32))


def zeros(network):
    for module, name, buffer in buffers(network):
        setattr(module, name, buffer * 0)


def on_meta(network):
    for module, name, buffer in buffers(network):
        setattr(module, name, buffer.to("meta"))


HALF = {"half_precision_frequencies"}
FILL = {"never_filled", "not_finite", "all_zero", "on_meta"}
BASE = {"base_differs", "scaling_differs", "trained_length_differs", "frequencies_differ"}
# Functions that damage a model, each with problems of which the doctor must report at least one.
FAULTS = {
    "wrong base": (wrong_base, BASE),
    "bfloat16 frequencies": (round_buffers, HALF),
    "cast by .to(dtype)": (cast_buffers, HALF),
    "cos and sin swapped": (swap_parts, {"swapped"}),
    "layers exchanged": (exchange_layers, {"other_layers"}),
    "never filled": (never_filled, FILL),
    "zeros": (zeros, FILL),
    "left on the meta device": (on_meta, FILL),
    "scaling not applied": (unscale_frequencies, BASE),
}
WHOLE = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 256,
         "rope_theta": 1e4}  # fmt: skip
# On how many model types each fault must be found at least. The default is 70.
LEAST = {"layers exchanged": 5, "scaling not applied": 25}


def build_scaled_model(kind):
    """Build a model that is configured for YaRN, or return None if its class has no scaling."""
    try:
        # a copy, because the model's class changes it
        network = model(kind, rope_parameters={**WHOLE})
        scalings = {layer.scaling for layer in layers(network.config.to_dict()) if layer.turned}
    # A class that does not support `rope_parameters` may raise any error.
    except Exception:
        return None
    return network if scalings == {"yarn"} else None


def test_every_kind_of_decoder_is_healthy_and_each_fault_is_found(capsys):
    """Test each fault on every model type that has the buffers or layer types for it."""
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    healthy, caught, uncaught = 0, collections.Counter(), []
    for kind in sorted({*stacks()} & {*MODEL_MAPPING_NAMES} - NO_SPY):
        network, other = model(kind), build_scaled_model(kind)
        report = examine(network)
        if not report.healthy or any("Compared with no" in note for note in report.notes):
            uncaught.append((kind, "healthy", str(report)))
        healthy += report.healthy
        # Vision models are not damaged, because programs count image patches in different units.
        if kind.endswith("vision"):
            continue
        called = any("(x, position_ids" in entry.name for entry in report.entries)
        kept = [(module, name, buffer.clone()) for module, name, buffer in buffers(network)]
        for fault, (plant, names) in FAULTS.items():
            ill = other if plant is unscale_frequencies else network
            if ill is None or not kept or (plant is swap_parts and not called):
                continue
            plant(ill)
            same = all(x.equal(y[2]) for (_, _, x), y in zip(buffers(network), kept, strict=True)
                       if x.device.type == "cpu")  # fmt: skip
            if plant is exchange_layers and same:
                continue
            problems = {*examine(ill).problems}
            if names & problems:
                caught[fault] += 1
                with pytest.raises(AssertionError):
                    assert_positions(ill)
            else:
                uncaught.append((kind, fault, problems))
            for module, name, buffer in kept:
                setattr(module, name, buffer.clone())
                module._forward_hooks.clear()
    with capsys.disabled():
        print(f"\n{healthy} kinds healthy; found: {dict(caught)}")
    assert not uncaught, uncaught[:5]
    assert all(caught[fault] >= LEAST.get(fault, 70) for fault in FAULTS), caught


def test_files_that_torch_and_safetensors_wrote(tmp_path):
    """Test that the command in the error message converts a pickled file and changes no number."""
    import shlex
    import subprocess

    import torch
    from safetensors import safe_open

    from pe_lib.doctor._folder import open_tensors

    network = model("gpt2")
    torch.save(network.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match="to convert it: ") as refused:
        open_tensors(tmp_path / "pytorch_model.bin")
    command = shlex.split(str(refused.value).partition("to convert it: ")[2])
    subprocess.run([sys.executable, *command[1:]], cwd=tmp_path, check=True)
    with safe_open(tmp_path / "pytorch_model.safetensors", "pt") as file:
        report = examine(file, network.config)
    assert report.healthy and report.entries[0].name == "wpe.weight"
    theirs = open_tensors(tmp_path / "pytorch_model.safetensors")["wpe.weight"]()
    np.testing.assert_array_equal(theirs, network.wpe.weight.detach().numpy())
