// Where positions come into the toy Transformer: the six schemes of pe_lib/course/model/schemes.py.
import { encodeTable, frequency } from "../maths.mjs";

export const SCHEMES = ["none", "sinusoidal", "learned", "rotary", "alibi", "relative"];

// What a scheme learns, by name: [rows, columns, size of the numbers at the start]
export function learnedPlaces({ scheme, dModel, heads, maxLength }) {
  if (scheme === "learned") return { positions: [maxLength, dModel, Math.SQRT1_2] };
  if (scheme === "relative") return { offsets: [heads, 2 * maxLength - 1, 0] };
  return {};
}

// Slope h = 1 … heads is 2^(−8h / heads); our heads are a power of two
export const alibiSlope = (head, heads) => 2 ** ((-8 * (head + 1)) / heads);

// What a scheme needs for sequences of one length, made once: `added` to the words, (length, dModel);
// `cosines` and `sines` that turn queries and keys, (length, width / 2); `bias` on the scores,
// (heads, length, length). What is not there is left out.
export function places(model, length) {
  const { scheme, dModel, heads } = model;
  if (scheme === "sinusoidal") return { added: encodeTable(length, dModel, 10_000) };
  if (scheme === "learned") return { added: model.weights.positions.data };
  if (scheme === "rotary") {
    const pairs = dModel / heads / 2,
      cosines = new Float64Array(length * pairs),
      sines = cosines.slice();
    for (let k = 0; k < cosines.length; k++) {
      const angle = Math.floor(k / pairs) * frequency(k % pairs, 2 * pairs, 10_000);
      cosines[k] = Math.cos(angle);
      sines[k] = Math.sin(angle);
    }
    return { cosines, sines };
  }
  if (scheme === "none") return {};
  const found = { bias: new Float64Array(heads * length * length) };
  refreshBias(model, found, length);
  return found;
}

// The column of a learned number for key at s and query at t
const column = (t, s, maxLength) => Math.max(1 - maxLength, Math.min(s - t, maxLength - 1)) + maxLength - 1;

// The numbers on the scores, as they have been learned so far
export function refreshBias({ scheme, heads, maxLength, weights }, { bias }, length) {
  const size = 2 * maxLength - 1;
  for (let h = 0, k = 0; h < heads; h++)
    for (let t = 0; t < length; t++)
      for (let s = 0; s < length; s++, k++)
        bias[k] =
          scheme === "alibi"
            ? -alibiSlope(h, heads) * Math.abs(t - s)
            : weights.offsets.data[h * size + column(t, s, maxLength)];
}

// Pair i of each head at position t turns by ω_i t, counter-clockwise; `back` is the way of the
// gradient, which turns the other way. x is (batch · length, dModel).
export function turn(x, { cosines, sines }, rows, length, dModel, heads, back = false) {
  const pairs = dModel / heads / 2,
    way = back ? -1 : 1;
  for (let row = 0; row < rows; row++) {
    const at = (row % length) * pairs;
    for (let k = row * dModel, i = 0; i < dModel / 2; i++, k += 2) {
      const c = cosines[at + (i % pairs)],
        s = way * sines[at + (i % pairs)],
        a = x[k],
        b = x[k + 1];
      x[k] = a * c - b * s;
      x[k + 1] = a * s + b * c;
    }
  }
}

// The gradients of what a scheme learns: a row of the table was added in every sequence, a number
// stands in every score with its offset, and each gets the sum of what they ask for.
export function backToPlaces({ scheme, heads, maxLength, gradients }, { rows, length, dX, dScores }, dModel) {
  if (scheme === "learned") {
    const d = gradients.positions.data.fill(0);
    for (let row = 0, k = 0; row < rows; row++)
      for (let c = 0, at = (row % length) * dModel; c < dModel; c++, k++) d[at + c] += dX.data[k];
  }
  if (scheme === "relative") {
    const d = gradients.offsets.data.fill(0),
      size = 2 * maxLength - 1;
    for (let h = 0, k = 0; h < heads; h++)
      for (let t = 0; t < length; t++)
        for (let s = 0; s < length; s++, k++) d[h * size + column(t, s, maxLength)] += dScores[k];
  }
}

// Of two positions, what the scheme itself says before any word is read, from −1 to 1: the cosine of
// the two vectors added, or of one vector turned to both; or the number on the scores of a head, by
// the largest of all. Without positions all are the same.
export function likeness(model, space, head) {
  const { dModel, heads } = model,
    { length, where } = space,
    map = new Float64Array(length * length);
  const { added, cosines, sines, bias } = where,
    dot = (t, s) => {
      let sum = 0;
      for (let c = 0; c < dModel; c++) sum += added[t * dModel + c] * added[s * dModel + c];
      return sum;
    };
  const pairs = dModel / heads / 2,
    most = bias?.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
  for (let t = 0, k = 0; t < length; t++)
    for (let s = 0; s < length; s++, k++) {
      map[k] = added
        ? dot(t, s) / Math.sqrt(dot(t, t) * dot(s, s))
        : bias
          ? bias[head * length * length + k] / most
          : 1;
      if (!cosines) continue;
      map[k] = 0;
      for (let i = 0; i < pairs; i++)
        map[k] +=
          (cosines[t * pairs + i] * cosines[s * pairs + i] + sines[t * pairs + i] * sines[s * pairs + i]) / pairs;
    }
  return map;
}
