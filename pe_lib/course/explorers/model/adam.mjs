// Adam of Kingma and Ba (2015), algorithm 1, as in pe_lib/course/model/training.py: β is 0.9 and 0.98.

// One step, the first being step 1; changes `values`, `mean` and `square` in place
export function adam(values, slopes, mean, square, step, rate) {
  // both start at zero and are too small by 1 − βˢᵗᵉᵖ
  const first = 1 - 0.9 ** step,
    second = 1 - 0.98 ** step;
  for (let k = 0; k < values.length; k++) {
    mean[k] += (1 - 0.9) * (slopes[k] - mean[k]);
    square[k] += (1 - 0.98) * (slopes[k] * slopes[k] - square[k]);
    values[k] -= (rate * (mean[k] / first)) / (Math.sqrt(square[k] / second) + 1e-8);
  }
}
