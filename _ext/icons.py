"""The icon font with only the icons that the style sheet can show."""

import logging
import re
from pathlib import Path

from fontTools import subset
from sphinx.errors import ExtensionError

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports on every table

_FACE = re.compile(r"@font-face\{[^}]*\}")
_ICON = re.compile(r"\\([ef][0-9a-f]{3})(?![0-9a-f])|([\ue000-\uf8ff])", re.IGNORECASE)
SOLID = "fa-solid-900.woff2"
NAME = "icons.woff2"


def reduce(css: str, static: Path, target: Path) -> str:
    """Write the subset to `target` / NAME; return `css` with the icon font's faces reduced to it.

    `css` is purged already, so it holds the characters of just those icons that the pages use.
    """
    faces = [face for face in _FACE.findall(css) if "fontawesome" in face]
    if not any(SOLID in face for face in faces):
        raise ExtensionError(f"the theme's style sheet no longer has a font face for {SOLID}")
    for face in faces:
        keep = SOLID in face and "Free" in face
        address = f'src:url({NAME}) format("woff2")'
        css = css.replace(face, re.sub(r"src:[^;}]*", address, face) if keep else "", 1)
    icons = {ord(char) if char else int(code, 16) for code, char in _ICON.findall(css)}
    _write(next(static.rglob(SOLID)), target / NAME, icons)
    return css


def _write(source: Path, target: Path, icons: set[int]) -> None:
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False)
    with subset.load_font(str(source), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=icons)
        subsetter.subset(font)
        subset.save_font(font, str(target), options)
