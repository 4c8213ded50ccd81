"""Notebooks, changed as JSON before MyST-NB parses them: by several extensions, each in turn."""

from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def change_notebooks(app: Sphinx, rewrite: Callable[[str, str], str]) -> None:
    """Have `rewrite` turn the source and the name of every notebook into its new source.

    An ExtensionError that it raises names the page.
    """

    def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
        path = Path(app.env.doc2path(docname))
        if path.suffix != ".ipynb":
            return
        try:
            source[0] = rewrite(source[0], path.stem)
        except ExtensionError as error:
            raise ExtensionError(f"{docname}: {error.message}") from error

    app.connect("source-read", on_source_read)
