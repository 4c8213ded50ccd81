// How ALiBi and T5 treat a distance: slopes and buckets, as in pe_lib.biases.

// The slope of each head. For a power of two they are a geometric sequence; for another number, the rest are every
// second slope of the sequence for twice the next lower power of two.
export function slopes(heads) {
  const power = 2 ** Math.floor(Math.log2(heads)),
    of = (h, all) => 2 ** ((-8 * h) / all);
  return Array.from({ length: heads }, (_, h) => (h < power ? of(h + 1, power) : of(2 * (h - power) + 1, 2 * power)));
}

// The first distance of each bucket of one side, except bucket 0. In the first half these are 1, 2, …; from there on,
// bucket j begins at the least d with d^wide ≥ exact^(wide − j) · most^j, which is computed in whole numbers.
export function borders(count, most) {
  const exact = Math.floor(count / 2),
    wide = count - exact,
    [e, top] = [BigInt(exact), BigInt(most)];
  const reached = (d, j) => BigInt(d) ** BigInt(wide) >= e ** BigInt(wide - j) * top ** BigInt(j);
  return Array.from({ length: count - 1 }, (_, n) => {
    const j = n + 1 - exact;
    if (j < 1) return n + 1;
    const d = Math.round(exact ** (1 - j / wide) * most ** (j / wide));
    return reached(d, j) ? d : d + 1;
  });
}

// The bucket of an offset; without `causal`, positive offsets have half of the buckets
export function bucket(offset, count, causal, firsts) {
  const distance = causal ? Math.max(0, -offset) : Math.abs(offset);
  const reached = firsts.filter((first) => distance >= first).length;
  return reached + (!causal && offset > 0 ? count / 2 : 0);
}
