// What a configuration asks for, and whether numbers obey it: pe_lib/doctor/_config.py.
//
// pe_lib.checkpoints reads the configurations of some ninety kinds of models. Here are those of the kinds
// whose layers are all turned alike, from a few keys; of all others the page says that it doesn't read them.
/* global DATA */
import { diagnosis, problem } from "./diagnosis.mjs";
import { HALVES, UNIT, held } from "./formats.mjs";
import { bound, significant, told } from "./numbers.mjs";
import { every, largest, map, mean, range } from "./series.mjs";
import { byTurns, ends, plain, yarn } from "./spacing.mjs";
import { refuse } from "./texts.mjs";

const { EXACT } = DATA.constants.config;
const KEYS = [
  "rope_theta",
  "rope_scaling",
  "rope_parameters",
  "head_dim",
  "hidden_size",
  "num_attention_heads",
  "num_hidden_layers",
  "max_position_embeddings",
  "sliding_window",
];
const elsewhere = (what) =>
  refuse(`${what} is not read on this page; python -m pe_lib.doctor config.json reads it, and does so in full`);
const shown = (value) => (typeof value === "string" ? `'${value}'` : JSON.stringify(value));

// A positive number, of `least` at least; null if nothing stands there
function number(data, key, least = 0) {
  const value = data[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isFinite(value))
    refuse(`config['${key}'] must be a finite number, got ${shown(value)}`);
  if (value <= 0 || value < least)
    refuse(`config['${key}'] must be ${least ? `at least ${least}` : "positive"}, got ${value}`);
  return value;
}
function whole(data, key) {
  const value = number(data, key);
  if (value !== null && !Number.isInteger(value)) refuse(`config['${key}'] must be an integer from 1 on, got ${value}`);
  return value;
}
const needed = (value, key) => value ?? refuse(`config needs '${key}', which is not given`);

// What all layers of a configuration do: {name, frequencies, base, amplitude, width, scaling, factor, layout}
export function read(config) {
  const kind = config.model_type,
    known = DATA.kinds[kind];
  if (typeof kind !== "string") refuse("neither a list of numbers nor a model's configuration: it has no model_type");
  if (!known) elsewhere(`A model of type ${shown(kind)}`);
  const given = (key) => config[key] !== undefined && config[key] !== null;
  const strange = Object.keys(config).find(
    (key) => given(key) && !KEYS.includes(key) && (DATA.read_keys.includes(key) || key.startsWith("rope")),
  );
  if (strange) elsewhere(`'${strange}'`);
  if (given("rope_scaling") && given("rope_parameters")) elsewhere("A rope_scaling beside rope_parameters");
  const data = { ...known.defaults, ...config },
    rope = config.rope_parameters ?? config.rope_scaling ?? known.defaults.rope_parameters ?? {};
  if (typeof rope !== "object" || Array.isArray(rope))
    refuse(`config['rope_scaling'] must be a dictionary, got ${shown(rope)}`);
  const type = rope.rope_type ?? rope.type ?? "default",
    keys = DATA.rope_keys[type];
  if (!keys || ["dynamic", "longrope", "proportional"].includes(type)) elsewhere(`rope_type ${shown(type)}`);
  const unread = Object.keys(rope).find((key) => !["rope_type", "type", "rope_theta", ...keys].includes(key));
  if (unread) elsewhere(`'${unread}' beside rope_type '${type}'`);
  const layers = needed(whole(data, "num_hidden_layers"), "num_hidden_layers"),
    bases = [rope, config, known.defaults].map((part) => number(part, "rope_theta", 1)).filter((base) => base !== null),
    base = bases[0];
  if (base === 1) refuse("config['rope_theta'] must be greater than 1, got 1");
  if (given("rope_theta") && base !== config.rope_theta)
    refuse(`config contradicts itself: rope_theta is ${config.rope_theta} and ${base}`);
  return {
    name: layers > 1 ? `all ${told(layers)} layers` : "the only full layer",
    layout: known.layout,
    base,
    ...ruled(type, rope, widthOf(data), base),
  };
}

function widthOf(data) {
  const given = whole(data, "head_dim"),
    [hidden, heads] = ["hidden_size", "num_attention_heads"].map((key) => whole(data, key));
  const width = given ?? needed(hidden, "hidden_size") / needed(heads, "num_attention_heads");
  if (width % 2 || width > 65536) refuse(`a head must have an even number of entries, got ${width}`);
  return width;
}

// Frequencies and amplitude by the type of scaling
function ruled(type, rope, width, base) {
  const n = width / 2,
    s = type === "default" ? 1 : needed(number(rope, "factor", 1), "factor"),
    of = (key) => needed(number(rope, key), key);
  const asked = { width, scaling: type === "default" ? "none" : type, factor: s, amplitude: 1 };
  if (type === "linear" || type === "default") return { ...asked, frequencies: map(plain(n, base), (v) => v / s) };
  const trained = of("original_max_position_embeddings");
  if (type === "llama3")
    return { ...asked, frequencies: byTurns(n, base, s, trained, of("low_freq_factor"), of("high_freq_factor")) };
  const [fast, slow] = [number(rope, "beta_fast") ?? 32, number(rope, "beta_slow") ?? 1],
    frequencies = yarn(n, base, s, ...ends(n, base, trained, rope.truncate ?? true, fast, slow));
  const grown = (mscale) => 0.1 * mscale * Math.log(s) + 1,
    [one, all] = [number(rope, "mscale"), number(rope, "mscale_all_dim")];
  const amplitude = number(rope, "attention_factor") ?? (one && all ? grown(one) / grown(all) : grown(1));
  return { ...asked, frequencies, amplitude };
}

// What the layers are asked to do, in the words of a diagnosis
export function configured({ name, base, width, scaling, factor, amplitude, layout, frequencies }) {
  const d = diagnosis({
    scheme: "rotary",
    base,
    width,
    scaling,
    factor,
    amplitude,
    layout,
    exponent: "2i/d",
    sure: true,
  });
  d.readings = [[base, "2i/d"]];
  d.details.notes = [`Asked for by a configuration, for ${name}.`];
  d.picture = { frequencies, rule: frequencies };
  return d;
}

// A diagnosis d of `arrays`, where a configuration asks for this: numbers that it gives back are right,
// whatever else was thought of them; otherwise problems say how they differ
export function against(d, arrays, group) {
  const form = explained(arrays, group, d);
  d.picture.wanted = group.frequencies;
  if (form) {
    const kept = d.findings.filter(
      ({ name }) => name === "printed" || (HALVES.includes(form) && name.includes("half")),
    );
    Object.assign(d, {
      scheme: "rotary",
      findings: kept,
      problems: kept.map(({ name }) => name),
      sure: true,
      alternatives: [],
    });
    if (HALVES.includes(form) && !kept.length) problem(d, "half_precision_frequencies", { form });
    d.details.fits = group.name;
    d.details.notes = [...(d.details.notes ?? []), `As configured: fits ${group.name}.`];
  } else if (d.scheme !== "rotary") problem(d, "scheme_differs", { found: d.scheme, wanted: "rotary" });
  else if (arrays.length < 2 || !changed(d, arrays, group)) turned(d, arrays, group);
  return d;
}

// The format to whose rounding the configuration gives these numbers back, or null
function explained(arrays, group, d) {
  const [x, sines] = arrays;
  if (sines) return ofCache(x, sines, group, d);
  return x.shape.length === 1 ? near(x.data, group.frequencies) : null;
}

function near(x, w) {
  if (x.length !== w.length) return null;
  const within = (more) => every(x, (v, i) => Math.abs(v - w[i]) <= EXACT * w[i] + more(w[i]));
  if (within(() => 0)) return "float32";
  // half a unit of the last place, and below 6e-5 float16 has fixed steps of 2^-24
  const form = held(x),
    step = form === "float16" ? 2 ** -25 : 0;
  return HALVES.includes(form) && within((v) => Math.max(UNIT[form] * v, step)) ? form : null;
}

// Whether cosines and sines (T, n or 2n) are those of the configuration, from position 0 on
function ofCache(cos, sin, { frequencies: w, amplitude }, d) {
  const n = w.length,
    width = cos.shape.at(-1),
    rows = cos.data.length / width;
  if (cos.data.length !== sin.data.length || (width !== n && width !== 2 * n)) return null;
  const coarse = d.problems.some((name) => name.includes("half")),
    unit = UNIT[held(cos.data, sin.data)],
    off = coarse ? UNIT.bfloat16 : EXACT;
  const orders = width === n ? [(j) => j] : [(j) => j % n, (j) => j >> 1];
  const fits = (order) =>
    range(rows).every((t) =>
      range(width).every((j) => {
        const angle = t * w[order(j)],
          allowed = amplitude * (unit + off * (1 + angle)),
          far = (x, right) => Math.abs(x.data[t * width + j] - amplitude * right) > allowed;
        return !far(cos, Math.cos(angle)) && !far(sin, Math.sin(angle));
      }),
    );
  if (!orders.some(fits)) return null;
  return coarse ? "bfloat16" : "float32";
}

// Whether cosines and sines are the configuration's, exchanged or with another amplitude
function changed(d, [cos, sin], group) {
  const amplitude = mean(map(cos.data, (v, k) => Math.hypot(v, sin.data[k])));
  if (explained([sin, cos], group, d)) problem(d, "swapped");
  else if (amplitude > 0 && explained([cos, sin], { ...group, amplitude }, d))
    problem(d, "amplitude_differs", { found: told(amplitude), wanted: told(group.amplitude) });
  else return false;
  return true;
}

// How frequencies, or cosines and sines, differ
function turned(d, arrays, group) {
  const w = arrays.length === 1 ? arrays[0].data : (d.picture.frequencies ?? []),
    right = group.frequencies;
  if (w.length !== right.length) {
    problem(d, "width_differs", { found: told(w.length ? 2 * w.length : d.width), wanted: told(group.width) });
    return;
  }
  // |ln(w / right)| of each pair; of a pair that stands still in one of them, 1
  const apart = map(right, (v, i) => (w[i] > 0 && v > 0 ? Math.abs(Math.log(w[i] / v)) : Number(w[i] > 0 !== v > 0)));
  const far = apart[largest(apart)] * (1 - 1e-9),
    at = apart.findIndex((v) => v >= far); // the first of those that are off alike
  const times = w[at] > 0 && right[at] > 0 ? told(significant(w[at] / right[at], 3)) : "0",
    evidence = `pair ${told(at)} turns ${times} times as fast`,
    before = d.problems.length;
  // the base as told, too: with another exponent it is the exponent that differs
  const usual = d.readings.some(
    ([base, kind]) => ["2i/d", d.exponent].includes(kind) && Math.abs(Math.log(base / group.base)) < 1e-3,
  );
  if (d.base && !usual) problem(d, "base_differs", { found: told(d.base), wanted: told(group.base) }, evidence);
  if (d.sure && (d.scaling !== group.scaling || Math.abs(Math.log((d.factor ?? 1) / group.factor)) > 1e-3))
    problem(d, "scaling_differs", { found: by(d), wanted: by(group) }, evidence);
  // another exponent is told already
  if (d.problems.length === before && !["4i/d", "i/d"].includes(d.exponent))
    problem(d, "frequencies_differ", { share: bound(Math.expm1(apart[at])), pair: told(at) }, evidence);
}

function by({ scaling, factor }) {
  if (scaling === null || scaling === "none") return "none";
  return factor !== null && factor !== 1 ? `${scaling} by ${told(factor)}` : scaling;
}
