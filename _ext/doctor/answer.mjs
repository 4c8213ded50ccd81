// From what was dropped or pasted to diagnoses: what belongs together, and a configuration to compare with.
import { groups } from "./config.mjs";
import { doctor } from "./doctor.mjs";
import { NDArray, np } from "./numpy.mjs";

const { _config, _identify, samples } = doctor;

const named = ([name, x]) => (x instanceof NDArray ? { name, shape: x.shape, data: x.data } : { name, config: x });
// The samples: [name, make], which makes what would be dropped
export const SAMPLES = samples.samples().map(([name, make]) => [name, () => Array.from(make(), named)]);

// Each array that is positions, diagnosed: [{title, diagnosis, wanted}]. With a configuration among
// them, the others are compared with it.
export function answers(given) {
  const configs = given.filter((item) => item.config),
    found = given.filter((item) => !item.config),
    asked = configs.map((item) => groups(object(item.config)));
  if (!found.length)
    return asked.map(([group], k) => ({ title: configs[k].name, diagnosis: _config.configured(group) }));
  return together(found).map((arrays) => {
    const numbers = halves(arrays),
      d = _identify.identify(...numbers),
      names = arrays.map(({ name }) => name).filter(Boolean);
    if (/relative_attention_bias/.test(names[0]) && ["learned", "unknown"].includes(d.scheme)) {
      Object.assign(d, { scheme: "t5", layout: null });
      d.details.set("buckets", arrays[0].shape[0]);
    }
    const wanted = asked[0]?.[0].layer.frequencies;
    return {
      title: names.join(", "),
      diagnosis: asked.length ? _config.against(d, numbers, asked[0]) : d,
      wanted,
    };
  });
}

const object = (x) => (x instanceof Map ? Object.fromEntries([...x].map(([key, value]) => [key, object(value)])) : x);

// The numbers; of a cache whose name says that it holds both, cosines and sines
function halves(arrays) {
  const numbers = arrays.map(({ shape, data }) => new NDArray(data, shape)),
    [{ name = "", shape }] = arrays;
  const both = /cos_sin_cache$/.test(name) && shape.length === 2 && shape[1] % 2 === 0;
  return both ? np.split(numbers[0], 2, { axis: 1 }) : numbers;
}

// Cosines and sines that belong together, by their names; everything else alone
function together(found) {
  const out = [],
    used = new Set();
  for (const item of found) {
    if (used.has(item)) continue;
    used.add(item);
    const twin = (a, b) => {
      const other = (item.name ?? "").replace(new RegExp(`(^|[._/]|freqs_)${a}(?=$|[._/]|_cached|_cache)`), `$1${b}`);
      return (
        other !== item.name &&
        found.find((x) => !used.has(x) && x.name === other && x.shape.join() === item.shape.join())
      );
    };
    const sine = twin("cos", "sin"),
      cosine = sine ? null : twin("sin", "cos");
    if (sine || cosine) used.add(sine || cosine);
    out.push(sine ? [item, sine] : cosine ? [cosine, item] : [item]);
  }
  return out;
}
