"""Test that the notation explains each key of a configuration that `pe_lib.checkpoints` reads."""

import json
import re
from pathlib import Path

import pytest
from cells import CHAPTERS

from pe_lib.checkpoints import layers
from pe_lib.checkpoints._config import Config
from pe_lib.checkpoints._keys import KEYS
from pe_lib.checkpoints._scaling import _TYPES

PAGE = (CHAPTERS / "appendix-notation.md").read_text("utf-8")
STORED = sorted((CHAPTERS / "data" / "checkpoints").glob("*.json"))


def list_explained_keys() -> set[str]:
    """Return the words in code font in the section on keys."""
    section = PAGE.split("## Keys of configurations\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


@pytest.fixture
def keys_read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Collect the keys that `layers` asks any dictionary for."""
    found: set[str] = set()
    find_value = Config.find_value

    def spy(config: Config, key: str) -> object:
        found.update(config.names_of(key))
        return find_value(config, key)

    monkeypatch.setattr(Config, "find_value", spy)
    return found


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_each_key_that_a_stored_model_has_and_layers_reads(path: Path, keys_read: set[str]) -> None:
    layers(json.loads(path.read_text("utf-8"))["config"])
    keys_read.discard("")
    assert len(keys_read) > 1
    assert keys_read <= list_explained_keys(), sorted(keys_read - list_explained_keys())


def test_each_key_of_rope_parameters_and_each_alias() -> None:
    keys = {key for scaling in _TYPES for key in scaling.keys}
    keys |= {*KEYS.beside_scaling, *KEYS.known_keys, *KEYS.bases, *KEYS.windows}
    keys |= {scaling.name for scaling in _TYPES}
    for key, others in KEYS.other_names.items():
        keys |= {key, *others} - {"dim", "embed_dim"}  # names of sizes in any program
    assert keys <= list_explained_keys(), sorted(keys - list_explained_keys())


def test_the_keys_that_readers_missed() -> None:
    missed = "mscale truncate mrope_interleaved rope_interleave layer_rope_theta"
    missed += " attention_chunk_size index_topk indexer_types compress_ratios llama_4_scaling_beta"
    assert set(missed.split()) <= list_explained_keys()
