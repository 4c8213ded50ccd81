// Tables in which each dimension has a frequency of its own: base^(-j/d) or base^(-2j/d) in dimension j.
import { problem } from "./diagnosis.mjs";
import { UNIT, held, rounded } from "./formats.mjs";
import { BASES, bound, chosen, significant, told } from "./numbers.mjs";
import { someRows } from "./pairs.mjs";
import { column, count, every, map, mean, most as largestOf, range, rowsOf, sum, unique } from "./series.mjs";

// Whether d is such a table; `most` is how much of each number it may leave, at root mean square
export function own(d, y, rows, most = 0.08) {
  const { rows: length, columns: width } = y;
  if (width < 4) return false;
  const places = someRows(length, 96),
    t = places.map((k) => rows[k]),
    z = rowsOf(y, places);
  const kinds = {
    interleaved: (j) => j % 2 === 0,
    sines_first: (j) => j < Math.floor((width + 1) / 2),
    cosines_first: (j) => j >= Math.floor(width / 2),
  };
  const wave = (layout, j, angle) => (kinds[layout](j) ? Math.sin(angle) : Math.cos(angle));
  const form = held(y.data),
    unit = UNIT[form];
  const [size, firsts] = starts(y, rows);
  if (!firsts.length) return false;
  const every32 = Math.max(1, Math.floor(width / 32));
  const columns = unique([
    ...range(Math.min(16, width)),
    ...range(width).filter((j) => j % every32 === 0),
    ...range(width).slice(-8),
  ]).sort((a, b) => a - b);
  const few = t.slice(0, 48),
    at = (r, j) => z.data[r * width + j] / size;

  const rough = []; // by dimensions 1 and 2, which turn fast enough to tell
  for (const layout of Object.keys(kinds)) {
    for (const step of [1, 2]) {
      for (const base of unique([...BASES, ...ownBases(y, step, width)])) {
        const [v, w] = [1, 2].map((k) => base ** ((-step * k) / width));
        for (const first of firsts) {
          let [one, two] = [0, 0];
          for (let r = 0; r < few.length; r++) {
            one += (at(r, 1) - wave(layout, 1, (few[r] + first) * v)) ** 2;
            two += (at(r, 2) - wave(layout, 2, (few[r] + first) * w)) ** 2;
          }
          rough.push({ off: (one + two) / few.length, layout, step, base, first });
        }
      }
    }
  }
  rough.sort((a, b) => a.off - b.off);
  let best = null;
  for (const tried of rough.slice(0, 24)) {
    const { layout, step, base, first } = tried;
    const off = Math.sqrt(
      mean(
        few.flatMap((place, r) =>
          columns.map((j) => (at(r, j) - wave(layout, j, (place + first) * base ** ((-step * j) / width))) ** 2),
        ),
      ),
    );
    if (!best || off < best.off) best = { ...tried, off };
  }
  if (!best || best.off >= most) return false;
  let { step } = best,
    base = chosen(best.base, 1e-6)[0];
  const { layout, first } = best;
  if (step === 1 && base === 1e8)
    [step, base] = [2, 1e4]; // the same: 10,000 is more usual
  else if (step === 2 && base === 100) [step, base] = [1, 1e4];
  const w = Float64Array.from({ length: width }, (_, j) => base ** ((-step * j) / width));

  // How far each number is off where angles are made so, and the plain angle of each
  const cells = range(z.data.length),
    off = (angle) =>
      map(cells, (k) => {
        const j = k % width,
          a = angle(t[Math.floor(k / width)] + first, w[j]);
        return Math.abs(z.data[k] / size - wave(layout, j, a));
      });
  const apart = off((place, v) => place * v),
    theta = map(cells, (k) => (t[Math.floor(k / width)] + first) * w[k % width]);
  const noise = Math.sqrt(mean(map(apart, (v) => v * v))),
    residual = largestOf(apart);
  Object.assign(d, {
    scheme: "sinusoidal",
    layout,
    exponent: "own",
    base,
    width,
    readings: [[base, "own"]],
    scaling: "none",
    factor: 1,
    first_position: first,
    direction: 1,
    amplitude: size,
    residual,
    precision: form,
    where: "values",
  });
  d.details.own_exponent = step === 1 ? "j/d" : "2j/d";
  d.alternatives.push(
    `Exponent ${step === 1 ? "2j/d" : "j/d"} in each dimension j with base ${told(base ** (step === 1 ? 0.5 : 2))}: the same frequencies.`,
  );
  const evidence = `largest residual ${bound(residual)}`;
  problem(d, "own_frequencies", {}, evidence);
  const allowed = (k) => 2 * unit + 5e-7 * theta[k],
    fine = every(apart, (v, k) => v <= allowed(k));
  if (!every(apart, (v, k) => v <= 2 * unit + 4e-16 * (theta[k] + 8))) {
    if ((form === "float32" || form === "float64") && fine) {
      Object.assign(d, { precision: "float32", where: "angles" });
    } else if (!fine) {
      const found = halved((angle) => count(off(angle), (v, k) => v <= allowed(k)) > 0.97 * apart.length);
      if (found) {
        Object.assign(d, found);
        problem(d, `half_precision_${found.where}`, { form: found.precision }, evidence);
      } else if (noise > 2 * unit) {
        problem(d, "noise", { noise: told(significant(noise, 2)) }, evidence);
      }
    }
  }
  if (first) problem(d, "first_position", { first: told(first) }, evidence);
  if (size !== 1) {
    if (Math.abs(size - 2) < 0.01) problem(d, "added_twice", {}, evidence);
    else problem(d, "amplitude", { amplitude: told(size), other: "" }, evidence);
  }
  d.sure = apart.length >= 64 && noise < 0.005;
  d.picture = { frequencies: w, rule: w };
  return true;
}

// Which half precision of frequencies or angles fits, and where; undefined if none does
function halved(fits) {
  for (const precision of ["float16", "bfloat16"]) {
    const r = (x) => rounded(x, precision);
    const angles = [
      ["frequencies", (place, v) => place * r(v)],
      ["angles", (place, v) => r(r(place) * r(v))],
      ["angles", (place, v) => r(place * r(v))],
      ["angles", (place, v) => r(place * v)],
    ];
    const found = angles.find(([, angle]) => fits(angle));
    if (found) return { precision, where: found[0] };
  }
  return undefined;
}

// The amplitude, and where row 0 can be if dimension 0 turns by 1 radian; else []
/** @returns {[size: number, firsts: number[]]} */
function starts(y, rows) {
  const t = rows.slice(0, 256),
    x = column(y, 0).slice(0, 256);
  const s = t.map(Math.sin),
    c = t.map(Math.cos),
    dot = (a, b) => sum(a.map((v, k) => v * b[k]));
  const ss = dot(s, s),
    cc = dot(c, c),
    sc = dot(s, c),
    xs = dot(s, x),
    xc = dot(c, x);
  const det = ss * cc - sc * sc,
    a = (xs * cc - xc * sc) / det,
    b = (xc * ss - xs * sc) / det;
  let size = Math.sqrt(a * a + b * b);
  if (!(mean(map(x, (v, k) => (v - a * s[k] - b * c[k]) ** 2)) < 0.03 * size * size)) return [size, []];
  if (Math.abs(size - 1) < 0.02) size = 1;
  const found = [];
  for (const phase of [Math.atan2(b, a), Math.atan2(b, a) - Math.PI / 2]) {
    // sine or cosine
    for (let first = -4; first < 1025; first++) {
      const turns = (first - phase) / (2 * Math.PI);
      if (Math.abs(turns - Math.floor(turns + 0.5)) < 0.01 + (Math.abs(first) < 4 ? 0.02 : 0)) found.push(first);
    }
  }
  return [size, unique(found).sort((p, q) => Math.abs(p) - Math.abs(q))];
}

// The base that the second dimension's frequency says, if it is a wave
function ownBases(y, step, width) {
  const out = [];
  for (const j of [1, 2]) {
    const x = column(y, j),
      m = x.slice(1, -1),
      total = sum(map(m, (v) => v * v));
    if (!(total > 0)) continue;
    const v = sum(map(m, (at, k) => at * (x[k + 2] + x[k]))) / (2 * total);
    const exponent = (-Math.log(Math.acos(v)) * width) / (step * j);
    if (v > -1 && v < 1 && exponent > 0.5 && exponent < 30)
      out.push(chosen(Math.exp(exponent), 1e-3)[0], Math.exp(exponent));
  }
  return out;
}
