"""Define the base class of all explorers, which builds their output and checks their values.

With a kernel, an explorer is an anywidget. Without a kernel, the saved output still holds the
explorer's kind and state, from which the website starts the same module. It also holds a picture of
that state and a sentence that describes the picture.
"""

import hashlib
from typing import Any, ClassVar

import anywidget
import traitlets as t

from pe_lib.course.explorers import _bundle, _printed
from pe_lib.course.explorers._story import Story, read_stories

INF = float("inf")
MIME = "application/vnd.order-matters.explorer+json"
# a notebook's text output shortens values whose text has more characters than this
LONGEST_VALUE = 1_000


class Explorer(anywidget.AnyWidget):
    """The base class of explorers. Its subclasses have a trait for each value that readers change.

    The name of the subclass's folder is its `kind`. The folder also holds `scene.mjs`, whose
    `scene` draws the picture and describes it in a sentence, and `story.toml`, which holds the
    `stories` by name.

    The trait `story` is the name of one of the stories, or "" for no story. By default, the
    explorer tells the first story, unless the caller passed data of their own.

    A trait tagged `below="words"` is a position in the list `words`, or a number smaller than the
    trait of that name. Its value is reduced when the list or the other trait shrinks. A trait
    tagged `own=True` may hold a reader's own data, which no story can describe. A trait tagged
    `link="back"` stands in links under that name. A link that holds its own name is older, and was
    written when the trait had the opposite sign.
    """

    kind: str
    stories: ClassVar[dict[str, Story]] = {}
    # the same ES module as in _esm, which anywidget turns into a trait of each instance
    _script: ClassVar[str]
    # data that the script needs in addition to the traits
    script_data: ClassVar[dict[str, Any]] = {}

    story = t.Unicode().tag(sync=True, explorer=True)
    # The browser uses these names to write a Python call with the arguments of the original call.
    _argument_names = t.List(t.Unicode()).tag(sync=True)

    def __init__(self, **arguments: Any) -> None:
        # A subclass that adds arguments passes on the names of the caller's own arguments.
        argument_names = arguments.pop("_argument_names", sorted(arguments))
        limits = {trait.metadata.get("below") for trait in self.traits().values()} - {None}
        self.observe(self._reduce_followers, [*limits])
        super().__init__(**arguments)
        self._argument_names = argument_names
        if "story" not in arguments and not self._has_default_data():
            self.story = ""

    def _has_default_data(self) -> bool:
        own = self.traits(own=True).items()
        return all(getattr(self, name) == trait.default() for name, trait in own)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if Explorer not in cls.__bases__:  # skip the base classes that traitlets provides
            return
        cls.kind = cls.__module__.rpartition(".")[2]
        traits = {
            name: value for name, value in vars(cls).items() if isinstance(value, t.TraitType)
        }
        for trait in traits.values():
            trait.tag(sync=True, explorer=True)
        if followers := [name for name, trait in traits.items() if "below" in trait.metadata]:
            cls._stays = t.validate(*followers)(cls._check_below)
        cls.stories = read_stories(_bundle.scene(cls.kind).with_name("story.toml"))
        cls._script = cls._esm = _bundle.bundle(cls.kind, cls.about())
        cls._css = _bundle.stylesheet()

    def _last_below(self, limit: str) -> int:
        """Return the largest value below the trait `limit`, which holds a number or a list."""
        end = getattr(self, limit)
        return (len(end) if isinstance(end, list) else int(end)) - 1

    def _check_below(self, proposal: t.Bunch) -> Any:
        name, limit = proposal.trait.name, proposal.trait.metadata["below"]
        if proposal.value > (last := self._last_below(limit)):
            end = f"len({limit})" if isinstance(getattr(self, limit), list) else limit
            raise t.TraitError(f"{name} must be below {end} = {last + 1}, got {proposal.value:g}")
        return proposal.value

    def _reduce_followers(self, change: t.Bunch) -> None:
        """When a trait has changed, lower all values that must stay below the trait."""
        for name in self.traits(below=change.name):
            setattr(self, name, min(getattr(self, name), self._last_below(change.name)))

    @t.default("story")
    def _first_story(self) -> str:
        return next(iter(self.stories), "")

    @t.validate("story")
    def _check_story(self, proposal: t.Bunch) -> str:
        if self.stories and proposal.value not in ("", *self.stories):
            names = ", ".join(self.stories)
            raise t.TraitError(f"story must be one of {names}, got {proposal.value!r}")
        return str(proposal.value)

    @classmethod
    def about(cls) -> dict[str, Any]:
        """Return the data that the script needs: stories, limits of traits, and `script_data`."""
        # Read traits from the class attributes, because traitlets has not named them yet.
        members = {
            name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()
        }
        traits = [
            name
            for name, value in members.items()
            if getattr(value, "metadata", {}).get("explorer")
        ]
        return {
            "kind": cls.kind,
            "call": cls.__name__,
            "stories": {name: story.script_data() for name, story in cls.stories.items()},
            "traits": {name: _describe_trait(members[name]) for name in sorted(traits)},
            **cls.script_data,
        }

    def state(self) -> dict[str, Any]:
        """Return the name and the value of each trait that a reader can change, as a dictionary."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(explorer=True))}

    def caption(self) -> str:
        """Return a sentence that describes the picture."""
        return self._print()[0]

    def svg(self) -> str:
        """Return a picture of the present state, for print and for readers without JavaScript.

        The picture is an SVG element whose accessible name is the caption. Without node, it is "".
        """
        return self._print()[1]

    def _print(self) -> tuple[str, str]:
        return _printed.print_scene(self._script, self.state())

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_shorten(value)}" for name, value in self.state().items())
        return f"{type(self).__name__}({values})\n{self.caption()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        data["text/plain"] = repr(self)
        if picture := self.svg():
            data["image/svg+xml"] = picture
        data[MIME] = {"kind": self.kind, "state": self.state(), "caption": self.caption()}
        return data, metadata


def _describe_trait(trait: t.TraitType[Any, Any]) -> dict[str, Any]:
    """Return a trait's type and its limits, with None for each limit that is not set."""
    match trait:
        case t.Bool():
            return {"type": "bool"}
        case t.Enum():
            return {"type": "enum", "values": [*(trait.values or ())]}
        case t.Int() | t.Float():
            number_type = "int" if isinstance(trait, t.Int) else "real"
            low, high = (end if end not in (INF, -INF) else None for end in (trait.min, trait.max))
            tags = {name: end for name, end in trait.metadata.items() if name in ("below", "link")}
            return {"type": number_type, "min": low, "max": high, **tags}
    return {"type": "list" if isinstance(trait, t.List) else "other"}


def _shorten(value: Any) -> str:
    """Return the repr of a value or, if the repr is long, only its length and a hash of it."""
    text = repr(value)
    if len(text) <= LONGEST_VALUE:
        return text
    return f"<{len(text)} characters, {hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}>"
