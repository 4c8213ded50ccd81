// Tables with a row for each position, and caches: sinusoidal in any order, on a grid, learned:
// pe_lib/doctor/_tables.py.
import { diagnosis, drop, note, other, problem } from "./diagnosis.mjs";
import { exceptions, fillFound, fillOwn, proven } from "./fill.mjs";
import { learned } from "./learned.mjs";
import { chosen, told } from "./numbers.mjs";
import { held, order, prove, rounding } from "./proof.mjs";
import { grid, numbers } from "./recipes.mjs";
import { corrupt } from "./rows.mjs";
import {
  beside,
  columnsOf,
  compared,
  every,
  finite,
  map,
  median,
  most,
  range,
  row,
  rowsOf,
  same,
  size,
  transposed,
  where,
} from "./series.mjs";
import { ofCache, ofOneWaveEach, ofTable, repeated, repeats, search } from "./turning.mjs";

const ANEW = "Compute these rows anew.";
const places = (bad, wanted) => where(bad, (b) => b === wanted);

// The diagnosis of a table (T, d), or of one that is transposed, if it was `given` so
export function tableOf(x, given = true) {
  const d = diagnosis(),
    bad = corrupt(d, x),
    rows = places(bad, false),
    width = x.columns;
  if (constant(d, x, rows) || rows.length < 2) return d;
  let best = search(x, ofTable(width), rows, false);
  if (!best || best.proof.kind) {
    const single = search(x, ofOneWaveEach(rowsOf(x, rows)), rows, false);
    if (single && (!best || compared(order(single.proof), order(best.proof)) < 0)) best = single;
  }
  if ((!best || best.proof.kind) && onGrid(d, x, rows)) return d;
  if (!best && given && x.rows > 2) {
    const turned = transposed(x),
      found = search(turned, ofTable(turned.columns), range(turned.rows), false);
    if (found?.proof.kind === 0) {
      const upright = tableOf(turned, false);
      problem(upright, "transposed");
      return upright;
    }
  }
  if (!best) {
    learned(d, x, bad);
    return d;
  }
  const what = best.order.problem,
    alone = what === "Cosines" || what === "Sines";
  d.scheme = alone ? "rotary" : "sinusoidal";
  fillFound(d, best, x, new Set(places(bad, true)), copies(x, best));
  if (what === "own_frequencies") fillOwn(d, best.spacing, width);
  else if (alone) {
    if (what === "Cosines") d.direction = null;
    else drop(d, "padding_row"); // the sines of position 0
    d.alternatives.push(other("direction", { what, other: what === "Cosines" ? "sines" : "cosines" }));
    d.sure &&= best.proof.kind === 0 && what === "Cosines";
    d.alternatives.push(other("every", { what: what.toLowerCase() }));
  } else if (width % 2) odd(d, best, width);
  if (!alone && d.order === "cosine first" && d.layout === "halves") d.alternatives.push(other("side_by_side"));
  return d;
}

// The diagnosis of cosines and sines of one shape (T, …)
export function cache(cos, sin) {
  const x = beside(cos, sin),
    d = diagnosis({ scheme: "rotary" }),
    bad = corrupt(d, x),
    rows = places(bad, false),
    level = cos.data[0];
  if (every(sin.data, (v) => v === 0) && every(cos.data, (v) => v === level) && finite([level])) {
    const recipe = { recipe: numbers(row(x, 0), false), rounding: rounding("float64"), given: x };
    Object.assign(d, { scheme: "none", residual: 0, sure: true, amplitude: level, ...recipe });
    problem(d, "all_zero");
    return d;
  }
  if (rows.length < 2) return Object.assign(d, { scheme: "unknown" });
  const [c, s] = [rowsOf(cos, rows), rowsOf(sin, rows)],
    best = search(x, ofCache(c, s), rows, true);
  if (!best && axial(d, cos, sin, c, rows)) return d;
  if (!best) {
    if (!circle(d, c, s)) d.scheme = "unknown";
    return d;
  }
  fillFound(d, best, x, new Set(places(bad, true)), copies(x, best));
  const names = { interleaved: "in twos", halves: "in halves" },
    name = (y) => names[repeats(y)] ?? "not at all";
  if (best.order.problem === "mixed_layouts") problem(d, "mixed_layouts", { one: name(c), two: name(s) });
  return d;
}

// Whether nothing tells positions apart: all zero, or all rows the same
function constant(d, x, rows) {
  const whole = finite(x.data);
  let name;
  if (every(x.data, (v) => v === 0 || Number.isNaN(v))) [name, d.sure] = ["all_zero", whole];
  else if (rows.length > 1 && rows.every((t) => same(row(x, t), row(x, rows[0])))) [name, d.sure] = ["same_rows", true];
  else return false;
  const recipe = numbers(rows.length ? row(x, rows[0]).slice() : new Float64Array(x.columns), false),
    values = held(recipe.row);
  Object.assign(d, { scheme: "none", recipe, rounding: values, given: x, residual: 0 });
  if (rows.length) d.exceptions.rows = prove(recipe, x, values, rows).rows;
  if (whole) problem(d, name);
  return true;
}

// Whether half of the pairs turn by a patch's row and half by its column; c are the good rows of cos
function axial(d, cos, sin, c, rows) {
  const layout = repeats(c),
    [pair, columns] = repeated(cos.columns, layout),
    both = [cos, sin].map((x) => columnsOf(x, columns)),
    again = (x, y) => columnsOf(y, pair).data.every((v, k) => Object.is(v, x.data[k]) || v === x.data[k]);
  if (!again(cos, both[0]) || !again(sin, both[1])) return false;
  const half = Math.ceil(columns.length / 2),
    halves = [range(half), range(columns.length - half, half)];
  const parts = halves.flatMap((places) => both.map((x) => columnsOf(x, places)));
  if (!onGrid(d, parts.reduce(beside), rows)) return false;
  Object.assign(d, { scheme: "rotary", layout, order: layout ? "repeated" : null });
  return true;
}

// Pairs that do turn, evenly, with frequencies of no rule: say so, and be sure of no more
function circle(d, cos, sin) {
  const radius = map(sin.data, (v, k) => Math.sqrt(v ** 2 + cos.data[k] ** 2)),
    all = median(radius);
  if (all === 0 || most(map(radius, (r) => Math.abs(r / all - 1))) > 0.05) return false;
  const layout = repeats(cos),
    width = 2 * repeated(cos.columns, layout)[1].length;
  Object.assign(d, { width, amplitude: Math.abs(all - 1) > 1e-2 ? all : 1, layout, order: layout ? "repeated" : null });
  d.alternatives.push(other("circle"));
  return true;
}

// An odd width: the last sine stands alone, and the exponent's d is that width
function odd(d, f, width) {
  d.width = width;
  problem(d, "odd_width", { width: told(width) });
  const { w } = f.spacing,
    last = w.at(-1);
  if (!(w.length > 1 && last > 0)) return;
  const fall = Math.log(w[0] / last) / (w.length - 1),
    [base, digits] = chosen(Math.exp((fall * width) / 2), 1e-5);
  if (digits > 3) return;
  Object.assign(d, { base, exponent: "2i/d" });
  d.readings = [[base, "2i/d"], ...d.readings];
}

// The mend of rows that are other rows again: the last one (clamped), or from the start
function copies(x, f) {
  const at = f.proof.rows[0] ?? 0;
  if (at > 0 && same(row(x, at), row(x, at - 1)))
    return `They are copies of row ${told(at - 1)}: positions were clamped there.`;
  if (at > 0 && same(row(x, at), row(x, 0))) return "They begin again from row 0: positions were wrapped.";
  return ANEW;
}

// Two axes: one half of the columns knows the row, the other the column
function onGrid(d, x, rows) {
  const width = x.columns,
    half = width / 2,
    y = rowsOf(x, rows);
  if (width % 4 || y.rows < 4) return false;
  const near = 1e-6 * size(y.data),
    parts = [columnsOf(y, range(half)), columnsOf(y, range(half, half))];
  for (const rowsFirst of [true, false]) {
    const [slow, fast] = rowsFirst ? parts : parts.slice().reverse();
    const changed = range(y.rows).find((t) => most(map(row(slow, t), (v, j) => Math.abs(v - slow.data[j]))) > near),
      columns = changed ?? y.rows,
      count = y.rows / columns;
    if (columns < 2 || y.rows % columns || count < 2) continue;
    const down = rowsOf(
        slow,
        range(count).map((k) => k * columns),
      ),
      along = rowsOf(fast, range(columns)),
      values = held(y.data);
    const longer = columns >= count ? [along, down] : [down, along];
    let best = null;
    for (const part of longer) best ??= search(part, ofTable(half), range(part.rows), false);
    if (!best) continue;
    const recipe = grid(best.recipe, best.recipe, columns, rowsFirst, rows[0]),
      proof = prove(recipe, x, values, rows);
    if (proof.kind > 1) continue;
    if (rows[0] === 1 && d.problems.includes("padding_row")) {
      drop(d, "padding_row"); // it is the class token's
      problem(d, "class_row");
    }
    d.scheme = "sinusoidal";
    const good = new Set(rows);
    fillFound(d, best, x, new Set(range(x.rows).filter((t) => !good.has(t))), ANEW);
    exceptions(d, proven(d, recipe, proof, x), ANEW, new Set([0]));
    d.sure = best.spacing.usual && best.spacing.evidence >= 1.5 && y.data.length >= 64;
    d.width = width;
    Object.assign(d.details, {
      axes: [count, columns],
      order: rowsFirst ? "rows first" : "columns first",
      axis_width: half,
    });
    drop(d, "either_exponent"); // on a grid, base 100 with 2i/d is usual
    const words = { rows: told(count), columns: told(columns), first: rowsFirst ? "row" : "column", width: told(half) };
    d.details.notes = [note("grid", words)];
    return true;
  }
  return false;
}
