// Reads what a configuration asks for. pe_lib.checkpoints reads the configurations of a hundred kinds of models. The
// page reads those kinds whose layers all rotate alike, from a few keys, and refuses all others with a message.
import { DATA } from "#generated/doctor.mjs";
import { doctor } from "./doctor.mjs";
import { formatNumber } from "./formats.mjs";
import { np } from "./numpy.mjs";
import { refuse } from "./texts.mjs";

const { _requirements, _spacing } = doctor;
const SIZES = ["head_dim", "hidden_size", "num_attention_heads", "num_hidden_layers"];
const KEYS = ["rope_theta", "rope_scaling", "rope_parameters", "max_position_embeddings", "sliding_window", ...SIZES];
const refuseUnread = (what) =>
  refuse(`${what} is not read on this page; python -m pe_lib.doctor config.json reads it, and does so in full`);

// Return a positive number of a configuration, or the default if the key is missing
function readNumber(data, key, byDefault = undefined) {
  const value = data[key] ?? byDefault;
  if (value === null || (Number.isFinite(value) && value > 0)) return value;
  return refuseUnread(value === undefined ? `A configuration without '${key}'` : `'${key}' = ${JSON.stringify(value)}`);
}

// Return what the layers of a configuration do, as read_groups of pe_lib.doctor._requirements does
export function readGroups(config) {
  const kind = config.model_type,
    model = DATA.kinds[kind],
    present = Object.keys(config).filter((key) => config[key] !== null);
  if (typeof kind !== "string") refuse("neither a list of numbers nor a model's configuration: it has no model_type");
  if (!model) refuseUnread(`A model of type '${kind}'`);
  const data = { ...model.defaults, ...config },
    rope = config.rope_parameters ?? config.rope_scaling ?? model.defaults.rope_parameters ?? {},
    type = rope.rope_type ?? rope.type ?? "default",
    keys = DATA.rope_keys[type];
  if (!keys || typeof rope !== "object") refuseUnread(`rope_type ${JSON.stringify(type)}`);
  if (config.rope_scaling && config.rope_parameters) refuseUnread("A rope_scaling beside rope_parameters");
  const unreadKey =
    present.find((key) => !KEYS.includes(key) && (DATA.read_keys.includes(key) || key.startsWith("rope"))) ??
    Object.keys(rope).find((key) => !["rope_type", "type", "rope_theta", ...keys].includes(key));
  if (unreadKey) refuseUnread(`'${unreadKey}'`);
  const [own, hidden, heads] = SIZES.map((key) => readNumber(data, key, null)),
    layers = readNumber(data, "num_hidden_layers"),
    rotaryWidth = own ?? hidden / heads,
    base = readNumber(rope, "rope_theta", null) ?? readNumber(data, "rope_theta"),
    name = layers > 1 ? `all ${formatNumber(layers)} layers` : "the only full layer";
  if (!(layers % 1 === 0 && rotaryWidth % 2 === 0 && rotaryWidth <= 65536 && base > 1))
    refuseUnread("Such a size or base");
  if (config.rope_theta && base !== config.rope_theta) refuseUnread("A rope_theta beside another");
  return [
    new _requirements.Group(name, [...Array(layers).keys()], {
      ...{
        scheme: "rotary",
        kind: "full",
        part: "decoder",
        base,
        layout: model.layout,
        repeats: model.repeats,
        turned: rotaryWidth,
        width: rotaryWidth,
        scaling: type,
      },
      ...{ amplitude: 1, first_position: 0, slopes: null, axes: null, rows: null, row_width: null, buckets: null },
      ...scaleFrequencies(type, rope, rotaryWidth / 2, base),
    }),
  ];
}

// Return n frequencies by the type of scaling, and also the amplitude if it is not 1
function scaleFrequencies(type, rope, n, base) {
  const s = type === "default" ? 1 : readNumber(rope, "factor"),
    readOwn = (key, byDefault) => readNumber(rope, key, byDefault);
  if (s < 1) refuseUnread("A factor below 1");
  if (type === "linear" || type === "default") return { frequencies: np.div(_spacing.plain_frequencies(n, base), s) };
  const trained = readOwn("original_max_position_embeddings"),
    bend = (ramp) => _spacing.bend_frequencies(n, base, s, ramp);
  if (type === "llama3") {
    const turns = [readOwn("low_freq_factor"), readOwn("high_freq_factor")];
    return { frequencies: bend(_spacing.llama3_ramp(n, base, trained, ...turns)) };
  }
  const ends = [rope.truncate ?? true, readOwn("beta_fast", 32), readOwn("beta_slow", 1)],
    grow = (mscale) => 0.1 * mscale * Math.log(s) + 1,
    [one, all] = [readOwn("mscale", null), readOwn("mscale_all_dim", null)],
    amplitude = readOwn("attention_factor", null) ?? (one && all ? grow(one) / grow(all) : grow(1));
  return { amplitude, frequencies: bend(_spacing.yarn_ramp(n, base, trained, ...ends)) };
}
