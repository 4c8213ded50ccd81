"""The recipes to paste do what they say, in every framework, and so do the models they speak of."""

import inspect
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
OUTPUTS = "".join(o.get("text", "") for cell in CELLS for o in cell.get("outputs", []))
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


# the page


@pytest.mark.parametrize("code", re.findall(r"```python\n(.+?)```", PROSE, re.DOTALL))
def test_no_line_to_paste_is_longer_than_the_page(code: str) -> None:
    assert max(map(len, code.splitlines())) <= 80


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    headings = re.findall(r"^#+ (.+)$", PROSE, re.MULTILINE)
    slugs = {re.sub(r"[^a-z0-9_-]", "", h.lower().replace(" ", "-")) for h in headings}
    links = re.findall(r"\]\(#([^)]+)\)", PROSE)
    assert len(links) > 30 and set(links) <= slugs
    assert len(slugs) == len(headings)


def test_the_first_screen_leads_to_every_symptom_and_to_porting() -> None:
    index, sections = CELLS[0].source, re.findall(r"^## (.+)$", PROSE, re.MULTILINE)
    linked = re.findall(r"\]\(#([^)]+)\)", index)
    symptoms = sections[1 : sections.index("Porting weights") + 1]
    assert len(symptoms) == 8 and sections[0] == "Checklist: wrong positions"
    for name in symptoms:
        slug = re.sub(r"[^a-z0-9_-]", "", name.lower().replace(" ", "-"))
        assert slug in linked, name


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


def test_each_recipe_is_there_for_each_framework() -> None:
    for heading in ("Sinusoidal encoding", "Rotary embeddings", "ALiBi", "Buckets of T5"):
        section = PROSE.split(f"## {heading}\n")[1].split("\n## ")[0]
        assert section.count("import torch\n") == section.count("import jax.numpy") == 1


# numpy


def recipes() -> dict[str, Any]:
    return functions("appendix-practice", np=np)


@pytest.mark.parametrize("d_model, base", [(2, 50.0), (8, 10_000.0), (130, 500_000.0)])
def test_numpy_sines_and_rotations(d_model: int, base: float) -> None:
    page = recipes()
    for positions in (np.arange(7), np.array([[3, 1000], [0, 9]]), 5):
        close(page["sinusoidal"](positions, d_model, base), encode(positions, d_model, base), 1e-12)
    cos, sin = page["rotary_table"](50, page["plain"](d_model, base))
    x = np.random.default_rng(0).standard_normal((2, 3, 4, d_model))
    t = np.array([[[5, 6, 7, 8]], [[0, 0, 1, 49]]])  # another row for each text of the batch
    for layout in ("interleaved", "halves"):
        turned = page[f"turn_{layout}"](x, cos[t], sin[t])
        close(turned, rotary.rotate(x, t, base, layout), 1e-12)


def test_numpy_biases() -> None:
    page, t = recipes(), np.arange(400)
    for heads in range(1, 41):
        close(page["alibi_slopes"](heads), biases.alibi_slopes(heads), 0)
    close(page["alibi"](t[5:7], t[:7], 6), biases.alibi_bias(7, 6, causal=False)[:, 5:7], 1e-15)
    for buckets, farthest, both in [(32, 128, True), (32, 128, False), (16, 64, True)]:
        found = page["t5_buckets"](t, t, buckets, farthest, both)
        offsets = t - t[:, None]
        expected = biases.t5_buckets(offsets, buckets, farthest, both)
        np.testing.assert_array_equal(found, expected)


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
def test_numpy_context_scaling(d: int, s: float, trained: int, base: float) -> None:
    page = recipes()
    close(page["interpolated"](d, s, base), context.interpolated(d, s, base), 1e-15)
    close(page["ntk_aware"](d, s, base), context.ntk_aware(d, s, base), 1e-15)
    paper = page["yarn_as_in_the_paper"](d, s, trained, base)
    close(paper, context.by_parts(d, s, trained, base), 1e-15)
    close(page["yarn"](d, s, trained, base), yarn_by_pair_numbers(d, s, trained, base), 1e-15)
    exact = {"beta_fast": 24, "beta_slow": 2, "truncate": False}
    found = page["yarn"](d, s, trained, base, **exact)
    close(found, yarn_by_pair_numbers(d, s, trained, base, 24, 2, False), 1e-15)
    assert page["yarn_scale"](s) == pytest.approx(context.temperature(s), rel=1e-15)
    assert page["amplitude"](s) == page["yarn_scale"](s)
    assert page["amplitude"](s, 1.0) == page["amplitude"](s, None, 1.0) == page["yarn_scale"](s)
    assert page["amplitude"](s, 1.0, 1.0) == 1 and page["amplitude"](s, 1.0, 1.0, 0.5) == 0.5
    ratio = (0.0707 * math.log(s) + 1) / (0.1 * math.log(s) + 1)
    assert page["amplitude"](s, 0.707, 1.0) == pytest.approx(ratio, rel=1e-15)


# what the text says


def test_the_checklist_prints_what_the_text_says() -> None:
    assert "begins at distance 91" in OUTPUTS and "begins at distance 113" in OUTPUTS
    assert "all distances from 91 (113 in a decoder) are one" in PROSE
    assert "with itself: 0.00" in OUTPUTS and "converted:   0.00" in OUTPUTS
    rows = dict(re.findall(r"^(\S.*?\S) +((?:[\d.]+ +)[\d.]+)$", OUTPUTS, re.MULTILINE))
    changes = {name: [float(x) for x in rows[name].split()] for name in rows if "." in rows[name]}
    assert changes["both"] == [0, 0]
    assert changes["mask in blocks"][0] > 0.1 and changes["mask in blocks"][1] == 0
    assert min(changes["neither"] + changes["positions restart"]) > 0.1
    for wrong in ("starts again at 0", "kept keys turned twice", "kept keys never turned"):
        (change,) = re.findall(rf"^{wrong} +([\d.]+)$", OUTPUTS, re.MULTILINE)
        assert float(change) > 0.1
    assert re.search(r"^goes on at 5 +0\.00$", OUTPUTS, re.MULTILINE)
    for right, wrong in [
        (r"the last query \[\[1 1 1 1 1 1\]\]", r"is_causal=True \[\[1 0 0 0 0 0\]\]"),
        (r"position from words read: 19,", r"position from words rows: 11,"),
        (r"by words: 4, change", r"by rows: 7, change"),
        (r"zeros +change", r"as they should be +change"),
    ]:
        zero, change = (
            re.search(rf"^{x} ([\d.]+)$", OUTPUTS, re.MULTILINE) for x in (right, wrong)
        )
        assert zero and change and float(zero[1]) == 0 and float(change[1]) > 0.1
    assert "sliding_window = 2047" in OUTPUTS


def test_what_porting_prints() -> None:
    page = executed("appendix-practice")
    assert "entry 0: [ 0 12]" in OUTPUTS and "moved: 0 to 23" in OUTPUTS
    slowest, wide, whole = re.findall(r"^(?:slowest|of width \d+): +([\d.]+)$", OUTPUTS, re.M)
    assert slowest == wide == f"{10_000 ** (-22 / 24):.6f}" and whole != wide
    rows = dict(re.findall(r"^(trained|converted|forgotten) +(-?[\d.]+)$", OUTPUTS, re.MULTILINE))
    assert rows["trained"] == rows["converted"] != rows["forgotten"]
    q, k = page["q_b"][1, 128:] @ page["asks"], page["kv_a"][512:] @ page["asked"]
    expected = sum(  # pair by pair, as a product of complex numbers
        (complex(*q[2 * i : 2 * i + 2]) * complex(*k[2 * i : 2 * i + 2]).conjugate()
         * np.exp(7j * 10_000 ** (-2 * i / 64))).real for i in range(32)
    )  # fmt: skip
    assert float(rows["trained"]) == pytest.approx(expected, abs=0.006)
    assert page["on_grid"](np.eye(16)[0], 1, 0)[0] != 1 == page["on_grid"](np.eye(16)[0], 0, 1)[0]
    assert "row, column (1, 0): 0 to 7" in OUTPUTS and "row, column (0, 1): 8 to 15" in OUTPUTS
    assert page["entries"](page["program"], 96, 30).tolist() == [30]


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


def test_what_two_models_make_of_yarn() -> None:
    rounded, exact = (
        np.array(yarn_by_pair_numbers(64, 32, 4096, 150_000, truncate=t)) for t in (True, False)
    )
    ratio = rounded / exact
    assert f"largest: {ratio.max():.2f}, pair {ratio.argmax()}" in OUTPUTS
    assert f"off by 1 %: {np.sum(ratio > 1.01) + np.sum(ratio < 0.99)} of 32" in OUTPUTS
    assert "pair 17 of gpt-oss turns 1.76 times too fast, and 7 of its 32 pairs" in PROSE
    once, twice = 0.1 * math.log(32) + 1, (0.1 * math.log(40) + 1) ** 2
    assert f"{once:.4f}  1.0000" in OUTPUTS and f"1.0000  {twice:.4f}" in OUTPUTS
    assert f"0.1 \\ln 32 + 1 = {once:.3f}" in PROSE
    assert f"(0.1 \\ln 40 + 1)^2 = {twice:.3f}" in PROSE
    assert f"{math.log(50_257):.1f} for 50,257" in PROSE


def test_the_last_frequency_tells_whether_scaling_arrived() -> None:
    page, d, base, s = recipes(), 128, 10_000.0, 4
    assert "`float(inv_freq[-1]) * base ** ((width - 2) / width) * s` is 1" in PROSE
    for w in (page["interpolated"](d, s), page["ntk_aware"](d, s), page["yarn"](d, s, 4096)):
        assert w[-1] * base ** ((d - 2) / d) * s == pytest.approx(1)
    assert page["plain"](d)[-1] * base ** ((d - 2) / d) * s == pytest.approx(s)


def test_what_recipe_and_library_give_is_printed_side_by_side() -> None:
    """Each pair of rows is the same but for the sign of a zero."""
    rows = re.findall(r"^recipe +\[(.+)\]\nlibrary +\[(.+)\]$", OUTPUTS, re.MULTILINE)
    assert len(rows) >= 8
    for ours, library in rows:
        close([float(x) for x in ours.split()], [float(x) for x in library.split()], 0)


def test_the_figures_of_recipes_are_described_as_they_are() -> None:
    page = functions("appendix-practice", np=np)
    trained, t = page["plain"](128), np.arange(500)
    yarn, paper = page["yarn"](128, 4, 4096) / trained, page["yarn_as_in_the_paper"](128, 4, 4096)
    assert (yarn[:21] == 1).all() and yarn[21] < 1
    assert yarn[45] > 0.26 and yarn[46:] == pytest.approx(0.25)
    close(np.diff(yarn[20:47], 2), 0, 1e-12)  # a straight line
    paper = paper / trained
    assert (paper[:20] == 1).all() and paper[22] < 0.95 and paper[46:] == pytest.approx(0.25)
    assert (paper[22:45] < yarn[22:45]).all() and (np.diff(paper[22:45], 2) > 0).all()
    aware = page["ntk_aware"](128, 4) / trained
    assert aware[0] == 1 and aware[-1] == pytest.approx(0.25) and (np.diff(aware, 2) > 0).all()
    for both, exact, last, begins in [(True, 8, 15, 91), (False, 16, 31, 113)]:
        bucket = page["t5_buckets"](t, t, bidirectional=both)[-1, ::-1]
        assert bucket[: exact + 1].tolist() == [*range(exact + 1)]
        assert bucket.max() == last and np.argmax(bucket) == begins


def test_the_words_alone_look_alike_until_they_are_scaled() -> None:
    said = [float(x) for x in re.findall(r"cosine of two words ([\d.]+)", OUTPUTS)]
    assert said[0] > 0.99 and said[1] < 0.5


def test_bfloat16_is_float32_with_half_of_its_bits() -> None:
    """Against rounding to eight binary digits with Python's integers."""
    page = functions("appendix-practice", np=np)
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.standard_normal(500) * 10.0 ** rng.integers(-9, 9, 500), [0, 257]])
    for value, found in zip(np.float32(values), page["bfloat16"](values), strict=True):
        mantissa, exponent = math.frexp(float(value))
        assert found == math.ldexp(round(mantissa * 256), exponent - 8)  # round: ties to even


def test_the_errors_of_half_precision_are_as_described() -> None:
    page = executed("appendix-practice")
    t, rows = page["t"], page["rows"]
    assert t[-1] == 10_000
    b, f16, f32 = (rows[f"angles in {name}"] for name in ("bfloat16", "float16", "float32"))
    reached = t[np.argmax(b > 1.9)]
    assert 500 < reached < 1500  # "near position 1,000"
    assert 0.0005 < b[0] < 0.0015  # "starts near 0.001"
    early = (t > 5) & (t < 200)
    assert 6 < np.median(b[early] / f16[early]) < 10  # "about eight times better"
    assert f32[-1] < 0.001
    assert 0.0019 < page["last"] <= 2.0**-9  # "off by 0.002 at most"
    assert rows["frequencies in bfloat16"][-1] > 1.9


# PyTorch and JAX: the text of the page, against the library

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
def test_bfloat16_is_that_of_pytorch() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    values = np.float32(np.random.default_rng(0).standard_normal(10_000) * 1000)
    theirs = torch.tensor(values).bfloat16().float().numpy()
    np.testing.assert_array_equal(functions("appendix-practice", np=np)["bfloat16"](values), theirs)


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


# transformers: what the page says of it


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
def test_what_changed_in_version_5(tmp_path: Any) -> None:
    pytest.importorskip("torch", reason=LARGE.format("torch"))
    transformers = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    old = {"rope_theta": 500_000.0, "rope_scaling": {"type": "linear", "factor": 2.0}}
    read_from_4 = transformers.LlamaConfig.from_dict(old)
    parameters = read_from_4.rope_parameters
    assert (parameters["rope_type"], parameters["factor"]) == ("linear", 2.0)
    assert parameters["rope_theta"] == 500_000.0
    with pytest.raises(AttributeError):
        _ = read_from_4.rope_theta
    assert "rope_theta" not in read_from_4.to_dict()  # so version 4 takes its default, 10,000
    assert "rope_scaling" not in read_from_4.to_dict()
    assert small().rope_parameters == {"rope_type": "default", "rope_theta": 10_000.0}
    forgotten = small(rope_parameters={"rope_type": "linear", "factor": 2.0})
    assert forgotten.rope_parameters["rope_theta"] == 10_000.0
    config = small(rope_theta=500_000.0)
    with pytest.warns(FutureWarning, match="rope_scaling. is deprecated"):
        config.rope_scaling = {"rope_type": "linear", "factor": 2.0}
    assert config.rope_parameters["rope_theta"] is None

    transformers.LlamaModel(small()).save_pretrained(tmp_path)
    again = {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 4.0}
    model = transformers.LlamaModel.from_pretrained(tmp_path, rope_parameters=again)
    close(model.rotary_emb.inv_freq, context.interpolated(16, 4))
    del again["rope_theta"]
    with pytest.raises(TypeError, match="NoneType"):
        transformers.LlamaModel.from_pretrained(tmp_path, rope_parameters=again)


@pytest.mark.peers
def test_the_other_schemes_are_where_the_table_says() -> None:
    pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", reason=LARGE.format("transformers"))
    sizes = {"dim": 64, "n_layers": 1, "n_heads": 2, "hidden_dim": 8, "vocab_size": 9}
    model = tf.DistilBertModel(tf.DistilBertConfig(sinusoidal_pos_embds=True, **sizes))
    table = model.embeddings.position_embeddings.weight.detach()
    close(table, encode(range(512), 64), 1e-7)
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    marian = MarianSinusoidalPositionalEmbedding(512, 64)
    close(marian.create_weight(), encode(range(512), 64)[:, rotary.to_halves(64)], 1e-7)
    assert tf.FalconConfig(alibi=True).alibi and tf.MptConfig().attn_config.alibi
    t5 = tf.T5Config()
    assert t5.relative_attention_num_buckets == 32
    assert t5.relative_attention_max_distance == 128


@pytest.mark.peers
def test_padding_caches_and_packing_in_transformers() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", reason=LARGE.format("transformers"))
    torch.manual_seed(0)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 50, "n_positions": 64}
    gpt2 = tf.GPT2Model(tf.GPT2Config(bos_token_id=1, eos_token_id=2, **sizes)).eval()
    llama = tf.LlamaModel(small()).eval()

    def out(model: Any, tokens: list[int], **settings: Any) -> Any:
        with torch.no_grad():
            return model(torch.tensor([tokens]), **settings).last_hidden_state[0]

    def apart(a: Any, b: Any) -> float:
        return float((a - b).abs().max())

    text, second = [7, 3, 9, 4], [8, 6, 2]
    mask = torch.tensor([[0, 0, 0, 1, 1, 1, 1]])
    counted = (mask.cumsum(-1) - 1).clamp(min=0)
    sizes = {"hidden_size": 32, "ffn_dim": 32, "word_embed_proj_dim": 32, "vocab_size": 50}
    layers = {"num_hidden_layers": 2, "num_attention_heads": 2}
    opt = tf.OPTModel(tf.OPTConfig(**sizes, **layers)).eval()
    assert apart(out(opt, [0, 0, 0, *text], attention_mask=mask)[3:], out(opt, text)) < 1e-5
    for model, changes in [(gpt2, True), (llama, False)]:
        alone, padded = out(model, text), [0, 0, 0, *text]
        columns = out(model, padded, attention_mask=mask)[3:]
        assert apart(columns, alone) > 1 if changes else apart(columns, alone) < 1e-5
        right = out(model, padded, attention_mask=mask, position_ids=counted)[3:]
        assert apart(right, alone) < 1e-5

    restart = torch.tensor([[0, 1, 2, 3, 0, 1, 2]])
    alone = torch.cat([out(llama, text), out(llama, second)])
    row = text + second
    ones = torch.ones_like(restart)
    no_cache = out(llama, row, position_ids=restart, use_cache=False)
    assert apart(no_cache, alone) < 1e-5
    assert apart(out(llama, row, position_ids=restart), alone) > 0.1  # with a cache, silently
    masked = out(llama, row, position_ids=restart, use_cache=False, attention_mask=ones)
    assert apart(masked, alone) > 0.1

    cache = tf.DynamicCache(config=llama.config)
    out(llama, text, past_key_values=cache)
    stored = cache.layers[0].keys
    layer = llama.layers[0]
    with torch.no_grad():
        x = layer.input_layernorm(llama.embed_tokens(torch.tensor([text])))
        keys = layer.self_attn.k_proj(x).unflatten(-1, (2, 16)).transpose(1, 2)
    close(stored, rotary.rotate(keys.numpy(), range(4), layout="halves"))  # turned already


def leaks(model: Any) -> float:
    """How far two packed texts are from each alone, called as the page says."""
    import torch

    rows = torch.arange(3, 15)[None]
    restart = torch.cat([torch.arange(7), torch.arange(5)])[None]
    model = model.eval()
    with torch.no_grad():
        alone = [model(one, use_cache=False).logits[0] for one in (rows[:, :7], rows[:, 7:])]
        packed = model(rows, position_ids=restart, use_cache=False).logits[0]
    return float((packed - torch.cat(alone)).abs().max())


@pytest.mark.peers
def test_which_models_keep_packed_texts_apart() -> None:
    """Every model that the page names."""
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    quiet(tf)
    torch.manual_seed(0)
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "vocab_size": 50}
    heads = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4}
    grouped = {"num_key_value_heads": 2, "intermediate_size": 64} | heads | ids
    multi = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}
    right = [
        tf.LlamaForCausalLM(tf.LlamaConfig(**grouped)),
        tf.MistralForCausalLM(tf.MistralConfig(**grouped)),
        tf.Phi3ForCausalLM(tf.Phi3Config(**grouped)),
        tf.Gemma3ForCausalLM(gemma()),
        tf.GPT2LMHeadModel(tf.GPT2Config(n_embd=64, n_layer=2, n_head=4, **ids)),
        tf.DeepseekV3ForCausalLM(deepseek().config),
    ]
    for model in right:
        assert leaks(model) < 1e-5, type(model)
    mixers = ["mamba", "attention"] * 2
    state = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 16}
    state |= {"shared_intermediate_size": 64, "num_local_experts": 0}
    keys = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "head_dim": 16}
    keys |= {"linear_key_head_dim": 16, "linear_value_head_dim": 16, "num_experts": 2}
    keys |= {"moe_intermediate_size": 32, "shared_expert_intermediate_size": 32}
    bloom = {"hidden_size": 64, "n_layer": 2, "n_head": 4}
    text = {k: v for k, v in grouped.items() if not k.endswith("token_id")}
    vision = {"depth": 1, "hidden_size": 64, "intermediate_size": 64, "num_heads": 4}
    wrong = [
        tf.GptOssForCausalLM(gpt_oss()),
        tf.OPTForCausalLM(tf.OPTConfig(**heads, ffn_dim=64, word_embed_proj_dim=64, **ids)),
        tf.FalconForCausalLM(tf.FalconConfig(**heads, **ids)),
        tf.BloomForCausalLM(tf.BloomConfig(**bloom, **ids)),
        tf.Qwen2_5_VLForConditionalGeneration(tf.Qwen2_5_VLConfig(
            text_config=text | {"rope_parameters": multi},
            vision_config=vision | {"out_hidden_size": 64},
            image_token_id=46, video_token_id=47, vision_start_token_id=48,
            vision_end_token_id=49)),
        tf.Lfm2ForCausalLM(tf.Lfm2Config(**grouped, layer_types=["conv", "full_attention"] * 2)),
        tf.Qwen3NextForCausalLM(tf.Qwen3NextConfig(**grouped, **keys, num_experts_per_tok=1)),
        tf.GraniteMoeHybridForCausalLM(
            tf.GraniteMoeHybridConfig(**grouped, **state, layer_types=mixers)),
    ]  # fmt: skip
    for model in wrong:
        assert leaks(model) > 1e-4, type(model)


@pytest.mark.peers
def test_rotary_models_that_feel_padding_all_the_same() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    quiet(tf)
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4, "head_dim": 16,
             "num_key_value_heads": 2, "num_hidden_layers": 4, "vocab_size": 50,
             "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
    grows = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 16.0, "mscale": 1.0,
             "original_max_position_embeddings": 16, "mscale_all_dim": 1.0, "beta_fast": 32.0,
             "beta_slow": 1.0, "llama_4_scaling_beta": 0.1}  # fmt: skip
    ministral = tf.Ministral3Config(**sizes, max_position_embeddings=256, rope_parameters=grows)
    llama = tf.Llama4TextConfig(**sizes, intermediate_size_mlp=64, num_local_experts=2,
                                floor_scale=4, attention_chunk_size=10**6)  # fmt: skip
    assert tf.Llama4TextConfig().floor_scale == 8192
    text = torch.arange(3, 15)[None]
    pads = torch.zeros(1, 8, dtype=torch.long)
    padded = torch.cat([pads, text], 1)
    mask = (padded > 0).long()
    counted = (mask.cumsum(-1) - 1).clamp(min=0)
    for model, mended in [
        (tf.Ministral3ForCausalLM(ministral), True),
        (tf.Llama4ForCausalLM(llama), False),
        (tf.Phi3ForCausalLM(longrope()), True),
    ]:
        model = model.eval()
        for layer in model.model.layers:  # scores that matter
            for name, weight in layer.self_attn.named_parameters():
                if name.startswith(("q_proj", "k_proj", "qkv_proj")):
                    weight.data *= 10
        with torch.no_grad():
            alone = model(text, use_cache=False).logits[0]
            columns = model(padded, attention_mask=mask, use_cache=False).logits[0, 8:]
            settings = {"attention_mask": mask, "position_ids": counted, "use_cache": False}
            right = model(padded, **settings).logits[0, 8:]
        assert (columns - alone).abs().max() > 1e-4, type(model)
        assert ((right - alone).abs().max() < 1e-5) == mended, type(model)
    beside = torch.arange(20)[None] + 3  # a text beyond the border, in the same batch
    both, masks = torch.cat([padded, beside]), torch.cat([mask, torch.ones_like(mask)])
    settings = {"attention_mask": masks, "position_ids": (masks.cumsum(-1) - 1).clamp(min=0)}
    with torch.no_grad():
        changed = model(both, **settings, use_cache=False).logits[0, 8:]
    assert (changed - alone).abs().max() > 1e-4


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


@pytest.mark.peers
def test_embeddings_of_pytorch_start_with_a_standard_deviation_of_1() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    torch.manual_seed(0)
    norms = torch.nn.Embedding(1000, 512).weight.detach().norm(dim=1)
    assert norms.mean().item() == pytest.approx(math.sqrt(512), rel=0.01)
    assert f"near {math.sqrt(512):.1f} without the factor, and near 512 with it" in PROSE


@pytest.mark.peers
def test_tables_that_do_not_start_at_row_0() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", reason=LARGE.format("transformers"))
    from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding

    config = tf.RobertaConfig(hidden_size=8, num_attention_heads=2, num_hidden_layers=1)
    embeddings = tf.RobertaModel(config).embeddings
    rows = embeddings.create_position_ids_from_input_ids(torch.tensor([[7, 3, 9, 1, 1]]), 1)
    assert rows.tolist() == [[2, 3, 4, 1, 1]]
    assert not embeddings.position_embeddings.weight[1].any()
    assert OPTLearnedPositionalEmbedding(10, 4).offset == 2
    assert inspect.signature(torch.nn.Transformer).parameters["batch_first"].default is False


@pytest.mark.peers
def test_angles_are_float32_until_the_buffer_is_rounded(tmp_path: Any) -> None:
    check = pasted("A buffer nobody filled", "torch")["assert_rotary"]
    import torch
    from transformers import LlamaModel

    t = np.arange(4097)
    exact = np.multiply.outer(t, frequencies(128))
    found = rotary_of(small(hidden_size=128, num_attention_heads=1))(
        torch.zeros(1), torch.tensor(t)[None]
    )
    worst = max(
        np.abs(theirs[0, :, :64].double().numpy() - ours(exact)).max()
        for theirs, ours in zip(found, (np.cos, np.sin), strict=True)
    )
    assert f"up to {worst:.1e}".replace("e-0", "e-") in PROSE

    LlamaModel(small()).save_pretrained(tmp_path)
    check(LlamaModel.from_pretrained(tmp_path, dtype=torch.bfloat16))
    for cast in (torch.bfloat16, torch.float16):
        with pytest.raises(AssertionError, match="inv_freq is torch"):
            check(LlamaModel(small()).to(cast))


# what the symptoms and the porting say of programs, run


def quiet(transformers: Any) -> None:
    transformers.logging.set_verbosity_error()


@pytest.mark.peers
def test_the_prompt_or_the_cache() -> None:
    check = pasted("First token fine, then garbage", "torch")["whole_and_steps"]
    import torch
    import transformers as tf

    torch.manual_seed(0)
    text = torch.arange(12)[None]
    assert check(tf.LlamaForCausalLM(small()).eval(), text, 4) < 1e-5
    dynamic = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 8.0}
    config = small(max_position_embeddings=11, rope_parameters=dynamic)
    model = tf.LlamaForCausalLM(config).eval()
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
    assert "Take at least eight steps" in PROSE

    quiet(tf)
    model = tf.Phi3ForCausalLM(longrope()).eval()
    text = torch.arange(20)[None]
    assert check(model, text, 19) < 1e-5 < 1e-4 < check(model, text, 12)
    for other in (tf.GptOssForCausalLM(gpt_oss()), tf.Gemma3ForCausalLM(gemma(sliding_window=8))):
        assert check(other.eval(), text, 6) < 1e-5


def longrope() -> Any:
    """Phi-3's configuration, with the border at 16."""
    import transformers as tf

    lists = {"short_factor": [1.0] * 8, "long_factor": [1.0 + i for i in range(8)]}
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 16}
    sizes = {
        "hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4, "vocab_size": 50,
        "num_key_value_heads": 2, "num_hidden_layers": 2, "pad_token_id": 0, "bos_token_id": 1,
        "eos_token_id": 2, "max_position_embeddings": 128, "original_max_position_embeddings": 16,
    }  # fmt: skip
    return tf.Phi3Config(**sizes, rope_parameters=rope | lists)


def gpt_oss() -> Any:
    import transformers as tf

    sizes = {
        "hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4, "head_dim": 16,
        "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 50, "pad_token_id": 0,
        "num_local_experts": 2, "num_experts_per_tok": 1, "sliding_window": 8,
    }  # fmt: skip
    return tf.GptOssConfig(**sizes)


@pytest.mark.peers
def test_numbers_of_a_running_model(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    quiet(tf)
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
    yarn = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0}
    yarn["original_max_position_embeddings"] = 32_768
    plain = {"rope_type": "default", "rope_theta": 1e4}
    nested = {"full_attention": yarn, "sliding_attention": plain}
    names["rotary_numbers"](tf.Gemma3TextModel(gemma(rope_parameters=nested)))
    printed = capsys.readouterr().out
    assert "full_attention_attention_scaling 1.1386" in printed
    assert "sliding_attention_attention_scaling 1.0" in printed


@pytest.mark.peers
def test_one_query_and_is_causal() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    from torch.nn.attention.bias import causal_lower_right
    from torch.nn.functional import scaled_dot_product_attention as attend

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 1, 6, 4)
    whole = attend(q, k, v, is_causal=True)
    close(attend(q[:, :, 5:], k, v, is_causal=True)[0, 0], v[0, 0, :1])  # the first key alone
    close(attend(q[:, :, 5:], k, v)[0, 0], whole[0, 0, 5:])
    mask = torch.ones(2, 6).tril(6 - 2).bool()
    for mended in (mask, causal_lower_right(2, 6)):
        close(attend(q[:, :, 4:], k, v, attn_mask=mended)[0, 0], whole[0, 0, 4:])


@pytest.mark.peers
def test_prompt_and_new_words_counted_in_two_ways_by_transformers() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    torch.manual_seed(0)
    model = tf.LlamaModel(small()).eval()
    for layer in model.layers:  # scores that matter
        layer.self_attn.q_proj.weight.data *= 40
        layer.self_attn.k_proj.weight.data *= 40
    mask = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1]])
    text, new = [7, 3, 9, 4], [8]
    with torch.no_grad():
        whole = model(torch.tensor([text + new])).last_hidden_state[0, -1]
        steps = []
        for given in ({}, {"position_ids": mask.sum(-1, keepdim=True) - 1}):
            cache = tf.DynamicCache(config=model.config)
            counted = (mask[:, :7].cumsum(-1) - 1).clamp(min=0)
            prompt = torch.tensor([[0, 0, 0, *text]])
            model(prompt, attention_mask=mask[:, :7], position_ids=counted, past_key_values=cache)
            step = model(torch.tensor([new]), attention_mask=mask, past_key_values=cache, **given)
            steps.append(step.last_hidden_state[0, -1])
    assert (steps[0] - whole).abs().max() > 0.05
    close(steps[1], whole, 1e-4)


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

    quiet(tf)

    def with_buffer(values: Any) -> Any:
        model = tf.LlamaModel(small())
        model.rotary_emb.inv_freq.copy_(torch.as_tensor(values))
        return model

    right = 10_000.0 ** (-torch.arange(8) / 8)
    check(with_buffer(right))
    for wrong, message in [
        (torch.zeros(8), "begins with 0.0"),
        (right * 6.93e-18, "begins with"),
        (right * float("nan"), "nan"),
        (-right, "-1.0"),
        (torch.cat([right[:1], right[1:].flip(0)]), "does not fall"),
        (torch.cat([right[:1], torch.zeros(7)]), "does not fall"),
        (torch.cat([right[:3], torch.zeros(2), right[5:]]), "does not fall"),
    ]:
        with pytest.raises(AssertionError, match=message):
            check(with_buffer(wrong))
    with torch.device("meta"):
        unfilled = tf.LlamaModel(small())
    with pytest.raises(AssertionError):
        check(unfilled.to_empty(device="cpu"))
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
def test_scaling_set_after_loading_does_nothing() -> None:
    pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    model = tf.LlamaModel(small())
    before = model.rotary_emb.inv_freq.clone()
    model.config.rope_parameters = {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}
    model(input_ids=model.dummy_inputs["input_ids"])
    close(model.rotary_emb.inv_freq, before, 0)


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
def test_parameters_by_layer_type(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Each cell of the table."""
    page = pasted("Parameters by layer type", "transformers")
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    import transformers as tf

    quiet(tf)
    nested = page["config"].rope_parameters
    flat, sliding = nested["full_attention"], nested["sliding_attention"]
    expected = yarn_by_pair_numbers(16, 4.0, 32_768, 1e6)
    assert page["config"].max_position_embeddings == 131_072

    def full(model: Any) -> Any:
        return model.rotary_emb.full_attention_inv_freq

    wide = full(tf.Gemma3TextModel(gemma(head_dim=256, rope_parameters=dict(nested))))
    linear = {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0}
    larger = gemma(head_dim=256, rope_parameters=nested | {"full_attention": linear})
    times = (wide / full(tf.Gemma3TextModel(larger))).numpy()  # "2 to 8 times too fast"
    assert times[0] == times.max() == pytest.approx(8)
    assert times[-1] == pytest.approx(2) and times.min() == pytest.approx(2)
    longer = gemma(
        head_dim=256, rope_parameters=nested | {"full_attention": linear | {"factor": 32.0}}
    )
    four = full(tf.Gemma3TextModel(larger)) / full(tf.Gemma3TextModel(longer))
    np.testing.assert_allclose(four, 4, rtol=1e-5)
    plain = full(tf.Gemma3TextModel(gemma()))
    np.testing.assert_allclose(plain, frequencies(16, 1e6), rtol=1e-5)
    model = tf.Gemma3TextModel(gemma(rope_parameters=dict(nested)))
    np.testing.assert_allclose(full(model), expected, rtol=1e-5)
    assert torch.equal(full(tf.Gemma3TextModel(gemma(rope_parameters=dict(flat)))), plain)
    one = gemma(rope_parameters={"full_attention": dict(flat)})
    assert one.rope_parameters["sliding_attention"]["rope_theta"] == 10_000.0
    scaling = gemma(rope_scaling=dict(flat)).rope_parameters
    assert scaling["full_attention"]["rope_type"] == "yarn"
    assert scaling["sliding_attention"]["rope_type"] == "default"
    tf.Gemma3TextModel(gemma()).save_pretrained(tmp_path / "gemma")
    load = tf.Gemma3TextModel.from_pretrained
    with pytest.raises(KeyError, match="full_attention"):
        load(tmp_path / "gemma", rope_parameters=dict(flat))
    with pytest.raises(KeyError, match="sliding_attention"):
        load(tmp_path / "gemma", rope_parameters={"full_attention": dict(flat)})
    loaded = load(tmp_path / "gemma", rope_parameters=dict(nested))
    np.testing.assert_allclose(full(loaded), expected, rtol=1e-5)
    trained = {"original_max_position_embeddings": 4096, "rope_theta": 150_000.0}
    exact = {"full_attention": flat | trained | {"truncate": False}, "sliding_attention": sliding}
    found = full(tf.Gemma3TextModel(gemma(head_dim=64, rope_parameters=exact)))
    rounded = yarn_by_pair_numbers(64, 4.0, 4096, 150_000.0)
    np.testing.assert_allclose(found, rounded, rtol=1e-5)  # `truncate` is not read
    assert not np.allclose(found, yarn_by_pair_numbers(64, 4.0, 4096, 150_000.0, truncate=False))

    ids = dict.fromkeys(["pad", "bos", "eos", "cls", "sep"], 1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 16, "vocab_size": 50} | {f"{k}_token_id": 1 for k in ids}
    bert = tf.ModernBertModel(tf.ModernBertConfig(**sizes, rope_parameters=dict(nested)))
    np.testing.assert_allclose(full(bert), expected, rtol=1e-5)
    with pytest.raises(Exception, match="rope_parameters"):
        tf.ModernBertConfig(**sizes, rope_parameters=dict(flat))
    tf.ModernBertModel(tf.ModernBertConfig(**sizes)).save_pretrained(tmp_path / "bert")
    with pytest.raises(Exception, match="rope_parameters"):
        tf.ModernBertModel.from_pretrained(tmp_path / "bert", rope_parameters=dict(flat))

    tf.logging.set_verbosity_warning()
    tf.logging.enable_propagation()
    llama = tf.LlamaModel(small(rope_parameters=dict(nested)))
    assert "Unrecognized keys" in caplog.text
    np.testing.assert_allclose(llama.rotary_emb.inv_freq, frequencies(16), rtol=1e-5)
    caplog.clear()
    ours = {"attn_factor": 0.5}
    misspelt = tf.LlamaModel(small(rope_parameters=flat | ours)).rotary_emb
    tf.logging.disable_propagation()
    assert "Unrecognized keys" in caplog.text and "attn_factor" in caplog.text
    assert misspelt.attention_scaling == pytest.approx(context.temperature(4))
    spelt = tf.LlamaModel(small(rope_parameters=flat | {"attention_factor": 0.5})).rotary_emb
    assert spelt.attention_scaling == 0.5


@pytest.mark.peers
def test_parts_of_heads_norms_and_layers_are_as_the_text_says() -> None:
    torch = pytest.importorskip("torch", reason=LARGE.format("torch"))
    tf = pytest.importorskip("transformers", "5", reason=LARGE.format("transformers"))
    quiet(tf)
    from transformers.models.glm.modeling_glm import GlmRotaryEmbedding

    half = GlmRotaryEmbedding(tf.GlmConfig(head_dim=128)).inv_freq
    np.testing.assert_allclose(half, frequencies(64), rtol=1e-5)
    part = {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25}
    assert tf.Gemma4TextConfig().rope_parameters["full_attention"] == part
    found = rotary_of(small(hidden_size=128, num_attention_heads=2, rope_parameters=part)).inv_freq
    np.testing.assert_allclose(found, np.r_[frequencies(64, 1e6)[:8], np.zeros(24)], rtol=1e-5)
    types = tf.Gemma3TextConfig().layer_types
    assert types[:6] == ["sliding_attention"] * 5 + ["full_attention"]
    rope = tf.Gemma3TextConfig().rope_parameters
    assert rope["sliding_attention"]["rope_theta"] == 10_000.0
    assert rope["full_attention"]["rope_theta"] == 1_000_000.0
    for config in (tf.Llama4TextConfig(), tf.SmolLM3Config()):
        assert 0 in config.no_rope_layers and 1 in config.no_rope_layers
    for config in (tf.Exaone4Config(), tf.Cohere2Config()):
        assert not hasattr(config, "no_rope_layers")

    sizes = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "vocab_size": 9}
    sizes |= {"num_key_value_heads": 2, "intermediate_size": 8}
    olmo = tf.Olmo2Model(tf.Olmo2Config(**sizes, pad_token_id=0)).layers[0].self_attn
    assert olmo.q_norm.weight.shape == (64,) and olmo.k_norm.weight.shape == (32,)
    qwen = tf.Qwen3Model(tf.Qwen3Config(**sizes, head_dim=16)).layers[0].self_attn
    other = tf.Gemma3TextModel(gemma()).layers[0].self_attn
    for attention in (qwen, other):
        assert attention.q_norm.weight.shape == attention.k_norm.weight.shape == (16,)
    assert "`torch.allclose(new(basis), old(basis))`, where `basis = torch.eye(n)[0]`" in PROSE
    old, new = (torch.nn.Linear(6, 6, bias=False) for _ in range(2))
    basis = torch.eye(6)[0]
    assert torch.equal(old(basis), old.weight[:, 0])  # "a column of its weight"
    new.weight.data = old.weight.data.T
    assert not torch.allclose(new(basis), old(basis))
    new.weight.data = old.weight.data.clone()
    assert torch.allclose(new(basis), old(basis))
    assert torch.allclose(old(basis), basis @ old.weight.T)


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
