"""Every sentence that the doctor says, from `sentences.toml`, so that the page says the same."""

from typing import Any

from pe_lib.doctor._numbers import DATA, format_bound, format_number

SCHEMES: dict[str, str] = DATA["schemes"]


def fill_template(template: str, words: dict[str, Any]) -> str:
    """A sentence with its words in, and numbers as `_numbers.told` writes them."""
    said = {key: x if isinstance(x, str) else format_number(x) for key, x in words.items()}
    return str(template.format(**said))


def summarise(d: Any) -> list[str]:
    """The first lines of a diagnosis, one fact each."""
    text = SCHEMES[d.scheme]
    lines = [f"{text[0].upper()}{text[1:]}."]
    if not d.sure:
        lines = [f"Nothing I know for sure. Most like {text}."]
        if d.scheme == "unknown":
            lines = ["Nothing I know."]
    if facts := _list_facts(d):
        lines.append("; ".join(facts) + ".")
    if d.residual is not None:
        lines.append(f"Largest residual {format_bound(d.residual)}.")
    lines += d.details.get("notes", [])
    return [*lines, "No problem found."] if d.sure and not d.problems else lines


def _list_facts(d: Any) -> list[str]:
    """What applies, in the order of the keys."""
    more, order = d.details, "" if d.order in (None, "sine first") else f", {d.order}"
    by = "" if d.factor in (None, 1.0) else f" by {format_number(d.factor)}"
    no = "" if more.get("rounded_ends") else "not "
    own, way = "a frequency of its own in each dimension", "counter-clockwise"
    facts = [
        d.base is not None and f"base {format_number(d.base)}",
        d.exponent and (own if d.exponent == "own" else f"exponent {d.exponent}"),
        d.width is not None and f"width {format_number(d.width)}",
        d.layout and DATA["layouts"][f"{d.layout}{order}"],
        d.scaling not in (None, "none") and f"{DATA['scalings'][d.scaling]}{by}",
        "trained_length" in more
        and f"trained on {format_number(more['trained_length'])} positions",
        "rounded_ends" in more and f"the ramp's ends {no}rounded",
        d.first_position is not None and f"from position {format_number(d.first_position)}",
        d.scheme == "rotary" and d.direction and (way if d.direction == 1 else "clockwise"),
        d.amplitude not in (None, 1.0) and f"amplitude {format_number(d.amplitude)}",
        d.precision and (f"{d.precision} {d.where}" if d.where else d.precision),
    ]
    return [fact for fact in facts if fact]
