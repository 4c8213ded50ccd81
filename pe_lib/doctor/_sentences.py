"""Every sentence that the doctor says, from `sentences.toml`, so that the page says the same.

Numbers are written by `_numbers.told` before they come here.
"""

from typing import Any

from pe_lib.doctor._data import DATA
from pe_lib.doctor._numbers import bound, told

SCHEMES: dict[str, str] = DATA["schemes"]


def problem(name: str, words: dict[str, str]) -> tuple[str, str, str, str]:
    """What was seen, what else it could be, the mend, and where to read."""
    found = DATA["problems"][name]
    texts = (found.get(key, "").format(**words) for key in ("seen", "otherwise", "mend"))
    seen, otherwise, mend = texts
    chapter, page = DATA["read"][found["read"]]
    return seen, otherwise, mend, f"{chapter} ({page})"


def note(name: str, **words: str) -> str:
    """One of the notes."""
    return str(DATA["notes"][name].format(**words))


def other(name: str, **words: str) -> str:
    """One of the alternatives: what else the numbers could be."""
    return str(DATA["else"][name].format(**words))


def summary(d: Any) -> list[str]:
    """The first lines of a diagnosis, one fact each."""
    if not d.sure:
        lines = ["Nothing I know."]
        if d.scheme != "unknown":
            lines = [f"Nothing I know for sure. Most like {SCHEMES[d.scheme]}."]
    else:
        text = SCHEMES[d.scheme]
        lines = [f"{text[0].upper()}{text[1:]}."]
    facts = _facts(d)
    if facts:
        lines.append("; ".join(facts) + ".")
    if d.residual is not None:
        lines.append(f"Largest residual {bound(d.residual)}.")
    lines += d.details.get("notes", [])
    if d.sure and not d.problems:
        lines.append("No problem found.")
    return lines


def _facts(d: Any) -> list[str]:
    """What applies, in the order of the keys."""
    facts = []
    if d.base is not None:
        facts.append(f"base {told(d.base)}")
    if d.exponent == "own":
        facts.append("a frequency of its own in each dimension")
    elif d.exponent is not None:
        facts.append(f"exponent {d.exponent}")
    if d.width is not None:
        facts.append(f"width {told(d.width)}")
    if d.layout is not None:
        usual = d.order in (None, "sine first")
        facts.append(DATA["layouts"][d.layout if usual else f"{d.layout}, {d.order}"])
    if d.scaling not in (None, "none"):
        text = DATA["scalings"][d.scaling]
        facts.append(f"{text} by {told(d.factor)}" if d.factor not in (None, 1.0) else text)
    if "trained_length" in d.details:
        facts.append(f"trained on {told(d.details['trained_length'])} positions")
    if "rounded_ends" in d.details:
        facts.append(f"the ramp's ends {'' if d.details['rounded_ends'] else 'not '}rounded")
    if d.first_position is not None:
        facts.append(f"from position {told(d.first_position)}")
    if d.direction is not None and d.scheme == "rotary":
        facts.append("counter-clockwise" if d.direction == 1 else "clockwise")
    if d.amplitude not in (None, 1.0):
        facts.append(f"amplitude {told(d.amplitude)}")
    if d.precision is not None:
        facts.append(f"{d.precision} {d.where}" if d.where else d.precision)
    return facts
