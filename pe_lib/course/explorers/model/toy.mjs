// Implements the Transformer of pe_lib/course/model/transformer.py in flat arrays: forward pass, loss and gradients.
// Each layer adds the result of its attention to the stream x, and then the result of its MLP:
//   x = x + Attention(norm(x))        x = x + MLP(norm(x))
// The gradient dX is the derivative of the loss with respect to each number of x.
// The rows are the positions of sequences, with one sequence after another.
import { encodeTable } from "../maths.mjs";
import { matrix, part, product, transposed } from "./product.mjs";

// Returns a Transformer that keeps its weights in one array and its gradients in another, so Adam is a single loop.
// The positions that are added to the words are nothing, sinusoids, or the rows of a learned table.
export function transformer(settings) {
  const model = { dModel: 32, heads: 2, layers: 1, causal: false, maxLength: 64, ...settings };
  const { vocabulary, classes, dModel: d, layers, maxLength } = model;
  const shapes = { embedding: [vocabulary, d, 1] }; // rows, columns, initial size
  for (let n = 0; n < layers; n++) {
    for (const name of ["query", "key", "value", "output"]) shapes[name + n] = [d, d, d ** -0.5];
    shapes[`up${n}`] = [d, 2 * d, d ** -0.5];
    shapes[`threshold${n}`] = [1, 2 * d, 0];
    shapes[`down${n}`] = [2 * d, d, (2 * d) ** -0.5];
  }
  shapes.unembedding = [d, classes, d ** -0.5];
  if (model.scheme === "learned") shapes.positions = [maxLength, d, Math.SQRT1_2];
  const count = Object.values(shapes).reduce((sum, [rows, columns]) => sum + rows * columns, 0);
  const viewByName = (all) => {
    let start = 0;
    return Object.fromEntries(
      Object.entries(shapes).map(([name, [rows, columns]]) => [
        name,
        matrix(rows, columns, all.subarray(start, (start += rows * columns))),
      ]),
    );
  };
  const [values, slopes] = [new Float64Array(count), new Float64Array(count)];
  return { ...model, shapes, values, slopes, weights: viewByName(values), gradients: viewByName(slopes) };
}

// Returns the rows that are added to the words at each position, as a matrix, or undefined if nothing is added.
export function positions({ scheme, weights, dModel }, length) {
  if (scheme === "sinusoidal") return matrix(length, dModel, encodeTable(length, dModel, 10_000));
  return weights.positions;
}

// Replaces `visible` numbers from `start` on by their softmax, and the following numbers up to `length` by 0.
function softmax(all, start, visible, length) {
  let most = -Infinity,
    sum = 0;
  for (let k = start; k < start + visible; k++) most = Math.max(most, all[k]);
  for (let k = start; k < start + visible; k++) sum += all[k] = Math.exp(all[k] - most);
  for (let k = start; k < start + visible; k++) all[k] /= sum;
  all.fill(0, start + visible, start + length);
}

// Calls `act(view, weights)` for each head of each sequence. `view(m)` is its part of a matrix m, (length, width).
// `weights` are the head's attention weights in the layer, (length, length).
function eachHead({ dModel, heads }, { batch, length }, all, act) {
  const width = dModel / heads,
    size = length * length;
  for (let b = 0; b < batch; b++)
    for (let n = 0; n < heads; n++) {
      const at = (b * heads + n) * size;
      act((m) => part(m, b * length, n * width, length, width), matrix(length, length, all.subarray(at, at + size)));
    }
}

// Computes the `logits` of the batch { batch, length, tokens } and stores them there, with the `layers` for `backward`.
// `watch` is called with the stream, (rows, dModel), before the first layer and after each layer.
// The callback has to copy the stream, because the next layer changes it.
export function forward(model, texts, watch = (_stream) => {}) {
  const { weights: w, dModel: d, heads, layers, causal } = model,
    { batch, length, tokens } = texts,
    added = positions(model, length);
  const x = matrix(batch * length, d);
  tokens.forEach((token, row) => {
    for (let c = 0; c < d; c++)
      x.data[row * d + c] = w.embedding.data[token * d + c] + (added ? added.data[(row % length) * d + c] : 0);
  });
  watch(x.data);
  texts.layers = Array.from({ length: layers }, (_, n) => {
    const u = norm(x),
      [q, k, v] = ["query", "key", "value"].map((name) => product(u.y, w[name + n])),
      o = matrix(x.rows, d),
      weights = new Float64Array(batch * heads * length * length);
    eachHead(model, texts, weights, (of, own) => {
      product(of(q), transposed(of(k)), own);
      for (let t = 0; t < length; t++) {
        for (let s = t * length; s < (t + 1) * length; s++) own.data[s] /= Math.sqrt(d / heads);
        softmax(own.data, t * length, causal ? t + 1 : length, length);
      }
      product(own, of(v), of(o));
    });
    product(o, w[`output${n}`], x, true);
    const m = norm(x),
      g = product(m.y, w[`up${n}`]),
      threshold = w[`threshold${n}`].data;
    for (let i = 0; i < g.data.length; i++) g.data[i] = Math.max(g.data[i] + threshold[i % g.columns], 0);
    product(g, w[`down${n}`], x, true);
    watch(x.data);
    return { u, q, k, v, o, weights, m, g };
  });
  texts.last = norm(x);
  texts.logits = product(texts.last.y, w.unembedding);
}

// Returns the mean cross-entropy in nats. Targets of −1 do not count.
// Replaces the logits z by the gradient of the loss, (softmax(z) − onehot(y)) / count.
export function loss({ classes }, { logits: { data: z }, targets }) {
  const count = targets.reduce((sum, y) => sum + Number(y >= 0), 0);
  let sum = 0;
  targets.forEach((y, row) => {
    const at = row * classes;
    softmax(z, at, classes, classes);
    if (y >= 0) sum -= Math.log(z[at + y]);
    for (let c = 0; c < classes; c++) z[at + c] = y < 0 ? 0 : (z[at + c] - Number(c === y)) / count;
  });
  return sum / count;
}

// Computes the gradients of all weights, after `forward` and `loss` were called.
export function backward(model, texts) {
  const { weights: w, gradients, dModel: d, heads } = model,
    { length, tokens, layers, last, logits } = texts,
    dX = matrix(tokens.length, d);
  // output = input W, so dW = inputᵀ dOutput, and dInput = dOutput Wᵀ
  const through = (name, input, dOutput, dInput) => {
    product(transposed(input), dOutput, gradients[name]);
    return product(dOutput, transposed(w[name]), dInput, Boolean(dInput));
  };
  normBack(through("unembedding", last.y, logits), last, dX);
  for (let n = layers.length - 1; n >= 0; n--) {
    const { u, q, k, v, o, weights, m, g } = layers[n],
      dG = through(`down${n}`, g, dX),
      dThreshold = gradients[`threshold${n}`].data.fill(0);
    for (let i = 0; i < dG.data.length; i++) {
      if (g.data[i] === 0) dG.data[i] = 0; // max(·, 0)
      dThreshold[i % dG.columns] += dG.data[i];
    }
    normBack(through(`up${n}`, m.y, dG), m, dX);
    const dO = through(`output${n}`, o, dX),
      [dQ, dK, dV] = [q, k, v].map(({ rows, columns }) => matrix(rows, columns));
    eachHead(model, texts, weights, (of, own) => {
      product(transposed(own), of(dO), of(dV)); // o = weights v
      const dScores = product(of(dO), transposed(of(v)));
      // The softmax, row by row: dScore = weight · (dWeight − Σ weight · dWeight), where scores = q kᵀ / √width
      for (let t = 0; t < length; t++) {
        const [start, end] = [t * length, (t + 1) * length];
        let sum = 0;
        for (let s = start; s < end; s++) sum += own.data[s] * dScores.data[s];
        for (let s = start; s < end; s++)
          dScores.data[s] = (own.data[s] * (dScores.data[s] - sum)) / Math.sqrt(d / heads);
      }
      product(dScores, of(k), of(dQ));
      product(transposed(dScores), of(q), of(dK));
    });
    const dU = through(`query${n}`, u.y, dQ);
    through(`key${n}`, u.y, dK, dU);
    normBack(through(`value${n}`, u.y, dV, dU), u, dX);
  }
  // A word's vector was added at each of its places, and a position's vector in every sequence.
  // Therefore their gradients are sums over these places and sequences.
  gradients.embedding.data.fill(0);
  gradients.positions?.data.fill(0);
  tokens.forEach((token, row) => {
    for (let c = 0; c < d; c++) {
      gradients.embedding.data[token * d + c] += dX.data[row * d + c];
      if (gradients.positions) gradients.positions.data[(row % length) * d + c] += dX.data[row * d + c];
    }
  });
}

// y = x / rms(x), row by row, and scale = 1 / rms(x). Adding a millionth keeps the result finite for a row of zeros.
function norm({ data, rows, columns }) {
  const y = matrix(rows, columns),
    scale = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const [start, end] = [row * columns, (row + 1) * columns];
    let sum = 0;
    for (let k = start; k < end; k++) sum += data[k] * data[k];
    scale[row] = 1 / Math.sqrt(sum / columns + 1e-6);
    for (let k = start; k < end; k++) y.data[k] = data[k] * scale[row];
  }
  return { y, scale };
}

// dX = dX + (dY − y · mean(y dY)) / rms(x), where the second term comes from the change of rms(x)
function normBack({ data: dY }, { y: { data: y, rows, columns }, scale }, dX) {
  for (let row = 0; row < rows; row++) {
    const [start, end] = [row * columns, (row + 1) * columns];
    let sum = 0;
    for (let k = start; k < end; k++) sum += y[k] * dY[k];
    for (let k = start; k < end; k++) dX.data[k] += scale[row] * (dY[k] - (y[k] * sum) / columns);
  }
}
