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
from planted_faults import IN_BUFFERS, IN_CALLS, IN_TABLES, plant_faults

pytestmark = [pytest.mark.peers, pytest.mark.timeout(14400)]

LARGEST = 7e8  # models with more parameters than this take too long
CUT = {"num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "encoder_layers": 2,
       "decoder_layers": 2, "num_encoder_layers": 2, "num_decoder_layers": 2, "depth": 2,
       "vocab_size": 300, "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4,
       "moe_num_experts": 4, "intermediate_size": 64, "moe_intermediate_size": 16, "d_ff": 64,
       "decoder_ffn_dim": 64, "encoder_ffn_dim": 64, "ffn_dim": 64, "mlp_dim": 64,
       "ffn_hidden_size": 64}  # fmt: skip
# What some classes cannot do without, because their defaults leave it out.
MORE = {"esm": {"vocab_size": 33, "pad_token_id": 1},
        "hunyuan_v1_dense": {"head_dim": 128}, "hunyuan_v1_moe": {"head_dim": 128},
        "hunyuan_vl_text": {"head_dim": 128}, "autoformer": {"prediction_length": 24},
        "informer": {"prediction_length": 24},
        "time_series_transformer": {"prediction_length": 24}}  # fmt: skip
LEAST_BUILT = 650
# Transformers 5.24 leaves the sinusoids of a new ViTMAE at zero, and the doctor says so.
ZERO_TABLES = {"vit_mae"}
LISTS = ("layer_types", "mlp_layer_types", "layers_block_type")


def shrink_config(config):
    """Make a configuration and those within it small, without changing any width."""
    from transformers.configuration_utils import PretrainedConfig

    for key, value in list(vars(config).items()):
        if isinstance(value, PretrainedConfig):
            shrink_config(value)
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
        name = type(config).__module__.replace("configuration_", "modeling_")
        classes = [
            x
            for x in vars(importlib.import_module(name)).values()
            if getattr(x, "config_class", 0) is type(config) and "PreTrained" not in x.__name__
        ]
        if not classes:
            raise ValueError("no class of a model has this configuration") from None
        return max(classes, key=lambda x: x.__name__.endswith("Model"))(config)


def build_small(kind):
    """Return a small model of a type, or None and why its class cannot be built."""
    import torch
    from transformers import CONFIG_MAPPING

    why = ""
    for change in (shrink_config, lambda config: config):
        try:
            config = change(CONFIG_MAPPING[kind](**MORE.get(kind, {})))
            with torch.device("meta"):
                size = sum(x.numel() for x in build(config).parameters())
            if size <= LARGEST:
                torch.manual_seed(0)
                model = build(config).eval()
                fill_constant_tables(model)
                return model, ""
            why = why or f"{size / 1e6:.0f} million parameters"
        except Exception as error:  # other people's classes may raise anything
            why = why or f"{type(error).__name__}: {' '.join(str(error).split())[:90]}"
    return None, why


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
    alarms, missed, not_built = {}, collections.defaultdict(list), {}
    planted, named = collections.Counter(), collections.Counter()
    kinds = sorted({*CONFIG_MAPPING} - ZERO_TABLES)
    for number, kind in enumerate(kinds):
        if number % 25 == 0:
            with capsys.disabled():
                print(f"{number} of {len(kinds)} classes, alarms: {sorted(alarms)}", flush=True)
        model, why = build_small(kind)
        if model is None:
            not_built[kind] = why
            continue
        report = examine(model)
        if report.healthy:
            for fault, found in plant_faults(model, report):
                planted[fault] += 1
                named[fault] += found
                if not found:
                    missed[fault].append(kind)
        else:
            alarms[kind] = str(report)
        del model
        gc.collect()
    built = len(kinds) - len(not_built)
    with capsys.disabled():
        print(f"\n{built} classes of {len(kinds)}, alarms: {sorted(alarms)}")
        for fault, count in planted.items():
            print(f"{fault}: {named[fault]} of {count} named; missed: {missed[fault]}")
        for kind, why in not_built.items():
            print(f"not built: {kind}: {why}")
    assert built >= LEAST_BUILT and not alarms, alarms
    assert sum(named.values()) >= 0.95 * sum(planted.values()), missed
    assert all(planted[fault] for fault in (*IN_TABLES, *IN_BUFFERS, *IN_CALLS)), planted
    assert all(named[fault] >= 0.9 * count for fault, count in planted.items()), missed
