// The attention of the toy Transformer, forward and back, head by head.
import { matrix, product, transposed, windowed } from "./product.mjs";

// Powers of e that sum to 1, of `seen` numbers from `start` on; what follows them up to `length` is 0
export function softmaxRow(from, to, start, seen, length) {
  let most = -Infinity,
    sum = 0;
  for (let k = start; k < start + seen; k++) if (from[k] > most) most = from[k];
  for (let k = start; k < start + seen; k++) sum += to[k] = Math.exp(from[k] - most);
  for (let k = start; k < start + seen; k++) to[k] /= sum;
  for (let k = start + seen; k < start + length; k++) to[k] = 0;
}

// Calls `act(h, b)` for each head of each sequence, after `views` were moved there: columns of the
// head in the rows of the sequence; and `square`, the scores or weights of that head
function eachHead({ dModel, heads }, { batch, length }, views, square, act) {
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++) {
      for (const view of views) view.start = b * length * dModel + (h * dModel) / heads;
      square.start = (b * heads + h) * length * length;
      act(h);
    }
}

// o = softmax(q kᵀ / √width + bias) v; under a causal mask row t sees the keys 0 to t
export function attend(model, space, layer) {
  const {
      length,
      where: { bias },
    } = space,
    width = model.dModel / model.heads,
    root = Math.sqrt(width);
  const q = windowed(layer.q),
    k = transposed(layer.k),
    v = windowed(layer.v),
    o = windowed(layer.o);
  const scores = matrix(length, length, layer.weights),
    all = layer.weights;
  eachHead(model, space, [q, k, v, o], scores, (h) => {
    product(scores, q, k, length, width, length);
    for (let t = 0, at = scores.start, own = h * length * length; t < length; t++, at += length, own += length) {
      for (let s = 0; s < length; s++) all[at + s] = all[at + s] / root + (bias ? bias[own + s] : 0);
      softmaxRow(all, all, at, model.causal ? t + 1 : length, length);
    }
    product(o, scores, v, length, length, width);
  });
}

// From `space.dO` the gradients `dQ`, `dK` and `dV`; those of the scores are added to `dScores`
export function attendBack(model, space, layer) {
  const { length, dScores, dWeights } = space,
    width = model.dModel / model.heads,
    root = Math.sqrt(width);
  const q = windowed(layer.q),
    k = windowed(layer.k),
    v = transposed(layer.v),
    dO = windowed(space.dO);
  const dQ = windowed(space.dQ),
    dK = windowed(space.dK),
    dV = windowed(space.dV);
  const weights = matrix(length, length, layer.weights),
    all = layer.weights,
    d = dWeights.data;
  const turned = transposed(weights),
    dTurned = transposed(dWeights);
  eachHead(model, space, [q, k, v, dO, dQ, dK, dV], weights, (h) => {
    turned.start = weights.start;
    product(dV, turned, dO, length, length, width); // o = weights v
    product(dWeights, dO, v, length, width, length);
    // softmax, row by row: dScore = weight · (dWeight − Σ weight · dWeight)
    for (let t = 0, k = 0, own = h * length * length; t < length; t++, own += length) {
      let sum = 0;
      for (let s = 0, at = weights.start + k; s < length; s++) sum += all[at + s] * d[k + s];
      for (let s = 0; s < length; s++, k++) {
        const dScore = all[weights.start + k] * (d[k] - sum);
        dScores[own + s] += dScore;
        d[k] = dScore / root; // scores = q kᵀ / √width + bias
      }
    }
    product(dQ, dWeights, k, length, length, width);
    product(dK, dTurned, q, length, length, width);
  });
}
