// The rule of frequencies, whichever it is: rules are tried from the exact to the rounded, plain ones first.
import { bent, longrope } from "./bends.mjs";
import { UNIT, allRounded, rounded } from "./formats.mjs";
import { MARGIN, fallOf, line, readings, spacing } from "./spacing.mjs";
import { count, every, largest, map, most, some, where } from "./series.mjs";

function levels(w, doubt, rotary) {
  for (const level of [0, 2e-6, 2 ** -10, 2 ** -7, 2 ** -6]) {
    // float16 ends at 6e-8
    const own = level === 2 ** -10 ? (v) => 3e-8 / Math.max(Math.abs(v), 1e-30) : () => 0;
    const d = map(doubt, (x, i) => Math.max(x, level / MARGIN) + own(w[i]));
    let found = line(w, d, rotary) ?? bent(w, d);
    if (!found && level === 2e-6) found = longrope(w, doubt);
    if (!found) continue;
    found.rounding = level > 1e-4 ? roundedTo(w, doubt, found.w) : "";
    if (found.rounding) {
      const off = map(w, (v, i) =>
        v > 0 && doubt[i] < 0.3 ? Math.abs(rounded(found.w[i], found.rounding) / v - 1) : 0,
      );
      found.at = largest(off);
      found.residual = off[found.at];
    } else if (level > 1e-5) {
      found.details.noise = true;
    }
    return found;
  }
  return null;
}

// The first pairs as in the whole head, the others still (Gemma's "proportional")
function proportional(w, doubt, turning, rotary) {
  const found = levels(w.slice(0, turning), doubt.slice(0, turning), rotary);
  if (!found || !["none", "linear"].includes(found.scaling)) return null;
  const n = w.length,
    fall = fallOf(found.base, found.exponent, turning);
  const kinds = readings(n, fall, Math.max(most(doubt.slice(0, turning)) / turning, 1e-9), rotary);
  const rule = new Float64Array(n);
  rule.set(found.w);
  const { factor, rounding, residual, at, evidence } = found;
  const details = { ...found.details, turning_pairs: turning };
  return spacing(rule, ...kinds[0], kinds, {
    scaling: "proportional",
    factor,
    rounding,
    residual,
    at,
    evidence,
    details,
  });
}

// The rule of frequencies w, known within the shares `doubt`; null if no rule fits. Frequencies with a
// doubt above 0.3, or not above 0, are not looked at. Below `least` a pair seems to stand still.
export function explain(w, doubt, rotary, least = 0) {
  const turning = count(w, (v) => v !== 0);
  if (!(turning > 1 && turning < w.length) || some(w.slice(turning), (v) => v !== 0)) return levels(w, doubt, rotary);
  const found = levels(
    w,
    map(w, (v, i) => (v === 0 ? 1 : doubt[i])),
    rotary,
  );
  if (found) {
    const limit = found.rounding === "float16" || found.details.noise ? Math.max(least, 3.1e-8) : least;
    if (every(found.w, (v, i) => w[i] !== 0 || v <= limit)) return found;
  }
  return proportional(w, doubt, turning, rotary);
}

// The half precision that turns the rule into w, or ""
function roundedTo(w, doubt, rule) {
  const seen = where(doubt, (x) => x < 1e-3);
  for (const form of ["float16", "bfloat16"]) {
    const y = allRounded(rule, form),
      off = (i) => Math.abs(y[i] - w[i]);
    // computed in float32 before, one in many may fall to the other side: one step, rarely
    const near = seen.filter((i) => off(i) <= Math.max(MARGIN * doubt[i], 1e-7) * Math.abs(w[i]));
    const step = seen.every((i) => off(i) <= 2.1 * UNIT[form] * Math.abs(w[i]) + (form === "float16" ? 6e-8 : 0));
    if (seen.length > 1 && near.length >= 0.8 * seen.length && step) return form;
  }
  return "";
}
