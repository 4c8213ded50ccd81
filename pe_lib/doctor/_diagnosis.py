"""What the doctor says: a diagnosis, its findings, and how both are written."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from pe_lib.doctor import _proof, _sentences
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._numbers import DATA
from pe_lib.doctor._proof import Recipe, Rounding


@dataclass
class Finding:
    """One thing seen: a short name, the sentence, evidence, what else, the mend, where to read."""

    name: str
    seen: str
    evidence: str = ""
    otherwise: str = ""
    mend: str = ""
    chapter: str = ""

    def __str__(self) -> str:
        more = {"Evidence": self.evidence, "Or": self.otherwise, "Mend": self.mend,
                "Read": self.chapter}  # fmt: skip
        lines = [f"    {label}: {text}" for label, text in more.items() if text]
        return "\n".join([self.seen, *lines])


@dataclass
class Diagnosis:
    """What an array is, as data, and as text if printed.

    What does not apply or cannot be seen is None. `base` in the convention `exponent`, both the
    first of `readings`; `width` in entries (two a pair); `first_position` in positions;
    `precision` is the format that shows, `where` whether in "angles", "frequencies" or "values";
    `residual` the largest distance from the rule, as a share of the amplitude (of the frequency
    itself, where frequencies are all there is); `problems` names, each with a finding in
    `findings`; `alternatives` sentences; `exceptions` what does not follow the rule, of a bias
    heads as pairs; `details` whatever else was seen.
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
    draw: ClassVar[tuple[Callable[["Diagnosis"], dict[str, str]]] | None] = None

    def problem(self, name: str, evidence: str = "", **words: Any) -> None:
        """Add a problem and the finding that explains it, once."""
        if name not in self.problems:
            self.problems.append(name)
            found = DATA["problems"][name]
            seen, otherwise, mend = (
                _sentences.fill_template(found.get(key, ""), words)
                for key in ("seen", "otherwise", "mend")
            )
            read = DATA["read"][found["read"]]
            self.findings.append(Finding(name, seen, evidence, otherwise, mend, read))

    def note(self, name: str, **words: Any) -> None:
        """Add one of the notes."""
        notes = self.details.setdefault("notes", [])
        notes.append(_sentences.fill_template(DATA["notes"][name], words))

    def other(self, name: str, **words: Any) -> None:
        """Add an alternative: what else the numbers could be."""
        self.alternatives.append(_sentences.fill_template(DATA["else"][name], words))

    def drop(self, *names: str) -> None:
        """Take problems back that turned out to be meant so."""
        self.problems = [name for name in self.problems if name not in names]
        self.findings = [finding for finding in self.findings if finding.name not in names]

    def rebuild(self, positions: Any = None) -> Any:
        """The array again, from the diagnosis alone: as it was given, or of other positions.

        `positions` are those of the rule, so that row r of a table is `first_position` + r. A table
        comes back as (positions, width), a cache as a pair (cos, sin), a bias as (heads, T, T);
        a list of frequencies or slopes is itself, whatever the positions. What the diagnosis calls
        rounded on the way is rounded, exceptions are as they should be, and nothing is rounded at
        the end. Raises ValueError if nothing is known that could be rebuilt.

        >>> import pe_lib
        >>> found = pe_lib.doctor.identify(pe_lib.encode(range(64), 32))
        >>> bool(abs(found.rebuild([1000]) - pe_lib.encode([1000], 32)).max() < 1e-12)
        True
        """
        if self.recipe is None:
            raise ValueError("nothing is known of this array that could be rebuilt")
        rows: Any = np.arange(len(self.seen))
        if positions is not None and self.first_position is not None:
            rows = np.atleast_1d(np.asarray(positions)) - self.first_position
        return self.recipe.shaped(self.recipe.entries(rows, self.rounding, 0.0)[0])

    def passed(self) -> bool:
        """The gate: whether each entry given is the rule's, to the rounding, or is excepted."""
        return self.recipe is not None and _proof.is_explained(
            self.recipe, self.seen, self.rounding, self.exceptions
        )

    def as_dict(self) -> dict[str, Any]:
        """The keys of the class up to `findings`, as JSON has them."""
        data = {x.name: getattr(self, x.name) for x in fields(self)[:21] if x.repr}
        data["readings"] = [list(pair) for pair in self.readings]
        data["findings"] = [vars(finding) | {"sure": self.sure} for finding in self.findings]
        return data

    def to_json(self) -> str:
        """One line of JSON with the keys of `as_dict`."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, default=float)

    def __str__(self) -> str:
        lines = [*_sentences.summarise(self), *(f"- {finding}" for finding in self.findings)]
        if self.alternatives:
            lines += ["What else it could be:", *(f"- {text}" for text in self.alternatives)]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Text for notebooks, and what `draw` adds: the library itself has no plotting.

        Whoever can draw, `pe_lib.course` for one, sets `Diagnosis.draw` to (function,), a function
        that takes a diagnosis and returns a bundle such as {"image/svg+xml": …}. `picture` holds
        the numbers: "frequencies" as measured and "rule" as fitted, (n,) each.
        """
        bundle = {"text/plain": str(self)}
        return bundle if self.draw is None else bundle | self.draw[0](self)
