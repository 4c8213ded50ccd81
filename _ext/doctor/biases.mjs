// Matrices added to scores: ALiBi's lines, T5's buckets, and the buckets themselves.
//
// Entry [t, s] of either knows s - t alone, so that one row of offsets stands for the matrix.
import { borders, bucket } from "../../pe_lib/course/explorers/distances.mjs";
import { diagnosis, problem, without } from "./diagnosis.mjs";
import { allRounded, held } from "./formats.mjs";
import { told } from "./numbers.mjs";
import { slopes } from "./slopes.mjs";
import { every, finite, map, range, same, size, some } from "./series.mjs";

const KINDS = [
  [32, 128],
  [32, 256],
  [64, 128],
  [16, 128],
  [32, 64],
  [64, 256],
  [128, 128],
  [8, 32],
  [16, 64],
  [32, 512],
  [32, 1024],
  [320, 800],
  [16, 32],
  [8, 128],
  [64, 512],
];

// The diagnosis of {heads, rows, columns, data} if each row is the one before, moved on by one
export function bias(x) {
  const { heads, rows, columns, data } = x,
    d = diagnosis();
  if (rows === 1 && columns > 2 && finite(data)) return keysOnly(d, x);
  if (rows < 2 || columns < 2 || some(data, Number.isNaN)) return null;
  const masked = (k) => !Number.isFinite(data[k]) || data[k] <= -1e4;
  const side = (f) => {
    // whether keys on this side are all masked, and whether any is
    let [all, any, seen] = [true, false, false];
    for (let k = 0; k < data.length; k++) {
      if (!f((k % columns) - (Math.floor(k / columns) % rows))) continue;
      seen = true;
      if (masked(k)) any = true;
      else all = false;
    }
    return { all, any, seen };
  };
  let mask = "";
  const later = side((o) => o > 0),
    others = side((o) => o <= 0);
  if (later.seen && later.all && !others.any) mask = "causal";
  else if (side((o) => o < 0).all && !side((o) => o >= 0).any) mask = "transposed";
  else if (later.any || others.any) return null;
  const scale = size(map(data, (v, k) => (masked(k) ? 0 : v)));
  const at = range(rows + columns - 1, 1 - rows).filter((o) => !mask || o === 0 || o > 0 !== (mask === "causal"));
  const values = range(heads).map(() => new Float64Array(at.length)),
    near = Math.max(1e-6, 1e-5 * scale);
  for (let h = 0; h < heads; h++) {
    for (let m = 0; m < at.length; m++) {
      const o = at[m],
        first = Math.max(0, -o),
        value = (t) => data[(h * rows + t) * columns + t + o];
      for (let t = first; t < rows && t + o < columns; t++)
        if (!(Math.abs(value(t) - value(first)) <= near)) return null;
      values[h][m] = value(first);
    }
  }
  if (scale === 0) {
    Object.assign(d, { scheme: "none", sure: true, residual: 0 });
    problem(d, "all_zero");
    return d;
  }
  Object.assign(d.details, { mask: mask || "none", heads });
  return alibi(d, at, values, mask) || buckets(d, at, values) ? d : null;
}

// BLOOM's form, (heads, 1, T): slope times the key's position, for softmax the same
function keysOnly(d, { heads, columns, data }) {
  const value = (h, t) => data[h * columns + t],
    m = range(heads).map((h) => (value(h, columns - 1) - value(h, 0)) / (columns - 1));
  const near = 6e-3 * size(data) + 1e-9;
  if (
    m.includes(0) ||
    some(
      data,
      (v, k) => Math.abs(v - value(Math.floor(k / columns), 0) - m[Math.floor(k / columns)] * (k % columns)) > near,
    )
  )
    return null;
  const sign = m.every((v) => v > 0) ? 1 : -1;
  if (!slopes(d, cleaned(m, sign, [data]), true)) return null;
  d.direction = 1;
  d.details.form = "keys";
  if (sign < 0) problem(d, "bias_sign");
  d.alternatives.push(
    "Slope times the key's position differs from slope times the distance by a number for each query, which softmax does not see.",
  );
  return d;
}

// Slopes as they were before products rounded them: no finer than the values' format
function cleaned(m, sign, values) {
  const form = held(...values.map((x) => map(x, (v) => (Number.isFinite(v) ? v : 0))));
  return allRounded(
    map(m, (v) => sign * v),
    form === "bfloat16" || form === "float16" ? form : "float32",
  );
}

// Lines over the distance, one for each head
function alibi(d, at, values, mask) {
  const distance = at.map(Math.abs),
    far = distance.indexOf(Math.max(...distance));
  const m = values.map((x) => -x[far] / distance[far]);
  if (
    m.includes(0) ||
    values.some((x, h) => some(x, (v, k) => Math.abs(v + m[h] * distance[k]) > 6e-3 * size(x) + 1e-9))
  )
    return false;
  const sign = m.every((v) => v > 0) ? 1 : -1;
  if (!m.every((v) => sign * v > 0) || !slopes(d, cleaned(m, sign, values), true)) return false;
  if (m.length === 1) without(d, "slopes"); // one head of many: its slope tells no number
  d.direction = 1;
  d.details.slopes = m.slice(0, 64).map((v) => sign * v);
  if (sign < 0) problem(d, "bias_sign");
  if (mask === "transposed") problem(d, "bias_transposed");
  return true;
}

// Offsets that share a number: T5's, for some number of buckets and farthest distance
function buckets(d, at, values) {
  if (at.length < 8) return false;
  const whole = values.length === 1 && every(values[0], (v) => v === Math.floor(v) && v >= 0);
  const edges = (x) => range(at.length - 1).map((k) => (x(k + 1) ? 1 : 0));
  const changes = edges((k) => values.some((x) => x[k] !== x[k - 1])),
    many = changes.filter(Boolean).length;
  if (many <= 2) return false;
  const fits = [];
  for (const both of [true, false]) {
    for (const [number, farthest] of KINDS) {
      const firsts = borders(both ? number / 2 : number, farthest);
      for (const flip of [1, -1]) {
        const kind = at.map((o) => bucket(flip * o, number, !both, firsts)),
          borders = edges((k) => kind[k] !== kind[k - 1]);
        if (whole && same(values[0], kind)) fits.push({ order: 0, number, farthest, both, flip });
        else if (same(borders, changes) && borders.includes(0) && flip === 1)
          fits.push({ order: 1, number, farthest, both, flip });
      }
    }
  }
  if (!fits.length) return false;
  fits.sort((a, b) => a.order - b.order);
  const [{ number, farthest, both, flip }, ...others] = fits;
  Object.assign(d, {
    scheme: "t5",
    residual: 0,
    sure: at.length >= 24,
    precision: whole ? "float64" : held(...values),
    where: "values",
    direction: flip,
  });
  Object.assign(d.details, { buckets: number, max_distance: farthest, bidirectional: both });
  if (flip < 0) problem(d, "bias_transposed");
  for (const other of others) {
    if (other.number === number && other.farthest === farthest && other.both === both) continue;
    const said = `${told(other.number)} buckets up to ${told(other.farthest)}, ${other.both ? "both sides" : "one side"}: here they look the same.`;
    if (!d.alternatives.includes(said)) d.alternatives.push(said);
  }
  return true;
}
