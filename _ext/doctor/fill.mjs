// From a proven recipe to the keys of a diagnosis, the same for tables, caches and lists: pe_lib/doctor/_fill.py.
import { drop, other, problem } from "./diagnosis.mjs";
import { BASES, bound, chosen, significant, told } from "./numbers.mjs";
import { isHalf } from "./proof.mjs";
import { map } from "./series.mjs";
import { scaledBase } from "./spacing.mjs";

const temperature = (factor) => 0.1 * Math.log(factor) + 1;

// What a proof says of any array: the recipe, its rounding, the exceptions; the evidence
export function proven(d, recipe, proof, x) {
  const { rounding: r, residual, rows, pairs, entries } = proof;
  Object.assign(d, { recipe, rounding: r, given: x, residual, precision: r.form, where: r.where });
  Object.assign(d.exceptions, { rows, pairs, entries });
  if (isHalf(r) || (r.rough && d.where !== "values")) d.precision = r.rough;
  const evidence = `largest residual ${bound(residual)}`;
  if (!(residual > 2.5 * proof.allowed && residual > 1e-6)) return evidence;
  return `${evidence}, at row ${told(proof.at[0])}, column ${told(proof.at[1])}`;
}

// Rows, pairs and entries that the rule does not explain; `known` rows were named before
export function exceptions(d, evidence, mend, known) {
  const { pairs, entries } = d.exceptions,
    rows = d.exceptions.rows.filter((row) => !known.has(row));
  if (rows.length) problem(d, "rows_off", { count: told(rows.length), row: told(rows[0]), mend }, evidence);
  if (pairs.length) problem(d, "pairs_off", { count: told(pairs.length), pair: told(pairs[0]) }, evidence);
  if (!entries.length) return;
  const [row, column] = entries[0].map(told);
  problem(d, "entries_off", { count: told(entries.length), row, column }, evidence);
}

// Half precision on the way, digits that were lost in print, and noise
export function rounded(d, evidence) {
  const { where, rough, digits, noise } = d.rounding;
  if (isHalf(d.rounding) && where !== "values") problem(d, `half_precision_${where}`, { form: rough }, evidence);
  if (digits) problem(d, "printed", { digits }, evidence);
  if (noise) problem(d, "noise", { noise: told(significant(noise, 2)) }, evidence);
}

// What the frequencies say: base, exponent, scaling, and what else gives the same ones
export function fillSpacing(d, s, n) {
  const { base, exponent, readings, scaling, factor, details } = s;
  Object.assign(d, { base, exponent, readings, scaling, factor, width: 2 * n });
  for (const key of ["trained_length", "rounded_ends", "ramp", "turning_pairs", "step"])
    if (key in details) d.details[key] = details[key];
  const usual = readings.findLast(([, name]) => name === "2i/d")?.[0];
  if (["4i/d", "i/d"].includes(exponent) && [100, 1e8].includes(usual)) {
    problem(d, "either_exponent", { base: told(usual), other: told(base), exponent });
    Object.assign(d, { base: usual, exponent: "2i/d" });
    d.readings = [...readings].sort((a, b) => Number(a[1] !== "2i/d") - Number(b[1] !== "2i/d"));
  } else if (exponent === "4i/d") problem(d, "doubled_exponent", { other: told(usual) });
  else if (exponent === "i/d") problem(d, "halved_exponent", { other: told(usual) });
  else for (const [b, kind] of readings.slice(1)) d.alternatives.push(other("same", { exponent: kind, base: told(b) }));
  if (scaling === "linear" && factor && Math.abs((factor * Math.PI) / 180 - 1) < 1e-6)
    problem(d, "degrees", { base: told(base) });
  else if (scaling === "linear" && factor && factor < 1)
    problem(d, "frequencies_multiplied", { times: told(1 / factor), base: told(base) });
  if ("step" in details) d.alternatives.push(other("step", { pair: told(details.step), factor: told(factor) }));
  if (details.pairs_from_one) problem(d, "pairs_from_one", { other: told(1 / s.w[0]) });
  if (exponent === "2i/d" && scaling === "none" && chosen(base, 1e-6)[1] > 2) ofAnotherBase(d, base, n);
}

// NTK-aware scaling is another base; and a base that is none may be a wider head's
function ofAnotherBase(d, base, n) {
  const ntk = scaledBase(base, n, 2e-6);
  if (ntk) {
    d.details.ntk = { base: ntk[0], factor: ntk[1] };
    d.alternatives.unshift(other("ntk", { base: told(ntk[0]), factor: told(ntk[1]) }));
  }
  for (const times of d.scheme === "rotary" ? [2, 4, 8] : []) {
    const wide = base ** times,
      usual = chosen(wide, 1e-6)[0];
    if (!(wide < 1e9 && BASES.slice(0, 10).includes(usual))) continue;
    d.details.wider = times;
    d.alternatives.push(other("wider", { base: told(usual), width: told(2 * n * times), pairs: told(n) }));
  }
}

// What the whole array says: start, direction, size, precision, and how well it fits
export function fillFound(d, f, x, known, mend) {
  const { recipe, spacing, proof, order } = f,
    n = spacing.w.length,
    { first, direction, amplitude } = recipe;
  const evidence = proven(d, recipe, proof, x);
  Object.assign(d, { layout: order.layout, order: order.order, amplitude, first_position: first, direction });
  fillSpacing(d, spacing, n);
  if (amplitude < 0) {
    problem(d, direction < 0 ? "cosines_negated" : "negated", {}, evidence);
    Object.assign(d, { amplitude: Math.abs(amplitude), direction: 1 });
  }
  if (d.direction === -1 && first === -(x.rows - 1) && x.rows > 1) problem(d, "reversed", {}, evidence);
  else if (d.direction === -1 && first < 0)
    problem(d, "counted_down", { first: told(-first), last: told(-first - x.rows + 1) }, evidence);
  else {
    if (d.direction === -1) problem(d, "clockwise", {}, evidence);
    if (first !== 0) problem(d, "first_position", { first: told(first) }, evidence);
  }
  if (f.backwards) {
    const columns = order.order === "cosine first";
    problem(d, "columns_reversed", { what: columns ? "columns" : "pairs" }, evidence);
    if (columns) d.order = "sine first";
  } else if (["cosine_before_sine", "swapped"].includes(order.problem)) {
    problem(d, order.problem, {}, evidence);
  }
  rounded(d, evidence);
  exceptions(d, evidence, mend, known);
  fillAmplitude(d, f, n, evidence);
  const { noise } = proof.rounding,
    usual = spacing.usual && !(noise && spacing.measured),
    straight = ["none", "linear"].includes(spacing.scaling);
  const enough = (x.rows - proof.rows.length) * x.columns >= 24 && spacing.evidence >= 4;
  d.sure = enough && usual && (!noise || (noise <= 0.02 && straight));
  d.picture = { frequencies: map(f.turns.w, Math.abs), rule: spacing.w };
}

// A size other than 1: YaRN's or longrope's own, twice, the root of the width, or another
function fillAmplitude(d, f, n, evidence) {
  const a = Math.abs(f.recipe.amplitude),
    s = f.spacing;
  if (a === 1) return;
  const doubt = Math.max(1e-4, 2 * f.proof.allowed, f.proof.rounding.noise),
    root = Math.sqrt(2 * n);
  if (d.scheme === "rotary") {
    const grown = s.scaling === "yarn" || "step" in s.details;
    if (grown && s.factor && Math.abs(a - temperature(s.factor)) < 3 * doubt) {
      Object.assign(d, { amplitude: temperature(s.factor), scaling: "yarn" }); // llama3 has no attention factor
      return;
    }
    if (s.scaling === "longrope" && a > 1 && a < 1.6) return;
  }
  if (Math.abs(a - 2) < 2 * doubt) {
    d.amplitude = 2;
    problem(d, "added_twice", {}, evidence);
    return;
  }
  let text = "";
  if (Math.abs(a / root - 1) < doubt)
    text = "It is the root of the width, which words are multiplied by, not positions.";
  else if (Math.abs(a * root - 1) < doubt) text = "It is 1 over the root of the width.";
  else if (d.scheme === "rotary" && a > 1 && a < 1.6)
    text = `YaRN's attention factor for a scaling by ${told(significant(Math.exp((a - 1) * 10), 2))}, without its frequencies.`;
  problem(d, "amplitude", { amplitude: told(a), other: text }, evidence);
}

// A frequency for each dimension j: base^(-j/d), or base^(-2j/d) with the root of that base
export function fillOwn(d, s, width) {
  const measured = s.exponent === "2i/d" ? s.base : Math.exp(width * Math.log(s.w[0] / s.w[1]));
  const base = chosen(measured, 1e-6)[0],
    root = Math.sqrt(base),
    two = Math.abs(base / 1e4 - 1) > 1e-6 && chosen(root, 1e-6)[1] < 4;
  Object.assign(d, { base: chosen(two ? root : base, 1e-6)[0], exponent: "own", width, alternatives: [] });
  d.readings = [[d.base, "own"]];
  drop(d, "halved_exponent", "doubled_exponent", "either_exponent");
  d.details.own_exponent = two ? "2j/d" : "j/d";
  problem(d, "own_frequencies");
  d.alternatives.push(other("own", { exponent: two ? "j/d" : "2j/d", base: told(two ? base : root) }));
}
