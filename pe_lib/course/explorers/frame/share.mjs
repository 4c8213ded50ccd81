// Writes and reads what readers can share: an address that shows a state, or a Python call that makes the explorer.

/** @type {Record<string, (value: any) => boolean>} */
const IS_OF_TYPE = {
  bool: (value) => typeof value === "boolean",
  list: Array.isArray,
  real: Number.isFinite,
  int: Number.isInteger,
};

// Parses a trait's value from the text in an address, or returns undefined if the trait does not allow the value.
/** @type {(text: string, trait: Trait) => any} */
export function parseValue(text, { type, values, min, max }) {
  if (values) return values.find((value) => String(value) === text);
  try {
    const value = JSON.parse(text),
      isInside = !(value < (min ?? -Infinity) || value > (max ?? Infinity));
    return IS_OF_TYPE[type]?.(value) && isInside ? value : undefined;
  } catch {
    return undefined;
  }
}

// Returns the values in an address for the explorer `id`.
/** @type {(address: { search: string, hash: string }, id: string, traits: Record<string, Trait>) => Values} */
export function readValues({ search, hash }, id, traits) {
  if (hash !== `#${id}`) return {};
  const values = [...new URLSearchParams(search)]
    .filter(([name]) => name in traits && name !== "story")
    .map(([name, text]) => [name, parseValue(text, traits[name])]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** @type {(value: any) => string} */
const writeValue = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// Returns the story's step in an address for the explorer `id`, counted from 0.
/** @type {(address: { search: string, hash: string }, id: string) => number} */
export function readStep({ search, hash }, id) {
  const step = Number(new URLSearchParams(search).get("step"));
  return hash === `#${id}` && Number.isInteger(step) && step > 0 ? step - 1 : 0;
}

// Returns the address of the explorer `id` in this state and step, on the page whose address is `page`.
/** @type {(page: string, id: string, state: State, start: State, step?: number) => string} */
export function writeAddress(page, id, state, start, step = 0) {
  const changes = Object.entries(state).filter(([name, value]) => writeValue(value) !== writeValue(start[name])),
    query = new URLSearchParams(changes.map(([name, value]) => [name, writeValue(value)]));
  if (step) query.set("step", String(step + 1));
  return `${page.split(/[?#]/)[0]}${query.size ? `?${query}` : ""}#${id}`;
}

// Returns the Python call that makes an explorer in this state.
// A long value is replaced by its argument's name if that is in `argumentNames` of the reader's own call, or left out.
/** @type {(name: string, state: State, argumentNames: string[]) => string} */
export function writeCall(name, state, argumentNames) {
  /** @type {(value: any) => string} */
  function python(value) {
    if (typeof value === "boolean") return value ? "True" : "False";
    return Array.isArray(value) ? `[${value.map(python).join(", ")}]` : JSON.stringify(value);
  }
  /** @type {(value: any) => boolean} */
  const isLong = (value) => value && typeof value === "object" && JSON.stringify(value).length > 100;
  const values = Object.entries(state).filter(([key, value]) => !isLong(value) || argumentNames.includes(key));
  return `${name}(${values.map(([key, value]) => `${key}=${isLong(value) ? key : python(value)}`).join(", ")})`;
}
