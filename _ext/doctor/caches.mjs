// Caches of cosines and sines, (T, pairs) or (T, width) with each column twice.
import { problem, diagnosis } from "./diagnosis.mjs";
import { fillFit } from "./fill.mjs";
import { LOST, fit } from "./pairs.mjs";
import { corrupt, longest } from "./rows.mjs";
import {
  apart,
  between,
  columnsOf,
  count,
  every,
  finite,
  map,
  median,
  most,
  range,
  row,
  rowsOf,
  size,
  table,
} from "./series.mjs";

const halves = (n, layout) =>
  layout === "repeated_halves" ? [range(n), range(n, n)] : [range(n).map((i) => 2 * i), range(n).map((i) => 2 * i + 1)];

// How the columns of a cache (T, width) are repeated: in pairs, in halves, or "" if not
export function repeats(given) {
  const width = given.columns,
    n = width / 2;
  if (width < 4 || width % 2) return "";
  const x = table(
      given.rows,
      width,
      map(given.data, (v) => (Number.isNaN(v) ? 0 : clipped(v))),
    ),
    near = 1e-3 * Math.max(1e-300, size(x.data));
  for (const name of ["repeated_halves", "repeated_pairs"]) {
    const [one, two] = halves(n, name),
      few = between(x, 0, Math.min(8, x.rows));
    if (apart(columnsOf(few, one), columnsOf(few, two)) > near) continue; // most are no cache, and told at once
    const [a, b] = [one, two].map((columns) => columnsOf(x, columns));
    const off = map(a.data, (v, k) => Math.abs(v - b.data[k]));
    if (most(off) <= near && count(off, (v) => v <= 1e-6) > 0.9 * off.length) {
      const alike = n > 1 && every(a.data, (v, k) => v === a.data[k - (k % n)]);
      return alike ? "" : name;
    }
  }
  return "";
}

const clipped = (v) => Math.min(Math.max(v, -Number.MAX_VALUE), Number.MAX_VALUE);

// Each column once
export const once = (x, layout) => (layout ? columnsOf(x, halves(x.columns / 2, layout)[0]) : x);

// The diagnosis of cosines and sines, tables of one shape
export function cache(cos, sin) {
  const d = diagnosis({ scheme: "rotary" }),
    bad = corrupt(d, cos, sin);
  if (finite(cos.data) && finite(sin.data)) {
    const empty = every(cos.data, (v) => v === 0) && every(sin.data, (v) => v === 0);
    const level = size(sin.data) === 0 && every(cos.data, (v) => v === cos.data[0]);
    if (empty || level) {
      Object.assign(d, { scheme: "none", sure: true, residual: 0 }, empty ? {} : { amplitude: cos.data[0] });
      problem(d, "all_zero");
      return d;
    }
  }
  let one = repeats(cos);
  const two = repeats(sin);
  if (!one && two && every(cos.data, (v, k) => v === cos.data[k - (k % cos.columns)])) one = two;
  const layout = one === two ? one : "";
  d.layout = layout || null;
  const c = once(cos, one),
    s = once(sin, two);
  if (one !== two) {
    const names = { "": "not at all", repeated_pairs: "in twos", repeated_halves: "in halves" };
    if (c.columns !== s.columns) return diagnosis();
    problem(d, "mixed_layouts", { one: names[one], two: names[two] });
  }
  const good = longest(range(c.rows).map((t) => finite(row(c, t)) && finite(row(s, t)) && !bad[t]));
  if (good.length < 2) {
    d.scheme = "unknown";
    return d;
  }
  const sg = rowsOf(s, good),
    cg = rowsOf(c, good);
  let found = fit(sg, cg, true, good);
  if (found && found.noise > 3 * LOST) found = null;
  if (!found) {
    const swapped = fit(cg, sg, true, good),
      whole = samePairs(d, sg, cg);
    if (!swapped || swapped.noise > LOST) {
      if (!whole) Object.assign(d, { scheme: "unknown", layout: null });
      return d;
    }
    problem(d, "swapped");
    found = swapped;
  } else if (Math.abs(found.first) > 0.6 * cos.rows || found.noise) {
    const other = fit(cg, sg, true, good);
    if (other && Math.abs(other.first) < 0.5 * cos.rows && other.noise < found.noise + 1e-9) {
      problem(d, "swapped");
      found = other;
    }
  }
  fillFit(d, found, c.columns, cos.rows);
  return d;
}

// Pairs that do turn, evenly, with frequencies of no rule: say so, and be sure of no more
function samePairs(d, s, c) {
  const radius = map(s.data, (v, k) => Math.sqrt(v ** 2 + c.data[k] ** 2)),
    all = median(radius);
  if (all === 0 || most(map(radius, (r) => Math.abs(r / all - 1))) > 0.05) return false;
  Object.assign(d, { width: 2 * s.columns, amplitude: Math.abs(all - 1) > 1e-2 ? all : 1 });
  d.alternatives.push("Pairs on a circle whose frequencies follow no rule that I know.");
  return true;
}
