"""The recipes to paste do what they say, in every framework, and so do the models they speak of."""

import math
import re
from typing import Any

import numpy as np
import pytest
from cells import executed, functions

from pe_lib import biases, context, encode, frequencies, rotary
from tools.notebooks import ROOT, read

CELLS = read(ROOT / "chapters" / "appendix-practice.ipynb").cells
PROSE = "\n\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
IMPORTS = {"torch": "import torch", "jax": "import jax", "transformers": "from transformers"}
LARGE = "{} is not installed: it is large and only compared with; run: make peers"


def pasted(heading: str, library: str) -> dict[str, Any]:
    """What the code for `library` under `heading` defines, run as a reader would paste it."""
    pytest.importorskip(library, reason=LARGE.format(library))
    (level,) = re.findall(rf"^(#+) {re.escape(heading)}$", PROSE, re.MULTILINE)
    section = PROSE.split(f"{level} {heading}\n")[1]
    section = re.split(rf"^##{{,{len(level) - 1}}} ", section, flags=re.MULTILINE)[0]
    found = re.findall(r"```python\n(.+?)```", section, re.DOTALL)
    (snippet,) = [code for code in found if IMPORTS[library] in code]
    names: dict[str, Any] = {}
    exec(snippet, names)
    return names


def array(library: str, values: Any) -> Any:
    if library == "torch":
        import torch

        return torch.tensor(np.asarray(values))
    import jax.numpy

    return jax.numpy.asarray(values)


def close(ours: Any, theirs: Any, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=0, atol=atol)


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    headings = re.findall(r"^#+ (.+)$", PROSE, re.MULTILINE)
    slugs = {re.sub(r"[^a-z0-9_-]", "", h.lower().replace(" ", "-")) for h in headings}
    links = re.findall(r"\]\(#([^)]+)\)", PROSE)
    assert len(links) > 30 and set(links) <= slugs
    assert len(slugs) == len(headings)


def test_threads_are_named_as_they_are_linked() -> None:
    """[repository #number](its address), each under Seen or in the text beside it."""
    found = re.findall(r"\[([\w.-]+) #(\d+)\]\(([^)\s]+)\)", PROSE)
    assert len(found) > 35
    for name, number, address in found:
        match = re.fullmatch(rf"https://github\.com/[\w-]+/{name}/(issues|pull)/{number}", address)
        assert match, address
    for section in re.split(r"^## ", PROSE.split("## Porting weights")[0], flags=re.MULTILINE)[3:]:
        name = section.splitlines()[0]
        seen = "*Seen:*" in section
        assert seen or name == "An odd d_model" or name.startswith("Order"), name


def recipes() -> dict[str, Any]:
    return functions("appendix-practice", np=np)


def yarn_by_pair_numbers(
    d: int, s: float, trained: int, base: float, fast: float = 32, slow: float = 1,
    truncate: bool = True,
) -> list[float]:  # fmt: skip
    """What the authors' program does, pair by pair."""

    def pair_with(turns: float) -> float:  # trained / (2π base^(2i/d)) = turns, solved for i
        return d / 2 * math.log(trained / (2 * math.pi * turns), base)

    first, last = pair_with(fast), pair_with(slow)
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, d - 1)
    out = []
    for i in range(d // 2):
        slowed = min(max((i - first) / (last - first), 0.0), 1.0)
        out.append(math.pow(base, -2 * i / d) * ((1 - slowed) + slowed / s))
    return out


@pytest.mark.parametrize("d, s, trained, base", [(128, 4.0, 4096, 1e4), (64, 16.0, 8192, 5e5)])
def test_yarn_and_what_it_multiplies(d: int, s: float, trained: int, base: float) -> None:
    page = recipes()
    close(page["yarn"](d, s, trained, base), yarn_by_pair_numbers(d, s, trained, base), 1e-15)
    exact = {"beta_fast": 24, "beta_slow": 2, "truncate": False}
    found = page["yarn"](d, s, trained, base, **exact)
    close(found, yarn_by_pair_numbers(d, s, trained, base, 24, 2, False), 1e-15)
    for w in (page["interpolated"](d, s, base), page["ntk_aware"](d, s, base), found):
        assert w[-1] * base ** ((d - 2) / d) * s == pytest.approx(1)  # scaling arrived
    assert page["amplitude"](s) == page["yarn_scale"](s)
    assert page["amplitude"](s, 1.0, 1.0) == 1 and page["amplitude"](s, 1.0, 1.0, 0.5) == 0.5
    ratio = (0.0707 * math.log(s) + 1) / (0.1 * math.log(s) + 1)
    assert page["amplitude"](s, 0.707, 1.0) == pytest.approx(ratio, rel=1e-15)


def partner() -> Any:
    (source,) = re.findall(r"```python\n(def partner.+?)```", PROSE, re.DOTALL)
    names: dict[str, Any] = {"np": np}
    exec(source, names)
    return names["partner"]


def reads_neighbours_writes_halves(x: Any, t: Any) -> Any:
    """As DeepSeek-V3 in transformers, of which a test with peers is sure."""
    return rotary.rotate(x, t)[..., rotary.to_halves(np.shape(x)[-1])]


def test_a_score_tells_the_layout_where_entries_do_not() -> None:
    page, found = executed("appendix-practice"), partner()
    for width in (16, 64):
        for layout, other in (("interleaved", 1), ("halves", width // 2)):
            assert found(lambda x, t, n=layout: rotary.rotate(x, t, layout=n), width) == [other]
        assert found(reads_neighbours_writes_halves, width) == [1]
    moved = page["entries"](reads_neighbours_writes_halves, 64, 0)
    assert moved.tolist() == [0, 32]  # what halves show, too
    for turn, other in [(reads_neighbours_writes_halves, 129),
                        (lambda x, t: rotary.rotate(x, t, layout="halves"), 160)]:  # fmt: skip

        def program(x: Any, t: Any, turn: Any = turn) -> Any:
            return np.concatenate([x[:128], turn(x[128:], t)])

        assert page["entries"](program, 192, 0).tolist() == [0]
        assert len(page["entries"](program, 192, 128)) == 2
        assert found(program, 192, 128) == [other]


frameworks = pytest.mark.parametrize("library", ["torch", "jax"])


@pytest.mark.peers
@frameworks
def test_pasted_sines(library: str) -> None:
    page = pasted("Sinusoidal encoding", library)
    for d_model, base in [(64, 10_000.0), (6, 300.0)]:
        positions = array(library, np.arange(5000)) if library == "torch" else 5000
        table = page["sinusoidal"](positions, d_model, base)
        assert str(table.dtype).endswith("float32")
        close(table, encode(range(5000), d_model, base), 6e-8)


@pytest.mark.peers
@frameworks
def test_pasted_rotations(library: str) -> None:
    page = pasted("Rotary embeddings", library)
    cos, sin = page["cos"], page["sin"]
    assert cos.shape == (4096, 32)
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3, 4, 64)).astype(np.float32)
    t = np.array([[[5, 6, 7, 8]], [[0, 0, 1, 4095]]])
    for layout in ("interleaved", "halves"):
        turn = page[f"turn_{layout}"]
        turned = turn(array(library, x), cos[array(library, t)], sin[array(library, t)])
        close(turned, rotary.rotate(x, t, layout=layout))
        half = array(library, x.astype(np.float16))
        once = np.asarray(turn(half, cos[array(library, t)], sin[array(library, t)]))
        assert once.dtype == np.float16  # turned in float32, rounded once
        close(once, rotary.rotate(x.astype(np.float16).astype(np.float32), t, layout=layout), 1e-3)


@pytest.mark.peers
@frameworks
def test_pasted_biases(library: str) -> None:
    page, t = pasted("ALiBi", library), array(library, np.arange(40))
    for heads in range(1, 41):
        close(page["alibi_slopes"](heads), biases.alibi_slopes(heads), 1e-7)
    close(page["alibi"](t[7:9], t, 12), biases.alibi_bias(40, 12, causal=False)[:, 7:9], 1e-5)

    page, far = pasted("Buckets of T5", library), np.arange(3000)
    table = np.random.default_rng(0).standard_normal((32, 4)).astype(np.float32)
    for both in (True, False):
        found = page["t5_buckets"](array(library, far), t[:1], bidirectional=both)
        np.testing.assert_array_equal(found[:, 0], biases.t5_buckets(-far, bidirectional=both))
        found = page["t5_buckets"](t[:1], array(library, far), bidirectional=both)
        np.testing.assert_array_equal(found[0], biases.t5_buckets(far, bidirectional=both))
        found = page["t5_bias"](t, t, array(library, table), bidirectional=both)
        close(found, biases.t5_bias(40, table, bidirectional=both), 0)


@pytest.mark.peers
def test_pasted_context_scaling() -> None:
    page, d, s, trained = pasted("Context scaling", "torch"), 128, 4.0, 4096
    close(page["interpolated"](d, s), context.interpolated(d, s), 1e-14)
    close(page["ntk_aware"](d, s), context.ntk_aware(d, s), 1e-14)
    close(page["yarn_as_in_the_paper"](d, s, trained), context.by_parts(d, s, trained), 1e-14)
    close(page["yarn"](d, s, trained), yarn_by_pair_numbers(d, s, trained, 1e4), 1e-14)
    assert page["yarn_scale"](s) == pytest.approx(context.temperature(s), rel=1e-15)


@pytest.mark.peers
def test_jax_takes_the_frequencies_of_numpy() -> None:
    table = pasted("Rotary embeddings", "jax")["rotary_table"]
    w = recipes()["yarn"](64, 4, 4096)
    cos, sin = table(9000, w)
    close(cos, np.cos(np.outer(np.arange(9000), w)))
    close(sin, np.sin(np.outer(np.arange(9000), w)))


@pytest.mark.peers
def test_x_transformers_agrees() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    peer = pytest.importorskip(
        "x_transformers.x_transformers", reason=LARGE.format("x-transformers")
    )
    for heads in (1, 6, 8, 12):
        bias = peer.AlibiPositionalBias(heads)(9, 9)
        close(bias, biases.alibi_bias(9, heads, causal=False))
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
    close(found, rotary.rotate(x, range(8), frequencies=context.ntk_aware(16, 4)))
    first = peer.rotate_half(torch.eye(4))[0]
    assert first.tolist() == [0, 1, 0, 0]  # neighbours: "not always"


def rotary_of(config: Any) -> Any:
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    return LlamaRotaryEmbedding(config)


def small(**settings: Any) -> Any:
    import transformers

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 50}
    return transformers.LlamaConfig(**(sizes | {"intermediate_size": 64} | settings))


@pytest.mark.peers
def test_pasted_configurations_give_the_frequencies_of_the_library() -> None:
    page = pasted("Hugging Face configurations", "transformers")
    import torch
    from transformers import LlamaConfig

    d, s, trained = page["d_head"], page["factor"], page["trained"]
    longest = int(trained * s)
    for name, expected, scale in [
        ("plain", frequencies(d), 1),
        ("PI", context.interpolated(d, s), 1),
        ("NTK-aware", context.ntk_aware(d, s), 1),
        ("dynamic NTK", context.dynamic(d, longest, trained), 1),
        ("YaRN", yarn_by_pair_numbers(d, s, trained, 1e4), context.temperature(s)),
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


@pytest.mark.peers
def test_deepseek_v3_reads_neighbours_and_writes_halves() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import apply_rotary_pos_emb_interleave

    x = np.random.default_rng(0).standard_normal((1, 1, 5, 64)).astype(np.float32)
    angles = np.multiply.outer(np.arange(5), np.tile(frequencies(64), 2))
    cos, sin = (torch.tensor(f(angles), dtype=torch.float32)[None] for f in (np.cos, np.sin))
    found, _ = apply_rotary_pos_emb_interleave(torch.tensor(x), torch.tensor(x), cos, sin)
    close(found, reads_neighbours_writes_halves(x, range(5)), 1e-5)


def quiet(transformers: Any) -> None:
    transformers.logging.set_verbosity_error()


@pytest.mark.peers
def test_the_prompt_or_the_cache() -> None:
    check = pasted("First token fine, then garbage", "torch")["whole_and_steps"]
    import torch
    import transformers as tf

    torch.manual_seed(0)
    text = torch.arange(12)[None]
    dynamic = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 8.0}
    model = tf.LlamaForCausalLM(small(max_position_embeddings=11, rope_parameters=dynamic)).eval()
    for layer in model.model.layers:  # scores that matter
        layer.self_attn.q_proj.weight.data *= 40
        layer.self_attn.k_proj.weight.data *= 40
    assert check(model, text, 8) > 1e-3  # keys stored before the frequencies changed
    static = tf.LlamaForCausalLM(small(rope_parameters=dynamic | {"rope_type": "linear"})).eval()
    static.load_state_dict(model.state_dict())
    assert check(static, text, 4) < 1e-5  # the control

    def stuck(tokens: Any, past_key_values: Any = None, **settings: Any) -> Any:
        """A program that never counts on after a prompt of four words."""
        if past_key_values is None:
            return static(tokens, **settings)
        place = torch.tensor([[4]])
        return static(tokens, past_key_values=past_key_values, position_ids=place)

    assert check(stuck, text[:, :5], 4) < 1e-5  # one step sees nothing
    assert check(stuck, text, 4) > 1e-3


@pytest.mark.peers
def test_numbers_of_a_running_model(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    (source,) = re.findall(r"```python\n(def rotary_numbers.+?)```", PROSE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(source, names)
    names["rotary_numbers"](tf.LlamaModel(small()))
    printed = capsys.readouterr().out
    assert "rotary_emb.inv_freq 8 [1.0, 0.316" in printed and "attention_scaling 1.0" in printed
    assert "layers.1.self_attn scaling 0.25" in printed
    names["rotary_numbers"](tf.Gemma3TextModel(gemma()))
    printed = capsys.readouterr().out
    assert "full_attention_inv_freq" in printed and "sliding_attention_inv_freq" in printed


@pytest.mark.peers
def test_jax_clamps_what_it_reads() -> None:
    page = pasted("A table that ends", "jax")
    import jax

    table, positions = page["table"], page["positions"]
    assert page["clamped"].tolist() == [3, 9, 9]
    assert jax.jit(lambda t: table[t])(positions).tolist() == [3, 9, 9]
    assert np.isnan(page["loud"]).tolist() == [False, False, True]
    assert np.isnan(jax.numpy.take(table, positions)).tolist() == [False, False, True]
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    with pytest.raises(IndexError, match="out of bounds"):
        _ = torch.arange(10.0)[torch.tensor([5000])]


@pytest.mark.peers
def test_what_assert_rotary_refuses() -> None:
    check = pasted("A buffer nobody filled", "torch")["assert_rotary"]
    import torch
    import transformers as tf

    tf.logging.set_verbosity_error()
    model, right = tf.LlamaModel(small()), 10_000.0 ** (-torch.arange(8) / 8)
    check(model)
    for wrong, message in [
        (torch.zeros(8), "begins with 0.0"),
        (right * 6.93e-18, "begins with"),
        (right * float("nan"), "nan"),
        (-right, "-1.0"),
        (torch.cat([right[:1], right[1:].flip(0)]), "does not fall"),
        (torch.cat([right[:3], torch.zeros(2), right[5:]]), "does not fall"),
    ]:
        model.rotary_emb.inv_freq.copy_(wrong)
        with pytest.raises(AssertionError, match=message):
            check(model)
    for cast in (torch.bfloat16, torch.float16):
        with pytest.raises(AssertionError, match="inv_freq is torch"):
            check(tf.LlamaModel(small()).to(cast))
    linear = {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 4.0}
    check(tf.LlamaModel(small(rope_parameters=linear)), factor=4.0)
    with pytest.raises(AssertionError, match=r"begins with 0\.25"):
        check(tf.LlamaModel(small(rope_parameters=linear)))
    part = {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25}
    check(tf.LlamaModel(small(rope_parameters=part)))
    check(tf.Gemma3TextModel(gemma()))
    with pytest.raises(AssertionError, match="no inv_freq"):
        check(torch.nn.Linear(2, 2))


@pytest.mark.peers
def test_yarn_of_gpt_oss_and_of_deepseek_v3() -> None:
    """The models' own rotary classes and attention, at the size of a head."""
    page = pasted("Context scaling", "torch")
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    from transformers.models.gpt_oss.modeling_gpt_oss import GptOssRotaryEmbedding

    quiet(tf)
    config = tf.GptOssConfig()
    assert config.rope_parameters["truncate"] is False and config.head_dim == 64
    theirs = GptOssRotaryEmbedding(config)
    ours = page["yarn"](64, 32.0, 4096, 150_000.0, truncate=False)
    np.testing.assert_allclose(theirs.inv_freq, ours, rtol=1e-5)
    assert np.allclose(theirs.inv_freq, recipes()["yarn"](64, 32, 4096, 150_000.0, truncate=False))
    assert not np.allclose(theirs.inv_freq, page["yarn"](64, 32.0, 4096, 150_000.0), rtol=0.01)
    assert theirs.attention_scaling == pytest.approx(page["amplitude"](32.0))

    model = deepseek()
    attention = model.layers[0].self_attn
    assert model.rotary_emb.attention_scaling == page["amplitude"](40.0, 1.0, 1.0) == 1
    np.testing.assert_allclose(model.rotary_emb.inv_freq, page["yarn"](64, 40.0, 4096), rtol=1e-5)
    times = attention.scaling * math.sqrt(192)
    assert times == pytest.approx(page["yarn_scale"](40.0, 1.0) ** 2)
    assert f"{times:.3f}" in PROSE


def deepseek(**settings: Any) -> Any:
    import torch
    import transformers as tf

    yarn = {
        "rope_type": "yarn", "rope_theta": 10_000.0, "factor": 40.0, "beta_fast": 32,
        "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
    }  # fmt: skip
    sizes = {
        "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
        "num_key_value_heads": 2, "intermediate_size": 16, "vocab_size": 50, "kv_lora_rank": 8,
        "q_lora_rank": 8, "first_k_dense_replace": 2, "max_position_embeddings": 163_840,
        "rope_parameters": yarn,
    }  # fmt: skip
    torch.manual_seed(0)
    return tf.DeepseekV3Model(tf.DeepseekV3Config(**sizes | settings)).eval()


@pytest.mark.peers
def test_mla_carried_to_halves() -> None:
    """DeepSeek-V3 in transformers, interleaved, and the same weights reordered, in halves."""
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    quiet(tf)
    interleaved, halves = deepseek(), deepseek(rope_interleave=False)
    assert interleaved.config.rope_interleave
    order = torch.tensor(np.r_[0:128, 128 + rotary.to_halves(64)])
    shared = torch.tensor(np.r_[0:8, 8 + rotary.to_halves(64)])  # kv_lora_rank: 8
    for model in (interleaved, halves):
        for layer in model.layers:
            layer.self_attn.q_b_proj.weight.data *= 10
            layer.self_attn.kv_a_proj_with_mqa.weight.data *= 10

    def outputs(model: Any) -> Any:
        with torch.no_grad():
            return model(torch.arange(9)[None]).last_hidden_state

    right = outputs(interleaved)
    halves.load_state_dict(interleaved.state_dict())
    assert (outputs(halves) - right).abs().max() > 0.01  # only loaded
    for layer in halves.layers:
        q = layer.self_attn.q_b_proj.weight
        q.data = q.data.reshape(2, 192, 8)[:, order].reshape(q.shape)
        k = layer.self_attn.kv_a_proj_with_mqa.weight
        k.data = k.data[shared]
    close(outputs(halves), right, 1e-5)


def gemma(**settings: Any) -> Any:
    import transformers as tf

    sizes = {
        "hidden_size": 32, "num_hidden_layers": 6, "num_attention_heads": 2, "vocab_size": 50,
        "num_key_value_heads": 1, "head_dim": 16, "intermediate_size": 16,
    }  # fmt: skip
    return tf.Gemma3TextConfig(**sizes | settings)


@pytest.mark.peers
def test_parameters_by_layer_type() -> None:
    """The configuration to paste, and what becomes of one that is not nested."""
    page = pasted("Parameters by layer type", "transformers")
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    import transformers as tf

    nested = page["config"].rope_parameters

    def full(rope: Any) -> Any:
        return tf.Gemma3TextModel(gemma(**rope)).rotary_emb.full_attention_inv_freq

    expected = yarn_by_pair_numbers(16, 4.0, 32_768, 1e6)
    assert page["config"].max_position_embeddings == 131_072
    np.testing.assert_allclose(full({"rope_parameters": dict(nested)}), expected, rtol=1e-5)
    flat = full({"rope_parameters": dict(nested["full_attention"])})
    assert torch.equal(flat, full({}))  # in silence


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:\\s*flex_attention called without torch.compile")
def test_pasted_fused_attention() -> None:
    page = pasted("In fused attention", "torch")
    import torch

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 12, 9, 16)
    cu = torch.tensor([0, 4, 4, 9])  # texts of four, no and five words
    positions, text = page["positions_of"](cu)
    assert positions.tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 4]
    assert text.tolist() == [0, 0, 0, 0, 2, 2, 2, 2, 2]

    def naive(q: Any, k: Any, v: Any, bias: Any, scale: float) -> Any:
        scores = q.numpy() @ np.swapaxes(k.numpy(), -1, -2) * scale + bias
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True) @ v.numpy()

    slopes = torch.tensor(biases.alibi_slopes(12), dtype=torch.float32)
    found = page["packed_with_alibi"](q, k, v, slopes, cu)
    for one in (slice(0, 4), slice(4, 9)):
        alone = [x[:, :, one] for x in (q, k, v)]
        bias = biases.alibi_bias(one.stop - one.start, 12)
        close(found[:, :, one], naive(*alone, bias, 1 / 4), 1e-5)

    table = np.random.default_rng(0).standard_normal((32, 12))
    bias = biases.t5_bias(9, table)
    found = page["with_t5_bias"](q, k, v, torch.tensor(bias))
    close(found, naive(q, k, v, bias, 1.0), 1e-5)
    bias = biases.t5_bias(9, table, bidirectional=False)  # a decoder
    found = page["with_t5_bias"](q, k, v, torch.tensor(bias), causal=True)
    hidden = np.where(np.tri(9, dtype=bool), bias, -np.inf)
    close(found, naive(q, k, v, hidden, 1.0), 1e-5)
    last = page["with_t5_bias"](q[:, :, 7:], k, v, torch.tensor(bias[:, 7:]), causal=True)
    close(last, found[:, :, 7:], 1e-5)
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    from transformers.models.t5.modeling_t5 import T5Attention

    attention = T5Attention(tf.T5Config(d_model=32, num_heads=2, d_kv=16), True).eval()
    with torch.no_grad():
        x = torch.randn(1, 5, 32)
        parts = [layer(x).unflatten(-1, (2, 16)).transpose(1, 2) for layer in
                 (attention.q, attention.k, attention.v)]  # fmt: skip
        theirs = attention(x)[0]
        own = attention.relative_attention_bias.weight.numpy()
        ours = page["with_t5_bias"](*parts, torch.tensor(biases.t5_bias(5, own)))
        close(attention.o(ours.transpose(1, 2).flatten(2)), theirs, 1e-5)


@pytest.mark.peers
def test_the_versions_are_those_that_the_page_names() -> None:
    """Change both together, and read again what is said of them."""
    found = []
    for library in ("torch", "transformers", "jax"):
        module = pytest.importorskip(library, reason=LARGE.format(library))
        found.append(module.__version__.split("+")[0])
    assert "with the versions {}, {} and {}".format(*found) in PROSE
