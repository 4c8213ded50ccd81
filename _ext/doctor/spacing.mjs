// Which rule a set of frequencies follows: base, exponent, scaling: pe_lib/doctor/_spacing.py.
//
// Logarithms of frequencies lie on a straight line over the pair for plain, interpolated and NTK-scaled
// ones. A bend is YaRN, llama3 or longrope: each is solved for its few numbers where it bends, and then
// has to give every frequency back. YaRN and llama3 without a ramp are one step.
/* global DATA */
import { even } from "./formats.mjs";
import { BASES, FACTORS, LENGTHS, chosen, isPowerOfTen, ten } from "./numbers.mjs";
import {
  clip,
  compared,
  count,
  every,
  first,
  least,
  map,
  median,
  middle,
  most,
  range,
  some,
  sorted,
  sum,
  unique,
  where,
} from "./series.mjs";

const { MARGIN } = DATA.constants.spacing; // a rule holds if no frequency is further off than so many times its doubt
const TURN = 2 * Math.PI;

// A rule and the frequencies w that it gives, in radians per position; `evidence` is the logarithm (base
// 10) of how unlikely it is by chance, `measured` whether its base is no number that somebody chose,
// `usual` whether somebody would choose these numbers
/** @type {(w: Float64Array, base: number, exponent: string, readings: [number, string][], more?: Partial<Spacing>) => Spacing} */
export const spacing = (w, base, exponent, readings, more = {}) => ({
  w,
  base,
  exponent,
  readings,
  scaling: "none",
  factor: 1,
  evidence: 0,
  details: {},
  measured: false,
  usual: true,
  ...more,
});

// base^(-i/n) for i < n: the frequencies of width 2n
export const plain = (n, base) => Float64Array.from({ length: n }, (_, i) => base ** (-i / n));

const known = (base) => BASES.includes(base) || isPowerOfTen(base);
const seenIn = (w, doubt, most = 0.1) => where(w, (v, i) => v > 0 && doubt[i] < most);

// Rules of frequencies w, known within the shares `doubt`, likeliest first. Frequencies with a doubt above
// 0.3, or not above 0, are not looked at. In order: one line, YaRN and llama3, longrope; then a line and a
// bend with the tolerance of float16, and of bfloat16; zeros at the end; and all but a few that are off
// the line of the others.
export function* explain(w, doubt, rotary) {
  const told = [];
  for (const found of rules(w, doubt, rotary)) {
    if (told.some((rule) => most(map(found.w, (v, i) => Math.abs(v - rule[i]))) <= 1e-12 * found.w[0])) continue;
    told.push(found.w);
    yield found;
  }
}

function* rules(w, doubt, rotary) {
  const turning = count(w, (v) => v !== 0),
    zeros = turning > 1 && turning < w.length && every(w.slice(turning), (v) => v === 0);
  const seen = zeros ? map(w, (v, i) => (v === 0 ? 1 : doubt[i])) : doubt;
  yield* levels(w, seen, rotary);
  if (zeros) yield* proportional(w, doubt, turning, rotary);
  const rest = withoutOutliers(w, seen);
  if (!rest) return;
  const good = map(w, (v, i) => (rest[i] < 1 ? v : 1));
  for (const found of levels(good, rest, rotary))
    if (found.evidence >= (found.scaling === "none" ? 6 : 12)) yield found;
}

function* levels(w, doubt, rotary) {
  for (const level of [0, 2e-6, 2 ** -10, 2 ** -7, 2 ** -6]) {
    // float16 ends at 6e-8
    const own = (v) => (level === 2 ** -10 ? 3e-8 / Math.max(Math.abs(v), 1e-30) : 0);
    const d = map(doubt, (x, i) => Math.max(x, level / MARGIN) + own(w[i]));
    let found = [...line(w, d, rotary)];
    if (!found.length) found = [...bent(w, d)];
    yield* found;
    if (level === 2e-6 && !found.length) yield* longrope(w, doubt);
  }
}

// The doubts, 1 for what is off the line of most by 2 %; null if that is nothing, or much
function withoutOutliers(w, doubt) {
  const n = w.length,
    seen = map(w, (v, i) => Number(v > 0 && doubt[i] < 0.1)),
    y = map(w, (v, i) => (seen[i] ? Math.log(v) : 0));
  const both = range(n - 1).filter((i) => seen[i] && seen[i + 1]);
  if (n < 8 || both.length < 4) return null;
  const fall = median(both.map((i) => y[i] - y[i + 1])),
    level = median(where(seen, Boolean).map((i) => y[i] + fall * i));
  const bad = range(n).map((i) => !seen[i] || Math.abs(y[i] + fall * i - level) > Math.max(0.02, 2 * doubt[i]));
  const fresh = count(bad, (b, i) => b && seen[i]);
  if (!fresh || fresh > Math.floor(n / 4)) return null;
  return map(doubt, (v, i) => (bad[i] ? 1 : v));
}

// The line through log w: fall per pair, value at pair 0, and the doubt of each
function fit(w, doubt) {
  const seen = seenIn(w, doubt, 0.3);
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
  const unit = least(seen.map((i) => Math.max(doubt[i], 1e-15)));
  return [level + fall * mean, unit * Math.sqrt(1 / total + mean ** 2 / spread)];
}

// The fall per pair of the line that begins at `start`, and its doubt
function through(w, doubt, start) {
  const seen = seenIn(w, doubt, 0.3).filter((i) => i > 0);
  if (!seen.length) return [0, Infinity];
  const unit = least(seen.map((i) => Math.max(doubt[i], 1e-15)));
  const weight = seen.map((i) => (unit / Math.max(doubt[i], 1e-15)) ** 2);
  const spread = sum(seen.map((i, k) => weight[k] * i * i));
  return [sum(seen.map((i, k) => weight[k] * i * (start - Math.log(w[i])))) / spread, unit / Math.sqrt(spread)];
}

// How far the rule is off at worst, in doubts
function off(w, rule, doubt) {
  let seen = seenIn(w, doubt);
  if (seen.length < 3) seen = seenIn(w, doubt, 0.3);
  return Math.max(0, most(seen.map((i) => Math.abs(w[i] / rule[i] - 1) / Math.max(doubt[i], 1e-15))));
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
    let rank = known(base) ? 1 : digits + 1;
    if (base === 1e4 && !rotary) rank = 0;
    if (rotary && order) rank = known(base) && base >= 1e4 ? 3.5 : 11; // only where its base is a usual one
    found.push({ rank, order, reading: [base, name] });
  });
  return found.sort((a, b) => a.rank - b.rank || a.order - b.order).map((f) => f.reading);
}

// Whether somebody chose this base, or a factor that made it; a usual one if not 2i/d
function isChosen(base, exponent, n) {
  if (exponent !== "2i/d") return known(base);
  return chosen(base, 1e-9)[1] <= 3 || scaledBase(base, n, 1e-9) !== null;
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
function* line(w, doubt, rotary) {
  const n = w.length,
    straight = fit(w, doubt);
  if (!straight) return;
  const [start, startDoubt] = straight,
    tried = [];
  if (Math.abs(start) <= MARGIN * Math.max(startDoubt, doubt[0]) + 1e-9) tried.push(1);
  if (Math.abs(start) < 600) tried.push(chosen(Math.exp(-start), Math.max(startDoubt, 1e-9))[0]);
  for (const factor of tried) {
    const [fall, fallDoubt] = through(w, doubt, -Math.log(factor));
    if (!(fall > 1e-6 && fall < 50) || (factor !== 1 && Math.abs(start) < 0.04 && least(doubt) > 2e-4)) continue;
    const kinds = readings(n, fall, fallDoubt, rotary).filter((kind) => isChosen(...kind, n));
    if (fallDoubt * n > 1e-3) {
      // too little is known to see a factor in the base: try them all
      const grown = BASES.slice(0, 4).flatMap((usual) => FACTORS.map((s) => usual * s ** (n / (n - 1))));
      for (const base of grown)
        if (Math.abs(Math.log(base) / n - fall) <= MARGIN * fallDoubt) kinds.push([base, "2i/d"]);
    }
    for (const reading of [...kinds, null]) {
      const slope = reading ? fallOf(...reading, n) : fall,
        rule = Float64Array.from({ length: n }, (_, i) => Math.exp(-slope * i) / factor);
      if (off(w, rule, doubt) > MARGIN) continue;
      const all = readings(n, slope, 1e-9, rotary), // of this very rule
        order = reading ? [reading, ...all.filter(([, name]) => name !== reading[1])] : all,
        [base, exponent] = order[0];
      const found = spacing(rule, base, exponent, order, { measured: !reading });
      const nice = chosen(base, Math.max(fallDoubt * n, 1e-9))[1] <= 3;
      const degrees = Math.abs((factor * TURN) / 360 - 1) < 1e-6;
      found.usual = factor === 1 || (known(base) && (chosen(factor, 1e-9)[1] <= 3 || degrees));
      if (factor !== 1) {
        Object.assign(found, { factor, scaling: "linear" });
        if (Math.abs(Math.log(factor) / fall - 1) <= (MARGIN * (startDoubt + fallDoubt)) / fall) {
          Object.assign(found, { factor: 1, scaling: "none", usual: known(base) });
          found.details.pairs_from_one = true;
        }
      }
      found.evidence = evidence(w, doubt, 2 - Number(nice) - Number(factor === 1));
      yield found;
    }
  }
}

// The digits that agree, less those that `free` numbers could be chosen to meet
function evidence(w, doubt, free) {
  const digits = sorted(seenIn(w, doubt).map((i) => -Math.log10(Math.max(2 * MARGIN * doubt[i], 1e-12))));
  return sum(map(digits.slice(0, Math.max(0, digits.length - Math.ceil(free))), (v) => Math.max(v, 0)));
}

// The first pairs as in the whole head, the others still (Gemma's "proportional")
function* proportional(w, doubt, turning, rotary) {
  for (const found of levels(w.slice(0, turning), doubt.slice(0, turning), rotary)) {
    if (!["none", "linear"].includes(found.scaling)) continue;
    const fall = fallOf(found.base, found.exponent, turning),
      share = Math.max(most(doubt.slice(0, turning)) / turning, 1e-9);
    const kinds = readings(w.length, fall, share, rotary),
      rule = new Float64Array(w.length);
    rule.set(found.w);
    found.details.turning_pairs = turning;
    const [base, exponent] = kinds[0],
      measured = !isChosen(base, exponent, w.length);
    yield { ...found, w: rule, base, exponent, readings: kinds, scaling: "proportional", measured };
  }
}

// Kept up to pair `low`, divided by s from pair `high` on, a straight ramp between
export function yarn(n, base, s, low, high) {
  return map(plain(n, base), (w, i) => {
    const g = clip((i - low) / Math.max(high - low, 1e-3), 0, 1);
    return w * (1 - g + g / s);
  });
}

// Divided by s below `low` turns in `length`, kept above `high`, a ramp in turns between
export function byTurns(n, base, s, length, low, high) {
  return map(plain(n, base), (w) => {
    const g = clip(((length * w) / TURN - low) / (high - low || 1e-9), 0, 1); // both the same: a step
    return w * (g + (1 - g) / s);
  });
}

// The pairs between which YaRN's ramp lies: those that make `fast` and `slow` turns
export function ends(n, base, length, whole, fast = 32, slow = 1) {
  let [low, high] = [fast, slow].map((turns) => (n * Math.log(length / (TURN * turns))) / Math.log(base));
  if (whole) [low, high] = [Math.floor(low), Math.ceil(high)];
  return [Math.max(low, 0), Math.min(high, 2 * n - 1)];
}

// YaRN, llama3, YaRN with the ramp of its paper, a step
function* bent(w, doubt) {
  const n = w.length,
    places = seenIn(w, doubt),
    seen = map(w, (_, i) => Number(places.includes(i)));
  if (n < 4 || places.length < 4 || !seen[0] || !seen[1] || Math.abs(Math.log(w[0])) > MARGIN * doubt[0] + 1e-9) return;
  const bases = [];
  for (const m of [2, Math.max(2, Math.floor(places.length / 8))]) {
    const [fall, share] = through(w.slice(0, m), doubt.slice(0, m), 0);
    if (fall * n > 0.4 && fall * n < 46)
      bases.push(chosen(Math.exp(fall * n), Math.max(share * n, 1e-9))[0], Math.exp(fall * n));
  }
  const near = BASES.filter((b) => bases.some((e) => Math.abs(b / e - 1) < 0.05));
  for (const base of unique([...near, ...bases, ...BASES])) {
    const wide = plain(n, base),
      k = map(w, (v, i) => (seen[i] ? v / wide[i] : 0));
    if (places.some((i) => k[i] > 1 + MARGIN * doubt[i] + 1e-6) || least(places.map((i) => k[i])) < 1 / 300) continue;
    if (count(places, (i) => k[i] < 1 - MARGIN * doubt[i] - 1e-6) === 1) continue; // one pair is no bend: it is off
    // they fall, or stay, from pair to pair
    const rises = (i, j) => k[j] > k[i] * (1 + MARGIN * (doubt[j] + doubt[i]) + 1e-9);
    if (places.some((j, m) => m > 0 && rises(places[m - 1], j))) continue;
    const fitting = [];
    for (const found of bends(w, doubt, base, k, seen)) {
      const times = off(w, found.w, doubt),
        usual = Number(FACTORS.includes(found.factor)) + Number("trained_length" in found.details);
      if (times <= MARGIN) fitting.push({ rank: [-usual, Number(times.toFixed(9)), fitting.length], found });
    }
    if (!fitting.length) continue;
    const digits = evidence(w, doubt, 4);
    for (const { found } of fitting.sort((a, b) => compared(a.rank, b.rank)).slice(0, 3)) {
      const usual = "trained_length" in found.details || "step" in found.details;
      if (digits > 3) yield Object.assign(found, { evidence: digits, readings: ofBase(n, base), usual });
    }
    return;
  }
}

// Candidates with this base; k = w / plain frequencies, 1 where kept and 1/s where divided
function bends(w, doubt, base, k, seen) {
  const n = w.length,
    out = [],
    wide = plain(n, base),
    places = where(seen, Boolean),
    last = places.at(-1),
    rough = Math.max(doubt[last], 1e-9);
  const add = (rule, scaling, factor, details) =>
    out.push(spacing(rule, base, "2i/d", [], { scaling, factor, details }));
  const factor = chosen(1 / k[last], rough)[0],
    near = FACTORS.filter((s) => Math.abs(s / factor - 1) <= 6 * rough);
  unique([...near, factor, ...FACTORS]).forEach((s, order) => {
    if (s < 1.05 || places.some((i) => k[i] < (1 - MARGIN * doubt[i] - 1e-6) / s)) return;
    const kept = map(k, (v) => (v - 1 / s) / (1 - 1 / s)),
      inner = places.filter((i) => kept[i] > 0.02 && kept[i] < 0.98),
      divided = places.filter((i) => kept[i] < 0.5),
      at = divided[0];
    if (!inner.length && divided.length > 1 && at > 0 && seen[at - 1])
      add(
        map(wide, (v, i) => (i < at ? v : v / s)),
        "llama3",
        s,
        { step: at },
      );
    if (inner.length && (order === 0 || doubt[last] > 1e-4)) {
      for (const [name, low, high, more] of /** @type {[string, number, number, Values][]} */ ([
        ["llama3", 1, 4, {}],
        ["yarn", 1, 32, { ramp: "paper" }],
      ])) {
        const between = middle(inner.map((i) => ((low + (high - low) * kept[i]) * TURN) / wide[i]));
        for (const trained of unique([nearestLength(between), between]))
          add(byTurns(n, base, s, trained, low, high), name, s, { trained_length: trained, ...more });
      }
    }
    if (inner.length > 1) {
      // the ramp's ends from its first and last pair inside
      const [a, b] = [inner[0], inner.at(-1)],
        slope = (kept[a] - kept[b]) / (b - a),
        low = a - (1 - kept[a]) / slope,
        high = low + 1 / slope;
      for (const [x, y] of slope > 0
        ? [
            [even(low), even(high)],
            [low, high],
          ]
        : [])
        if (x > -0.5 && x < y) out.push(ramp(n, base, s, Math.max(x, 0), y));
    }
    if (!(order === 0 || inner.length <= 1 || k[last] > 1.01 / s)) return;
    for (const trained of LENGTHS) {
      for (const whole of [true, false]) {
        const [low, high] = ends(n, base, trained, whole),
          details = { trained_length: trained, rounded_ends: whole, low, high };
        if (high > low) add(yarn(n, base, s, low, high), "yarn", s, details);
      }
      add(byTurns(n, base, s, trained, 1, 4), "llama3", s, { trained_length: trained });
    }
  });
  return out;
}

// Every reading, 2i/d with this base first
const ofBase = (n, base) => [
  [base, "2i/d"],
  ...readings(n, Math.log(base) / n, 1e-9, true).filter(([, name]) => name !== "2i/d"),
];

// The power of two nearby, if there is one, or else x
function nearestLength(x) {
  const power = 2 ** even(Math.log10(x) / Math.log10(2));
  return Math.abs(power / x - 1) < 0.05 ? power : x;
}

// A ramp between two pairs, and the trained length that puts it there, if one does
function ramp(n, base, s, low, high) {
  const whole = low === Math.floor(low) && high === Math.floor(high),
    details = { rounded_ends: whole, low, high };
  const trained = LENGTHS.find((length) => {
    const [a, b] = ends(n, base, length, whole);
    return Math.abs(a - low) < 0.02 && Math.abs(b - high) < 0.02;
  });
  const rule = yarn(n, base, s, ...(trained ? ends(n, base, trained, whole) : [low, high]));
  if (trained) Object.assign(details, { trained_length: trained });
  return spacing(rule, base, "2i/d", [], { scaling: "yarn", factor: s, details });
}

// Plain frequencies divided by a list of factors of few decimals each
function* longrope(w, doubt) {
  const n = w.length,
    seen = map(w, (v, i) => Number(v > 0 && doubt[i] < 3e-6));
  if (sum(seen) < Math.max(4, Math.floor(n / 2))) return;
  const fitting = [];
  for (const base of BASES) {
    const wide = plain(n, base),
      factors = map(wide, (v, i) => (seen[i] ? v / w[i] : 1)),
      doubts = map(doubt, (d, i) => (seen[i] ? MARGIN * d + 1e-6 : 0.5));
    if (least(factors) < 0.5 || most(factors) > 1000) continue;
    for (const decimals of [1, 2, 3]) {
      const unit = ten(decimals),
        near = map(factors, (f) => Math.floor(f * unit + 0.5) / unit);
      if (some(near, (v, i) => Math.abs(v / factors[i] - 1) > doubts[i])) continue;
      const kept = [...near].filter((_, i) => seen[i]),
        same = unique(kept).map((v) => count(kept, (u) => u === v));
      if (kept.length - most(same) <= Math.floor(n / 4)) break; // one factor but for a few pairs: these are off
      const rule = map(wide, (v, i) => (seen[i] ? v / near[i] : w[i])),
        digits = sum(doubts.map((d, i) => -Math.log10(clip(2 * d * factors[i] * unit, 1e-9, 1)))),
        details = { least: least(near), largest: most(near) };
      fitting.push(
        spacing(rule, base, "2i/d", ofBase(n, base), { scaling: "longrope", factor: null, evidence: digits, details }),
      );
      break;
    }
  }
  const best = first(fitting, (found) => [-found.evidence]);
  if (best?.evidence > 6) yield best;
}
