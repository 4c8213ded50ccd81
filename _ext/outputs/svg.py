"""Change Matplotlib's SVG documents so that they can be embedded in an HTML page."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from sphinx.errors import ExtensionError

from pe_lib.course import figures

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
XLINK_HREF = f"{{{XLINK}}}href"
POINT = 4 / 3  # CSS pixels per point
# The colours of text on a heat map. In dark mode the page inverts heat maps, and swaps these two.
ON_IMAGES = {"on-light": figures.ink_on(0.0), "on-dark": figures.ink_on(1.0)}

_NAMED = re.compile(r'(?:url\(|href=")#([^)"]+)')
_REFERENCE = re.compile(r"url\(#")
_HASH = re.compile(r"^#")
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_DECIMALS = re.compile(r"-?\d+\.\d{2,}")
# The values of these attributes are distances in points, so one decimal is enough. The attribute
# `transform` is not among them, because it also contains factors.
_DISTANCES = ("d", "x", "y", "x1", "y1", "x2", "y2", "width", "height")
_FONT = re.compile(r"\s*font-family:[^;]*;?")


def inline(source: str, prefix: str, palette: dict[str, str], label: str = "") -> str:
    """Return the SVG document `source` as an element for an HTML page.

    All ids get `prefix`, so that they are unique on a page. The colours in `palette` become custom
    properties, so that the same figure works in light and dark mode. The size becomes a number of
    pixels, which a style sheet can limit. If there is a `label`, it becomes the alternative text.
    """
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(source)
    if not root.get("aria-label"):
        raise ExtensionError("a figure has no text alternative: publish it with figures.show")
    if root.find(f".//{{{SVG}}}style") is not None:
        raise ExtensionError("a figure's <style> would reach the whole page: use figures.show")
    if label:
        root.set("aria-label", label)
    _remove_unused_ids(root, set(_NAMED.findall(source)))
    _rename_ids(root, prefix)
    _unwrap(root)
    has_image = root.find(f".//{{{SVG}}}image") is not None
    colours = palette | (ON_IMAGES if has_image else {})
    _tidy(root, {value.lower(): f"var(--om-{name},{value})" for name, value in colours.items()})
    _resize(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r">\s+<", "><", text)


def shrink(source: str) -> str:
    """Return the SVG document `source` in fewer bytes, with no visible change on a screen.

    Matplotlib writes six decimals, one line for each point of a curve, and a group with an id
    around each line. So about half of a figure's bytes say nothing that anybody can see.
    """
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    root = ElementTree.fromstring(source)
    _remove_unused_ids(root, set(_NAMED.findall(source)))
    for element in root.iter():
        if style := element.get("style"):
            element.set("style", style.replace(": ", ":").replace("; ", ";"))
    faces = {face for element in root.iter() for face in _FONT.findall(element.get("style", ""))}
    if len(faces) == 1:  # all texts have the same typeface, so the document names it only once
        for element in root.iter():
            if style := element.get("style"):
                element.set("style", _FONT.sub("", style))
        styles = (root.get("style", ""), faces.pop())
        root.set("style", ";".join(style.strip("; ") for style in styles))
    _unwrap(root)
    _shorten_geometry(root)
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _remove_unused_ids(root: ElementTree.Element, used: set[str]) -> None:
    """Remove all ids that are not in `used`."""
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)


def _rename_ids(root: ElementTree.Element, prefix: str) -> None:
    """Add `prefix` to all ids and to the references to them."""
    for element in root.iter():
        attributes = element.attrib
        if XLINK_HREF in attributes:
            attributes["href"] = attributes.pop(XLINK_HREF)
        if "id" in attributes:
            attributes["id"] = prefix + attributes["id"]
        for name, value in attributes.items():
            reference = _HASH if name == "href" else _REFERENCE
            attributes[name] = reference.sub(rf"\g<0>{prefix}", value)


def _unwrap(parent: ElementTree.Element) -> None:
    """Remove metadata, and replace groups without attributes by the elements inside them."""
    children: list[ElementTree.Element] = []
    for child in parent:
        if child.tag == f"{{{SVG}}}metadata":
            continue
        _unwrap(child)
        is_plain_group = child.tag == f"{{{SVG}}}g" and not child.attrib
        children += list(child) if is_plain_group else [child]
    parent[:] = children


def _tidy(root: ElementTree.Element, colours: Mapping[str, str]) -> None:
    """Replace colours of the palette by CSS custom properties, and shorten styles and geometry."""

    def replace_colour(match: re.Match[str]) -> str:
        return colours.get(match[0].lower(), match[0])

    _shorten_geometry(root)
    for element in root.iter():
        if "href" in element.attrib:  # remove line breaks from the data of a raster image
            element.set("href", "".join(element.attrib["href"].split()))
        if style := element.get("style"):
            element.set("style", _FONT.sub("", _HEX.sub(replace_colour, style)).replace(": ", ":"))
        for name in ("fill", "stroke", "stop-color"):
            if value := element.get(name):
                element.set(name, _HEX.sub(replace_colour, value))


def _shorten_geometry(root: ElementTree.Element) -> None:
    """Round coordinates and transforms to what a screen can show, and write them on one line."""
    for element in root.iter():
        for name in (*_DISTANCES, "transform"):
            if value := element.get(name):
                digits = 1 if name in _DISTANCES else 2
                element.set(name, _shorten_numbers(" ".join(value.split()), digits))


def _shorten_numbers(value: str, digits: int) -> str:
    """Round the decimals in `value`. A tenth of a point is less than a screen can show.

    >>> _shorten_numbers("M 10.123 -0.04", 1)
    'M 10.1 0'
    """

    def shorten(match: re.Match[str]) -> str:
        rounded = round(float(match[0]), digits)
        return f"{rounded:.{digits}f}".rstrip("0").rstrip(".") if rounded else "0"

    return _DECIMALS.sub(shorten, value)


def _resize(root: ElementTree.Element) -> None:
    """Convert the width and the height of an SVG element to CSS pixels."""
    for name in ("width", "height"):
        size = re.fullmatch(r"([\d.]+)(pt|px)?", root.get(name, ""))
        if not size or not root.get("viewBox"):
            raise ExtensionError(f"a figure has no {name} or no viewBox")
        root.set(name, f"{float(size[1]) * (POINT if size[2] == 'pt' else 1):.0f}")
