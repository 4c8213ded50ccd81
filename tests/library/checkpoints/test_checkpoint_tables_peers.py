"""Compare position tables, sinusoids, biases and image towers with transformers' own classes."""

import importlib

import numpy as np
import pytest
from checkpoint_spy import SMALL

from pe_lib.checkpoints import layers
from pe_lib.checkpoints._models import classes, rows
from pe_lib.rotary import rotate

pytestmark = pytest.mark.peers


@pytest.fixture(autouse=True)
def torch():
    import torch

    torch.manual_seed(0)
    return torch


def make_tiny_model(model_type, **changes):
    from transformers import CONFIG_MAPPING, AutoModel

    cls = CONFIG_MAPPING[model_type]
    keys = {*cls().to_dict(), *cls.attribute_map}
    sizes = {**SMALL, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "num_layers": 2,
             "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16,
             "decoder_ffn_dim": 16, "attention_heads": 2, "ffn_dim": 16, "d_kv": 16,
             "max_position_embeddings": 40, "n_positions": 40, "word_embed_proj_dim": 128,
             "embedding_size": 128, "pad_token_id": 1, "decoder_start_token_id": 2}  # fmt: skip
    if model_type in ("gpt2", "gpt_neo"):
        sizes.pop("hidden_size" if model_type == "gpt2" else "n_embd")
    config = cls(**{**{k: v for k, v in sizes.items() if k in keys}, **changes})
    return config, AutoModel.from_config(config).eval()


@pytest.mark.parametrize(
    "model_type",
    ["albert", "bert", "biogpt", "camembert", "distilbert", "electra", "gpt2", "gpt_neo",
     "gpt_bigcode", "opt", "openai-gpt", "roberta", "xlm-roberta", "bart", "mbart", "xlm",
     "nystromformer", "mra", "big_bird", "mvp", "bigbird_pegasus", "convbert", "squeezebert"],
)  # fmt: skip
def test_the_rows_that_a_text_uses(model_type, torch):
    """Check by gradients that a text uses only the table's rows from `first_position` on."""
    more = {"num_layers": 8, "attention_types": [[["global", "local"], 4]]}
    config, model = make_tiny_model(model_type, **(more if model_type == "gpt_neo" else {}))
    layer = layers(config.to_dict())[-1]
    assert layer.scheme == "learned"
    names = ("position", "wpe")
    tables = {n: p for n, p in model.named_parameters()
              if any(x in n for x in names) and p.shape[0] >= layer.rows}  # fmt: skip
    assert tables
    ids = torch.tensor([[5, 6, 7, 8, 9]])
    more = {"decoder_input_ids": ids} if hasattr(config, "decoder_layers") else {}
    out = model(input_ids=ids, **more).last_hidden_state
    (out * torch.randn_like(out)).sum().backward()
    for name, table in tables.items():
        used = table.grad.abs().sum(dim=1).nonzero().flatten().tolist()
        assert used == list(range(layer.first_position, layer.first_position + 5)), name
        assert table.shape == (layer.first_position + layer.rows, layer.row_width), name


@pytest.mark.parametrize(
    "model_type",
    ["marian", "pegasus", "m2m_100", "xglm", "whisper", "fsmt", "nllb-moe", "speech_to_text",
     "tipsv2_text_model"],
)  # fmt: skip
def test_tables_of_sinusoids(model_type, torch):
    config, model = make_tiny_model(model_type)
    layer = layers(config.to_dict())[0]
    assert layer.scheme == "sinusoidal" and layer.layout == "halves"
    weights = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    words = ("embed_positions", "position_embedding")
    name, table = next((n, w) for n, w in weights.items() if any(word in n for word in words))
    table = table.detach().double().numpy()
    at = np.arange(len(table))[:, None] * layer.frequencies
    expected = np.concatenate([np.sin(at), np.cos(at)], axis=1)
    if layer.first_position:
        expected[1] = 0.0  # the row for the padding token
    # The frequencies are rounded to float32, so errors of angles grow with the position.
    np.testing.assert_allclose(table, expected, atol=3e-7 * max(1, len(table)), err_msg=name)


@pytest.mark.parametrize("model_type", ["xlm", "flaubert", "distilbert"])
def test_tables_that_begin_as_sinusoids(model_type, torch):
    key = "sinusoidal_pos_embds" if model_type == "distilbert" else "sinusoidal_embeddings"
    config, model = make_tiny_model(model_type, **{key: True})
    layer = layers(config.to_dict())[0]
    table = next(x for n, x in model.named_parameters() if "position_embeddings" in n)
    at = np.arange(layer.rows)[:, None] * layer.frequencies
    expected = np.stack([np.sin(at), np.cos(at)], axis=2).reshape(layer.rows, layer.row_width)
    np.testing.assert_allclose(table.detach(), expected, atol=1e-6)


def test_slopes_and_scales(torch):
    from transformers.models.bloom import modeling_bloom
    from transformers.models.mpt import modeling_mpt

    for heads in (8, 12, 112):
        size = {"hidden_size": 64 * heads, "num_hidden_layers": 1, "num_attention_heads": heads}
        layer = layers({"model_type": "bloom", **size})[0]
        theirs = modeling_bloom.build_alibi_tensor(torch.ones(1, 5), heads, torch.float32)
        np.testing.assert_allclose(theirs[:, 0, 1] - theirs[:, 0, 0], layer.slopes, rtol=1e-6)
        mpt = layers({"model_type": "mpt", "d_model": 64 * heads, "n_layers": 1, "n_heads": heads,
                      "attn_config": {"alibi": True, "alibi_bias_max": 16}})[0]  # fmt: skip
        theirs = modeling_mpt.build_mpt_alibi_tensor(heads, 5, 16)[:, 0]
        np.testing.assert_allclose(theirs[:, -1] - theirs[:, -2], mpt.slopes, rtol=1e-6)


@pytest.mark.parametrize("model_type", ["gptj", "codegen"])
def test_older_code_turns_as_we_say(model_type, torch):
    code = importlib.import_module(f"transformers.models.{model_type}.modeling_{model_type}")
    size = {"n_embd": 512, "n_head": 2, "n_layer": 1, "rotary_dim": 64}
    layer = layers({"model_type": model_type, **size})[0]
    assert (layer.width, layer.turned) == (256, 64)
    x = torch.randn(1, 12, 2, 64)
    table = code.create_sinusoidal_positions(12, 64)
    sin, cos = torch.split(table[None], 32, dim=-1)
    theirs = code.apply_rotary_pos_emb(x, sin, cos)
    ours = rotate(x.double().numpy(), np.arange(12)[:, None], frequencies=layer.frequencies,
                  layout=layer.layout)  # fmt: skip
    np.testing.assert_allclose(theirs, ours, atol=3e-6)


TOWERS = [
    ("exaone4_5", "Exaone4_5_Vision", "exaone4_5_vision", {"hidden_size": 256, "num_heads": 4}),
    ("qwen2_vl", "Qwen2VLVision", "qwen2_vl_vision", {"embed_dim": 256, "num_heads": 4}),
    ("qwen3_vl", "Qwen3VLVision", "qwen3_vl_vision", {"hidden_size": 256, "num_heads": 4}),
    ("pixtral", "PixtralVision", "pixtral", {"hidden_size": 256, "num_attention_heads": 4}),
    ("sam3", "Sam3ViT", "sam3_vit_model", {"hidden_size": 256, "num_attention_heads": 4}),
    ("glm_ocr", "GlmOcrVision", "glm_ocr_vision", {"hidden_size": 256, "num_heads": 4}),
    ("glm5_next", "Glm5NextVision", "glm5_next_vision", {"hidden_size": 256, "num_heads": 4}),
    ("ernie4_5_vl_moe", "Ernie4_5_VLMoeVision", "ernie4_5_vl_moe_vision",
     {"hidden_size": 256, "num_heads": 4}),
    ("qwen2_5_omni", "Qwen2_5OmniVision", "qwen2_5_omni_vision_encoder",
     {"hidden_size": 256, "num_heads": 4}),
    ("qwen3_omni_moe", "Qwen3OmniMoeVision", "qwen3_omni_moe_vision_encoder",
     {"hidden_size": 256, "num_heads": 4}),
    ("qwen4_exp", "Qwen4ExpVision", "qwen4_exp_vision", {"hidden_size": 256, "num_heads": 4}),
    ("cohere_compass", "CohereCompassVision", "cohere_compass_vision",
     {"hidden_size": 256, "num_heads": 4}),
    ("dots3_note", "Dots3NoteVision", "dots3_note_vision_encoder",
     {"hidden_size": 256, "adapter_in_dim": 256, "num_attention_heads": 4}),
    ("video_llama_3", "VideoLlama3Vision", "video_llama_3_vision",
     {"hidden_size": 256, "num_attention_heads": 4}),
    ("paddleocr_vl", "PaddleOCRVision", "paddleocr_vl_vision",
     {"hidden_size": 256, "num_attention_heads": 4}),
    ("step3p7", "Step3p7Vision", "step3p5_vision",
     {"hidden_size": 256, "num_attention_heads": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("module", "name", "model_type", "sizes"), TOWERS)
def test_towers_turn_by_row_and_column(module, name, model_type, sizes, torch):
    code = importlib.import_module(f"transformers.models.{module}.modeling_{module}")
    settings = importlib.import_module(f"transformers.models.{module}.configuration_{module}")
    rotary = {n: cls for n, cls in vars(code).items() if "Rotary" in n}
    own = [cls for n, cls in rotary.items() if n.startswith(name)]
    rotary_class, *_ = own or [cls for n, cls in rotary.items() if "Vision" in n]
    config = next(c for c in vars(settings).values()
                  if getattr(c, "model_type", None) == model_type)(**sizes)  # fmt: skip
    layer = layers({**config.to_dict(), "model_type": model_type})[0]
    places = np.array([[0, 0], [1, 0], [0, 1], [5, 3], [2, 7]])  # first axis, second axis
    cos, sin = rotary_class(config)(torch.zeros(1), torch.tensor(places))
    # In SAM 3, the first layer is local, so its frequencies are not scaled to the image's size.
    # a layer whose first axis is the column gets the places in that order
    own_places = places[:, ::-1] if model_type == "step3p5_vision" else places
    angles = own_places[:, layer.axes] * layer.frequencies
    repeat = np.tile if layer.layout == "halves" else None
    expected = repeat(angles, 2) if repeat else np.repeat(angles, 2, axis=-1)
    shape = (len(places), layer.width)
    np.testing.assert_allclose(cos.reshape(shape), np.cos(expected), atol=3e-6)
    np.testing.assert_allclose(sin.reshape(shape), np.sin(expected), atol=3e-6)


def with_reader(rule):
    """Return the model types whose row in `kinds.toml` chooses this reader."""
    kinds = {kind: row.get("reader") for kind, row in rows().items() if kind in classes()}
    words = {k: x["rule"] if isinstance(x, dict) else x for k, x in kinds.items()}
    return sorted(kind for kind, word in words.items() if word == rule)


@pytest.mark.parametrize("model_type", with_reader("patch_table"))
def test_a_tower_has_a_row_for_each_patch(model_type, torch):
    from checkpoint_spy import build_model
    from transformers import CONFIG_MAPPING

    config = CONFIG_MAPPING[model_type]()
    with torch.device("meta"):
        model = build_model(config)
    stack = layers(config.to_dict())
    tables = [tuple(x.shape) for name, x in model.named_parameters() if "position_emb" in name]
    shape = stack[0].rows, stack[0].row_width
    assert any(x[-2:] == shape for x in tables), (shape, tables)
    assert len(stack) == config.num_hidden_layers
    assert stack[0].width * config.num_attention_heads == config.hidden_size


BIASED = {"swin": {"window_size": 6}, "donut-swin": {"depths": [1, 3, 2, 2]},
          "maskformer-swin": {}, "clap_audio_model": {},
          "beit": {"use_relative_position_bias": True},
          "data2vec-vision": {"use_relative_position_bias": True, "image_size": 64}}  # fmt: skip


@pytest.mark.parametrize("model_type", BIASED)
def test_a_tower_has_a_bias_for_each_offset(model_type, torch):
    from checkpoint_spy import build_model
    from transformers import CONFIG_MAPPING

    config = CONFIG_MAPPING[model_type](**BIASED[model_type])
    stack = layers(config.to_dict())
    with torch.device("meta"):
        model = build_model(config)
    tables = [tuple(x.shape) for name, x in model.named_parameters() if "bias_table" in name]
    assert tables == [(layer.rows, layer.row_width) for layer in stack]
    keys = [x.shape for name, x in model.named_parameters()
            if name.endswith(("key.weight", "k_proj.weight"))]  # fmt: skip
    assert [shape[0] for shape in keys] == [layer.width * layer.row_width for layer in stack]


@pytest.mark.parametrize("model_type", with_reader("sound_table"))
def test_a_tower_of_sound_adds_a_table(model_type, torch):
    from checkpoint_spy import build_model
    from transformers import CONFIG_MAPPING

    own = {"encoder_layers": 1, "num_hidden_layers": 1}
    config = CONFIG_MAPPING[model_type]()
    config = CONFIG_MAPPING[model_type](**{k: v for k, v in own.items() if k in config.to_dict()})
    model = build_model(config)
    (layer,) = layers(config.to_dict())
    weights = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    table = next(x for n, x in weights.items() if "embed_positions" in n or "positional_emb" in n)
    assert table.shape == (layer.rows, layer.row_width)


SOUND = ["dots3_note_audio_encoder", "glmasr_encoder", "lasr_encoder", "mimi_encoder",
         "nemotron3_5_transcribe_asr_audio", "nemotron3_diarization_audio", "pe_audio_encoder",
         "voxtral_realtime_encoder"]  # fmt: skip


@pytest.mark.parametrize("model_type", SOUND)
def test_a_tower_of_sound_rotates(model_type, torch):
    from transformers import CONFIG_MAPPING

    config = CONFIG_MAPPING[model_type]()
    layer = layers(config.to_dict())[0]
    code = importlib.import_module(type(config).__module__.replace("configuration", "modeling"))
    towers = [cls for name, cls in vars(code).items() if "Rotary" in name]
    prefix = type(config).__name__.removesuffix("Config").removesuffix("Encoder")
    first = [cls for cls in towers if cls.__name__.startswith(prefix)]
    rotary = (first or towers)[-1](config)
    w = rotary.inv_freq.double().numpy()
    np.testing.assert_allclose(w, layer.frequencies, rtol=1e-6)
    cos, sin = rotary(torch.zeros(1, 1, 1), torch.arange(12)[None])
    x = torch.randn(1, 2, 12, layer.width)
    y, _ = code.apply_rotary_pos_emb(x, x, cos, sin)
    part = x[..., : layer.turned].double().numpy()
    ours = rotate(part, np.arange(12), frequencies=layer.frequencies, layout=layer.layout)
    np.testing.assert_allclose(y[..., : layer.turned], ours, atol=3e-6)
    np.testing.assert_array_equal(y[..., layer.turned :], x[..., layer.turned :])


@pytest.mark.parametrize("kind", ["absolute", "rotary"])
def test_esm_rotates_or_adds_a_table(kind, torch):
    from transformers import EsmConfig, EsmModel
    from transformers.models.esm import modeling_esm

    size = {"hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2, "vocab_size": 9,
            "pad_token_id": 1, "max_position_embeddings": 40, "rope_theta": 5000.0}  # fmt: skip
    config = EsmConfig(**size, position_embedding_type=kind)
    layer = layers(config.to_dict())[-1]
    model = EsmModel(config)
    if kind == "absolute":
        table = model.embeddings.position_embeddings.weight
        assert len(table) == layer.first_position + layer.rows
        return
    rotary = modeling_esm.EsmRotaryEmbedding(config)
    cos, sin = rotary(torch.zeros(1, 1, 1), torch.arange(12)[None])
    x = torch.randn(1, 2, 12, 32)
    theirs, _ = modeling_esm.apply_rotary_pos_emb(x, x, cos, sin)
    ours = rotate(x.double().numpy(), np.arange(12), frequencies=layer.frequencies,
                  layout=layer.layout)  # fmt: skip
    np.testing.assert_allclose(theirs, ours, atol=3e-6)


def test_roformer_rotates_neighbours(torch):
    from transformers import RoFormerConfig, RoFormerModel

    size = {"hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2, "vocab_size": 9}
    config = RoFormerConfig(**size, intermediate_size=16)
    layer = layers(config.to_dict())[0]
    model = RoFormerModel(config)
    angles = model.encoder.embed_positions(torch.Size([1, 12]))[None, None]
    attention = model.encoder.layer[0].attention.self
    x = torch.randn(1, 2, 12, 32)
    theirs, _ = attention.apply_rotary_position_embeddings(angles, x, x)
    ours = rotate(x.double().numpy(), np.arange(12), frequencies=layer.frequencies,
                  layout=layer.layout)  # fmt: skip
    np.testing.assert_allclose(theirs.detach(), ours, atol=3e-6)


def test_dinov3_turns_by_coordinates(torch):
    from transformers import DINOv3ViTConfig
    from transformers.models.dinov3_vit.modeling_dinov3_vit import DINOv3ViTRopePositionEmbedding

    config = DINOv3ViTConfig(hidden_size=256, num_attention_heads=4, image_size=64)
    layer = layers(config.to_dict())[0]
    cos, sin = DINOv3ViTRopePositionEmbedding(config).eval()(torch.zeros(1, 3, 64, 48))
    rows, columns = (2 * (np.arange(n) + 0.5) / n - 1 for n in (4, 3))  # centres of patches
    places = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
    angles = np.tile(places[:, layer.axes] * layer.frequencies, 2)
    np.testing.assert_allclose(cos, np.cos(angles), atol=3e-6)
    np.testing.assert_allclose(sin, np.sin(angles), atol=3e-6)


def test_llama_4s_tower_counts_from_one_and_turns_the_column_first(torch):
    from transformers.models.llama4.configuration_llama4 import Llama4VisionConfig
    from transformers.models.llama4.modeling_llama4 import Llama4VisionRotaryEmbedding

    config = Llama4VisionConfig(hidden_size=256, num_attention_heads=4, image_size=56)
    layer = layers(config.to_dict())[0]
    theirs = Llama4VisionRotaryEmbedding(config)(torch.zeros(1)).reshape(17, -1).numpy()
    assert layer.axis_names == ("column", "row") and layer.first_position == 1
    places = np.array([[t % 4 + 1, t // 4 + 1] for t in range(16)])
    angles = places[:, layer.axes] * layer.frequencies
    np.testing.assert_allclose(theirs[:16], np.exp(1j * angles), atol=3e-6)
    np.testing.assert_allclose(theirs[16], 1)  # the class token
