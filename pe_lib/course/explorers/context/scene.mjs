// Draws a text that grows beyond the training length, and the angles that 64 clocks reach.
// If the explorer has a score that was fitted on the training length, the score is drawn as well.
import { groupDigits, significant } from "../frame/controls.mjs";
import { clamp, frequency, range, rememberLast } from "../maths.mjs";
import { axes } from "../scene/axes.mjs";
import { around, curve, grip, hand, knob, linear, tip, wedge } from "../scene/chart.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, d, group, h, line, rect, ring, text, through } from "../scene/svg.mjs";

const D_HEAD = 128,
  PAIRS = D_HEAD / 2,
  TRAINED = 2048,
  SAMPLES = 256,
  TURN = 2 * Math.PI,
  [ALPHA, BETA] = [1, 32], // YaRN's parameters
  POWERS = 4; // the chart shows scores up to ±10⁴
const METHODS = { none: "none", interpolation: "interpolation", ntk: "NTK-aware", dynamic: "dynamic", yarn: "YaRN" };
const plain = range(PAIRS, (i) => frequency(i, D_HEAD, 10_000));

// Return the frequencies for a text that is `s` times as long as the training length.
export function scaled(method, s) {
  return plain.map((w, i) => {
    if (method === "interpolation") return w / s;
    if (method === "ntk" || method === "dynamic") return w / s ** (i / (PAIRS - 1));
    if (method === "none") return w;
    const g = (clamp((TRAINED * w) / TURN, ALPHA, BETA) - ALPHA) / (BETA - ALPHA);
    return ((1 - g) * w) / s + g * w;
  });
}

export const offsets = (s) => range(SAMPLES + 1, (k) => (k * s * TRAINED) / SAMPLES);

const scaledOnce = rememberLast(scaled);

// Return the fitted score at one offset, for a text that is `s` times as long as the training length.
export function scoreAt(coefficients, method, s, offset) {
  const angles = scaledOnce(method, method === "dynamic" ? Math.max(1, offset / TRAINED) : s).map((w) => offset * w),
    add = (sum, angle, i) => sum + coefficients[i] * Math.cos(angle) + coefficients[PAIRS + i] * Math.sin(angle);
  return angles.reduce(add, 0) * (method === "yarn" ? (0.1 * Math.log(s) + 1) ** 2 : 1);
}

// Return the points [offset, score] at which the score is drawn.
export const scores = rememberLast((coefficients, method, s) =>
  offsets(s).map((offset) => [offset, scoreAt(coefficients, method, s, offset)]),
);

// Return the size of the score at each whole offset, because the drawn points can miss the largest one.
const sizesAt = rememberLast((coefficients, method, s) =>
  range(s * TRAINED + 1, (offset) => Math.abs(scoreAt(coefficients, method, s, offset))),
);

// Return for each pair the largest angle that it reached in training, its angle at `length`, and whether that is new.
// The text may grow to `s` times the training length.
export function hands(method, s, length = s * TRAINED) {
  const now = scaled(method, method === "dynamic" ? Math.max(1, length / TRAINED) : s);
  return plain.map((trained, i) => {
    const trainedAngle = Math.min(TURN, TRAINED * trained),
      angle = length * now[i];
    return { trainedAngle, angle, w: now[i], isNew: trainedAngle < TURN && angle > trainedAngle * (1 + 1e-9) };
  });
}

// Return the length to which the text may grow, and the length that it has now.
const whole = ({ factor }) => TRAINED * factor;
const reached = (s) => Math.min(s.length, whole(s));
const now = (s) => hands(s.method, s.factor, reached(s));
const grow = ({ setValue }, s, length) => setValue(s, "length", Math.min(length, whole(s)));
const scored = ({ score }) => score.length > 0;

// Return the layout for a picture of this size: the text, and below it the score if there is one.
// At the bottom are 64 small clocks and a large clock.
function layout(s, { w, h: high }) {
  const wide = w >= 560,
    columns = wide ? 16 : 8,
    cell = wide ? clamp(Math.floor(0.047 * w), 32, 60) : 24,
    tall = (PAIRS / columns) * cell,
    y = scored(s) ? high - tall - 2 : 56,
    r = Math.min(0.43 * tall, (w - columns * cell - 24) / 2),
    [left, right, top, foot] = [56, w - 26, 56, y - 26],
    x = linear([0, whole(s)], [left, right]),
    up = linear([-POWERS, POWERS], [foot, top]).at;
  return {
    ...{ left, right, top, foot, x },
    y: (v) => up(clamp(Math.sign(v) * Math.log10(1 + Math.abs(v)), -POWERS, POWERS)), // logarithmic above 1
    ribbon: 26,
    bottom: scored(s) ? foot : 44, // lower end of the line at the end of the text
    board: { y, columns, cell, w: columns * cell, h: tall },
    dial: { x: (columns * cell + w) / 2 + 4, y: y + r, r },
  };
}

// Draw the text as words of different lengths, green up to the training length. Its end can be dragged.
function ribbon(s, { ribbon: y, bottom: lowest, left, right, x }) {
  const [end, border] = [reached(s), TRAINED].map(x.at),
    bottom = isShown(s, "score") ? lowest : 44,
    words = (to, c) => line(left, y, to, y, `l-${c}`, { "stroke-width": 4, "stroke-dasharray": "9 6 4 6 12 6 7 6" });
  return [
    words(right, "grid"),
    words(end, "rose"),
    words(Math.min(end, border), "green"),
    line(end, y - 12, end, bottom, "l-ink bar"),
    line(border, y - 7, border, bottom, "l-muted dash"),
    grip(end, y, 5),
    text(clamp(end, left + 40, right - 16), 11, "mono mid f-ink", `${groupDigits(reached(s))} words`),
  ];
}

// Draw the score up to the current length of the text.
function plot(s, at) {
  const end = reached(s),
    passed = scores(s.score, s.method, s.factor).filter(([k]) => k < end),
    points = [...passed, [end, scoreAt(s.score, s.method, s.factor, end)]].map(([k, v]) => [at.x.at(k), at.y(v)]),
    inside = passed.filter(([k]) => k < TRAINED).length,
    heights = at.foot - at.top < 90 ? [-10_000, 0, 10_000] : [-10_000, -100, 0, 100, 10_000];
  return [
    axes(at, s.factor > 1 && s.factor < 16 ? [0, TRAINED, whole(s)] : [0, whole(s)], heights),
    text(at.left, at.top - 8, "mono f-muted", "score"),
    curve("l-green", points.slice(0, inside + 1)),
    curve("l-rose", points.slice(inside)),
    knob(points.at(-1)[0], points.at(-1)[1]),
  ];
}

// Draw clocks with one path for each kind of mark. The angles of the green slices occurred in training.
// Rose slices show angles that never occurred in training, and the hands show how far the pairs have turned.
/** @type {(dials: Circle[], c: string, ends: (index: number) => Pair) => Tree} */
const slices = (dials, c, ends) =>
  h("path", {
    class: `f-${c}`,
    "fill-opacity": c === "green" ? 0.3 : 0.5,
    d: dials.map((dial, i) => wedge(dial, ...ends(i))).join(""),
  });
const drawTrained = (dials, clocks) => [
  slices(dials, "green", (i) => [0, clocks[i].trainedAngle]),
  dials.map(({ x, y, r }) => ring(x, y, r)),
];
const drawNew = (dials, clocks) =>
  slices(dials, "rose", (i) => [clocks[i].trainedAngle, clocks[i].isNew ? Math.min(clocks[i].angle, TURN) : 0]);
const drawHands = (dials, clocks, c) =>
  h("path", { class: c, d: dials.map((dial, i) => through([[dial.x, dial.y], tip(dial, clocks[i].angle)])).join("") });

const corner = ({ y, columns, cell }, i) => [(i % columns) * cell, y + Math.floor(i / columns) * cell];

// Return the small clocks, and the part of their picture that never changes.
const small = rememberLast((y, columns, cell) => {
  const dials = plain.map((_, i) => {
    const [left, top] = corner({ y, columns, cell }, i);
    return { x: left + cell / 2, y: top + cell / 2, r: 0.4 * cell };
  });
  return { dials, tree: group(drawTrained(dials, hands("none", 1))) };
});

// Draw one frame around all clocks with new angles: a broad line around each clock, covered by paper inside.
function frame(clocks, board) {
  const { cell } = board;
  const cells = clocks.map(({ isNew }, i) => {
    const [x, y] = corner(board, i);
    return isNew ? d`M${x} ${y}L${x + cell} ${y}L${x + cell} ${y + cell}L${x} ${y + cell}Z` : "";
  });
  return ["l-rose thick", "f-paper"].map((c) => h("path", { class: c, d: cells.join("") }));
}

// Format a number with as many digits as people write: 0.43, 12.6, 1,770.
function sized(x) {
  const short = Number(Math.abs(x).toPrecision(Math.abs(x) < 1 ? 2 : 3));
  return (x < 0 ? "−" : "") + (short < 100 ? String(short) : groupDigits(short));
}

// Return a sentence that says how large the fitted score becomes.
function fitted(s) {
  const { score, method, factor } = s,
    end = reached(s),
    sizes = sizesAt(score, method, factor).slice(0, end + 1),
    most = (of) => sized(of.reduce((most, size) => Math.max(most, size), 0)),
    beyond = sizes.slice(TRAINED);
  return (
    `Score **${sized(scoreAt(score, method, factor, end))}**; largest ` +
    `**${most(sizes.slice(0, TRAINED))}** below 2,048${beyond.length ? `, **${most(beyond)}** beyond` : ""}.`
  );
}

export const scene = (limits) => ({
  kind: "text, score and clocks",
  shows:
    "A text that grows, a score against the offset, and a clock for each pair with the arc of its hand in training.",
  moves: "Left and right arrow shorten and lengthen the text, up and down choose a pair.",
  controls: [
    {
      name: "length",
      label: "text",
      per: 1 / 64,
      max: (s) => whole(s) / 64,
      get: reached,
      text: groupDigits,
      unit: "words",
    },
    { name: "method", label: "scaling", options: Object.entries(METHODS), menu: true, when: scored, part: "method" },
    { name: "factor", label: "times", menu: true, when: scored, part: "method" },
  ],
  reveals: true,
  height: (w, s) => (scored(s) ? (w < 560 ? 316 : 340) : w < 560 ? 256 : 210),
  draw(s, size) {
    const at = layout(s, size),
      { board, dial } = at,
      { cell } = board,
      clocks = now(s),
      own = [clocks[s.pair]],
      [x, y] = corner(board, s.pair),
      { dials, tree } = small(board.y, board.columns, cell),
      before = Math.max(0, reached(s) - 1) * own[0].w; // the angle of the previous word
    return [
      part(s, "score", () => (scored(s) ? plot(s, at) : [])),
      part(s, "text", () => ribbon(s, at)),
      part(s, "new", () => frame(clocks, board)),
      part(s, "clocks", () => tree),
      part(s, "new", () => drawNew(dials, clocks)),
      part(s, "clocks", () => drawHands(dials, clocks, "l-ink")),
      part(s, "hand", () => [
        rect(x + 1.5, y + 1.5, cell - 3, cell - 3, "l-ink bar"),
        hand(dial, before, "l-muted dash"),
        drawTrained([dial], own),
        isShown(s, "new") ? drawNew([dial], own) : [],
        drawHands([dial], own, "l-ink bar"),
        knob(...tip(dial, own[0].angle)),
        text(dial.x, dial.y + dial.r + 18, "mono mid f-ink", `pair ${s.pair}`),
      ]),
    ];
  },
  reading(s) {
    const clocks = now(s),
      { trainedAngle, angle, isNew } = clocks[s.pair],
      coverage = trainedAngle === TURN ? "all angles" : `${significant(trainedAngle / TURN)}${isNew ? ": new" : ""}`,
      scaling = s.method === "none" ? "" : `, ${METHODS[s.method]}`;
    return [
      `${groupDigits(reached(s))} of ${groupDigits(whole(s))} words${scaling}.`,
      isShown(s, "new") ? `**${clocks.filter((one) => one.isNew).length} of ${PAIRS}** clocks at new angles.` : "",
      isShown(s, "hand") ? `**Pair ${s.pair}:** ${significant(angle / TURN)} turns; training showed ${coverage}.` : "",
      scored(s) && isShown(s, "score") ? fitted(s) : "",
    ]
      .filter(Boolean)
      .join(" ");
  },
  // Dragging moves the end of the text, or chooses a clock.
  ...gesturesFor((s, size) => {
    const { x, board } = layout(s, size),
      { y, columns, cell } = board;
    const pointed = (q) => columns * Math.floor((q.y - y) / cell) + Math.floor(clamp(q.x / cell, 0, columns - 1));
    return [
      { on: { x: 0, y: 0, w: size.w, h: y - 12 }, to: (now, q) => grow(limits, now, x.of(q.x)) },
      {
        on: isShown(s, "hand") && { x: 0, y, w: board.w, h: board.h },
        to: (now, q) => limits.setValue(now, "pair", pointed(q)),
      },
    ];
  }),
  key: (s, { right, up, end }) =>
    up && isShown(s, "hand")
      ? limits.setValue(s, "pair", s.pair + up)
      : grow(limits, s, end ? end * whole(s) : reached(s) + 64 * right),
  parts: boxes(layout, {
    score: ({ left, right, top, foot }) => [left, top, right - left, foot - top],
    text: ({ ribbon }, { w }) => [0, 0, w, ribbon + 14],
    clocks: ({ board: { y, w, h: tall } }) => [0, y, w, tall],
    new: ({ board: { y, w, h: tall } }) => [0, y, w, tall],
    hand: ({ dial }) => around(dial),
    method: () => undefined, // controls
  }),
  done: {
    hands: ({ factor, length, pair }) => {
      const { trainedAngle, angle } = hands("none", factor, Math.min(length, factor * TRAINED))[pair];
      return trainedAngle < TURN && angle >= TURN
        ? `Found: pair ${pair}. It made ${significant(trainedAngle / TURN)} turns in training, and here ${significant(angle / TURN)}.`
        : "";
    },
    main: ({ method, factor, length, pair }) =>
      method === "ntk" && pair === 63 && factor > 1 && length >= factor * TRAINED
        ? "Found: pair 63, the slowest. NTK-aware slows only this one by the whole factor; the 22 before it reach new angles."
        : "",
  },
  fits: ({ score }) => [0, D_HEAD].includes(score.length) && score.every(Number.isFinite),
  play: { trait: "length", unit: 1, stride: 256, high: whole }, // 8,192 words take eight seconds
});
