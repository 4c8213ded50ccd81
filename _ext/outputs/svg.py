"""A matplotlib SVG made fit to stand inside a page."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from sphinx.errors import ExtensionError

SVG = "http://www.w3.org/2000/svg"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
POINT = 4 / 3  # CSS pixels

_NAMED = re.compile(r'(?:url\(|href=")#([^)"]+)')
_REFERENCE = re.compile(r"url\(#")
_HASH = re.compile(r"^#")
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_LONG = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"\s*font-family:[^;]*;?")


def inline(source: str, prefix: str, palette: Mapping[str, str], label: str = "") -> str:
    """The SVG document `source` as one element for the middle of an HTML page.

    Ids get `prefix`, so that they stay unique in the page; the colours of `palette` become custom
    properties, so that one figure serves light and dark; the size becomes a ratio and a maximum;
    `label`, if there is one, its text alternative.
    """
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(source)
    if not root.get("aria-label"):
        raise ExtensionError("a figure has no text alternative: publish it with figures.show")
    if root.find(f".//{{{SVG}}}style") is not None:
        raise ExtensionError("a figure's <style> would reach the whole page: use figures.show")
    if label:
        root.set("aria-label", label)
    _rename_ids(root, set(_NAMED.findall(source)), prefix)
    _unwrap(root)
    _tidy(root, {value.lower(): f"var(--om-{name},{value})" for name, value in palette.items()})
    _resize(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r">\s+<", "><", text)


def _rename_ids(root: ElementTree.Element, used: set[str], prefix: str) -> None:
    """Those that something in the picture refers to; nobody needs the others."""
    for element in root.iter():
        given = element.attrib
        if XLINK_HREF in given:
            given["href"] = given.pop(XLINK_HREF)
        if given.get("id") in used:
            given["id"] = prefix + given["id"]
        else:
            given.pop("id", None)
        for name, value in given.items():
            inside = _REFERENCE if name != "href" else _HASH
            given[name] = inside.sub(rf"\g<0>{prefix}", value)


def _unwrap(parent: ElementTree.Element) -> None:
    """Matplotlib groups each tick and each text; a group that says nothing is only weight, as is
    what says who made the picture."""
    children: list[ElementTree.Element] = []
    for child in parent:
        if child.tag == f"{{{SVG}}}metadata":
            continue
        _unwrap(child)
        bare = child.tag == f"{{{SVG}}}g" and not child.attrib
        children += list(child) if bare else [child]
    parent[:] = children


def _tidy(root: ElementTree.Element, colours: Mapping[str, str]) -> None:
    def colour(match: re.Match[str]) -> str:
        return colours.get(match[0].lower(), match[0])

    for element in root.iter():
        if "href" in element.attrib:  # a picture's is broken into lines
            element.set("href", "".join(element.attrib["href"].split()))
        for name in ("d", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "transform"):
            if value := element.get(name):
                element.set(name, _LONG.sub(_short, " ".join(value.split())))
        if style := element.get("style"):
            element.set("style", _FONT.sub("", _HEX.sub(colour, style)).replace(": ", ":"))
        for name in ("fill", "stroke", "stop-color"):
            if value := element.get(name):
                element.set(name, _HEX.sub(colour, value))


def _short(match: re.Match[str]) -> str:
    """A length to a hundredth of a point, far below what a screen shows."""
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


def _resize(root: ElementTree.Element) -> None:
    for name in ("width", "height"):
        size = re.fullmatch(r"([\d.]+)(pt|px)?", root.get(name, ""))
        if not size or not root.get("viewBox"):
            raise ExtensionError(f"a figure has no {name} or no viewBox")
        root.set(name, f"{float(size[1]) * (POINT if size[2] == 'pt' else 1):.0f}")
