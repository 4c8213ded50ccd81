// From what was dropped or pasted to diagnoses: what belongs together, and a configuration to compare with.
import { against, configured, read } from "./config.mjs";
import { identify } from "./identify.mjs";

// Each array that is positions, diagnosed: [{title, diagnosis, arrays}]. With a configuration among
// them, the others are compared with it.
export function answers(given) {
  const configs = given.filter((item) => item.config),
    found = given.filter((item) => !item.config),
    wanted = configs.map((item) => read(item.config));
  if (!found.length)
    return wanted.map((group, k) => ({ title: configs[k].name, diagnosis: configured(group), arrays: [] }));
  return together(found).map((arrays) => {
    const d = arrays.length === 2 ? identify(...arrays) : one(arrays[0]),
      names = arrays.map(({ name }) => name).filter(Boolean);
    return { title: names.join(", "), diagnosis: wanted.length ? against(d, arrays, wanted[0]) : d, arrays };
  });
}

// One array, whose name may say what its numbers cannot
function one(item) {
  const { name = "", shape, data } = item;
  if (/cos_sin_cache$/.test(name) && shape.length === 2 && shape[1] % 2 === 0) {
    const half = shape[1] / 2,
      side = (from) => ({
        shape: [shape[0], half],
        data: Float64Array.from(
          { length: shape[0] * half },
          (_, k) => data[Math.floor(k / half) * shape[1] + from + (k % half)],
        ),
      });
    return identify(side(0), side(half));
  }
  const d = identify(item);
  if (/relative_attention_bias/.test(name) && ["learned", "unknown"].includes(d.scheme)) {
    Object.assign(d, { scheme: "t5", layout: null });
    d.details.buckets = shape[0];
  }
  return d;
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
