"""Test the copy-and-paste recipes of the appendix on practice, and the models that it mentions."""

import math
import re
from typing import Any

import numpy as np
import pytest
from cells import functions, read_output, run_cells

from pe_lib import biases, context, encode, frequencies, rotary
from pe_lib.checkpoints import layers
from tests.recorded import read_recording
from tools.notebooks import ROOT, read

CELLS = read(ROOT / "chapters" / "appendix-practice.ipynb").cells
PROSE = "\n\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
IMPORTS = {"torch": "import torch", "jax": "import jax", "transformers": "from transformers"}
LARGE = "{} is not installed: it is large and only compared with; run: make peers"


def run_pasted_code(heading: str, library: str, **known: Any) -> dict[str, Any]:
    """Run the page's code for `library` under `heading`, and return all names that it defines."""
    pytest.importorskip(library, reason=LARGE.format(library))
    (level,) = re.findall(rf"^(#+) {re.escape(heading)}$", PROSE, re.MULTILINE)
    section = PROSE.split(f"{level} {heading}\n")[1]
    section = re.split(rf"^##{{,{len(level) - 1}}} ", section, flags=re.MULTILINE)[0]
    found = re.findall(r"```python\n(.+?)```", section, re.DOTALL)
    (snippet,) = [code for code in found if IMPORTS[library] in code]
    exec(snippet, known)
    return known


def test_a_table_of_angles_in_float32_is_as_accurate_as_the_page_says():
    t, w = np.arange(10_001), frequencies(128)
    rounded = np.outer(t.astype(np.float32), w.astype(np.float32)).astype(float)
    exact = np.outer(t, w)
    off = max(np.abs(wave(rounded) - wave(exact)).max() for wave in (np.sin, np.cos))
    assert (
        off == pytest.approx(8e-4, abs=5e-5) and "accurate to 8e-4 up to position 10,000" in PROSE
    )


def array(library: str, values: Any) -> Any:
    if library == "torch":
        import torch

        return torch.tensor(np.asarray(values))
    import jax.numpy

    return jax.numpy.asarray(values)


def assert_close(ours: Any, theirs: Any, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=0, atol=atol)


def recipes() -> dict[str, Any]:
    return functions("appendix-practice", np=np)


def test_what_yarn_multiplies() -> None:
    amplitude = recipes()["amplitude"]
    assert amplitude(4.0) == pytest.approx(0.1 * math.log(4) + 1, rel=1e-15)
    assert amplitude(4.0, 1.0, 1.0) == 1 and amplitude(4.0, 1.0, 1.0, 0.5) == 0.5
    ratio = (0.0707 * math.log(4) + 1) / (0.1 * math.log(4) + 1)
    assert amplitude(4.0, 0.707, 1.0) == pytest.approx(ratio, rel=1e-15)


def test_deepseek_v4_is_the_exception_that_the_page_names() -> None:
    config = read_recording("checkpoints/deepseek-v4-flash")["config"]
    yarn = config["rope_scaling"]
    assert not {"attention_factor", "mscale", "mscale_all_dim"} & yarn.keys()
    assert recipes()["amplitude"](yarn["factor"]) == pytest.approx(1.277, abs=5e-4)
    found = layers(config)
    assert "yarn" in {layer.scaling for layer in found}
    assert {layer.amplitude for layer in found} == {1.0}


def test_a_shift_is_a_mask_at_every_depth_and_reading_anew_for_one_layer_only() -> None:
    lines = read_output("appendix-practice", "logits off by   masked").splitlines()[1:]
    depths, masked, anew = zip(*([float(n) for n in line.replace("layers", "").split()]
                                 for line in lines), strict=True)  # fmt: skip
    assert depths == (1, 2, 8) and max(masked) < 1e-12
    assert anew[0] < 1e-12 and 0.1 < anew[1] < anew[2]


def test_gemma_4_pairs_entry_0_with_256() -> None:
    config = read_recording("checkpoints/gemma-4-26b-a4b")["config"]
    layer = next(found for found in layers(config) if found.kind == "full")
    assert (layer.width, layer.layout, np.count_nonzero(layer.frequencies)) == (512, "halves", 64)
    shown = run_cells("appendix-practice")["whole_head"](np.eye(512)[0], 1)
    assert np.flatnonzero(shown).tolist() == [0, 256]
    x = np.arange(1.0, 513)
    w = np.zeros(256)
    w[: len(layer.frequencies)] = layer.frequencies
    expected = x.copy()
    for i, frequency in enumerate(w):  # a plain loop
        c, s = math.cos(7 * frequency), math.sin(7 * frequency)
        expected[i], expected[i + 256] = c * x[i] - s * x[i + 256], s * x[i] + c * x[i + 256]
    assert_close(run_cells("appendix-practice")["whole_head"](x, 7), expected, atol=1e-9)


def test_neighbours_of_a_random_table_are_not_alike() -> None:
    (source,) = re.findall(r"```python\n(def neighbours_alike.+?)```", PROSE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(source, names)
    table = np.random.default_rng(0).normal(scale=0.02, size=(512, 768))
    assert abs(names["neighbours_alike"](table)) < 0.01
    assert names["neighbours_alike"](encode(np.arange(512), 768)) > 0.9


def partner() -> Any:
    (source,) = re.findall(r"```python\n(def partner.+?)```", PROSE, re.DOTALL)
    names: dict[str, Any] = {"np": np}
    exec(source, names)
    return names["partner"]


def reads_neighbours_writes_halves(x: Any, t: Any) -> Any:
    """Rotate pairs of neighbours, but return them as halves, as transformers' DeepSeek-V3 does."""
    return rotary.rotate(x, t)[..., rotary.to_halves(np.shape(x)[-1])]


def test_a_score_tells_the_layout_where_entries_do_not() -> None:
    page, found = run_cells("appendix-practice"), partner()
    for width in (16, 64):
        for layout, other in (("interleaved", 1), ("halves", width // 2)):
            assert found(lambda x, t, n=layout: rotary.rotate(x, t, layout=n), width) == [other]
        assert found(reads_neighbours_writes_halves, width) == [1]
    moved = page["entries"](reads_neighbours_writes_halves, 64, 0)
    # the layout "halves" only moves the same entries to other places
    assert moved.tolist() == [0, 32]
    for turn, other in [(reads_neighbours_writes_halves, 129),
                        (lambda x, t: rotary.rotate(x, t, layout="halves"), 160)]:  # fmt: skip

        def program(x: Any, t: Any, turn: Any = turn) -> Any:
            return np.concatenate([x[:128], turn(x[128:], t)])

        assert page["entries"](program, 192, 0).tolist() == [0]
        assert len(page["entries"](program, 192, 128)) == 2
        assert found(program, 192, 128) == [other]


frameworks = pytest.mark.parametrize("library", ["torch", "jax"])


def in_jax() -> dict[str, Any]:
    """Return the page's numpy functions with jax.numpy in place of numpy, as the page suggests."""
    pytest.importorskip("jax", reason=LARGE.format("jax"))
    import jax.numpy

    return functions("appendix-practice", np=jax.numpy)


@pytest.mark.peers
@frameworks
def test_pasted_sines(library: str) -> None:
    page = (
        run_pasted_code("Sinusoidal encoding", library)
        if library == "torch"
        else in_jax() | recipes()
    )
    for d_model, base in [(64, 10_000.0), (6, 300.0)]:
        if library == "torch":
            table = page["sinusoidal"](array(library, np.arange(5000)), d_model, base)
        else:  # JAX users convert the numpy function's table to float32
            table = page["sinusoidal"](np.arange(5000), d_model, base)
            table = array(library, table.astype(np.float32))
        assert str(table.dtype).endswith("float32")
        assert_close(table, encode(range(5000), d_model, base), 6e-8)


@pytest.mark.peers
@frameworks
def test_pasted_rotations(library: str) -> None:
    # The JAX code on the page uses the numpy function, so define this function first.
    if library == "jax":
        table = {"rotary_table": recipes()["rotary_table"], "w": frequencies(64)}
        page = in_jax() | run_pasted_code("Rotary embeddings", library, **table)
    else:
        page = run_pasted_code("Rotary embeddings", library)
    cos, sin = page["cos"], page["sin"]
    assert cos.shape == (4096, 32) and str(cos.dtype).endswith("float32")
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3, 4, 64)).astype(np.float32)
    t = np.array([[[5, 6, 7, 8]], [[0, 0, 1, 4095]]])
    for layout in ("interleaved", "halves"):
        turn = page[f"turn_{layout}"]
        turned = turn(array(library, x), cos[array(library, t)], sin[array(library, t)])
        assert_close(turned, rotary.rotate(x, t, layout=layout))
        half = array(library, x.astype(np.float16))
        once = turn(half, cos[array(library, t)], sin[array(library, t)])
        once = np.asarray(once.astype(half.dtype) if library == "jax" else once)
        assert once.dtype == np.float16  # the rotation is computed in float32 and then rounded once
        assert_close(
            once, rotary.rotate(x.astype(np.float16).astype(np.float32), t, layout=layout), 1e-3
        )


@pytest.mark.peers
@frameworks
def test_pasted_biases(library: str) -> None:
    jax = in_jax() if library == "jax" else {}
    page, t = jax or run_pasted_code("ALiBi", library), array(library, np.arange(40))
    for heads in range(1, 41):
        assert_close(page["alibi_slopes"](heads), biases.alibi_slopes(heads), 1e-7)
    assert_close(
        page["alibi"](t[7:9], t, 12),
        biases.alibi_bias(length=40, heads=12, causal=False)[:, 7:9],
        1e-5,
    )

    page, far = jax or run_pasted_code("Buckets of T5", library), np.arange(3000)
    table = np.random.default_rng(0).standard_normal((32, 4)).astype(np.float32)
    for both in (True, False):
        found = page["t5_buckets"](array(library, far), t[:1], bidirectional=both)
        np.testing.assert_array_equal(found[:, 0], biases.t5_buckets(-far, bidirectional=both))
        found = page["t5_buckets"](t[:1], array(library, far), bidirectional=both)
        np.testing.assert_array_equal(found[0], biases.t5_buckets(far, bidirectional=both))
        if library == "torch":
            found = page["t5_bias"](t, t, array(library, table), bidirectional=both)
        else:
            buckets = page["t5_buckets"](t, t, bidirectional=both)
            found = np.moveaxis(array(library, table)[buckets], -1, 0)
        assert_close(found, biases.t5_bias(40, table, bidirectional=both), 0)


@pytest.mark.peers
def test_x_transformers_agrees() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    peer = pytest.importorskip(
        "x_transformers.x_transformers", reason=LARGE.format("x-transformers")
    )
    for heads in (1, 6, 8, 12):
        bias = peer.AlibiPositionalBias(heads)(9, 9)
        assert_close(bias, biases.alibi_bias(length=9, heads=heads, causal=False))
    offsets = np.arange(-3000, 3001)
    for causal in (True, False):
        found = peer.RelativePositionBias._relative_position_bucket(
            torch.tensor(offsets), causal=causal
        )
        expected = biases.t5_buckets(offsets, bidirectional=not causal)
        np.testing.assert_array_equal(found, expected)
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3, 8, 16)).astype(np.float32)
    angles, scale = peer.RotaryEmbedding(16, base_rescale_factor=4.0).forward_from_seq_len(8)
    found = peer.apply_rotary_pos_emb(torch.tensor(x), angles, scale)
    assert_close(found, rotary.rotate(x, range(8), frequencies=context.ntk_aware(16, 4)))
    first = peer.rotate_half(torch.eye(4))[0]
    # Despite its name, this `rotate_half` swaps neighbouring entries and not halves.
    assert first.tolist() == [0, 1, 0, 0]


def rotary_of(config: Any) -> Any:
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    return LlamaRotaryEmbedding(config)


def make_small_config(**settings: Any) -> Any:
    import transformers

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 50}
    return transformers.LlamaConfig(**(sizes | {"intermediate_size": 64} | settings))


@pytest.mark.peers
def test_pasted_configurations_give_the_frequencies_of_the_library() -> None:
    page = run_pasted_code("Hugging Face configurations", "transformers")
    import torch
    from transformers import LlamaConfig

    d, s, trained = page["d_head"], page["factor"], page["trained"]
    longest = int(trained * s)
    for name, expected, scale in [
        ("plain", frequencies(d), 1),
        ("PI", context.interpolated(d, s), 1),
        ("NTK-aware", context.ntk_aware(d, s), 1),
        ("dynamic NTK", context.dynamic(d, longest, trained), 1),
        ("YaRN", context.yarn(d, s, trained), context.temperature(s)),
    ]:
        config = LlamaConfig(
            max_position_embeddings=trained if name == "dynamic NTK" else longest,
            rope_parameters=page["rope_parameters"][name],
        )
        assert config.head_dim == d
        embedding = rotary_of(config)
        embedding(torch.zeros(1), torch.arange(longest)[None])
        np.testing.assert_allclose(embedding.inv_freq, expected, rtol=1e-6)
        assert embedding.attention_scaling == pytest.approx(scale)
    assert page["config"].rope_parameters["rope_type"] == "yarn"


# The recipe uses an argument name that works in all versions up to 5.40, although deprecated.
@pytest.mark.filterwarnings("ignore:`past_key_values` is deprecated:FutureWarning")
@pytest.mark.peers
def test_the_first_look_tells_a_cache_and_columns() -> None:
    look = run_pasted_code("First look", "torch")["first_look"]
    import torch
    import transformers as tf

    torch.manual_seed(0)
    text = torch.randint(1, 50, (1, 14))
    sizes = {"vocab_size": 50, "n_embd": 32, "n_layer": 2, "n_head": 2, "bos_token_id": 0}
    columns = tf.GPT2LMHeadModel(tf.GPT2Config(**sizes, eos_token_id=0)).eval()
    cached, padded = look(columns, text)
    assert cached < 1e-5 and padded > 1e-2
    model = tf.LlamaForCausalLM(make_small_config()).eval()
    assert max(look(model, text)) < 1e-5
    forward = model.forward

    # This model is faulty, because it gives each new token position 0.
    def from_zero(ids: Any, **more: Any) -> Any:
        return forward(ids, position_ids=torch.arange(ids.shape[1])[None], **more)

    model.forward = from_zero
    cached, padded = look(model, text)
    assert cached > 1e-4 and padded < 1e-5


@pytest.mark.peers
def test_places_of_an_image_and_of_frames_are_those_of_qwen() -> None:
    pytest.importorskip("torch", reason=LARGE.format("torch"))
    import torch
    from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen

    places = recipes()["places"]
    config = qwen.Qwen2_5_VLConfig(
        image_token_id=7, video_token_id=8, vision_start_token_id=9, vision_config={"depth": 1}
    )
    config.text_config.num_hidden_layers = 1
    with torch.device("meta"):
        model = qwen.Qwen2_5_VLModel(config)
    ids = torch.tensor([[1, 1, 1, 1, 9] + [7] * 24 + [2, 2, 2]])
    found, delta = model.get_rope_index(
        ids, mm_token_type_ids=(ids == 7).int(), image_grid_thw=torch.tensor([[1, 8, 12]])
    )
    ours = places([5, (1, 4, 6), 3])
    np.testing.assert_array_equal(found[:, 0].T, ours)
    assert delta.item() == ours.max() + 1 - len(ours)


@pytest.mark.peers
def test_what_assert_rotary_refuses() -> None:
    check = run_pasted_code("A buffer nobody filled", "torch")["assert_rotary"]
    import torch
    import transformers as tf

    model, right = tf.LlamaModel(make_small_config()), 10_000.0 ** (-torch.arange(8) / 8)
    check(model)
    for wrong, message in [
        (torch.zeros(8), "begins with 0.0"),
        (right * float("nan"), "nan"),
        (torch.cat([right[:1], right[1:].flip(0)]), "does not fall"),
    ]:
        model.rotary_emb.inv_freq.copy_(wrong)
        with pytest.raises(AssertionError, match=message):
            check(model)
    with pytest.raises(AssertionError, match="inv_freq is torch"):
        check(tf.LlamaModel(make_small_config()).to(torch.bfloat16))
    linear = {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 4.0}
    check(tf.LlamaModel(make_small_config(rope_parameters=linear)), factor=4.0)
    with pytest.raises(AssertionError, match="no inv_freq"):
        check(torch.nn.Linear(2, 2))


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:\\s*flex_attention called without torch.compile")
def test_pasted_fused_attention() -> None:
    page = run_pasted_code("In fused attention", "torch")
    import torch

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 12, 9, 16)
    cu = torch.tensor([0, 4, 4, 9])  # three texts, which have four, zero and five words
    positions, text = page["positions_of"](cu)
    assert positions.tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 4]
    assert text.tolist() == [0, 0, 0, 0, 2, 2, 2, 2, 2]
    held = [page["zigzag"](cu, rank, 2) for rank in range(2)]
    # Each of the nine words must be on exactly one device.
    assert torch.cat(held).sort().values.tolist() == list(range(9))
    for mine in held:
        here, its_text = page["positions_of"](cu, mine)
        assert (here == positions[mine]).all() and (its_text == text[mine]).all()
    pack = torch.tensor([0, 4, 8])
    # The expected order is that of pull request 5243 of Megatron-LM.
    assert page["zigzag"](pack, 0, 2).tolist() == [0, 3, 4, 7]
    assert page["zigzag"](pack, 1, 2).tolist() == [1, 2, 5, 6]

    def attend_naively(q: Any, k: Any, v: Any, bias: Any, scale: float) -> Any:
        scores = q.numpy() @ np.swapaxes(k.numpy(), -1, -2) * scale + bias
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True) @ v.numpy()

    slopes = torch.tensor(biases.alibi_slopes(12), dtype=torch.float32)
    found = page["packed_with_alibi"](q, k, v, slopes, cu)
    for one in (slice(0, 4), slice(4, 9)):
        alone = [x[:, :, one] for x in (q, k, v)]
        bias = biases.alibi_bias(length=one.stop - one.start, heads=12)
        assert_close(found[:, :, one], attend_naively(*alone, bias, 1 / 4), 1e-5)

    table = np.random.default_rng(0).standard_normal((32, 12))
    bias = biases.t5_bias(9, table)
    found = page["with_t5_bias"](q, k, v, torch.tensor(bias))
    assert_close(found, attend_naively(q, k, v, bias, 1.0), 1e-5)
    bias = biases.t5_bias(9, table, bidirectional=False)  # a decoder's bias
    found = page["with_t5_bias"](q, k, v, torch.tensor(bias), causal=True)
    hidden = np.where(np.tri(9, dtype=bool), bias, -np.inf)
    assert_close(found, attend_naively(q, k, v, hidden, 1.0), 1e-5)
    last = page["with_t5_bias"](q[:, :, 7:], k, v, torch.tensor(bias[:, 7:]), causal=True)
    assert_close(last, found[:, :, 7:], 1e-5)


@pytest.mark.peers
def test_the_versions_are_those_that_the_page_names() -> None:
    """Check that the page names the installed versions. If not, recheck the page's claims."""
    found = []
    for library in ("torch", "transformers", "jax"):
        module = pytest.importorskip(library, reason=LARGE.format(library))
        found.append(module.__version__.split("+")[0])
    assert "by running versions {}, {} and {}".format(*found) in PROSE
