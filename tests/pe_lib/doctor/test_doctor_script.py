"""The page's doctor says what Python's says, to the sentence."""

import json
import subprocess
from pathlib import Path

import doctor_bank as bank
import numpy as np
import pytest

from pe_lib import doctor
from pe_lib.doctor import _config, identify

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 5e5,
         "max_position_embeddings": 131072}  # fmt: skip
TURNS = [None, {"rope_type": "linear", "factor": 4.0}, {"rope_type": "dynamic", "factor": 2.0},
         {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192},
         {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
         {"type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32,
          "beta_slow": 1, "original_max_position_embeddings": 4096, "truncate": False},
         {"type": "longrope", "long_factor": [1.0 + i / 8 for i in range(64)],
          "short_factor": [1.0] * 64, "original_max_position_embeddings": 4096},
         {"type": "longrope", "long_factor": [1.0]}, {"rope_type": "own"}, {"factor": -1.0},
         {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
          "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}]  # fmt: skip
CONFIGS = [
    *({**LLAMA, "rope_scaling": turn} for turn in TURNS),
    {**LLAMA, "partial_rotary_factor": 0.5},
    {**LLAMA, "rope_theta": 0.5},
    {"model_type": "bloom", "num_attention_heads": 12},
    {"model_type": "t5", "relative_attention_num_buckets": 32},
    {"model_type": "gpt2", "n_positions": 1024, "n_embd": 768},
    {"model_type": "whisper", "d_model": 384, "max_position_embeddings": 1500},
    {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8},
    {"model_type": "something", "hidden_size": 64},
]
PAIR = np.arange(64) / 64
LISTS = [1e4**-PAIR, 5e5**-PAIR, 5e5**-PAIR / 4, 2.0 ** (-8 * np.arange(1, 13) / 12)]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[dict], list[str]]:
    """What JavaScript says: of the bank, of its own samples, and of configurations."""
    from _ext import doctor as page  # here: the peers collect this file, and have no Sphinx

    folder = tmp_path_factory.mktemp("doctor")
    (folder / "words.json").write_text(json.dumps(page.words()), "utf-8")
    count = bank.write(folder / "bank.jsonl", 3)
    tried = [{"config": config, "list": w.tolist()} for config in CONFIGS for w in LISTS]
    (folder / "configs.json").write_text(json.dumps(tried), "utf-8")
    script = Path(__file__).with_name("agreement.mjs")
    files = [folder / name for name in ("words.json", "bank.jsonl", "configs.json")]
    command = ["node", script, page.HERE, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    cases = [json.loads(line) for line in (folder / "bank.jsonl").read_text("utf-8").splitlines()]
    both = zip(cases, lines, strict=False)
    wrong = [(a["name"], a["text"], b["text"]) for a, b in both if a["text"] != b["text"]]
    return wrong, lines[count : len(lines) - len(tried)], [x["text"] for x in lines[-len(tried) :]]


def test_the_bank_is_diagnosed_alike_to_the_sentence(said) -> None:
    assert not said[0]


def test_the_samples_are_diagnosed_alike_and_each_is_known_for_certain(said) -> None:
    assert len(said[1]) >= 12
    for sample in said[1]:
        arrays = [np.reshape(x["data"], x["shape"]) for x in sample["given"] if "data" in x]
        d = identify(*arrays)
        for item in sample["given"]:
            if "config" in item:
                d = _config.against(d, _config.read(item["config"]))
        assert str(d) == sample["text"], sample["name"]
        assert d.sure and (bool(d.problems) != sample["name"].startswith("A healthy")), sample[
            "name"
        ]


def test_configurations_are_read_and_compared_with_alike(said) -> None:
    tried = [(config, w) for config in CONFIGS for w in LISTS]
    for (config, w), text in zip(tried, said[2], strict=True):
        try:
            want = _config.read(config)
            expected = f"{_config.diagnosis(want)}\n{_config.against(identify(w), want)}"
        except ValueError as error:
            expected = str(error)
        assert text == expected, (config, text, expected)


def test_a_picture_in_a_notebook_has_the_frequencies_and_their_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pe_lib.course.doctor import drawn
    from pe_lib.course.doctor import identify as with_picture

    monkeypatch.setattr(doctor.Diagnosis, "draw", (drawn,))
    bundle = with_picture(1e4 ** (-np.arange(32) / 32))._repr_mimebundle_()
    assert "32 pairs" in bundle["image/svg+xml"] and bundle["text/plain"].startswith("Rotary")
    random = with_picture(np.random.default_rng(0).standard_normal((40, 16)))
    assert set(random._repr_mimebundle_()) == {"text/plain"}
    monkeypatch.setattr(doctor.Diagnosis, "draw", None)
    assert set(with_picture(np.ones((4, 8)))._repr_mimebundle_()) == {"text/plain"}
