// Matrices added to scores: masks, ALiBi's lines, T5's buckets, and the buckets themselves:
// pe_lib/doctor/_biases.py.
//
// Entry [t, s] of each knows s - t alone, so that one row of offsets stands for the matrix.
/* global DATA */
import { borders, bucket } from "../../pe_lib/course/explorers/distances.mjs";
import { diagnosis, note, other, problem } from "./diagnosis.mjs";
import { exceptions, proven } from "./fill.mjs";
import { HALVES, allRounded, held as formatOf } from "./formats.mjs";
import { slopes } from "./lists.mjs";
import { told } from "./numbers.mjs";
import { held, prove, rounding } from "./proof.mjs";
import { offsets } from "./recipes.mjs";
import { count, every, finite, least, map, median, most, range, same, size, some, table, where } from "./series.mjs";

const KINDS = DATA.bucket_kinds;
const { MASKED } = DATA.constants.biases; // what a score is that nobody may see, or below

// The diagnosis of {heads, rows, columns, data} if each row is the one before, moved on by one; or null
export function bias(x) {
  const { heads, rows, columns, data } = x;
  if (rows === 1 && columns > 2 && finite(data)) return ofKeys(x);
  if (rows < 2 || columns < 2 || some(data, Number.isNaN)) return null;
  const offset = (k) => (k % columns) - (Math.floor(k / columns) % rows);
  const found = ofMask(x, offset);
  if (found !== undefined) return found;
  const masked = (v) => !Number.isFinite(v) || v <= MASKED;
  const hides = { none: (o) => o > columns, causal: (o) => o > 0, transposed: (o) => o < 0 };
  const mask = Object.keys(hides).find((name) => every(data, (v, k) => masked(v) === hides[name](offset(k))));
  if (!mask) return null;
  const clean = map(data, (v) => (masked(v) ? 0 : v));
  const inner = where(clean, (_, k) => k % columns > 0 && Math.floor(k / columns) % rows > 0);
  const moved = count(inner, (k) => Math.abs(clean[k] - clean[k - columns - 1]) <= 6e-3 * Math.abs(clean[k]));
  if (!some(clean, (v) => v !== 0) || moved < 0.5 * inner.length) return null;
  const all = range(rows + columns - 1, 1 - rows),
    at = all.filter((o) => !hides[mask](o));
  const diagonal = (h, o) =>
    range(Math.min(rows, columns - o) - Math.max(0, -o), Math.max(0, -o)).map(
      (t) => clean[(h * rows + t) * columns + t + o],
    );
  const values = range(heads).map((h) => Float64Array.from(at, (o) => median(diagonal(h, o)))),
    flat = table(heads * rows, columns, clean);
  for (const fits of [lines, buckets]) {
    const d = diagnosis({ details: { mask, heads } }),
      rule = fits(d, at, values);
    if (!rule) continue;
    const wanted = rule.map((v) => Float64Array.from(all, (o) => (hides[mask](o) ? 0 : v[o - at[0]])));
    const recipe = offsets(wanted, [heads, rows, columns]),
      proof = prove(recipe, flat, held(clean), range(flat.rows));
    if (proof.kind > 1) continue;
    shown(d, recipe, proof, flat, mask);
    return d;
  }
  return null;
}

// What a proven matrix says beside its rule
function shown(d, recipe, proof, x, mask) {
  const { precision } = d,
    evidence = proven(d, recipe, proof, x);
  Object.assign(d, { precision: precision || proof.rounding.form, where: "values" });
  exceptions(d, evidence, "Compute these rows anew.", new Set());
  if (mask === "transposed") problem(d, "bias_transposed");
}

// Two numbers, one for what may be seen: all keys up to the query, or the last few of them. Undefined if it
// is none, null if it is nothing.
function ofMask({ heads, rows, columns, data }, offset) {
  const [low, high] = [least(data), most(data)];
  const words = (low <= MASKED && high === 0) || (low === 0 && high === 1) || (low === -1 && high === 0);
  if (low === high || !words || rows < 3 || some(data, (v) => v !== low && v !== high)) return undefined;
  for (const [mask, sign] of /** @type {[string, number][]} */ ([
    ["causal", -1],
    ["transposed", 1],
  ])) {
    const back = (k) => sign * offset(k);
    let last = 0;
    data.forEach((v, k) => {
      if (v === high) last = Math.max(last, back(k) + 1);
    });
    const sees = (o) => o >= 0 && o < last;
    if (some(data, (v, k) => (v === high) !== sees(back(k)))) continue;
    if (last < 2 || (last === 2 && rows < 4)) return null; // a diagonal
    const d = diagnosis({ scheme: "mask", residual: 0, precision: "float64", where: "values", sure: true }),
      window = last < Math.min(rows, columns) ? last : null;
    Object.assign(d.details, { mask, heads, notes: [note(mask)] });
    if (window) d.details.window = window;
    if (window && mask === "causal") d.details.notes = [note("window", { window: told(window) })];
    if (mask === "transposed") problem(d, "bias_transposed");
    const row = Float64Array.from(range(rows + columns - 1, 1 - rows), (o) => Number(sees(sign * o)));
    const given = table(
      heads * rows,
      columns,
      map(data, (v) => Number(v === high)),
    );
    const recipe = offsets(
      range(heads).map(() => row),
      [heads, rows, columns],
    );
    return Object.assign(d, { recipe, rounding: rounding("float64"), given });
  }
  return undefined;
}

// BLOOM's form, (heads, 1, T): slope times the key's position, for softmax the same
function ofKeys({ heads, columns, data }) {
  const row = (h) => data.subarray(h * columns, (h + 1) * columns);
  const m = range(heads).map((h) => (row(h)[columns - 1] - row(h)[0]) / (columns - 1)),
    sign = signOf(m);
  const d = diagnosis(),
    steep = sign && cleaned(m, sign, data);
  if (!sign || !slopes(d, steep, true) || heads < 2) return null;
  const wanted = range(heads).map((h) =>
      Float64Array.from({ length: columns }, (_, t) => row(h)[0] + sign * steep[h] * t),
    ),
    recipe = offsets(wanted, [heads, 1, columns]),
    x = table(heads, columns, data);
  const proof = prove(recipe, x, held(data), range(heads));
  if (proof.kind > 0) return null;
  shown(d, recipe, proof, x, "none");
  d.direction = 1;
  d.details.form = "keys";
  if (sign < 0) problem(d, "bias_sign");
  d.alternatives.push(other("keys"));
  return d;
}

// 1 if all are above 0, -1 if all are below, or 0
const signOf = (m) => (m.every((v) => v > 0) ? 1 : m.every((v) => v < 0) ? -1 : 0);

// Slopes as they were before products rounded them: no finer than the values' format
function cleaned(m, sign, values) {
  const form = formatOf(values);
  return allRounded(
    map(m, (v) => sign * v),
    HALVES.includes(form) ? form : "float32",
  );
}

// Lines over the distance, one for each head
function lines(d, at, values) {
  const distance = at.map(Math.abs),
    far = distance.indexOf(most(distance)),
    m = values.map((x) => -x[far] / distance[far]),
    sign = signOf(m);
  const off = values.map((x, h) => {
    const near = 6e-3 * size(x) + 1e-9;
    return count(x, (v, k) => Math.abs(v + m[h] * distance[k]) > near);
  });
  if (!sign || off.reduce((a, b) => a + b) > 0.25 * values.length * at.length) return null;
  const steep = cleaned(m, sign, Float64Array.from(values.flatMap((x) => [...x])));
  if (!slopes(d, steep, true)) return null;
  d.direction = 1;
  d.details.slopes = [...steep.slice(0, 64)];
  if (sign < 0) problem(d, "bias_sign");
  return values.map((_, h) => Float64Array.from(distance, (v) => -sign * d.recipe.row[h] * v));
}

// Offsets that share a number: T5's, for some number of buckets and farthest distance
function buckets(d, at, values) {
  if (at.length < 8) return null;
  const whole = values.length === 1 && every(values[0], (v) => v === Math.floor(v) && v >= 0);
  const edges = (differs) => range(at.length - 1, 1).map((k) => Number(differs(k))),
    changes = edges((k) => values.some((x) => x[k] !== x[k - 1]));
  if (count(changes, Boolean) < 3) return null;
  const fits = [];
  for (const both of [true, false]) {
    for (const [number, farthest] of KINDS) {
      const firsts = borders(both ? number / 2 : number, farthest);
      for (const flip of [1, -1]) {
        const kind = at.map((o) => bucket(flip * o, number, !both, firsts)),
          steps = edges((k) => kind[k] !== kind[k - 1]),
          fit = { number, farthest, both, flip };
        if (whole && same(values[0], kind)) fits.push({ rank: 0, ...fit });
        else if (flip === 1 && steps.includes(0) && same(steps, changes)) fits.push({ rank: 1, ...fit });
      }
    }
  }
  if (!fits.length) return null;
  const { rank, number, farthest, both, flip } = fits.find((fit) => fit.rank === 0) ?? fits[0];
  const borders_ = where([1, ...changes, 1], Boolean),
    long = count(borders_, (b, k) => k > 0 && b - borders_[k - 1] > 1);
  Object.assign(d, {
    scheme: "t5",
    sure: at.length >= 24 && long > 3 && !(whole && rank), // not buckets with other numbers
    precision: whole ? "float64" : formatOf(...values),
    direction: flip,
  });
  Object.assign(d.details, { buckets: number, max_distance: farthest, bidirectional: both });
  if (flip < 0) problem(d, "bias_transposed");
  for (const fit of fits) {
    if (fit.number === number && fit.farthest === farthest && fit.both === both) continue;
    const sides = fit.both ? "both sides" : "one side",
      said = other("buckets", { buckets: told(fit.number), farthest: told(fit.farthest), sides });
    if (!d.alternatives.includes(said)) d.alternatives.push(said);
  }
  return values;
}
