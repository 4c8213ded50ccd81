// What a configuration asks for: pe_lib.checkpoints reads those of a hundred kinds of models. Here are the kinds
// whose layers are all turned alike, from a few keys; of all others the page says that it doesn't read them.
/* global DATA */
import { doctor } from "./doctor.mjs";
import { np } from "./numpy.mjs";
import { told } from "./formats.mjs";
import { refuse } from "./texts.mjs";

const { _config, _spacing } = doctor;
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

// A positive number, of `least` at least; `otherwise` if nothing stands there, or else it is needed
function number(data, key, { least = 0, whole = false, otherwise = undefined } = {}) {
  const value = data[key] ?? otherwise;
  if (value === undefined) refuse(`config needs '${key}', which is not given`);
  const good = value === null || (Number.isFinite(value) && value > 0 && value >= least),
    wanted = whole ? "an integer from 1 on" : `a finite number, ${least ? `at least ${least}` : "positive"}`;
  if (!good || (whole && value !== null && !Number.isInteger(value)))
    refuse(`config['${key}'] must be ${wanted}, got ${shown(value)}`);
  return value;
}

// What all layers of a configuration do, as pe_lib.doctor._config.groups has it
export function groups(config) {
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
  const layers = number(data, "num_hidden_layers", { whole: true }),
    base = [rope, config, known.defaults]
      .map((part) => number(part, "rope_theta", { least: 1, otherwise: null }))
      .find((value) => value !== null);
  if (base === 1) refuse("config['rope_theta'] must be greater than 1, got 1");
  if (given("rope_theta") && base !== config.rope_theta)
    refuse(`config contradicts itself: rope_theta is ${config.rope_theta} and ${base}`);
  const name = layers > 1 ? `all ${told(layers)} layers` : "the only full layer",
    { layout } = known,
    more = { scheme: "rotary", base, layout, slopes: null, axes: null, rows: null, buckets: null, first_position: 0 };
  return [new _config.Group(name, [], { ...more, ...ruled(type, rope, widthOf(data), base) })];
}

function widthOf(data) {
  const size = (key, otherwise) => number(data, key, { whole: true, otherwise }),
    width = size("head_dim", null) ?? size("hidden_size") / size("num_attention_heads");
  if (width % 2 || width > 65536) refuse(`a head must have an even number of entries, got ${width}`);
  return width;
}

// Frequencies and amplitude by the type of scaling
function ruled(type, rope, turned, base) {
  const n = turned / 2,
    s = type === "default" ? 1 : number(rope, "factor", { least: 1 }),
    of = (key, otherwise) => number(rope, key, { otherwise }),
    asked = { turned, scaling: type, amplitude: 1 };
  if (type === "linear" || type === "default") return { ...asked, frequencies: np.div(_spacing.plain(n, base), s) };
  const trained = of("original_max_position_embeddings");
  if (type === "llama3") {
    const ramp = [of("low_freq_factor"), of("high_freq_factor")];
    return { ...asked, frequencies: _spacing.llama3(n, base, s, trained, ...ramp) };
  }
  const ramp = [rope.truncate ?? true, of("beta_fast", 32), of("beta_slow", 1)],
    grown = (mscale) => 0.1 * mscale * Math.log(s) + 1,
    [one, all] = [of("mscale", null), of("mscale_all_dim", null)],
    amplitude = of("attention_factor", null) ?? (one && all ? grown(one) / grown(all) : grown(1));
  return { ...asked, amplitude, frequencies: _spacing.yarn(n, base, s, trained, ...ramp) };
}
