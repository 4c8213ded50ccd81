// From arrays {shape, data} to the module that knows them: pe_lib/doctor/_identify.py.
/* global DATA */
import { bias } from "./biases.mjs";
import { gated, note, problem, summary } from "./diagnosis.mjs";
import { frequencies } from "./lists.mjs";
import { told } from "./numbers.mjs";
import { every, range, table } from "./series.mjs";
import { cache, tableOf } from "./tables.mjs";
import { refuse } from "./texts.mjs";

const { ENTRIES, WIDEST } = DATA.constants.given;
const written = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
const noRow = (name, shape) => refuse(`${name} must have a row for each position, got shape ${written(shape)}`);

// What these numbers are: a table (T, d), frequencies (n,), a bias (heads, T, T), cosines and sines
export const identify = (values, sines) => gated(sines ? pair(values, sines) : one(values));

function one({ shape, data }) {
  if (data.length === 0) refuse(`values must not be empty, got shape ${written(shape)}`);
  if (data.length === 1) refuse(`values must be more than one number, got shape ${written(shape)}`);
  const [a, b, c] = shape;
  if (shape.length === 3 && c === 2 && Math.min(a, b) > 1) {
    const side = (from) =>
      table(
        a,
        b,
        data.filter((_, k) => k % 2 === from),
      ); // cosine and sine of each pair
    const d = cache(side(0), side(1));
    return d.sure ? d : tableOf(table(a, 2 * b, data));
  }
  if (shape.length === 3 && a === 2 && b !== c && b > 1) {
    const half = data.length / 2,
      side = (from) => ({ shape: [b, c], data: data.subarray(from, from + half) });
    const d = pair(side(0), side(half));
    if (d.sure) return d;
  }
  if (shape.length === 1) return frequencies(short(data));
  return shape.length === 2 ? matrix(shape, data) : blocks(shape, data);
}

function short(data) {
  if (data.length > WIDEST) refuse(`values must have at most ${WIDEST} entries, got ${data.length}`);
  return data;
}

// A table (rows, columns), and no more of it than is looked at
function looked(shape, data, name = "values") {
  const [rows, columns] = shape;
  if (columns > WIDEST) refuse(`${name} must be at most ${WIDEST} wide, got shape ${written(shape)}`);
  const read = Math.min(rows, Math.max(2, Math.floor(ENTRIES / columns)));
  return table(read, columns, data.subarray(0, read * columns));
}

// Cosines and sines of one shape; a batch of them, or a batch of heads, item by item
function pair(cos, sin) {
  const { shape } = cos,
    width = shape.at(-1),
    kept = shape.slice(0, -1).filter((n) => n > 1);
  if (written(shape) !== written(sin.shape))
    refuse(`cos and sin must have one shape, got ${written(shape)} and ${written(sin.shape)}`);
  if (shape.length < 2 || !kept.length || !width || (kept.length > 1 && shape.at(-2) === 1)) noRow("cos", shape);
  const rows = kept.at(-1),
    size = rows * width;
  return batch(
    ([c, s]) => {
      const [y, z] = [c, s].map((x) => looked([rows, width], x, "cos"));
      return read(cache(y, z), y.rows, rows);
    },
    range(cos.data.length / size).map((k) => [cos, sin].map(({ data }) => data.subarray(k * size, (k + 1) * size))),
  );
}

// Says so where a long array was read in part
function read(d, rows, whole) {
  if (rows < whole)
    d.details.notes = [...(d.details.notes ?? []), note("read", { rows: told(rows), all: told(whole) })];
  return d;
}

const alike = (x, y) => x.every((v, k) => v === y[k] || (Number.isNaN(v) && Number.isNaN(y[k])));

// The diagnosis of item 0, and which others are not the same, to the last bit; an item is a list of arrays
function batch(diagnose, items) {
  const d = diagnose(items[0]),
    others = range(items.length).filter((k) => !items[k].every((x, part) => alike(x, items[0][part])));
  if (!others.length) return d;
  d.exceptions.items = others;
  const what = summary(gated(diagnose(items[others[0]])))
    .slice(0, 2)
    .join(" ");
  problem(d, "items_differ", { count: told(others.length), all: told(items.length), item: told(others[0]), what });
  return d;
}

const blocksOf = (heads, rows, columns, data) => ({ heads, rows, columns, data });

// A table, a bias of one head, or keys' biases of several
function matrix(shape, data) {
  if (shape[0] === 1) refuse(`values must have more than one row, got shape ${written(shape)}`);
  if (shape[1] === 1) refuse(`values must be more than one entry wide, got shape ${written(shape)}`);
  const y = looked(shape, data),
    square = y.rows === y.columns;
  const asBias = () => bias(blocksOf(1, y.rows, y.columns, y.data)),
    found = square ? asBias() : null;
  if (found) return found;
  const d = read(tableOf(y), y.rows, shape[0]);
  if (d.sure || square || !["learned", "unknown"].includes(d.scheme)) return d;
  const other = asBias() ?? bias(blocksOf(y.rows, 1, y.columns, y.data));
  return other?.sure ? other : d;
}

// Three axes or more: a bias, a batch of tables, or a table with axes of length 1
function blocks(shape, data) {
  const kept = shape.filter((n) => n > 1),
    last = shape.at(-1);
  const refused = () => refuse(`values must be a table, a list or a bias, got shape ${written(shape)}`);
  if (last < 2 || !kept.length || kept.length > 3) refused();
  if (kept.length === 1) refuse(`values must have more than one row, got shape ${written(shape)}`);
  if (kept.length === 2) {
    const d = matrix(kept, data);
    if (d.sure || !(shape.length === 3 && shape[1] === 1 && shape[0] <= 256)) return d;
    return bias(blocksOf(shape[0], 1, last, data)) ?? d;
  }
  if (shape.at(-2) < 2) refused();
  const [heads, rows, columns] = kept,
    size = rows * columns,
    item = (k) => data.subarray(k * size, (k + 1) * size);
  if (rows === columns || heads <= 128) {
    const keys = every(data, (v, k) => v === data[k - (k % size) + (k % columns)]); // BLOOM's form, a row for each query
    const once = () => data.filter((_, k) => k % size < columns);
    const found = keys ? bias(blocksOf(heads, 1, columns, once())) : bias(blocksOf(heads, rows, columns, data));
    if (found && (found.sure || !keys)) return found;
  }
  if (heads * rows >= 4 && !alike(item(0), item(1))) {
    // a grid with its own axes
    const d = tableOf(looked([heads * rows, columns], data));
    if (d.sure && "axes" in d.details) return d;
  }
  return batch(
    ([x]) => matrix([rows, columns], x),
    range(heads).map((k) => [item(k)]),
  );
}
