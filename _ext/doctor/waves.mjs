// Sines and cosines of turning pairs: how fast each turns, where it starts, how large it is.
//
// A pair is read as the number c + i s. How far it turns in 1, 2, 4 … rows is the angle of the sum of
// z[t + lag] · conj z[t]; each lag doubles the lever, and the one before says how many whole turns lie
// in it.
import { largest, mean, median, range, where } from "./series.mjs";

const TURN = 2 * Math.PI;
const ROWS = 256; // products summed for a lag: enough to be rid of noise

// What n pairs do, from tables (T, n): frequencies `w` in radians per row, negative for clockwise, the
// share `doubt` by which each may be off, the `phase` at row 0, the `amplitude`, and how far radii are
// off it (`rough`), as a share
export function turns(sines, cosines, unit) {
  const { rows, columns: n } = sines,
    S = sines.data,
    C = cosines.data;
  const step = Math.max(1, Math.floor(rows / 512)),
    few = range(Math.ceil(rows / step)).map((k) => k * step);
  const squares = new Float64Array(few.length * n);
  few.forEach((t, r) => {
    for (let i = 0; i < n; i++) squares[r * n + i] = S[t * n + i] ** 2 + C[t * n + i] ** 2;
  });
  const amplitude = Math.sqrt(median(squares)),
    size = amplitude > 0 ? amplitude : 1;
  const uneven = new Float64Array(n);
  for (let k = 0; k < squares.length; k++) uneven[k % n] += (Math.sqrt(squares[k]) / size - 1) ** 2;
  for (let i = 0; i < n; i++) uneven[i] = Math.sqrt(uneven[i] / few.length);

  const w = new Float64Array(n),
    reach = new Float64Array(n).fill(1),
    lever = new Float64Array(n).fill(1);
  const good = new Array(n).fill(true);
  for (let lag = 1; lag < rows; lag *= 2) {
    const m = Math.min(rows - lag, ROWS);
    const along = new Float64Array(n),
      across = new Float64Array(n),
      one = new Float64Array(n),
      two = new Float64Array(n);
    for (let t = 0; t < m; t++) {
      for (let i = 0, k = t * n, l = (t + lag) * n; i < n; i++, k++, l++) {
        along[i] += C[l] * C[k] + S[l] * S[k];
        across[i] += S[l] * C[k] - C[l] * S[k];
        one[i] += C[k] * C[k] + S[k] * S[k];
        two[i] += C[l] * C[l] + S[l] * S[l];
      }
    }
    for (let i = 0; i < n; i++) {
      const agree = Math.sqrt(along[i] ** 2 + across[i] ** 2) > 0.95 * Math.max(Math.sqrt(one[i] * two[i]), 1e-300);
      const angle = Math.atan2(across[i], along[i]);
      good[i] = good[i] && (agree || lag === 1);
      if (!good[i]) continue;
      const turned = angle + TURN * Math.floor((w[i] * lag - angle) / TURN + 0.5);
      w[i] = (lag > 1 ? turned : angle) / lag;
      reach[i] = lag * Math.sqrt(m);
      lever[i] = lag;
    }
  }

  const along = new Float64Array(n),
    across = new Float64Array(n);
  for (let t = 0; t < Math.min(rows, 64); t++) {
    for (let i = 0, k = t * n; i < n; i++, k++) {
      const cos = Math.cos(t * w[i]),
        sin = Math.sin(t * w[i]);
      along[i] += C[k] * cos + S[k] * sin;
      across[i] += S[k] * cos - C[k] * sin;
    }
  }
  const doubt = w.map((v, i) => {
    const off =
      2 * Math.max(unit, 1e-14) + (2 * uneven[i] + unit * 1e-3 + 1e-16) / Math.max(Math.abs(v) * reach[i], 1e-300);
    // sines below 6e-5 are multiples of 6e-8 in float16
    return unit === 2 ** -11 ? off + 1.2e-7 / size / Math.max(Math.abs(v) * lever[i], 1e-300) : off;
  });
  return { w, doubt, phase: along.map((v, i) => Math.atan2(across[i], v)), amplitude, rough: median(uneven) };
}

// The position of row 0, given the frequencies w: that which all phases agree on. Small whole numbers
// are tried first, and then the slowest pair says roughly where, each faster one more closely.
export function start(found, w, direction) {
  const seen = where(w, (v, i) => v > 0 && found.doubt[i] < 0.3);
  if (!seen.length) return 0;
  const phase = seen.map((i) => direction * found.phase[i]),
    v = seen.map((i) => w[i]);
  const apart = (t) =>
    Math.sqrt(
      mean(
        v.map((speed, k) => {
          const off = phase[k] - speed * t;
          return (off - TURN * Math.floor(off / TURN + 0.5)) ** 2;
        }),
      ),
    );
  const near = [0, 1, -1, 2, 3, 0.5]
    .map((t) => [apart(t), Math.abs(t), t])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])[0];
  if (near[0] < 0.02) return near[2];
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
  return apart(guess) < near[0] ? guess : near[2];
}
