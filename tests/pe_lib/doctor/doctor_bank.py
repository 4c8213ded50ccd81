"""Made-up cases with known truths: every scheme, convention and mistake, alone and in pairs.

The arrays are made here from the papers' formulas, entry by entry in plain numpy; nothing of the
doctor or of the library is used. `python tests/pe_lib/doctor/doctor_bank.py FILE` writes small
cases with what the doctor says of them, one JSON object a line, for another language to agree with.
"""

import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

WIDTHS = (8, 16, 32, 64, 128, 256, 512)
LENGTHS = (16, 32, 64, 128, 512, 2048, 8192)
BASES = (10.0, 100.0, 1e3, 1e4, 1e4, 1e5, 5e5, 1e6, 1e7, 1e8)
FORMS = ("float64", "float32", "float16", "bfloat16")


def to(form, x):
    """Rounded to a format; bfloat16 by cutting a float32 after rounding, ties to even."""
    x = np.asarray(x, np.float64)
    if form == "bfloat16":
        bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    with np.errstate(over="ignore"):
        return x.astype(form).astype(np.float64)


@dataclass
class Case:
    name: str
    arrays: Any
    truth: dict[str, Any] = field(default_factory=dict)
    problem: str = ""  # that must be named
    noisy: bool = False


def exponents(kind, d):
    """The exponent of each of d/2 pairs."""
    i = np.arange(d // 2)
    return {"2i/d": 2 * i / d, "4i/d": 4 * i / d, "i/d": i / d, "i/(d/2-1)": i / (d / 2 - 1)}[kind]


def yarn(d, s, length, base, whole=True):
    def pair(r):
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


def llama3(d, s, length, base):
    out = []
    for i in range(d // 2):
        w = base ** (-2 * i / d)
        wave = 2 * math.pi / w
        if wave > length:
            out.append(w / s)
        elif wave < length / 4:
            out.append(w)
        else:
            smooth = (length / wave - 1) / 3
            out.append((1 - smooth) * w / s + smooth * w)
    return np.array(out)


def step(d, s, at, base):
    """Kept before pair `at`, divided by s from there on."""
    return np.array([base ** (-2 * i / d) / (s if i >= at else 1) for i in range(d // 2)])


def frequencies(spec):
    d, base = spec["d"], spec["base"]
    if spec.get("scaling") == "yarn":
        w = yarn(d, spec["factor"], spec["trained"], base, spec.get("whole", True))
    elif spec.get("scaling") == "llama3":
        w = llama3(d, spec["factor"], spec["trained"], base)
    elif spec.get("scaling") == "proportional":
        w = base ** -exponents("2i/d", d)
        w[spec["turning"] :] = 0
    elif spec.get("scaling") == "longrope":
        w = base ** -exponents("2i/d", d) / spec["factors"]
    else:
        w = base ** -exponents(spec.get("exponent", "2i/d"), d) / spec.get("factor", 1.0)
    return w


def angles(spec, w):
    t = (np.arange(spec["T"]) + spec.get("first", 0)).astype(np.float64)
    where, form = spec.get("where", "exact"), spec.get("rough", "bfloat16")
    if where == "frequencies":
        return np.outer(t, to(form, w))
    if where == "angles":
        return to(form, np.outer(to(form, t), to(form, w)))
    if where == "float32":
        return to("float32", np.outer(to("float32", t), to("float32", w)))
    return np.outer(t, w)


def finish(spec, x, rng):
    x = x * spec.get("amplitude", 1.0)
    if spec.get("noise"):
        x = x + rng.normal(0, spec["noise"], x.shape)
    return to(spec.get("form", "float64"), x)


def table(spec, rng):
    d, length = spec["d"], spec["T"]
    if spec.get("exponent") == "own":
        j = np.arange(d)
        t = (np.arange(length) + spec.get("first", 0)).astype(np.float64)
        w = spec["base"] ** (-2 * (j if spec.get("own", 2) == 2 else j / 2) / d)
        a = np.outer(t, w)
        sine = j % 2 == 0 if spec["layout"] == "interleaved" else j < d // 2
        x = np.where(sine, np.sin(a), np.cos(a))
        return finish(spec, x, rng)
    a = angles(spec, frequencies(spec))
    s, c = np.sin(a) * spec.get("direction", 1), np.cos(a)
    layout = spec["layout"]
    if layout == "interleaved":
        x = np.empty((length, d))
        x[:, 0::2], x[:, 1::2] = s, c
    else:
        x = np.concatenate([s, c] if layout == "sines_first" else [c, s], axis=1)
    return finish(spec, x, rng)


def cache(spec, rng):
    a = angles(spec, frequencies(spec))
    s, c = np.sin(a) * spec.get("direction", 1), np.cos(a)
    if spec["layout"] == "repeated_halves":
        s, c = np.concatenate([s, s], 1), np.concatenate([c, c], 1)
    elif spec["layout"] == "repeated_pairs":
        s, c = np.repeat(s, 2, axis=1), np.repeat(c, 2, axis=1)
    both = np.concatenate([c, s], axis=0)
    if spec.get("noise"):
        raise ValueError("noise differs between repeated columns")
    both = finish(spec, both, rng)
    return both[: len(c)], both[len(c) :]


def truth(spec, scheme):
    """What the diagnosis must say."""
    out = {
        "scheme": scheme,
        "base": (spec["base"], spec.get("exponent", "2i/d")),
        "width": spec["d"],
        "scaling": spec.get("scaling", "none"),
    }
    out["factor"] = None if out["scaling"] == "longrope" else spec.get("factor", 1.0)
    if "T" in spec:
        out["layout"] = spec["layout"]
        out["first_position"], out["direction"] = spec.get("first", 0), spec.get("direction", 1)
        out["amplitude"] = spec.get("amplitude", 1.0)
        where = spec.get("where", "exact")
        if where == "float32" and spec.get("form", "float64") in ("float64", "float32"):
            out["precision"] = ("float32", None if spec["T"] < 64 else "angles")
        elif where in ("angles", "frequencies"):
            out["precision"] = (spec["rough"], where)
        elif not spec.get("noise"):
            out["precision"] = (spec.get("form", "float64"), "values")
    return out


def plain_spec(rng, rotary):
    spec = {
        "d": int(rng.choice(WIDTHS)),
        "T": int(rng.choice(LENGTHS)),
        "base": float(rng.choice(BASES)),
        "form": str(rng.choice(FORMS)),
    }
    if spec["T"] * spec["d"] > 2**19:
        spec["T"] = 2**19 // spec["d"]
    spec["layout"] = str(
        rng.choice(
            ["repeated_halves", "repeated_pairs", ""]
            if rotary
            else ["interleaved", "interleaved", "sines_first", "cosines_first"]
        )
    )
    if spec["layout"] == "":
        spec["layout"] = None
    return spec


def change(spec, kind, rng):
    """One mistake or convention more."""
    if kind in ("4i/d", "i/d", "i/(d/2-1)", "own"):
        spec["exponent"] = kind
        if kind == "own":
            spec["own"] = int(rng.choice([1, 2]))
            spec["layout"] = "interleaved" if spec["layout"] == "cosines_first" else spec["layout"]
    elif kind == "first":
        spec["first"] = int(rng.choice([1, 1, 2, -1, 3, 100, 1000]))
    elif kind == "clockwise":
        spec["direction"] = -1
    elif kind == "linear":
        spec["scaling"], spec["factor"] = "linear", float(rng.choice([2, 4, 8, 16, 1.5]))
    elif kind == "yarn":
        spec.update(
            scaling="yarn",
            factor=float(rng.choice([2, 4, 8, 16, 32])),
            trained=int(rng.choice([2048, 4096, 8192, 32768])),
            whole=bool(rng.choice([True, False])),
            base=float(rng.choice([1e4, 1e5, 5e5, 1e6])),
            d=int(rng.choice([64, 128, 256])),
        )
        spec["T"] = max(64, min(spec.get("T", 64), 2**19 // spec["d"]))
    elif kind == "llama3":
        spec.update(
            scaling="llama3",
            factor=float(rng.choice([4, 8, 16, 32])),
            trained=int(rng.choice([4096, 8192, 16384])),
            base=5e5,
            d=int(rng.choice([64, 128, 256])),
        )
        spec["T"] = max(64, min(spec.get("T", 64), 2**19 // spec["d"]))
    elif kind == "ntk":
        d = spec["d"]
        spec["base"] = 1e4 * float(rng.choice([2, 4, 8])) ** (d / (d - 2))
    elif kind == "amplitude":
        spec["amplitude"] = float(rng.choice([2.0, 0.5, 1.1386, math.sqrt(spec["d"]), 10.0]))
    elif kind in ("half_angles", "half_frequencies"):
        spec["where"] = kind[5:]
        spec["rough"] = str(rng.choice(["float16", "bfloat16"]))
        spec["form"] = str(rng.choice(["float32", "float64"]))
        spec["T"] = max(spec.get("T", 64), 64)
        if spec["T"] * spec["d"] > 2**19:
            spec["T"] = 2**19 // spec["d"]
        if spec["rough"] == "float16":
            spec["base"] = min(spec["base"], 1e5)
    elif kind == "float32_angles":
        spec["where"], spec["form"] = "float32", "float32"
    elif kind == "noise":
        spec["noise"] = float(rng.choice([1e-4, 1e-3, 1e-2]))
        spec["form"] = "float64"
    return spec


TABLE_KINDS = (
    "none",
    "4i/d",
    "i/d",
    "i/(d/2-1)",
    "own",
    "first",
    "clockwise",
    "linear",
    "ntk",
    "amplitude",
    "half_angles",
    "half_frequencies",
    "float32_angles",
    "noise",
)
CACHE_KINDS = (
    "none",
    "4i/d",
    "first",
    "clockwise",
    "linear",
    "ntk",
    "yarn",
    "llama3",
    "amplitude",
    "half_angles",
    "half_frequencies",
    "float32_angles",
)
GROUPS = [
    {"4i/d", "i/d", "i/(d/2-1)", "own", "yarn", "llama3", "ntk"},
    {"half_angles", "half_frequencies", "float32_angles", "noise"},
    {"linear", "yarn", "llama3", "ntk"},
    {"own", "clockwise"},
    {"own", "linear"},
    {"own", "half_angles"},
    {"own", "half_frequencies"},
    {"own", "float32_angles"},
]


def together(a, b):
    return a != b and not any(a in group and b in group for group in GROUPS)


def made(kinds, rng, rotary):
    spec = plain_spec(rng, rotary)
    for kind in kinds:
        change(spec, kind, rng)
    if "half_angles" in kinds and "first" in spec:
        spec["first"] = min(spec["first"], 2)  # bfloat16 keeps no positions far out
    name = ("cache " if rotary else "table ") + "+".join(kinds)
    arrays = cache(spec, rng) if rotary else table(spec, rng)
    case = Case(
        name, arrays, truth(spec, "rotary" if rotary else "sinusoidal"), noisy="noise" in kinds
    )
    case.spec = spec
    return case


def lists(kind, rng):
    """inv_freq with one convention or mistake."""
    spec = {
        "d": int(rng.choice(WIDTHS)),
        "base": float(rng.choice(BASES[3:])),
        "layout": None,
        "form": str(rng.choice(["float64", "float32"])),
    }
    if kind == "half":
        spec["form"] = str(rng.choice(["float16", "bfloat16"]))
        spec["d"] = max(spec["d"], 16)
    elif kind == "proportional":
        spec.update(scaling="proportional", d=256, turning=int(rng.choice([16, 32, 64])))
    elif kind == "longrope":
        spec["d"] = max(spec["d"], 32)
        n = spec["d"] // 2
        spec.update(scaling="longrope", factors=np.round(np.sort(1 + 30 * rng.random(n)), 2))
        spec["base"] = 1e4
    elif kind != "none":
        change(spec, kind, rng)
        spec.pop("T", 0)
    w = to(spec["form"], frequencies(spec))
    out = truth(spec, "rotary")
    out["precision"] = (spec["form"], "frequencies")
    case = Case("list " + kind, w, out)
    case.spec = spec
    return case


LIST_KINDS = ("none", "linear", "ntk", "yarn", "llama3", "half", "proportional", "longrope")


def right(case, d):
    """What is wrong with a diagnosis, [] if nothing."""
    wrong = []
    for key, want in case.truth.items():
        if key == "base":
            base, exponent = want
            near = 0.05 if case.noisy else 2e-3 if "half" in case.name else 1e-3
            if exponent == "own":
                ok = d.exponent == "own" and (
                    abs(math.log(d.base / base)) < near
                    or abs(math.log(d.base / base**2)) < near
                    or abs(math.log(d.base / base**0.5)) < near
                )
            else:
                ok = any(
                    e == exponent and abs(math.log(b / base)) < near * max(1, math.log(base))
                    for b, e in d.readings
                )
            if not ok:
                wrong.append((key, want, d.base, d.exponent))
        elif key == "precision":
            form, where = want
            if d.precision != form or (where and d.where != where):
                wrong.append((key, want, d.precision, d.where))
        elif key in ("factor", "amplitude"):
            got = getattr(d, key)
            near = 0.02 if case.noisy or key == "amplitude" else 2e-3
            if (want is None) != (got is None) or (want is not None and abs(got / want - 1) > near):
                wrong.append((key, want, got))
        elif getattr(d, key) != want:
            wrong.append((key, want, getattr(d, key)))
    if case.problem and case.problem not in d.problems:
        wrong.append(("problem", case.problem, d.problems))
    return wrong


def slopes(heads):
    """`get_slopes` of the authors' program, with its recursion."""

    def power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(heads).is_integer():
        return power(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return power(closest) + slopes(2 * closest)[0::2][: heads - closest]


def alibi(heads, length, causal=True, sign=-1, form="float64"):
    x = np.zeros((heads, length, length))
    for h, m in enumerate(slopes(heads)):
        for t in range(length):
            for s in range(length):
                x[h, t, s] = -np.inf if causal and s > t else sign * m * abs(t - s)
    return to(form, x)


def bucket(offset, buckets, farthest, both):
    """One bucket of T5, as `_relative_position_bucket` has it, in float64."""
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


def buckets(length, count=32, farthest=128, both=True):
    return np.array(
        [[bucket(s - t, count, farthest, both) for s in range(length)] for t in range(length)]
    )


def grid(rows, columns, d, base, layout, order="rows", class_row=False):
    """Sines and cosines of a row's and a column's number, half of the entries each."""
    n = d // 4
    out = []
    for r in range(rows):
        for c in range(columns):
            both = (r, c) if order == "rows" else (c, r)
            entry = []
            for p in both:
                w = [base ** (-i / n) for i in range(n)]
                s, k = [math.sin(p * v) for v in w], [math.cos(p * v) for v in w]
                entry += (
                    s + k
                    if layout == "sines_first"
                    else [x for y in zip(s, k, strict=True) for x in y]
                )
            out.append(entry)
    return np.array(([[0.0] * d] if class_row else []) + out)


def smooth(length, width, rng):
    """A table that training could have made: noise, smoothed over positions."""
    t = np.arange(length)
    x = np.zeros((length, width))
    for _ in range(6):
        wave = rng.uniform(0.5, 8) * 2 * np.pi / length
        x += np.outer(np.sin(wave * t + rng.uniform(0, 6)), rng.normal(0, 0.05, width))
    return x + rng.normal(0, 0.01, x.shape)


def others(rng):
    """Whatever is no table, cache or list of the above: name, arrays, and keys of the diagnosis."""
    t = np.arange(64)
    w = 1e4 ** (-np.arange(32) / 32)
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    table_ = np.stack([s, c], -1).reshape(64, 64)
    cc, ss = np.concatenate([c, c], 1), np.concatenate([s, s], 1)
    yield Case("slopes 8", np.array(slopes(8)), {"scheme": "alibi"})
    yield Case("slopes 12", to("float32", slopes(12)), {"scheme": "alibi"})
    yield Case(
        "slopes of the paper",
        2.0 ** (-8 * np.arange(1, 13) / 12),
        {"scheme": "alibi"},
        "slopes_of_the_paper",
    )
    for heads in (1, 4, 8, 12):
        for form in FORMS:
            yield Case(
                f"alibi {heads} {form}",
                alibi(heads, 20, bool(heads % 3), form=form),
                {"scheme": "alibi", "sure": True},
            )
    yield Case("alibi grows", alibi(8, 16, False, 1), {"scheme": "alibi"}, "bias_sign")
    yield Case(
        "alibi transposed", alibi(8, 16).swapaxes(1, 2), {"scheme": "alibi"}, "bias_transposed"
    )
    yield Case("alibi scaled", alibi(8, 16) * 8, {"scheme": "alibi"}, "slopes_scaled")
    yield Case("alibi heads reversed", alibi(8, 16)[::-1], {"scheme": "alibi"}, "slopes_order")
    yield Case("alibi one axis more", alibi(8, 16)[None], {"scheme": "alibi", "sure": True})
    keys = np.array(slopes(8))[:, None, None] * np.arange(40)
    yield Case("alibi of keys", keys, {"scheme": "alibi", "sure": True})
    for count, far, both in ((32, 128, True), (32, 128, False), (64, 128, True)):
        b = buckets(160, count, far, both)
        yield Case(f"buckets {count} {both}", b, {"scheme": "t5", "sure": True})
        weights = rng.normal(0, 1, (count, 6))
        yield Case(
            f"t5 bias {count} {both}", weights[b].transpose(2, 0, 1), {"scheme": "t5", "sure": True}
        )
    for layout in ("sines_first", "interleaved"):
        for order in ("rows", "columns"):
            yield Case(
                f"grid {layout} {order}",
                grid(9, 14, 64, 1e4, layout, order, order == "rows"),
                {"scheme": "sinusoidal", "layout": layout, "width": 64, "sure": True},
                "class_row" if order == "rows" else "",
            )
    yield Case(
        "grid square", grid(14, 14, 192, 1e4, "sines_first"), {"scheme": "sinusoidal", "sure": True}
    )
    row = table_.copy()
    row[1] = 0
    yield Case("padding row", row, {"scheme": "sinusoidal", "base": (1e4, "2i/d")}, "padding_row")
    row = table_.copy()
    row[40:] = 0
    yield Case("rows never filled", row, {"scheme": "sinusoidal"}, "zero_rows")
    row = table_.copy()
    row[50, 3] = np.nan
    yield Case("not finite", row, {"scheme": "sinusoidal"}, "not_finite")
    row = table_.copy()
    row[48:] = row[47]
    yield Case("clamped", row, {"scheme": "sinusoidal"}, "rows_off")
    row = table_.copy()
    row[48:] = row[:16]
    yield Case("wrapped", row, {"scheme": "sinusoidal"}, "rows_off")
    row = table_.copy()
    row[:, 6:8] = rng.normal(0, 0.5, (64, 2))
    yield Case("a pair lost", row, {"scheme": "sinusoidal"}, "pairs_off")
    yield Case("rows reversed", table_[::-1].copy(), {"scheme": "sinusoidal"}, "reversed")
    yield Case("added twice", table_ * 2, {"scheme": "sinusoidal", "amplitude": 2.0}, "added_twice")
    yield Case("root of the width", table_ * 8, {"scheme": "sinusoidal"}, "amplitude")
    swapped = np.stack([c, s], -1).reshape(64, 64)
    yield Case(
        "cosine first",
        swapped,
        {"scheme": "sinusoidal", "layout": "interleaved"},
        "cosine_before_sine",
    )
    yield Case("odd width", np.delete(table_, 63, 1), {"scheme": "sinusoidal"}, "odd_width")
    yield Case(
        "pairs from one",
        (s * 0 + np.sin(np.outer(t, w * w[1])), np.cos(np.outer(t, w * w[1]))),
        {"scheme": "rotary"},
        "pairs_from_one",
    )
    yield Case("cos and sin swapped", (ss, cc), {"scheme": "rotary"}, "swapped")
    yield Case("mixed layouts", (cc, np.repeat(s, 2, 1)), {"scheme": "rotary"}, "mixed_layouts")
    yield Case("four axes", (cc[None, None], ss[None, None]), {"scheme": "rotary", "sure": True})
    yield Case("cosines alone", cc, {"scheme": "rotary", "layout": "repeated_halves", "sure": True})
    yield Case("cache of zeros", (cc * 0, ss * 0), {"scheme": "none"}, "all_zero")
    yield Case("cos 1, sin 0", (cc * 0 + 1, ss * 0), {"scheme": "none"}, "all_zero")
    y = 0.1 * math.log(4) + 1
    a = np.outer(t, yarn(64, 4, 4096, 1e4))
    yield Case(
        "yarn with its factor",
        (np.cos(a) * y, np.sin(a) * y),
        {"scheme": "rotary", "scaling": "yarn", "amplitude": y, "problems": []},
    )
    known = {"scheme": "rotary", "sure": True, "problems": []}
    for d, s, at, base in (
        (64, 32, 19, 5e4),
        (128, 16, 35, 5e5),
        (32, 4, 1, 1e4),
        (32, 4, 14, 1e4),
    ):
        truths = {**known, "base": (base, "2i/d"), "scaling": "llama3", "factor": s}
        x = step(d, s, at, base)
        yield Case(f"a step at pair {at}", x, truths)
        yield Case(f"a step at pair {at}, float32", to("float32", x), truths)
    half = {**truths, "problems": ["half_precision_frequencies"]}
    for form in ("float16", "bfloat16"):
        yield Case(f"a step in {form}", to(form, step(64, 8, 12, 1e4)), {**half, "factor": 8})
    x = step(32, 4, 0, 1e4)
    yield Case("a step at the first pair", x, {**truths, "scaling": "linear"})
    x = step(32, 4, 16, 1e4)
    yield Case("a step at no pair", x, {**truths, "scaling": "none", "factor": 1})
    a = np.outer(t, step(32, 4, 6, 1e4))
    yield Case("cache with a step", (np.cos(a), np.sin(a)), truths)
    truths = {**truths, "scaling": "yarn", "amplitude": y}
    yield Case("cache with a step of YaRN", (np.cos(a) * y, np.sin(a) * y), truths)
    yield Case("yarn's factor alone", (cc * y, ss * y), {"scheme": "rotary"}, "amplitude")
    yield Case("zeros", np.zeros(32), {"scheme": "none"}, "all_zero")
    yield Case("not falling", rng.random(32), {"scheme": "unknown"}, "not_falling")
    yield Case("not a number", np.where(np.arange(32) == 5, np.nan, w), {}, "not_finite")
    yield Case("negative", np.where(np.arange(32) == 5, -w, w), {}, "")
    one = w.copy()
    one[7] = 0.5
    yield Case("one frequency lost", one, {"scheme": "rotary", "base": (1e4, "2i/d")}, "pairs_off")
    table_ = smooth(96, 32, rng)
    yield Case("learned", table_, {"scheme": "learned"})
    long = np.repeat(table_, 2, 0)
    long[1:-1:2] = (table_[:-1] + table_[1:]) / 2
    long = long[:-1]
    yield Case("learned, stretched", long, {"scheme": "learned"}, "resized")
    yield Case(
        "learned, wrapped", np.concatenate([table_, table_]), {"scheme": "learned"}, "wrapped"
    )
    row = table_.copy()
    row[1] = 0
    yield Case("learned, padding", row, {"scheme": "learned"}, "padding_row")
    row = table_.copy()
    row[60:] = row[59]
    yield Case("learned, copies", row, {"scheme": "learned"}, "same_rows_of_table")
    row = rng.normal(0, 1, (96, 32))
    row[64:] *= 0.02
    yield Case("learned, untrained", row, {"scheme": "learned"}, "rows_untrained")


def strangers(rng, count):
    """Arrays that follow no rule of the doctor's: nothing sure may be said of their scheme."""
    lengths, widths = (16, 17, 32, 64, 100), (2, 3, 4, 8, 16, 32)
    for k in range(count):
        length, d = int(rng.choice(lengths)), int(rng.choice(widths))
        n = int(rng.integers(2, 65))
        kind = k % 12
        if kind == 0:
            x = rng.standard_normal((length, d)) * float(rng.choice([0.02, 1]))
        elif kind == 1:
            x = rng.random((length, d)) * 2 - 1
        elif kind == 2:
            x = np.cumsum(rng.standard_normal((length, d)), 0) * 0.1
        elif kind == 3:
            x = smooth(length, d, rng)
        elif kind == 4:
            x = rng.standard_normal(n)
        elif kind == 5:
            x = np.sort(rng.random(n))[::-1].copy()
        elif kind == 6:
            x = np.exp(-np.cumsum(rng.random(n)))
        elif kind == 7:
            x = np.exp(-np.cumsum(rng.random(n) * 0.2))
            x = to(str(rng.choice(["float16", "bfloat16"])), x / x[0])
        elif kind == 8:
            a = rng.random((length, d)) * 6.28
            x = (np.cos(a), np.sin(a))
        elif kind == 9:
            a = np.outer(np.arange(length), np.sort(rng.random(d) * 3)[::-1])
            x = (np.cos(a), np.sin(a))
        elif kind == 10:
            a = np.outer(np.arange(length), rng.random(max(2, d // 2)))
            x = np.stack([np.sin(a), np.cos(a)], -1).reshape(length, -1)
        else:
            x = rng.standard_normal((int(rng.choice([1, 4])), length, length))
        yield kind, x


def packed(x):
    """An array for JSON, without losing a bit: shape, and numbers or "nan", "inf", "-inf"."""
    numbers = [v if math.isfinite(v) else str(v) for v in np.asarray(x, float).reshape(-1).tolist()]
    return {"shape": list(np.shape(x)), "numbers": numbers}


def unpacked(x):
    return np.array([float(v) for v in x["numbers"]]).reshape(x["shape"])


def write(file, times, largest=4096):
    """Small cases of every kind with the diagnosis in text and data, a line each."""
    from pe_lib.doctor import identify

    rng = np.random.default_rng(2026)
    cases = [
        made([kind], rng, rotary)
        for rotary, kinds in ((False, TABLE_KINDS), (True, CACHE_KINDS))
        for kind in kinds
        for _ in range(times)
    ]
    cases += [lists(kind, rng) for kind in LIST_KINDS for _ in range(times)]
    cases += list(others(rng))
    cases += [Case(f"stranger {kind}", x) for kind, x in strangers(rng, 12 * times)]
    count = 0
    with file.open("w", encoding="utf-8") as out:
        for case in cases:
            arrays = case.arrays if isinstance(case.arrays, tuple) else (case.arrays,)
            if sum(np.size(x) for x in arrays) > largest:
                arrays = [
                    x[: max(16, largest // (len(arrays) * x.shape[1]))] if x.ndim == 2 else x
                    for x in arrays
                ]
            d = identify(*arrays)
            line = {
                "name": case.name,
                "arrays": [packed(x) for x in arrays],
                "text": str(d),
                "diagnosis": json.loads(d.to_json()),
            }
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    return count


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), 8), "cases")
