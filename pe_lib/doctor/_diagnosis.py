"""Define the classes for a diagnosis and for its findings, with their fields and printed form."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from pe_lib.doctor import _proof, _sentences
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._numbers import DATA
from pe_lib.doctor._proof import Recipe, Rounding, Waves


@dataclass
class Finding:
    """A mistake that the doctor found, with sentences about the mistake and its repair."""

    name: str  # the short name of the mistake, which is also in `problems`
    seen: str  # a sentence that describes the mistake found
    evidence: str = ""
    otherwise: str = ""  # another possible explanation of the numbers
    mend: str = ""  # a sentence that says how to repair the array
    chapter: str = ""  # the chapter that explains the mistake, with its address

    def __str__(self) -> str:
        labelled = {"Evidence": self.evidence, "Or": self.otherwise, "Fix": self.mend,
                    "Read": self.chapter}  # fmt: skip
        lines = [f"    {label}: {text}" for label, text in labelled.items() if text]
        return "\n".join([self.seen, *lines])


@dataclass
class Diagnosis:
    """The result of diagnosing an array, which can be read as data or printed as text.

    A field is None if it does not apply or cannot be seen.

    - `base` belongs to `exponent`. The two together are the first entry of `readings`, which all
      give the same frequencies.
    - `width` counts entries, two for each pair, and `first_position` counts positions.
    - `precision` is the format to which numbers were rounded, and `where` says whether these are
      the "angles", the "frequencies" or the "values".
    - `residual` is the largest distance from the rule, as a share of the amplitude or, in a list of
      frequencies, of each frequency.
    - `problems` are names, each with a finding in `findings`, and `alternatives` are sentences.
    - `exceptions` do not follow the rule: rows, pairs (heads in a bias), entries, items.
    - `details` holds all other results.
    """

    scheme: str = "unknown"
    base: float | None = None
    width: int | None = None
    layout: str | None = None
    order: str | None = None
    exponent: str | None = None
    scaling: str | None = None
    factor: float | None = None
    first_position: float | None = None
    direction: int | None = None
    amplitude: float | None = None
    precision: str | None = None
    where: str | None = None
    readings: list[tuple[float, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    sure: bool = False
    residual: float | None = None
    alternatives: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    exceptions: dict[str, list[Any]] = field(
        default_factory=lambda: {"rows": [], "pairs": [], "entries": [], "items": []}
    )
    findings: list[Finding] = field(default_factory=list)
    recipe: Recipe | None = field(default=None, repr=False)
    rounding: Rounding = field(default_factory=lambda: Rounding("float64"), repr=False)
    seen: Floats = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)
    picture: dict[str, Any] = field(default_factory=dict, repr=False)
    # how many rows a table has in all, if only its first rows were read
    all_rows: int | None = field(default=None, repr=False, compare=False)
    # for each rule of some masks: its name, its window, and how many keys a query sees at most
    rules: list[list[Any]] = field(default_factory=list, repr=False)
    holds_angles: bool = field(default=False, repr=False)  # instead of their cosines and sines
    # the id of a text's first token, if the configuration of these position ids is known
    first_id: int | None = field(default=None, repr=False)
    draw: ClassVar[tuple[Callable[["Diagnosis"], dict[str, str]]] | None] = None

    def problem(self, name: str, evidence: str = "", **words: Any) -> None:
        """Add a problem with the finding that explains it, unless the problem is already listed."""
        if name not in self.problems:
            self.problems.append(name)
            templates = DATA["problems"][name]
            sentence, otherwise, mend = (
                _sentences.fill_template(templates.get(key, ""), words)
                for key in ("seen", "otherwise", "mend")
            )
            read = DATA["read"][templates["read"]]
            self.findings.append(Finding(name, sentence, evidence, otherwise, mend, read))

    def note(self, name: str, **words: Any) -> None:
        """Fill in the sentence called `name`, and add it to the notes."""
        notes = self.details.setdefault("notes", [])
        notes.append(_sentences.fill_template(DATA["notes"][name], words))

    def other(self, name: str, **words: Any) -> None:
        """Add an alternative, which is a sentence about what else the numbers may mean."""
        self.alternatives.append(_sentences.fill_template(DATA["else"][name], words))

    def drop(self, *names: str) -> None:
        """Remove some problems, for example because the configuration intends them."""
        self.problems = [name for name in self.problems if name not in names]
        self.findings = [finding for finding in self.findings if finding.name not in names]

    def rebuild(self, positions: Any = None) -> Any:
        """Compute the array from the diagnosis alone, at the same positions or at other positions.

        `positions` are counted as in the rule, so row r of a table has position `first_position` +
        r. A table comes back as (positions, width), a cache as a pair (cos, sin), and a bias as
        (heads, T, T). A list of frequencies or slopes is the same for all positions. Angles and
        frequencies are rounded as the diagnosis says, but the result is not rounded. Exceptions get
        the values of the rule. Raises ValueError if the diagnosis has no recipe to rebuild the
        array from.

        >>> import pe_lib
        >>> d = pe_lib.doctor.identify(pe_lib.encode(range(64), 32))
        >>> bool(abs(d.rebuild([1000]) - pe_lib.encode([1000], 32)).max() < 1e-12)
        True
        """
        if self.recipe is None:
            raise ValueError("this diagnosis has no recipe, so the array cannot be rebuilt from it")
        rows: Any = np.arange(len(self.seen))
        recipe = self.recipe
        stored = recipe.places if isinstance(recipe, Waves) else None
        if positions is not None and stored is not None and isinstance(recipe, Waves):
            places = np.asarray(positions, np.float64)
            places = places.reshape(len(places), -1) + np.zeros(stored.shape[1])
            recipe, rows = replace(recipe, places=places), np.arange(len(places))
        elif positions is not None and self.first_position is not None:
            rows = np.atleast_1d(np.asarray(positions)) - self.first_position
        return recipe.reshape_entries(recipe.entries(rows, self.rounding, 0.0)[0])

    def passed(self) -> bool:
        """Return whether the recipe reproduces all entries except the listed exceptions."""
        return self.recipe is not None and _proof.is_explained(
            self.recipe, self.seen, self.rounding, self.exceptions
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the fields declared before `findings`, with values that JSON can store."""
        data = {x.name: getattr(self, x.name) for x in fields(self)[:21] if x.repr}
        data["readings"] = [list(pair) for pair in self.readings]
        data["findings"] = [vars(finding) | {"sure": self.sure} for finding in self.findings]
        return data

    def to_json(self) -> str:
        """Return the result of `as_dict` as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, default=float)

    def __str__(self) -> str:
        lines = [*_sentences.summarise(self), *(f"- {finding}" for finding in self.findings)]
        if self.alternatives:
            lines += ["What else it could be:", *(f"- {text}" for text in self.alternatives)]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the diagnosis as text for a notebook, with the picture that `draw` adds, if any.

        The library itself draws nothing. A caller that can draw, such as `pe_lib.course`, sets
        `Diagnosis.draw` to (function,), where the function takes a diagnosis and returns a bundle
        such as {"image/svg+xml": …}. The numbers to draw are in `picture`: "frequencies" as
        measured, and "rule" as fitted, (n,) each.
        """
        bundle = {"text/plain": str(self)}
        return bundle if self.draw is None else bundle | self.draw[0](self)
