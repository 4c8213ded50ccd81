// Pairs of sines and cosines, from a table or a cache: the rule, and whether it gives them back.
//
// In order: how fast each pair turns (waves.mjs), which rule the frequencies follow, where row 0 stands,
// and then the whole array computed again and compared: first exactly, then with angles in float32, with
// frequencies or angles in half precision, and last with noise.
import { UNIT, allRounded, held, printed, rounded } from "./formats.mjs";
import { start, turns } from "./waves.mjs";
import { explain } from "./explain.mjs";
import { count, every, largest, map, mean, median, range, some, sum, unique, where } from "./series.mjs";

const SAMPLE = 1 << 18; // entries compared while variants are tried
const EXACT = 4e-15; // how much a float64 angle of 1 may be off
export const LOST = 0.1; // noise above this share of the amplitude hides what it is

// The rule of pairs, tables (T, n), which stand at `rows` of the array, one after the other: spacing,
// turns, direction, first, amplitude, precision, where, residual (a share of the amplitude) at row and
// pair, noise (root mean square of what is left, if it is no rounding), badRows, badPairs, allowed, and
// with how many digits the numbers were printed, if that explains the noise
export function fit(sines, cosines, rotary, rows) {
  const form = held(sines.data, cosines.data),
    unit = UNIT[form],
    n = sines.columns;
  const found = turns(sines, cosines, unit);
  if (found.amplitude === 0 || found.rough > 0.35) return null;
  const sure = where(found.doubt, (x) => x < 0.1);
  if (!sure.length) return null;
  const direction = sum(sure.map((i) => Math.sign(found.w[i]))) < 0 ? -1 : 1;
  let w = map(found.w, (v) => direction * v);
  let doubt = map(w, (v, i) => (v > 0 ? found.doubt[i] : found.doubt[i] < 0.1 ? 0.2 : 1));
  // what does not turn at all, or too little for the format
  const still = new Array(n).fill(true);
  sines.data.forEach((v, k) => {
    if (v !== 0) still[k % n] = false;
  });
  let least = 0;
  if (still.some(Boolean) && !still.every(Boolean)) {
    w = map(w, (v, i) => (still[i] ? 0 : v));
    doubt = map(doubt, (v, i) => (still[i] ? 1e-9 : v));
    least = rotary ? (form === "float16" ? 6.2e-8 : 1e-30) / sines.rows : Infinity;
  }
  const spacing = explain(w, doubt, rotary, least);
  if (!spacing) return null;
  let amplitude = found.amplitude;
  if (Math.abs(amplitude - 1) < 2 * unit + 0.5 * found.rough + (found.rough > 1e-7 ? 1e-6 : 0)) amplitude = 1;
  let best = null,
    taken = 0;
  const options = spacing.options.length ? spacing.options : [spacing.w];
  for (let k = 0; k < options.length; k++) {
    const used = allRounded(options[k], spacing.rounding || "float64");
    const first = snapped(start(found, used, direction) - rows[0]);
    const now = compared(sines, cosines, rows, options[k], spacing, direction, first, amplitude, form);
    now.turns = found;
    if (!best || clearlyBetter(now, best)) [best, taken] = [now, k];
    const [order, noise] = quality(now);
    if (order === 0 && noise === 0) break;
  }
  if (taken && spacing.options.length) take(spacing, taken);
  if (best?.noise && form === "float64") {
    const how = printed(sines.data, cosines.data);
    if (how && best.residual * amplitude <= 1.05 * how[0]) best.digits = how[1];
  }
  return best;
}

// 0 for rounding alone, then half precision within, then what no rounding explains
export function quality(f) {
  const half = ["float16", "bfloat16"].includes(f.precision) && f.where !== "values";
  return [f.noise ? 3 : f.badRows.length || f.badPairs.length ? 2 : Number(half), f.noise || 0];
}

// Explained by less, or by the same with a tenth less noise: else the more usual base stays
function clearlyBetter(now, best) {
  const [order, noise] = quality(now),
    [least, most] = quality(best);
  return order < least || (order === least && noise < 0.9 * most);
}

// Another of the bases that the frequencies leave open, the one that gives the array back
function take(spacing, k) {
  spacing.w = spacing.options[k];
  const kind = spacing.kinds[k];
  if (kind >= spacing.readings.length) return;
  const order = spacing.kinds[0]; // the first reading had been moved to the front
  const place = order && kind <= order ? kind + 1 : kind;
  spacing.readings.unshift(...spacing.readings.splice(place, 1));
  [spacing.base, spacing.exponent] = spacing.readings[0];
}

function snapped(x) {
  const near = Math.floor(x + 0.5);
  return Math.abs(x - near) < 0.02 ? near : x;
}

// One way in which the array may have been computed: what was rounded, to what, and the angle so made
function variant(name, place, exact, steps = "") {
  const round = (x) => rounded(x, name);
  let angle = (t, v) => t * v,
    speeds = (w) => w,
    times = (t) => t;
  if (place === "frequencies") speeds = (w) => map(w, round);
  if (place === "angles" && name !== "float32") {
    if (steps.includes("w")) speeds = (w) => map(w, round);
    if (steps.includes("t"))
      times = (t) => {
        const r = round(t);
        return Number.isFinite(r) ? r : NaN;
      }; // beyond float16
    angle = (t, v) => round(t * v);
  }
  return { name, where: place, exact, angle, speeds, times };
}

// The array computed again: exactly, rounded here or there, or with noise
function compared(sines, cosines, rows, w, spacing, direction, first, amplitude, form) {
  const n = w.length,
    unit = UNIT[form];
  let places = someRows(sines.rows, Math.max(32, Math.floor(SAMPLE / Math.max(1, 2 * n))));
  const own = Math.min(spacing.doubt, 1e-4); // where the base is measured and no round number
  const scaled = 3 * (amplitude !== 1 ? 1 : 0) * unit;

  // How far each pair of these rows is off, and how far it may be: (rows, n) each
  function measured(kind, at) {
    const speeds = kind.speeds(w),
      off = new Float64Array(at.length * n),
      allowed = new Float64Array(at.length * n);
    let k = 0;
    for (const place of at) {
      const t = rows[place] + first,
        tt = kind.times(t);
      for (let i = 0; i < n; i++, k++) {
        const theta = Math.abs(t) * w[i],
          angle = kind.angle(tt, speeds[i]),
          from = place * n + i;
        off[k] = Number.isFinite(angle)
          ? Math.max(
              Math.abs(sines.data[from] / amplitude - direction * Math.sin(angle)),
              Math.abs(cosines.data[from] / amplitude - Math.cos(angle)),
            )
          : 2;
        allowed[k] =
          1.02 * unit + EXACT * (theta + 8) + own * theta + scaled + (kind.exact ? 0 : 4e-7 * theta + 1.2e-7);
      }
    }
    return { off, allowed };
  }
  const within = ({ off, allowed }) => every(off, (v, k) => v <= allowed[k]);
  const rowMost = (off) =>
    range(off.length / n).map((r) => off.subarray(r * n, (r + 1) * n).reduce((a, b) => Math.max(a, b), 0));

  const single = ["float64", "float32"].includes(form) ? "float32" : form;
  const variants = [variant(form, "values", true), variant(single, single === "float32" ? "angles" : "values", false)];
  const results = variants.map((kind) => measured(kind, places));
  const plain = results[0].off;
  if (!every(plain, (v, k) => v <= results[1].allowed[k])) {
    for (const name of ["float16", "bfloat16"]) {
      if (spacing.rounding && spacing.rounding !== name) continue;
      const more = [
        variant(name, "frequencies", false),
        ...["tw", "w", "", "t"].map((steps) => variant(name, "angles", false, steps)),
      ];
      variants.push(...more);
      results.push(...more.map((kind) => measured(kind, places)));
    }
  }
  let chosen = results.findIndex(within);
  if (chosen < 0) {
    chosen = results.findIndex(
      ({ off, allowed }) =>
        count(off, (v, k) => v <= allowed[k]) / off.length > 0.97 && median(rowMost(off)) < 8 * unit + 1e-3,
    );
  }
  let noise = 0,
    badRows = [],
    badPairs = [];
  if (chosen < 0) {
    const medians = results.map(({ off }) => median(off));
    chosen = medians.indexOf(Math.min(...medians));
    const { off, allowed } = results[chosen],
      over = (r, i) => off[r * n + i] > allowed[r * n + i];
    const rowBad = range(places.length).filter((r) => some(range(n), (i) => over(r, i)));
    const pairBad = range(n).map((i) => count(places, (_, r) => over(r, i)) > 0.5 * places.length);
    const most = rowMost(off),
      far = rowBad.length ? median(rowBad.map((r) => most[r])) : 0;
    const pairs = count(pairBad, Boolean);
    if (rowBad.length && rowBad.length <= 0.25 * places.length && far > 0.1) {
      badRows = rowBad.map((r) => rows[places[r]]);
    } else if (pairs && pairs <= 0.25 * n && !rowBad.some((r) => range(n).some((i) => over(r, i) && !pairBad[i]))) {
      badPairs = where(pairBad, Boolean);
    } else {
      chosen = 0;
      noise = Math.sqrt(mean(map(plain, (v) => v * v)));
    }
  }
  const kind = variants[chosen];
  let { off, allowed } = results[chosen],
    { name, where: place } = kind;
  if (noise === 0 && places.length < rows.length) {
    // every row once, with what was chosen
    const most = new Float64Array(rows.length),
      limit = new Float64Array(rows.length);
    for (let begin = 0; begin < rows.length; begin += 512) {
      const block = range(Math.min(512, rows.length - begin), begin),
        now = measured(kind, block);
      most.set(rowMost(now.off), begin);
      limit.set(rowMost(now.allowed), begin);
    }
    const more = !badRows.length && chosen < 2 ? 0 : 0.1;
    const wrong = where(most, (v, t) => v > limit[t] + more);
    badRows = wrong.map((t) => rows[t]);
    if (wrong.length) {
      places = [largest(most)];
      ({ off, allowed } = measured(kind, places));
    }
  }
  const theta = (k) => Math.abs(rows[places[Math.floor(k / n)]] + first) * w[k % n];
  // numbers that any format holds
  if (place === "values" && every(off, (v, k) => v <= EXACT * (theta(k) + 8) + own * theta(k))) name = "float64";
  if (place === "angles" && name === "float32" && !spacing.rounding) {
    const rough = measured(variant("float32", "frequencies", true), places).off;
    if (every(rough, (v, k) => v <= 1.02 * unit + EXACT * (theta(k) + 8))) place = "frequencies";
  }
  const at = largest(off),
    row = Math.floor(at / n),
    pair = at % n;
  return {
    spacing,
    direction,
    first,
    amplitude,
    precision: name,
    where: place,
    residual: off[at],
    row: rows[places[row]],
    pair,
    noise,
    badRows,
    badPairs,
    allowed: allowed[at],
  };
}

// At most `many` of the rows: all, or the first, the last and some evenly between
export function someRows(rows, many) {
  if (rows <= many) return range(rows);
  const quarter = Math.max(8, Math.floor(many / 4));
  const between = range(2 * quarter).map((k) => quarter + Math.floor((k * (rows - 2 * quarter)) / (2 * quarter)));
  return unique([...range(quarter), ...between, ...range(quarter, rows - quarter)]).sort((a, b) => a - b);
}
