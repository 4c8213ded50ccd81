// Products of matrices in flat arrays: where a training spends nearly all of its time.

// A matrix: its entry (i, j) is data[start + i · row + j · column]. All are made here, with the same
// fields in the same order: then the browser's compiler knows them all as one kind of thing.
const view = (data, start, row, column) => ({ data, start, row, column });

export function matrix(rows, columns, data = new Float64Array(rows * columns)) {
  return view(data, 0, columns, 1);
}

// The same numbers under another start, which may be moved
export function windowed(m) {
  return view(m.data, m.start, m.row, m.column);
}

// The same numbers, rows as columns
export function transposed(m) {
  return view(m.data, m.start, m.column, m.row);
}

// out = a b, or out = out + a b; a is (rows, inner), b is (inner, columns), and out's columns stand
// beside one another
export function product(out, a, b, rows, inner, columns, add = false) {
  multiply(
    out.data,
    out.start,
    out.row,
    a.data,
    a.start,
    a.row,
    a.column,
    b.data,
    b.start,
    b.row,
    b.column,
    rows,
    inner,
    columns,
    add,
  );
}

// Two rows by four columns at a time: their eight sums stay in registers, and six numbers are
// fetched for eight products instead of sixteen.
function multiply(o, oStart, oRow, x, xStart, xRow, across, y, yStart, down, next, rows, inner, columns, add) {
  // `| 0` tells the browser's compiler that these are integers: without it, a training takes half
  // as long again
  oStart |= 0;
  oRow |= 0;
  xStart |= 0;
  xRow |= 0;
  across |= 0;
  yStart |= 0;
  down |= 0;
  next |= 0;
  rows |= 0;
  inner |= 0;
  columns |= 0;
  const whole = columns & ~3;
  for (let i = 0; i < rows; i += 2) {
    const step = i + 1 < rows ? 1 : 0; // an odd last row is calculated twice
    const top = xStart + i * xRow,
      c = oStart + i * oRow,
      e = c + step * oRow;
    for (let j = 0; j < whole; j += 4) {
      let s0 = 0,
        s1 = 0,
        s2 = 0,
        s3 = 0,
        t0 = 0,
        t1 = 0,
        t2 = 0,
        t3 = 0;
      let p = top,
        q = top + step * xRow,
        r = yStart + j * next;
      for (let k = 0; k < inner; k++) {
        const u = x[p],
          v = x[q],
          y0 = y[r],
          y1 = y[r + next],
          y2 = y[r + 2 * next],
          y3 = y[r + 3 * next];
        s0 += u * y0;
        s1 += u * y1;
        s2 += u * y2;
        s3 += u * y3;
        t0 += v * y0;
        t1 += v * y1;
        t2 += v * y2;
        t3 += v * y3;
        p += across;
        q += across;
        r += down;
      }
      if (add) {
        s0 += o[c + j];
        s1 += o[c + j + 1];
        s2 += o[c + j + 2];
        s3 += o[c + j + 3];
        t0 += o[e + j];
        t1 += o[e + j + 1];
        t2 += o[e + j + 2];
        t3 += o[e + j + 3];
      }
      o[c + j] = s0;
      o[c + j + 1] = s1;
      o[c + j + 2] = s2;
      o[c + j + 3] = s3;
      o[e + j] = t0;
      o[e + j + 1] = t1;
      o[e + j + 2] = t2;
      o[e + j + 3] = t3;
    }
    for (let j = whole; j < columns; j++) {
      let s = 0,
        t = 0;
      for (let k = 0, p = top, q = top + step * xRow, r = yStart + j * next; k < inner; k++) {
        s += x[p] * y[r];
        t += x[q] * y[r];
        p += across;
        q += across;
        r += down;
      }
      if (add) {
        s += o[c + j];
        t += o[e + j];
      }
      o[c + j] = s;
      o[e + j] = t;
    }
  }
}
