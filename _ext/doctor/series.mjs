// What the doctor needs of numpy: lists of numbers, and tables {rows, columns, data}, row after row.

export function range(n, from = 0) {
  const out = new Array(n);
  for (let i = 0; i < n; i++) out[i] = from + i;
  return out;
}
export function map(x, f) {
  const out = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) out[i] = f(x[i], i);
  return out;
}
export const sum = (x) => {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i];
  return total;
};
export const count = (x, f) => {
  let total = 0;
  for (let i = 0; i < x.length; i++) if (f(x[i], i)) total++;
  return total;
};
export const every = (x, f) => {
  for (let i = 0; i < x.length; i++) if (!f(x[i], i)) return false;
  return true;
};
export const some = (x, f) => !every(x, (v, i) => !f(v, i));
export const most = (x) => {
  let found = -Infinity;
  for (let i = 0; i < x.length; i++) if (x[i] > found) found = x[i];
  return found;
};
export const least = (x) => {
  let found = Infinity;
  for (const v of x) if (v < found) found = v;
  return found;
};
export const where = (x, f) => {
  const out = [];
  for (let i = 0; i < x.length; i++) if (f(x[i], i)) out.push(i);
  return out;
};
export const sorted = (x) => Float64Array.from(x).sort();
export const unique = (x) => [...new Set(x)];
export const clip = (x, low, high) => Math.min(Math.max(x, low), high);
export const mean = (x) => sum(x) / x.length;
export const middle = (x) => sorted(x)[Math.floor(x.length / 2)];

// Where the largest stands, the first of them
export function largest(x) {
  let at = 0;
  for (let i = 1; i < x.length; i++) if (x[i] > x[at]) at = i;
  return at;
}

// The mean of the two in the middle, where their number is even
export function median(x) {
  const all = sorted(x),
    half = all.length >> 1;
  return all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

export const table = (rows, columns, data = new Float64Array(rows * columns)) => ({ rows, columns, data });
export const row = (x, t) => x.data.subarray(t * x.columns, (t + 1) * x.columns);
export const between = (x, from, to) => table(to - from, x.columns, x.data.subarray(from * x.columns, to * x.columns));

// Some rows, or some columns, by their numbers
export function rowsOf(x, places) {
  const out = table(places.length, x.columns);
  places.forEach((t, r) => row(out, r).set(row(x, t)));
  return out;
}
export function columnsOf(x, places) {
  const out = table(x.rows, places.length),
    n = places.length;
  for (let t = 0; t < x.rows; t++) for (let j = 0; j < n; j++) out.data[t * n + j] = x.data[t * x.columns + places[j]];
  return out;
}
export const column = (x, j) => Float64Array.from({ length: x.rows }, (_, t) => x.data[t * x.columns + j]);

// The largest distance of two tables of one shape
export function apart(x, y) {
  let far = 0;
  for (let k = 0; k < x.data.length; k++) {
    const off = Math.abs(x.data[k] - y.data[k]);
    if (off > far) far = off;
  }
  return far;
}
export const same = (x, y) => every(x, (v, i) => v === y[i]);
export const finite = (x) => every(x, (v) => v - v === 0);
export const size = (x) => {
  let far = 0;
  for (let i = 0; i < x.length; i++) {
    const much = Math.abs(x[i]);
    if (much > far) far = much;
  }
  return far;
};

// Whether one list of numbers comes before another, from the first number in which they differ
export function compared(a, b) {
  const at = a.findIndex((v, k) => v !== b[k]);
  return at < 0 ? 0 : a[at] - b[at];
}
// The item whose ranks come first, the first of them
export function first(items, ranks) {
  let best;
  for (const item of items) if (best === undefined || compared(ranks(item), ranks(best)) < 0) best = item;
  return best;
}
// Rows and columns exchanged
export function transposed(x) {
  const out = table(x.columns, x.rows);
  x.data.forEach((v, k) => {
    out.data[(k % x.columns) * x.rows + Math.floor(k / x.columns)] = v;
  });
  return out;
}
// Two tables of as many rows, side by side
export function beside(x, y) {
  const out = table(x.rows, x.columns + y.columns);
  for (let t = 0; t < x.rows; t++) {
    row(out, t).set(row(x, t));
    row(out, t).set(row(y, t), x.columns);
  }
  return out;
}
