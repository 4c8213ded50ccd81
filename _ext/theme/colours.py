"""The colours of the site: those of the figures, a paper of its own, and what they are in the dark.

Style sheets name them, --om-blue for example. Contrast with the paper: text 4.5 : 1 at least,
graphics 3 : 1.
"""

from collections.abc import Mapping

from pe_lib.course.figures import PALETTE

LIGHT = PALETTE | {"paper": "#fffdfa", "raised": "#f7f3ec", "grid": "#ded7ca"}
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
}


def style() -> str:
    """The style sheet that gives each its value; paper is white, whatever the screen is."""
    return (
        f"html[data-theme]{{color-scheme:light;{_named(LIGHT)}}}\n"
        f'@media screen{{html[data-theme="dark"]{{color-scheme:dark;{_named(DARK)}}}}}\n'
    )


def _named(colours: Mapping[str, str]) -> str:
    return "".join(f"--om-{name}:{colour};" for name, colour in colours.items())
