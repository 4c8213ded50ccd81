// Multiplies matrices in flat arrays. A training spends nearly all of its time on these products.

// Returns a view of an array, whose entry (i, j) is data[start + i · down + j · across].
const view = (data, rows, columns, start, down, across) => ({ data, rows, columns, start, down, across });

export const matrix = (rows, columns, data = new Float64Array(rows * columns)) =>
  view(data, rows, columns, 0, columns, 1);

// Returns the transpose of a matrix, which shares its numbers with the matrix.
export const transposed = ({ data, rows, columns, start, down, across }) =>
  view(data, columns, rows, start, across, down);

// Returns a part of a matrix with this first entry, rows and columns. The part shares the numbers of the matrix.
export const part = (m, row, column, rows, columns) =>
  view(m.data, rows, columns, m.start + row * m.down + column * m.across, m.down, m.across);

// Returns the product a b in a new matrix, or writes it into `out`, replacing or adding to the numbers there.
export function product(a, b, out = matrix(a.rows, b.columns), add = false) {
  const [x, y, o] = [a.data, b.data, out.data];
  const inner = a.columns | 0,
    [across, down, next] = [a.across | 0, b.down | 0, b.across | 0];
  for (let i = 0; i < a.rows; i++) {
    const from = (a.start + i * a.down) | 0;
    let to = (out.start + i * out.down) | 0,
      j = 0;
    // Compute four columns at a time, so that no sum has to wait for another.
    for (; j + 3 < b.columns; j += 4, to += 4) {
      let s = 0,
        t = 0,
        u = 0,
        v = 0;
      for (let k = 0, p = from, q = (b.start + j * next) | 0; k < inner; k++, p += across, q += down) {
        const factor = x[p];
        s += factor * y[q];
        t += factor * y[q + next];
        u += factor * y[q + 2 * next];
        v += factor * y[q + 3 * next];
      }
      o[to] = add ? o[to] + s : s;
      o[to + 1] = add ? o[to + 1] + t : t;
      o[to + 2] = add ? o[to + 2] + u : u;
      o[to + 3] = add ? o[to + 3] + v : v;
    }
    for (; j < b.columns; j++, to++) {
      let s = add ? o[to] : 0;
      for (let k = 0; k < inner; k++) s += x[from + k * across] * y[b.start + k * down + j * next];
      o[to] = s;
    }
  }
  return out;
}
