// What a reader found, taken along: as an address, or as the call that makes it.

const IS = {
  bool: (one) => typeof one === "boolean",
  list: Array.isArray,
  real: Number.isFinite,
  int: Number.isInteger,
};

// The value that the text of an address means for a trait, undefined if it is none
export function value(text, { type, values, min, max }) {
  if (values) return values.find((one) => String(one) === text);
  try {
    const one = JSON.parse(text),
      inside = !(one < (min ?? -Infinity) || one > (max ?? Infinity));
    return IS[type]?.(one) && inside ? one : undefined;
  } catch {
    return undefined;
  }
}

// The values that an address holds for the explorer `id`
export function found({ search, hash }, id, traits) {
  if (hash !== `#${id}`) return {};
  const read = [...new URLSearchParams(search)]
    .filter(([name]) => name in traits && name !== "story")
    .map(([name, text]) => [name, value(text, traits[name])]);
  return Object.fromEntries(read.filter(([, one]) => one !== undefined));
}

const text = (one) => (typeof one === "string" ? one : JSON.stringify(one));

// The step of its story that an address holds for the explorer `id`, from 0
export function foundStep({ search, hash }, id) {
  const step = Number(new URLSearchParams(search).get("step"));
  return hash === `#${id}` && Number.isInteger(step) && step > 0 ? step - 1 : 0;
}

// The address of the explorer `id` in this state and step, on the page at `here`
export function address(here, id, state, start, step = 0) {
  const changed = Object.entries(state).filter(([name, one]) => text(one) !== text(start[name])),
    query = new URLSearchParams(changed.map(([name, one]) => [name, text(one)]));
  if (step) query.set("step", String(step + 1));
  return `${here.split(/[?#]/)[0]}${query.size ? `?${query}` : ""}#${id}`;
}

// The Python call that makes an explorer in this state. What is long stands for itself: by the name of
// its argument if it was `given`, else not at all.
export function call(name, state, given) {
  function python(one) {
    if (typeof one === "boolean") return one ? "True" : "False";
    return Array.isArray(one) ? `[${one.map(python).join(", ")}]` : JSON.stringify(one);
  }
  const long = (one) => one && typeof one === "object" && JSON.stringify(one).length > 100;
  const named = Object.entries(state).filter(([key, one]) => !long(one) || given.includes(key));
  return `${name}(${named.map(([key, one]) => `${key}=${long(one) ? key : python(one)}`).join(", ")})`;
}
