"""Every sentence that the doctor says, from `sentences.toml`, so that the page says the same."""

from typing import Any

from pe_lib.doctor._numbers import DATA, bound, told

SCHEMES: dict[str, str] = DATA["schemes"]


def filled(template: str, words: dict[str, Any]) -> str:
    """A sentence with its words in, and numbers as `_numbers.told` writes them."""
    said = {key: x if isinstance(x, str) else told(x) for key, x in words.items()}
    return str(template.format(**said))


def summary(d: Any) -> list[str]:
    """The first lines of a diagnosis, one fact each."""
    text = SCHEMES[d.scheme]
    lines = [f"{text[0].upper()}{text[1:]}."]
    if not d.sure:
        lines = [f"Nothing I know for sure. Most like {text}."]
        if d.scheme == "unknown":
            lines = ["Nothing I know."]
    if facts := _facts(d):
        lines.append("; ".join(facts) + ".")
    if d.residual is not None:
        lines.append(f"Largest residual {bound(d.residual)}.")
    lines += d.details.get("notes", [])
    return [*lines, "No problem found."] if d.sure and not d.problems else lines


def _facts(d: Any) -> list[str]:
    """What applies, in the order of the keys."""
    more, order = d.details, "" if d.order in (None, "sine first") else f", {d.order}"
    by = "" if d.factor in (None, 1.0) else f" by {told(d.factor)}"
    no = "" if more.get("rounded_ends") else "not "
    own, way = "a frequency of its own in each dimension", "counter-clockwise"
    facts = [
        d.base is not None and f"base {told(d.base)}",
        d.exponent and (own if d.exponent == "own" else f"exponent {d.exponent}"),
        d.width is not None and f"width {told(d.width)}",
        d.layout and DATA["layouts"][f"{d.layout}{order}"],
        d.scaling not in (None, "none") and f"{DATA['scalings'][d.scaling]}{by}",
        "trained_length" in more and f"trained on {told(more['trained_length'])} positions",
        "rounded_ends" in more and f"the ramp's ends {no}rounded",
        d.first_position is not None and f"from position {told(d.first_position)}",
        d.scheme == "rotary" and d.direction and (way if d.direction == 1 else "clockwise"),
        d.amplitude not in (None, 1.0) and f"amplitude {told(d.amplitude)}",
        d.precision and (f"{d.precision} {d.where}" if d.where else d.precision),
    ]
    return [fact for fact in facts if fact]
