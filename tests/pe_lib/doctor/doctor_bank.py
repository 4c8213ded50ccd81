"""Made-up cases with known truths: every scheme, convention and mistake, alone and in pairs.

The arrays are made here from the papers' formulas, entry by entry in plain numpy; nothing of the
doctor or of the library is used. `python tests/pe_lib/doctor/doctor_bank.py FILE` writes small
cases with what the doctor says of them, one JSON object a line, for another language to agree with.
"""

import math
from dataclasses import dataclass, field
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
    d, T = spec["d"], spec["T"]
    if spec.get("exponent") == "own":
        j = np.arange(d)
        t = (np.arange(T) + spec.get("first", 0)).astype(np.float64)
        w = spec["base"] ** (-2 * (j if spec.get("own", 2) == 2 else j / 2) / d)
        a = np.outer(t, w)
        sine = j % 2 == 0 if spec["layout"] == "interleaved" else j < d // 2
        x = np.where(sine, np.sin(a), np.cos(a))
        return finish(spec, x, rng)
    a = angles(spec, frequencies(spec))
    s, c = np.sin(a) * spec.get("direction", 1), np.cos(a)
    layout = spec["layout"]
    if layout == "interleaved":
        x = np.empty((T, d))
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
    out = {"scheme": scheme, "base": (spec["base"], spec.get("exponent", "2i/d")),
           "width": spec["d"], "scaling": spec.get("scaling", "none")}  # fmt: skip
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
    spec = {"d": int(rng.choice(WIDTHS)), "T": int(rng.choice(LENGTHS)),
            "base": float(rng.choice(BASES)), "form": str(rng.choice(FORMS))}  # fmt: skip
    if spec["T"] * spec["d"] > 2**19:
        spec["T"] = 2**19 // spec["d"]
    spec["layout"] = str(rng.choice(
        ["repeated_halves", "repeated_pairs", ""] if rotary
        else ["interleaved", "interleaved", "sines_first", "cosines_first"]))  # fmt: skip
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
        spec.update(scaling="yarn", factor=float(rng.choice([2, 4, 8, 16, 32])),
                    trained=int(rng.choice([2048, 4096, 8192, 32768])),
                    whole=bool(rng.choice([True, False])),
                    base=float(rng.choice([1e4, 1e5, 5e5, 1e6])),
                    d=int(rng.choice([64, 128, 256])))  # fmt: skip
        spec["T"] = max(64, min(spec.get("T", 64), 2**19 // spec["d"]))
    elif kind == "llama3":
        spec.update(scaling="llama3", factor=float(rng.choice([4, 8, 16, 32])),
                    trained=int(rng.choice([4096, 8192, 16384])), base=5e5,
                    d=int(rng.choice([64, 128, 256])))  # fmt: skip
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


TABLE_KINDS = ("none", "4i/d", "i/d", "i/(d/2-1)", "own", "first", "clockwise", "linear", "ntk",
               "amplitude", "half_angles", "half_frequencies", "float32_angles", "noise")  # fmt: skip
CACHE_KINDS = ("none", "4i/d", "first", "clockwise", "linear", "ntk", "yarn", "llama3", "amplitude",
               "half_angles", "half_frequencies", "float32_angles")  # fmt: skip
GROUPS = [{"4i/d", "i/d", "i/(d/2-1)", "own", "yarn", "llama3", "ntk"},
          {"half_angles", "half_frequencies", "float32_angles", "noise"},
          {"linear", "yarn", "llama3", "ntk"}, {"own", "clockwise"}, {"own", "linear"},
          {"own", "half_angles"}, {"own", "half_frequencies"}, {"own", "float32_angles"}]  # fmt: skip


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
    case = Case(name, arrays, truth(spec, "rotary" if rotary else "sinusoidal"),
                noisy="noise" in kinds)  # fmt: skip
    case.spec = spec
    return case


def lists(kind, rng):
    """inv_freq with one convention or mistake."""
    spec = {"d": int(rng.choice(WIDTHS)), "base": float(rng.choice(BASES[3:])), "layout": None,
            "form": str(rng.choice(["float64", "float32"]))}  # fmt: skip
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
                ok = any(e == exponent and abs(math.log(b / base)) < near * max(1, math.log(base))
                         for b, e in d.readings)  # fmt: skip
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
