// Computes what the later parts of the machine show: angles, a table that is trained, scores, and shares of attention.
import { range, rememberLast, scramble, softmax } from "../maths.mjs";
import { wordVector } from "./mixtures.mjs";
import { PAIRS, SPEEDS } from "./picture.mjs";

const WIDTH = 2 * PAIRS,
  TURN = 2 * Math.PI;

const sumOf = (numbers) => numbers.reduce((sum, v) => sum + v, 0);
const dotProduct = (a, b) => sumOf(a.map((v, c) => v * b[c]));

// Return the dot product of the rows of two positions: the sum of the cosines of the angles between their hands.
export const rowProduct = (offset, pairs = PAIRS) =>
  sumOf(SPEEDS.slice(0, pairs).map((speed) => Math.cos(offset * speed)));

// --- A table that is trained instead of written by clocks ---

export const VISITED = 6; // texts in training have six words, so they visit the rows of positions 0 to 5
export const TRAINING_STEPS = 40;
const RATE = 2;

// Train a table of `count` rows and a readout, so that the readout names the position of each visited row.
// Return the rows, and the probability with which each position is recognised, before and after each step.
// The loss is the mean of −log p(k) over the visited positions k, and the steps are plain gradient descent.
export function trainTable(count) {
  const rows = range(count, (k) => Array.from(scramble(WIDTH, k + 1), (x) => x / 2)),
    readout = range(count, (k) => Array.from(scramble(WIDTH, k + 101), (x) => x / 2));
  const recognise = (row) => softmax(readout.map((w) => dotProduct(w, row)));
  const looks = [];
  for (let step = 0; step <= TRAINING_STEPS; step++) {
    const probabilities = rows.map(recognise);
    looks.push({ rows: rows.map((row) => [...row]), right: probabilities.map((shares, k) => shares[k]) });
    const errors = probabilities
      .slice(0, VISITED)
      .map((shares, k) => shares.map((p, j) => (p - Number(j === k)) / VISITED));
    const rowSlopes = errors.map((error) => range(WIDTH, (c) => sumOf(error.map((e, j) => e * readout[j][c]))));
    const readoutSlopes = readout.map((w, j) =>
      w.map((_, c) => sumOf(errors.map((error, k) => error[j] * rows[k][c]))),
    );
    for (const [k, slopes] of rowSlopes.entries())
      for (const [c, slope] of slopes.entries()) rows[k][c] -= RATE * slope;
    for (const [j, slopes] of readoutSlopes.entries())
      for (const [c, slope] of slopes.entries()) readout[j][c] -= RATE * slope;
  }
  return looks;
}
export const trainedTable = rememberLast(trainTable);

// --- Scores ---

// The angles of a fixed query and a fixed key, pair by pair. Nobody trained these.
export const QUERY = Array.from(scramble(PAIRS, 5), (x) => x * 1.2);
export const KEY = Array.from(scramble(PAIRS, 9), (x) => x * 1.2);

// Return the score of the query and the key, rotated by their positions. It depends only on the offset.
export const rotatedScore = (position, key, pairs) =>
  sumOf(SPEEDS.slice(0, pairs).map((speed, i) => Math.cos(QUERY[i] + position * speed - KEY[i] - key * speed)));

// Return the score of two words, before any bias. The key is the word's vector, read from its end.
const wordScore = (query, key) => dotProduct(wordVector(query), wordVector(key).reverse()) / Math.sqrt(WIDTH);

// Return score, bias and share of each word that the word at a position sees. The bias is −slope · offset.
export function biasedShares(words, position, slope) {
  const visible = words.slice(0, position + 1),
    scores = visible.map((word) => wordScore(words[position], word)),
    biases = visible.map((_, k) => -slope * (position - k));
  return { scores, biases, shares: softmax(scores.map((score, k) => score + biases[k])) };
}

// --- Longer texts, layers and lengths ---

// Return for each clock the largest angle that it had in texts of `trained` words, its angle now, and whether the hand
// points where it never did in training.
export const stretchedAngles = (position, factor, trained) =>
  SPEEDS.map((speed) => {
    const reached = Math.min(TURN, (trained - 1) * speed),
      angle = (position / factor) * speed;
    return { reached, angle, isNew: angle % TURN > reached + 1e-9 };
  });

export const LAYERS = 4;
// Return whether a layer rotates its queries and keys.
export const isTurning = (layer) => layer < LAYERS - 1;

// Return the shares that the word at a position gives to the words up to it in a layer. A layer that turns compares
// offsets, and layer n looks n + 1 words back. The last layer compares the words' vectors.
export function layerShares(words, position, layer) {
  const scores = words.slice(0, position + 1).map((word, k) => {
    if (isTurning(layer)) return rowProduct(position - k - layer - 1);
    return dotProduct(wordVector(words[position]), wordVector(word)) / Math.sqrt(WIDTH);
  });
  return softmax(scores);
}

const LEAD = 6; // how much higher the score of the word is that attention looks for
export const SHORTEST = 9;

// Return the shares of this word and of each other word in a text. With `grows`, scores are multiplied by
// log length / log 9.
export function lengthShares(length, grows) {
  const lead = LEAD * (grows ? Math.log(length) / Math.log(SHORTEST) : 1),
    others = (length - 1) * Math.exp(-lead);
  return { sought: 1 / (1 + others), other: Math.exp(-lead) / (1 + others) };
}
