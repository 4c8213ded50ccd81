// Sines and cosines of turning pairs: how fast each turns, where it starts, how large it is:
// pe_lib/doctor/_waves.py.
//
// A pair is read as the number c + i s. How far it turns in 1, 2, 4 … rows is the angle of the sum of
// z[t + lag] · conj z[t]; each lag doubles the lever, and the one before says how many whole turns lie
// in it.
/* global DATA */
import { clip, first, largest, map, mean, median, range, table, where } from "./series.mjs";

const TURN = 2 * Math.PI;
// pairs whose radii differ by more than this share do not turn; products summed for a lag
const { UNEVEN, ROWS } = DATA.constants.waves;

const columnMedian = (x) => range(x.columns).map((j) => median(range(x.rows).map((t) => x.data[t * x.columns + j])));
const made = (rows, columns, f) =>
  table(
    rows,
    columns,
    Float64Array.from({ length: rows * columns }, (_, k) => f(Math.floor(k / columns), k % columns)),
  );

// The sums of each column, row after row
/** @param {Table} x @param {(v: number, k: number) => number} f */
function sums(x, f = (v) => v) {
  const out = new Float64Array(x.columns);
  for (let k = 0; k < x.data.length; k++) out[k % x.columns] += f(x.data[k], k);
  return out;
}

// What n pairs do, from tables (T, n) kept in a format whose rounding is `unit`: frequencies `w` in radians
// per row, negative for clockwise, the share `doubt` by which each may be off, the `phase` at row 0, the
// `amplitude`, and how far radii are off it (`rough`), as a share
/** @returns {Turns} */
export function turns(sines, cosines, unit) {
  const { rows, columns: n } = sines,
    [S, C] = [sines.data, cosines.data];
  const step = Math.max(1, Math.floor(rows / 512)),
    radii = made(Math.ceil(rows / step), n, (r, i) => S[r * step * n + i] ** 2 + C[r * step * n + i] ** 2);
  const amplitude = Math.sqrt(median(radii.data)),
    size = amplitude > 0 ? amplitude : 1;
  // of most rows: a few that are damaged say nothing
  radii.data = map(radii.data, (v) => Math.abs(Math.sqrt(v) / size - 1));
  const uneven = columnMedian(radii).map((v) => 1.5 * v);
  const w = new Float64Array(n);
  if (median(uneven) > UNEVEN) return { w, doubt: new Float64Array(n).fill(1), phase: w, amplitude: 0, rough: 0 };
  const [reach, lever] = [new Float64Array(n).fill(1), new Float64Array(n).fill(1)],
    good = new Array(n).fill(true);
  for (let lag = 1; lag < rows; lag *= 2) {
    const m = Math.min(rows - lag, ROWS),
      far = lag * n;
    const along = map(S.subarray(0, m * n), (s, k) => C[k + far] * C[k] + S[k + far] * s),
      across = map(S.subarray(0, m * n), (s, k) => S[k + far] * C[k] - C[k + far] * s);
    const [x, y, agreement] = meanOf(table(m, n, along), table(m, n, across));
    for (let i = 0; i < n; i++) {
      good[i] &&= agreement[i] > 0.95 || lag === 1;
      if (!good[i]) continue;
      const angle = Math.atan2(y[i], x[i]);
      w[i] = (lag > 1 ? angle + TURN * Math.floor((w[i] * lag - angle) / TURN + 0.5) : angle) / lag;
      reach[i] = lag * Math.sqrt(m);
      lever[i] = lag;
    }
  }
  const m = Math.min(rows, 64),
    turned = (f) => made(m, n, (t, i) => f(t * n + i, Math.cos(t * w[i]), Math.sin(t * w[i])));
  const [x, y] = meanOf(
    turned((k, cos, sin) => C[k] * cos + S[k] * sin),
    turned((k, cos, sin) => S[k] * cos - C[k] * sin),
  );
  const doubt = map(w, (v, i) => {
    const loose = 2 * uneven[i] + unit * 1e-3 + 1e-16;
    const off = 2 * Math.max(unit, 1e-14) + loose / Math.max(Math.abs(v) * reach[i], 1e-300);
    // sines below 6e-5 are multiples of 6e-8 in float16
    return unit === 2 ** -11 ? off + 1.2e-7 / size / Math.max(Math.abs(v) * lever[i], 1e-300) : off;
  });
  return { w, doubt, phase: map(y, (v, i) => Math.atan2(v, x[i])), amplitude, rough: median(uneven) };
}

// The sum of each column's vectors, without those that point elsewhere; and their agreement
function meanOf(along, across) {
  const n = along.columns,
    total = (keep) => [sums(along, (v, k) => keep(k) * v), sums(across, (v, k) => keep(k) * v)];
  const length = map(along.data, (v, k) => Math.sqrt(v ** 2 + across.data[k] ** 2));
  const agreed = (/** @type {Float64Array[]} */ [x, y], keep) => {
    const whole = sums(table(along.rows, n, length), (v, k) => keep(k) * v);
    return map(whole, (v, i) => Math.sqrt(x[i] * x[i] + y[i] * y[i]) / Math.max(v, 1e-300));
  };
  const all = total(() => 1),
    agreement = agreed(all, () => 1);
  if (agreement.every((v) => v > 0.9999)) return [...all, agreement];
  // a few long ones would outvote all others
  const [x, y] = [along, across].map((z) =>
    columnMedian(
      table(
        z.rows,
        n,
        map(z.data, (v, k) => v / Math.max(length[k], 1e-300)),
      ),
    ),
  );
  const apart = map(along.data, (v, k) => {
    const [i, u] = [k % n, across.data[k]];
    return Math.abs(Math.atan2(u * x[i] - v * y[i], v * x[i] + u * y[i]));
  });
  const middle = columnMedian(table(along.rows, n, apart));
  const keep = (k) => (apart[k] <= 6 * middle[k % n] + 1e-9 ? 1 : 0),
    kept = total(keep);
  return [...kept, agreed(kept, keep)];
}

// The turns of columns (T, n) that are each one wave: their signs cannot be seen. A wave has
// x[t + lag] + x[t - lag] = 2 cos(w · lag) x[t]; phases are those of sines.
/** @returns {Turns} */
export function alone(x, unit) {
  const { rows, columns: n } = x,
    w = new Float64Array(n),
    doubt = new Float64Array(n).fill(1);
  for (let lag = 1; 2 * lag < rows; lag *= 2) {
    const m = Math.min(rows - 2 * lag, ROWS),
      far = lag * n;
    const middle = table(m, n, x.data.subarray(far, far + m * n)),
      around = (k) => x.data[k] + x.data[k + 2 * far];
    const squares = map(
        sums(middle, (v) => v * v),
        (v) => Math.max(v, 1e-300),
      ),
      half = map(
        sums(middle, (v, k) => v * around(k)),
        (v, i) => v / (2 * squares[i]),
      );
    const left = map(
      sums(middle, (v, k) => (around(k) - 2 * half[k % n] * v) ** 2),
      (v, i) => Math.sqrt(v / squares[i]),
    );
    for (let i = 0; i < n; i++) {
      const angle = Math.acos(clip(half[i], -1, 1)),
        whole = TURN * Math.floor((w[i] * lag + Math.PI) / TURN);
      const near = lag > 1 ? [whole + angle, whole - angle, whole + TURN - angle] : [whole + angle];
      const guess = first(near, (v) => [Math.abs(v - w[i] * lag)]);
      const slope = Math.max(Math.abs(Math.sin(guess)), 1e-9),
        apart = (left[i] + 4 * unit + 1e-15) / slope / Math.max(guess, 1e-300);
      if (guess > 0 && apart < doubt[i] && (lag === 1 || doubt[i] * w[i] * lag < 0.5)) {
        w[i] = guess / lag;
        doubt[i] = apart;
      }
    }
  }
  const few = table(Math.min(rows, 256), n, x.data.subarray(0, Math.min(rows, 256) * n)),
    angle = (k) => Math.floor(k / n) * w[k % n];
  const over = (f) => sums(few, (v, k) => f(Math.sin(angle(k)), Math.cos(angle(k)), v));
  const [ss, cc, sc] = [over((s) => s * s), over((_, c) => c * c), over((s, c) => s * c)],
    [xs, xc] = [over((s, _, v) => v * s), over((_, c, v) => v * c)];
  const det = map(ss, (v, i) => v * cc[i] - sc[i] * sc[i]),
    clear = range(n).map((i) => det[i] > 1e-3 * ss[i] * cc[i]);
  const by = map(det, (v, i) => (clear[i] ? v : 1)),
    a = map(by, (v, i) => (xs[i] * cc[i] - xc[i] * sc[i]) / v),
    b = map(by, (v, i) => (xc[i] * ss[i] - xs[i] * sc[i]) / v);
  const sizes = where(clear, (good, i) => good && doubt[i] < 0.01).map((i) => Math.sqrt(a[i] * a[i] + b[i] * b[i]));
  return {
    w,
    doubt: map(doubt, (v, i) => Math.max(v, clear[i] ? 2 * unit : 0.05)),
    phase: map(b, (v, i) => Math.atan2(v, a[i])),
    amplitude: sizes.length ? median(sizes) : 0,
    rough: 0,
  };
}

// The position of row 0, given the frequencies w, on which all phases agree; how well they do. Small whole numbers
// are tried first, and then the slowest pair says roughly where, each faster one more closely.
export function start(found, w, direction) {
  const seen = where(w, (v, i) => v > 0 && found.doubt[i] < 0.3);
  if (!seen.length) return [0, 0];
  const phase = seen.map((i) => direction * found.phase[i]),
    v = seen.map((i) => w[i]);
  const wrapped = (off) => off - TURN * Math.floor(off / TURN + 0.5),
    apart = (t) => Math.sqrt(mean(v.map((speed, k) => wrapped(phase[k] - speed * t) ** 2)));
  const near = first([0, 1, -1, 2, 3, 0.5], (t) => [apart(t), Math.abs(t), t]);
  if (apart(near) < 0.02) return [near, apart(near)];
  let guess = 0;
  for (const k of range(v.length).sort((a, b) => v[a] - v[b] || a - b)) {
    const whole = Math.floor((v[k] * guess - phase[k]) / TURN + 0.5);
    guess = (phase[k] + TURN * whole) / v[k];
  }
  const snapped = Math.floor(guess + 0.5);
  if (Math.abs(snapped - guess) < 0.05) guess = snapped;
  if (apart(guess) > 0.3) {
    // no pair is slow enough: try every whole number
    const agree = new Float64Array(16384 + 2048);
    for (let k = 0; k < v.length; k += Math.max(1, Math.floor(v.length / 24))) {
      for (let place = 0; place < agree.length; place++) agree[place] += Math.cos(v[k] * (place - 2048) - phase[k]);
    }
    guess = largest(agree) - 2048;
  }
  const place = apart(guess) <= apart(near) ? guess : near;
  return [place, apart(place)];
}
