// Tables that no rule made: how smooth, which rows are alike, and how they were resized.
import { UNIT, held } from "./formats.mjs";
import { problem } from "./diagnosis.mjs";
import { significant, told } from "./numbers.mjs";
import { clip, every, map, mean, median, most, range, row, rowsOf, same, size, sum, unique, where } from "./series.mjs";

const norm = (x) => Math.sqrt(sum(map(x, (v) => v * v)));
const hundredth = (x) => Number(x.toFixed(2));

// Fill d for a table (T, d) that is no wave: learned, for all that can be seen
export function learned(d, x, bad) {
  const good = where(bad, (b) => !b),
    y = rowsOf(x, good),
    norms = good.map((_, t) => norm(row(y, t)));
  Object.assign(d, { scheme: "learned", width: x.columns, sure: false, precision: held(y.data), where: "values" });
  const middle = median(norms),
    { near, far } = smoothness(y, norms);
  Object.assign(d.details, { norm: middle, neighbours: near, strangers: far, rows: x.rows });
  d.details.notes = [
    `Rows have norm ${told(middle ? significant(middle, 3) : 0)}, neighbours a cosine of ${told(hundredth(near))}, strangers ${told(hundredth(far))}: ${near > far + 0.2 ? "smooth." : "not smooth."}`,
  ];
  d.alternatives.push("Random numbers of one size look like a table before training.");
  lengthened(d, y);
  copies(d, y, good);
  untrained(d, norms, good);
  if ((x.rows === 32 || x.rows === 64) && x.columns <= 128) {
    d.alternatives.push(`T5's table of ${told(x.rows)} buckets for ${told(x.columns)} heads: its shape fits.`);
  }
}

// The mean cosine of neighbouring rows, and of rows half a table apart
function smoothness(y, norms) {
  const many = Math.min(y.rows, 2048);
  const likeness = (lag) =>
    mean(
      range(many - lag).map((t) => {
        const a = row(y, t),
          b = row(y, t + lag);
        return sum(map(a, (v, j) => v * b[j])) / ((norms[t] || 1) * (norms[t + lag] || 1));
      }),
    );
  return { near: likeness(1), far: likeness(Math.max(1, many >> 1)) };
}

// Made longer by straight lines between rows, or by copying all of them
function lengthened(d, y) {
  const scale = size(y.data);
  for (const times of range(15, 2)) {
    const rows = y.rows / times;
    if (!Number.isInteger(rows) || rows <= 1) continue;
    const later = y.data.subarray(rows * y.columns);
    if (every(later, (v, k) => Math.abs(v - y.data[k]) <= 1e-6 * scale)) {
      problem(d, "wrapped", { rows: told(rows), times: told(times) });
      d.sure = true;
      return;
    }
  }
  const rows = resizedFrom(y);
  if (rows) {
    problem(d, "resized", { rows: told(rows), count: told(y.rows) });
    d.details.resized_from = rows;
    d.sure = true;
  }
}

// From how many rows straight lines make this table, ends kept or pixels halved; or 0. Two rows on one
// line give both of its ends, and the end of each line must begin the next. So a table at least twice as
// long is known, and one that grew by less is not.
function resizedFrom(y) {
  const many = y.rows,
    columns = Math.min(8, y.columns);
  const x = range(many).map((t) => row(y, t).subarray(0, columns));
  const near = Math.max(4 * UNIT[held(y.data)], 1e-13) * most(x.map(size));
  if (many < 8 || !near) return 0;
  let lengths = range(Math.floor(many / 2) - 2, 4);
  if (many > 1024) {
    // whole factors, and usual lengths
    const usual = [...range(15, 2).map((k) => Math.floor(many / k)), 256, 512, 1024, 2048, 4096];
    lengths = unique(usual)
      .sort((a, b) => a - b)
      .filter((n) => n > 3 && n <= Math.floor(many / 2) + 1);
  }
  for (const rows of lengths) {
    for (const whole of [true, false]) {
      const place = range(many).map((t) =>
        whole ? t * ((rows - 1) / (many - 1)) : clip((t + 0.5) * (rows / many) - 0.5, 0, rows - 1),
      );
      const few = Math.min(many, 12 * (Math.floor(many / rows) + 1));
      if (onLines(x.slice(0, few), place.slice(0, few), near) && onLines(x, place, near)) return rows;
    }
  }
  return 0;
}

// Whether rows at these places lie on lines between whole places
function onLines(y, place, near) {
  const last = y.length - 1,
    whole = place.map((p) => Math.floor(p + 1e-9));
  const firsts = range(y.length).filter((t) => whole[t] > (t ? whole[t - 1] : -1));
  const lines = firsts.map((a, k) => {
    let b = (firsts[k + 1] ?? y.length) - 1;
    const after = Math.min(b + 1, last); // which the next line may begin with
    if (place[after] - whole[a] <= 1 + 1e-9) b = after;
    const width = place[b] - place[a],
      good = width > 0.2;
    const slope = map(y[a], (v, j) => (y[b][j] - v) / (good ? width : 1));
    const begin = map(y[a], (v, j) => v - slope[j] * (place[a] - whole[a]));
    return { good, slope, begin, end: map(begin, (v, j) => v + slope[j]), at: whole[a] };
  });
  const joints = range(lines.length - 1).filter(
    (k) => lines[k].good && lines[k + 1].good && lines[k + 1].at - lines[k].at === 1,
  );
  if (joints.length < Math.max(3, 0.6 * lines.length)) return false;
  if (joints.some((k) => lines[k].end.some((v, j) => Math.abs(v - lines[k + 1].begin[j]) > near / 0.2))) return false;
  let k = 0; // all rows between lie on theirs, too
  for (let t = 0; t < y.length; t++) {
    while (k < lines.length - 1 && lines[k + 1].at <= whole[t]) k++;
    const { good, begin, slope, at } = lines[k];
    if (good && y[t].some((v, j) => Math.abs(begin[j] + slope[j] * (place[t] - at) - v) > near / 0.2)) return false;
  }
  const moving = lines.filter((line) => line.good);
  return moving.filter((line) => size(line.slope) > 20 * near).length > 0.9 * moving.length;
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
  let high = 0,
    at = 0;
  for (let k = 8; k < many - 8; k++) {
    const apart = Math.abs(sums[k - 1] / k - (sums[many - 1] - sums[k - 1]) / (many - k));
    const weight = (apart * Math.sqrt(k * (many - k))) / many;
    if (weight > high) [high, at] = [weight, k];
  }
  if (!at) return;
  const spread = (x) => Math.sqrt(mean(x.map((v) => (v - mean(x)) ** 2)));
  const before = low.slice(0, at),
    after = low.slice(at);
  if (Math.abs(mean(before) - mean(after)) > 1 + 3 * (spread(before) + spread(after))) {
    const level = (x) => told(significant(Math.exp(mean(x)), 2));
    problem(d, "rows_untrained", { row: told(good[at]), small: level(after), large: level(before) });
  }
}
