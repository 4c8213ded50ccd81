// From a rule that gives pairs back to the keys of a diagnosis, the same for tables and caches.
/* global WORDS */
import { BASES, bound, chosen, significant, told } from "./numbers.mjs";
import { filled, problem } from "./diagnosis.mjs";
import { LOST } from "./pairs.mjs";
import { scaledBase } from "./spacing.mjs";

const temperature = (factor) => 0.1 * Math.log(factor) + 1;

// What the frequencies say: base, exponent, scaling, and what else gives the same ones
export function fillSpacing(d, s, n) {
  Object.assign(d, {
    base: s.base,
    exponent: s.exponent,
    readings: s.readings,
    scaling: s.scaling,
    factor: s.factor,
    width: 2 * n,
  });
  for (const key of ["trained_length", "rounded_ends", "ramp", "turning_pairs", "step"]) {
    if (key in s.details) d.details[key] = s.details[key];
  }
  const other = told(s.readings.findLast(([, name]) => name === "2i/d")?.[0]);
  if (s.exponent === "4i/d") problem(d, "doubled_exponent", { other });
  else if (s.exponent === "i/d") problem(d, "halved_exponent", { other });
  else {
    for (const [base, name] of s.readings.slice(1)) {
      d.alternatives.push(`Exponent ${name} with base ${told(base)} gives the same frequencies.`);
    }
  }
  if ("step" in s.details) {
    const words = { pair: told(s.details.step), factor: told(s.factor) };
    d.alternatives.push(filled(WORDS.step, words));
  }
  if (s.details.pairs_from_one) problem(d, "pairs_from_one", { other: told(1 / s.w[0]) });
  if (s.rounding) problem(d, "half_precision_frequencies", { form: s.rounding });
  if (s.exponent === "2i/d" && s.scaling === "none") {
    ntk(d, s.base, n);
    if (d.scheme === "rotary" && chosen(s.base, 1e-6)[1] > 2) wider(d, s.base, n);
  }
}

// A base that is none for this width may be a usual one of a wider head
function wider(d, base, n) {
  for (const times of [2, 4, 8]) {
    const wide = base ** times,
      usual = chosen(wide, 1e-6)[0];
    if (wide < 1e9 && BASES.slice(0, 10).includes(usual)) {
      d.alternatives.push(
        `Base ${told(usual)} for a width of ${told(2 * n * times)}, of which the first ${told(n)} pairs were taken.`,
      );
    }
  }
}

// NTK-aware scaling is another base: name the factor if it is a round one
function ntk(d, base, n) {
  const found = chosen(base, 1e-6)[1] > 2 && scaledBase(base, n, 2e-6);
  if (!found) return;
  d.details.ntk = { base: found[0], factor: found[1] };
  d.alternatives.unshift(`NTK-aware scaling of base ${told(found[0])} by ${told(found[1])}: it is another base.`);
}

// What the whole array says: start, direction, size, precision, and how well it fits
export function fillFit(d, f, n, length) {
  const { spacing: s, first, direction, precision, where, residual, noise } = f;
  const half = ["float16", "bfloat16"].includes(precision);
  Object.assign(d, { first_position: first, direction, amplitude: f.amplitude, precision, where, residual });
  if (s.rounding && where === "values") Object.assign(d, { precision: s.rounding, where: "frequencies" });
  let evidence = `largest residual ${bound(residual)}`;
  if (residual > 2.5 * f.allowed && residual > 1e-6) evidence += `, at row ${told(f.row)}, pair ${told(f.pair)}`;
  fillSpacing(d, s, n);
  if (direction === -1 && first === -(length - 1) && length > 1) {
    problem(d, "reversed", {}, evidence);
  } else {
    if (direction === -1) problem(d, "clockwise", {}, evidence);
    if (first !== 0) problem(d, "first_position", { first: told(first) }, evidence);
  }
  if (half && where === "frequencies") problem(d, "half_precision_frequencies", { form: precision }, evidence);
  if (half && where === "angles") problem(d, "half_precision_angles", { form: precision }, evidence);
  if (f.badRows.length) {
    problem(
      d,
      "rows_off",
      { count: told(f.badRows.length), row: told(f.badRows[0]), mend: "Compute these rows anew." },
      evidence,
    );
  }
  if (f.badPairs.length)
    problem(d, "pairs_off", { count: told(f.badPairs.length), pair: told(f.badPairs[0]) }, evidence);
  if (noise && f.digits) problem(d, "printed", { digits: f.digits }, evidence);
  else if (noise) problem(d, "noise", { noise: told(significant(noise, 2)) }, evidence);
  fillAmplitude(d, f, n, evidence);
  // with noise, a line of which one pair is far off can pass for a bend
  const loose =
    (s.details.noise && !(where === "angles" && half)) || (noise > 0 && !["none", "linear"].includes(s.scaling));
  d.sure = noise <= LOST && 2 * n * length >= 24 && !loose && s.evidence >= 4;
  d.picture = { frequencies: f.turns.w.map(Math.abs), rule: s.w };
}

// A size other than 1: YaRN's or longrope's own, twice, the root of the width, or another
function fillAmplitude(d, f, n, evidence) {
  const { amplitude: a, spacing: s } = f;
  if (a === 1) return;
  const doubt = Math.max(1e-4, 2 * f.allowed, f.noise),
    root = Math.sqrt(2 * n);
  if (d.scheme === "rotary") {
    const grown = s.scaling === "yarn" || "step" in s.details;
    if (grown && s.factor && Math.abs(a - temperature(s.factor)) < 3 * doubt) {
      d.amplitude = temperature(s.factor);
      d.scaling = "yarn"; // llama3 has no attention factor
      return;
    }
    if (s.scaling === "longrope" && a > 1 && a < 1.6) return;
  }
  if (Math.abs(a - 2) < 2 * doubt) {
    d.amplitude = 2;
    problem(d, "added_twice", {}, evidence);
    return;
  }
  let other = "";
  if (Math.abs(a / root - 1) < doubt)
    other = "It is the root of the width, which words are multiplied by, not positions.";
  else if (Math.abs(a * root - 1) < doubt) other = "It is 1 over the root of the width.";
  else if (d.scheme === "rotary" && a > 1 && a < 1.6) {
    other = `YaRN's attention factor for a scaling by ${told(significant(Math.exp((a - 1) * 10), 2))}, without its frequencies.`;
  }
  problem(d, "amplitude", { amplitude: told(a), other }, evidence);
}
