// Tables that no rule made: how smooth, which rows are alike, and how they were resized: pe_lib/doctor/_learned.py.
import { note, other, problem } from "./diagnosis.mjs";
import { UNIT, held as formatOf } from "./formats.mjs";
import { significant, told } from "./numbers.mjs";
import { held, prove } from "./proof.mjs";
import { knots as knotted } from "./recipes.mjs";
import {
  between,
  clip,
  count,
  every,
  map,
  mean,
  median,
  range,
  row,
  rowsOf,
  same,
  size,
  sum,
  table,
  unique,
  where,
} from "./series.mjs";

const norm = (x) => Math.sqrt(sum(map(x, (v) => v * v)));
const hundredth = (x) => Number(x.toFixed(2));

// Fill d for a table (T, d) that is no wave: learned, for all that can be seen
export function learned(d, x, bad) {
  const good = where(bad, (b) => !b),
    y = rowsOf(x, good),
    norms = good.map((_, t) => norm(row(y, t)));
  Object.assign(d, { scheme: "learned", width: x.columns, sure: false, precision: formatOf(y.data), where: "values" });
  const middle = median(norms),
    { near, far } = smoothness(y, norms);
  Object.assign(d.details, { norm: middle, neighbours: near, strangers: far, rows: x.rows });
  const [size, ...likeness] = [middle ? significant(middle, 3) : 0, hundredth(near), hundredth(far)].map(told);
  const words = { norm: size, near: likeness[0], far: likeness[1], smooth: near > far + 0.2 ? "smooth" : "not smooth" };
  d.details.notes = [note("learned", words)];
  d.alternatives.push(other("random"));
  lengthened(d, y, x.rows);
  copies(d, y, good);
  untrained(d, norms, good);
  if ((x.rows === 32 || x.rows === 64) && x.columns <= 128)
    d.alternatives.push(other("t5_table", { rows: told(x.rows), heads: told(x.columns) }));
}

// The mean cosine of neighbouring rows, and of rows half a table apart
function smoothness(y, norms) {
  const many = Math.min(y.rows, 2048);
  const likeness = (lag) =>
    mean(
      range(many - lag).map((t) => {
        const [a, b] = [row(y, t), row(y, t + lag)];
        return sum(map(a, (v, j) => v * b[j])) / ((norms[t] || 1) * (norms[t + lag] || 1));
      }),
    );
  return { near: likeness(1), far: likeness(Math.max(1, many >> 1)) };
}

// Made longer by straight lines between rows, or by copying all of them
function lengthened(d, y, whole) {
  const scale = size(y.data);
  for (const times of range(15, 2)) {
    const rows = y.rows / times;
    if (!Number.isInteger(rows) || rows <= 1) continue;
    const shift = rows * y.columns,
      later = y.data.subarray(shift);
    if (!every(later, (v, k) => Math.abs(v - y.data[k]) <= 1e-6 * scale)) continue;
    problem(d, "wrapped", { rows: told(rows), times: told(times) });
    return;
  }
  for (const { recipe, rows } of y.rows === whole ? shorter(y) : []) {
    const proof = prove(recipe, y, held(y.data), range(y.rows));
    if (proof.kind) continue;
    Object.assign(d, { recipe, rounding: proof.rounding, given: y, residual: proof.residual, sure: true });
    problem(d, "resized", { rows: told(rows), count: told(y.rows) });
    d.details.resized_from = rows;
    return;
  }
}

// Shorter tables of which straight lines may make this one, and how many rows they have. Ends are kept, or pixels halved. Two rows on one line give both of its ends, and the end of each line must begin
// the next: so a table at least twice as long is known. Lines must bend at most of their ends, or else one
// line is all there is.
function* shorter(y) {
  const many = y.rows,
    near = Math.max(4 * UNIT[formatOf(y.data)], 1e-13) * size(y.data);
  if (many < 8 || !near) return;
  let lengths = range(Math.floor(many / 2) - 2, 4);
  if (many > 1024) {
    // whole factors, and usual lengths
    const usual = unique([...range(15, 2).map((k) => Math.floor(many / k)), 256, 512, 1024, 2048, 4096]);
    lengths = usual.sort((a, b) => a - b).filter((n) => n > 3 && n <= Math.floor(many / 2) + 1);
  }
  for (const rows of lengths) {
    for (const whole of [true, false]) {
      const place = range(many).map((t) =>
        whole ? t * ((rows - 1) / (many - 1)) : clip((t + 0.5) * (rows / many) - 0.5, 0, rows - 1),
      );
      const few = Math.min(many, 12 * (Math.floor(many / rows) + 1));
      if (!onLines(between(y, 0, few), place.slice(0, few), near, 8)) continue;
      const knots = onLines(y, place, near, y.columns);
      if (knots && bends(knots, near)) yield { recipe: knotted(knots, place), rows };
    }
  }
}

// The rows at whole places, if those between lie on lines; one on no line is continued. Or null.
function onLines(y, place, near, most) {
  const n = y.columns,
    columns = range(Math.min(n, most)),
    last = y.rows - 1,
    whole = place.map((p) => Math.floor(p + 1e-9));
  const firsts = where(whole, (k, t) => k > (t ? whole[t - 1] : -1));
  const lines = firsts.map((a, m) => {
    let b = (firsts[m + 1] ?? y.rows) - 1;
    const after = Math.min(b + 1, last); // which the next line may begin with
    if (place[after] - whole[a] <= 1 + 1e-9) b = after;
    const width = place[b] - place[a],
      good = width > 0.2;
    const slope = (j) => (y.data[b * n + j] - y.data[a * n + j]) / (good ? width : 1),
      begin = columns.map((j) => y.data[a * n + j] - slope(j) * (place[a] - whole[a]));
    return { good, at: whole[a], first: a, begin, end: begin.map((v, j) => v + slope(j)) };
  });
  const joints = range(lines.length - 1).filter(
    (m) => lines[m].good && lines[m + 1].good && lines[m + 1].at - lines[m].at === 1,
  );
  if (joints.length < Math.max(3, 0.6 * lines.length)) return null;
  if (joints.some((m) => lines[m].end.some((v, j) => Math.abs(v - lines[m + 1].begin[j]) > near / 0.2))) return null;
  const knots = table(whole.at(-1) + 2, columns.length);
  for (const { good, at, end } of lines) if (good) row(knots, at + 1).set(end);
  for (const { good, at, begin } of lines) if (good) row(knots, at).set(begin);
  for (const { good, at, first } of lines) if (!good) row(knots, at).set(columns.map((j) => y.data[first * n + j]));
  return knots;
}

// Whether lines change their direction at most knots, in most columns
function bends(knots, near) {
  const n = knots.columns,
    x = knots.data,
    total = (knots.rows - 3) * n;
  const turns = range(Math.max(0, total)).map((k) => Math.abs(x[k + 2 * n] - x[k + n] - (x[k + n] - x[k])));
  return total > 0 && count(turns, (v) => v > 40 * near) > 0.8 * total;
}

// Rows that are another row to the last bit
function copies(d, y, good) {
  if (d.problems.includes("wrapped")) return;
  const by = new Map(),
    found = [];
  for (let t = 0; t < Math.min(y.rows, 8192); t++) {
    const key = sum(map(row(y, t), (v, j) => v * (1 + (j % 7)))),
      others = by.get(key) ?? [];
    const origin = others.find((s) => same(row(y, s), row(y, t)));
    if (origin === undefined) by.set(key, [...others, t]);
    else found.push([t, origin]);
  }
  if (!found.length) return;
  const [t, origin] = found[0];
  problem(d, "same_rows_of_table", { count: told(found.length), row: told(good[t]), other: told(good[origin]) });
}

// A place from which on rows are of another size, and much smaller or larger than before
function untrained(d, norms, good) {
  const many = norms.length;
  if (many < 32) return;
  const low = norms.map((v) => Math.log(Math.max(v, 1e-300))),
    sums = [];
  low.reduce((total, v, k) => (sums[k] = total + v), 0);
  let [high, at] = [0, 0];
  for (let k = 8; k < many - 8; k++) {
    const apart = Math.abs(sums[k - 1] / k - (sums[many - 1] - sums[k - 1]) / (many - k));
    const weight = (apart * Math.sqrt(k * (many - k))) / many;
    if (weight > high) [high, at] = [weight, k];
  }
  if (!at) return;
  const spread = (x) => Math.sqrt(mean(x.map((v) => (v - mean(x)) ** 2))),
    [before, after] = [low.slice(0, at), low.slice(at)];
  if (Math.abs(mean(before) - mean(after)) <= 1 + 3 * (spread(before) + spread(after))) return;
  const level = (x) => told(significant(Math.exp(mean(x)), 2));
  problem(d, "rows_untrained", { row: told(good[at]), small: level(after), large: level(before) });
}
