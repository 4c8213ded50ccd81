"""The doctor against its bank: how often it is right, and that it is never sure and wrong."""

import json
from collections import Counter

import doctor_bank as bank
import numpy as np
import pytest

from pe_lib.doctor import identify


def shorter(monkeypatch):
    """Sizes that a busy machine can bear; the lengths of the whole bank are tried with --whole."""
    monkeypatch.setattr(bank, "LENGTHS", (16, 32, 64, 128, 512, 1024))
    monkeypatch.setattr(bank, "WIDTHS", (8, 16, 32, 64, 128))


def share(cases):
    """Which share of the cases is right, and what went wrong, surely or not."""
    wrong, count = [], 0
    for case in cases:
        d = identify(case.arrays)
        count += 1
        if found := bank.right(case, d):
            wrong.append((case.name, case.spec, found, d.sure))
    return 1 - len(wrong) / count, wrong


def test_single_conventions_and_mistakes(monkeypatch):
    shorter(monkeypatch)
    rng = np.random.default_rng(1)
    cases = [bank.made([kind], rng, False) for _ in range(3) for kind in bank.TABLE_KINDS]
    cases += [bank.made([kind], rng, True) for _ in range(3) for kind in bank.CACHE_KINDS]
    cases += [bank.lists(kind, rng) for _ in range(8) for kind in bank.LIST_KINDS]
    good, wrong = share(cases)
    assert good >= 0.98, wrong


def test_pairs_of_mistakes(monkeypatch):
    shorter(monkeypatch)
    rng = np.random.default_rng(2)
    cases = []
    for rotary, kinds in ((False, bank.TABLE_KINDS[1:]), (True, bank.CACHE_KINDS[1:])):
        cases += [bank.made([a, b], rng, rotary) for a in kinds for b in kinds
                  if a < b and bank.together(a, b)]  # fmt: skip
    good, wrong = share(cases)
    assert good >= 0.9, wrong


CASES = list(bank.others(np.random.default_rng(0)))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_others(case):
    assert not bank.right(case, identify(case.arrays))


def test_never_sure_and_wrong():
    """The issue's 2,000; a table that looks learned may be called learned, but not for certain."""
    seen = Counter()
    for kind, x in bank.strangers(np.random.default_rng(3), 2000):
        d = identify(x)
        seen[d.scheme] += 1
        assert not d.sure, (kind, d)
    assert sum(seen.values()) == 2000


def test_noise_is_not_taken_for_another_rule():
    """From a trace to as large as the wave itself: what is said for sure is the truth."""
    rng = np.random.default_rng(4)
    for k in range(0, 40, 2):
        spec = {
            "d": 32,
            "T": 64,
            "base": 1e4,
            "layout": "interleaved",
            "noise": 10 ** (-3 + k / 13),
        }
        d = identify(bank.table(spec, rng))
        if d.sure:
            assert (d.scheme, d.layout, d.exponent) == ("sinusoidal", "interleaved", "2i/d"), (k, d)
            assert abs(np.log(d.base / 1e4)) < 0.1 and d.problems == ["noise"], (k, d)


def test_the_bank_as_data(tmp_path):
    """One JSON object a line: arrays, and what the doctor says of them, to the sentence."""
    file = tmp_path / "bank.jsonl"
    count = bank.write(file, 1)
    lines = file.read_text("utf-8").splitlines()
    assert len(lines) == count > 100
    for line in lines[::9]:
        case = json.loads(line)
        arrays = [bank.unpacked(x) for x in case["arrays"]]
        d = identify(*arrays)
        assert str(d) == case["text"] and json.loads(d.to_json()) == case["diagnosis"]
