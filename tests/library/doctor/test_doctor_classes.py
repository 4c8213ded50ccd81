"""Test every class of transformers that can be built: healthy without an alarm, and with faults.

The models are small: their defaults with fewer layers, words and experts. A table that the class
fills with one number is filled with random ones, as training would.
"""

import collections
import gc
import importlib
import sys
from pathlib import Path

import pytest

from pe_lib.doctor import examine
from pe_lib.doctor._tensors import KNOWN

sys.path.insert(0, str(Path(__file__).parent))
from test_doctor_peers import FAULTS, buffers

pytestmark = [pytest.mark.peers, pytest.mark.timeout(7200)]

LARGEST = 4e8  # models with more parameters than this take too long
CUT = {"num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "encoder_layers": 2,
       "decoder_layers": 2, "num_encoder_layers": 2, "num_decoder_layers": 2, "depth": 2,
       "vocab_size": 300, "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4,
       "moe_num_experts": 4, "intermediate_size": 64, "moe_intermediate_size": 16, "d_ff": 64,
       "decoder_ffn_dim": 64, "encoder_ffn_dim": 64, "ffn_dim": 64, "mlp_dim": 64,
       "ffn_hidden_size": 64}  # fmt: skip
LISTS = ("layer_types", "mlp_layer_types", "layers_block_type")
# Faults of buffers, which every kind of model has. The others need a configuration of some kind.
PLANTED = ("wrong base", "bfloat16 frequencies", "cast by .to(dtype)", "cos and sin swapped",
           "layers exchanged", "never filled", "zeros", "left on the meta device")  # fmt: skip


def cut(config):
    """Make a configuration and those within it small, without changing any width."""
    from transformers.configuration_utils import PretrainedConfig

    for key, value in list(vars(config).items()):
        if isinstance(value, PretrainedConfig):
            cut(value)
        elif isinstance(value, int) and value > CUT.get(key, value):
            setattr(config, key, CUT[key])
        elif key.endswith("_token_id") and isinstance(value, int) and value >= CUT["vocab_size"]:
            setattr(config, key, 1)
    count = getattr(config, "num_hidden_layers", None)
    for key in LISTS:
        if isinstance(count, int) and len(getattr(config, key, None) or ()) > count:
            setattr(config, key, getattr(config, key)[:count])
    return config


def build(config):
    """Return the model of a configuration, even if it is only a part of a larger model."""
    from transformers import AutoModel

    try:
        return AutoModel.from_config(config)
    except ValueError:
        module = type(config).__module__.replace("configuration_", "modeling_")
        kinds = [
            x
            for name, x in vars(importlib.import_module(module)).items()
            if name.endswith("Model") and getattr(x, "config_class", 0) is type(config)
        ]
        return kinds[-1](config)  # fmt: skip


def build_small(kind):
    """Return a small model of a type, or None if its class cannot be built from defaults."""
    import torch
    from transformers import CONFIG_MAPPING

    for change in (cut, lambda config: config):
        try:
            config = change(CONFIG_MAPPING[kind]())
            with torch.device("meta"):
                size = sum(x.numel() for x in build(config).parameters())
            if size <= LARGEST:
                torch.manual_seed(0)
                model = build(config).eval()
                fill_constant_tables(model)
                return model
        except Exception:  # other people's classes may raise anything
            continue
    return None


def fill_constant_tables(model):
    import torch

    with torch.no_grad():
        for name, x in model.named_parameters():
            if x.numel() and KNOWN.search(name) and bool((x == x.flatten()[0]).all()):
                x.normal_(0, 0.02)


def test_no_class_is_called_ill_and_planted_faults_are_named(capsys):
    import torch
    from transformers import CONFIG_MAPPING

    torch.set_num_threads(2)
    built, alarms, missed = 0, {}, []
    planted, named = collections.Counter(), collections.Counter()
    for kind in sorted(CONFIG_MAPPING):
        model = build_small(kind)
        if model is None:
            continue
        built += 1
        report = examine(model)
        if not report.healthy:
            alarms[kind] = str(report)
        elif any("fits" in x.diagnosis.details for x in report.entries):
            for fault, found in plant_faults(model, report):
                planted[fault] += 1
                named[fault] += found
                if not found:
                    missed.append((kind, fault))
        del model
        gc.collect()
    with capsys.disabled():
        print(f"\n{built} classes, alarms: {sorted(alarms)}")
        print(f"{sum(named.values())} of {sum(planted.values())} faults named; missed: {missed}")
    assert built >= 290 and not alarms, alarms
    assert sum(named.values()) >= 0.95 * sum(planted.values()) > 500, missed


def plant_faults(model, healthy):
    """Plant each fault in the text model's buffers, and yield whether the doctor names it."""
    called = any("(x, position_ids" in entry.name for entry in healthy.entries)
    fitting = [x.name.split(",")[0] for x in healthy.entries if "fits" in x.diagnosis.details]
    if not any(name.endswith("inv_freq") for name in fitting):
        return
    kept = [(module, name, buffer.clone()) for module, name, buffer in buffers(model)]
    for fault in PLANTED:
        plant, names = FAULTS[fault]
        if fault == "cos and sin swapped" and not called:
            continue
        try:
            plant(model)
        except Exception:  # a model of several parts has no single base
            continue
        changed = any(
            b.device.type != "cpu" or not b.equal(old[2])
            for (_, _, b), old in zip(buffers(model), kept, strict=True)
        )
        if changed or fault == "cos and sin swapped":
            yield fault, bool(names & {*examine(model).problems})
        for module, name, buffer in kept:
            setattr(module, name, buffer.clone())
            module._forward_hooks.clear()
