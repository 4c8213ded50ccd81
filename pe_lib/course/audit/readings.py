"""Find interpretations of the encoding's formula that explain a number printed on a page."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from pe_lib.sinusoidal import encode


def printed(text: str, value: float) -> str:
    """Return 'rounded' or 'cut' if this is how `text` comes from the value, or else ''.

    >>> printed("-0.96", -0.9589), printed("0.95", 0.9589), printed("0.9", 0.2)
    ('rounded', 'cut', '')
    >>> printed("-.033", -0.0331), printed("−0.95", -0.9589), printed("-0.96", 0.9589)
    ('rounded', 'cut', '')
    """
    number = Decimal(text.replace("−", "-").replace("-.", "-0."))
    places = Decimal(1).scaleb(int(number.as_tuple().exponent))
    exact = Decimal(value)
    if exact.quantize(places, ROUND_HALF_UP) == number:
        return "rounded"
    return "cut" if exact.quantize(places, ROUND_DOWN) == number else ""


def readings(text: str, position: int, dim: int, d_model: int, base: float = 10_000.0) -> list[str]:
    """Return the interpretations of the formula in which entry `dim` at `position` is `text`.

    If the number is right as printed, that is the only interpretation.

    >>> readings("0.28", 5, 1, 8)
    ['as it stands']
    >>> readings("0.88", 5, 2, 8)
    ['sine and cosine swapped', 'dimensions counted from 1']
    >>> readings("0.47", 5, 2, 8), readings("-0.33", 5, 2, 8)
    (['as it stands, digits cut off'], [])
    >>> readings("0.9999", 5, 2, 8)  # sin(5/100^(1/4))
    ['base 100', 'd_model 16']
    """
    pair, odd = divmod(dim, 2)
    angle = position / base ** (2 * pair / d_model)
    doubled = position / base ** (4 * pair / d_model)
    own = position / base ** (dim / d_model)
    same = (math.sin, math.cos)[odd]
    other = (math.cos, math.sin)[odd]
    values = {
        "as it stands": float(encode(position, d_model, base)[dim]),
        "sine and cosine swapped": other(angle),
        "positions counted from 1": same((position - 1) / base ** (2 * pair / d_model)),
        "positions one further": same((position + 1) / base ** (2 * pair / d_model)),
        "the exponent doubled": same(doubled),
        "the exponent doubled, sine and cosine swapped": other(doubled),
        "a frequency for each dimension": same(own),
        "the angle multiplied instead of divided": same(position * base ** (2 * pair / d_model)),
        "a minus sign lost": -same(angle),
    }
    if dim + 1 < d_model:
        values["dimensions counted from 1"] = float(encode(position, d_model, base)[dim + 1])
    for other_base in (100.0, 1_000.0, 10_000.0):
        values[f"base {other_base:,.0f}"] = float(encode(position, d_model, other_base)[dim])
    for width in (4, 8, 16, 32, 64, 128, 256, 512):
        if dim < width:
            values[f"d_model {width}"] = float(encode(position, width, base)[dim])
    how = {name: printed(text, value) for name, value in values.items()}
    cut = {"rounded": "", "cut": ", digits cut off"}
    if plain := how["as it stands"]:
        return [f"as it stands{cut[plain]}"]
    return [f"{name}{cut[way]}" for name, way in how.items() if way]
