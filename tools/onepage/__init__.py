"""The whole course on one printable page."""

FOLDER = "_static/one-page"  # of the site
NAMES = tuple(
    f"order-matters-{paper}.{kind}" for paper in ("a4", "letter") for kind in ("pdf", "svg")
)
