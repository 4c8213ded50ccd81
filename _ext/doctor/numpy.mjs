/* global KERNELS */
// numpy, as much of it as pe_lib.doctor uses: numbers row after row, truths apart. Reductions and indices
// follow numpy's own rules; what is cut out of an array is a copy, unless it is some of its first axis.

const product = (shape) => shape.reduce((a, b) => a * b, 1);
const isTruths = (x) => x.data instanceof Uint8Array;

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
    return taken(this, sums([columns, rows.map((k) => k * columns.length)]), this.shape.toReversed());
  }
  *[Symbol.iterator]() {
    for (let k = 0; k < this.shape[0]; k++) yield get(this, [k]);
  }
  tolist() {
    return Array.from(this, (x) => (x instanceof NDArray ? x.tolist() : x));
  }
  reshape(...shape) {
    const wanted = shape.flat(),
      rest = this.size / Math.abs(product(wanted));
    return new NDArray(
      this.data,
      wanted.map((n) => (n < 0 ? rest : n)),
    );
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

// Reductions: all numbers, or those of each line along an axis, to one
const REDUCTIONS = {
  sum(x) {
    let total = 0;
    for (let k = 0; k < x.length; k++) total += x[k];
    return total;
  },
  mean: (x) => REDUCTIONS.sum(x) / x.length,
  max(x) {
    let found = -Infinity;
    for (let k = 0; k < x.length; k++) if (x[k] > found) found = x[k];
    return found;
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

function reduced(name, x, { axis = null, keepdims = false } = {}) {
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

// An array of numbers or truths from lists in lists; a number stays one
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

// The entries of x at these places
function taken(x, at, shape) {
  const { data } = x,
    out = new data.constructor(at.length);
  for (let k = 0; k < at.length; k++) out[k] = data[at[k]];
  return new NDArray(out, shape);
}

// --- Which entries are meant ---

export class Slice {
  constructor(start, stop, step = 1) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }
  // Their numbers, of n
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

// The sums of one offset from each part, in order
function sums(parts, start = 0) {
  let found = Int32Array.of(start);
  for (const at of parts) {
    const next = new Int32Array(found.length * at.length);
    for (let i = 0, k = 0; i < found.length; i++) for (let j = 0; j < at.length; j++) next[k++] = found[i] + at[j];
    found = next;
  }
  return found;
}

// Where the entries of x[index] lie, and the shape that they have together
function located(x, index) {
  const wanted = index.flatMap((i) => (i instanceof NDArray && isTruths(i) ? nonzero(i) : [i])),
    left = x.ndim - wanted.filter((i) => i !== null && i !== DOTS).length,
    dots = wanted.includes(DOTS) ? wanted : [...wanted, DOTS],
    given = dots.flatMap((i) => (i === DOTS ? new Array(left).fill(ALL) : [i])),
    strides = stridesOf(x.shape),
    parts = [];
  let [axis, start, chosen] = [0, 0, null];
  for (const i of given) {
    if (i === null) {
      parts.push(new NDArray(Int32Array.of(0)));
      continue;
    }
    const n = x.shape[axis],
      step = strides[axis++],
      place = (k) => (k < 0 ? k + n : k) * step;
    if (i instanceof Slice) parts.push(new NDArray(i.of(n).map(place)));
    else if (typeof i === "number") start += place(i);
    else if (chosen === null) {
      chosen = parts.length;
      parts.push(each(place, i));
    } else parts[chosen] = kernels.add(parts[chosen], each(place, i)); // together with those before
  }
  const at = sums(
    parts.map(({ data }) => data),
    start,
  );
  return { at, shape: parts.flatMap(({ shape }) => shape) };
}

const value = (x, at) => (isTruths(x) ? Boolean(x.data[at]) : x.data[at]);

export function get(x, index) {
  const [first] = index,
    one = typeof first === "number";
  if (index.length > 1 || !(one || (first instanceof Slice && first.step === 1))) {
    const { at, shape } = located(x, index);
    return shape.length ? taken(x, at, shape) : value(x, at[0]);
  }
  // of the first axis alone: they lie together
  const [length, ...rest] = x.shape,
    places = one ? [first < 0 ? first + length : first] : first.of(length),
    size = product(rest),
    begin = (places[0] ?? 0) * size;
  if (one && !rest.length) return value(x, begin);
  return new NDArray(x.data.subarray(begin, begin + places.length * size), one ? rest : [places.length, ...rest]);
}

export function set(x, index, value) {
  const { at, shape } = located(x, index),
    from = typeof value === "object" ? spread(asarray(value), shape) : null;
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

function together(shapes) {
  const axes = Math.max(...shapes.map(({ length }) => length));
  return Array.from({ length: axes }, (_, k) => {
    const sizes = shapes.map((shape) => shape[k - axes + shape.length] ?? 1);
    return sizes.find((n) => n !== 1) ?? 1;
  });
}

// The numbers of x, repeated where a shape has more
function spread(x, shape) {
  if (x.shape.length === shape.length && x.shape.every((n, k) => n === shape[k])) return x.data;
  const strides = stridesOf(x.shape),
    more = shape.length - x.ndim,
    parts = shape.map((n, k) => {
      const step = k < more || x.shape[k - more] === 1 ? 0 : strides[k - more];
      return Int32Array.from({ length: n }, (_, i) => i * step);
    });
  return taken(x, sums(parts), shape).data;
}

// Where what is done entry by entry goes, and where the numbers of each operand lie in it: the step from row
// to row, and from column to column
/** @param {any} Kind */
function ready(given, Kind) {
  const operands = given.map((x) => asarray(typeof x === "object" ? x : [Number(x)])),
    shape = together(operands.map((x) => x.shape)),
    columns = shape.at(-1),
    array = new NDArray(new Kind(product(shape)), shape),
    rows = columns ? array.size / columns : 0;
  const parts = operands.map((x) => {
    if (x.size === array.size) return [x.data, columns, 1];
    if (x.size === 1) return [x.data, 0, 0];
    if (x.size === columns && x.shape.at(-1) === columns) return [x.data, 0, 1];
    return [spread(x, shape), columns, 1];
  });
  return { array, rows, columns, parts };
}
export const kernels = KERNELS(ready);

// Any function of one number, of all entries
/** @param {any} Kind */
export function each(f, x, Kind = Float64Array) {
  const y = asarray(x);
  if (!(y instanceof NDArray)) return f(y);
  const out = new Kind(y.size);
  for (let k = 0; k < out.length; k++) out[k] = f(y.data[k]);
  return new NDArray(out, y.shape);
}

const truthful = (...all) => all.every((x) => typeof x === "boolean" || (x instanceof NDArray && isTruths(x)));

// The nearest whole number, ties to even
export function even(x) {
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
    out = new (all.every(isTruths) ? Uint8Array : Float64Array)(product(shape)),
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

// Cut before these places along an axis
function cut(x, places, axis) {
  const ends = [0, ...places, x.shape[axis]];
  return ends.slice(1).map((end, k) => get(x, [...new Array(axis).fill(ALL), new Slice(ends[k], end)]));
}
const inParts = (x, parts, axis = 0) => {
  const places = Array.from({ length: parts - 1 }, (_, k) => ((k + 1) * x.shape[axis]) / parts);
  return cut(x, places, axis);
};

function diff(x, { axis = -1 } = {}) {
  const along = axis < 0 ? axis + x.ndim : axis,
    sides = [new Slice(1, null), new Slice(0, -1)].map((part) => get(x, [...new Array(along).fill(ALL), part]));
  return kernels.sub(...sides);
}

const unique = (x) => new NDArray(Float64Array.from(new Set(asarray(x).data)).sort());

const filled = (shape, value, kind) => {
  const whole = [shape].flat();
  return new NDArray(new (kind === np.bool_ ? Uint8Array : Float64Array)(product(whole)).fill(value), whole);
};
const equal = (x, y, nan = false) => {
  if (Array.isArray(x)) return x.every((part, k) => equal(part, y[k], nan)); // cosines and sines
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
  array_equal: equal,
  round: (x, digits) => each((v) => even(v * 10 ** digits) / 10 ** digits, x),
  where: (c, a, b) => (truthful(a, b) ? kernels.which : kernels.where)(c, a, b),
  ...Object.fromEntries(Object.keys(REDUCTIONS).map((name) => [name, (x, more) => reduced(name, asarray(x), more)])),
  arange: (from, to = null, step = 1) => {
    const [a, b] = to === null ? [0, from] : [from, to];
    return new NDArray(Float64Array.from({ length: Math.max(0, Math.ceil((b - a) / step)) }, (_, k) => a + k * step));
  },
  full: filled,
  zeros: (shape, kind) => filled(shape, 0, kind),
  ones: (shape, kind) => filled(shape, 1, kind),
  broadcast_to: (x, shape) => new NDArray(spread(asarray(x), shape), shape),
  flatnonzero: (x) => nonzero(new NDArray(x.data))[0],
  argwhere: (x) => stack(nonzero(x), { axis: 1 }),
  sort: (x) => new NDArray(x.data.toSorted()),
  argsort: (x) => new NDArray(Float64Array.from(x.data.keys()).sort((a, b) => x.data[a] - x.data[b] || a - b)),
  delete: (x, places) => new NDArray(x.data.filter((_, k) => !places.includes(k))),
  setdiff1d: (x, y) => unique(get(asarray(x), [kernels.invert(isin(x, y))])),
  split: (x, parts, { axis = 0 } = {}) =>
    typeof parts === "number" ? inParts(x, parts, axis) : cut(x, parts.data, axis),
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
    return reduced(name, this, more);
  };
