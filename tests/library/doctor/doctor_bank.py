"""Build test cases whose diagnoses are known, with conventions and mistakes alone and in pairs.

The arrays are computed from the papers' formulas, entry by entry in plain numpy. Nothing from the
doctor or the library is used.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Spec = dict[str, Any]

WIDTHS = (8, 16, 32, 64, 128, 256, 512)
LENGTHS = (16, 32, 64, 128, 512, 2048, 8192)
BASES = (10.0, 100.0, 1e3, 1e4, 1e4, 1e5, 5e5, 1e6, 1e7, 1e8)
FORMS = ("float64", "float32", "float16", "bfloat16")
ENTRIES = 2**19  # no array has more entries than this


@dataclass
class Case:
    name: str
    arrays: Any
    truth: dict[str, Any] = field(default_factory=dict)
    problem: str = ""  # the mistake that the diagnosis must report
    spec: dict[str, Any] = field(default_factory=dict)


def to(form: str, x: ArrayLike) -> NDArray[np.float64]:
    """Round an array to a number format. A bfloat16 is a float32 rounded to its upper 16 bits."""
    x = np.asarray(x, np.float64)
    if form == "bfloat16":
        bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return rounded.astype(np.uint32).view(np.float32).astype(np.float64)
    with np.errstate(over="ignore"):
        return x.astype(form).astype(np.float64)


def join_waves(
    sin: NDArray[np.float64], cos: NDArray[np.float64], layout: str
) -> NDArray[np.float64]:
    """Arrange sines and cosines, each (length, pairs), as the columns of a table."""
    if layout == "interleaved":
        return np.stack([sin, cos], axis=-1).reshape(len(sin), -1)
    return np.concatenate([sin, cos] if layout == "sines_first" else [cos, sin], axis=1)


# Frequencies


def exponents(kind: str, d: int) -> NDArray[np.float64]:
    """Return the exponent of the base for each of the d/2 pairs, as an array."""
    i = np.arange(d // 2)
    return {"2i/d": 2 * i / d, "4i/d": 4 * i / d, "i/d": i / d, "i/(d/2-1)": i / (d / 2 - 1)}[kind]


def yarn(d: int, s: float, length: int, base: float, whole: bool = True) -> NDArray[np.float64]:
    def pair(r: float) -> float:
        return d / 2 * math.log(length / (2 * math.pi * r)) / math.log(base)

    low, high = pair(32), pair(1)
    if whole:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    out = []
    for i in range(d // 2):
        g = min(max((i - low) / (high - low if high != low else 0.001), 0), 1)
        w = base ** (-2 * i / d)
        out.append(w * (1 - g) + w / s * g)
    return np.array(out)


def llama3(d: int, s: float, length: int, base: float) -> NDArray[np.float64]:
    out = []
    for i in range(d // 2):
        w = base ** (-2 * i / d)
        # Pairs that make at least four turns keep their frequencies.
        kept = min(max((length * w / (2 * math.pi) - 1) / 3, 0), 1)
        out.append((1 - kept) * w / s + kept * w)
    return np.array(out)


def step(d: int, s: float, at: int, base: float) -> NDArray[np.float64]:
    """Return d/2 frequencies, all of which are divided by s from pair `at` on."""
    return np.array([base ** (-2 * i / d) / (s if i >= at else 1) for i in range(d // 2)])


def frequencies(spec: Spec) -> NDArray[np.float64]:
    d, base, scaling = spec["d"], spec["base"], spec.get("scaling")
    if scaling == "yarn":
        return yarn(d, spec["factor"], spec["trained"], base, spec.get("whole", True))
    if scaling == "llama3":
        return llama3(d, spec["factor"], spec["trained"], base)
    w = base ** -exponents(spec.get("exponent", "2i/d"), d)
    if scaling == "proportional":
        w[spec["turning"] :] = 0
        return w
    return w / spec.get("factors", spec.get("factor", 1.0))


# The following functions compute tables, caches and lists of frequencies from a specification.


def angles(spec: Spec, w: NDArray[np.float64]) -> NDArray[np.float64]:
    t = (np.arange(spec["T"]) + spec.get("first", 0)).astype(np.float64)
    where, form = spec.get("where", "exact"), spec.get("rough", "bfloat16")
    if where == "frequencies":
        return np.outer(t, to(form, w))
    if where == "exact":
        return np.outer(t, w)
    form = "float32" if where == "float32" else form
    return to(form, np.outer(to(form, t), to(form, w)))


def finish(spec: Spec, x: ArrayLike) -> NDArray[np.float64]:
    return to(spec.get("form", "float64"), x * spec.get("amplitude", 1.0))


def table(spec: Spec) -> NDArray[np.float64]:
    d = spec["d"]
    if spec.get("exponent") == "own":
        j = np.arange(d)
        t = (np.arange(spec["T"]) + spec.get("first", 0)).astype(np.float64)
        a = np.outer(t, spec["base"] ** (-2 * (j if spec.get("own", 2) == 2 else j / 2) / d))
        sine = j % 2 == 0 if spec["layout"] == "interleaved" else j < d // 2
        return finish(spec, np.where(sine, np.sin(a), np.cos(a)))
    a = angles(spec, frequencies(spec))
    return finish(spec, join_waves(np.sin(a) * spec.get("direction", 1), np.cos(a), spec["layout"]))


def cache(spec: Spec) -> tuple[NDArray[np.float64], ...]:
    a = angles(spec, frequencies(spec))
    parts = [np.cos(a), np.sin(a) * spec.get("direction", 1)]
    if spec["layout"] == "repeated_halves":
        parts = [np.concatenate([x, x], 1) for x in parts]
    elif spec["layout"] == "repeated_pairs":
        parts = [np.repeat(x, 2, axis=1) for x in parts]
    return tuple(finish(spec, x) for x in parts)


SAID = {  # maps each layout to the layout and the order that the diagnosis must report
    "sines_first": ("halves", "sine first"),
    "cosines_first": ("halves", "cosine first"),
    "repeated_halves": ("halves", "repeated"),
    "repeated_pairs": ("interleaved", "repeated"),
    None: (None, None),
}


def truth(spec: Spec, scheme: str) -> dict[str, Any]:
    """Return the fields, with their values, that a correct diagnosis must contain."""
    out = {
        "scheme": scheme,
        "base": (spec["base"], spec.get("exponent", "2i/d")),
        "width": spec["d"],
        "scaling": spec.get("scaling", "none"),
    }
    out["factor"] = None if out["scaling"] == "longrope" else spec.get("factor", 1.0)
    if "T" in spec:
        form, where = spec.get("form", "float64"), spec.get("where", "exact")
        out["layout"], out["order"] = SAID.get(spec["layout"], (spec["layout"], "sine first"))
        out["amplitude"] = spec.get("amplitude", 1.0)
        out["first_position"], out["direction"] = spec.get("first", 0), spec.get("direction", 1)
        if where == "float32" and form in ("float64", "float32"):
            out["precision"] = ("float32", None if spec["T"] < 64 else "angles")
        elif where in ("angles", "frequencies"):
            out["precision"] = (spec["rough"], where)
        else:
            out["precision"] = (form, "values")
    return out


def change(spec: Spec, kind: str, rng: np.random.Generator) -> None:
    """Add a mistake or a convention to the specification of a test case."""

    def pick(*values: Any) -> Any:
        return rng.choice(values).item()

    if kind in ("4i/d", "i/d", "i/(d/2-1)", "own"):
        spec["exponent"] = kind
        if kind == "own":
            spec["own"] = pick(1, 2)
            spec["layout"] = "interleaved" if spec["layout"] == "cosines_first" else spec["layout"]
    elif kind == "first":
        spec["first"] = pick(1, 1, 2, -1, 3, 100, 1000)
    elif kind == "clockwise":
        spec["direction"] = -1
    elif kind == "linear":
        spec.update(scaling="linear", factor=pick(2.0, 4.0, 8.0, 16.0, 1.5))
    elif kind in ("yarn", "llama3"):
        bend(spec, kind, pick)
    elif kind == "ntk":
        spec["base"] = 1e4 * pick(2.0, 4.0, 8.0) ** (spec["d"] / (spec["d"] - 2))
    elif kind == "amplitude":
        spec["amplitude"] = pick(2.0, 0.5, 1.1386, math.sqrt(spec["d"]), 10.0)
    elif kind in ("half_angles", "half_frequencies"):
        round_on_the_way(spec, kind.removeprefix("half_"), pick)
    elif kind == "float32_angles":
        spec.update(where="float32", form="float32")


def bend(spec: Spec, kind: str, pick: Callable[..., Any]) -> None:
    """Add YaRN's or llama3's scaled frequencies to the specification of a test case."""
    spec.update(scaling=kind, d=pick(64, 128, 256), whole=pick(True, False))
    spec["T"] = max(64, min(spec.get("T", 64), ENTRIES // spec["d"]))
    if kind == "yarn":
        spec.update(factor=pick(2.0, 4.0, 8.0, 16.0, 32.0), base=pick(1e4, 1e5, 5e5, 1e6))
        spec["trained"] = pick(2048, 4096, 8192, 32768)
    else:
        spec.update(factor=pick(4.0, 8.0, 16.0, 32.0), base=5e5)
        spec["trained"] = pick(4096, 8192, 16384)


def round_on_the_way(spec: Spec, where: str, pick: Callable[..., Any]) -> None:
    """Change a specification so that its angles or frequencies are rounded to half precision."""
    rough, form = pick("float16", "bfloat16"), pick("float32", "float64")
    spec.update(where=where, rough=rough, form=form)
    spec["T"] = min(max(spec.get("T", 64), 64), ENTRIES // spec["d"])
    if rough == "float16":
        spec["base"] = min(spec["base"], 1e5)


COMMON = ["none", "4i/d", "first", "clockwise", "linear", "ntk", "amplitude"]
NARROW = ["half_angles", "half_frequencies", "float32_angles"]
CACHE_KINDS = [*COMMON, "yarn", "llama3", *NARROW]
TABLE_KINDS = [*COMMON, "i/d", "i/(d/2-1)", "own", *NARROW]
LIST_KINDS = ["none", "linear", "ntk", "yarn", "llama3", "half", "proportional", "longrope"]
# A case contains at most one change from each of these sets.
APART = [
    {"4i/d", "i/d", "i/(d/2-1)", "own", "yarn", "llama3", "ntk"},
    {"half_angles", "half_frequencies", "float32_angles"},
    {"linear", "yarn", "llama3", "ntk"},
    *({"own", kind} for kind in ("clockwise", "linear", "first", "amplitude", *NARROW)),
]


def together(a: str, b: str) -> bool:
    return a != b and not any(a in group and b in group for group in APART)


def make_case(kinds: list[str], rng: np.random.Generator, rotary: bool) -> Case:
    """Return a test case with a table or a cache that has the given conventions and mistakes."""
    layouts: list[str | None] = ["interleaved", "interleaved", "sines_first", "cosines_first"]
    if rotary:
        layouts = ["repeated_halves", "repeated_pairs", None]
    spec = {
        "d": rng.choice(WIDTHS).item(),
        "T": rng.choice(LENGTHS).item(),
        "base": rng.choice(BASES).item(),
        "form": rng.choice(FORMS).item(),
        "layout": layouts[rng.integers(len(layouts))],
    }
    spec["T"] = min(spec["T"], ENTRIES // spec["d"])
    for kind in kinds:
        change(spec, kind, rng)
    if "half_angles" in kinds and "first" in spec:
        # bfloat16 cannot represent the positions far from 0 exactly
        spec["first"] = min(spec["first"], 2)
    what, scheme, make = ("cache", "rotary", cache) if rotary else ("table", "sinusoidal", table)
    return Case(f"{what} {'+'.join(kinds)}", make(spec), truth(spec, scheme), spec=spec)


def lists(kind: str, rng: np.random.Generator) -> Case:
    """Return a test case with a list of frequencies that has one convention or mistake."""
    spec = {
        "d": rng.choice(WIDTHS).item(),
        "base": rng.choice(BASES[3:]).item(),
        "form": rng.choice(FORMS[:2]).item(),
        "layout": None,
    }
    if kind == "half":
        spec.update(form=rng.choice(FORMS[2:]).item(), d=max(spec["d"], 16))
    elif kind == "proportional":
        spec.update(scaling=kind, d=256, turning=rng.choice([16, 32, 64]).item())
    elif kind == "longrope":
        spec["d"] = max(spec["d"], 32)
        factors = np.round(np.sort(1 + 30 * rng.random(spec["d"] // 2)), 2)
        spec.update(scaling=kind, factors=factors, base=1e4)
    else:
        change(spec, kind, rng)
        spec.pop("T", 0)
    w = to(spec["form"], frequencies(spec))
    expected = truth(spec, "rotary") | {"precision": (spec["form"], "frequencies")}
    return Case(f"list {kind}", w, expected, spec=spec)


def list_differences(case: Case, d: Any) -> list[tuple[str, Any, Any]]:
    """Return a list of the differences between a diagnosis and the correct diagnosis of a case."""

    def reads_as(base: float, exponent: str) -> bool:
        near = 2e-3 if "half" in case.name else 1e-3
        if exponent == "own":
            off = (abs(math.log(d.base / base**power)) for power in (1, 2, 0.5))
            return d.exponent == "own" and min(off) < near
        near *= max(1, math.log(base))
        return any(e == exponent and abs(math.log(b / base)) < near for b, e in d.readings)

    wrong = []
    for key, want in case.truth.items():
        actual = getattr(d, key)
        if key == "base":
            ok = reads_as(*want)
        elif key == "precision":
            ok = actual == want[0] and want[1] in (None, d.where)
        elif key in ("factor", "amplitude") and want is not None:
            near = 0.02 if key == "amplitude" else 2e-3
            ok = actual is not None and abs(actual / want - 1) <= near
        else:
            ok = actual == want
        if not ok:
            wrong.append((key, want, actual))
    if case.problem and case.problem not in d.problems:
        wrong.append(("problem", case.problem, d.problems))
    return wrong


# Biases, grids and learned tables


def slopes(heads: int) -> list[float]:
    """Compute ALiBi slopes by the same recursion as `get_slopes` in the authors' program."""

    def power(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(heads).is_integer():
        return power(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return power(closest) + slopes(2 * closest)[0::2][: heads - closest]


def alibi(
    heads: int, length: int, causal: bool = True, sign: int = -1, form: str = "float64"
) -> NDArray[np.float64]:
    x = np.zeros((heads, length, length))
    for h, m in enumerate(slopes(heads)):
        for t, s in np.ndindex(length, length):
            x[h, t, s] = -np.inf if causal and s > t else sign * m * abs(t - s)
    return to(form, x)


def bucket(offset: int, buckets: int, farthest: int, both: bool) -> int:
    """Compute one T5 bucket number as transformers' `_relative_position_bucket` does."""
    out, n = 0, buckets
    if both:
        n //= 2
        out += n * (offset > 0)
        d = abs(offset)
    else:
        d = max(-offset, 0)
    exact = n // 2
    if d < exact:
        return out + d
    far = exact + int(math.log(d / exact) / math.log(farthest / exact) * (n - exact) + 1e-12)
    return out + min(far, n - 1)


def buckets(
    length: int, count: int = 32, farthest: int = 128, both: bool = True
) -> NDArray[np.int64]:
    t = range(length)
    return np.array([[bucket(s - q, count, farthest, both) for s in t] for q in t])


def grid(
    rows: int,
    columns: int,
    d: int,
    base: float,
    layout: str,
    order: str = "rows",
    class_row: bool = False,
) -> NDArray[np.float64]:
    """Encode each patch's row on the grid in half the entries, and its column in the other half."""
    w = base ** (-np.arange(d // 4) / (d // 4))
    places = [(r, c) for r in range(rows) for c in range(columns)]
    axes = np.array(places if order == "rows" else [(c, r) for r, c in places]).T
    halves = [join_waves(np.sin(np.outer(p, w)), np.cos(np.outer(p, w)), layout) for p in axes]
    table = np.concatenate(halves, axis=1)
    return np.concatenate([np.zeros((1, d)), table]) if class_row else table


def make_smooth_table(length: int, width: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a table that looks learned, because it consists of noise smoothed over positions."""
    t = np.arange(length)
    x = np.zeros((length, width))
    for _ in range(6):
        wave = rng.uniform(0.5, 8) * 2 * np.pi / length
        x += np.outer(np.sin(wave * t + rng.uniform(0, 6)), rng.normal(0, 0.05, width))
    return x + rng.normal(0, 0.01, x.shape)


def with_rows(x: NDArray[np.float64], rows: Any, values: ArrayLike) -> NDArray[np.float64]:
    out = x.copy()
    out[rows] = values
    return out


def case(name: str, arrays: Any, problem: str = "", /, **truth: Any) -> Case:
    return Case(name, arrays, truth, problem)


def biases(rng: np.random.Generator) -> Iterator[Case]:
    yield case("slopes 8", np.array(slopes(8)), scheme="alibi")
    yield case("slopes 12", to("float32", slopes(12)), scheme="alibi")
    keys = np.array(slopes(8))[:, None, None] * np.arange(20.0)
    yield case("alibi by keys, a row each", np.tile(keys, (1, 20, 1)), scheme="alibi", sure=True)
    paper = 2.0 ** (-8 * np.arange(1, 13) / 12)
    for form in FORMS[:2]:
        x = to(form, paper)
        yield case(f"slopes of the paper {form}", x, "slopes_of_the_paper", scheme="alibi")
    sure = {"scheme": "alibi", "sure": True}
    for heads in (1, 4, 8, 12):
        for form in FORMS:
            x = alibi(heads, 20, bool(heads % 3), form=form)
            yield case(f"alibi {heads} {form}", x, **sure)
    x = alibi(8, 16)
    for name, array, problem in (
        ("grows", alibi(8, 16, False, 1), "bias_sign"),
        ("transposed", x.swapaxes(1, 2), "bias_transposed"),
        ("scaled", x * 8, "slopes_scaled"),
        ("heads reversed", x[::-1], "slopes_order"),
    ):
        yield case(f"alibi {name}", array, problem, scheme="alibi")
    yield case("alibi one axis more", x[None], **sure)
    yield case("alibi of keys", np.array(slopes(8))[:, None, None] * np.arange(40), **sure)
    for count, far, both in ((32, 128, True), (32, 128, False), (64, 128, True)):
        b, weights = buckets(160, count, far, both), rng.normal(0, 1, (count, 6))
        yield case(f"buckets {count} {both}", b, scheme="t5", sure=True)
        bias = weights[b].transpose(2, 0, 1)
        yield case(f"t5 bias {count} {both}", bias, scheme="t5", sure=True)


def tables(rng: np.random.Generator) -> Iterator[Case]:
    t, w = np.arange(64), 1e4 ** (-np.arange(32) / 32)
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    table = join_waves(s, c, "interleaved")
    sinusoidal = {"scheme": "sinusoidal"}
    for layout in ("sines_first", "interleaved"):
        for order, has_class_row in (("rows", True), ("columns", False)):
            x = grid(9, 14, 64, 1e4, layout, order, has_class_row)
            expected = SAID.get(layout, (layout,))[0]
            yield case(f"grid {layout} {order}", x, scheme="sinusoidal", layout=expected,
                       width=64, sure=True)  # fmt: skip
    yield case("grid square", grid(14, 14, 192, 1e4, "sines_first"), **sinusoidal, sure=True)
    read = {**sinusoidal, "base": (1e4, "2i/d")}
    yield case("padding row", with_rows(table, 1, 0), "padding_row", **read)
    lost = table.copy()
    lost[:, 6:8] = rng.normal(0, 0.5, (64, 2))
    from_one = np.outer(t, w * w[1])
    for name, x, problem in (
        ("rows never filled", with_rows(table, slice(40, None), 0), "zero_rows"),
        ("not finite", with_rows(table, (50, 3), np.nan), "not_finite"),
        ("wrapped", with_rows(table, slice(48, None), table[:16]), "rows_off"),
        ("a pair lost", lost, "pairs_off"),
        ("rows reversed", table[::-1].copy(), "reversed"),
        ("five times too large", table * 5, "amplitude"),
        ("negated", -table, "negated"),
        ("transposed", table.T.copy(), "transposed"),
    ):
        yield case(name, x, problem, **sinusoidal)
    yield case("added twice", table * 2, "added_twice", **sinusoidal, amplitude=2.0)
    swapped = join_waves(c, s, "interleaved")
    yield case("cosine first", swapped, "cosine_before_sine", **sinusoidal, layout="interleaved")
    cc, ss = np.concatenate([c, c], 1), np.concatenate([s, s], 1)
    rotary, sure = {"scheme": "rotary"}, {"scheme": "rotary", "sure": True}
    yield case("pairs from one", (np.sin(from_one), np.cos(from_one)), "pairs_from_one", **rotary)
    yield case("cos and sin swapped", (ss, cc), "swapped", **rotary)
    yield case("mixed layouts", (cc, np.repeat(s, 2, 1)), "mixed_layouts", **rotary)
    yield case("four axes", (cc[None, None], ss[None, None]), **sure)
    yield case("cosines alone", cc, **sure, layout="halves", order="repeated")
    yield case("cache of zeros", (cc * 0, ss * 0), "all_zero", scheme="none")
    yield case("cos 1, sin 0", (cc * 0 + 1, ss * 0), "all_zero", scheme="none")


def steps() -> Iterator[Case]:
    t, w = np.arange(64), 1e4 ** (-np.arange(32) / 32)
    y, a = 0.1 * math.log(4) + 1, np.outer(t, yarn(64, 4, 4096, 1e4))
    wave = {"scheme": "rotary", "scaling": "yarn", "amplitude": y, "problems": []}
    yield case("yarn with its factor", (np.cos(a) * y, np.sin(a) * y), **wave)
    known_name = {"scheme": "rotary", "sure": True, "problems": []}
    for d, s, at, base in (
        (64, 32, 19, 5e4),
        (128, 16, 35, 5e5),
        (32, 4, 1, 1e4),
        (32, 4, 14, 1e4),
    ):
        truths = {**known_name, "base": (base, "2i/d"), "scaling": "llama3", "factor": s}
        for form in FORMS[:2]:
            yield case(f"a step at pair {at}, {form}", to(form, step(d, s, at, base)), **truths)
    half = {**truths, "problems": ["half_precision_frequencies"], "factor": 8}
    for form in FORMS[2:]:
        yield case(f"a step in {form}", to(form, step(64, 8, 12, 1e4)), **half)
    first, none = truths | {"scaling": "linear"}, truths | {"scaling": "none", "factor": 1}
    yield case("a step at the first pair", step(32, 4, 0, 1e4), **first)
    yield case("a step at no pair", step(32, 4, 16, 1e4), **none)
    a = np.outer(t, step(32, 4, 6, 1e4))
    yield case("cache with a step", (np.cos(a), np.sin(a)), **truths)
    truths |= {"scaling": "yarn", "amplitude": y}
    yield case("cache with a step of YaRN", (np.cos(a) * y, np.sin(a) * y), **truths)
    both = [np.concatenate([f(np.outer(t, w))] * 2, 1) * y for f in (np.cos, np.sin)]
    yield case("yarn's factor alone", tuple(both), "amplitude", scheme="rotary")


def odd_lists(rng: np.random.Generator) -> Iterator[Case]:
    w = 1e4 ** (-np.arange(32) / 32)
    yield case("zeros", np.zeros(32), "all_zero", scheme="none")
    yield case("not falling", rng.random(32), "not_falling", scheme="unknown")
    yield case("not a number", with_rows(w, 5, np.nan), "not_finite")
    yield case("negative", with_rows(w, 5, -w[5]))
    lost = with_rows(w, 7, 0.5)
    yield case("one frequency lost", lost, "pairs_off", scheme="rotary", base=(1e4, "2i/d"))
    for pair, times in ((0, 2), (5, 0.5), (20, 1.001), (31, 0.5), (31, 0.9)):
        off = with_rows(w, pair, w[pair] * times)
        name = f"pair {pair} times {times}"
        yield case(name, off, "pairs_off", scheme="rotary", scaling="none", base=(1e4, "2i/d"))
    for width in (64, 96, 128):  # computed in float32, just as in transformers
        w = (1 / np.float32(5e5) ** (np.arange(0, width, 2, dtype=np.float32) / width)).astype("f4")
        turns = 8192 / (np.float32(2 * np.pi) / w)
        share = ((turns - 1) / 3).clip(0, 1)
        x = np.where(share < 1, (1 - share) * w / 32 + share * w, w).astype("f4")
        yield case(f"llama3 {width}", x, scheme="rotary", scaling="llama3", base=(5e5, "2i/d"))


def make_learned_cases(rng: np.random.Generator) -> Iterator[Case]:
    x = make_smooth_table(96, 32, rng)
    for name, array, problem in (
        ("", x, ""),
        (", wrapped", np.concatenate([x, x]), "same_rows_of_table"),
        (", padding", with_rows(x, 1, 0), "padding_row"),
        (", copies", with_rows(x, slice(60, None), x[59]), "same_rows_of_table"),
    ):
        yield case(f"learned{name}", array, problem, scheme="learned")


def others(rng: np.random.Generator) -> Iterator[Case]:
    """Yield all test cases for biases, grids, learned tables, and unusual arrays."""
    yield from biases(rng)
    yield from tables(rng)
    yield from steps()
    yield from odd_lists(rng)
    yield from make_learned_cases(rng)


def make_all_cases(rng: np.random.Generator, times: int) -> Iterator[Case]:
    """Yield `times` test cases for each convention and mistake of tables, caches and lists."""
    for rotary, kinds in ((False, TABLE_KINDS), (True, CACHE_KINDS)):
        for kind in kinds:
            yield from (make_case([kind], rng, rotary) for _ in range(times))
    for _ in range(times):
        yield from all_lists(rng)


def all_lists(rng: np.random.Generator) -> Iterator[Case]:
    return (lists(kind, rng) for kind in LIST_KINDS)


def shorten_arrays(arrays: Any, largest: int = 4096) -> tuple[Any, ...]:
    """Shorten arrays so that together they have at most about `largest` entries."""
    arrays = arrays if isinstance(arrays, tuple) else (arrays,)
    if sum(np.size(x) for x in arrays) <= largest:
        return arrays
    rows = max(16, largest // (len(arrays) * arrays[0].shape[-1]))
    return tuple(x[:rows] if x.ndim == 2 else x for x in arrays)
