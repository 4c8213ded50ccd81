"""What all explorers share: state in the output, a static picture, and the same module everywhere.

With a kernel an explorer is an anywidget. Without one, the output still holds its kind and state
(the site starts the same module from them), a picture of that state, and a sentence.
"""

from __future__ import annotations

import hashlib
from typing import Any

import anywidget
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers import _bundle

MIME = "application/vnd.order-matters.explorer+json"


class Explorer(anywidget.AnyWidget):
    """An explorer; a subclass gives `kind`, traits tagged `sync` and `explorer`, and a picture."""

    kind: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in vars(cls):  # not the classes that traitlets derives behind the scenes
            cls._esm = _bundle.bundle(cls.kind)
            cls._css = _bundle.stylesheet()

    def state(self) -> dict[str, Any]:
        """The values that a reader can change, by name."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(explorer=True))}

    def caption(self) -> str:
        """One sentence that says what the picture shows."""
        raise NotImplementedError

    def picture(self) -> Figure:
        """The state drawn once, for print, for forges, and for readers without JavaScript."""
        raise NotImplementedError

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_short(value)}" for name, value in self.state().items())
        return f"{type(self).__name__}({values})\n{self.caption()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        live = super()._repr_mimebundle_(**kwargs)
        if live is None:
            return None
        data, metadata = live
        data["text/plain"] = repr(self)
        data["image/svg+xml"] = figures.svg(self.picture(), self.caption())
        data[MIME] = {"kind": self.kind, "state": self.state(), "caption": self.caption()}
        return data, metadata


class Width(t.Int):  # type: ignore[type-arg]
    """A trait for `d_model`: an even number, since each sine needs its cosine."""

    def validate(self, obj: Any, value: Any) -> int:
        width = int(super().validate(obj, value))
        if width % 2:
            raise t.TraitError(f"d_model must be even (sine and cosine), got {width}")
        return width


def _short(value: Any) -> str:
    """What a reader of the notebook's text sees: a long value as its length and a fingerprint."""
    text = repr(value)
    if len(text) <= 1_000:
        return text
    return f"<{len(text)} characters, {hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}>"
