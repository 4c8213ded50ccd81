// The Transformer of pe_lib/course/model/transformer.py in flat arrays: forward pass and gradients.
// Each layer adds to the stream x what attention makes of it, and then what the MLP makes of it:
//   x = x + Attention(norm(x))        x = x + MLP(norm(x))
// A gradient is called dX: the derivative of the loss by each number of x. Rows are positions of
// sequences, one sequence after the other.
import { attend, attendBack, softmaxRow } from "./attending.mjs";
import { backToPlaces, learnedPlaces, places, refreshBias, turn } from "./places.mjs";
import { matrix, product, transposed } from "./product.mjs";
import { normal } from "./random.mjs";

// Weights and gradients lie in one array each, so that Adam is one loop; by name they are matrices
export function transformer(settings) {
  const model = { dModel: 32, heads: 2, layers: 1, causal: false, pooled: false, maxLength: 64, ...settings };
  const { vocabulary, classes, dModel: d, layers } = model;
  const shapes = { embedding: [vocabulary, d, 1] }; // rows, columns, size at the start
  for (let n = 0; n < layers; n++) {
    for (const name of ["query", "key", "value", "output"]) shapes[name + n] = [d, d, d ** -0.5];
    Object.assign(shapes, {
      [`up${n}`]: [d, 2 * d, d ** -0.5],
      [`threshold${n}`]: [1, 2 * d, 0],
      [`down${n}`]: [2 * d, d, (2 * d) ** -0.5],
    });
  }
  Object.assign(shapes, { unembedding: [d, classes, d ** -0.5] }, learnedPlaces(model));
  const count = Object.values(shapes).reduce((sum, [rows, columns]) => sum + rows * columns, 0);
  Object.assign(model, {
    shapes,
    values: new Float64Array(count),
    slopes: new Float64Array(count),
    weights: {},
    gradients: {},
  });
  let start = 0;
  for (const [name, [rows, columns]] of Object.entries(shapes)) {
    const end = start + rows * columns;
    model.weights[name] = matrix(rows, columns, model.values.subarray(start, end));
    model.gradients[name] = matrix(rows, columns, model.slopes.subarray(start, end));
    start = end;
  }
  return model;
}

export function randomize({ shapes, weights }, random) {
  for (const [name, [, , size]] of Object.entries(shapes))
    if (size)
      weights[name].data.forEach((_, k, all) => {
        all[k] = size * normal(random);
      });
}

// Room for one batch: whatever a step writes is made here, once
export function room(model, batch, length) {
  const { dModel: d, heads, classes, pooled } = model,
    rows = batch * length,
    answers = pooled ? batch : rows;
  const wide = () => matrix(rows, d),
    square = () => new Float64Array(batch * heads * length * length);
  const layer = () => ({
    u: wide(),
    scale: new Float64Array(rows),
    q: wide(),
    k: wide(),
    v: wide(),
    weights: square(),
    o: wide(),
    m: wide(),
    mlpScale: new Float64Array(rows),
    g: matrix(rows, 2 * d),
  });
  const f = wide();
  return {
    batch,
    length,
    rows,
    answers,
    layers: Array.from({ length: model.layers }, layer),
    where: places(model, length),
    tokens: new Int32Array(rows),
    targets: new Int32Array(answers),
    x: wide(),
    f,
    scale: new Float64Array(rows),
    z: pooled ? matrix(batch, d) : f,
    logits: matrix(answers, classes),
    dLogits: matrix(answers, classes),
    dX: wide(),
    dZ: matrix(answers, d),
    dF: wide(),
    dU: wide(),
    dQ: wide(),
    dK: wide(),
    dV: wide(),
    dO: wide(),
    dG: matrix(rows, 2 * d),
    dWeights: matrix(length, length),
    dScores: new Float64Array(heads * length * length),
  };
}

// The logits of `space.tokens`, in `space.logits`. Whoever wants to see the stream, (rows, dModel), is
// shown it as it enters and after each layer: to be copied, since the next layer adds to it.
export function forward(model, space, watch = (_stream) => {}) {
  const { weights: w, dModel: d, heads } = model,
    { rows, length, tokens, where, x } = space;
  if (where.bias && w.offsets) refreshBias(model, where, length);
  for (let row = 0, k = 0; row < rows; row++)
    for (let c = 0, e = tokens[row] * d, p = (row % length) * d; c < d; c++, k++)
      x.data[k] = w.embedding.data[e + c] + (where.added ? where.added[p + c] : 0);
  watch(x.data);
  space.layers.forEach((layer, n) => {
    norm(x, layer.u, layer.scale, rows, d);
    for (const [name, out] of [
      ["query", layer.q],
      ["key", layer.k],
      ["value", layer.v],
    ])
      product(out, layer.u, w[name + n], rows, d, d);
    if (where.cosines) for (const { data } of [layer.q, layer.k]) turn(data, where, rows, length, d, heads);
    attend(model, space, layer);
    product(x, layer.o, w[`output${n}`], rows, d, d, true);
    norm(x, layer.m, layer.mlpScale, rows, d);
    product(layer.g, layer.m, w[`up${n}`], rows, d, 2 * d);
    const g = layer.g.data,
      threshold = w[`threshold${n}`].data;
    for (let k = 0; k < g.length; ) for (let c = 0; c < 2 * d; c++, k++) g[k] = Math.max(g[k] + threshold[c], 0);
    product(x, layer.g, w[`down${n}`], rows, 2 * d, d, true);
    watch(x.data);
  });
  norm(x, space.f, space.scale, rows, d);
  if (model.pooled) {
    const z = space.z.data.fill(0),
      f = space.f.data;
    for (let row = 0, k = 0; row < rows; row++)
      for (let c = 0, at = Math.floor(row / length) * d; c < d; c++, k++) z[at + c] += f[k] / length;
  }
  product(space.logits, space.z, w.unembedding, space.answers, d, model.classes);
}

// The mean cross-entropy in nats; its gradient by the logits, (softmax(z) − onehot(y)) / count, stays
// in `space.dLogits`. A target of −1 does not count.
export function loss({ classes }, { logits, dLogits, targets, answers }) {
  const z = logits.data,
    d = dLogits.data;
  let sum = 0,
    count = 0;
  for (let row = 0; row < answers; row++) if (targets[row] >= 0) count++;
  for (let row = 0, k = 0; row < answers; row++, k += classes) {
    const y = targets[row];
    softmaxRow(z, d, k, classes, classes);
    if (y >= 0) sum -= Math.log(d[k + y]);
    for (let c = 0; c < classes; c++) d[k + c] = y < 0 ? 0 : (d[k + c] - Number(c === y)) / count;
  }
  return sum / count;
}

// The gradients of all weights, after `forward` and `loss`
export function backward(model, space) {
  const { weights: w, gradients, dModel: d, heads, classes } = model;
  const { rows, length, where, dX, dU, dG } = space;
  // left = entered W, so dW = enteredᵀ dLeft, and dEntered = dLeft Wᵀ
  const through = (name, entered, dLeft, dEntered, count, inner, columns, add = false) => {
    product(gradients[name], transposed(entered), dLeft, inner, count, columns);
    product(dEntered, dLeft, transposed(w[name]), count, columns, inner, add);
  };
  through("unembedding", space.z, space.dLogits, space.dZ, space.answers, d, classes);
  let dF = space.dZ;
  if (model.pooled) {
    // the mean hands each position its share
    const from = space.dZ.data,
      to = (dF = space.dF).data;
    for (let row = 0, k = 0; row < rows; row++)
      for (let c = 0, at = Math.floor(row / length) * d; c < d; c++, k++) to[k] = from[at + c] / length;
  }
  dX.data.fill(0);
  space.dScores.fill(0);
  normBack(dF, space.f, space.scale, dX, rows, d);
  for (let n = model.layers - 1; n >= 0; n--) {
    const layer = space.layers[n],
      g = layer.g.data,
      dThreshold = gradients[`threshold${n}`].data.fill(0);
    through(`down${n}`, layer.g, dX, dG, rows, 2 * d, d);
    for (let k = 0; k < g.length; )
      for (let c = 0; c < 2 * d; c++, k++) {
        if (g[k] === 0) dG.data[k] = 0; // max(·, 0)
        dThreshold[c] += dG.data[k];
      }
    through(`up${n}`, layer.m, dG, dU, rows, d, 2 * d);
    normBack(dU, layer.m, layer.mlpScale, dX, rows, d);
    through(`output${n}`, layer.o, dX, space.dO, rows, d, d);
    attendBack(model, space, layer);
    if (where.cosines) for (const { data } of [space.dQ, space.dK]) turn(data, where, rows, length, d, heads, true);
    through(`query${n}`, layer.u, space.dQ, dU, rows, d, d);
    through(`key${n}`, layer.u, space.dK, dU, rows, d, d, true);
    through(`value${n}`, layer.u, space.dV, dU, rows, d, d, true);
    normBack(dU, layer.u, layer.scale, dX, rows, d);
  }
  const e = gradients.embedding.data.fill(0);
  for (let row = 0, k = 0; row < rows; row++)
    for (let c = 0, start = space.tokens[row] * d; c < d; c++, k++) e[start + c] += dX.data[k];
  backToPlaces(model, space, d);
}

// y = x / rms(x), row by row; scale = 1 / rms(x). A millionth keeps it finite for a row of zeros.
function norm(x, y, scale, rows, d) {
  for (let row = 0, k = 0; row < rows; row++, k += d) {
    let sum = 0;
    for (let c = k; c < k + d; c++) sum += x.data[c] * x.data[c];
    scale[row] = 1 / Math.sqrt(sum / d + 1e-6);
    for (let c = k; c < k + d; c++) y.data[c] = x.data[c] * scale[row];
  }
}

// dX = dX + (dY − y · mean(y dY)) / rms(x): the second part is what the change of the rms takes away
function normBack(dY, y, scale, dX, rows, d) {
  for (let row = 0, k = 0; row < rows; row++, k += d) {
    let sum = 0;
    for (let c = k; c < k + d; c++) sum += y.data[c] * dY.data[c];
    for (let c = k; c < k + d; c++) dX.data[c] += scale[row] * (dY.data[c] - (y.data[c] * sum) / d);
  }
}
