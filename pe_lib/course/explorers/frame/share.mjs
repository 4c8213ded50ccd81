// Writes and reads what readers can share: an address that shows a state, or a Python call that makes the explorer.

/** @type {Record<string, (value: any) => boolean>} */
const IS_OF_TYPE = {
  bool: (value) => typeof value === "boolean",
  list: Array.isArray,
  real: Number.isFinite,
  int: Number.isInteger,
};

// Parse a trait's value from the text in an address, or return undefined if the trait does not allow the value.
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

// Return the values in an address for the explorer `id`. A trait with a `link` stands in addresses under this name. Its own
// name stands in older addresses, which had the opposite sign.
/** @type {(address: { search: string, hash: string }, id: string, traits: Record<string, Trait>) => Values} */
export function readValues({ search, hash }, id, traits) {
  if (hash !== `#${id}`) return {};
  const query = new URLSearchParams(search);
  const values = Object.entries(traits).flatMap(([name, trait]) => {
    const { link = name } = trait,
      [text, oldText] = [query.get(link), query.get(name)];
    if (name === "story" || (text ?? oldText) === null) return [];
    if (text !== null) return [[name, parseValue(text, trait)]];
    const old = parseValue(String(oldText), trait);
    return [[name, old && 0 - old]];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** @type {(value: any) => string} */
const writeValue = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// Return the story's step in an address for the explorer `id`, counted from 0.
/** @type {(address: { search: string, hash: string }, id: string) => number} */
export function readStep({ search, hash }, id) {
  const step = Number(new URLSearchParams(search).get("step"));
  return hash === `#${id}` && Number.isInteger(step) && step > 0 ? step - 1 : 0;
}

// Return the address of the explorer `id` in this state and step, on the page whose address is `page`.
/** @type {(page: string, id: string, state: State, start: State, traits: Record<string, Trait>, step?: number) => string} */
export function writeAddress(page, id, state, start, traits, step = 0) {
  const changes = Object.entries(state).filter(([name, value]) => writeValue(value) !== writeValue(start[name])),
    query = new URLSearchParams(changes.map(([name, value]) => [traits[name]?.link ?? name, writeValue(value)]));
  if (step) query.set("step", String(step + 1));
  return `${page.split(/[?#]/)[0]}${query.size ? `?${query}` : ""}#${id}`;
}

// Return the Python call that makes an explorer in this state.
// A long value is replaced by its argument's name if the name is in `argumentNames`. Otherwise it is left out.
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
