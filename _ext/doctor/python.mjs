// Implements as much of Python as pe_lib.doctor uses. The code that translate.py writes calls these operators, methods
// of containers, builtins, and a few names of the standard library. Lists and tuples are arrays, and dictionaries are
// maps.
import { DOTS, NDArray, Slice, get, kernels, np, roundToEven, set } from "./numpy.mjs";

const isNumber = (x) => typeof x === "number";
const isArray = (x) => x instanceof NDArray;

export function truth(x) {
  if (Array.isArray(x)) return x.length > 0;
  if (x instanceof Map || x instanceof Set) return x.size > 0;
  if (isArray(x)) return x.data.some(Boolean);
  return Boolean(x) || Number.isNaN(x);
}

// Return what a loop runs over, which for a dictionary is its keys
const iter = (x) => (x instanceof Map ? x.keys() : x);

// --- Operators ---

// Return an operator: a kernel applies it to numbers and arrays, and `whole` applies it to lists, texts and sets
const operator = (name, whole) => (a, b) =>
  (isNumber(a) && isNumber(b)) || isArray(a) || isArray(b) ? kernels[name](a, b) : whole(a, b);

// Compare two numbers, two texts, or two lists, which are ordered by the first item in which they differ
function compare(a, b) {
  if (!Array.isArray(a)) return a < b ? -1 : Number(a > b);
  const at = a.findIndex((v, k) => k >= b.length || compare(v, b[k]) !== 0);
  return at < 0 ? a.length - b.length : at >= b.length ? 1 : compare(a[at], b[at]);
}
const isEqual = (a, b) =>
  Array.isArray(a) && Array.isArray(b) ? a.length === b.length && a.every((v, k) => isEqual(v, b[k])) : a === b;
const slice = (x, index) => (Array.isArray(x) ? Array.from(index.of(x.length), (k) => x[k]) : sliceText(x, index));
const sliceText = (text, index) => Array.from(index.of(text.length), (k) => text[k]).join("");

function item(x, ...index) {
  if (isArray(x)) return get(x, index);
  const [key] = index;
  if (key instanceof Slice) return slice(x, key);
  if (x instanceof Map) {
    if (!x.has(key)) throw new Error(`no ${key}`);
    return x.get(key);
  }
  return x.at(Number(key));
}
function setItem(x, value, ...index) {
  if (isArray(x)) set(x, index, value);
  else if (x instanceof Map) x.set(index[0], value);
  else x[index[0] < 0 ? x.length + index[0] : index[0]] = value;
}

// --- Builtins ---

const sorted = (x, { key = (v) => v, reverse = false } = {}) => {
  const sign = reverse ? -1 : 1;
  return [...iter(x)]
    .map((v) => [key(v), v])
    .sort((a, b) => sign * compare(a[0], b[0]))
    .map(([, v]) => v);
};
// Return min or max, which take several arguments or one list, and return the first of equal values
const best = (sign) => {
  return (...values) => {
    const options = values.at(-1)?.constructor === Object ? values.pop() : {},
      { key = (v) => v } = options,
      all = [...(values.length === 1 ? iter(values[0]) : values)];
    if (!all.length) return options.default;
    return all.reduce((a, b) => (sign * compare(key(b), key(a)) < 0 ? b : a));
  };
};
function* zip(...lists) {
  const all = lists.map((x) => [...iter(x)]);
  for (let k = 0; k < Math.min(...all.map((x) => x.length)); k++) yield all.map((x) => x[k]);
}
function* enumerate(x, from = 0) {
  let k = from;
  for (const v of iter(x)) yield [k++, v];
}
function* islice(x, count) {
  let k = 0;
  if (count > 0)
    for (const v of x) {
      yield v;
      if (++k === count) return;
    }
}
function next(x, otherwise) {
  const { done, value } = x.next();
  if (done && otherwise === undefined) throw new Error("nothing left");
  return done ? otherwise : value;
}
const dict = (pairs = [], more = []) => new Map([...(pairs instanceof Map ? pairs : iter(pairs)), ...more]);

// Write a value as Python does. Lists are written as tuples, because those that the doctor writes are shapes.
const str = (x) => {
  if (Array.isArray(x)) return `(${x.map(str).join(", ")}${x.length === 1 ? "," : ""})`;
  return x instanceof Error ? x.message : String(x);
};
const isinstance = (x, kind) => {
  if (kind === py.tuple || kind === py.list) return Array.isArray(x);
  return kind === dict ? x instanceof Map : kind === str ? typeof x === "string" : x instanceof kind;
};

// --- Methods of lists, dictionaries, sets and strings ---

const methods = {
  append: (x, v) => x.push(v),
  sort: (x, how) => x.splice(0, x.length, ...sorted(x, how)),
  get: (x, key, otherwise = null) => (x.has(key) ? x.get(key) : otherwise),
  setdefault: (x, key, value) => x.set(key, x.has(key) ? x.get(key) : value).get(key),
  update: (x, more) => more.forEach((v, k) => (x instanceof Set ? x.add(v) : x.set(k, v))),
  items: (x) => [...x],
  fromkeys: (_, keys) => new Map(Array.from(iter(keys), (k) => [k, null])),
  join: (glue, parts) => [...iter(parts)].join(glue),
  format: (text, words) => text.replace(/\{(\w+)\}/g, (_, name) => words.get(name)).replace(/\{\{(.*?)\}\}/g, "{$1}"),
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  strip: (text) => text.trim(),
  rstrip: (text, letters) => text.replace(new RegExp(`[${letters}]+$`), ""),
  replace: (text, old, other) => text.replaceAll(old, other),
  startswith: (text, start) => text.startsWith(start),
  endswith: (text, end) => text.endsWith(end),
  partition(text, mark) {
    const at = text.indexOf(mark);
    return at < 0 ? [text, "", ""] : [text.slice(0, at), mark, text.slice(at + mark.length)];
  },
};

// A match is JavaScript's array, of which [1] is the first group, as in Python
const re = {
  compile: (source) => ({
    search: (text) => text.match(source),
    sub: (other, text) => text.replace(new RegExp(source, "g"), other.replace("\\", "$")),
  }),
  search: (source, text) => text.match(source),
  split: (source, text) => text.split(new RegExp(source)),
};

export const py = {
  ...kernels,
  add: operator("add", (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b)),
  sub: operator("sub", (a, b) => (a instanceof Set ? new Set([...a].filter((v) => !b.has(v))) : a - b)),
  bitor: operator("bitor", (a, b) => {
    if (a instanceof Set) return new Set([...a, ...b]);
    return a instanceof Map ? new Map([...a, ...b]) : Boolean(a || b);
  }),
  eq: operator("eq", isEqual),
  noteq: operator("noteq", (a, b) => !isEqual(a, b)),
  lt: operator("lt", (a, b) => compare(a, b) < 0),
  lte: operator("lte", (a, b) => compare(a, b) <= 0),
  gt: operator("gt", (a, b) => compare(a, b) > 0),
  gte: operator("gte", (a, b) => compare(a, b) >= 0),
  not: (x) => !truth(x),
  is: (a, b) => (b === null ? a == null : a === b),
  and: (a, b) => (truth(a) ? b() : a),
  or: (a, b) => (truth(a) ? a : b()),
  contains: (all, x) => {
    if (all instanceof Map || all instanceof Set) return all.has(x);
    return typeof all === "string" ? all.includes(x) : [...all].some((v) => isEqual(v, x));
  },
  truth,
  iter,
  item,
  setItem,
  slice: (start, stop, step) => new Slice(start, stop, step ?? 1),
  dots: DOTS,
  dict,
  str,
  methods,
  // Builtins, and names that the translated modules import
  all: (x) => [...iter(x)].every(truth),
  any: (x) => [...iter(x)].some(truth),
  bool: Boolean,
  callable: (x) => typeof x === "function",
  enumerate,
  float: (x) => Number(typeof x === "string" ? x.replace("inf", "Infinity") : x),
  getattr: (x, name, otherwise) => x[name] ?? otherwise,
  hash: (x) => x,
  int: (x) => Math.trunc(Number(x)),
  isinstance,
  len: (x) => (isArray(x) ? x.shape[0] : (x.length ?? x.size)),
  list: (x = []) => [...iter(x)],
  tuple: (x) => [...iter(x)],
  map: (f, x) => Array.from(iter(x), (v) => f(v)),
  max: best(-1),
  min: best(1),
  next,
  range: (...ends) => [...np.arange(...ends)],
  round: (x, digits = 0) => (digits ? Number(x.toFixed(digits)) : roundToEven(x)),
  set: (x = []) => new Set(iter(x)),
  sum: (x) => [...iter(x)].reduce((total, v) => total + Number(v), 0),
  sorted,
  zip,
  re,
  islice,
  replace: (x, changes) => Object.assign(Object.create(Object.getPrototypeOf(x)), x, changes),
  pi: Math.PI,
  tau: 2 * Math.PI,
  ceil: Math.ceil,
  exp: Math.exp,
  floor: Math.floor,
  isfinite: Number.isFinite,
  log: Math.log,
  log10: Math.log10,
};
