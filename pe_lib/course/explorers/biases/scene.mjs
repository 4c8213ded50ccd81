// What ALiBi and T5 add to the scores by distance, and the attention it leaves the words of a text.
/* global ABOUT */
import { borders, bucket, slopes } from "../distances.mjs";
import { decimals, significant } from "../frame/controls.mjs";
import { stage } from "../frame/stage.mjs";
import { clamp, softmax } from "../maths.mjs";
import { curve, knob, linear } from "../scene/chart.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text, wide } from "../scene/svg.mjs";

const REACH = 150,
  HEADS = 16,
  COST = 0.1, // what T5's example numbers take off for each bucket further out
  DEEPEST = 20; // of what ALiBi takes off, as drawn

// What is added to the score at each of these offsets
export function biases({ scheme, heads, head, buckets, max_distance, causal }, offsets) {
  if (scheme === "alibi") {
    const slope = slopes(heads)[head - 1];
    return offsets.map((k) => -slope * Math.abs(k));
  }
  const side = causal ? buckets : buckets / 2,
    firsts = borders(side, max_distance);
  return offsets.map((k) => -COST * (bucket(k, buckets, causal, firsts) % side));
}

// The weight that the query gives to each word of the text, if all score the same before the bias
export function weights(state) {
  const offsets = state.words.map((_, s) => s - state.query);
  return softmax(biases(state, offsets).map((bias, s) => (state.causal && offsets[s] > 0 ? -Infinity : bias)));
}

// How many words have nine tenths of the attention, the heaviest first
export function nine(weights) {
  let sum = 0;
  return 1 + [...weights].sort((a, b) => b - a).findIndex((w) => (sum += w) >= 0.9 - 1e-12);
}

// Words set in lines: the place of each, {x, y, w}, by their widths
export function lines(widths, space, width, tall) {
  let x = 0,
    y = 0;
  return widths.map((w) => {
    if (x > 0 && x + w > width) [x, y] = [0, y + tall];
    const placed = { x, y, w };
    x += w + space;
    return placed;
  });
}

const alibi = ({ scheme }) => scheme === "alibi";
const most = ({ causal }) => (causal ? 0 : REACH);
const away = (k) => (k === 0 ? "itself" : k < 0 ? `${-k} before` : `${k} after`);
const ask = (s, query) => ({ ...s, query: clamp(query, 0, s.words.length - 1) });
const read = (s, offset) => ({ ...s, offset: clamp(offset, -REACH, most(s)) });
const offset = (s) => Math.min(s.offset, most(s)); // what the mask hides cannot be read
const shown = (s) => Array.from({ length: most(s) + REACH + 1 }, (_, n) => n - REACH);

// Where things stand in a picture of this size: the words in lines, below them the bias by offset
export function layout(s, { w, h: high }) {
  const [size, tall] = w < 500 ? [14, 27] : [16, 37];
  const words = lines(
    s.words.map((word) => wide(word, size)),
    0.62 * size,
    w - 8,
    tall,
  ).map((word) => ({ ...word, x: word.x + 4, y: word.y + 4 }));
  const end = words.at(-1).y + tall,
    [top, foot] = [end + 28, high - 38];
  const deepest = alibi(s) ? DEEPEST : Math.max(1, Math.ceil(-Math.min(...biases(s, shown(s)))));
  return {
    size,
    tall,
    words,
    end,
    top,
    foot,
    left: 34,
    right: w - 12,
    deepest,
    ...linear([-REACH, most(s)], [34, w - 12]),
    down: linear([0, -deepest], [top, foot]).at,
  };
}

// A word with a mark behind it and a bar under it for its weight; the query in full colour
function written(s, at, share) {
  const highest = Math.max(...share),
    { words, size, tall } = at;
  const mark = (x, y, w, high, depth) =>
    h("rect", { class: "f-purple", x, y, width: w, height: high, "fill-opacity": depth.toFixed(2) });
  return s.words.map((word, k) => {
    const { x, y, w } = words[k],
      seen = !s.causal || k <= s.query,
      strong = seen ? share[k] / highest : 0;
    // words with one number have one bar: T5's stairs
    const next = share[k + 1] === share[k] && words[k + 1]?.y === y ? words[k + 1].x - 3 : x + w + 3;
    const asks = k === s.query;
    return h(
      "g",
      {},
      asks ? mark(x - 4, y - 2, w + 8, tall - 1, 1) : mark(x - 3, y, w + 6, size + 6, 0.3 * strong),
      mark(x - 3, y + size + 6, next - x + 3, asks ? 0 : (tall - size - 9) * strong, 1),
      text(x + w / 2, y + size, `mid ${asks ? "f-paper" : seen ? "f-ink" : "f-muted"}`, word, { "font-size": size }),
    );
  });
}

// The bias against the offset as a line, ALiBi's, or as stairs: T5's
function bent(s, at) {
  const offsets = shown(s),
    bias = biases(s, offsets);
  const points = alibi(s)
    ? offsets.map((k, n) => [k, bias[n]])
    : [
        [offsets[0], bias[0]],
        ...offsets.slice(1).flatMap((k, n) =>
          bias[n] === bias[n + 1]
            ? []
            : [
                [k - 0.5, bias[n]],
                [k - 0.5, bias[n + 1]],
              ],
        ),
        [offsets.at(-1), bias.at(-1)],
      ];
  return points.filter(([, v]) => -v <= at.deepest).map(([k, v]) => [at.at(k), at.down(v)]);
}

// Which offsets have the number of this one
function shared(s) {
  const firsts = borders(s.causal ? s.buckets : s.buckets / 2, s.max_distance),
    number = (k) => bucket(k, s.buckets, s.causal, firsts),
    mine = number(offset(s)),
    same = shown(s).filter((k) => number(k) === mine);
  if (same.length === 1) return `offset ${decimals(offset(s), 0)} has bucket ${mine} to itself.`;
  const beyond = [same[0], same.at(-1)].some((k) => Math.abs(k) === REACH);
  const stretch = `${decimals(same[0], 0)} to ${decimals(same.at(-1), 0)}`;
  return `offsets ${stretch}${beyond ? " and beyond" : ""} share bucket ${mine} of ${s.buckets}.`;
}

const near = (s, share) => share.reduce((sum, w, k) => sum + (Math.abs(k - s.query) <= 10 ? w : 0), 0).toFixed(3);

export const scene = {
  kind: "text and curve",
  label:
    "A text in which each word is marked with the attention it gets from the query, and the bias against the " +
    "offset. Left and right arrow move the query, up and down choose a key, Page Up and Page Down by ten.",
  controls: [{ name: "query", label: "query at", min: 0, max: ({ words }) => words.length - 1 }],
  settings: [
    { name: "offset", label: "key", min: -REACH, max: most, text: away },
    { name: "head", label: "shown", min: 1, max: ({ heads }) => heads, text: (n) => `head ${n}`, when: alibi },
    {
      name: "heads",
      label: "heads",
      min: 1,
      max: () => HEADS,
      set: (s, heads) => ({ ...s, heads, head: Math.min(s.head, heads) }),
      when: alibi,
    },
    {
      name: "buckets",
      label: "buckets",
      min: 2,
      max: () => 32,
      value: (n) => 2 * n,
      step: (n) => n / 2,
      when: (s) => !alibi(s),
    },
    {
      name: "max_distance",
      label: "largest",
      min: 5,
      max: () => 64,
      value: (n) => 8 * n,
      step: (n) => n / 8,
      text: (n) => `${n} away`,
      when: (s) => !alibi(s),
    },
    {
      name: "scheme",
      label: "bias of",
      options: [
        ["alibi", "ALiBi"],
        ["t5", "T5"],
      ],
    },
    { name: "causal", label: "causal mask", set: (s, causal) => read({ ...s, causal }, s.offset) },
  ],
  height: (w) => (w < 500 ? 400 : 384),
  draw(s, size) {
    const at = layout(s, size),
      { left, right, top, foot, deepest, down } = at,
      k = offset(s),
      [bias] = biases(s, [k]),
      x = at.at(k),
      key = at.words[s.query + k];
    const ends = (slope) => [-1, 0, s.causal ? 0 : 1].map((side) => side * Math.min(REACH, deepest / slope));
    return h(
      "g",
      {},
      written(s, at, weights(s)),
      key && k
        ? h("rect", { class: "l-ink bar", x: key.x - 4, y: key.y - 1, width: key.w + 8, height: at.size + 8 })
        : undefined,
      text(left, top - 10, "mono f-muted", alibi(s) ? "bias of each head" : `bias, here ${COST} off a bucket`),
      [0, -deepest].map((v) => [
        line(left, down(v), right, down(v), "l-grid"),
        text(left - 8, down(v) + 4.5, "mono end f-muted", decimals(v, 0)),
      ]),
      (s.causal ? [-150, -100, -50, 0] : [-150, -75, 0, 75, 150]).map((k) =>
        text(at.at(k), foot + 16, "mono mid f-muted", decimals(k, 0)),
      ),
      text(right, foot + 32, "mono end f-muted", "key minus query"),
      alibi(s)
        ? slopes(s.heads).map((slope) =>
            curve(
              "l-muted thin",
              ends(slope).map((k) => [at.at(k), down(-slope * Math.abs(k))]),
            ),
          )
        : [],
      curve("l-purple wave", bent(s, at)),
      line(x, top, x, foot, "l-ink dash"),
      -bias <= deepest ? knob(x, down(bias)) : undefined,
    );
  },
  alt(s) {
    const seen = s.causal ? "words up to the query" : "words on both sides";
    const what = alibi(s)
      ? `ALiBi, head ${s.head} of ${s.heads}: slope ${significant(slopes(s.heads)[s.head - 1])}, ${seen}.`
      : `T5, ${s.buckets} buckets, largest distance ${s.max_distance}, ${seen}.`;
    return (
      `${what} From “${s.words[s.query]}” at position ${s.query}, the words at most 10 away get ` +
      `${near(s, weights(s))} of the attention if all score the same before.`
    );
  },
  reading(s) {
    const share = weights(s),
      k = offset(s),
      weight = share[s.query + k],
      bias = decimals(biases(s, [k])[0], 2),
      all = s.causal ? s.query + 1 : s.words.length;
    const what = alibi(s)
      ? `**Head ${s.head} of ${s.heads}:** slope ${significant(slopes(s.heads)[s.head - 1])}.`
      : `**T5:** ${shared(s)}`;
    const read =
      weight === undefined
        ? `**No word here, ${away(k)}:** bias ${bias}.`
        : `**“${s.words[s.query + k]}”, ${away(k)}:** bias ${bias}, attention ` +
          `${weight < 1e-4 ? "below 0.0001" : weight.toFixed(4)}.`;
    return `${what} 0.9 of the attention is on ${nine(share)} of ${all} words, ${near(s, share)} within 10. ${read}`;
  },
  // In the text the query goes to the word under the finger, in the curve another key is read
  down: (s, size, p) => ({ ...s, hold: p.y > layout(s, size).top - 8 ? "offset" : "query" }),
  move(s, size, { x, y }) {
    const at = layout(s, size);
    if (s.hold === "offset") return read(s, Math.round(at.of(x)));
    const off = at.words.map((word) => Math.hypot(Math.max(word.x - x, 0, x - word.x - word.w), 9 * (y - word.y - 12)));
    return ask(s, off.indexOf(Math.min(...off)));
  },
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, page = 0, end }) {
    if (up || page) return read(s, offset(s) + up + 10 * page);
    return ask(s, end ? 1e3 * end : s.query + right);
  },
  parts: {
    text: (s, size) => ({ x: 4, y: 4, w: size.w - 8, h: layout(s, size).end }),
    curve(s, size) {
      const { top, foot } = layout(s, size);
      return { x: 4, y: top - 6, w: size.w - 8, h: foot - top + 12 };
    },
  },
};

export const done = {
  alibi(s) {
    const last = s.words.length - 1,
      many = nine(weights(s)),
      part = many / (last + 1);
    return alibi(s) && s.causal && s.query === last && part > 0.4 && part < 0.6
      ? `Found: head ${s.head} of ${s.heads}. ${many} of ${last + 1} words have nine tenths of its attention.`
      : "";
  },
  t5: ({ scheme, causal, buckets, max_distance, offset }) =>
    scheme === "t5" && causal && buckets === 32 && max_distance === 128 && offset === -113
      ? "Found: 113, not 128. From here on all distances are one to it."
      : "",
};

const fits = ({ words, heads, head, query }) => head <= heads && query < words.length;

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits,
  play: { trait: "query", unit: 350, high: ({ words }) => words.length - 1 },
});
