// Recorded experiments as six curves: which scheme of position learns which task, and how far it goes.
/* global ABOUT */
import { stage } from "../frame/stage.mjs";
import { clamp, remembering } from "../maths.mjs";
import { axes } from "../scene/axes.mjs";
import { curve, linear } from "../scene/chart.mjs";
import { boxes, h, line, ring, text } from "../scene/svg.mjs";

const TASKS = { previous: "the word before", order: "who bites whom", counting: "more praise or complaint" };
const GUESS = { previous: 1 / 8, order: 1 / 2, counting: 1 / 2 };

export const mean = (shares) => shares.reduce((a, b) => a + b, 0) / shares.length;

// The shares of each scheme by length: [scheme, [[share of each seed], …]]
export const chosen = remembering((recording, task, causal, layers) =>
  recording.settings
    .filter((cell) => cell.task === task && cell.causal === causal && cell.layers === layers)
    .map((cell) => [cell.scheme, recording.lengths.map((_, n) => cell.right.map((seed) => seed[n]))]),
);
const found = ({ recording, task, causal, layers }) => chosen(recording, task, causal, layers);

// The shares of the seeds at a length, on a line between those recorded
export function sharesAt(lengths, shares, length) {
  const n = clamp(
      lengths.findLastIndex((one) => one <= length),
      0,
      lengths.length - 2,
    ),
    part = (length - lengths[n]) / (lengths[n + 1] - lengths[n]);
  return shares[n].map((share, seed) => share + part * (shares[n + 1][seed] - share));
}

// Heights for labels, none nearer to the next than `gap`, in the order of where they belong
export function apart(wanted, gap, low, high) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]),
    placed = [...wanted];
  let least = low,
    most = high;
  for (const k of order) least = (placed[k] = Math.max(placed[k], least)) + gap;
  for (const k of order.reverse()) most = (placed[k] = Math.min(placed[k], most)) - gap;
  return placed;
}

/** @type {(s: any) => [number, number]} */
const ends = ({ recording: { lengths } }) => [lengths[0], lengths.at(-1)];
const read = (s, length) => {
  const [least, most] = ends(s);
  return { ...s, length: clamp(length, least, most) };
};

// Where things stand in a picture of this size: the axes, and each scheme with the points of its mean, as far as the
// texts have come, and where its name stands
export function layout(s, { w, h: high }) {
  const { lengths } = s.recording,
    [left, right, top, foot] = [36, w - 84, 14, high - 38],
    x = linear(ends(s), [left, right]),
    y = linear([0, 1], [foot, top]).at,
    passed = lengths.filter((one) => one < s.length);
  const run = (shares, value) => [
    ...passed.map((one, n) => [x.at(one), y(value(shares[n]))]),
    [x.at(s.length), y(value(sharesAt(lengths, shares, s.length)))],
  ];
  const schemes = found(s).map(([name, shares]) => ({ name, shares, points: run(shares, mean) })),
    tips = schemes.map(({ points }) => points.at(-1)[1]),
    names = apart(tips, 15, top, foot);
  return { left, right, top, foot, x, y, run, schemes: schemes.map((one, k) => ({ ...one, name_y: names[k] })) };
}

// How far above or below a piece of a curve a point is
const beside = ([x1, y1], [x2, y2], { x, y }) =>
  x < x1 || x > x2 ? Infinity : Math.abs(y1 + ((x - x1) / (x2 - x1 || 1)) * (y2 - y1) - y);

// The scheme whose curve, or whose name to the right of all curves, is under a point
function under(s, size, p) {
  const { schemes, x } = layout(s, size),
    off = p.x - x.at(s.length);
  if (Math.abs(off) <= 6) return undefined;
  const gaps = schemes.map(({ name_y: y, points }) =>
    off > 0 ? Math.abs(y - p.y) : Math.min(...points.slice(1).map((point, n) => beside(points[n], point, p))),
  );
  const least = Math.min(...gaps);
  return least < 9 ? schemes[gaps.indexOf(least)].name : undefined;
}

function told(s) {
  const words = Math.round(s.length),
    [first] = ends(s),
    seeds = found(s).map(([name, shares]) => ({ name, shares: sharesAt(s.recording.lengths, shares, words) })),
    { shares } = seeds.find(({ name }) => name === s.scheme),
    [low, high] = [Math.min(...shares), Math.max(...shares)].map((v) => v.toFixed(2)),
    all = seeds.map(({ name, shares }) => ({ name, share: mean(shares) })).sort((a, b) => b.share - a.share);
  const how = `${s.causal ? "mask" : "no mask"}, ${s.layers === 1 ? "one layer" : "two layers"}`,
    since = s.task === "previous" && words > first ? ` from word ${first} on` : "";
  return (
    `“${TASKS[s.task]}”, ${how}. **${s.scheme} at ${words} words: ${mean(shares).toFixed(2)} right**${since}, ` +
    `seeds from ${low} to ${high}. All: ${all.map(({ name, share }) => `${name} ${share.toFixed(2)}`).join(", ")}.`
  );
}

export const scene = {
  kind: "six curves",
  label:
    "The share of right answers of six schemes against the number of words. Left and right arrow shorten and " +
    "lengthen the text, up and down bring another scheme to the front.",
  controls: [
    {
      name: "length",
      label: "words",
      min: 16,
      max: () => 48,
      step: Math.round,
      text: (x) => String(Math.round(x)),
      unit: "words",
    },
  ],
  settings: [
    { name: "task", label: "task", options: Object.entries(TASKS), menu: true },
    { name: "layers", label: "layers", options: Object.entries({ one: 1, two: 2 }).map(([says, n]) => [n, says]) },
    { name: "causal", label: "causal mask" },
  ],
  height: (w) => (w < 500 ? 290 : 352),
  draw(s, size) {
    const at = layout(s, size),
      { left, right, top, foot, x, y, schemes, run } = at,
      [first] = ends(s),
      guess = y(GUESS[s.task]),
      here = x.at(s.length),
      front = schemes.find(({ name }) => name === s.scheme),
      others = schemes.filter((one) => one !== front);
    const unit = s.task === "previous" ? `new words past ${first}` : "words in the text";
    return h(
      "g",
      {},
      axes(
        at,
        s.recording.lengths.filter((_, n) => n % 2 === 0),
        [0, 0.5, 1],
      ),
      text(left, foot + 33, "mono f-muted", `share right ↑  ${unit} →`),
      line(left, guess, right, guess, "l-muted dash"),
      others.map(({ points }) => curve("l-muted", points)),
      front.shares[0].map((_, seed) =>
        curve(
          "l-ink thin",
          run(front.shares, (shares) => shares[seed]),
        ),
      ),
      curve("l-ink thick", front.points),
      line(here, top - 8, here, foot, "l-ink"),
      text(Math.min(here, right - 10), 10, "mono mid halo f-ink", `${Math.round(s.length)} words`),
      [...others, front].map((one) => [
        ring(...one.points.at(-1), one === front ? 5 : 3.5, one === front ? "f-ink" : "f-muted"),
        text(here + 10, one.name_y + 4.5, one === front ? "mono bold f-ink" : "mono f-muted", one.name),
      ]),
      text(right - 4, guess + 16, "mono end halo f-ink", "guessing"),
    );
  },
  reading: told,
  // A curve or its name comes to the front; elsewhere the texts are made longer or shorter
  down(s, size, p) {
    const scheme = under(s, size, p);
    return { ...s, scheme: scheme ?? s.scheme, hold: { reads: !scheme } };
  },
  move: (s, size, p) => (s.hold.reads ? read(s, Math.round(layout(s, size).x.of(p.x))) : s),
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, page = 0, end }) {
    const names = found(s).map(([name]) => name);
    if (up) return { ...s, scheme: names[clamp(names.indexOf(s.scheme) - up, 0, names.length - 1)] };
    return read(s, end ? 1e3 * end : Math.round(s.length) + right + 8 * page);
  },
  parts: boxes(layout, { start: ({ left, top, foot }) => [left - 10, top - 6, 26, foot - top + 12] }),
};

export const done = {
  main(s) {
    const [none, sinusoidal] = ["none", "sinusoidal"].map((name) =>
      found(s)
        .find(([one]) => one === name)[1]
        .map(mean),
    );
    return s.length > 47 && none[0] > 0.97 && none.at(-1) > sinusoidal.at(-1) + 0.1
      ? `Found: to count praise no order is needed. At 48 words ${none.at(-1).toFixed(2)} against ${sinusoidal.at(-1).toFixed(2)}.`
      : "";
  },
};

export default stage(ABOUT, scene, { done, play: { trait: "length", unit: 120, stride: 4 } });
