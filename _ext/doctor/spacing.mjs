// Which rule a set of frequencies follows: base, exponent, scaling.
//
// Logarithms of frequencies lie on a straight line over the pair for plain, interpolated and NTK-scaled
// ones. A bend is YaRN, llama3 or longrope (bends.mjs). A rule has to give every frequency back; which one
// does, explain.mjs tries in turn.
import { BASES, chosen, isPowerOfTen } from "./numbers.mjs";
import { count, largest, least as smallest, map, most, sorted, sum, where } from "./series.mjs";

export const MARGIN = 4; // a rule holds if no frequency is further off than this many times its doubt

// A rule and the frequencies w that it gives, in radians per position
export const spacing = (w, base, exponent, readings, more = {}) => ({
  w,
  base,
  exponent,
  readings,
  scaling: "none",
  factor: 1,
  rounding: "", // the format that the frequencies were rounded to, if they were
  residual: 0,
  at: 0, // the largest share by which a frequency is off, and at which pair
  evidence: 0, // the logarithm (base 10) of how unlikely it is by chance
  details: {},
  doubt: 0, // the share by which w may be off
  options: [],
  kinds: [], // other bases that fit, as frequencies, and which of the readings they are
  ...more,
});

// base^(-i/n) for i < n: the frequencies of width 2n
export const plain = (n, base) => Float64Array.from({ length: n }, (_, i) => base ** (-i / n));

// The line through log w: fall per pair, value at pair 0, and the doubt of each
function fit(w, doubt) {
  const seen = where(w, (v, i) => v > 0 && doubt[i] < 0.3);
  if (seen.length < 2) return null;
  const y = seen.map((i) => Math.log(w[i])),
    raw = seen.map((i) => 1 / Math.max(doubt[i], 1e-15) ** 2),
    top = most(raw);
  const weight = raw.map((v) => v / top),
    total = sum(weight);
  const mean = sum(seen.map((i, k) => weight[k] * i)) / total;
  const spread = sum(seen.map((i, k) => weight[k] * (i - mean) ** 2));
  if (spread <= 0) return null;
  const level = sum(y.map((v, k) => weight[k] * v)) / total;
  const fall = -sum(seen.map((i, k) => weight[k] * (i - mean) * y[k])) / spread;
  const unit = smallest(seen.map((i) => Math.max(doubt[i], 1e-15)));
  return [fall, level + fall * mean, unit / Math.sqrt(spread), unit * Math.sqrt(1 / total + mean ** 2 / spread)];
}

// The fall per pair of the line that begins at `start`, and its doubt
export function through(w, doubt, start) {
  const seen = where(w, (v, i) => i > 0 && v > 0 && doubt[i] < 0.3);
  if (!seen.length) return [0, Infinity];
  const unit = smallest(seen.map((i) => Math.max(doubt[i], 1e-15)));
  const weight = seen.map((i) => (unit / Math.max(doubt[i], 1e-15)) ** 2);
  const spread = sum(seen.map((i, k) => weight[k] * i * i));
  return [sum(seen.map((i, k) => weight[k] * i * (start - Math.log(w[i])))) / spread, unit / Math.sqrt(spread)];
}

// How far the rule is off at worst: in doubts, as a share, and at which pair
export function off(w, rule, doubt) {
  let seen = (i) => w[i] > 0 && doubt[i] < 0.1;
  if (count(w, (_, i) => seen(i)) < 3) seen = (i) => w[i] > 0 && doubt[i] < 0.3;
  const share = map(w, (v, i) => (seen(i) ? Math.abs(v / rule[i] - 1) : 0));
  const times = map(share, (v, i) => (seen(i) ? v / Math.max(doubt[i], 1e-15) : 0));
  const at = largest(times);
  return [times[at], share[at], at];
}

const TIMES = { "2i/d": (n) => n, "i/(d/2-1)": (n) => n - 1, "4i/d": (n) => n / 2, "i/d": (n) => 2 * n };

// Every (base, exponent) with this fall per pair, the most usual first. Of a table: base 10,000 in any
// convention, then a known base or a power of ten, then the fewest digits, each in the order above. Of
// a rotary scheme: 2i/d with a base of up to two digits, another convention with a known base from
// 10,000 on, 2i/d.
export function readings(n, fall, doubt, rotary) {
  const found = [];
  Object.entries(TIMES).forEach(([name, f], order) => {
    const times = f(n);
    if (!(times > 0 && fall * times < 600)) return;
    const rough = Math.max(doubt * times, 1e-9);
    let [base, digits] = chosen(Math.exp(fall * times), rough);
    const ntk = order === 0 && digits > 3 ? scaledBase(base, n, rough) : null;
    if (ntk) [base, digits] = [ntk[0] * ntk[1] ** (n / (n - 1)), 4];
    const known = BASES.includes(base) || isPowerOfTen(base);
    let rank = known ? 1 : digits + 1;
    if (base === 1e4 && !rotary) rank = 0;
    if (rotary && order) rank = known && base >= 1e4 ? 3.5 : 11; // only where its base is a usual one
    found.push({ rank, order, reading: [base, name] });
  });
  return found.sort((a, b) => a.rank - b.rank || a.order - b.order).map((f) => f.reading);
}

// The usual base and the round factor by which NTK-aware scaling makes this one, or null
export function scaledBase(base, n, doubt) {
  if (n < 3 || doubt > 1e-3) return null;
  for (const usual of [1e4, 5e5, 1e6, 1e5]) {
    if (base <= usual) continue;
    const [factor, digits] = chosen(Math.exp((Math.log(base / usual) * (n - 1)) / n), doubt);
    if (digits <= 2 && factor > 1 && factor <= 1024) return [usual, factor];
  }
  return null;
}

// The fall of log w per pair with this base and exponent
export const fallOf = (base, exponent, n) => Math.log(base) / TIMES[exponent](n);

// Plain, NTK-scaled or interpolated frequencies
export function line(w, doubt, rotary) {
  const n = w.length,
    straight = fit(w, doubt);
  if (!straight) return null;
  const [, start, , startDoubt] = straight,
    tried = [];
  if (Math.abs(start) <= MARGIN * Math.max(startDoubt, doubt[0]) + 1e-9) tried.push(1);
  if (-start < 600) tried.push(chosen(Math.exp(-start), Math.max(startDoubt, 1e-9))[0]);
  for (const factor of tried) {
    const [fall, fallDoubt] = through(w, doubt, -Math.log(factor));
    if (!(fall > 1e-6 && fall < 50) || (factor !== 1 && Math.abs(start) < 0.04 && smallest(doubt) > 2e-4)) continue;
    const all = readings(n, fall, fallDoubt, rotary);
    const fits = [];
    [...all.map(([base, name]) => fallOf(base, name, n)), fall].forEach((slope, k) => {
      const rule = Float64Array.from({ length: n }, (_, i) => Math.exp(-slope * i) / factor);
      const [times, share, at] = off(w, rule, doubt);
      if (times <= MARGIN) fits.push({ k, rule, share, at });
    });
    if (!fits.length) continue;
    const { k, rule, share, at } = fits[0],
      given = k < all.length;
    if (given) all.unshift(...all.splice(k, 1));
    const [base, exponent] = all[0];
    const round = chosen(factor, 1e-9)[1] <= 3;
    const found = spacing(rule, base, exponent, all, {
      residual: share,
      at,
      doubt: Math.max((given ? 1e-15 : fallDoubt) * n, round ? 0 : startDoubt),
      options: fits.map((f) => f.rule),
      kinds: fits.map((f) => f.k),
    });
    if (factor !== 1) {
      [found.factor, found.scaling] = [factor, "linear"];
      if (Math.abs(Math.log(factor) / fall - 1) <= MARGIN * (startDoubt / fall + fallDoubt / fall)) {
        [found.scaling, found.factor] = ["none", 1];
        found.details.pairs_from_one = true;
      }
    }
    const nice = chosen(base, Math.max(fallDoubt * n, 1e-9))[1] <= 3;
    found.evidence = evidence(w, doubt, 2 - Number(nice) - Number(factor === 1));
    return found;
  }
  return null;
}

// The digits that agree, less those that `free` numbers could be chosen to meet
export function evidence(w, doubt, free) {
  const seen = where(w, (v, i) => v > 0 && doubt[i] < 0.1);
  const digits = sorted(seen.map((i) => -Math.log10(Math.max(2 * MARGIN * doubt[i], 1e-12))));
  return sum(map(digits.slice(0, Math.max(0, digits.length - Math.ceil(free))), (v) => Math.max(v, 0)));
}
