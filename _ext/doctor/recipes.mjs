// What can be rebuilt: rules of few numbers, each as rows and columns: pe_lib/doctor/_recipes.py.
import { borders, bucket } from "../../pe_lib/course/explorers/distances.mjs";
import { HALVES, UNIT, rounded } from "./formats.mjs";
import { allowed, isHalf } from "./proof.mjs";
import { map, range, size } from "./series.mjs";

const filled = (n, v) => new Float64Array(n).fill(v);
// Numbers of some rows, and how far each may be off, from a function of row and column
function entriesOf(rows, columns, f, limit) {
  const wanted = new Float64Array(rows.length * columns),
    limits = new Float64Array(wanted.length);
  rows.forEach((t, r) => {
    for (let j = 0, k = r * columns; j < columns; j++, k++) {
      wanted[k] = f(t, j);
      limits[k] = limit(j, wanted[k]);
    }
  });
  return { wanted, allowed: limits };
}

// Everything that turns: column c of row r is amplitude · sin(direction · (r + first) · w[pair[c]]), or
// the cosine where cosine[c]. A cache is the columns of cosines, and then those of sines.
/** @type {(w: Numbers, pair: number[], cosine: boolean[], first: number, direction: number, amplitude: number, cache?: boolean) => Recipe} */
export const waves = (w, pair, cosine, first, direction, amplitude, cache = false) => ({
  kind: "waves",
  w,
  pair,
  cosine,
  first,
  direction,
  amplitude,
  cache,
  size: filled(pair.length, Math.abs(amplitude)),
  // exact angles, float32 ones, then frequencies and angles in half precision
  roundings(values) {
    const single = HALVES.includes(values.form)
      ? [{ ...values, rough: "float32" }]
      : ["frequencies", "angles"].map((where) => ({ ...values, where, rough: "float32" }));
    const half = HALVES.flatMap((rough) => [
      { ...values, where: "frequencies", rough },
      { ...values, where: "positions", rough },
      ...["tw", "w", "", "t"].map((steps) => ({ ...values, where: "angles", rough, steps })),
    ]);
    return [values, ...single, ...half];
  },
  entries(rows, rounding, nudge) {
    const n = w.length,
      columns = pair.length,
      speeds = speedsOf(w, rounding, nudge),
      wanted = new Float64Array(rows.length * columns),
      limits = new Float64Array(wanted.length);
    const r = rounding.rough === "float32" && rounding.where === "frequencies" ? { ...rounding, rough: "" } : rounding;
    const more = amplitude === 1 ? 0 : 3 * UNIT[r.form]; // it was measured, or chosen near what was
    const [sines, cosines, limit] = [0, 1, 2].map(() => new Float64Array(n));
    rows.forEach((row, at) => {
      const t = row + first,
        place = placeOf(t, rounding);
      for (let i = 0; i < n; i++) {
        const angle = angleOf(place, speeds[i], rounding, nudge);
        sines[i] = direction * Math.sin(angle);
        cosines[i] = Math.cos(angle);
        limit[i] = allowed(r, 1, Math.abs(t) * w[i]) + more;
      }
      for (let j = 0, k = at * columns; j < columns; j++, k++) {
        wanted[k] = amplitude * (cosine[j] ? cosines : sines)[pair[j]];
        limits[k] = Math.abs(amplitude) * limit[pair[j]];
      }
    });
    return { wanted, allowed: limits };
  },
});

// How an angle was rounded on the way: frequencies, positions, and their product
const halfAngles = ({ where, rough }) => where === "angles" && rough !== "float32";
function speedsOf(w, r, nudge) {
  const changed = r.where === "frequencies" || (halfAngles(r) && r.steps.includes("w"));
  return changed ? map(w, (v) => rounded(v * (1 + nudge), r.rough)) : w;
}
const placeOf = (t, r) =>
  r.where === "positions" || (halfAngles(r) && r.steps.includes("t")) ? rounded(t, r.rough) : t;
function angleOf(t, w, r, nudge) {
  const angle = halfAngles(r) ? rounded(t * w * (1 + nudge), r.rough) : t * w;
  return Number.isFinite(angle) ? angle : NaN; // beyond float16
}

// Two axes: half of the columns knows a patch's row, the other its column; `before` rows stand before the
// first patch
/** @type {(down: Recipe, along: Recipe, columns: number, rowsFirst: boolean, before: number) => Recipe} */
export const grid = (down, along, columns, rowsFirst, before) => ({
  kind: "grid",
  down,
  along,
  columns,
  rowsFirst,
  before,
  pair: [...down.pair, ...along.pair.map((p) => p + down.w.length)],
  size: Float64Array.of(...down.size, ...along.size),
  roundings: (values) => down.roundings(values),
  entries(rows, rounding, nudge) {
    const patch = rows.map((t) => t - before);
    const parts = [
      down.entries(
        patch.map((t) => Math.floor(t / columns)),
        rounding,
        nudge,
      ),
      along.entries(
        patch.map((t) => t - columns * Math.floor(t / columns)),
        rounding,
        nudge,
      ),
    ];
    const [a, b] = rowsFirst ? parts : parts.reverse(),
      half = down.pair.length;
    const beside = (x, y) =>
      Float64Array.from({ length: 2 * x.length }, (_, k) => {
        const [t, j] = [Math.floor(k / (2 * half)), k % (2 * half)];
        return j < half ? x[t * half + j] : y[t * half + j - half];
      });
    return { wanted: beside(a.wanted, b.wanted), allowed: beside(a.allowed, b.allowed) };
  },
});

// Given numbers in one row or more: frequencies, slopes, or a row that repeats itself
// `ramp`: how much more float32 may be off, as a share, for a ramp takes some more steps
/** @type {(row: Numbers, listed?: boolean, ramp?: number) => Recipe} */
export const numbers = (row, listed = true, ramp = 0) => ({
  kind: "numbers",
  row,
  listed,
  pair: range(row.length),
  size: map(row, (v) => Math.abs(v) || 1),
  // numbers that any format holds; computed in float32; or in half precision
  roundings(values) {
    const exact = { ...values, form: "float64" },
      rough = ["float32", ...HALVES].map((name) => ({ ...values, where: "frequencies", rough: name }));
    if (!HALVES.includes(values.form)) return [exact, ...rough];
    return [exact, ...rough.filter((r) => r.rough === values.form), values];
  },
  entries(rows, rounding, nudge) {
    const half = isHalf(rounding),
      x = half ? map(row, (v) => rounded(v * (1 + nudge), rounding.rough)) : row,
      r = half ? { ...rounding, form: "float32" } : rounding;
    return entriesOf(
      rows,
      x.length,
      (_, j) => x[j],
      // a power and a factor, as of one radian
      (j) => allowed(r, this.size[j], 1) + (rounding.rough === "float32" ? ramp * this.size[j] : 0),
    );
  },
});

// A matrix (heads, T, S) of which entry [t, s] knows s - t alone, and perhaps a mask: `atOffset` has the
// numbers of offsets 1 - T … S - 1, an array a head; masked ones are NaN there. Row h·T + t is all heads' rows.
/** @type {(atOffset: Float64Array[], shape: number[]) => Recipe} */
export const offsets = (atOffset, [heads, length, columns]) => ({
  kind: "offsets",
  atOffset,
  shape: [heads, length, columns],
  pair: range(columns),
  size: filled(columns, Math.max(...atOffset.map((x) => size(x.filter((v) => !Number.isNaN(v))))) || 1),
  roundings: (values) => [values, { ...values, rough: "float32" }, { ...values, noise: 2 ** -9 }],
  entries(rows, rounding) {
    const at = (t, s) => atOffset[Math.floor(t / length)][s - (t % length) + length - 1] || 0;
    return entriesOf(rows, columns, at, (_, v) => allowed(rounding, Math.abs(v), 0));
  },
});

// A number a bucket: what each offset gets from (heads, buckets)
export function inBuckets(at, [buckets, farthest], both, values) {
  const firsts = borders(both ? buckets / 2 : buckets, farthest);
  return values.map((x) => Float64Array.from(at, (o) => x[bucket(o, buckets, !both, firsts)]));
}

// Rows on straight lines between those of a shorter table, at `place`
/** @type {(knots: Table, place: number[]) => Recipe} */
export const knots = (between, place) => ({
  kind: "knots",
  pair: range(between.columns),
  size: filled(between.columns, size(between.data)),
  // as kept; a line through two rounded rows may be ten times as far off
  roundings: (values) => [values, { ...values, noise: 2 * UNIT[values.form] }],
  entries(rows, rounding) {
    const { data, columns } = between;
    const at = (t, j) => {
      const k = Math.min(Math.floor(place[t]), between.rows - 2),
        share = place[t] - k;
      return data[k * columns + j] * (1 - share) + data[(k + 1) * columns + j] * share;
    };
    return entriesOf(rows, columns, at, (j) => allowed(rounding, this.size[j], 0));
  },
});
