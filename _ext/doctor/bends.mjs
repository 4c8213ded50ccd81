// Frequencies that bend: YaRN, llama3 and longrope, each solved for its few numbers where it bends.
import { BASES, FACTORS, LENGTHS, chosen, ten } from "./numbers.mjs";
import { even } from "./formats.mjs";
import { clip, every, least, map, middle, most, sum, unique, where } from "./series.mjs";
import { MARGIN, evidence, off, plain, readings, spacing, through } from "./spacing.mjs";

const TURN = 2 * Math.PI;

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

// Kept before pair `at`, divided by s from there on: llama3, or YaRN, with both ends equal
function step(n, base, s, at) {
  const rule = map(plain(n, base), (w, i) => (i < at ? w : w / s));
  return spacing(rule, base, "2i/d", [], { scaling: "llama3", factor: s, details: { step: at } });
}

// The pairs between which YaRN's ramp lies: those that make `fast` and `slow` turns
export function ends(n, base, length, whole, fast = 32, slow = 1) {
  let [low, high] = [fast, slow].map((turns) => (n * Math.log(length / (TURN * turns))) / Math.log(base));
  if (whole) [low, high] = [Math.floor(low), Math.ceil(high)];
  return [Math.max(low, 0), Math.min(high, 2 * n - 1)];
}

// YaRN, llama3, YaRN with the ramp of its paper, a step
export function bent(w, doubt) {
  const n = w.length,
    seen = map(w, (v, i) => v > 0 && doubt[i] < 0.1),
    total = sum(seen);
  if (n < 4 || total < 4 || !seen[0] || !seen[1] || Math.abs(Math.log(w[0])) > MARGIN * doubt[0] + 1e-9) return null;
  const bases = [];
  for (const m of [2, Math.max(2, Math.floor(total / 8))]) {
    const [fall, share] = through(w.slice(0, m), doubt.slice(0, m), 0);
    if (fall * n > 0.4 && fall * n < 46)
      bases.push(chosen(Math.exp(fall * n), Math.max(share * n, 1e-9))[0], Math.exp(fall * n));
  }
  const near = BASES.filter((b) => bases.some((e) => Math.abs(b / e - 1) < 0.05));
  const places = where(seen, Boolean);
  for (const base of unique([...near, ...bases, ...BASES])) {
    const wide = plain(n, base),
      k = map(w, (v, i) => (seen[i] ? v / wide[i] : 0));
    if (places.some((i) => k[i] > 1 + MARGIN * doubt[i] + 1e-6) || least(places.map((i) => k[i])) < 1 / 300) continue;
    // they fall, or stay, from pair to pair
    const rises = (i, j) => k[j] > k[i] * (1 + MARGIN * (doubt[i] + doubt[j]) + 1e-9);
    if (places.some((j, m) => m > 0 && rises(places[m - 1], j))) continue;
    let best = null,
      bestOrder = [0, 0];
    for (const found of bends(w, doubt, base, k, seen)) {
      const [times, residual, at] = off(w, found.w, doubt);
      Object.assign(found, { residual, at });
      const order = [-Number(FACTORS.includes(found.factor)) - Number("trained_length" in found.details), residual];
      const better = order[0] < bestOrder[0] || (order[0] === bestOrder[0] && order[1] < bestOrder[1]);
      if (times <= MARGIN && (!best || better)) [best, bestOrder] = [found, order];
    }
    if (best) {
      best.evidence = evidence(w, doubt, 4);
      best.readings = first(n, base);
      return best.evidence > 3 ? best : null;
    }
  }
  return null;
}

// Candidates with this base; k = w / plain frequencies, 1 where kept and 1/s where divided
function bends(w, doubt, base, k, seen) {
  const n = w.length,
    out = [],
    wide = plain(n, base),
    places = where(seen, Boolean);
  const last = places[places.length - 1],
    rough = Math.max(doubt[last], 1e-9);
  const factor = chosen(1 / k[last], rough)[0];
  const near = FACTORS.filter((s) => Math.abs(s / factor - 1) <= 6 * rough);
  unique([...near, factor, ...FACTORS]).forEach((s, order) => {
    if (s < 1.05 || places.some((i) => k[i] < (1 - MARGIN * doubt[i] - 1e-6) / s)) return;
    const kept = map(k, (v) => (v - 1 / s) / (1 - 1 / s));
    const inner = places.filter((i) => kept[i] > 0.02 && kept[i] < 0.98);
    const divided = places.filter((i) => kept[i] < 0.5),
      at = divided[0];
    if (!inner.length && divided.length > 1 && at > 0 && seen[at - 1]) out.push(step(n, base, s, at));
    if (inner.length && (order === 0 || doubt[last] > 1e-4)) {
      /** @type {[string, number, number][]} */
      const kinds = [
        ["llama3", 1, 4],
        ["yarn", 1, 32],
      ];
      for (const [name, low, high] of kinds) {
        const between = middle(inner.map((i) => ((low + (high - low) * kept[i]) * TURN) / wide[i]));
        for (const trained of unique([nearestLength(between), between])) {
          out.push(scaled(byTurns(n, base, s, trained, low, high), base, name, s, trained));
          if (name === "yarn") out[out.length - 1].details.ramp = "paper";
        }
      }
    }
    if (inner.length > 1) {
      // the ramp's ends from its first and last pair inside
      const a = inner[0],
        b = inner[inner.length - 1],
        slope = (kept[a] - kept[b]) / (b - a);
      if (slope > 0) {
        const low = a - (1 - kept[a]) / slope,
          high = low + 1 / slope;
        for (const [x, y] of [
          [even(low), even(high)],
          [low, high],
        ]) {
          if (x > -0.5 && x < y) out.push(ramp(n, base, s, Math.max(x, 0), y));
        }
      }
    }
    if (order === 0 || inner.length <= 1 || k[last] > 1.01 / s) {
      for (const trained of LENGTHS) {
        for (const whole of [true, false]) {
          const [low, high] = ends(n, base, trained, whole);
          if (high > low) {
            const found = scaled(yarn(n, base, s, low, high), base, "yarn", s, trained);
            Object.assign(found.details, { rounded_ends: whole, low, high });
            out.push(found);
          }
        }
        out.push(scaled(byTurns(n, base, s, trained, 1, 4), base, "llama3", s, trained));
      }
    }
  });
  return out;
}

// Every reading, 2i/d with this base first
function first(n, base) {
  return [[base, "2i/d"], ...readings(n, Math.log(base) / n, 1e-9, true).filter(([, name]) => name !== "2i/d")];
}

// The power of two nearby, if there is one, or else x
function nearestLength(x) {
  const power = 2 ** even(Math.log10(x) / Math.log10(2));
  return Math.abs(power / x - 1) < 0.05 ? power : x;
}

const scaled = (rule, base, scaling, factor, trained) =>
  spacing(rule, base, "2i/d", [], { scaling, factor, details: { trained_length: trained } });

// A ramp between two pairs, and the trained length that puts it there, if one does
function ramp(n, base, s, low, high) {
  const whole = low === Math.floor(low) && high === Math.floor(high);
  const more = { rounded_ends: whole, low, high };
  for (const trained of LENGTHS) {
    const [a, b] = ends(n, base, trained, whole);
    if (Math.abs(a - low) < 0.02 && Math.abs(b - high) < 0.02) {
      const found = scaled(yarn(n, base, s, a, b), base, "yarn", s, trained);
      Object.assign(found.details, more);
      return found;
    }
  }
  return spacing(yarn(n, base, s, low, high), base, "2i/d", [], { scaling: "yarn", factor: s, details: more });
}

// Plain frequencies divided by a list of factors of few decimals each
export function longrope(w, doubt) {
  const n = w.length,
    seen = map(w, (v, i) => v > 0 && doubt[i] < 3e-6);
  if (sum(seen) < Math.max(4, Math.floor(n / 2))) return null;
  let best = null;
  for (const base of BASES) {
    const wide = plain(n, base),
      factors = map(wide, (v, i) => (seen[i] ? v / w[i] : 1));
    if (least(factors) < 0.5 || most(factors) > 1000) continue;
    for (const decimals of [1, 2, 3]) {
      const unit = ten(decimals),
        near = map(factors, (f) => Math.floor(f * unit + 0.5) / unit);
      const share = map(near, (v, i) => Math.abs(v / factors[i] - 1));
      const doubts = map(doubt, (d, i) => (seen[i] ? MARGIN * d + 1e-6 : 0.5));
      if (!every(share, (v, i) => v <= doubts[i])) continue;
      const found = spacing(
        map(wide, (v, i) => (seen[i] ? v / near[i] : w[i])),
        base,
        "2i/d",
        [],
        {
          scaling: "longrope",
          factor: null,
          residual: most(share),
          at: share.indexOf(most(share)),
          evidence: sum(doubts.map((d, i) => -Math.log10(clip(2 * d * factors[i] * unit, 1e-9, 1)))),
          details: { least: least(near), largest: most(near) },
        },
      );
      if (!best || found.evidence > best.evidence) {
        best = found;
        best.readings = first(n, base);
      }
      break;
    }
  }
  return best && best.evidence > 6 ? best : null;
}
