// Random numbers that a seed repeats. They are not numpy's: a training here and one by pe_lib with
// the same seed start from other weights and read other sequences.

// Numbers in [0, 1): "mulberry32" of Tommy Ettinger, whose whole state is one 32-bit integer
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// An integer from 0 to below - 1
export function below(random, limit) {
  return Math.floor(random() * limit);
}

// From the normal distribution with mean 0 and variance 1, by Box and Muller: a length and an angle
export function normal(random) {
  const length = Math.sqrt(-2 * Math.log(1 - random()));
  return length * Math.cos(2 * Math.PI * random());
}
