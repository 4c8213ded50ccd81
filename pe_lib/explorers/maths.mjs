// The course's formulas in the browser, under the names they have in pe_lib.
// tests/pe_lib holds each against pe_lib.

// ω_i = base^(−2i / d_model), radians per position, for the pair i = ⌊dim / 2⌋
export function frequency(pair, dModel, base) {
  return Math.pow(base, (-2 * pair) / dModel);
}

// PE(position, dim): even dimensions hold the sine, odd ones the cosine of the same angle
export function entry(position, dim, dModel, base) {
  const angle = position * frequency(dim >> 1, dModel, base);
  return dim % 2 ? Math.cos(angle) : Math.sin(angle);
}

// The table of positions 0 … positions − 1, row by row, written into `out`.
// One sine and cosine a pair; every further row is the last one turned by the frequency:
// (sin, cos)(a + ω) = (sin a cos ω + cos a sin ω, cos a cos ω − sin a sin ω).
export function encodeTable(positions, dModel, base, out = new Float64Array(positions * dModel)) {
  for (let dim = 0; dim < dModel; dim += 2) {
    const omega = frequency(dim / 2, dModel, base);
    const c = Math.cos(omega), s = Math.sin(omega);
    let sin = 0, cos = 1;
    for (let k = dim, end = positions * dModel; k < end; k += dModel) {
      out[k] = sin;
      out[k + 1] = cos;
      const next = sin * c + cos * s;
      cos = cos * c - sin * s;
      sin = next;
    }
  }
  return out;
}
