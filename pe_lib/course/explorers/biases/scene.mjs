// Draws the biases that ALiBi and T5 add to scores by offset, and the attention weights that result.
import { borders, bucket, slopes } from "../distances.mjs";
import { decimals, significant } from "../frame/controls.mjs";
import { range, rememberLast, softmax } from "../maths.mjs";
import { axes, lines } from "../scene/axes.mjs";
import { curve, grip, linear } from "../scene/chart.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, group, line, rect, text, textWidth } from "../scene/svg.mjs";

const REACH = 150,
  FURTHEST = 128, // the distance in T5 from which all distances share a bucket
  COST = 0.1, // the amount that T5's example values subtract per bucket
  DEEPEST = 20, // the largest ALiBi penalty that is drawn
  SLOPES = slopes(8);

const alibi = ({ scheme }) => scheme === "alibi";

// Return the T5 bucket of an offset. If both sides are visible, each side has half of the buckets.
const side = ({ causal, buckets }) => (causal ? buckets : buckets / 2);
const firsts = rememberLast((count) => borders(count, FURTHEST));
const bucketOf = (s, k) => bucket(k, s.buckets, s.causal, firsts(side(s)));

// Return the bias that is added to the score at an offset.
export const bias = (s, k) => (alibi(s) ? -SLOPES[s.head - 1] * Math.abs(k) : -COST * (bucketOf(s, k) % side(s)));

// Return the weights that the query gives to the words of the text, if all scores are equal before the bias.
export const weights = (s) =>
  softmax(s.words.map((_, k) => (s.causal && k > s.query ? -Infinity : bias(s, k - s.query))));

// Return the smallest number of words that together hold nine tenths of the attention.
export function nine(weights) {
  let sum = 0;
  return 1 + [...weights].sort((a, b) => b - a).findIndex((w) => (sum += w) >= 0.9 - 1e-12);
}

const most = ({ causal }) => (causal ? 0 : REACH);
const offset = (s) => Math.min(s.offset, most(s)); // a key hidden by the mask cannot be chosen
const drawnOffsets = (s) => range(most(s) + REACH + 1, (n) => n - REACH);
const away = (k) => (k === 0 ? "Itself" : k < 0 ? `${-k} before` : `${k} after`);

// The slider for T5's buckets, in powers of two
const BUCKETS = {
  name: "buckets",
  min: 0,
  max: () => 4,
  value: (n) => 4 * 2 ** n,
  step: (v) => Math.log2(v / 4),
  text: String,
};

// Return the layout for a picture of this size: the words in lines, and below them the bias by offset.
function layout(s, { w, h: high }) {
  const [size, tall] = w < 500 ? [13, 24] : [16, 35],
    widths = s.words.map((word) => textWidth(word, size)),
    words = lines(widths, 0.62 * size, w - 8, tall).map((word) => ({ ...word, x: word.x + 4, y: word.y + 4 }));
  const [left, right, top, foot] = [34, w - 12, words.at(-1).y + tall + 28, high - 38];
  const deepest = alibi(s) ? DEEPEST : Math.max(1, Math.ceil(-bias(s, -REACH))),
    x = linear([-REACH, most(s)], [left, right]);
  return { size, tall, words, left, right, top, foot, deepest, x, y: linear([0, -deepest], [top, foot]).at };
}

// Draw each word. The query has the full colour, and words that the mask hides are grey.
const drawText = (s, { words, size, tall }) =>
  s.words.map((word, k) => {
    const { x, y, w } = words[k],
      asks = k === s.query,
      ink = asks ? "f-paper" : s.causal && k > s.query ? "f-muted" : "f-ink";
    return [
      asks ? rect(x - 4, y - 2, w + 8, tall - 1, "f-purple") : [],
      text(x + w / 2, y + size, `mid ${ink}`, word, { "font-size": size }),
    ];
  });

// Draw behind each word a colour, and below it a bar, for its weight.
function drawWeights(s, { words, size, tall }) {
  const share = weights(s),
    highest = Math.max(...share);
  return words.map(({ x, y, w }, k) => {
    const strong = k === s.query ? 0 : share[k] / highest;
    return [
      rect(x - 3, y, w + 6, size + 6, "f-purple", { "fill-opacity": (0.3 * strong).toFixed(2) }),
      rect(x - 3, y + size + 6, w + 6, (tall - size - 9) * strong, "f-purple"),
    ];
  });
}

// Draw the bias by offset, as far as it fits: a straight line for ALiBi, or the corners of T5's stairs.
function biasCurve(s, at) {
  const step = (k) => (bias(s, k - 1) === bias(s, k) ? [] : [k - 1, k].map((one) => [k - 0.5, bias(s, one)])),
    [first, ...rest] = drawnOffsets(s),
    on = (k) => [k, bias(s, k)],
    corners = alibi(s) ? drawnOffsets(s).map(on) : [on(first), ...rest.flatMap(step), on(most(s))];
  return corners.filter(([, v]) => -v <= at.deepest).map(([k, v]) => [at.x.at(k), at.y(v)]);
}

// Draw the text and the chart without the key, because only the key moves in the chart.
const picture = rememberLast((words, query, scheme, head, buckets, causal, w, high, revealed, lit) => {
  const s = { words, query, scheme, head, buckets, causal, revealed, lit },
    at = layout(s, { w, h: high });
  return group(
    part(s, "weights", () => drawWeights(s, at)),
    part(s, ["text", "weights"], () => drawText(s, at)),
    part(s, "curve", () => [
      text(at.left, at.top - 10, "mono f-muted", alibi(s) ? `bias of head ${head}` : `bias: −${COST} for each bucket`),
      axes(at, causal ? [-150, -100, -50, 0] : [-150, -75, 0, 75, 150], [0, -at.deepest], "key minus query"),
      curve("l-purple wave", biasCurve(s, at)),
    ]),
  );
});

// Return the offsets that share a bucket with the chosen offset.
function shared(s) {
  const mine = bucketOf(s, offset(s)),
    same = drawnOffsets(s).filter((k) => bucketOf(s, k) === mine),
    [first, last] = [same[0], same.at(-1)];
  if (same.length === 1) return `offset ${decimals(first, 0)} has bucket ${mine} to itself.`;
  const beyond = Math.max(-first, last) === REACH ? " and beyond" : "";
  return `offsets ${decimals(first, 0)} to ${decimals(last, 0)}${beyond} share bucket ${mine} of ${s.buckets}.`;
}

export const scene = ({ setValue }) => ({
  kind: "text and curve",
  shows: "A text, each word marked with the attention it gets from the query, and the bias against the offset.",
  moves: "Left and right arrow move the query, up and down choose a key, Page Up and Page Down by ten.",
  reveals: true,
  controls: [
    { name: "query", label: "query at" },
    { name: "head", when: alibi, part: "head" },
    { ...BUCKETS, when: (s) => !alibi(s), part: "buckets" },
    { name: "causal", label: "mask", part: "mask" },
    { name: "scheme", label: "bias of", options: Object.entries({ alibi: "ALiBi", t5: "T5" }), part: "scheme" },
  ],
  height: (w) => (w < 500 ? 330 : 376),
  draw(s, size) {
    const at = layout(s, size),
      k = offset(s),
      x = at.x.at(k),
      depth = bias(s, k),
      key = k ? at.words[s.query + k] : undefined;
    return [
      picture(s.words, s.query, s.scheme, s.head, s.buckets, s.causal, size.w, size.h, s.revealed, s.lit),
      part(s, "key", () => [
        key ? rect(key.x - 4, key.y - 1, key.w + 8, at.size + 8, "l-ink bar") : [],
        line(x, at.top, x, at.foot, "l-ink dash"),
        -depth <= at.deepest ? grip(x, at.y(depth), 5) : [],
      ]),
    ];
  },
  reading(s) {
    const share = weights(s),
      k = offset(s),
      weight = share[s.query + k],
      all = s.causal ? s.query + 1 : s.words.length,
      number = `bias ${decimals(bias(s, k), 2)}`,
      attention = weight === undefined ? "" : `, attention ${weight < 1e-4 ? "below 0.0001" : weight.toFixed(4)}`,
      word = weight === undefined ? "no word" : `“${s.words[s.query + k]}”`;
    const what = alibi(s)
      ? `**Head ${s.head} of 8:** slope ${significant(SLOPES[s.head - 1])}.`
      : `**T5:** ${shared(s)}`;
    return [
      isShown(s, "curve") ? what : `The query is **“${s.words[s.query]}”**.`,
      isShown(s, "weights") ? `Nine tenths of the attention: on ${nine(share)} of ${all} words.` : "",
      isShown(s, "key") ? `**${away(k)}, ${word}:** ${number}${isShown(s, "weights") ? attention : ""}.` : "",
    ]
      .filter(Boolean)
      .join(" ");
  },
  // Dragging in the text moves the query, and dragging in the chart moves the key.
  ...gesturesFor((s, size, p) => {
    const { words, top, x } = layout(s, size);
    const nearest = (q) => {
      const off = words.map((word) =>
        Math.hypot(Math.max(word.x - q.x, 0, q.x - word.x - word.w), 9 * (q.y - word.y - 12)),
      );
      return off.indexOf(Math.min(...off));
    };
    return [
      {
        on: isShown(s, "key") && p.y > top - 8,
        to: (now, q) => setValue(now, "offset", Math.min(x.of(q.x), most(now))),
      },
      { on: true, to: (now, q) => setValue(now, "query", nearest(q)) },
    ];
  }),
  key: (s, { right, up, page = 0, end }) =>
    (up || page) && isShown(s, "key")
      ? setValue(s, "offset", Math.min(offset(s) + up + 10 * page, most(s)))
      : setValue(s, "query", end ? 1e3 * end : s.query + right),
  parts: boxes(layout, {
    text: ({ top }, { w }) => [4, 4, w - 8, top - 28],
    weights: ({ top }, { w }) => [4, 4, w - 8, top - 28],
    curve: ({ top, foot }, { w }) => [4, top - 6, w - 8, foot - top + 12],
    key: ({ top, foot }, { w }) => [4, top - 6, w - 8, foot - top + 12],
    ...Object.fromEntries(["head", "buckets", "mask", "scheme"].map((name) => [name, () => undefined])), // controls
  }),
  done: {
    alibi(s) {
      const last = s.words.length - 1,
        many = nine(weights(s)),
        part = many / (last + 1);
      return alibi(s) && s.causal && s.query === last && part > 0.4 && part < 0.6
        ? `Found: head ${s.head} of 8. ${many} of ${last + 1} words have nine tenths of its attention.`
        : "";
    },
    t5: ({ scheme, causal, buckets, offset }) =>
      scheme === "t5" && causal && buckets === 32 && offset === -113
        ? "Found: 113, not 128. From here on all distances are one to it."
        : "",
  },
  play: { trait: "query", unit: 350 },
});
