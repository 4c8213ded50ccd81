// One row of numbers: slopes of ALiBi, or frequencies (`inv_freq`): pe_lib/doctor/_lists.py.
/* global DATA */
import { slopes as program } from "../../pe_lib/course/explorers/distances.mjs";
import { diagnosis, other, problem } from "./diagnosis.mjs";
import { fillSpacing, proven, rounded } from "./fill.mjs";
import { HALVES, held as formatOf } from "./formats.mjs";
import { BASES, chosen, told } from "./numbers.mjs";
import { held, order, prove, rounding } from "./proof.mjs";
import { numbers } from "./recipes.mjs";
import { compared, every, finite, least, map, most, range, some, table, unique, where } from "./series.mjs";
import { explain, plain } from "./spacing.mjs";

const { FEW } = DATA.constants.lists; // rules tried
const isNumber = (v) => v - v === 0;

// The diagnosis of n numbers that may be slopes, or frequencies, fastest first
export function frequencies(w) {
  const n = w.length,
    d = diagnosis({ width: 2 * n }),
    bad = where(w, (v) => !isNumber(v)),
    good = w.filter(isNumber);
  if (bad.length) problem(d, "not_finite", { count: told(bad.length), place: `pair ${told(bad[0])}` });
  else if (every(w, (v) => v === 0)) {
    const recipe = { recipe: numbers(w), rounding: rounding("float64"), given: table(1, n, w) };
    Object.assign(d, { scheme: "none", sure: true, residual: 0, ...recipe });
    problem(d, "all_zero");
    return d;
  } else if (slopes(d, w)) return d;
  if (good.length && every(good, (v) => v < 0)) {
    const turned = frequencies(map(w, (v) => -v));
    if (turned.scheme === "rotary" && turned.recipe) {
      Object.assign(turned, {
        recipe: numbers(map(turned.recipe.row, (v) => -v)),
        given: table(1, n, w),
        direction: -1,
      });
      problem(turned, "clockwise");
    } else if (turned.scheme === "alibi" && turned.recipe) {
      const recipe = numbers(map(turned.recipe.row, (v) => -v)),
        sure = turned.sure && !turned.problems.length;
      if (!turned.problems.length) problem(turned, "slopes_scaled", { heads: told(w.length), factor: told(-1) });
      Object.assign(turned, { recipe, given: table(1, w.length, w), sure });
    }
    return turned;
  }
  if (!ruled(d, w)) unlike(d, w);
  return d;
}

// Whether a rule gives the frequencies back, but for a few
function ruled(d, w) {
  const n = w.length,
    x = table(1, n, w),
    values = held(w);
  const doubt = map(w, (v) => {
    const printed = values.printed / (values.relative ? 1 : Math.max(isNumber(v) ? Math.abs(v) : 0, 1e-300));
    return isNumber(v) && v >= 0 ? Math.max(values.form === "float64" ? 5e-14 : 1.5e-7, printed) : 1;
  });
  const clean = map(w, (v) => (isNumber(v) ? v : 1));
  let best = null,
    tried = 0;
  for (const spacing of explain(clean, doubt, true)) {
    const ramp = ["yarn", "llama3"].includes(spacing.scaling) ? 3 * DATA.constants.proof.SINGLE : 0,
      recipe = numbers(spacing.w, true, ramp),
      proof = prove(recipe, x, values, [0]);
    if (!best || compared(order(proof), order(best.proof)) < 0) best = { proof, recipe, spacing };
    if (proof.kind === 0 || ++tried === FEW) break;
  }
  if (!best || best.proof.kind === 3 || best.proof.rows.length) return false;
  const { proof, recipe, spacing: s } = best,
    { noise } = proof.rounding;
  d.scheme = "rotary";
  const evidence = proven(d, recipe, proof, x),
    pairs = unique([...proof.pairs, ...proof.entries.map(([, pair]) => pair)]).sort((a, b) => a - b);
  Object.assign(d.exceptions, { pairs, entries: [], rows: [] });
  fillSpacing(d, s, n);
  d.where = "frequencies";
  rounded(d, evidence);
  const lost = pairs.filter((pair) => isNumber(w[pair]));
  if (lost.length) problem(d, "pairs_off", { count: told(lost.length), pair: told(lost[0]) }, evidence);
  const coarse = values.digits || HALVES.includes(values.form), // then any base is near
    round = BASES.includes(s.base) || (!coarse && chosen(s.base, 1e-9)[1] <= 3),
    known = round || (!coarse && ("ntk" in d.details || "wider" in d.details)),
    usual = known || ["yarn", "llama3", "longrope"].includes(s.scaling);
  d.sure = usual && s.usual && s.evidence >= (noise || lost.length ? 12 : 6);
  d.sure &&= n > 2 || (BASES.includes(s.base) && w[0] === 1);
  if (!usual) {
    d.scheme = "geometric";
    d.alternatives.unshift(other("geometric", { ratio: told(s.w[1] / s.w[0]), base: told(s.base) }));
  }
  d.alternatives.push(other("no_layout"));
  d.picture = { frequencies: map(w, (v) => (isNumber(v) ? v : 0)), rule: s.w };
  return true;
}

// What can be said of numbers that follow no rule
function unlike(d, w) {
  const n = w.length,
    narrow = HALVES.includes(formatOf(w.filter(isNumber)));
  const falls = (i) => w[i] < w[i - 1] || (w[i] === 0 && w[i - 1] === 0) || (narrow && w[i] === w[i - 1] && w[i] > 0); // rounded to one
  const base = 1e4,
    factors = map(plain(n, base), (v, i) => v / Math.max(w[i], 1e-300));
  const rise = range(n - 1, 1).find((i) => !falls(i));
  if (finite(w)) {
    if (some(w, (v) => v < 0)) problem(d, "negative", { pair: told(w.findIndex((v) => v < 0)) });
    else if (rise !== undefined) problem(d, "not_falling", { pair: told(rise) });
    else if (n >= 8 && Math.abs(w[0] - 1) < 1e-6 && least(factors) > 0.9) {
      Object.assign(d, { scheme: "rotary", scaling: "longrope", base, exponent: "2i/d", readings: [[base, "2i/d"]] });
      const [low, high] = [told(least(factors)), told(most(factors))];
      d.alternatives.push(other("longrope", { base: told(base), least: low, largest: high }));
      return;
    }
  }
  d.width = null;
}

// Whether the positive numbers m are slopes; if so, d says which, and how surely. With `known`, the numbers
// were read off a bias that falls in lines.
export function slopes(d, m, known = false) {
  const heads = m.length;
  if (heads >= 2 ** 16 || (heads < 2 && !known) || some(m, (v) => v <= 0)) return false;
  const rule = program(heads),
    paper = range(heads, 1).map((h) => 2 ** ((-8 * h) / heads)),
    down = rule.slice().sort((a, b) => b - a),
    ordered = new Float64Array(heads),
    factor = chosen(m[0] / rule[0], 1e-6)[0];
  range(heads)
    .sort((a, b) => m[b] - m[a] || a - b)
    .forEach((h, k) => {
      ordered[h] = down[k];
    });
  const values = held(m),
    x = table(1, heads, Float64Array.from(m));
  /** @type {[string, Numbers, boolean][]} */
  const kinds = [
    ["", rule, heads > 2 || known],
    ["slopes_of_the_paper", paper, heads > 3 || known],
    ["slopes_order", ordered, heads > 3],
    ["slopes_scaled", rule.map((v) => factor * v), heads > 3],
  ];
  let found = null;
  for (const [name, wanted, sure] of kinds.slice(0, heads < 3 && !known ? 2 : 4)) {
    const recipe = numbers(Float64Array.from(wanted)),
      proof = prove(recipe, x, values, [0]);
    if (proof.kind === 0) {
      found = { name, recipe, proof, sure };
      break;
    }
  }
  if (!found) {
    if (!known) return false;
    const recipe = numbers(x.data);
    found = { name: "slopes", recipe, proof: prove(recipe, x, values, [0]), sure: false };
    d.alternatives.push(other("lines", { slopes: Array.from(m.slice(0, 4), told).join(", ") }));
  }
  const { name, recipe, proof } = found,
    words = { heads: told(heads), factor: told(factor) };
  if (name === "slopes_scaled") {
    if (!known && (heads < 8 || Math.abs(m[0] - 1) < 1e-6)) return false; // frequencies from 1 with base 256
    d.factor = factor;
  }
  Object.assign(d, { scheme: "alibi", width: null, sure: found.sure });
  d.details.heads = heads;
  proven(d, recipe, proof, x);
  d.where = "values";
  if (heads === 1 && name) {
    const whole = Math.log2(m[0]) * 2; // one head of many: its slope is one of some number of heads
    d.sure = m[0] < 1 && whole === Math.floor(whole);
  } else if (name) problem(d, name, words);
  return true;
}
