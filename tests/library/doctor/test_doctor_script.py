"""The page's doctor says what Python's says, to the sentence: one process of node for all."""

import json
import math
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import doctor_bank as bank
import numpy as np
import pytest
from test_doctor_checkpoints import ROWS, STEPS, stored

from pe_lib import doctor
from pe_lib.doctor import _config, identify

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 5e5,
         "max_position_embeddings": 131072}  # fmt: skip
TURNS = [None, {"rope_type": "linear", "factor": 4.0}, {"rope_type": "dynamic", "factor": 2.0},
         {"type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32,
          "beta_slow": 1, "original_max_position_embeddings": 4096, "truncate": False},
         {"type": "longrope", "long_factor": [1.0]}, {"rope_type": "own"}, {"factor": -1.0},
         {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
          "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}]  # fmt: skip
CONFIGS = [
    *({**LLAMA, "rope_scaling": turn} for turn in TURNS),
    {"model_type": "bloom", "num_attention_heads": 12},
    {"model_type": "t5", "relative_attention_num_buckets": 32},
    {"model_type": "gpt2", "n_positions": 1024, "n_embd": 768},
    {"model_type": "whisper", "d_model": 384, "max_position_embeddings": 1500},
    {"model_type": "something", "hidden_size": 64},
]
PAIR = np.arange(64) / 64
LISTS = [1e4**-PAIR, 5e5**-PAIR, 5e5**-PAIR / 4, 2.0 ** (-8 * np.arange(1, 13) / 12)]
# made-up configurations with each list, and every published one with its own, and each step's
TRIED = [(config, w) for config in CONFIGS for w in LISTS]
TRIED += [
    (stored(other), layer.frequencies)
    for name, layer in ROWS
    for other in ({name, *STEPS} if name in STEPS else {name})
]


def cases():
    rng = np.random.default_rng(2026)
    for case in (*bank.whole(rng, 1), *bank.others(rng)):
        yield bank.small(case.arrays)
    for _, x in bank.strangers(rng, 24):
        yield bank.small(x)


def packed(x):
    """An array for JSON, without losing a bit: shape, and numbers or "nan", "inf", "-inf"."""
    numbers = [v if math.isfinite(v) else str(v) for v in np.asarray(x, float).ravel().tolist()]
    return {"shape": list(np.shape(x)), "numbers": numbers}


def asked(folder: Path, cases: Iterable, tried: Sequence = ()) -> dict[str, list]:
    """What JavaScript says: of cases, of its own samples, and of configurations."""
    from _ext import doctor as page  # here: the peers collect this file, and have no Sphinx

    given = {
        "words": page.words(),
        "cases": [[packed(x) for x in arrays] for arrays in cases],
        "configs": [{"config": config, "list": w.tolist()} for config, w in tried],
    }
    file = folder / "given.json"
    file.write_text(json.dumps(given), "utf-8")
    command = ["node", Path(__file__).with_name("agreement.mjs"), page.HERE, file]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    return asked(tmp_path_factory.mktemp("doctor"), cases(), TRIED)


def test_the_bank_is_diagnosed_alike_to_the_sentence(said) -> None:
    for arrays, text in zip(cases(), said["cases"], strict=True):
        assert text == str(identify(*arrays))


def test_the_samples_are_diagnosed_alike_and_each_is_known_for_certain(said) -> None:
    assert len(said["samples"]) >= 12
    for sample in said["samples"]:
        name = sample["name"]
        arrays = [np.reshape(x["data"], x["shape"]) for x in sample["given"] if "data" in x]
        d = identify(*arrays)
        for item in sample["given"]:
            if "config" in item:
                d = _config.against(d, _config.read(item["config"]))
        assert str(d) == sample["text"], name
        assert d.sure and (bool(d.problems) != name.startswith("A healthy")), name


def test_configurations_are_read_and_compared_with_alike(said) -> None:
    for (config, w), text in zip(TRIED, said["configs"], strict=True):
        try:
            want = _config.read(config)
            expected = f"{_config.diagnosis(want)}\n{_config.against(identify(w), want)}"
        except ValueError as error:
            expected = str(error)
        assert text == expected, config


def test_a_picture_in_a_notebook_has_the_frequencies_and_their_rule(monkeypatch) -> None:
    from pe_lib.course.doctor import drawn
    from pe_lib.course.doctor import identify as with_picture

    monkeypatch.setattr(doctor.Diagnosis, "draw", (drawn,))
    d = with_picture(1e4 ** (-np.arange(32) / 32))
    bundle = d._repr_mimebundle_()
    assert "32 pairs" in bundle["image/svg+xml"] and bundle["text/plain"] == str(d)
    np.testing.assert_allclose(d.picture["frequencies"], d.picture["rule"], rtol=1e-6)
    random = with_picture(np.random.default_rng(0).standard_normal((40, 16)))
    assert set(random._repr_mimebundle_()) == {"text/plain"}
