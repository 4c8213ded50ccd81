"""What all explorers share: state in the output, a static picture, and the same module everywhere.

With a kernel an explorer is an anywidget. Without one, the output still holds its kind and state
(the site starts the same module from them), a picture of that state, and a sentence.
"""

import hashlib
from typing import Any, ClassVar

import anywidget
import traitlets as t

from pe_lib.course.explorers import _bundle, _printed
from pe_lib.course.explorers._story import Story, read

INF = float("inf")
MIME = "application/vnd.order-matters.explorer+json"


class Explorer(anywidget.AnyWidget):
    """An explorer; a subclass gives as traits what a reader can change. Its folder is its `kind`.

    A number tagged `below="words"` stays below another trait, or within its list, and follows it;
    of what is tagged `own=True` and is a reader's own no story is told.
    Its module exports a `scene`, from which picture and sentence are printed.

    Its `stories`, by name, lead through it, as `story.toml` beside its scene tells them. `story`
    chooses one, or "" none; if it is not given, the first is told where it speaks of what is shown.
    """

    kind: str
    stories: ClassVar[dict[str, Story]] = {}
    shown: ClassVar[dict[str, Any]] = {}  # what its script has to know beside its traits

    story = t.Unicode().tag(sync=True, explorer=True)
    _given = t.List(t.Unicode()).tag(sync=True)  # what the call that made it named

    def __init__(self, **given: Any) -> None:
        named = given.pop("_given", sorted(given))  # without what a subclass filled in
        ends = {one.metadata.get("below") for one in self.traits().values()} - {None}
        self.observe(self._follow, [*ends])
        super().__init__(**given)
        self._given = named
        if "story" not in given and not self._is_told_of():
            self.story = ""

    def _is_told_of(self) -> bool:
        own = self.traits(own=True).items()
        return all(getattr(self, name) == trait.default() for name, trait in own)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if Explorer not in cls.__bases__:  # a class that traitlets derives behind the scenes
            return
        cls.kind = cls.__module__.rpartition(".")[2]
        own = {name: one for name, one in vars(cls).items() if isinstance(one, t.TraitType)}
        for trait in own.values():
            trait.tag(sync=True, explorer=True)
        if below := [name for name, one in own.items() if "below" in one.metadata]:
            cls._stays = t.validate(*below)(cls._stay_below)
        cls.stories = read(_bundle.scene(cls.kind).with_name("story.toml"))
        cls._esm = _bundle.bundle(cls.kind, cls.about())
        cls._css = _bundle.stylesheet()

    def _last(self, limit: str) -> int:
        """The last position of a list, or the last below a number."""
        end = getattr(self, limit)
        return (len(end) if isinstance(end, list) else int(end)) - 1

    def _stay_below(self, proposal: t.Bunch) -> Any:
        name, limit = proposal.trait.name, proposal.trait.metadata["below"]
        if proposal.value > (last := self._last(limit)):
            end = f"len({limit})" if isinstance(getattr(self, limit), list) else limit
            raise t.TraitError(f"{name} must be below {end} = {last + 1}, got {proposal.value:g}")
        return proposal.value

    def _follow(self, change: t.Bunch) -> None:
        for name in self.traits(below=change.name):
            setattr(self, name, min(getattr(self, name), self._last(change.name)))

    @t.default("story")
    def _first_story(self) -> str:
        return next(iter(self.stories), "")

    @t.validate("story")
    def _one_of_the_stories(self, proposal: t.Bunch) -> str:
        if self.stories and proposal.value not in ("", *self.stories):
            names = ", ".join(self.stories)
            raise t.TraitError(f"story must be one of {names}, got {proposal.value!r}")
        return str(proposal.value)

    @classmethod
    def about(cls) -> dict[str, Any]:
        """What the script has to know: the stories, which values are allowed, and what is shown."""
        # of the classes themselves: it is asked for before traitlets has named this one's traits
        every = {name: one for base in reversed(cls.__mro__) for name, one in vars(base).items()}
        own = [name for name, one in every.items() if getattr(one, "metadata", {}).get("explorer")]
        return {
            "kind": cls.kind,
            "call": cls.__name__,
            "stories": {name: story.data() for name, story in cls.stories.items()},
            "traits": {name: _allowed(every[name]) for name in sorted(own)},
            **cls.shown,
        }

    def state(self) -> dict[str, Any]:
        """The values that a reader can change, by name."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(explorer=True))}

    def caption(self) -> str:
        """One sentence that says what the picture shows."""
        return self._printed()[0]

    def svg(self) -> str:
        """The state drawn once, for print, for forges, and for readers without scripts.

        It is an SVG element with the sentence as its accessible name, or "" where there is no node.
        """
        return self._printed()[1]

    def _printed(self) -> tuple[str, str]:
        return _printed.printed(self.kind, self.about(), self.state())

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_short(value)}" for name, value in self.state().items())
        return f"{type(self).__name__}({values})\n{self.caption()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        live = super()._repr_mimebundle_(**kwargs)
        if live is None:
            return None
        data, metadata = live
        data["text/plain"] = repr(self)
        if picture := self.svg():
            data["image/svg+xml"] = picture
        data[MIME] = {"kind": self.kind, "state": self.state(), "caption": self.caption()}
        return data, metadata


def _allowed(trait: t.TraitType[Any, Any]) -> dict[str, Any]:
    """The kind of a trait's values and its limits, None where there is none."""
    match trait:
        case t.Bool():
            return {"type": "bool"}
        case t.Enum():
            return {"type": "enum", "values": [*(trait.values or ())]}
        case t.Int() | t.Float():
            kind = "int" if isinstance(trait, t.Int) else "real"
            low, high = (end if end not in (INF, -INF) else None for end in (trait.min, trait.max))
            below = {name: end for name, end in trait.metadata.items() if name == "below"}
            return {"type": kind, "min": low, "max": high, **below}
    return {"type": "list" if isinstance(trait, t.List) else "other"}


def _short(value: Any) -> str:
    """What a reader of the notebook's text sees: a long value as its length and a fingerprint."""
    text = repr(value)
    if len(text) <= 1_000:
        return text
    return f"<{len(text)} characters, {hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}>"
