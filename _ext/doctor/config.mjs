// Reads what a configuration asks for. pe_lib.checkpoints reads those of a hundred kinds of models; the page reads
// the kinds whose layers all turn alike, from a few keys, and says of all others that it does not read them.
/* global DATA */
import { doctor } from "./doctor.mjs";
import { formatNumber } from "./formats.mjs";
import { np } from "./numpy.mjs";
import { refuse } from "./texts.mjs";

const { _config, _spacing } = doctor;
const SIZES = ["head_dim", "hidden_size", "num_attention_heads", "num_hidden_layers"];
const KEYS = ["rope_theta", "rope_scaling", "rope_parameters", "max_position_embeddings", "sliding_window", ...SIZES];
const elsewhere = (what) =>
  refuse(`${what} is not read on this page; python -m pe_lib.doctor config.json reads it, and does so in full`);

// Returns a positive number of a configuration, or what stands in for it if the key is missing
function number(data, key, standIn = undefined) {
  const value = data[key] ?? standIn;
  if (value === null || (Number.isFinite(value) && value > 0)) return value;
  return elsewhere(value === undefined ? `A configuration without '${key}'` : `'${key}' = ${JSON.stringify(value)}`);
}

// Returns what all layers of a configuration do, as pe_lib.doctor._config.read_groups does
export function groups(config) {
  const kind = config.model_type,
    model = DATA.kinds[kind],
    present = Object.keys(config).filter((key) => config[key] !== null);
  if (typeof kind !== "string") refuse("neither a list of numbers nor a model's configuration: it has no model_type");
  if (!model) elsewhere(`A model of type '${kind}'`);
  const data = { ...model.defaults, ...config },
    rope = config.rope_parameters ?? config.rope_scaling ?? model.defaults.rope_parameters ?? {},
    type = rope.rope_type ?? rope.type ?? "default",
    keys = DATA.rope_keys[type];
  if (!keys || typeof rope !== "object") elsewhere(`rope_type ${JSON.stringify(type)}`);
  if (config.rope_scaling && config.rope_parameters) elsewhere("A rope_scaling beside rope_parameters");
  const strange =
    present.find((key) => !KEYS.includes(key) && (DATA.read_keys.includes(key) || key.startsWith("rope"))) ??
    Object.keys(rope).find((key) => !["rope_type", "type", "rope_theta", ...keys].includes(key));
  if (strange) elsewhere(`'${strange}'`);
  const [own, hidden, heads] = SIZES.map((key) => number(data, key, null)),
    layers = number(data, "num_hidden_layers"),
    turned = own ?? hidden / heads,
    base = number(rope, "rope_theta", null) ?? number(data, "rope_theta"),
    name = layers > 1 ? `all ${formatNumber(layers)} layers` : "the only full layer";
  if (!(layers % 1 === 0 && turned % 2 === 0 && turned <= 65536 && base > 1)) elsewhere("Such a size or base");
  if (config.rope_theta && base !== config.rope_theta) elsewhere("A rope_theta beside another");
  return [
    new _config.Group(name, [...Array(layers).keys()], {
      ...{ scheme: "rotary", kind: "full", part: "decoder", base, layout: model.layout, turned, scaling: type },
      ...{ amplitude: 1, first_position: 0, slopes: null, axes: null, rows: null, buckets: null },
      ...scale(type, rope, turned / 2, base),
    }),
  ];
}

// Returns n frequencies by the type of scaling, and the amplitude if it is not 1
function scale(type, rope, n, base) {
  const s = type === "default" ? 1 : number(rope, "factor"),
    of = (key, standIn) => number(rope, key, standIn);
  if (s < 1) elsewhere("A factor below 1");
  if (type === "linear" || type === "default") return { frequencies: np.div(_spacing.plain_frequencies(n, base), s) };
  const trained = of("original_max_position_embeddings"),
    bend = (ramp) => _spacing.bend_frequencies(n, base, s, ramp);
  if (type === "llama3") {
    const turns = [of("low_freq_factor"), of("high_freq_factor")];
    return { frequencies: bend(_spacing.llama3_ramp(n, base, trained, ...turns)) };
  }
  const ends = [rope.truncate ?? true, of("beta_fast", 32), of("beta_slow", 1)],
    grow = (mscale) => 0.1 * mscale * Math.log(s) + 1,
    [one, all] = [of("mscale", null), of("mscale_all_dim", null)],
    amplitude = of("attention_factor", null) ?? (one && all ? grow(one) / grow(all) : grow(1));
  return { amplitude, frequencies: bend(_spacing.yarn_ramp(n, base, trained, ...ends)) };
}
