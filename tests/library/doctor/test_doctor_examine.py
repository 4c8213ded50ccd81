"""Test `examine` without torch, on imitations of models with faults that users have reported."""

import numpy as np
import pytest
from test_doctor_checkpoints import LLAMA, STORED, read_stored_config

import pe_lib
from pe_lib import biases, checkpoints
from pe_lib.doctor import assert_positions, examine

W = (5e5 ** (-np.arange(64) / 64)).astype(np.float32)


class Tensor:
    """A stand-in for a PyTorch tensor that has the methods which the doctor calls."""

    def __init__(self, data, dtype="torch.float32", meta=False):
        self.data, self.dtype, self.is_meta = np.asarray(data), dtype, meta
        self.shape = self.data.shape

    def detach(self):
        return self

    cpu = float = long = detach

    def numpy(self):
        assert not self.is_meta
        return self.data

    def new_zeros(self, shape):
        return Tensor(np.zeros(shape, np.float32))

    def new_tensor(self, values):
        return Tensor(np.array(values))

    def expand(self, *shape):
        return Tensor(np.broadcast_to(self.data, shape))


class Module:
    """A stand-in for a tree of PyTorch modules, whose rotation can differ from its buffers."""

    def __init__(self, config=None, turn=None, **children):
        self.config, self.turn, self.children = config, turn, children

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children.items():
            if isinstance(child, Module):
                yield from child.named_modules(f"{prefix}.{name}".lstrip("."))

    def named_buffers(self, recurse=True):
        modules = self.named_modules() if recurse else [("", self)]
        for at, module in modules:
            for name, child in module.children.items():
                if isinstance(child, Tensor):
                    yield f"{at}.{name}".lstrip("."), child

    def named_parameters(self):
        return []

    def forward(self, x, position_ids):
        angles = position_ids.data[..., None] * self.children["inv_freq"].data
        angles = np.concatenate([angles, angles], -1)
        return self.turn(Tensor(np.cos(angles)), Tensor(np.sin(angles)))

    __call__ = forward


def keep_tables(cos, sin):
    return cos, sin


def llama(values, turn=keep_tables, **more):
    rotary = Module(inv_freq=Tensor(values, **more), turn=turn)
    return Module(LLAMA, model=Module(rotary_emb=rotary))


def test_a_healthy_module_has_a_line_for_its_buffer_and_one_for_what_it_returns():
    report = examine(llama(W))
    assert report.healthy and report.problems == [] and len(report.entries) == 2
    assert "model.rotary_emb.inv_freq: rotary embeddings, base 500,000; fits all 32" in str(report)
    assert "model.rotary_emb(x, position_ids): rotary" in str(report)
    assert_positions(llama(W))


@pytest.mark.parametrize(
    ("turn", "problem"),
    [
        (lambda c, s: (s, c), "swapped"),
        (lambda c, s: (Tensor(c.data * 1.2), Tensor(s.data * 1.2)), "amplitude_differs"),
        (lambda c, s: (c, Tensor(-s.data)), "clockwise"),
    ],
)
def test_a_module_is_asked_what_it_returns(turn, problem):
    report = examine(llama(W, turn))
    assert problem in report.problems and not report.healthy
    with pytest.raises(AssertionError, match=r"rotary_emb\(x, position_ids\)"):
        assert_positions(llama(W, turn))


# Three examples of uninitialised memory: random bits, the weights of a layer, and huge numbers.
BITS = np.random.default_rng(7).integers(0, 2**32, 64, np.uint32).view(np.float32)
WEIGHTS = np.random.default_rng(8).normal(0, 0.02, 64).astype(np.float32)
HUGE = np.where(np.arange(64) % 7 == 6, -1.468446e34, W).astype(np.float32)


def gemma_4(fill):
    """Return an exported model's tensors, with a buffer in each layer, and its configuration."""
    config = read_stored_config("gemma-4-26b-a4b")
    layers = checkpoints.layers(config)
    return {f"layers.{i}.self_attn.inv_freq": fill(layer.frequencies.astype(np.float32))
            for i, layer in enumerate(layers)}, config  # fmt: skip


def bacformer(cos, sin):
    """Return the tensors of a model of unknown type, which has a cache but no configuration."""
    return {"encoder.freqs_cos": cos, "encoder.freqs_sin": sin}, None


def angles(length):
    return np.outer(np.arange(length), W)


# Models that users have reported. Each function returns either the healthy or the faulty model.
THREADS = {
    "transformers 45902": lambda good: (
        {"model.rotary_emb.inv_freq": W if good else HUGE}, LLAMA),
    "transformers 34234": lambda good: (
        {"model.rotary_emb.inv_freq": W if good else BITS}, LLAMA),
    "torchtitan 4783": lambda good: (
        {"model.rotary_emb.inv_freq": W if good else WEIGHTS,
         "model.rotary_emb.original_inv_freq": W if good else WEIGHTS}, LLAMA),
    "executorch 19627": lambda good: gemma_4(lambda w: w if good else 0 * w),
    "FastPLMs 47": lambda good: (
        {f"transformer.blocks.{i}.attn.rotary.inv_freq": W if good else
         np.where(np.arange(64) % 9 == 0, 6.93e-18, BITS).astype(np.float32) for i in range(4)},
        None),
    "Bacformer 36": lambda good: bacformer(
        np.cos(angles(50)) if good else np.full((50, 64), np.nan),
        np.sin(angles(50)) if good else 3e30 * np.sin(angles(50)) ** 9),
}  # fmt: skip


@pytest.mark.parametrize("thread", THREADS)
def test_what_people_met_is_found(thread):
    assert examine(*THREADS[thread](True)).healthy
    report = examine(*THREADS[thread](False))
    assert {"never_filled", "all_zero", "not_finite"} & {*report.problems} and not report.healthy
    assert "appendix-practice.html" in str(report) or "07-skipping" in str(report)
    assert len(report.entries) <= 2, "one entry a group of layers"


def test_a_buffer_on_the_meta_device_has_no_numbers():
    report = examine(llama(W, meta=True))
    assert report.problems == ["on_meta"] and "shape, 64, but no numbers" in str(report)


def test_no_base_differs_from_itself():
    """Test that if the base equals the configured base, only the wrong exponent is reported."""
    report = examine({"rotary_emb.inv_freq": 5e5 ** (-np.arange(64) / 128)}, LLAMA)
    assert report.problems == ["halved_exponent"], str(report)


def test_layers_that_have_each_others_frequencies_are_named():
    tensors, config = gemma_4(lambda w: w)
    assert examine(tensors, config).healthy
    types = [layer.kind for layer in checkpoints.layers(config)]
    a, b = (f"layers.{types.index(kind)}.self_attn.inv_freq" for kind in ("sliding", "full"))
    tensors[a], tensors[b] = tensors[b], tensors[a]
    report = examine(tensors, config)
    assert report.problems == ["other_layers"]
    wrong = [entry for entry in report.entries if not entry.healthy]
    assert [entry.layers for entry in wrong] == [[types.index("sliding")], [types.index("full")]]
    right = [entry for entry in report.entries if entry.healthy]
    assert [entry.count for entry in right] == [24, 4] and "(layers 1–4, 6–10, …" in str(report)


def test_half_precision_is_what_the_numbers_show_not_what_the_type_says():
    bits = W.view(np.uint32) + 0x8000 & 0xFFFF0000
    for dtype in ("torch.bfloat16", "torch.float32"):
        report = examine(llama(bits.view(np.float32), dtype=dtype))
        assert report.problems == ["half_precision_frequencies"], str(report)


@pytest.mark.parametrize(
    ("name", "values", "config", "problem"),
    [
        ("transformer.wpe.weight", np.zeros((9, 8)), None, "all_zero"),
        ("h.0.attn.bias", np.tri(16, dtype=bool)[None, None], None, None),
        ("h.0.attn.bias", np.tri(16) - np.tri(16, k=-4), None, None),
        ("h.0.attn.bias", np.triu(np.ones((16, 16))), None, "bias_transposed"),
        ("h.0.attn.bias", np.zeros((16, 16)), None, "all_zero"),
        ("alibi_slopes", biases.alibi_slopes(16), None, None),
        ("alibi_slopes", biases.alibi_slopes(8), {"model_type": "bloom", "n_head": 16,
         "hidden_size": 1024, "n_layer": 2}, "heads_differ"),
        ("embed_positions.weight", pe_lib.encode(range(1024), 64, 5e4), {"model_type": "xglm",
         "d_model": 64, "attention_heads": 4, "num_layers": 2, "max_position_embeddings": 1022},
         "frequencies_differ"),
        ("my_own_table", pe_lib.encode(range(64), 32), None, None),
    ],
)  # fmt: skip
def test_other_things_that_hold_positions(name, values, config, problem):
    report = examine({name: values}, config)
    assert len(report.entries) == 1 and report.problems == ([problem] if problem else [])


def test_what_is_no_position_is_not_guessed_at():
    rng = np.random.default_rng(0)
    names = ("model.embed_tokens.weight", "layers.0.self_attn.q_proj.weight", "layers.0.norm.scale",
             "lm_head.weight", "layers.0.mlp.gate", "queue")  # fmt: skip
    tensors = {name: rng.normal(size=(32, 16)) for name in names}
    report = examine({**tensors, "moe.load": np.zeros(64), "attn.bias": np.ones(16)}, LLAMA)
    assert report.healthy and "No tensor in it holds positions" in report.notes[0]
    assert "The configuration asks this of all 32 layers." in str(report)
    assert examine(tensors).entries == []


def test_a_configuration_that_is_not_known_is_told_and_one_that_was_given_is_an_error():
    model = llama(W)
    model.config = {"model_type": "bacformer"}
    report = examine(model)
    assert report.healthy and "Compared with no configuration" in report.notes[0]
    with pytest.raises(ValueError, match="bacformer"):
        examine(llama(W), {"model_type": "bacformer"})
    with pytest.raises(TypeError, match=r"torch\.nn\.Module.*got list"):
        examine([W])


class Opened:
    """A stand-in for a safetensors file that has been opened."""

    def __init__(self, tensors):
        self.tensors = tensors

    def keys(self):
        return self.tensors.keys()

    def get_tensor(self, name):
        assert "proj" not in name, "a tensor that holds no positions was read"
        return self.tensors[name]

    get_slice = get_tensor


def test_of_an_open_file_only_positions_are_read():
    tensors = {"rotary_emb.inv_freq": W, "layers.0.self_attn.q_proj.weight": np.ones((4, 4))}
    assert examine(Opened(tensors), LLAMA).healthy


@pytest.mark.parametrize("name", sorted(path.stem for path in STORED.glob("*.json")))
def test_every_stored_configuration_fits_its_own_layers_and_no_wrong_base(name):
    """Test that each stored configuration matches its own frequencies but no base 10 % larger."""
    config = read_stored_config(name)
    right, wrong = {}, {}
    for i, layer in enumerate(checkpoints.layers(config)):
        if layer.scheme == "rotary" and layer.part != "vision":
            w = layer.frequencies.astype(np.float32)
            key = f"{layer.part}.layers.{i}.rotary_emb.inv_freq"
            right[key] = w
            wrong[key] = (w * 1.1 ** (-np.arange(w.size) / w.size)).astype(np.float32)
    assert examine(right, config).healthy
    if right:
        report = examine(wrong, config)
        assert not report.healthy and "never_filled" not in report.problems


def test_where_only_a_function_is_at_hand_it_is_probed():
    def turn(vectors, positions):
        return pe_lib.rotary.rotate(vectors, positions, base=5e5, layout="halves")

    def wrap_positions(vectors, positions):
        return turn(vectors, np.asarray(positions) % 64)

    assert_positions(turn)
    with pytest.raises(AssertionError):
        assert_positions(wrap_positions)


@pytest.mark.parametrize(
    "shape", ["once", "halves", "pairs", "old llama", "cis", "complex", "vllm"]
)
def test_caches_as_programs_keep_them(shape):
    """Test that caches in each common form fit their own configuration but no other base."""

    def make_buffers(base):
        width = np.outer(np.arange(300), base ** (-np.arange(64) / 64))
        cos, sin = np.cos(width).astype("f4"), np.sin(width).astype("f4")
        return {
            "once": {"freqs_cos": cos, "freqs_sin": sin},
            "halves": {"rotary.cos_cached": np.tile(cos, 2), "rotary.sin_cached": np.tile(sin, 2)},
            "pairs": {"rotary.cos": np.repeat(cos, 2, 1), "rotary.sin": np.repeat(sin, 2, 1)},
            "old llama": {"rotary_emb.cos_cached": np.tile(cos, 2)[None, None],
                          "rotary_emb.sin_cached": np.tile(sin, 2)[None, None]},
            "cis": {"freqs_cis": np.stack([cos, sin], -1)},
            "complex": {"freqs_cis": cos + 1j * sin},
            "vllm": {"layers.0.rotary_emb.cos_sin_cache": np.concatenate([cos, sin], 1)},
        }[shape]  # fmt: skip

    # Of these two models, only Cohere's code repeats each column twice in a row.
    config = {**LLAMA, "max_position_embeddings": 300}
    config = {**config, "model_type": "cohere"} if shape == "pairs" else config
    report = examine(make_buffers(5e5), config)
    assert report.healthy and "all 32 layers" in str(report), str(report)
    report = examine(make_buffers(1e4), config)
    assert "base_differs" in report.problems, str(report)
