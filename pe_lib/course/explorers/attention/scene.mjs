// Draws words as arrows: drag one, and see the weights and the outputs of attention follow.
import { decimals } from "../frame/controls.mjs";
import { clamp, addEncoding, attendRows, range } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { at, glideTo } from "../scene/glide.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, d, h, line, path, rect, text, textWidth } from "../scene/svg.mjs";

const FARTHEST = 2.5,
  STEP = 0.05,
  BAND = 46, // height of the sentence below the plane, in pixels
  ROW = 44; // height of the chosen word's weights, in pixels

// Return the place of word k of n. `from` goes from 0 (the original order) to 1 (the sentence read backwards).
const placeOf = (k, n, from) => k + from * (n - 1 - 2 * k);

// Return the inputs, weights and outputs of attention, with the fraction `hand` of each place's encoding added.
export function attend(vectors, hand, from) {
  const places = vectors.map((_, k) => placeOf(k, vectors.length, from));
  return attendRows(addEncoding(vectors, places, Number(hand)));
}
const now = ({ vectors, positions, backwards }) => attend(vectors, positions, Number(backwards));

// Short vectors are drawn at a larger scale. There is room above the words for the hand of a clock.
// While the reader holds a tip, the plane does not shrink again below what has come into view.
const reach = ({ vectors }) => (Math.max(...vectors.flat().map(Math.abs)) > 1.2 ? FARTHEST : 1.2);
const lowest = (s) => (s.hold?.low < -1.2 || now(s).rows.some(([, y]) => y < -1) ? -reach(s) - 0.2 : -1.2);
const { current, tick } = glideTo((s) => [Number(s.positions), Number(s.backwards), lowest(s)], 180);

// Return the layout: the plane, the sentence below it, and the weights at the bottom.
function layout(s, { w, h: high }) {
  const n = s.words.length,
    [hand, from, low] = current(s),
    foot = high - ROW,
    limit = reach(s),
    scale = Math.min(w / (2 * limit + 1.8), (foot - BAND) / (limit + 1 - low)),
    middle = { x: w / 2, y: (limit + 1) * scale },
    slot = Math.min(110, w / n);
  return {
    ...{ n, hand, from, low, foot, limit, scale, middle, slot },
    /** @type {(point: number[]) => any} */
    pixel: ([x, y]) => [middle.x + x * scale, middle.y - y * scale],
    x: (place) => w / 2 + (place - (n - 1) / 2) * slot,
  };
}

function setVector(s, vector) {
  const limit = reach(s),
    rounded = (v) => Number((Math.round(clamp(v, -limit, limit) / STEP) * STEP).toFixed(2));
  return { ...s, vectors: s.vectors.map((old, k) => (k === s.chosen ? vector.map(rounded) : old)) };
}
/** @type {(vector: number[]) => string} */
const pair = ([x, y]) => `(${decimals(x, 2)}, ${decimals(y, 2)})`;

function arrow([x, y], [a, b], thick) {
  const along = Math.atan2(b - y, a - x),
    head = Math.min(thick + 11, Math.hypot(a - x, b - y)),
    [left, right] = [0.45, -0.45].map((turn) => [a - head * Math.cos(along + turn), b - head * Math.sin(along + turn)]);
  return [
    line(x, y, a - head * 0.6 * Math.cos(along), b - head * 0.6 * Math.sin(along), "l-ink", { "stroke-width": thick }),
    path("f-ink", d`M${a} ${b}L${left[0]} ${left[1]}L${right[0]} ${right[1]}Z`),
  ];
}

const around = ([x, y], r) => [x - r, y - r, 2 * r, 2 * r];

// Draw the weights of the chosen word as bars.
function shared(s, weights, foot, w) {
  let end = 0;
  return weights.map((share, k) => {
    const room = share * w,
      fits = (says) => (textWidth(says, 12) < room - 4 ? says : "");
    end += room;
    return at(
      end - room / 2,
      foot + 8,
      rect(1 - room / 2, 0, Math.max(room - 2, 0), ROW - 12, "f-purple", { "fill-opacity": 0.35 }),
      text(0, 13, "mono small mid f-ink", fits(s.words[k])),
      text(0, 27, "mono small mid f-ink bold", fits(share.toFixed(2))),
    );
  });
}

// Return where each tip lands on the line of the chosen arrow, and the dot products with the chosen arrow.
export function drop(rows, chosen) {
  const [x, y] = rows[chosen],
    dots = rows.map(([a, b]) => a * x + b * y),
    square = dots[chosen] || 1;
  return { dots, feet: dots.map((dot) => [(dot / square) * x, (dot / square) * y]) };
}

// Draw the line of the chosen arrow, and from each tip the shortest way to this line. A tick shows where it lands.
/** @type {(s: State, rows: number[][], pixel: (vector: number[]) => Pair) => Marks} */
function drawDots({ chosen }, rows, pixel) {
  const { feet } = drop(rows, chosen),
    [x, y] = rows[chosen],
    long = Math.hypot(x, y) || 1,
    reach = (sign) => Math.max(0, ...feet.map(([a, b]) => (sign * (a * x + b * y)) / long)) / long;
  /** @type {(times: number) => Pair} */
  const end = (times) => pixel([times * x, times * y]);
  return [
    line(...end(-reach(-1)), ...end(reach(1)), "l-purple thin"),
    feet.map((foot, k) => {
      const [px, py] = pixel(foot),
        across = [(8 * y) / long, (8 * x) / long];
      return [
        k === chosen ? [] : line(...pixel(rows[k]), px, py, "l-purple dash"),
        line(px - across[0], py - across[1], px + across[0], py + across[1], "l-purple bar"),
      ];
    }),
  ];
}

export const scene = () => ({
  kind: "plane with arrows",
  shows: "Words as arrows, their outputs as rings.",
  moves: "The arrow keys move the chosen word's arrow.",
  reveals: true,
  controls: [
    { name: "chosen", label: "word", options: ({ words }) => words.map((word, k) => [k, word]), part: "weights" },
    { name: "positions", part: "clocks" },
    { name: "backwards", part: "sentence" },
  ],
  height: (w) => (w < 560 ? 0.72 * w + BAND + ROW : 400),
  draw(s, size) {
    const { words, vectors, chosen } = s,
      { w } = size,
      { n, hand, from, low, limit, scale, pixel, foot, x } = layout(s, size),
      { rows, weights, outputs } = attend(vectors, hand, from),
      /** @type {Pair[][]} */
      [tips, rings] = [rows, outputs].map((all) => all.map(pixel)),
      ends = Math.floor(limit + 0.9),
      lines = range(2 * ends + 1, (v) => v - ends),
      bold = (k) => (k === chosen ? "bold" : "");
    /** @type {(vector: number[]) => Pair} */
    const point = (vector) => pixel(vector);
    const across = (v, one, other) =>
      line(...point(one), ...point(other), "l-grid", { "stroke-width": v === 0 ? 1.5 : 0.5 });
    return [
      lines.map((v) => across(v, [v, low], [v, limit + 1])),
      lines.filter((v) => v > low).map((v) => across(v, [-limit - 0.9, v], [limit + 0.9, v])),
      // Lines connect the output of the chosen word with all words, each as thick as the word's weight.
      part(s, "ring", () =>
        h(
          "g",
          { class: "l-purple", opacity: 0.55, "stroke-linecap": "round" },
          weights[chosen].map((share, j) =>
            line(...rings[chosen], ...tips[j], undefined, { "stroke-width": 14 * share }),
          ),
        ),
      ),
      part(s, ["arrows", "clocks", "dots"], () =>
        words.map((_, k) => {
          /** @type {Pair[]} */
          const [zero, own] = [[0, 0], vectors[k]].map(pixel),
            dial = { x: own[0], y: own[1], r: scale * hand };
          return [
            hand > 0.01 ? [line(...zero, ...own, "l-muted dash"), clock(dial, placeOf(k, n, from))] : [],
            h("circle", { class: "f-muted", "fill-opacity": 0.2, cx: tips[k][0], cy: tips[k][1], r: 13 }), // to drag
            arrow(zero, tips[k], k === chosen ? 5 : 3),
          ];
        }),
      ),
      part(s, "dots", () => drawDots(s, rows, point)),
      part(s, "ring", () =>
        rings.map(([cx, cy], k) => {
          const [r, thick, opacity] = k === chosen ? [8, 3.5, 1] : [5, 2, 0.6];
          return h("circle", { class: "l-purple hollow", cx, cy, r, "stroke-width": thick, opacity });
        }),
      ),
      // The name of a word is written just beyond the tip of its arrow.
      part(s, ["arrows", "clocks", "dots"], () =>
        words.map((word, k) => {
          const [right, up] = rows[k],
            long = Math.hypot(right, up) || 1,
            half = textWidth(word, 16) / 2 + 3,
            beyond = clamp(tips[k][0] + ((half + 5) * right) / long, half, w - half);
          return text(beyond, tips[k][1] - (18 * up) / long + 5, `mono mid large halo f-ink ${bold(k)}`, word);
        }),
      ),
      // The words of the sentence change places, but their arrows stay unless positions are added.
      part(s, "sentence", () =>
        words.map((word, k) => {
          const rise = 10 * Math.sin(Math.PI * from) * (k < (n - 1) / 2 ? 1 : -1);
          return [
            text(x(placeOf(k, n, from)), foot - 25 - rise, `mono mid large f-ink ${bold(k)}`, word),
            text(x(k), foot - 6, "mono mid f-muted", k),
          ];
        }),
      ),
      part(s, "weights", () => shared(s, weights[chosen], foot, w)),
    ];
  },
  reading(s) {
    const { words, vectors, positions, backwards, chosen } = s,
      { rows, weights, outputs } = now(s),
      place = placeOf(chosen, words.length, Number(backwards)),
      own = `${words[chosen]} is ${pair(vectors[chosen])}`,
      added = positions ? `, with clock ${place} ${pair(rows[chosen])}` : "",
      list = (numbers) => words.map((word, j) => `${decimals(numbers[j], 2)} ${word}`).join(", ");
    return [
      `${isShown(s, "sentence") ? `**“${(backwards ? words.toReversed() : words).join(" ")}”:** ` : ""}${own}${added}.`,
      isShown(s, "dots") ? `Dot products: ${list(drop(rows, chosen).dots)}.` : "",
      isShown(s, "weights") ? `Weights: ${list(weights[chosen])}.` : "",
      isShown(s, "ring") ? `Output: **${pair(outputs[chosen])}**.` : "",
    ]
      .filter(Boolean)
      .join(" ");
  },
  // Dragging holds the nearest tip and chooses its word.
  ...gesturesFor((s, size, p) => {
    const { pixel, low } = layout(s, size),
      { rows } = now(s),
      far = rows.map(pixel).map(([x, y]) => Math.hypot(p.x - x, p.y - y)),
      chosen = far.indexOf(Math.min(...far)),
      [x, y] = pixel(rows[chosen]);
    return [
      {
        on: far[chosen] <= 30,
        low,
        to(now, q) {
          const { middle, scale, low } = layout(now, size),
            clock = rows[chosen].map((v, c) => v - s.vectors[chosen][c]),
            tip = [q.x - p.x + x - middle.x, middle.y - q.y + p.y - y].map((v) => v / scale),
            vector = tip.map((v, c) => v - clock[c]);
          return { ...setVector({ ...now, chosen }, vector), hold: { ...now.hold, low } };
        },
      },
    ];
  }),
  key(s, { right, up }) {
    const [x, y] = s.vectors[s.chosen];
    return right || up ? setVector(s, [x + 2 * STEP * right, y + 2 * STEP * up]) : s;
  },
  tick,
  parts: boxes(layout, {
    arrows: ({ foot }, { w }) => [0, 0, w, foot - BAND],
    dots: ({ foot }, { w }) => [0, 0, w, foot - BAND],
    clocks: ({ foot }, { w }) => [0, 0, w, foot - BAND],
    sentence: ({ n, x, slot, foot }) => [x(0) - slot / 2, foot - BAND, n * slot, BAND],
    ring: ({ pixel }, _, s) => around(pixel(now(s).outputs[s.chosen]), 14),
    weights: ({ foot }, { w }) => [0, foot + 8, w, ROW - 12],
  }),
  done: {
    main(s) {
      const [good, self] = now(s).weights[1];
      return !s.positions && good > self
        ? `Found: not gives good ${good.toFixed(2)} and itself ${self.toFixed(2)}. “good” lands beyond the tip of “not”.`
        : "";
    },
    three(s) {
      const [dog, bites, man] = now(s).weights[0];
      return !s.positions && man > Math.max(dog, bites)
        ? `Found: dog gives man ${man.toFixed(2)}. “man” lands furthest along the line of “dog”, beyond its tip.`
        : "";
    },
  },
  fits: ({ words, vectors }) =>
    vectors.length === words.length &&
    vectors.every((vector) => vector.length === 2 && vector.every((v) => Math.abs(v) <= FARTHEST)),
});
