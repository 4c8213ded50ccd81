"""Test that the tables of `pe_lib.checkpoints` contain only known words."""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import test_checkpoints

from pe_lib.checkpoints import _scaling, _types, layers
from pe_lib.checkpoints._keys import KEYS
from pe_lib.checkpoints._models import RULES, Model, classes, read_model, rows, text_kinds
from pe_lib.checkpoints._records import choose_rule, read_record
from pe_lib.checkpoints._scaling import RENAMED, SCALINGS
from pe_lib.doctor._numbers import DATA
from tools.defaults import KEYS as CLASS_KEYS

ROOT = Path(__file__).parents[3]


def test_every_row_is_read_and_every_rule_is_used():
    chosen = {name: set() for name in RULES}
    for kind, row in rows().items():
        model = read_model(kind)
        for name, rules in RULES.items():
            entry = row.get(name)
            if entry is None:
                continue
            word = entry["rule"] if isinstance(entry, Mapping) else entry
            rule, chosen_rule = rules[word], getattr(model, name)
            assert chosen_rule is rule or type(chosen_rule) is rule, (kind, name)
            chosen[name].add(word)
    defaults = {field.name: field.default for field in dataclasses.fields(Model)}
    for name, rules in RULES.items():
        unused = {word for word, rule in rules.items() if rule is not defaults[name]} - chosen[name]
        assert not unused, f"no row of kinds.toml has {name} = {sorted(unused)}"


def test_every_kind_that_a_row_names_is_there():
    for kind, row in rows().items():
        assert row.get("like", kind) in rows(), kind
    assert set(text_kinds().values()) <= rows().keys()
    for kind, row in classes().items():
        assert {*row.names, *row.defaults} <= {*CLASS_KEYS}, kind


def test_types_of_layers_in_keys_are_known():
    assert {*KEYS.renamed_types.values()} | {*KEYS.windows.values()} <= KEYS.types.keys()
    assert {*_types.WITH_SCORES} <= {*KEYS.types.values()}


@pytest.mark.parametrize("field", RULES)
def test_an_unknown_word_names_the_field_and_lists_the_known_ones(field):
    word = next(iter(RULES[field]))
    with pytest.raises(LookupError, match=f"a row.{field} is 'lama_4', .*known are .*{word!r}"):
        choose_rule(RULES[field], "lama_4", f"a row.{field}")


@pytest.mark.parametrize(
    ("field", "entry", "message"),
    [
        ("growth", "lama_4", "growth is 'lama_4', which is not known; known are 'llama_4', 'mist"),
        ("growth", {"rule": "llama_4", "beta": 1}, "'beta'., and 'llama_4' takes none"),
        ("indexer", "dza", "indexer is 'dza', which is not known; known are 'deepseek', 'minimax'"),
        ("indexer", {"rule": "deepseek", "layout": "pairs"}, "layout is 'pairs', which is not"),
        ("indexer", {"rule": "deepseek"}, "needs a field 'layout'"),
        ("sections", {"order": "blokcs", "sizes": [1, 2]}, "order is 'blokcs', which is not known"),
        ("rope", "parametres", "rope is 'parametres', which is not known; known are 'by_type'"),
        ("reader", "lerned", "reader is 'lerned', which is not known; known are 'alibi', "),
        ("types", {"rule": "rounds", "repeat": ["ful_attention"]}, "round of types is 'ful_attent"),
        ("types", {"rule": "rounds", "repeat": "wwwf"}, "types.repeat is 'wwwf'; expected"),
        ("types", {"rule": "rounds", "repaet": []}, "has a field 'repaet', which is not known"),
        ("types", {"rule": "coded", "key": "k", "codes": {"0": "fu"}}, "codes of k is 'fu', which"),
        ("sink_types", ["ful"], "sink_types is 'ful', which is not known; known are 'chunked_att"),
        ("layout", "halfs", "llama.layout is 'halfs', which is not known; known are 'halves'"),
        ("two_sided", "yes", "llama.two_sided is 'yes'; expected bool"),
        ("window", {"divider": 2}, "llama.window has a field 'divider', which is not known"),
        ("unturned", "listed", "llama has a field 'unturned', which is not known; known are"),
    ],
)
def test_a_wrong_word_in_a_row_is_refused(monkeypatch, field, entry, message):
    monkeypatch.setitem(rows(), "llama", {field: entry})
    read_model.cache_clear()
    try:
        with pytest.raises(LookupError, match=message):
            layers({"model_type": "llama"})
    finally:
        monkeypatch.undo()
        read_model.cache_clear()


def test_a_wrong_field_of_keys_is_refused():
    @dataclasses.dataclass(frozen=True)
    class Record:
        sizes: Mapping[str, int]
        share: float = 1.0

    assert read_record(Record, {"sizes": {"a": 1}, "share": 2}, "x") == Record({"a": 1}, 2.0)
    with pytest.raises(LookupError, match=r"x\.sizes\.a is 1\.5; expected int"):
        read_record(Record, {"sizes": {"a": 1.5}}, "x")
    with pytest.raises(LookupError, match="x needs a field 'sizes'"):
        read_record(Record, {}, "x")


# Types of scaling, each of which is defined by one record


def test_records_of_scaling_agree_with_each_other():
    assert not RENAMED.keys() & SCALINGS.keys()
    phrases = {(scaling.doctor_name, scaling.doctor_phrase) for scaling in SCALINGS.values()}
    assert len(phrases) == len(DATA["scalings"]), "one name in the doctor has two phrases"
    for name, scaling in SCALINGS.items():
        assert not {*scaling.keys} & {*KEYS.beside_scaling}, name
        assert scaling.title_has_factor or scaling.title, name


def test_a_type_that_has_no_record_is_refused():
    """Check that an unknown type of scaling is rejected instead of giving wrong frequencies."""
    config = {"model_type": "llama", "rope_parameters": {"rope_type": "spiral", "factor": 2}}
    with pytest.raises(ValueError, match=f"known: {', '.join(sorted(SCALINGS))}"):
        layers(config)


def test_the_type_of_the_guide_is_read_and_shown(monkeypatch):
    """Add a type of scaling as contributing/scaling-type.md says, and check that it works."""
    from _ext.models import (
        columns,
    )  # Import this here, because the environment of `make peers` does not contain Sphinx.

    guide = (ROOT / "contributing" / "scaling-type.md").read_text("utf-8")
    rule, record, fact = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    names = {**vars(_scaling), **vars(test_checkpoints)}
    exec(f"{rule}\nscaling = {record}\nfact = {fact}", names)
    monkeypatch.setitem(SCALINGS, names["scaling"].name, names["scaling"])
    config, length, index, frequencies, facts = names["fact"]
    layer = layers(config, length)[index]
    np.testing.assert_allclose(layer.frequencies, frequencies, rtol=1e-12)
    assert {name: getattr(layer, name) for name in facts} == facts
    assert columns.scalings([layer]) == "NTK-aware, 4"
    with pytest.raises(ValueError, match="is no key of rope_type 'ntk', which reads factor"):
        layers({**config, "rope_scaling": {**config["rope_scaling"], "beta_fast": 8}})
