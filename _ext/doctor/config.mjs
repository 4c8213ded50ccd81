// What a model's config.json says of its positions, in the words of a diagnosis: pe_lib/doctor/_config.py.
/* global WORDS */
import { byTurns, ends, yarn } from "./bends.mjs";
import { diagnosis, problem, without } from "./diagnosis.mjs";
import { bound, significant, told } from "./numbers.mjs";
import { plain } from "./spacing.mjs";
import { map, most, range } from "./series.mjs";

const KEYS = [
  "model_type",
  "architectures",
  "rope_theta",
  "rope_scaling",
  "rope_parameters",
  "hidden_size",
  "n_positions",
  "max_position_embeddings",
];
const isDictionary = (x) => typeof x === "object" && x !== null && !Array.isArray(x);

// Whether this JSON is a model's configuration and no array
export const isConfig = (data) => isDictionary(data) && KEYS.some((key) => key in data);

function number(data, ...names) {
  for (const name of names) {
    const value = data[name];
    if (typeof value !== "number") continue;
    if (!(Math.abs(value) < 1e300)) throw new Error(`${name} must be a finite number`);
    return value;
  }
  return null;
}

// The positions of a configuration of transformers 4 or 5
export function read(given) {
  const data = isDictionary(given.text_config) ? { ...given, ...given.text_config } : given;
  const kind = String(data.model_type ?? "");
  const want = {
    scheme: "unknown",
    base: null,
    width: null,
    scaling: null,
    factor: null,
    amplitude: null,
    length:
      Math.trunc(number(data, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length") ?? 0) || null,
    padding: Number.isInteger(data.pad_token_id) ? data.pad_token_id : null,
    w: null,
    short: null,
    details: {},
    problems: [],
  };
  if (
    data.alibi ||
    data.attn_config?.alibi ||
    ["bloom", "mpt"].includes(kind) ||
    data.position_embedding_type === "alibi"
  ) {
    const heads = number(data, "num_attention_heads", "n_heads", "n_head");
    return Object.assign(want, { scheme: "alibi", details: { heads: heads ? Math.trunc(heads) : null } });
  }
  if ("relative_attention_num_buckets" in data) {
    const buckets = Math.trunc(number(data, "relative_attention_num_buckets") || 32);
    return Object.assign(want, {
      scheme: "t5",
      details: { buckets, max_distance: Math.trunc(number(data, "relative_attention_max_distance") || 128) },
    });
  }
  let rope = data.rope_parameters || data.rope_scaling || {};
  if (!isDictionary(rope)) throw new Error("rope_scaling must be a dictionary");
  const parts = Object.values(rope);
  if (parts.length && parts.every(isDictionary)) rope = rope.full_attention ?? parts[0]; // one for each kind of layer
  const named = [
    "rope_theta",
    "rotary_emb_base",
    "rotary_pct",
    "rotary_dim",
    "partial_rotary_factor",
    "rope_base",
  ].some((key) => key in data);
  const width = (...names) => Math.trunc(number(data, ...names) ?? 0) || null;
  if (data.sinusoidal_pos_embds || WORDS.models.waves.includes(kind)) {
    return Object.assign(want, { scheme: "sinusoidal", base: 1e4, width: width("d_model", "hidden_size", "dim") });
  }
  if (!Object.keys(rope).length && !WORDS.models.turned.includes(kind) && !named) {
    const known =
      WORDS.models.learned.includes(kind) || data.position_embedding_type === "absolute" || "n_positions" in data;
    return Object.assign(want, {
      scheme: known ? "learned" : "unknown",
      width: width("hidden_size", "n_embd", "d_model"),
    });
  }
  return rotary(want, data, rope);
}

function rotary(want, data, rope) {
  Object.assign(want, { scheme: "rotary", scaling: "none", factor: 1, amplitude: 1 });
  const base = number(rope, "rope_theta") || number(data, "rope_theta", "rotary_emb_base", "rope_base");
  if (base === null) want.problems.push(["base_missing", {}]);
  else if (!(base > 1 && base < 1e300)) throw new Error(`rope_theta must be above 1, got ${told(base)}`);
  want.base = base || 1e4;
  const heads = number(data, "num_attention_heads", "n_head", "n_heads"),
    hidden = number(data, "hidden_size", "n_embd", "d_model");
  const head =
    number(data, "qk_rope_head_dim", "head_dim", "attention_head_dim") ??
    (heads && hidden ? Math.floor(hidden / heads) : null);
  const part = number(rope, "partial_rotary_factor") || number(data, "partial_rotary_factor", "rotary_pct");
  const kind = String(rope.rope_type || rope.type || "default");
  const width = kind === "proportional" ? head : number(data, "rotary_dim") || (head && head * (part || 1));
  if (!width) return want;
  if (!(width >= 2 && width <= 2 ** 16))
    throw new Error(`the head's width must be from 2 to 65536, got ${told(width)}`);
  want.width = Math.floor(Math.trunc(width) / 2) * 2;
  const n = want.width / 2,
    s = number(rope, "factor") || 1;
  if (!(s > 0)) throw new Error(`factor must be positive, got ${told(s)}`);
  let w = plain(n, want.base);
  const length = number(data, "max_position_embeddings");
  const own = number(rope, "original_max_position_embeddings") || number(data, "original_max_position_embeddings");
  if (kind === "linear") {
    [want.scaling, want.factor, w] = ["linear", s, map(w, (v) => v / s)];
  } else if (kind === "llama3") {
    const [low, high] = [number(rope, "low_freq_factor") || 1, number(rope, "high_freq_factor") || 4];
    [want.scaling, want.factor, w] = ["llama3", s, byTurns(n, want.base, s, own || 8192, low, high)];
  } else if (kind === "yarn") {
    const trained = own || length;
    if (!trained) throw new Error("YaRN needs original_max_position_embeddings");
    const pairs = ends(
      n,
      want.base,
      trained,
      Boolean(rope.truncate ?? true),
      number(rope, "beta_fast") || 32,
      number(rope, "beta_slow") || 1,
    );
    [want.scaling, want.factor, w] = ["yarn", s, yarn(n, want.base, s, ...pairs)];
    want.amplitude = yarnAmplitude(rope, s);
  } else if (kind === "longrope" || kind === "su") {
    const factors = rope.long_factor || rope.short_factor;
    if (!positive(factors, n)) throw new Error(`long_factor must be ${n} positive numbers`);
    [want.scaling, want.factor, w] = ["longrope", null, map(w, (v, i) => v / factors[i])];
    const ratio = length && own ? length / own : s;
    if (ratio > 1 && own) want.amplitude = Math.sqrt(1 + Math.log(ratio) / Math.log(own));
    want.amplitude = number(rope, "attention_factor") || want.amplitude;
    if (positive(rope.short_factor, n)) want.short = map(plain(n, want.base), (v, i) => v / rope.short_factor[i]);
  } else if (kind === "proportional") {
    const turning = Math.trunc(Math.floor(((part || 1) * width) / 2));
    [want.scaling, want.factor, w] = ["proportional", s, map(w, (v, i) => (i < turning ? v : 0) / s)];
  } else if (!["default", "dynamic", "mrope"].includes(kind)) {
    want.problems.push(["scaling_unknown", { found: kind.slice(0, 40) }]);
  }
  want.w = w;
  return want;
}

const positive = (factors, n) =>
  Array.isArray(factors) && factors.length === n && factors.every((f) => typeof f === "number" && f > 0 && f < 1e300);

// The attention factor, if not given 0.1 ln s + 1; DeepSeek's two settings make a quotient
function yarnAmplitude(rope, s) {
  const given = number(rope, "attention_factor"),
    one = number(rope, "mscale"),
    all = number(rope, "mscale_all_dim");
  if (given !== null) return given;
  if (s <= 1) return 1;
  const grown = (scale) => 0.1 * scale * Math.log(s) + 1;
  return one && all ? grown(one) / grown(all) : grown(1);
}

// The configuration itself, diagnosed: what it asks for, and what it leaves out
export function configured(want) {
  const { scheme, base, width, scaling, factor, amplitude } = want;
  const d = diagnosis({ scheme, base, width, scaling, factor, amplitude });
  d.sure = scheme !== "unknown" && !want.problems.length;
  if (scheme === "rotary") {
    Object.assign(d, { exponent: "2i/d", readings: [[base, "2i/d"]] });
    d.alternatives.push("A configuration does not show the layout that the weights need.");
    if (want.w) d.picture = { frequencies: want.w, rule: want.w };
  }
  Object.assign(d.details, want.details, {
    notes: ["Read from a configuration: what it asks for, not what was computed."],
  });
  for (const [name, words] of want.problems) problem(d, name, words);
  return d;
}

// The problems that are left, or come up, where the configuration is known: what is as configured is no
// problem any more, what differs is one
export function against(d, want, length = 0) {
  const agreed = meant(d, want);
  agreed.forEach((name) => without(d, name));
  for (const [name, words] of want.problems) problem(d, name, words);
  if (want.scheme !== "unknown" && d.scheme !== want.scheme) {
    problem(d, "scheme_differs", { found: d.scheme, wanted: want.scheme });
    return d;
  }
  const differs = (name, found, wanted) => problem(d, name, { found: told(found), wanted: told(wanted) });
  if (want.scheme === "alibi") {
    const { heads } = want.details,
      seen = d.details.heads ?? null;
    if (heads && seen !== null && seen !== heads) differs("width_differs", seen, heads);
    return d;
  }
  if (want.width && d.width && d.width !== want.width) differs("width_differs", d.width, want.width);
  if (["learned", "sinusoidal"].includes(want.scheme) && want.length && length) {
    const offset = agreed.includes("padding_row") ? (want.padding || 0) + 1 : 2;
    if (!(length >= want.length && length <= want.length + offset)) differs("length_differs", length, want.length);
  }
  const measured = d.picture.frequencies;
  if (want.scheme === "rotary" && want.w && measured && d.width === want.width) {
    frequencies(d, want, measured);
  } else if (want.base && d.base) {
    const kinds = d.readings.length ? d.readings : [[d.base, ""]];
    if (!kinds.some(([b]) => Math.abs(Math.log(b / want.base)) < 1e-3)) differs("base_differs", d.base, want.base);
  }
  if (d.direction !== null && want.amplitude && d.amplitude && Math.abs(d.amplitude / want.amplitude - 1) > 3e-3) {
    differs("amplitude_differs", d.amplitude, want.amplitude);
  }
  return d;
}

// Problems that the configuration means to be so
function meant(d, want) {
  const out = [];
  if (d.problems.includes("padding_row") && want.padding !== null) out.push("padding_row");
  if (want.amplitude && d.amplitude && Math.abs(d.amplitude / want.amplitude - 1) < 3e-3) out.push("amplitude");
  if (want.scheme === "learned") out.push("same_rows_of_table");
  return out;
}

// Whether the measured frequencies are the configured ones, and if not, why
function frequencies(d, want, w) {
  const tolerance = d.problems.some((name) => name.startsWith("half")) ? 2e-2 : 1e-4;
  let off;
  for (const target of [want.w, want.short]) {
    if (!target) continue;
    const slow = map(target, (v) => d.where !== "frequencies" && v * 64 < 1e-6); // too slow to measure
    off = map(w, (v, i) => (!slow[i] && want.w[i] > 0 && v > 0 ? Math.abs(v / target[i] - 1) : 0));
    if (most(off) <= tolerance && range(w.length).every((i) => slow[i] || w[i] > 0 === want.w[i] > 0)) return;
  }
  d.picture.wanted = want.w;
  const far = most(off) * (1 - 1e-9),
    at = off.findIndex((v) => v >= far); // the first of those that are off alike
  const before = d.problems.length;
  const times = want.w[at] > 0 && w[at] > 0 ? w[at] / want.w[at] : 0;
  const evidence = `pair ${told(at)} turns ${times ? told(significant(times, 3)) : "0"} times as fast`;
  if (d.base !== null && !d.readings.some(([b, e]) => e === "2i/d" && Math.abs(Math.log(b / want.base)) < 1e-3)) {
    problem(d, "base_differs", { found: told(d.base), wanted: told(want.base) }, evidence);
  }
  const wanted = want.factor ?? 1,
    found = d.factor ?? 1;
  const step = "step" in d.details && ["llama3", "yarn"].includes(want.scaling); // either has steps
  if ((d.scaling !== want.scaling && !step) || Math.abs(found - wanted) > 1e-3 * wanted) {
    problem(d, "scaling_differs", { found: by(d.scaling, d.factor), wanted: by(want.scaling, want.factor) }, evidence);
  }
  if (d.problems.length === before) problem(d, "frequencies_differ", { share: bound(off[at]), pair: told(at) });
}

function by(scaling, factor) {
  if (scaling === null || scaling === "none") return "none";
  return factor !== null && factor !== 1 ? `${scaling} by ${told(factor)}` : scaling;
}
