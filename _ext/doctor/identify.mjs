// From arrays to the module that knows them. An array is {shape, data}.
import { bias } from "./biases.mjs";
import { cache } from "./caches.mjs";
import { diagnosis } from "./diagnosis.mjs";
import { frequencies } from "./lists.mjs";
import { same, table } from "./series.mjs";
import { tableOf } from "./tables.mjs";

const written = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
const refuse = (why) => {
  throw new Error(why);
};

// What these numbers are: a table (T, d), frequencies (n,), a bias (heads, T, T), cosines and sines
export function identify(values, sines) {
  if (sines) return pair(values, sines);
  const { shape, data } = values;
  if (data.length <= 1) refuse(`values must be more than one number, got shape ${written(shape)}`);
  if (shape.length === 3 && shape[2] === 2 && Math.min(shape[0], shape[1]) > 1) {
    // cosine and sine of each pair
    const every2 = (from) => ({ shape: shape.slice(0, 2), data: data.filter((_, k) => k % 2 === from) });
    const d = pair(every2(0), every2(1));
    return d.sure ? d : tableOf(table(shape[0], shape[1] * 2, data));
  }
  if (shape.length === 3 && shape[0] === 2 && shape[1] !== shape[2] && shape[1] > 1) {
    const half = data.length / 2;
    const d = pair(
      { shape: shape.slice(1), data: data.subarray(0, half) },
      { shape: shape.slice(1), data: data.subarray(half) },
    );
    if (d.sure) return d;
  }
  if (shape.length === 1) return frequencies(data);
  return shape.length === 2 ? matrix(shape, data) : blocks(shape, data);
}

function pair(cos, sin) {
  if (!same(cos.shape, sin.shape) || cos.shape.length !== sin.shape.length) {
    refuse(`cos and sin must have one shape, got ${written(cos.shape)} and ${written(sin.shape)}`);
  }
  let kept = cos.shape.slice(0, -1).filter((n) => n > 1),
    [c, s] = [cos.data, sin.data];
  const width = cos.shape[cos.shape.length - 1];
  if (cos.shape.length < 2 || !kept.length)
    refuse(`cos must have a row for each position, got shape ${written(cos.shape)}`);
  if (kept.length > 1) {
    // a batch, or heads: all alike, one is enough
    const rows = cos.shape[cos.shape.length - 2];
    if (rows <= 1) refuse(`cos must have a row for each position, got shape ${written(cos.shape)}`);
    [c, s] = [c, s].map((x) => x.subarray(0, rows * width));
    kept = [rows];
  }
  return cache(table(kept[0], width, c), table(kept[0], width, s));
}

// At most so many rows and columns of each block
function cut([heads, rows, columns], data, most = 512) {
  const [r, c] = [Math.min(rows, most), Math.min(columns, most)],
    out = new Float64Array(heads * r * c);
  for (let h = 0; h < heads; h++) {
    for (let t = 0; t < r; t++)
      out.set(data.subarray((h * rows + t) * columns, (h * rows + t) * columns + c), (h * r + t) * c);
  }
  return { heads, rows: r, columns: c, data: out };
}

function matrix([rows, columns], data) {
  if (rows === 1) refuse(`values must have more than one row, got shape ${written([rows, columns])}`);
  if (columns === 1) refuse(`values must be more than one entry wide, got shape ${written([rows, columns])}`);
  if (rows === columns) {
    const found = bias(cut([1, rows, columns], data));
    if (found) return found;
  }
  const d = tableOf(table(rows, columns, data));
  if (!d.sure && ["learned", "unknown"].includes(d.scheme) && rows !== columns) {
    const found = bias(cut([1, rows, columns], data)) ?? bias(cut([rows, 1, columns], data));
    if (found?.sure) return found;
  }
  return d;
}

// Three axes or more: a bias, or a table with axes of length 1
function blocks(shape, data) {
  const kept = shape.filter((n) => n > 1),
    last = shape[shape.length - 1];
  if (kept.length === 2 && last > 1) {
    if (shape.length === 3 && shape[1] === 1 && shape[0] > 1) {
      const d = matrix(kept, data);
      return d.sure || kept[0] > 256 ? d : (bias({ heads: shape[0], rows: 1, columns: last, data }) ?? d);
    }
    return matrix(kept, data);
  }
  if (kept.length === 1 && last > 1) refuse(`values must have more than one row, got shape ${written(shape)}`);
  if (kept.length === 3 && last > 1 && shape[shape.length - 2] > 1) {
    const [heads, rows, columns] = kept,
      block = rows * columns;
    const found = bias(cut([Math.min(heads, 128), rows, columns], data));
    if (found) return found;
    if (heads > 1 && rows !== columns) {
      // a batch of one table
      if (same(data.subarray(0, block), data.subarray(block, 2 * block)))
        return matrix([rows, columns], data.subarray(0, block));
      if (heads * rows >= 4) {
        // a grid with its own axes
        const d = tableOf(table(heads * rows, columns, data));
        if (d.sure) return d;
      }
    }
    return diagnosis();
  }
  return refuse(`values must be a table, a list or a bias, got shape ${written(shape)}`);
}
