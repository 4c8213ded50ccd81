"""A verdict with its evidence."""

from __future__ import annotations

from dataclasses import dataclass

VERDICTS = ("right", "imprecise", "wrong", "cannot be checked")


@dataclass(frozen=True)
class Finding:
    """What a check found: one of VERDICTS, and what was computed, in a sentence."""

    verdict: str
    evidence: str


def decided(literally: bool, evidence: str, *, kindly: bool = False) -> Finding:
    """Right as it stands; imprecise if only a kind reading of it holds; else wrong.

    >>> decided(False, "sin 5 is -0.9589", kindly=True).verdict
    'imprecise'
    """
    verdict = "right" if literally else "imprecise" if kindly else "wrong"
    return Finding(verdict, evidence)


def on_record(verdict: str, source: str, says: str) -> Finding:
    """A matter of record: what the primary source (paper and section) says."""
    return Finding(verdict, f"{source}: {says}")


def unchecked(why: str) -> Finding:
    """Nothing decides it: no definition, no data, or a matter of taste."""
    return Finding("cannot be checked", why)
