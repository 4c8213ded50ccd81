"""What a model's config.json says of its positions, in the words of a diagnosis."""

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.context import temperature
from pe_lib.doctor import _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import bound, significant, told

Floats = NDArray[np.float64]

LEARNED = {"gpt2", "bert", "roberta", "opt", "xlm-roberta", "camembert", "electra", "vit", "deit",
           "clip_text_model", "gpt_neo", "bart", "openai-gpt", "albert", "ernie"}  # fmt: skip
WAVES = {"whisper", "marian", "xlm", "speech_to_text", "m2m_100", "pegasus", "fsmt", "xglm"}
TURNED = {"llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi",
          "phi3", "gpt_neox", "gptj", "olmo", "olmo2", "cohere", "stablelm", "deepseek_v3",
          "granite", "starcoder2", "smollm3", "gpt_oss", "glm", "codegen"}  # fmt: skip


@dataclass
class Wanted:
    """What a configuration asks for."""

    scheme: str = "unknown"
    base: float | None = None
    width: int | None = None
    scaling: str | None = None
    factor: float | None = None
    amplitude: float | None = None
    length: int | None = None
    padding: int | None = None
    w: Floats | None = None
    details: dict[str, Any] = field(default_factory=dict)
    problems: list[tuple[str, dict[str, str]]] = field(default_factory=list)


def is_config(data: Any) -> bool:
    """Whether this JSON is a model's configuration and no array."""
    keys = {"model_type", "architectures", "rope_theta", "rope_scaling", "rope_parameters",
            "hidden_size", "n_positions", "max_position_embeddings"}  # fmt: skip
    return isinstance(data, dict) and bool(keys & data.keys())


def _number(data: dict[str, Any], *names: str) -> float | None:
    for name in names:
        value = data.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if not abs(value) < 1e300:
                raise ValueError(f"{name} must be a finite number")
            return float(value)
    return None


def read(data: dict[str, Any]) -> Wanted:
    """The positions of a configuration of transformers 4 or 5.

    Raises ValueError where a number is missing without which nothing can be computed.
    """
    if isinstance(data.get("text_config"), dict):
        data = {**data, **data["text_config"]}
    kind = str(data.get("model_type", ""))
    want = Wanted()
    length = _number(data, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    want.length = int(length) if length else None
    padding = data.get("pad_token_id")
    want.padding = padding if isinstance(padding, int) else None
    attention = data.get("attn_config")
    alibi = data.get("alibi") or (isinstance(attention, dict) and attention.get("alibi"))
    if alibi or kind in ("bloom", "mpt") or data.get("position_embedding_type") == "alibi":
        want.scheme = "alibi"
        heads = _number(data, "num_attention_heads", "n_heads", "n_head")
        want.details["heads"] = int(heads) if heads else None
        return want
    if "relative_attention_num_buckets" in data:
        want.scheme = "t5"
        want.details["buckets"] = int(_number(data, "relative_attention_num_buckets") or 32)
        far = _number(data, "relative_attention_max_distance")
        want.details["max_distance"] = int(far or 128)
        return want
    rope = data.get("rope_parameters") or data.get("rope_scaling") or {}
    if not isinstance(rope, dict):
        raise ValueError("rope_scaling must be a dictionary")
    if rope and all(isinstance(v, dict) for v in rope.values()):  # one for each kind of layer
        rope = rope.get("full_attention") or next(iter(rope.values()))
    rotary = bool(rope) or kind in TURNED or any(
        name in data for name in ("rope_theta", "rotary_emb_base", "rotary_pct", "rotary_dim",
                                  "partial_rotary_factor", "rope_base"))  # fmt: skip
    if data.get("sinusoidal_pos_embds") or kind in WAVES:
        want.scheme, want.base = "sinusoidal", 1e4
        width = _number(data, "d_model", "hidden_size", "dim")
        want.width = int(width) if width else None
        return want
    if not rotary:
        known = kind in LEARNED or data.get("position_embedding_type") == "absolute"
        want.scheme = "learned" if known or "n_positions" in data else "unknown"
        width = _number(data, "hidden_size", "n_embd", "d_model")
        want.width = int(width) if width else None
        return want
    _rotary(want, data, rope)
    return want


def _rotary(want: Wanted, data: dict[str, Any], rope: dict[str, Any]) -> None:
    want.scheme, want.scaling, want.factor, want.amplitude = "rotary", "none", 1.0, 1.0
    base = _number(rope, "rope_theta") or _number(
        data, "rope_theta", "rotary_emb_base", "rope_base"
    )
    if base is None:
        want.problems.append(("base_missing", {}))
    elif not 1 < base < 1e300:
        raise ValueError(f"rope_theta must be above 1, got {told(base)}")
    want.base = base or 1e4
    heads = _number(data, "num_attention_heads", "n_head", "n_heads")
    hidden = _number(data, "hidden_size", "n_embd", "d_model")
    head = _number(data, "qk_rope_head_dim", "head_dim", "attention_head_dim")
    if head is None and heads and hidden:
        head = hidden // heads
    part = _number(rope, "partial_rotary_factor") or _number(
        data, "partial_rotary_factor", "rotary_pct"
    )
    kind = str(rope.get("rope_type") or rope.get("type") or "default")
    width = _number(data, "rotary_dim") or (head and head * (part or 1.0))
    if kind == "proportional":
        width = head
    if not width:
        return
    if not 2 <= width <= 2**16:
        raise ValueError(f"the head's width must be from 2 to 65536, got {told(width)}")
    want.width = int(width) // 2 * 2
    n = want.width // 2
    w = _spacing.plain(n, want.base)
    s = _number(rope, "factor") or 1.0
    if not s > 0:
        raise ValueError(f"factor must be positive, got {told(s)}")
    length = _number(data, "max_position_embeddings")
    trained = _number(rope, "original_max_position_embeddings") or _number(
        data, "original_max_position_embeddings"
    )
    if kind == "linear":
        want.scaling, want.factor, w = "linear", s, w / s
    elif kind == "llama3":
        low, high = (_number(rope, f"{x}_freq_factor") for x in ("low", "high"))
        rule = _spacing.by_turns(n, want.base, s, trained or 8192, low or 1.0, high or 4.0)
        want.scaling, want.factor, w = "llama3", s, rule
    elif kind == "yarn":
        fast, slow = _number(rope, "beta_fast") or 32.0, _number(rope, "beta_slow") or 1.0
        trained = trained or length
        if not trained:
            raise ValueError("YaRN needs original_max_position_embeddings")
        whole = bool(rope.get("truncate", True))
        low, high = _spacing.ends(n, want.base, trained, whole, fast, slow)
        w = _spacing.yarn(n, want.base, s, low, high)
        want.scaling, want.factor = "yarn", s
        want.amplitude = _yarn_amplitude(rope, s)
    elif kind in ("longrope", "su"):
        factors = rope.get("long_factor") or rope.get("short_factor")
        if not _positive(factors, n):
            raise ValueError(f"long_factor must be {n} positive numbers")
        want.scaling, want.factor, w = "longrope", None, w / np.asarray(factors, np.float64)
        ratio = length / trained if length and trained else s
        if ratio > 1 and trained:
            want.amplitude = sqrt(1 + log(ratio) / log(trained))
        want.amplitude = _number(rope, "attention_factor") or want.amplitude
        short = rope.get("short_factor")
        if _positive(short, n):
            want.details["short"] = _spacing.plain(n, want.base) / np.asarray(short, np.float64)
    elif kind == "proportional":
        turning = int((part or 1.0) * width // 2)
        want.scaling, want.factor = "proportional", s
        w = np.where(np.arange(n) < turning, w, 0.0) / s
    elif kind not in ("default", "dynamic", "mrope"):
        want.problems.append(("scaling_unknown", {"found": kind[:40]}))
    want.w = w


def _positive(factors: Any, n: int) -> bool:
    """Whether these are n positive numbers."""
    if not isinstance(factors, list) or len(factors) != n:
        return False
    return all(isinstance(f, (int, float)) and 0 < f < 1e300 for f in factors)


def _yarn_amplitude(rope: dict[str, Any], s: float) -> float:
    """The attention factor, if not given 0.1 ln s + 1; DeepSeek's two settings make a quotient."""
    given = _number(rope, "attention_factor")
    if given is not None:
        return given
    one, all_ = _number(rope, "mscale"), _number(rope, "mscale_all_dim")
    if s <= 1:
        return 1.0
    if one and all_:
        return (0.1 * one * log(s) + 1) / (0.1 * all_ * log(s) + 1)
    return temperature(s)


def diagnosis(want: Wanted) -> Diagnosis:
    """The configuration itself, diagnosed: what it asks for, and what it leaves out."""
    d = Diagnosis(scheme=want.scheme, base=want.base, width=want.width, scaling=want.scaling,
                  factor=want.factor, amplitude=want.amplitude)  # fmt: skip
    d.sure = want.scheme != "unknown" and not want.problems
    if want.scheme == "rotary" and want.base is not None:
        d.exponent = "2i/d"
        d.readings = [(want.base, "2i/d")]
        d.alternatives.append("A configuration does not show the layout that the weights need.")
    d.details.update({k: v for k, v in want.details.items() if k != "short"})
    d.details["notes"] = ["Read from a configuration: what it asks for, not what was computed."]
    for name, words in want.problems:
        d.problem(name, **words)
    return d


def against(d: Diagnosis, want: Wanted, length: int | None = None) -> Diagnosis:
    """The problems that are left, or come up, where the configuration is known.

    What is as configured is no problem any more; what differs is one.
    """
    agreed = _agreed(d, want)
    d.problems = [name for name in d.problems if name not in agreed]
    d.findings = [finding for finding in d.findings if finding.name not in agreed]
    for name, words in want.problems:
        d.problem(name, **words)
    if want.scheme != "unknown" and d.scheme != want.scheme:
        d.problem("scheme_differs", found=d.scheme, wanted=want.scheme)
        return d
    if want.scheme == "alibi":
        heads = want.details.get("heads")
        if heads and d.details.get("heads") not in (None, heads):
            d.problem("width_differs", found=told(d.details["heads"]), wanted=told(heads))
        return d
    if want.width and d.width and d.width != want.width:
        d.problem("width_differs", found=told(d.width), wanted=told(want.width))
    if want.scheme in ("learned", "sinusoidal") and want.length and length:
        offset = (want.padding or 0) + 1 if "padding_row" in agreed else 2
        if not want.length <= length <= want.length + offset:
            d.problem("length_differs", found=told(length), wanted=told(want.length))
    measured = d.picture.get("frequencies")
    if want.scheme == "rotary" and want.w is not None and measured and d.width == want.width:
        _frequencies(d, want, np.asarray(measured, np.float64))
    elif (
        want.base
        and d.base
        and not any(abs(log(b / want.base)) < 1e-3 for b, _ in d.readings or [(d.base, "")])
    ):
        d.problem("base_differs", found=told(d.base), wanted=told(want.base))
    if d.direction is not None and want.amplitude and d.amplitude:
        apart = abs(d.amplitude / want.amplitude - 1)
        if apart > 3e-3:
            d.problem("amplitude_differs", found=told(d.amplitude), wanted=told(want.amplitude))
    return d


def _agreed(d: Diagnosis, want: Wanted) -> set[str]:
    """Problems that the configuration means to be so."""
    out = set()
    if "padding_row" in d.problems and want.padding is not None:
        out.add("padding_row")
    if want.amplitude and d.amplitude and abs(d.amplitude / want.amplitude - 1) < 3e-3:
        out.add("amplitude")
    if want.scheme == "learned":
        out.add("same_rows_of_table")
    return out


def _frequencies(d: Diagnosis, want: Wanted, w: Floats) -> None:
    """Whether the measured frequencies are the configured ones, and if not, why."""
    assert want.w is not None and want.base is not None
    tolerance = 2e-2 if any(name.startswith("half") for name in d.problems) else 1e-4
    turning = (want.w > 0) & (w > 0)
    for target in (want.w, want.details.get("short")):
        if target is None:
            continue
        off = np.where(turning, np.abs(w / np.where(turning, target, 1.0) - 1), 0.0)
        slow = target * 64 < 1e-6 if d.where != "frequencies" else target < 0  # too slow to measure
        off = np.where(slow, 0.0, off)
        if off.max() <= tolerance and ((w > 0) == (want.w > 0))[~slow].all():
            return
    at = int(np.argmax(off >= off.max() * (1 - 1e-9)))  # the first of those that are off alike
    before = len(d.problems)
    times = float(w[at] / want.w[at]) if want.w[at] > 0 and w[at] > 0 else 0.0
    faster = told(significant(times, 3)) if times else "0"
    evidence = f"pair {told(at)} turns {faster} times as fast"
    if d.base is not None and not any(
        e == "2i/d" and abs(log(b / want.base)) < 1e-3 for b, e in d.readings
    ):
        d.problem("base_differs", evidence, found=told(d.base), wanted=told(want.base))
    wanted_factor = 1.0 if want.factor is None else want.factor
    found_factor = 1.0 if d.factor is None else d.factor
    step = "step" in d.details and want.scaling in ("llama3", "yarn")  # either has steps
    if (d.scaling != want.scaling and not step) or abs(
        found_factor - wanted_factor
    ) > 1e-3 * wanted_factor:
        d.problem("scaling_differs", evidence, found=_by(d.scaling, d.factor),
                  wanted=_by(want.scaling, want.factor))  # fmt: skip
    if len(d.problems) == before:
        d.problem("frequencies_differ", share=bound(float(off[at])), pair=told(at))


def _by(scaling: str | None, factor: float | None) -> str:
    if scaling in (None, "none"):
        return "none"
    return f"{scaling} by {told(factor)}" if factor not in (None, 1.0) else str(scaling)
