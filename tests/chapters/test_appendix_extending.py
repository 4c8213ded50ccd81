"""Test the guide's numbers by plain loops, and its recording and configuration dictionaries."""

import json
import math
import re

import nbformat
import numpy as np
import pytest
from cells import CHAPTERS, read_output, run_cells

from pe_lib import context, frequencies, rotary
from tests.recorded import read_recording

CELLS = nbformat.read(CHAPTERS / "appendix-extending.ipynb", 4).cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")


def run_pasted_code() -> dict[str, object]:
    """Run the page's copy-and-paste code except PyTorch code, and return all names it defines."""
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.+?)```", PROSE, re.DOTALL):
        if "import torch" not in code:
            exec(code, names)
    return names


def test_both_spellings_are_one_and_the_base_is_another():
    lines = read_output("appendix-extending", "cos, sin").splitlines()[1:]
    assert lines[0].split()[2:] == lines[1].split()[2:] != lines[2].split()[2:]
    names, dictionary = run_pasted_code(), run_cells("appendix-extending")
    for pasted_name, shown in (("yarn", "version 5"), ("yarn_4", "version 4"),
                               ("larger_base", "larger base")):  # fmt: skip
        given = names[pasted_name]
        assert (
            given.pop("max_position_embeddings") == dictionary["shape"]["max_position_embeddings"]
        )
        assert given == dictionary["spelled"][shown]


def test_the_block_with_text_config_is_what_the_cell_puts_inside():
    given, dictionary = run_pasted_code()["inside"], run_cells("appendix-extending")
    assert given["text_config"] == dictionary["change"]
    published, inside, outside = read_output(
        "appendix-extending", "text_config   scaling"
    ).splitlines()[1:]
    assert published.split()[-2:] == outside.split()[-2:] != inside.split()[-2:]


@pytest.mark.peers
def test_transformers_reads_text_config_as_the_table_says(tmp_path):
    transformers = pytest.importorskip("transformers", reason="not installed: run: make peers")
    change = run_pasted_code()["inside"]["text_config"]
    rope = change["rope_parameters"]

    def load(config, **keywords):
        (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
        keywords = json.loads(json.dumps(keywords))  # transformers changes dictionaries in place
        return transformers.AutoConfig.from_pretrained(tmp_path, **keywords)

    for name, kind in (("qwen3.5-27b", "Qwen3_5Config"), ("qwen3-vl-4b", "Qwen3VLConfig")):
        config = read_recording(f"checkpoints/{name}")["config"]
        inside = load(config | {"text_config": config["text_config"] | change})
        assert inside.text_config.rope_parameters["rope_type"] == "yarn"
        outside = load(config | change)
        assert outside.rope_parameters["rope_type"] == "yarn"
        assert outside.text_config.rope_parameters["rope_type"] == "default"
        with pytest.raises(AttributeError, match=f"{kind}' object has no .*max_position_embedd"):
            load(config | {"rope_parameters": rope})
        assert load(config, rope_parameters=rope).text_config.rope_parameters == (
            load(config).text_config.rope_parameters
        )
        few = {"rope_type": "yarn", "rope_theta": 1e7, "factor": 4.0,
               "original_max_position_embeddings": 262_144}  # fmt: skip
        given = load(config, text_config={"rope_parameters": few}).text_config
        assert "mrope_section" not in given.rope_parameters
        assert given.rope_parameters.items() >= few.items()
        assert given.hidden_size == config["text_config"]["hidden_size"]


def test_the_request_at_two_lengths_hides_its_fact_where_it_says():
    finds, asked = run_pasted_code()["finds_it"], []

    def reads(prompt, most):  # a model that sees at most `most` words
        asked.append(prompt)
        return "4182" if "4182" in " ".join(prompt.split()[-most:]) else "?"

    assert finds(lambda p: reads(p, 10**6), 3000)
    assert not finds(lambda p: reads(p, 1500), 3000)
    share = asked[0].index("4182") / len(asked[0])
    assert 0.09 < share < 0.12 and 2500 < len(asked[0].split()) < 3500


@pytest.mark.peers
def test_transformers_reads_the_dictionaries_as_the_page_says():
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    from transformers import Gemma3TextConfig, LlamaConfig
    from transformers.models.gemma3.modeling_gemma3 import Gemma3RotaryEmbedding
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    names = run_pasted_code()
    (check,) = [c for c in re.findall(r"```python\n(.+?)```", PROSE, re.DOTALL) if "torch" in c]
    exec(check, names)
    shape = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 1}
    wanted = {name: context.yarn(128, 4, 4096) for name in ("yarn", "yarn_4")}
    wanted["larger_base"] = frequencies(128, 500_000.0)
    for name, w in wanted.items():
        module = LlamaRotaryEmbedding(LlamaConfig(**shape, **names[name]))
        scale = 0.1 * math.log(4) + 1 if "yarn" in name else 1.0
        names["assert_frequencies"](module, w, scale=scale)
        with pytest.raises(AssertionError):
            names["assert_frequencies"](module, frequencies(128), scale=scale)
        with pytest.raises(AssertionError, match="inv_freq is"):
            names["assert_frequencies"](module, w, scale=1.5)
        assert module.attention_scaling == pytest.approx(1.1386 if "yarn" in name else 1, abs=1e-4)

        def turn(x, t, w=w, scale=scale):  # functions have no buffers, so they are probed instead
            return rotary.rotate(x, t, layout="halves", frequencies=w) * scale

        names["assert_frequencies"](turn, w, scale=scale)
        with pytest.raises(AssertionError):
            names["assert_frequencies"](turn, frequencies(128), scale=scale)
        with pytest.raises(AssertionError, match="the function is"):
            names["assert_frequencies"](turn, w, scale=1.5)
    with pytest.raises(AssertionError, match="no such inv_freq"):
        names["assert_frequencies"](torch.nn.Linear(2, 2), frequencies(2))
    config = Gemma3TextConfig(head_dim=128, num_hidden_layers=6, max_position_embeddings=131_072,
                              **names["by_layer_type"])  # fmt: skip
    module = Gemma3RotaryEmbedding(config)
    buffers = {name: b.double().numpy() for name, b in module.named_buffers()}
    full = context.yarn(128, 4, 32_768, 1_000_000.0)
    np.testing.assert_allclose(buffers["full_attention_inv_freq"], full, rtol=1e-5)
    np.testing.assert_allclose(buffers["sliding_attention_inv_freq"], frequencies(128), rtol=1e-5)
    names["assert_frequencies"](module, full, "full_attention_", 0.1 * math.log(4) + 1)
    names["assert_frequencies"](module, frequencies(128), "sliding_attention_")
    with pytest.raises(AssertionError, match="full_attention_inv_freq is 1"):
        names["assert_frequencies"](module, full, "full_attention_")
    released = {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0}
    nested = names["by_layer_type"]["rope_parameters"] | {"full_attention": released}
    config = Gemma3TextConfig(head_dim=128, num_hidden_layers=6, rope_parameters=nested)
    slow = dict(Gemma3RotaryEmbedding(config).named_buffers())["full_attention_inv_freq"]
    times = full / slow.double().numpy()
    assert times[0] == pytest.approx(8) and times[-1] == pytest.approx(2)
    assert times.min() > 1.999 and times.max() < 8.001 and "2 to 8 times too fast" in PROSE
