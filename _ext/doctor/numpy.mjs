// Implements as much of numpy as pe_lib.doctor uses. An array keeps its numbers row after row, and booleans in a type
// of their own. Reductions and indices follow numpy's rules. A part of an array is a copy, unless it is a slice of
// the first axis.
import { KERNELS } from "#generated/doctor.mjs";

const product = (shape) => shape.reduce((a, b) => a * b, 1);
const isBoolean = (x) => x.data instanceof Uint8Array;

export class NDArray {
  constructor(data, shape = [data.length]) {
    this.data = data;
    this.shape = shape;
  }
  get size() {
    return this.data.length;
  }
  get ndim() {
    return this.shape.length;
  }
  get T() {
    const [rows, columns] = this.shape.map((n) => Int32Array.from({ length: n }, (_, k) => k));
    return pick(this, addOffsets([columns, rows.map((k) => k * columns.length)]), this.shape.toReversed());
  }
  *[Symbol.iterator]() {
    for (let k = 0; k < this.shape[0]; k++) yield get(this, [k]);
  }
  tolist() {
    return Array.from(this, (x) => (x instanceof NDArray ? x.tolist() : x));
  }
  reshape(...shape) {
    const sizes = shape.flat(),
      rest = this.size / Math.abs(product(sizes));
    return new NDArray(
      this.data,
      sizes.map((n) => (n < 0 ? rest : n)),
    );
  }
  copy() {
    return new NDArray(this.data.slice(), this.shape);
  }
  astype(kind) {
    return kind === np.int64 ? kernels.trunc(this) : each(Number, this);
  }
  tobytes() {
    const { buffer, byteOffset, byteLength } = this.data;
    return new TextDecoder("latin1").decode(new Uint8Array(buffer, byteOffset, byteLength));
  }
  clip(low, high = Infinity) {
    return kernels.clip(this, low, high);
  }
}

// Each reduction makes one number of all numbers, or of each line along an axis
const REDUCTIONS = {
  sum(x) {
    let total = 0;
    for (let k = 0; k < x.length; k++) total += x[k];
    return total;
  },
  mean: (x) => REDUCTIONS.sum(x) / x.length,
  max(x) {
    let largest = -Infinity;
    for (let k = 0; k < x.length; k++) if (x[k] > largest) largest = x[k];
    return largest;
  },
  min: (x) => -REDUCTIONS.max(x.map((v) => -v)),
  argmax: (x) => x.reduce((at, v, k) => (v > x[at] ? k : at), 0),
  argmin: (x) => x.reduce((at, v, k) => (v < x[at] ? k : at), 0),
  any: (x) => x.some(Boolean),
  all: (x) => x.every(Boolean),
  median(x) {
    const all = x.toSorted(),
      half = all.length >> 1;
    return all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
  },
};

function reduce(name, x, { axis = null, keepdims = false } = {}) {
  const f = REDUCTIONS[name];
  if (axis === null) return f(x.data);
  const at = axis < 0 ? axis + x.ndim : axis,
    length = x.shape[at],
    inner = product(x.shape.slice(at + 1)),
    line = new Float64Array(length),
    short = keepdims ? x.shape.with(at, 1) : x.shape.toSpliced(at, 1),
    out = new (name === "any" || name === "all" ? Uint8Array : Float64Array)(product(short));
  for (let k = 0; k < out.length; k++) {
    const begin = Math.floor(k / inner) * length * inner + (k % inner);
    for (let i = 0; i < length; i++) line[i] = x.data[begin + i * inner];
    out[k] = f(line);
  }
  return short.length ? new NDArray(out, short) : out[0];
}

// Return the array for lists in lists; a number stays a number
function asarray(x, kind) {
  if (typeof x !== "object" || x instanceof NDArray) return x;
  const shape = [];
  for (let part = x; Array.isArray(part); part = part[0]) shape.push(part.length);
  const flat = x.flat(Infinity);
  if (flat.some((v) => v instanceof NDArray)) return stack(x.map((v) => asarray(v)));
  /** @type {any} */
  const Kind = typeof flat[0] === "boolean" || kind === np.bool_ ? Uint8Array : Float64Array;
  return new NDArray(Kind.from(flat, Number), shape);
}

// Return the entries of x at these offsets of its data
function pick(x, at, shape) {
  const { data } = x,
    out = new data.constructor(at.length);
  for (let k = 0; k < at.length; k++) out[k] = data[at[k]];
  return new NDArray(out, shape);
}

// --- Indices ---

export class Slice {
  constructor(start, stop, step = 1) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }
  // Return those of n indices that the slice selects
  of(n) {
    const { start, stop, step } = this,
      place = (at, least, most) => Math.min(Math.max(at < 0 ? at + n : at, least), most);
    const [low, high] = step > 0 ? [0, n] : [-1, n - 1],
      from = start == null ? (step > 0 ? 0 : n - 1) : place(start, low, high),
      to = stop == null ? (step > 0 ? n : -1) : place(stop, low, high);
    return Int32Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, k) => from + k * step);
  }
}
export const DOTS = Symbol("...");
const ALL = new Slice(null, null);

const stridesOf = (shape) => shape.map((_, axis) => product(shape.slice(axis + 1)));

// Add one offset from each part, in all combinations; the last part changes fastest
function addOffsets(parts, start = 0) {
  let offsets = Int32Array.of(start);
  for (const at of parts) {
    const next = new Int32Array(offsets.length * at.length);
    for (let i = 0, k = 0; i < offsets.length; i++) for (let j = 0; j < at.length; j++) next[k++] = offsets[i] + at[j];
    offsets = next;
  }
  return offsets;
}

// Return the offsets of the entries of x[index], and the shape that they form
function locate(x, index) {
  const indices = index.flatMap((i) => (i instanceof NDArray && isBoolean(i) ? nonzero(i) : [i])),
    left = x.ndim - indices.filter((i) => i !== null && i !== DOTS).length,
    withDots = indices.includes(DOTS) ? indices : [...indices, DOTS],
    complete = withDots.flatMap((i) => (i === DOTS ? new Array(left).fill(ALL) : [i])),
    strides = stridesOf(x.shape),
    parts = [];
  // All arrays of indices select together, and their axes stand where the first array is
  let [axis, start, arrays] = [0, 0, null];
  for (const i of complete) {
    if (i === null) {
      parts.push(new NDArray(Int32Array.of(0)));
      continue;
    }
    const n = x.shape[axis],
      step = strides[axis++],
      place = (k) => (k < 0 ? k + n : k) * step;
    if (i instanceof Slice) parts.push(new NDArray(i.of(n).map(place)));
    else if (typeof i === "number") start += place(i);
    else if (arrays === null) {
      arrays = parts.length;
      parts.push(each(place, i));
    } else parts[arrays] = kernels.add(parts[arrays], each(place, i));
  }
  const at = addOffsets(
    parts.map(({ data }) => data),
    start,
  );
  return { at, shape: parts.flatMap(({ shape }) => shape) };
}

const value = (x, at) => (isBoolean(x) ? Boolean(x.data[at]) : x.data[at]);

export function get(x, index) {
  const [first] = index,
    one = typeof first === "number";
  if (index.length > 1 || !(one || (first instanceof Slice && first.step === 1))) {
    const { at, shape } = locate(x, index);
    return shape.length ? pick(x, at, shape) : value(x, at[0]);
  }
  // A number, or a slice without steps, of the first axis selects numbers that lie side by side.
  const [length, ...rest] = x.shape,
    places = one ? [first < 0 ? first + length : first] : first.of(length),
    size = product(rest),
    begin = (places[0] ?? 0) * size;
  if (one && !rest.length) return value(x, begin);
  return new NDArray(x.data.subarray(begin, begin + places.length * size), one ? rest : [places.length, ...rest]);
}

export function set(x, index, value) {
  const { at, shape } = locate(x, index),
    from = typeof value === "object" ? broadcast(asarray(value), shape) : null;
  at.forEach((place, k) => {
    x.data[place] = from ? from[k] : value;
  });
}

const nonzero = (x) => {
  const at = [];
  x.data.forEach((v, k) => {
    if (v) at.push(k);
  });
  return stridesOf(x.shape).map(
    (step, axis) => new NDArray(Float64Array.from(at, (k) => Math.floor(k / step) % x.shape[axis])),
  );
};

// --- Entry by entry ---

function commonShape(shapes) {
  const axes = Math.max(...shapes.map(({ length }) => length));
  return Array.from({ length: axes }, (_, k) => {
    const sizes = shapes.map((shape) => shape[k - axes + shape.length] ?? 1);
    return sizes.find((n) => n !== 1) ?? 1;
  });
}

// Return the numbers of x, repeated along the axes on which the shape is longer
function broadcast(x, shape) {
  if (x.shape.length === shape.length && x.shape.every((n, k) => n === shape[k])) return x.data;
  const strides = stridesOf(x.shape),
    more = shape.length - x.ndim,
    parts = shape.map((n, k) => {
      const step = k < more || x.shape[k - more] === 1 ? 0 : strides[k - more];
      return Int32Array.from({ length: n }, (_, i) => i * step);
    });
  return pick(x, addOffsets(parts), shape).data;
}

// Return the array for a result and its rows and columns. For each operand there are its data and the steps in them
// from row to row and from column to column.
/** @param {any} Kind */
function prepareOperands(values, Kind) {
  const operands = values.map((x) => asarray(typeof x === "object" ? x : [Number(x)])),
    shape = commonShape(operands.map((x) => x.shape)),
    columns = shape.at(-1),
    array = new NDArray(new Kind(product(shape)), shape),
    rows = columns ? array.size / columns : 0;
  const parts = operands.map((x) => {
    if (x.size === array.size) return [x.data, columns, 1];
    if (x.size === 1) return [x.data, 0, 0];
    if (x.size === columns && x.shape.at(-1) === columns) return [x.data, 0, 1];
    return [broadcast(x, shape), columns, 1];
  });
  return { array, rows, columns, parts };
}
export const kernels = KERNELS(prepareOperands);

// Apply a function of one number to all entries
/** @param {any} Kind */
export function each(f, x, Kind = Float64Array) {
  const y = asarray(x);
  if (!(y instanceof NDArray)) return f(y);
  const out = new Kind(y.size);
  for (let k = 0; k < out.length; k++) out[k] = f(y.data[k]);
  return new NDArray(out, y.shape);
}

const areBooleans = (...all) => all.every((x) => typeof x === "boolean" || (x instanceof NDArray && isBoolean(x)));

// Round to the nearest integer, ties to even
export function roundToEven(x) {
  const low = Math.floor(x),
    off = x - low;
  return off < 0.5 || (off === 0.5 && low % 2 === 0) ? low : low + 1;
}

// --- Arrays from arrays ---

function concatenate(parts, { axis = 0 } = {}) {
  const all = parts.map((x) => asarray(x)),
    shape = all[0].shape.with(
      axis,
      all.reduce((n, x) => n + x.shape[axis], 0),
    ),
    out = new (all.every(isBoolean) ? Uint8Array : Float64Array)(product(shape)),
    line = product(shape.slice(axis));
  let from = 0;
  for (const x of all) {
    const own = product(x.shape.slice(axis));
    for (let k = 0; k * own < x.size; k++) out.set(x.data.subarray(k * own, (k + 1) * own), k * line + from);
    from += own;
  }
  return new NDArray(out, shape);
}

const stack = (parts, { axis = 0 } = {}) =>
  concatenate(
    parts.map((x) => x.reshape(...x.shape.toSpliced(axis, 0, 1))),
    { axis },
  );

// Split an array before these indices of an axis
function splitAt(x, places, axis) {
  const ends = [0, ...places, x.shape[axis]];
  return ends.slice(1).map((end, k) => get(x, [...new Array(axis).fill(ALL), new Slice(ends[k], end)]));
}
const splitEvenly = (x, parts, axis = 0) => {
  const places = Array.from({ length: parts - 1 }, (_, k) => ((k + 1) * x.shape[axis]) / parts);
  return splitAt(x, places, axis);
};

function diff(x, { axis = -1 } = {}) {
  const along = axis < 0 ? axis + x.ndim : axis,
    sides = [new Slice(1, null), new Slice(0, -1)].map((part) => get(x, [...new Array(along).fill(ALL), part]));
  return kernels.sub(...sides);
}

const unique = (x) => new NDArray(Float64Array.from(new Set(asarray(x).data)).sort());

const full = (shape, value, kind) => {
  const whole = [shape].flat();
  return new NDArray(new (kind === np.bool_ ? Uint8Array : Float64Array)(product(whole)).fill(value), whole);
};
const arraysEqual = (x, y, nan = false) => {
  if (Array.isArray(x)) return x.every((part, k) => arraysEqual(part, y[k], nan)); // a pair of cosines and sines
  const same = (v, u) => v === u || (nan && Number.isNaN(v) && Number.isNaN(u));
  return String(x.shape) === String(y.shape) && x.data.every((v, k) => same(v, y.data[k]));
};
const isin = (x, among) => {
  const all = new Set(among);
  return each((v) => all.has(v), x, Uint8Array);
};

/** @type {Values} */
export const np = {
  ...kernels,
  pi: Math.PI,
  inf: Infinity,
  nan: NaN,
  bool_: Boolean,
  int64: Math.trunc,
  float64: Number,
  asarray,
  concatenate,
  stack,
  diff,
  unique,
  isin,
  array_equal: arraysEqual,
  round: (x, digits) => each((v) => roundToEven(v * 10 ** digits) / 10 ** digits, x),
  where: (c, a, b) => (areBooleans(a, b) ? kernels.which : kernels.where)(c, a, b),
  ...Object.fromEntries(Object.keys(REDUCTIONS).map((name) => [name, (x, more) => reduce(name, asarray(x), more)])),
  arange: (from, to = null, step = 1) => {
    const [a, b] = to === null ? [0, from] : [from, to];
    return new NDArray(Float64Array.from({ length: Math.max(0, Math.ceil((b - a) / step)) }, (_, k) => a + k * step));
  },
  full,
  zeros: (shape, kind) => full(shape, 0, kind),
  ones: (shape, kind) => full(shape, 1, kind),
  broadcast_to: (x, shape) => new NDArray(broadcast(asarray(x), shape), shape),
  flatnonzero: (x) => nonzero(new NDArray(x.data))[0],
  argwhere: (x) => stack(nonzero(x), { axis: 1 }),
  sort: (x) => new NDArray(x.data.toSorted()),
  argsort: (x) => new NDArray(Float64Array.from(x.data.keys()).sort((a, b) => x.data[a] - x.data[b] || a - b)),
  delete: (x, places) => new NDArray(x.data.filter((_, k) => !places.includes(k))),
  setdiff1d: (x, y) => unique(get(asarray(x), [kernels.invert(isin(x, y))])),
  split: (x, parts, { axis = 0 } = {}) =>
    typeof parts === "number" ? splitEvenly(x, parts, axis) : splitAt(x, parts.data, axis),
  diagonal: (x, offset) => {
    const [, rows, columns] = x.shape,
      first = Math.max(0, -offset),
      t = np.arange(first, Math.min(rows, columns - offset));
    return get(x, [ALL, t, kernels.add(t, offset)]);
  },
  ndim: (x) => asarray(x).ndim ?? 0,
  atleast_1d: (x) => (typeof x === "number" ? new NDArray(Float64Array.of(x)) : asarray(x)),
};

for (const name of Object.keys(REDUCTIONS))
  NDArray.prototype[name] = function (more) {
    return reduce(name, this, more);
  };
