// Real mistakes to try the doctor on, made by hand: what somebody has, and what the code did.
import { allRounded } from "./formats.mjs";

const made = (rows, columns, f) => ({
  shape: [rows, columns],
  rows,
  data: Float64Array.from({ length: rows * columns }, (_, k) => f(Math.floor(k / columns), k % columns)),
});
const single = (x) => ({ ...x, data: allRounded(x.data, "float32") });
const speed = (pair, width, base = 1e4) => base ** ((-2 * pair) / width);
const wave = (j, angle) => (j % 2 ? Math.cos(angle) : Math.sin(angle));
const pairOf = (j) => Math.floor(j / 2);
const list = (n, f) => ({ shape: [n], rows: n, data: Float64Array.from({ length: n }, (_, i) => f(i)) });

// Numbers that look as drawn at random, and are the same each time
function noise(rows, columns) {
  let state = 1;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return made(rows, columns, () => 0.02 * Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()));
}

const cache = (rows, width, place) =>
  [Math.cos, Math.sin].map((f) => single(made(rows, width, (t, j) => f(place(t) * speed(j % (width / 2), width)))));
const table = (place, exponent = (j) => (2 * pairOf(j)) / 32) =>
  single(made(64, 32, (t, j) => wave(j, place(t) * 1e4 ** -exponent(j))));

/** @type {[name: string, make: () => Given[]][]} */
export const SAMPLES = [
  [
    "Homework: a loop in steps of two, and twice i in the exponent",
    () => [
      table(
        (t) => t,
        (j) => (4 * pairOf(j)) / 32,
      ),
    ],
  ],
  [
    "Homework: the 2 of 2i forgotten",
    () => [
      table(
        (t) => t,
        (j) => pairOf(j) / 32,
      ),
    ],
  ],
  [
    "Homework: each dimension with a frequency of its own",
    () => [
      table(
        (t) => t,
        (j) => j / 32,
      ),
    ],
  ],
  ["A table counted from 1", () => [table((t) => t + 1)]],
  ["An encoding added twice", () => [made(64, 32, (t, j) => 2 * wave(j, t * speed(pairOf(j), 32)))]],
  [
    "A converted model: cosines in halves, sines in twos",
    () => {
      const [cos] = cache(128, 64, (t) => t);
      return [
        { ...cos, name: "cos" },
        { ...single(made(128, 64, (t, j) => Math.sin(t * speed(pairOf(j), 64)))), name: "sin" },
      ];
    },
  ],
  [
    "Llama 3.1 loaded with base 10,000, beside its configuration",
    () => [
      { ...single(list(64, (i) => speed(i, 128))), name: "inv_freq" },
      {
        name: "config.json",
        config: {
          model_type: "llama",
          hidden_size: 4096,
          num_attention_heads: 32,
          max_position_embeddings: 131072,
          rope_theta: 500000,
          rope_scaling: {
            rope_type: "llama3",
            factor: 8,
            low_freq_factor: 1,
            high_freq_factor: 4,
            original_max_position_embeddings: 8192,
          },
        },
      },
    ],
  ],
  [
    "A model cast to bfloat16, frequencies and all",
    () => [{ ...list(64, (i) => speed(i, 128)), data: allRounded(list(64, (i) => speed(i, 128)).data, "bfloat16") }],
  ],
  [
    "A cache whose angles were float16",
    () => {
      const half = (x) => allRounded([x], "float16")[0];
      return [Math.cos, Math.sin].map((f, k) => ({
        ...made(1024, 32, (t, i) => half(f(half(half(t) * half(speed(i, 64)))))),
        name: ["cos", "sin"][k],
      }));
    },
  ],
  [
    "A buffer longer than it was filled",
    () => {
      const filled = table((t) => t);
      filled.data.fill(0, 48 * 32);
      return [filled];
    },
  ],
  ["Positions clamped at the 48th", () => [table((t) => Math.min(t, 47))]],
  ["ALiBi for 12 heads, by the paper's one formula", () => [list(12, (h) => 2 ** ((-8 * (h + 1)) / 12))]],
  [
    "BERT's kind of table, stretched from 32 rows to 96",
    () => {
      const small = noise(32, 48),
        at = (t) => (t * 31) / 95;
      return [
        made(96, 48, (t, j) => {
          const k = Math.min(30, Math.floor(at(t))),
            share = at(t) - k;
          return small.data[k * 48 + j] * (1 - share) + small.data[(k + 1) * 48 + j] * share;
        }),
      ];
    },
  ],
  [
    "A healthy one: YaRN by 4, of 4,096 positions",
    () => [
      single(
        list(64, (i) => {
          const pair = (turns) => (64 * Math.log(4096 / (2 * Math.PI * turns))) / Math.log(1e4);
          const low = Math.floor(pair(32)),
            high = Math.ceil(pair(1)),
            g = Math.min(Math.max((i - low) / (high - low), 0), 1);
          return speed(i, 128) * (1 - g + g / 4);
        }),
      ),
    ],
  ],
];
