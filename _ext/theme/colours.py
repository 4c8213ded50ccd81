"""Define the colours of the site for light and dark mode.

The light colours are those of the figures, with different paper, grid and raised colours. Style
sheets use each colour as a custom property such as --om-blue. The contrast with the paper is at
least 4.5 : 1 for text and 3 : 1 for graphics.
"""

from collections.abc import Mapping

from pe_lib.course.figures import PALETTE, ink_on

# "on-light" and "on-dark" are the colours of text on heat maps, which dark mode inverts.
ON_LIGHT, ON_DARK = ink_on(0.0), ink_on(1.0)
LIGHT = PALETTE | {
    "paper": "#fffdfa",
    "raised": "#f7f3ec",
    "grid": "#ded7ca",
    "on-light": ON_LIGHT,
    "on-dark": ON_DARK,
}
DARK = {
    "paper": "#14161a",
    "raised": "#1e2127",
    "ink": "#e9e6df",
    "muted": "#a3a8b2",
    "grid": "#3a3e47",
    "blue": "#7ab8f2",
    "orange": "#f0a35e",
    "green": "#63c479",
    "purple": "#bd9bff",
    "teal": "#5cc8bd",
    "rose": "#f590c0",
    "danger": "#ff8f85",
    "on-light": ON_DARK,
    "on-dark": ON_LIGHT,
}


def colour_style() -> str:
    """Return the style sheet that defines the colours. Printed pages always have light colours."""
    return (
        f"html[data-theme]{{color-scheme:light;{_properties(LIGHT)}}}\n"
        f'@media screen{{html[data-theme="dark"]{{color-scheme:dark;{_properties(DARK)}}}}}\n'
    )


def _properties(colours: Mapping[str, str]) -> str:
    return "".join(f"--om-{name}:{colour};" for name, colour in colours.items())
