// Slopes of ALiBi: the program's, the paper's, scaled, or in another order.
import { slopes as program } from "../../pe_lib/course/explorers/distances.mjs";
import { UNIT, held } from "./formats.mjs";
import { chosen, told } from "./numbers.mjs";
import { problem } from "./diagnosis.mjs";
import { map, most, range, sorted } from "./series.mjs";

const paper = (heads) => range(heads, 1).map((h) => 2 ** ((-8 * h) / heads));

const off = (x, y) => most(map(x, (v, i) => Math.abs(v / y[i] - 1)));

// Whether the positive numbers m are slopes; if so, d says which. With `known`, the numbers were read
// off a bias that falls in lines, and are slopes for certain.
export function slopes(d, m, known = false) {
  const heads = m.length;
  if (heads >= 2 ** 16 || (heads < 2 && !known) || m.some((v) => !(v > 0))) return false;
  const form = held(m),
    unit = Math.max(UNIT[form], 1e-7),
    rule = program(heads),
    count = told(heads),
    said = [];
  const falls = [map(m, (v) => v / m[0]), rule.map((v) => v / rule[0])];
  let residual = off(m, rule);
  if (residual > 4 * unit) {
    if (off(m, paper(heads)) <= 4 * unit) {
      residual = off(m, paper(heads));
      said.push(["slopes_of_the_paper", { heads: count }]);
    } else if (heads > 2 && off(sorted(m), sorted(rule)) <= 4 * unit) {
      residual = off(sorted(m), sorted(rule));
      said.push(["slopes_order", { heads: count }]);
    } else if ((known || heads > 7) && off(...falls) <= 8 * unit) {
      residual = off(...falls);
      const factor = chosen(m[0] / rule[0], 8 * unit)[0];
      if (!known && Math.abs(m[0] - 1) < 1e-6) return false; // frequencies from 1 with base 256
      said.push(["slopes_scaled", { heads: count, factor: told(factor) }]);
      d.factor = factor;
    } else if (known) {
      said.push(["slopes", { heads: count }]);
    } else {
      return false;
    }
  }
  Object.assign(d, { scheme: "alibi", width: null, residual });
  d.details.heads = heads;
  Object.assign(d, { precision: residual < 1e-12 ? "float64" : form, where: "values" });
  d.sure = known || heads > 3 || (heads > 1 && !said.length);
  for (const [name, words] of said) problem(d, name, words);
  return true;
}
