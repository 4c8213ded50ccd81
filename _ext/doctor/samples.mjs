// Real mistakes to try the doctor on, made by hand: what somebody has, and what the code did.
import { allRounded } from "./formats.mjs";

const filled = (shape, f) => {
  const length = shape.reduce((a, b) => a * b),
    columns = shape.at(-1);
  return {
    shape,
    rows: shape[0],
    data: Float64Array.from({ length }, (_, k) => f(Math.floor(k / columns), k % columns)),
  };
};
const matrix = (rows, columns, f) => filled([rows, columns], f);
const list = (n, f) => filled([n], (_, i) => f(i));
const kept = (x, form = "float32") => ({ ...x, data: allRounded(x.data, form) });

const speed = (pair, width, base = 1e4) => base ** ((-2 * pair) / width);
const wave = (j, angle) => (j % 2 ? Math.cos(angle) : Math.sin(angle));
const own = (t) => t;
// A table of 64 rows, 32 wide; entry j turns by 10,000^-exponent(j), row t stands at place(t)
const table = (place, exponent = (j) => (2 * (j >> 1)) / 32) =>
  kept(matrix(64, 32, (t, j) => wave(j, place(t) * 1e4 ** -exponent(j))));

// Numbers that look as drawn at random, and are the same each time
function noise(rows, columns) {
  let state = 1;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return matrix(rows, columns, () => 0.02 * Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()));
}

function mixed() {
  const cos = matrix(128, 64, (t, j) => Math.cos(t * speed(j % 32, 64)));
  const sin = matrix(128, 64, (t, j) => Math.sin(t * speed(j >> 1, 64)));
  return [
    { ...kept(cos), name: "cos" },
    { ...kept(sin), name: "sin" },
  ];
}

function halfAngles() {
  const half = (x) => allRounded([x], "float16")[0];
  const angle = (t, i) => half(half(t) * half(speed(i, 64)));
  return ["cos", "sin"].map((name) => ({ ...matrix(1024, 32, (t, i) => half(Math[name](angle(t, i)))), name }));
}

function emptied() {
  const x = table(own);
  x.data.fill(0, 48 * 32);
  return [x];
}

function stretched() {
  const small = noise(32, 48).data;
  return [
    matrix(96, 48, (t, j) => {
      const at = (t * 31) / 95,
        k = Math.min(30, Math.floor(at));
      return small[k * 48 + j] * (1 - at + k) + small[(k + 1) * 48 + j] * (at - k);
    }),
  ];
}

function yarn() {
  const pair = (turns) => (64 * Math.log(4096 / (2 * Math.PI * turns))) / Math.log(1e4);
  const [low, high] = [Math.floor(pair(32)), Math.ceil(pair(1))];
  const divided = (i) => Math.min(Math.max((i - low) / (high - low), 0), 1);
  return [kept(list(64, (i) => speed(i, 128) * (1 - 0.75 * divided(i))))];
}

const LLAMA = {
  model_type: "llama",
  hidden_size: 4096,
  num_attention_heads: 32,
  num_hidden_layers: 32,
  max_position_embeddings: 131072,
  rope_theta: 500000,
  rope_scaling: {
    rope_type: "llama3",
    factor: 8,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  },
};
const lost = () => [
  { ...kept(list(64, (i) => speed(i, 128))), name: "inv_freq" },
  { name: "config.json", config: LLAMA },
];

/** @type {[name: string, make: () => Given[]][]} */
export const SAMPLES = [
  ["Homework: a loop in steps of two, and twice i in the exponent", () => [table(own, (j) => (4 * (j >> 1)) / 32)]],
  ["Homework: the 2 of 2i forgotten", () => [table(own, (j) => (j >> 1) / 32)]],
  ["Homework: each dimension with a frequency of its own", () => [table(own, (j) => j / 32)]],
  ["A table counted from 1", () => [table((t) => t + 1)]],
  ["An encoding added twice", () => [matrix(64, 32, (t, j) => 2 * wave(j, t * speed(j >> 1, 32)))]],
  ["A converted model: cosines in halves, sines in twos", mixed],
  ["Llama 3.1 loaded with base 10,000, beside its configuration", lost],
  [
    "A model cast to bfloat16, frequencies and all",
    () => [
      kept(
        list(64, (i) => speed(i, 128)),
        "bfloat16",
      ),
    ],
  ],
  ["A cache whose angles were float16", halfAngles],
  ["A buffer longer than it was filled", emptied],
  ["Positions clamped at the 48th", () => [table((t) => Math.min(t, 47))]],
  ["ALiBi for 12 heads, by the paper's one formula", () => [list(12, (h) => 2 ** ((-8 * (h + 1)) / 12))]],
  ["BERT's kind of table, stretched from 32 rows to 96", stretched],
  ["A healthy one: YaRN by 4, of 4,096 positions", yarn],
];
// The case that the page opens with: the base lost, beside the configuration that has it
export const FIRST = SAMPLES.findIndex(([, make]) => make === lost);
