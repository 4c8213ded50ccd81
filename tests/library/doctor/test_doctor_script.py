"""Test that the page's JavaScript gives the same diagnoses as Python, on one case in twelve."""

import json
import math
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import doctor_bank as bank
import numpy as np
import pytest
import strangers
import test_doctor_axes as axes
import test_doctor_biases as biases
import test_doctor_gate as gate
import test_doctor_learned as learned
import test_doctor_resembles as resembling
from test_doctor_checkpoints import LLAMA, ROWS, STEPS, read_stored_config

from pe_lib import doctor
from pe_lib.doctor import _config, _requirements, identify

SHARE = 12  # the nightly test tries all cases
TURNS = [None, {"rope_type": "linear", "factor": 4.0},
         {"type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 0.5, "beta_fast": 32,
          "beta_slow": 1, "original_max_position_embeddings": 4096, "truncate": False}]  # fmt: skip
PAIR = np.arange(64) / 64
LISTS = [1e4**-PAIR, 5e5**-PAIR, 5e5**-PAIR / 4, 2.0 ** (-8 * np.arange(1, 13) / 12)]
# Invented configurations with each type of list, and published ones with stored frequencies.
TRIED = [({**LLAMA, "rope_scaling": turn}, w) for turn in TURNS for w in LISTS]
TRIED += [
    (read_stored_config(other), layer.frequencies)
    for name, layer in ROWS
    for other in dict.fromkeys([name, STEPS[0]])
]
NONSENSE = [{"factor": 0, "rope_type": "linear"}, {"factor": -1.0, "rope_type": "linear"},
            {"rope_type": "own"}, {"rope_type": "linear"}, {"factor": 4.0}, [1.0]]  # fmt: skip
REFUSED = [({**LLAMA, "rope_scaling": turn}, LISTS[0]) for turn in NONSENSE]
REFUSED += [
    ({**LLAMA, **wrong}, LISTS[0])
    for wrong in ({"num_attention_heads": 0}, {"hidden_size": "x"}, {"rope_theta": 1},
                  {"rope_tehta": 1e4}, {"num_hidden_layers": 1.5}, {"model_type": None})
]  # fmt: skip
REFUSED += [({}, LISTS[0]), ({"name": "x", "version": "1.0.0"}, LISTS[0])]


def learned_tables():
    for x in (*learned.HEALTHY.values(), *(x for x, _ in learned.COPIED.values())):
        yield (x[:, :24],)
    for rule in ("centres", "corners", "between"):
        yield (learned.stretch(learned.X, 192, rule).astype("f4"),)
    yield (np.concatenate([learned.X, learned.NOISE[:20]]),)


def cases():
    rng = np.random.default_rng(2026)
    for case in (*bank.make_all_cases(rng, 1), *bank.others(rng)):
        yield bank.shorten_arrays(case.arrays)
    for _, x in strangers.draw_strangers(rng, 64):
        arrays = x if isinstance(x, tuple) else (x,)
        # The page knows no integers, which might be position ids.
        yield bank.shorten_arrays(tuple(np.asarray(y, float) for y in arrays))
    for rows, make in gate.DAMAGED.values():
        yield (gate.change(gate.TABLE, rows, make(gate.TABLE)),)
        yield tuple(gate.change(x, rows, make(x)) for x in gate.CACHE)
    table = gate.TABLE[:64]
    batches = np.stack([table, table * np.nan]), np.stack([table, -table])
    for x in (*gate.LINES.values(), *batches, table.round(6), table.T):
        yield (x,)
    for x, *_ in gate.VERDICTS.values():
        yield (x,)
    for positions, axis, w, _ in axes.KINDS.values():
        angles = axes.on_axes(np.asarray([[*p] for p in positions]), axis, w)
        yield axes.cache(angles, "float32", "halves")
    yield axes.cache(np.outer(np.arange(5), [0.3, 0.2]) ** 2, "float32")
    for make, *_ in resembling.CHANGED.values():
        yield (make(resembling.table().astype("f4")),)
    noise = resembling.table() + rng.normal(0, 0.02, (resembling.ROWS, resembling.WIDTH))
    yield (noise[:, :32], noise[:, 32:])
    yield (table[:, np.argsort(table[1])],)
    for x in (noise, table[:, :-1], table[np.argsort(table[:, 0])], np.repeat(LISTS[0], 2)):
        yield (x,)
    for x in (LISTS[0][::-1], LISTS[0] * rng.uniform(0.98, 1.02, 64)):
        yield (x,)
    for x, *_ in (*biases.HEALTHY.values(), *biases.FAULTS.values()):
        yield (x,)
    yield from learned_tables()
    for x in (table[:, ::-1], table[::-1], np.triu(np.full((32, 32), -np.inf), 1)):
        yield (x,)


def pack_array(x):
    """Return an array as JSON values without rounding, with NaN and infinities as strings."""
    numbers = [v if math.isfinite(v) else str(v) for v in np.asarray(x, float).ravel().tolist()]
    return {"shape": list(np.shape(x)), "numbers": numbers}


def ask_page(folder: Path, cases: Iterable, configurations: Sequence = ()) -> dict[str, list]:
    """Return what the JavaScript doctor says about cases, its samples, and configurations."""
    # Import this here, because it needs Sphinx, which is missing where the peer tests run.
    from _ext import doctor as page

    page.write_doctor()
    arrays_by_name = {
        "cases": [[pack_array(x) for x in arrays] for arrays in cases],
        "configs": [{"config": config, "list": w.tolist()} for config, w in configurations],
    }
    file = folder / "given.json"
    file.write_text(json.dumps(arrays_by_name), "utf-8")
    command = ["node", Path(__file__).with_name("agreement.mjs"), page.HERE, file]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    return ask_page(tmp_path_factory.mktemp("doctor"), [*cases()][::SHARE], TRIED + REFUSED)


def test_the_bank_is_diagnosed_alike_to_the_sentence(answers) -> None:
    for arrays, text in zip([*cases()][::SHARE], answers["cases"], strict=True):
        assert text == str(identify(*arrays))


@pytest.mark.nightly
def test_all_of_the_bank_is_diagnosed_alike_to_the_sentence(tmp_path: Path) -> None:
    for arrays, text in zip(cases(), ask_page(tmp_path, cases())["cases"], strict=True):
        assert text == str(identify(*arrays))


def test_what_python_uses_of_the_language_and_of_numpy_is_there(answers) -> None:
    assert answers["missing"] == []


def test_the_samples_are_diagnosed_alike_and_each_is_known_for_certain(answers) -> None:
    from _ext.doctor.samples import samples

    assert len(samples()) >= 12
    for (name, make), (same, text) in zip(samples(), answers["samples"], strict=True):
        arrays_by_name = make()
        config = arrays_by_name.pop("config.json", None)
        arrays = [np.asarray(x) for x in arrays_by_name.values()]
        d = identify(*arrays)
        if config:
            d = _config.compare_with_groups(d, arrays, _requirements.read_groups(config))
        assert (name, str(d)) == (same, text)
        assert d.sure and (bool(d.problems) != name.startswith("A healthy")), name


def test_configurations_are_read_alike_or_not_at_all(answers) -> None:
    """Test that the page reads each configuration either as Python does or not at all."""
    read = 0
    for (config, w), answer in zip(TRIED, answers["configs"], strict=False):
        if "refused" in answer:
            assert "python -m pe_lib.doctor config.json" in answer["refused"], config
            continue
        read += 1
        groups = _requirements.read_groups(config)
        assert len(groups) == 1, config
        layer = groups[0].layer
        np.testing.assert_allclose(answer["frequencies"], layer.frequencies, rtol=1e-12)
        assert answer["amplitude"] == pytest.approx(layer.amplitude, rel=1e-12)
        expected = [
            _requirements.describe_group(groups[0]),
            _config.compare_with_groups(identify(w), [w], groups),
        ]
        assert answer["said"] == "\n".join(map(str, expected)), config
    assert read >= len(TURNS) * len(LISTS) + 8


def test_a_configuration_without_sense_is_refused_as_python_refuses_it(answers) -> None:
    for (config, _), answer in zip(REFUSED, answers["configs"][len(TRIED) :], strict=True):
        with pytest.raises(ValueError, match=r"^config"):
            _requirements.read_groups(config)
        assert answer.get("refused"), config


def test_a_picture_in_a_notebook_has_the_frequencies_and_their_rule(monkeypatch) -> None:
    from pe_lib.course.doctor import draw_spectrum
    from pe_lib.course.doctor import identify as with_picture

    monkeypatch.setattr(doctor.Diagnosis, "draw", (draw_spectrum,))
    d = with_picture(1e4 ** (-np.arange(32) / 32))
    bundle = d._repr_mimebundle_()
    assert "32 pairs" in bundle["image/svg+xml"] and bundle["text/plain"] == str(d)
    np.testing.assert_allclose(d.picture["frequencies"], d.picture["rule"], rtol=1e-6)
    random = with_picture(np.random.default_rng(0).standard_normal((40, 16)))
    assert set(random._repr_mimebundle_()) == {"text/plain"}
