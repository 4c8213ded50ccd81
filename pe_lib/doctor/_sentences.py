"""Fill in the sentences from `sentences.toml`, which the library and the web page share."""

from typing import Any

from pe_lib.doctor._numbers import DATA, format_bound, format_number

SCHEMES: dict[str, str] = DATA["schemes"]


def fill_template(template: str, words: dict[str, Any]) -> str:
    """Fill in the template of a sentence, and write its numbers with `format_number`."""
    texts = {key: x if isinstance(x, str) else format_number(x) for key, x in words.items()}
    return str(template.format(**texts))


def summarise(d: Any) -> list[str]:
    """Return the lines with which a printed diagnosis begins: its scheme, its facts, its notes."""
    sentences, scheme = DATA["summary"], SCHEMES[d.scheme]
    first = f"{scheme[0].upper()}{scheme[1:]}."
    if not d.sure:
        first = fill_template(sentences["unsure"], {"scheme": scheme})
        if d.scheme == "unknown":
            first = sentences["unknown"]
    lines = [first]
    if facts := _list_facts(d):
        lines.append("; ".join(facts) + ".")
    if d.residual is not None:
        lines.append(fill_template(sentences["residual"], {"bound": format_bound(d.residual)}))
    lines += d.details.get("notes", [])
    is_healthy = d.sure and not d.problems and "asked" not in d.details
    return [*lines, sentences["healthy"]] if is_healthy else lines


def _describe_heads(d: Any) -> str:
    """Describe the heads of ALiBi or the buckets of T5 in a phrase, or return an empty text."""
    details = d.details
    if d.scheme == "t5" and "max_distance" in details:
        sides = "both sides" if details["bidirectional"] else "one side"
        farthest = format_number(details["max_distance"])
        return f"{format_number(details['buckets'])} buckets up to distance {farthest} on {sides}"
    if d.scheme == "alibi" and "slopes" in details:
        count = details["heads"]
        return f"{format_number(count)} heads" if count > 1 else "1 head"
    return ""


def _list_facts(d: Any) -> list[str]:
    """List the facts that apply to this diagnosis, in the order of its fields."""
    details, order = d.details, "" if d.order in (None, "sine first") else f", {d.order}"
    by = "" if d.factor in (None, 1.0) else f" by {format_number(d.factor)}"
    no = "" if details.get("rounded_ends") else "not "
    trained = format_number(details.get("trained_length"))
    own, way = "a frequency of its own in each dimension", "counter-clockwise"
    facts = [
        _describe_heads(d),
        d.base is not None and f"base {format_number(d.base)}",
        d.exponent and (own if d.exponent == "own" else f"exponent {d.exponent}"),
        d.width is not None and f"width {format_number(d.width)}",
        d.layout and DATA["layouts"][f"{d.layout}{order}"],
        d.scaling not in (None, "none") and f"{DATA['scalings'][d.scaling]}{by}",
        "trained_length" in details and f"trained on {trained} positions",
        "rounded_ends" in details and f"the ramp's ends {no}rounded",
        d.first_position is not None and f"from position {format_number(d.first_position)}",
        d.scheme == "rotary" and d.direction and (way if d.direction == 1 else "clockwise"),
        d.amplitude not in (None, 1.0) and f"amplitude {format_number(d.amplitude)}",
        d.precision and (f"{d.precision} {d.where}" if d.where else d.precision),
    ]
    return [fact for fact in facts if fact]
