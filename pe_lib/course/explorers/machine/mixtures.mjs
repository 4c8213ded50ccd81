// Computes what attention makes of words: their vectors, the mixtures of these, and how far a mixture changes.
import { attendRows, range, scramble } from "../maths.mjs";
import { largestChanges } from "../words.mjs";
import { encodePositions, PAIRS } from "./picture.mjs";

const SIZE = 1.6, // the largest number in a word’s vector
  TOLERANCE = 0.25; // how far a number that was read may be off

// Return a number that depends on a word's letters, but not on their case.
const hashWord = (word) =>
  [...word.toLowerCase()].reduce((hash, letter) => (Math.imul(hash, 31) + letter.codePointAt(0)) >>> 0, 7);

// Return the vector of a word. Nobody trained it: it consists of fixed pseudo-random numbers for these letters.
export const wordVector = (word) => Array.from(scramble(2 * PAIRS, hashWord(word)), (x) => SIZE * x);

// Return the mixture of each word, in the order of the words, when the word `order[k]` stands at position k.
// Queries, keys and values are the vectors themselves, so outputs are softmax(X Xᵀ / √d) X.
// With `clocks`, the numbers of each position's clocks are added to the word that stands there.
export function mixtures(words, order, clocks) {
  const rows = encodePositions(words.length);
  const vectors = words.map((word, k) => {
    const row = rows[order.indexOf(k)];
    return wordVector(word).map((v, c) => v + (clocks ? row[c] : 0));
  });
  return attendRows(vectors).outputs;
}

// Return the largest change of a number in each word's mixture since the words stood in their first order.
export function mixtureChanges(words, order, clocks) {
  const first = words.map((_, k) => k);
  return largestChanges(mixtures(words, order, clocks), mixtures(words, first, clocks));
}

// Return the order after the words at two positions change places.
export function swapWords(order, a, b) {
  const next = [...order];
  [next[a], next[b]] = [order[b], order[a]];
  return next;
}

// Return the positions whose numbers agree with those of a position, to within a quarter in each number.
// Of each pair the sine is read, and the cosine as well if `cosine` is true.
export function fittingPositions(count, position, pairs, cosine) {
  const rows = encodePositions(count),
    own = rows[position];
  const agrees = (row) => range(2 * pairs).every((c) => (!cosine && c % 2) || Math.abs(row[c] - own[c]) < TOLERANCE);
  return range(count).filter((k) => agrees(rows[k]));
}
