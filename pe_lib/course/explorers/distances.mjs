// Computes how ALiBi and T5 treat a distance, with the slopes and buckets of pe_lib.biases.

// Returns the slope of each head. For a power of two, the slopes form a geometric sequence.
// For another number of heads, the remaining slopes are every second slope for twice the next lower power of two.
export function slopes(heads) {
  const power = 2 ** Math.floor(Math.log2(heads)),
    of = (h, all) => 2 ** ((-8 * h) / all);
  return Array.from({ length: heads }, (_, h) => (h < power ? of(h + 1, power) : of(2 * (h - power) + 1, 2 * power)));
}

// Returns the first distance of each bucket except bucket 0. In the first half, the distances are 1, 2, and so on.
// From there on, bucket j begins at the least d with d^wide ≥ exact^(wide − j) · most^j, computed in whole numbers.
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

// Returns the bucket of an offset. Without `causal`, half of the buckets are for positive offsets.
export function bucket(offset, count, causal, firsts) {
  const distance = causal ? Math.max(0, -offset) : Math.abs(offset);
  const reached = firsts.filter((first) => distance >= first).length;
  return reached + (!causal && offset > 0 ? count / 2 : 0);
}
