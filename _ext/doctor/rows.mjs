// Rows and entries that cannot be right: not finite, zero, all the same.
import { told } from "./numbers.mjs";
import { problem } from "./diagnosis.mjs";
import { count, every, finite, range, row, where } from "./series.mjs";

// Which rows of these tables, side by side, are zero or not finite; problems are added to d
export function corrupt(d, ...tables) {
  const rows = range(tables[0].rows);
  const broken = rows.map((t) => !tables.every((x) => finite(row(x, t))));
  if (broken.includes(true)) {
    const at = broken.indexOf(true),
      numbers = tables.flatMap((x) => [...row(x, at)]);
    const wrong = tables.reduce((n, x) => n + count(x.data, (v) => !Number.isFinite(v)), 0);
    const column = numbers.findIndex((v) => !Number.isFinite(v));
    problem(d, "not_finite", { count: told(wrong), place: `row ${told(at)}, column ${told(column)}` });
  }
  const zero = rows.map((t) => tables.every((x) => every(row(x, t), (v) => v === 0)));
  const places = where(zero, Boolean);
  if (places.length && places.length < rows.length) {
    if (places.length === 1 && places[0] < 4)
      problem(d, "padding_row", { row: told(places[0]), next: told(places[0] + 1) });
    else problem(d, "zero_rows", { count: told(places.length), row: told(places[0]) });
  }
  return rows.map((t) => broken[t] || zero[t]);
}

// The longest run of rows that are good, as their numbers
export function longest(good) {
  let best = [0, 0],
    begin = 0;
  for (let t = 0; t <= good.length; t++) {
    if (good[t]) continue;
    if (t - begin > best[1] - best[0]) best = [begin, t];
    begin = t + 1;
  }
  return range(best[1] - best[0], best[0]);
}
