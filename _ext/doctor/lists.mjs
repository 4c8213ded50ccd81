// One row of numbers: frequencies (`inv_freq`), or slopes of ALiBi.
import { explain } from "./explain.mjs";
import { diagnosis, problem } from "./diagnosis.mjs";
import { fillSpacing } from "./fill.mjs";
import { UNIT, held, printed } from "./formats.mjs";
import { BASES, bound, told } from "./numbers.mjs";
import { slopes } from "./slopes.mjs";
import { plain } from "./spacing.mjs";
import { count, every, finite, least, map, middle, most, range } from "./series.mjs";

// The diagnosis of n numbers that may be frequencies, fastest first, or slopes
export function frequencies(w) {
  const n = w.length,
    d = diagnosis({ width: 2 * n });
  if (!finite(w)) {
    d.width = null;
    const first = w.findIndex((v) => !Number.isFinite(v));
    problem(d, "not_finite", { count: told(count(w, (v) => !Number.isFinite(v))), place: `pair ${told(first)}` });
    return d;
  }
  if (every(w, (v) => v === 0)) {
    Object.assign(d, { scheme: "none", sure: true, residual: 0 });
    problem(d, "all_zero");
    return d;
  }
  if (slopes(d, w)) return d;
  if (every(w, (v) => v < 0)) {
    const turned = frequencies(map(w, (v) => -v));
    if (turned.scheme === "rotary") {
      turned.direction = -1;
      problem(turned, "clockwise");
    }
    return turned;
  }
  const form = held(w),
    narrow = form === "bfloat16" || form === "float16";
  const steps = range(n - 1, 1);
  // neighbours may be rounded to one number
  const falls = (i) => w[i] < w[i - 1] || (narrow && w[i] === w[i - 1] && w[i] > 0);
  const rises = steps.filter((i) => !falls(i) && !(w[i] === 0 && w[i - 1] === 0));
  const negative = w.findIndex((v) => v < 0),
    wrong = negative >= 0 || rises.length > 0;
  const unit = form === "float64" || form === "float32" ? UNIT[form] : 2 ** -24;
  const doubt = new Float64Array(n).fill(form === "float64" ? 5e-14 : 2.5 * unit);
  let found = negative >= 0 ? null : explain(w, doubt, true);
  if (!found && wrong) {
    found = repaired(d, w, doubt);
    if (!found) {
      d.width = null;
      if (negative >= 0) problem(d, "negative", { pair: told(negative) });
      else problem(d, "not_falling", { pair: told(rises[0]) });
      return d;
    }
  }
  if (!found && n > 3 && w[0] > 0.3 && w[0] <= 1.001 && w[n - 1] > 0 && w[n - 1] < 0.05 * w[0]) {
    nearest(d, w);
    return d;
  }
  if (!found) {
    d.width = null;
    return d;
  }
  Object.assign(d, { scheme: "rotary", residual: found.residual });
  fillSpacing(d, found, n);
  Object.assign(d, { precision: found.rounding || form, where: "frequencies" });
  if (narrow && found.residual < 1e-12 && !found.rounding) d.precision = "float64";
  if (found.details.noise) {
    const noise = bound(found.residual);
    const said = `largest share ${noise}, at pair ${told(found.at)}`,
      how = printed(w);
    if (how && found.residual <= (1.05 * how[0]) / (how[1].includes("digits") ? 1 : least(w)))
      problem(d, "printed", { digits: how[1] }, said);
    else problem(d, "noise", { noise }, said);
  }
  const known = BASES.includes(found.base) && w[0] === 1;
  d.sure = found.evidence >= 6 && (n > 2 || known) && !(found.details.noise && found.evidence < 12);
  d.alternatives.push("Frequencies do not show a layout: interleaved and halves have the same.");
  d.picture = { frequencies: w, rule: found.w };
  return d;
}

// A rule that all but a few frequencies follow: those few are named
function repaired(d, w, doubt) {
  const n = w.length;
  if (n < 8) return null;
  const y = map(w, (v) => (v > 0 ? Math.log(v) : 0));
  const ratios = range(n - 1)
    .filter((i) => w[i] > 0 && w[i + 1] > 0)
    .map((i) => y[i] - y[i + 1]);
  if (!ratios.length) return null;
  const fall = middle(ratios);
  if (!(fall > 1e-6 && fall < 50)) return null;
  const level = middle(
    range(n)
      .filter((i) => w[i] > 0)
      .map((i) => y[i] + fall * i),
  );
  const bad = range(n).map((i) => !(w[i] > 0) || Math.abs(y[i] + fall * i - level) > 0.02);
  const wrong = count(bad, Boolean);
  if (wrong > Math.floor(n / 4)) return null;
  const found = explain(
    map(w, (v, i) => (bad[i] ? 1 : v)),
    map(doubt, (v, i) => (bad[i] ? 1 : v)),
    true,
  );
  if (!found || found.evidence < 12) return null;
  problem(d, "pairs_off", { count: told(wrong), pair: told(bad.indexOf(true)) });
  return found;
}

// Falling from 1, by no rule: longrope has a list of factors, and nothing else proves it
function nearest(d, w) {
  const base = 1e4,
    factors = map(plain(w.length, base), (v, i) => v / w[i]);
  Object.assign(d, {
    scheme: "rotary",
    scaling: "longrope",
    factor: null,
    base,
    exponent: "2i/d",
    readings: [[base, "2i/d"]],
  });
  d.alternatives.push(
    `Factors of longrope over base ${told(base)}, from ${told(least(factors))} to ${told(most(factors))}: the configuration has their list.`,
  );
}
