// Rows and entries that cannot be right: not finite, zero: pe_lib/doctor/_rows.py.
import { problem } from "./diagnosis.mjs";
import { told } from "./numbers.mjs";
import { count, every, finite, range, row, where } from "./series.mjs";

// Which rows of x are zero or not finite; problems are added to d
export function corrupt(d, x) {
  const broken = range(x.rows).map((t) => !finite(row(x, t)));
  if (broken.includes(true)) {
    const at = broken.indexOf(true),
      column = row(x, at).findIndex((v) => !Number.isFinite(v)),
      wrong = count(x.data, (v) => !Number.isFinite(v));
    problem(d, "not_finite", { count: told(wrong), place: `row ${told(at)}, column ${told(column)}` });
  }
  const zero = range(x.rows).map((t) => every(row(x, t), (v) => v === 0)),
    places = where(zero, Boolean);
  if (places.length && places.length < x.rows) {
    const [first] = places;
    if (places.length === 1 && first < 4) problem(d, "padding_row", { row: told(first), next: told(first + 1) });
    else problem(d, "zero_rows", { count: told(places.length), row: told(first) });
  }
  return broken.map((b, t) => b || zero[t]);
}
