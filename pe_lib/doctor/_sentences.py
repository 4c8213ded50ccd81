"""Every sentence that the doctor says, from `sentences.toml`, so that the page says the same."""

from collections.abc import Iterator
from typing import Any

from pe_lib.doctor._data import DATA
from pe_lib.doctor._numbers import bound, told

SCHEMES: dict[str, str] = DATA["schemes"]


def filled(template: str, words: dict[str, Any]) -> str:
    """A sentence with its words in, and numbers as `_numbers.told` writes them."""
    said = {key: x if isinstance(x, str) else told(x) for key, x in words.items()}
    return str(template.format(**said))


def problem(name: str, words: dict[str, Any]) -> list[str]:
    """What was seen, what else it could be, the mend, and where to read."""
    found = DATA["problems"][name]
    chapter, page = DATA["read"][found["read"]]
    said = [filled(found.get(key, ""), words) for key in ("seen", "otherwise", "mend")]
    return [*said, f"{chapter} ({page})"]


def summary(d: Any) -> list[str]:
    """The first lines of a diagnosis, one fact each."""
    text = SCHEMES[d.scheme]
    lines = [f"{text[0].upper()}{text[1:]}."]
    if not d.sure:
        lines = [f"Nothing I know for sure. Most like {text}."]
        if d.scheme == "unknown":
            lines = ["Nothing I know."]
    if facts := [*_facts(d)]:
        lines.append("; ".join(facts) + ".")
    if d.residual is not None:
        lines.append(f"Largest residual {bound(d.residual)}.")
    lines += d.details.get("notes", [])
    return [*lines, "No problem found."] if d.sure and not d.problems else lines


def _facts(d: Any) -> Iterator[str]:
    """What applies, in the order of the keys."""
    if d.base is not None:
        yield f"base {told(d.base)}"
    if d.exponent is not None:
        own = "a frequency of its own in each dimension"
        yield own if d.exponent == "own" else f"exponent {d.exponent}"
    if d.width is not None:
        yield f"width {told(d.width)}"
    if d.layout is not None:
        usual = d.order in (None, "sine first")
        yield DATA["layouts"][d.layout if usual else f"{d.layout}, {d.order}"]
    if d.scaling not in (None, "none"):
        by = f" by {told(d.factor)}" if d.factor not in (None, 1.0) else ""
        yield DATA["scalings"][d.scaling] + by
    if "trained_length" in d.details:
        yield f"trained on {told(d.details['trained_length'])} positions"
    if "rounded_ends" in d.details:
        yield f"the ramp's ends {'' if d.details['rounded_ends'] else 'not '}rounded"
    if d.first_position is not None:
        yield f"from position {told(d.first_position)}"
    if d.direction is not None and d.scheme == "rotary":
        yield "counter-clockwise" if d.direction == 1 else "clockwise"
    if d.amplitude not in (None, 1.0):
        yield f"amplitude {told(d.amplitude)}"
    if d.precision is not None:
        yield f"{d.precision} {d.where}" if d.where else d.precision
