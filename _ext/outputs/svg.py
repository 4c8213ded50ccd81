"""A matplotlib SVG made fit to stand inside a page."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from sphinx.errors import ExtensionError

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
POINT = 4 / 3  # CSS pixels

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_LONG = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"\s*font-family:[^;]*;?")


def inline(source: str, prefix: str, palette: Mapping[str, str]) -> str:
    """The SVG document `source` as one element for the middle of an HTML page.

    Ids get `prefix`, so that they stay unique in the page; the colours of `palette` become custom
    properties, so that one figure serves light and dark; the size becomes a ratio and a maximum.
    """
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(source)
    if not root.get("aria-label"):
        raise ExtensionError("a figure has no text alternative: publish it with figures.show")
    if root.find(f".//{{{SVG}}}style") is not None:
        raise ExtensionError("a figure's <style> would reach the whole page: use figures.show")
    _drop_metadata(root)
    _rename_ids(root, prefix)
    _unwrap(root)
    _tidy(root, {value.lower(): f"var(--om-{name},{value})" for name, value in palette.items()})
    _resize(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r">\s+<", "><", text)


def _drop_metadata(root: ElementTree.Element) -> None:
    for parent in root.iter():
        for child in parent.findall(f"{{{SVG}}}metadata"):
            parent.remove(child)


def _rename_ids(root: ElementTree.Element, prefix: str) -> None:
    used: set[str] = set()
    for element in root.iter():
        if XLINK_HREF in element.attrib:
            element.set("href", element.attrib.pop(XLINK_HREF))
        for name, value in element.attrib.items():
            used.update(_REFERENCE.findall(value))
            if name == "href" and value.startswith("#"):
                used.add(value[1:])
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == "id":
                if value in used:
                    element.set("id", prefix + value)
                else:
                    del element.attrib["id"]
            elif name == "href" and value.startswith("#"):
                element.set("href", f"#{prefix}{value[1:]}")
            elif "url(#" in value:
                element.set(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))


XLINK_HREF = f"{{{XLINK}}}href"


def _unwrap(parent: ElementTree.Element) -> None:
    """Matplotlib groups each tick and each text; a group that says nothing is only weight."""
    children: list[ElementTree.Element] = []
    for child in parent:
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
