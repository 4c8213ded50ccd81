// Trains a small Transformer to name the previous word, from batches of 32 sequences, with Adam.
// At regular intervals the training yields a snapshot of the model.
import { part, product, transposed } from "./product.mjs";
import { backward, forward, loss, positions, transformer } from "./toy.mjs";

export const EVERY = 16; // steps between two snapshots
export const LAST = 25; // the number of the last snapshot
export const ROWS = 48; // positions of the model, which is also the length of the longest texts that it reads
const BATCH = 32,
  RATE = 3e-3,
  WORDS = 8;

// Returns a generator of random numbers in [0, 1): "mulberry32" by Tommy Ettinger, with one 32-bit integer as its state.
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Returns a number from the normal distribution with mean 0 and variance 1, by the Box–Muller method.
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

// Draws new words for all sequences. Their targets are the previous words, or −1 where there is no previous word.
export function ask(random, texts) {
  texts.tokens = Int32Array.from({ length: texts.batch * texts.length }, () => Math.floor(WORDS * random()));
  texts.targets = texts.tokens.map((_, n, tokens) => (n % texts.length ? tokens[n - 1] : -1));
}

// Takes one step of Adam (Kingma and Ba 2015) as in pe_lib/course/model/training.py, with β = 0.9 and 0.98.
// Steps count from 1, and the arrays `values`, `mean` and `square` change in place.
export function adam(values, slopes, mean, square, step, rate) {
  // Both means start at zero, so they are too small by the factor 1 − βˢᵗᵉᵖ.
  const [first, second] = [1 - 0.9 ** step, 1 - 0.98 ** step];
  for (let k = 0; k < values.length; k++) {
    mean[k] += (1 - 0.9) * (slopes[k] - mean[k]);
    square[k] += (1 - 0.98) * (slopes[k] * slopes[k] - square[k]);
    values[k] -= (rate * (mean[k] / first)) / (Math.sqrt(square[k] / second) + 1e-8);
  }
}

// Returns the accuracy at each position except the first.
function right({ logits, targets, batch, length }) {
  const shares = new Array(length - 1).fill(0),
    classes = logits.columns;
  targets.forEach((target, row) => {
    const z = logits.data.subarray(row * classes, (row + 1) * classes);
    if (target >= 0 && z.indexOf(Math.max(...z)) === target) shares[(row % length) - 1] += 1 / batch;
  });
  return shares;
}

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

// Returns the cosines between the first `length` rows of a table, with shape (length, length).
function similarity(table, length) {
  const rows = part(table, 0, 0, length, table.columns),
    { data } = product(rows, transposed(rows));
  const square = (t) => data[t * (length + 1)];
  return Array.from(data, (dot, k) => dot / Math.sqrt(square(Math.floor(k / length)) * square(k % length)));
}

// Yields undefined after a training step, and a snapshot of the model after every EVERY steps.
// The snapshot includes the losses since the previous snapshot, as means of four steps.
export function* training({ scheme, length, causal, seed }) {
  const model = transformer({ vocabulary: WORDS, classes: WORDS, scheme, causal, maxLength: ROWS });
  const random = generator(seed),
    textRandom = generator(seed + 1_000);
  for (const [name, [, , size]] of Object.entries(model.shapes))
    for (let k = 0, { data } = model.weights[name]; size && k < data.length; k++) data[k] = size * normal(random);
  const batch = (each) => /** @type {any} */ ({ batch: BATCH, length: each }),
    [texts, own, long] = [length, length, ROWS].map(batch),
    [first, second] = [model.slopes.slice(), model.slopes.slice()];
  for (const one of [own, long]) ask(generator(1_000_003), one); // all trainings are measured on the same texts

  for (let step = 0, losses = []; ; ) {
    forward(model, own);
    if (step) forward(model, long);
    const rows = positions(model, ROWS),
      size = length * length,
      attention = new Array(size).fill(0);
    own.layers[0].weights.forEach((weight, k, { length: all }) => (attention[k % size] += (size * weight) / all));
    yield {
      losses: Array.from({ length: losses.length / 4 }, (_, k) => mean(losses.slice(4 * k, 4 * k + 4))),
      rows: Array.from({ length: ROWS }, (_, n) => [...rows.data.subarray(n * rows.columns, n * rows.columns + 2)]),
      similarity: similarity(rows, length),
      attention,
      right: mean(right(own)),
      far: step ? right(long) : [],
    };
    if (step === LAST * EVERY) return;
    losses = [];
    for (const end = step + EVERY; step < end; ) {
      ask(textRandom, texts);
      forward(model, texts);
      losses.push(loss(model, texts));
      backward(model, texts);
      adam(model.values, model.slopes, first, second, ++step, RATE);
      yield;
    }
  }
}
