// Tables and caches of turning pairs: the table of hypotheses, each proven on every entry:
// pe_lib/doctor/_turning.py.
//
//     order of columns x (spacing x scaling: spacing.mjs) x start (waves.mjs) x rounding (proof.mjs)
//
// A wave is measured on rows that seem good, and proven on all.
/* global DATA */
import { UNIT } from "./formats.mjs";
import { chosen } from "./numbers.mjs";
import { held, order, prove, rounding } from "./proof.mjs";
import { waves } from "./recipes.mjs";
import {
  columnsOf,
  compared,
  count,
  every,
  largest,
  map,
  median,
  most,
  range,
  row,
  rowsOf,
  same,
  size,
  sum,
  where,
} from "./series.mjs";
import { explain, readings } from "./spacing.mjs";
import { alone, start, turns } from "./waves.mjs";

// radians a row, faster than which a pair looks like a slower one; rules tried for one order of columns
const { FASTEST, FEW } = DATA.constants.turning;

const even = (n) => range(Math.ceil(n / 2)).map((i) => 2 * i);
const odd = (n) => range(Math.floor(n / 2)).map((i) => 2 * i + 1);

// Pairs side by side or in halves, either entry first; the last of an odd width is a sine
export function ofTable(width) {
  const n = Math.floor(width / 2),
    out = [];
  for (const layout of ["interleaved", "halves"]) {
    const [first, second] =
      layout === "interleaved" ? [even(width), odd(width)] : [range(width - n), range(n, width - n)];
    const pair = range(width).map((j) => Math.max(first.indexOf(j), second.indexOf(j)));
    for (const swapped of [false, true]) {
      const [sines, cosines] = swapped ? [second, first] : [first, second];
      out.push({
        layout,
        order: swapped ? "cosine first" : "sine first",
        pair,
        cosine: range(width).map((j) => cosines.includes(j)),
        sines: sines.slice(0, n),
        cosines: cosines.slice(0, n),
        problem: swapped && layout === "interleaved" ? "cosine_before_sine" : "",
      });
    }
  }
  return width > 2 ? out : out.slice(0, 2);
}

// Columns that are each a wave alone: a frequency for each, or cosines without their sines
export function ofOneWaveEach(x) {
  const width = x.columns,
    columns = range(width),
    out = [];
  const add = (layout, order, pair, cosine, sines, problem) =>
    out.push({ layout, order, pair, cosine: columns.map(cosine), sines, cosines: null, problem });
  if (width >= 4) {
    add("interleaved", "sine first", columns, (j) => j % 2 === 1, columns, "own_frequencies");
    add("halves", "sine first", columns, (j) => j >= Math.floor((width + 1) / 2), columns, "own_frequencies");
    add("halves", "cosine first", columns, (j) => j < Math.floor(width / 2), columns, "own_frequencies");
  }
  const layout = repeats(x),
    [pair, places] = repeated(width, layout),
    said = layout ? "repeated" : null;
  add(layout, said, pair, () => true, places, "Cosines");
  add(layout, said, pair, () => false, places, "Sines");
  return out;
}

// How the columns of a cache (T, width) are repeated, "interleaved" or in "halves", or not
export function repeats({ rows, columns: width, data }) {
  if (width < 4 || width % 2) return null;
  const n = width / 2,
    x = map(data, (v) => (v - v === 0 ? v : Number.isNaN(v) ? 0 : Math.sign(v) * Number.MAX_VALUE));
  const sizes = range(width).map((j) => size(range(rows).map((t) => x[t * width + j]))),
    near = 1e-3 * Math.max(1e-300, median(sizes));
  for (const [layout, a, b] of /** @type {[string, number[], number[]][]} */ ([
    ["halves", range(n), range(n, n)],
    ["interleaved", even(width), odd(width)],
  ])) {
    const at = (t, j) => x[t * width + j],
      cells = (f) => sum(range(rows).map((t) => count(range(n), (i) => f(t, i))));
    const alike = cells((t, i) => Math.abs(at(t, a[i]) - at(t, b[i])) <= near) > 0.9 * rows * n;
    if (alike && cells((t, i) => at(t, a[i]) !== at(t, a[0]))) return layout;
  }
  return null;
}

// The pair of each column, and one column of each pair
export function repeated(width, layout) {
  const columns = range(width),
    n = Math.floor(width / 2);
  if (!layout) return [columns, columns];
  return layout === "halves" ? [columns.map((j) => j % n), range(n)] : [columns.map((j) => j >> 1), even(width)];
}

// Cosines and sines side by side, or exchanged; each repeated in its own way
export function ofCache(cos, sin) {
  const width = cos.columns,
    two = repeats(sin),
    still = every(cos.data, (v, k) => (v || 0) === (cos.data[k - (k % width)] || 0)),
    one = still ? two : repeats(cos); // nothing to see
  if (!one !== !two) return [];
  const parts = [repeated(width, one), repeated(width, two)],
    pair = [...parts[0][0], ...parts[1][0]],
    [first, second] = [parts[0][1], parts[1][1].map((j) => j + width)];
  return [false, true].map((swapped) => {
    const [sines, cosines] = swapped ? [first, second] : [second, first],
      layout = one === two ? one : null;
    return {
      layout,
      order: layout ? "repeated" : null,
      pair,
      cosine: range(2 * width).map((j) => j < width !== swapped),
      sines,
      cosines,
      problem: swapped ? "swapped" : one === two ? "" : "mixed_layouts",
      cache: true,
    };
  });
}

// Less is better: proven, and then the usual way
const badness = ({ proof, recipe, backwards }) => [
  ...order(proof),
  Number(Math.abs(recipe.first) > 1e4),
  Number(backwards),
  Number(recipe.direction < 0),
];

// The best proven hypothesis about x (T, columns), of which `rows` seem good; null if none is proven
/** @returns {FoundWaves | null} */
export function search(x, orders, rows, rotary) {
  const values = held(rowsOf(x, rows).data);
  let best = null;
  for (const [measured, proven] of windows(x, rows)) {
    for (const columns of orders) {
      const unit = Math.max(UNIT[values.form], values.relative ? 0 : values.printed);
      let tried = 0;
      for (const guess of guesses(x, measured, columns, unit, rotary)) {
        const now = { ...guess, proof: prove(guess.recipe, x, values, proven), order: columns };
        if (!best || compared(badness(now), badness(best)) < 0) best = now;
        if (now.proof.kind === 0 && !badness(now).slice(4).some(Boolean)) return now;
        if (++tried === FEW) break;
      }
    }
    if (best && best.proof.kind < 2 && best.proof.cost < 0.1) return best;
  }
  return best && best.proof.kind < 3 ? best : null;
}

// Rows to measure, one after the other, and rows to prove
function* windows(x, rows) {
  const run = longest(rows);
  yield [run, rows];
  const of = (k) => row(x, run[k]);
  const again = range(run.length - 1).find((k) => same(of(k + 1), of(k)) || same(of(k + 1), of(0)));
  // rows copied: those before the first copy are its rule's
  if (again >= 7) yield [run.slice(0, again + 1), rows.filter((t) => t <= run[again])];
  const half = Math.floor(run.length / 2);
  if (half < 16) return;
  yield [run.slice(0, half), rows];
  yield [run.slice(half), rows];
}

// The longest run of rows that follow each other, the first of them
export function longest(rows) {
  const begins = where(rows, (t, k) => k === 0 || t !== rows[k - 1] + 1),
    lengths = begins.map((from, m) => (begins[m + 1] ?? rows.length) - from),
    at = largest(lengths);
  return rows.slice(begins[at], begins[at] + lengths[at]);
}

// Recipes that the measured turns suggest
function* guesses(x, rows, columns, unit, rotary) {
  const { sines, cosines } = columns;
  if (rows.length < 2 + Number(!cosines) || !sines.length) return;
  const y = rowsOf(x, rows),
    s = columnsOf(y, sines);
  const found = cosines ? turns(s, columnsOf(y, cosines), unit) : alone(s, unit);
  if (!cosines) found.phase = map(found.phase, (v, i) => v - (columns.cosine[sines[i]] ? Math.PI / 2 : 0));
  const known = map(found.doubt, (v) => Number(v < 0.1)),
    still = range(sines.length).map((i) => Boolean(cosines) && !range(s.rows).some((t) => s.data[t * s.columns + i]));
  if (found.amplitude === 0 || !known.includes(1)) return;
  const direction = sum(map(found.w, (v, i) => known[i] * Math.sign(v))) < 0 ? -1 : 1,
    rests = still.includes(true) && still.includes(false);
  const w = map(found.w, (v, i) => (rests && still[i] ? 0 : direction * v)),
    doubt = map(found.w, (v, i) =>
      rests && still[i] ? 1e-9 : direction * v > 0 ? found.doubt[i] : known[i] ? 0.2 : 1,
    );
  const seen = w.filter((v, i) => known[i] && v > 0),
    backwards = seen.length > 1 && count(seen, (v, k) => k > 0 && v > seen[k - 1]) > 0.5 * (seen.length - 1);
  const way = (z) => (backwards ? z.slice().reverse() : z);
  let { amplitude } = found;
  const single = cosines ? 0 : 0.02; // which tells its amplitude less well
  if (Math.abs(amplitude - 1) < 2 * unit + 0.5 * found.rough + (found.rough > 1e-7 ? 1e-6 : 0) + single) amplitude = 1;
  for (const spacing of explain(way(w), way(doubt), rotary)) {
    let rule = way(spacing.w);
    if (most(rule) > FASTEST) continue;
    let [first, off] = start(found, rule, direction),
      signed = amplitude;
    if (off > 0.5) {
      // half a turn on, and all is negated
      const negated = { ...found, phase: map(found.phase, (v) => v + Math.PI) },
        [other, better] = start(negated, rule, direction);
      if (better < 0.1) [first, signed] = [other, -amplitude];
    }
    first -= rows[0];
    const whole = Math.floor(first + 0.5);
    if (Math.abs(first - whole) < 0.02) first = whole;
    // an odd width: one sine more
    if (most(columns.pair) === rule.length)
      rule = Float64Array.of(...rule, rule.length > 1 ? rule.at(-1) ** 2 / rule.at(-2) : 0);
    const recipe = waves(rule, columns.pair, columns.cosine, first, direction, signed, columns.cache);
    if (!spacing.measured || backwards) yield { recipe, spacing, turns: found, backwards };
    else
      for (const better of polished(recipe, spacing, x, rows, unit, rotary))
        yield { ...better, turns: found, backwards };
  }
}

// The measured base again, by least squares (Gauss and Newton) over entries and rows
function* polished(recipe, spacing, x, given, unit, rotary) {
  const step = Math.max(1, Math.floor(given.length / 1024)),
    rows = given.filter((_, k) => k % step === 0),
    width = x.columns,
    n = spacing.w.length,
    plain = rounding("float64");
  const of = ({ pair, cosine, first, direction, amplitude, cache }, w, exchanged) =>
    waves(
      w,
      pair,
      cosine.map((c) => c !== exchanged),
      first,
      direction,
      amplitude,
      cache,
    );
  let fall = Math.log(spacing.w[0] / spacing.w[1]),
    weight = 1;
  for (let k = 0; k < 3; k++) {
    const { wanted } = recipe.entries(rows, plain, 0),
      slopes = of(recipe, recipe.w, true).entries(rows, plain, 0).wanted;
    let [up, down] = [0, 0];
    rows.forEach((t, r) => {
      for (let j = 0, at = r * width; j < width; j++, at++) {
        const left = x.data[t * width + j] - wanted[at];
        if (!(Math.abs(left) < 0.2 * recipe.amplitude)) continue;
        const i = recipe.pair[j],
          turned = (t + recipe.first) * recipe.w[i] * i;
        const slope = (recipe.cosine[j] ? 1 : -1) * slopes[at] * turned * recipe.direction;
        up += left * slope;
        down += slope * slope;
      }
    });
    weight = Math.max(down, 1e-300);
    const more = up / weight;
    recipe = of(
      recipe,
      map(recipe.w, (v, i) => v * Math.exp(-more * i)),
      false,
    );
    fall += more;
    if (!(fall * n > 0 && fall * n < 600)) return;
  }
  const doubt = ((4 * unit * recipe.amplitude) / Math.sqrt(weight)) * n,
    [round, digits] = chosen(Math.exp(fall * n), Math.max(doubt, 1e-12));
  for (const final of digits <= 3 ? [Math.log(round) / n, fall] : [fall]) {
    const w = map(recipe.w, (_, i) => recipe.w[0] * Math.exp(-final * i)),
      first = (kind) => Number(kind[1] !== "2i/d"),
      kinds = readings(n, final, 1e-9, rotary).sort((a, b) => first(a) - first(b));
    const better = { readings: kinds, w, base: kinds[0][0], exponent: "2i/d", measured: final === fall };
    yield { recipe: of(recipe, w, false), spacing: { ...spacing, ...better } };
  }
}
