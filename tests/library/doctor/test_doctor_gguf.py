"""Test that the doctor computes from a GGUF header what llama.cpp computes from it.

The expected frequencies come from `rope`, a loop after ggml's `ggml_rope_yarn_corr_dims` and
`rope_yarn` (ggml-org/llama.cpp, ggml/src/ggml.c and ggml-cpu/ops.cpp), which is independent of
`pe_lib.context`. The defaults are those of src/llama-hparams.h and of `load_arch_hparams` in
src/models/.
"""

import json
import math

import numpy as np
import pytest
from gguf_files import WORDS, gguf, header
from test_doctor_checkpoints import LLAMA, read_stored_config

from pe_lib.checkpoints import layers
from pe_lib.doctor import _files
from pe_lib.doctor.__main__ import main


def rope(width, base, factor=1.0, trained=0, fast=32.0, slow=1.0, share=0.0):
    """Return the frequencies of ggml, with YaRN if `share` (its ext_factor) is not 0."""

    def find_pair(turns):
        return width * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))

    out = []
    for i in range(width // 2):
        kept, mix = base ** (-2 * i / width), 0.0
        if share:
            low, high = (
                max(0, math.floor(find_pair(fast))),
                min(width - 1, math.ceil(find_pair(slow))),
            )
            y = (i - low) / max(0.001, high - low)
            mix = (1 - min(1, max(0, y))) * share
        out.append(kept / factor * (1 - mix) + kept * mix)
    return np.array(out)


def read(tmp_path, kind, facts, tensors=WORDS):
    """Write a GGUF file, and return the arrays of positions that the doctor reads from it."""
    gguf(tmp_path / "model.gguf", header(kind, facts), tensors)
    arrays = _files.read_file(tmp_path / "model.gguf")
    return {name: np.asarray(x) for name, x in arrays.items() if name not in WORDS}, arrays.notes


YARN = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0}
ALONE = [
    ({"rope.dimension_count": 64}, rope(64, 1e4)),
    ({"rope.freq_base": 5e5, "attention.key_length": 96}, rope(96, 5e5)),
    ({"rope.freq_base": 5e5, "embedding_length": 512, "attention.head_count": 8}, rope(64, 5e5)),
    ({"embedding_length": 512, "attention.head_count": [0, 8]}, rope(64, 1e4)),
    ({"rope.dimension_count": 64, "rope.scaling.factor": 2.0}, rope(64, 1e4, 2)),
    ({"rope.dimension_count": 64, "rope.scale_linear": 2.0}, rope(64, 1e4, 2)),
    ({"rope.dimension_count": 64, "rope.scaling.type": "none", "rope.scaling.factor": 2.0},
     rope(64, 1e4)),
    ({"rope.dimension_count": 64, **YARN, "rope.scaling.original_context_length": 4096},
     rope(64, 1e4, 4, 4096, share=1)),
    ({"rope.dimension_count": 64, **YARN, "context_length": 8192},
     rope(64, 1e4, 4, 8192, share=1)),
    ({"rope.dimension_count": 64, **YARN, "context_length": 8192,
      "rope.scaling.yarn_beta_fast": 16.0, "rope.scaling.yarn_beta_slow": 2.0},
     rope(64, 1e4, 4, 8192, 16, 2, share=1)),
    ({"rope.dimension_count": 64, **YARN, "context_length": 8192,
      "rope.scaling.yarn_ext_factor": 0.5}, rope(64, 1e4, 4, 8192, share=0.5)),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "expected"), ALONE)
def test_keys_that_are_left_out_have_the_defaults_of_llama_cpp(facts, expected, tmp_path):
    arrays, notes = read(tmp_path, "llama", facts)
    assert arrays.keys() == {"rope_freqs"}
    np.testing.assert_allclose(arrays["rope_freqs"], expected, rtol=1e-6)
    assert ("rope.freq_base = 10,000" in "".join(notes)) == ("rope.freq_base" not in facts)


def test_a_kind_that_rotates_nothing_has_no_frequencies(tmp_path):
    for kind, facts in (
        ("gpt2", {"embedding_length": 64, "attention.head_count": 4}),
        ("mamba", {"rope.dimension_count": 0}),
    ):
        assert read(tmp_path, kind, facts)[0] == {}, kind
    arrays, notes = read(tmp_path, "llama", {"context_length": 2048})
    assert arrays == {} and "the header says neither how many entries" in notes[0]


def test_slopes_of_a_header(tmp_path):
    """Test the slopes 2^(-8 (h + 1)/n) of n = 8 heads, as ggml's softmax computes them."""
    arrays, _ = read(tmp_path, "bloom", {"attention.head_count": 8})
    np.testing.assert_allclose(arrays["alibi_slopes"], [2.0 ** -(h + 1) for h in range(8)])
    arrays, _ = read(tmp_path, "mpt", {"attention.head_count": 8, "attention.max_alibi_bias": 4.0})
    np.testing.assert_allclose(arrays["alibi_slopes"], [2.0 ** (-(h + 1) / 2) for h in range(8)])


SLIDING = {"rope.freq_base": 1e6, "rope.dimension_count": 64, "attention.sliding_window": 512}


@pytest.mark.parametrize(
    ("kind", "facts", "others", "sliding"),
    [
        ("gemma3", {}, rope(64, 1e6), rope(64, 1e4)),
        ("gemma3", {"rope.scaling.factor": 8.0}, rope(64, 1e6, 8), rope(64, 1e4)),
        ("gemma3", {"rope.freq_base_swa": 2e4}, rope(64, 1e6), rope(64, 2e4)),
        ("step35", {"attention.key_length": 64}, rope(32, 1e6), rope(64, 1e4)),
        ("gemma4", {"rope.dimension_count_swa": 32}, rope(64, 1e6), rope(32, 1e4)),
        ("olmo2", {**YARN, "context_length": 8192}, rope(64, 1e6, 4, 8192, share=1),
         rope(64, 1e6)),
        ("of a stranger", {"rope.freq_base_swa": 1e4}, rope(64, 1e6), rope(64, 1e4)),
    ],
)  # fmt: skip
def test_sliding_layers_have_a_rule_of_their_own(kind, facts, others, sliding, tmp_path):
    arrays, _ = read(tmp_path, kind, {**SLIDING, **facts})
    np.testing.assert_allclose(arrays["others.rope_freqs"], others, rtol=1e-6)
    np.testing.assert_allclose(arrays["sliding.rope_freqs"], sliding, rtol=1e-6)


@pytest.mark.parametrize(
    ("pattern", "sliding"),
    [(3, [0, 1, 3, 4]), ([True, False, True, True, False, True], [0, 2, 3, 5]),
     ([1, 0, 1, 1, 0, 1], [0, 2, 3, 5])],
)  # fmt: skip
def test_a_pattern_says_which_layers_slide(pattern, sliding, tmp_path):
    facts = {**SLIDING, "block_count": 6, "attention.sliding_window_pattern": pattern}
    arrays, _ = read(tmp_path, "gemma3", facts)
    assert [*arrays] == [f"blk.{i}.rope_freqs" for i in range(6)]
    for i in range(6):
        base = 1e4 if i in sliding else 1e6
        np.testing.assert_allclose(arrays[f"blk.{i}.rope_freqs"], rope(64, base), rtol=1e-6)


def test_divisors_in_the_file(tmp_path):
    """Test that divisors apply in all layers, or in Gemma 4 in those that do not slide."""
    divisors = np.where(np.arange(32) < 8, 1, 1e30)
    tensors = {"rope_freqs.weight": divisors}
    arrays, _ = read(tmp_path, "llama", {"rope.freq_base": 1e6}, tensors)
    still = rope(64, 1e6) * (np.arange(32) < 8)
    np.testing.assert_allclose(arrays["rope_freqs.weight"], still, rtol=1e-6)
    arrays, _ = read(tmp_path, "gemma4", {**SLIDING, "rope.dimension_count_swa": 64}, tensors)
    np.testing.assert_allclose(arrays["others.rope_freqs"], still, rtol=1e-6)
    np.testing.assert_allclose(arrays["sliding.rope_freqs"], rope(64, 1e4), rtol=1e-6)


# Whole files beside the configuration of a published model


def run(capsys, folder, kind, facts, config, tensors=WORDS):
    """Write a GGUF file and a configuration, and return the doctor's exit status and its text."""
    gguf(folder / "model.gguf", header(kind, facts), tensors)
    (folder / "config.json").write_text(json.dumps(config))
    status = main([str(folder / "model.gguf"), "--against", str(folder / "config.json")])
    return status, capsys.readouterr().out


DEEPSEEK = read_stored_config("deepseek-v4-flash")
DEEPSEEK_YARN = {"rope.scaling.type": "yarn", "rope.scaling.factor": 16.0,
                 "rope.scaling.original_context_length": 65536}  # fmt: skip
DEEPSEEK_SIZES = {"context_length": 1048576, "block_count": 43, "rope.dimension_count": 64}


@pytest.mark.parametrize(
    ("facts", "status", "words"),
    [
        # a public file: one base, which is that of the layers that compress keys
        ({"rope.freq_base": 160000.0, **DEEPSEEK_YARN}, 0, "fits the 41 compressed layers"),
        # the keys that llama.cpp has had since it reads this model
        ({"rope.freq_base": 10000.0, "attention.compress_rope_freq_base": 160000.0,
          "attention.compress_ratios": DEEPSEEK["compress_ratios"], **DEEPSEEK_YARN},
         0, "(layers 2–42): rotary embeddings, base 160,000; fits the 41 compressed layers"),
        # a public file that lost YaRN and the second base
        ({"rope.freq_base": 10000.0, "rope.freq_base_swa": 10000.0}, 1,
         "the 41 compressed layers should have their own: base 160,000, YaRN by 16."),
        # the second base without YaRN
        ({"rope.freq_base": 160000.0}, 1, "The scaling is none, but the configuration says yarn"),
        ({"rope.freq_base": 160000.0, **DEEPSEEK_YARN, "rope.scaling.factor": 8.0}, 1,
         "The scaling is yarn by 8, but the configuration says yarn by 16."),
    ],
)  # fmt: skip
def test_deepseek_v4(facts, status, words, tmp_path, capsys):
    actual, out = run(capsys, tmp_path, "deepseek4", {**DEEPSEEK_SIZES, **facts}, DEEPSEEK)
    assert actual == status and words in out, out


def gemma_3(**facts):
    config = read_stored_config("gemma-3-1b")
    return {"block_count": config["num_hidden_layers"], "rope.freq_base": 1e6,
            "attention.key_length": 256, "attention.sliding_window": 512, **facts}  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "status", "words"),
    [
        ({}, 0, "fits the 22 sliding layers"),
        ({"attention.sliding_window_pattern": 6}, 0, "(layers 5, 11 … 23)"),
        ({"attention.sliding_window_pattern": 4}, 1, "should have their own: base 10,000."),
        ({"rope.freq_base_swa": 1e6}, 1, "should have their own: base 10,000."),
        ({"rope.freq_base": 1e4}, 1, "should have their own: base 1,000,000."),
        ({"rope.scaling.factor": 8.0}, 1, "The scaling is linear by 8"),
    ],
)
def test_gemma_3(facts, status, words, tmp_path, capsys):
    config = read_stored_config("gemma-3-1b")
    actual, out = run(capsys, tmp_path, "gemma3", gemma_3(**facts), config)
    assert actual == status and words in out, out


def test_long_rope(tmp_path, capsys):
    """Test Phi-3's factors for short and long texts, as they are and exchanged."""
    config = read_stored_config("phi-3.5-mini")
    short, long = (
        (w / layers(config, length)[0].frequencies).astype("f4")
        for w, length in ((rope(96, 1e4), 1), (rope(96, 1e4), 131072))
    )
    facts = {"rope.freq_base": 10000.0, "rope.dimension_count": 96, "context_length": 131072,
             "rope.scaling.original_context_length": 4096}  # fmt: skip
    for first, second, status in ((short, long, 0), (long, short, 1)):
        tensors = {"rope_factors_short.weight": first, "rope_factors_long.weight": second}
        actual, out = run(capsys, tmp_path, "phi3", facts, config, tensors)
        assert actual == status, out
        assert ("fits all 32 layers beyond 4,096 positions" in out) == (status == 0)


def test_gpt_oss_is_healthy_though_no_key_says_how_its_ramp_ends(tmp_path, capsys):
    facts = {"rope.freq_base": 150000.0, "attention.key_length": 64, "block_count": 24,
             "attention.sliding_window": 128, "context_length": 131072,
             "rope.scaling.type": "yarn", "rope.scaling.factor": 32.0,
             "rope.scaling.original_context_length": 4096}  # fmt: skip
    status, out = run(capsys, tmp_path, "gpt-oss", facts, read_stored_config("gpt-oss-20b"))
    assert status == 0 and "fits the 12 sliding layers and the 12 full layers" in out, out
    facts |= {"rope.scaling.factor": 8.0}
    assert run(capsys, tmp_path, "gpt-oss", facts, read_stored_config("gpt-oss-20b"))[0] == 1


def test_a_base_that_the_converter_lost(tmp_path, capsys):
    sizes = {"embedding_length": 4096, "attention.head_count": 32}
    status, out = run(capsys, tmp_path, "llama", sizes, LLAMA)
    assert status == 1 and "The base is 10,000, but the configuration says 500,000." in out
    assert "llama.cpp then takes by default: rope.freq_base = 10,000." in out
    assert run(capsys, tmp_path, "llama", {**sizes, "rope.freq_base": 5e5}, LLAMA)[0] == 0


def yarn(factor, trained, **more):
    return {"rope.scaling.type": "yarn", "rope.scaling.factor": float(factor),
            "rope.scaling.original_context_length": trained, **more}  # fmt: skip


def divisors(name, base):
    """Return by how much each pair of a published model is slower than `base` says."""
    w = layers(read_stored_config(name))[0].frequencies
    return {"rope_freqs.weight": rope(2 * w.size, base) / w}


# The keys are those that llama.cpp's converter writes for these models (version b9608).
PUBLISHED = [
    ("llama-3-8b", "llama", {"rope.freq_base": 5e5, "rope.dimension_count": 128}, {}),
    ("llama-3.1-8b", "llama", {"rope.freq_base": 5e5}, divisors("llama-3.1-8b", 5e5)),
    ("llama-4-scout", "llama4", {"rope.freq_base": 5e5}, divisors("llama-4-scout", 5e5)),
    ("gemma-7b", "gemma", {"attention.key_length": 256}, {}),
    ("gemma-2-9b", "gemma2", {"attention.key_length": 256, "attention.sliding_window": 4096}, {}),
    ("gemma-4-26b-a4b", "gemma4",
     {"rope.freq_base": 1e6, "rope.freq_base_swa": 1e4, "rope.dimension_count": 512,
      "rope.dimension_count_swa": 256, "attention.sliding_window": 1024, "block_count": 30,
      "attention.sliding_window_pattern": [*[True] * 5, False] * 5},
     {"rope_freqs.weight": np.where(np.arange(256) < 64, 1, 1e30)}),
    ("mistral-7b-v0.1", "llama",
     {"rope.dimension_count": 128, "attention.sliding_window": 4096}, {}),
    ("qwen2.5-7b", "qwen2",
     {"rope.freq_base": 1e6, "embedding_length": 3584, "attention.head_count": 28}, {}),
    ("deepseek-v3", "deepseek2", {"rope.dimension_count": 64, **yarn(40, 4096)}, {}),
    ("kimi-k2", "deepseek2",
     {"rope.dimension_count": 64, "rope.freq_base": 5e4,
      **yarn(32, 4096, **{"rope.scaling.yarn_beta_fast": 1.0})}, {}),
    ("olmo-3.1-32b", "olmo2",
     {"rope.freq_base": 5e5, "embedding_length": 5120, "attention.head_count": 40,
      "attention.sliding_window": 4096, **yarn(8, 8192)}, {}),
    ("mimo-v2-flash", "mimo2",
     {"rope.freq_base": 5e6, "rope.dimension_count": 64, "attention.sliding_window": 128}, {}),
    ("laguna-xs.2", "laguna",
     {"rope.freq_base": 5e5, "rope.freq_base_swa": 1e4, "rope.dimension_count": 64,
      "rope.dimension_count_swa": 128, "attention.sliding_window": 512,
      **yarn(64, 4096, **{"rope.scaling.yarn_beta_fast": 64.0})}, {}),
    ("command-r7b", "cohere2",
     {"rope.freq_base": 5e4, "rope.dimension_count": 128, "attention.sliding_window": 4096}, {}),
    ("exaone-4.0-32b", "exaone4",
     {"rope.freq_base": 1e6, "attention.sliding_window": 4096}, divisors("exaone-4.0-32b", 1e6)),
    ("modernbert-base", "modern-bert",
     {"rope.freq_base": 160000.0, "rope.freq_base_swa": 1e4, "embedding_length": 768,
      "attention.head_count": 12, "attention.sliding_window": 128}, {}),
    ("mpt-7b", "mpt", {"attention.max_alibi_bias": 8.0, "attention.head_count": 32}, {}),
    ("bloom", "bloom", {"attention.head_count": 112}, {}),
    ("gpt2", "gpt2", {"embedding_length": 768, "attention.head_count": 12},
     {"position_embd.weight": np.random.default_rng(0).normal(size=(1024, 768))}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "facts", "tensors"), PUBLISHED,
                         ids=[row[0] for row in PUBLISHED])  # fmt: skip
def test_published_models_are_healthy(name, kind, facts, tensors, tmp_path, capsys):
    status, out = run(capsys, tmp_path, kind, facts, read_stored_config(name), {**WORDS, **tensors})
    assert status == 0 and "fits" in out, out


@pytest.mark.parametrize(
    ("name", "kind", "facts", "words"),
    [
        ("llama-3.1-8b", "llama", {"rope.freq_base": 5e5, "rope.dimension_count": 128},
         "The scaling is none, but the configuration says llama3 by 8."),
        ("deepseek-v3", "deepseek2", {"rope.dimension_count": 64},
         "The scaling is none, but the configuration says yarn by 40."),
        ("gpt-neox-20b", "gptneox", {"embedding_length": 6144, "attention.head_count": 64},
         "The width is 96, but the configuration says 24."),
        ("gemma-3-1b", "of a stranger", {"rope.freq_base": 1e6, "attention.key_length": 256},
         "the 22 sliding layers"),
        ("mimo-v2-flash", "mimo2", {"rope.freq_base": 5e6, "rope.freq_base_swa": 5e6,
         "rope.dimension_count": 64}, "should have their own: base 10,000."),
    ],
)  # fmt: skip
def test_what_a_converter_lost(name, kind, facts, words, tmp_path, capsys):
    status, out = run(capsys, tmp_path, kind, facts, read_stored_config(name))
    assert status == 1 and words in out, out
