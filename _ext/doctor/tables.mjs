// Tables with a row for each position: sinusoidal in any order, on a grid, or learned.
import { once, repeats } from "./caches.mjs";
import { diagnosis, problem, without } from "./diagnosis.mjs";
import { fillFit } from "./fill.mjs";
import { held } from "./formats.mjs";
import { learned } from "./learned.mjs";
import { chosen, told } from "./numbers.mjs";
import { own } from "./own.mjs";
import { LOST, fit, quality } from "./pairs.mjs";
import { corrupt, longest } from "./rows.mjs";
import {
  apart,
  between,
  clip,
  column,
  columnsOf,
  every,
  finite,
  map,
  mean,
  median,
  most,
  range,
  row,
  rowsOf,
  same,
  size,
  sum,
  table,
} from "./series.mjs";

// Sines and cosines of a table (T, d), (T, d/2) each
function split(x, layout, swapped) {
  const n = Math.floor(x.columns / 2),
    evens = range(n).map((i) => 2 * i),
    odds = evens.map((j) => j + 1);
  if (layout === "interleaved")
    return (swapped ? [odds, evens] : [evens, odds]).map((columns) => columnsOf(x, columns));
  const halves = [range(n), range(x.columns - n, n)].map((columns) => columnsOf(x, columns));
  return layout === "sines_first" ? halves : halves.reverse();
}

// The diagnosis of a table (T, d)
export function tableOf(x) {
  const d = diagnosis(),
    bad = corrupt(d, x);
  if (every(x.data, (v) => v === 0 || !Number.isFinite(v))) {
    Object.assign(d, { scheme: "none", sure: true, residual: 0 });
    if (finite(x.data)) problem(d, "all_zero");
    return d;
  }
  const rows = longest(bad.map((b) => !b));
  if (rows.length < 2) return d;
  const y = between(x, rows[0], rows[rows.length - 1] + 1);
  if (range(y.rows).every((t) => same(row(y, t), row(y, 0)))) {
    Object.assign(d, { scheme: "none", residual: 0, sure: true });
    problem(d, "same_rows");
    return d;
  }
  const scale = size(y.data) || 1;
  if (repeats(y) && every(row(y, 0), (v) => Math.abs(v / scale - 1) < 1e-2)) return cosinesAlone(d, y, rows);
  let found = pairs(y, rows);
  const cut = !found || found.fit.noise ? firstCopy(y) : 0;
  if (cut >= 8) {
    const shorter = pairs(between(y, 0, cut), rows.slice(0, cut));
    if (shorter && !shorter.fit.noise) {
      found = shorter;
      shorter.fit.badRows = rows.slice(cut);
    }
  }
  // how much a frequency for each dimension may leave, to be believed instead
  if (found && quality(found.fit)[0] && own(diagnosis(), y, rows, Math.min(0.08, Math.max(found.fit.noise, 0.01))))
    found = null;
  if (found) {
    Object.assign(d, { scheme: "sinusoidal", layout: found.layout });
    fillFit(d, found.fit, Math.floor(y.columns / 2), x.rows);
    if (found.swapped) problem(d, "cosine_before_sine");
    if (y.columns % 2) odd(d, found.fit, y.columns);
    if (found.layout === "cosines_first") d.alternatives.push("A rotary cache with cosines and sines side by side.");
    if (found.fit.badRows.length) copies(d, y, rows, found.fit);
    return d;
  }
  if (!own(d, y, rows) && !grid(d, y, rows)) learned(d, x, bad);
  return d;
}

// The order of columns in which pairs stay on a circle and a rule gives them back
function pairs(given, rows) {
  if (given.columns < 2) return null;
  const y = given.columns % 2 ? columnsOf(given, range(given.columns - 1)) : given;
  const step = Math.max(1, Math.floor(y.rows / 256)),
    some = rowsOf(
      y,
      range(Math.ceil(y.rows / step)).map((k) => k * step),
    );
  const rough = [];
  for (const layout of y.columns > 2 ? ["interleaved", "sines_first"] : ["interleaved"]) {
    const [s, c] = split(some, layout, false),
      squares = map(s.data, (v, k) => v ** 2 + c.data[k] ** 2),
      level = median(squares);
    if (level > 0) rough.push([Math.sqrt(mean(map(squares, (v) => (v / level - 1) ** 2))), layout]);
  }
  let best = null;
  for (const [uneven, layout] of rough.sort((a, b) => a[0] - b[0])) {
    if (uneven > 0.7) continue;
    const other = layout === "interleaved" ? ["interleaved", true] : ["cosines_first", false];
    for (const [name, swapped] of [[layout, false], other]) {
      const found = fit(...split(y, name, swapped), false, rows);
      if (!found || found.noise > 3 * LOST) continue;
      const now = { fit: found, layout: name, swapped };
      if (!best || worse(best.fit, found)) best = now;
      if (!found.noise && found.direction === 1 && Math.abs(found.first) < 1e4) return best;
    }
    if (best && best.fit.noise < 0.05) return best;
  }
  return best;
}

// Whether `a` is worse than `b`: by its noise, then by how far from 0, or backwards, it starts
function worse(a, b) {
  const far = (f) => Math.abs(f.first) + (f.direction < 0 ? 1 : 0);
  return a.noise > b.noise || (a.noise === b.noise && far(a) > far(b));
}

// An odd width: the last sine stands alone, and the exponent's d is that width
function odd(d, found, width) {
  d.width = width;
  problem(d, "odd_width", { width: told(width) });
  const { w } = found.spacing,
    fall = Math.log(w[0] / w[w.length - 1]) / Math.max(1, w.length - 1);
  const [base, digits] = chosen(Math.exp((fall * width) / 2), 1e-5);
  if (digits <= 3) {
    Object.assign(d, { base, exponent: "2i/d" });
    d.readings.unshift([base, "2i/d"]);
  }
}

// The first row that is the one before it, or row 0, again; 0 if there is none
function firstCopy(y) {
  return range(y.rows - 1, 1).find((t) => same(row(y, t), row(y, t - 1)) || same(row(y, t), row(y, 0))) ?? 0;
}

// Rows off the rule that are other rows again: the last one (clamped), or from the start
function copies(d, y, rows, found) {
  const first = found.badRows[0],
    at = first - rows[0];
  let mend = "Compute these rows anew.";
  if (at > 0 && same(row(y, at), row(y, at - 1)))
    mend = `They are copies of row ${told(first - 1)}: positions were clamped there.`;
  else if (same(row(y, at), row(y, 0))) mend = "They begin again from row 0: positions were wrapped.";
  for (const finding of d.findings) if (finding.name === "rows_off") finding.mend = mend;
}

// A cache's cosines without its sines: |sine| from the circle, its sign cannot be seen
function cosinesAlone(d, y, rows) {
  const layout = repeats(y),
    c = once(y, layout),
    n = c.columns,
    level = mean(map(row(c, 0), Math.abs));
  Object.assign(d, { layout, width: y.columns, amplitude: Math.abs(level - 1) > 3e-3 ? level : 1 });
  const speeds = range(n).map((j) => {
    const x = column(c, j),
      m = x.slice(1, -1); // x[t+1] + x[t-1] = 2 cos(w) x[t]
    let w = Math.acos(clip(sum(map(m, (v, k) => v * (x[k + 2] + x[k]))) / (2 * sum(map(m, (v) => v * v))), -1, 1));
    for (let lag = 1; lag < x.length; lag *= 2) {
      // cos(w lag) at the row itself: the angle nearest to the last guess
      const a = Math.acos(clip(x[lag] / level, -1, 1)),
        turn = 2 * Math.PI;
      const whole = Math.floor((w * lag + Math.PI) / turn) * turn;
      const guess = [whole + a, whole - a, whole + turn - a].reduce((p, q) =>
        Math.abs(q - w * lag) < Math.abs(p - w * lag) ? q : p,
      );
      if (Math.abs(Math.sin(guess)) > 0.3) w = guess / lag;
    }
    return w;
  });
  const sines = table(
    c.rows,
    n,
    Float64Array.from(c.data, (_, k) => Math.sin(Math.floor(k / n) * speeds[k % n]) * level),
  );
  const found = fit(sines, c, true, rows);
  if (found && found.noise < LOST) {
    d.scheme = "rotary";
    fillFit(d, found, n, y.rows);
    Object.assign(d, { layout, direction: null, precision: held(c.data), where: "values" });
    d.alternatives.push("Cosines alone do not show the direction: give the sines, too.");
  }
  return d;
}

// Two axes: one half of the columns knows the row, the other the column
function grid(d, y, rows) {
  const { rows: many, columns: width } = y;
  if (width % 4 || many < 4) return false;
  const half = width / 2,
    near = 1e-6 * size(y.data);
  const first = columnsOf(y, range(half)),
    second = columnsOf(y, range(half, half));
  // After how many rows the first changes
  const run = (z) => range(z.rows).find((t) => most(map(row(z, t), (v, j) => Math.abs(v - z.data[j]))) > near) ?? many;
  for (const [slow, fast, order] of [
    [first, second, "rows first"],
    [second, first, "columns first"],
  ]) {
    const columns = run(slow);
    if (columns < 2 || many % columns || many / columns < 2) continue;
    const all = range(many),
      down = rowsOf(
        slow,
        range(many / columns).map((k) => k * columns),
      ),
      along = between(fast, 0, columns);
    if (
      apart(
        slow,
        rowsOf(
          down,
          all.map((t) => Math.floor(t / columns)),
        ),
      ) > near
    )
      continue;
    if (
      apart(
        fast,
        rowsOf(
          along,
          all.map((t) => t % columns),
        ),
      ) > near
    )
      continue;
    const found = [pairs(along, range(columns)), pairs(down, range(down.rows))];
    if (!found[0] && !found[1]) continue;
    const taken = columns < down.rows && found[1] ? found[1] : (found[0] ?? found[1]);
    Object.assign(d, { scheme: "sinusoidal", layout: taken.layout });
    fillFit(d, taken.fit, Math.floor(half / 2), Math.max(columns, down.rows));
    d.sure ||= taken.fit.noise === 0 && taken.fit.spacing.evidence >= 1.5 && y.data.length >= 64;
    d.width = width;
    Object.assign(d.details, { axes: [down.rows, columns], order, axis_width: half });
    if (taken.swapped) problem(d, "cosine_before_sine");
    if (rows[0] === 1 && d.problems.includes("padding_row")) {
      without(d, "padding_row");
      problem(d, "class_row");
    }
    d.details.notes = [
      `On a grid of ${told(down.rows)} rows and ${told(columns)} columns: the first half of the entries is the ${order === "rows first" ? "row" : "column"}, base and width are those of one axis of ${told(half)} entries.`,
    ];
    return true;
  }
  return false;
}
