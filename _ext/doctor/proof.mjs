// The one proof: an array computed again from a recipe, and every entry compared: pe_lib/doctor/_proof.py.
// A recipe has
//
//   pair        which pair or item each column belongs to
//   size        by which a residual and noise are measured, column by column
//   roundings   (values) -> what may have been rounded on the way, the least first
//   entries     (rows, rounding, nudge) -> {wanted, allowed}: numbers, row after row, and how far each may be off
//
// Tables are {rows, columns, data}. Nowhere else stands how far an entry may be from its rule.
/* global DATA */
import { HALVES, UNIT, even, held as formatOf, printed } from "./formats.mjs";
import { significant, ten } from "./numbers.mjs";
import { count, finite, first, largest, map, median, range, unique, where } from "./series.mjs";

const { EXACT, SINGLE, NUDGE, LOST, BLIND, SAMPLE } = DATA.constants.proof;

// What was rounded, and to what: `form` holds the values; `where` says whether values, frequencies or
// angles were in `rough` before; `steps` whether positions and frequencies were rounded before the angle;
// `digits` and `printed` with how many digits it was written, and half of the last one
/** @type {(form: string, more?: Partial<Rounding>) => Rounding} */
export const rounding = (form, more = {}) => ({
  form,
  where: "values",
  rough: "",
  steps: "",
  digits: "",
  printed: 0,
  relative: false,
  noise: 0,
  ...more,
});
export const isHalf = ({ rough }) => HALVES.includes(rough);

// How far entries of this size may be off that came from angles theta
export function allowed(r, size, theta) {
  let unit = 1.02 * UNIT[r.form] + EXACT * (theta + 8);
  if (r.rough) unit += SINGLE * theta + 1.2e-7;
  return (unit + 6 * r.noise) * size + r.printed * (r.relative ? size : 1) + (r.form === "float16" ? 3e-8 : 0);
}

// In which format an array is, or with how many digits it was printed, and perhaps read as float32
export function held(x) {
  const numbers = x.filter((v) => v - v === 0),
    form = formatOf(numbers),
    how = form === "float64" && numbers.length > 3 ? printed(numbers) : null;
  if (how) return rounding(form, { digits: how[1], printed: how[0], relative: how[1].includes("digits") });
  const cut = (k) => numbers.every((v) => Math.fround(even(v * 10 ** k) / 10 ** k) === v),
    decimals = form === "float32" ? range(5, 2).find(cut) : undefined;
  return decimals ? rounding(form, { digits: `${decimals} decimals`, printed: 0.5 * ten(-decimals) }) : rounding(form);
}

// How far the entries of these rows are off, and how far they may be; not finite: far
function distance(recipe, x, rows, r) {
  const n = x.columns,
    off = new Float64Array(rows.length * n).fill(Infinity);
  let limits;
  for (const nudge of isHalf(r) ? [0, NUDGE, -NUDGE] : [0]) {
    const found = recipe.entries(rows, r, nudge);
    limits = found.allowed;
    for (let k = 0; k < off.length; k++) {
      const apart = Math.abs(x.data[rows[Math.floor(k / n)] * n + (k % n)] - found.wanted[k]);
      if (apart < off[k]) off[k] = apart;
    }
  }
  return { off, allowed: limits, over: Uint8Array.from(off, (v, k) => Number(v > limits[k])) };
}

// The rounding that explains these rows of x, with the fewest exceptions: 0 by rounding, 1 but for
// exceptions, 2 with noise, 3 not
/** @returns {Proof} */
export function prove(recipe, x, values, rows) {
  const n = x.columns,
    some = someOf(rows.length, Math.max(32, Math.floor(SAMPLE / n))).map((k) => rows[k]);
  const tried = [];
  for (const r of recipe.roundings(values)) {
    tried.push(butFor(distance(recipe, x, some, r).over, recipe, r));
    if (tried.at(-1).kind === 0) break;
  }
  let best = first(tried, ({ kind, cost }) => [kind, cost]);
  if (best.kind === 3) best = noisy(recipe, x, some, values);
  const { off, allowed: limits, over } = distance(recipe, x, rows, best.rounding);
  const proof = butFor(over, recipe, best.rounding);
  proof.kind = Math.max(proof.kind, best.kind);
  proof.entries = proof.entries.map(([row, column]) => [rows[row], column]);
  const shares = map(off, (v, k) => (over[k] && best.kind < 3 ? 0 : v / recipe.size[k % n]));
  const at = largest(shares);
  Object.assign(proof, {
    residual: shares[at],
    at: [rows[Math.floor(at / n)], at % n],
    allowed: limits[at] / recipe.size[at % n],
  });
  const without = new Set(proof.rows),
    kept = new Set(rows.filter((_, k) => !without.has(k)));
  proof.rows = range(x.rows).filter((t) => !kept.has(t)); // those left out before, too
  if (count(limits, (v, k) => v > BLIND * recipe.size[k % n]) > 0.5 * limits.length) proof.kind = 3;
  return proof;
}

// Less is better: explained, not by half precision, few exceptions, little noise
export function order({ kind, rounding: r, cost }) {
  return [kind, Number(isHalf(r)), Number(cost.toFixed(3)), r.noise ? significant(r.noise, 1) : 0];
}

// The gate: whether every entry that is not excepted is its rule's, to the rounding
export function explained(recipe, x, r, exceptions) {
  const n = x.columns,
    [rows, pairs] = [new Set(exceptions.rows), new Set(exceptions.pairs)],
    entries = new Set(exceptions.entries.map(([row, column]) => row * n + column));
  const excepted = (k) => rows.has(Math.floor(k / n)) || pairs.has(recipe.pair[k % n]) || entries.has(k);
  return distance(recipe, x, range(x.rows), r).over.every((wrong, k) => !wrong || excepted(k));
}

// What is not explained: whole pairs, whole rows, single entries; too much of it is no proof
/** @returns {Proof} */
function butFor(over, recipe, r) {
  const width = recipe.pair.length,
    length = over.length / width;
  /** @type {Proof} */
  const proof = {
    kind: 0,
    rounding: r,
    cost: 0,
    rows: [],
    pairs: [],
    entries: [],
    residual: 0,
    at: [0, 0],
    allowed: 0,
  };
  if (!over.includes(1)) return proof;
  const wrong = where(range(width), (j) => count(range(length), (t) => over[t * width + j]) > 0.3 * length);
  let pairs = unique(wrong.map((j) => recipe.pair[j])).sort((a, b) => a - b);
  if (count(recipe.pair, (p) => pairs.includes(p)) > Math.floor(width / 4)) pairs = [];
  const out = map(recipe.pair, (p) => Number(pairs.includes(p))),
    left = width - count(out, Boolean);
  const rest = (t) => range(width).filter((j) => over[t * width + j] && !out[j]);
  const rows = [],
    entries = [];
  for (let t = 0; t < length; t++) {
    const bad = rest(t);
    if (bad.length > Math.max(2, Math.floor(left / 8))) rows.push(t);
    else entries.push(...bad.map((j) => [t, j]));
  }
  const fits = rows.length <= Math.floor(length / 2) && entries.length <= Math.max(1, Math.floor(over.length / 20));
  const cost = (width - left) / width + rows.length / length + entries.length / over.length;
  return { ...proof, kind: fits ? 1 : 3, cost, rows, pairs, entries };
}

// Noise of one size in all columns, as the median says; else the recipe explains nothing
function noisy(recipe, x, some, values) {
  const n = x.columns;
  const off = map(distance(recipe, x, some, values).off, (v, k) => (finite([v]) ? v : 1e9) / recipe.size[k % n]);
  const noise = 1.4826 * median(off),
    r = { ...values, noise };
  const even = range(n).every((j) => 1.4826 * Math.sqrt(median(some.map((_, t) => off[t * n + j] ** 2))) < 3 * noise);
  const limit = allowed(r, 1, 0),
    proof = butFor(
      map(off, (v) => Number(v > limit)),
      recipe,
      r,
    );
  return { ...proof, kind: noise <= LOST && even && proof.kind < 3 ? 2 : 3 };
}

// At most `many` of the rows: all, or the first, the last and some evenly between
export function someOf(rows, many) {
  if (rows <= many) return range(rows);
  const quarter = Math.max(8, Math.floor(many / 4));
  const between = range(2 * quarter).map((k) => quarter + Math.floor((k * (rows - 2 * quarter)) / (2 * quarter)));
  return unique([...range(quarter), ...between, ...range(quarter, rows - quarter)]).sort((a, b) => a - b);
}
