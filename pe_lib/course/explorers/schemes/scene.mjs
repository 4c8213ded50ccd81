// Recorded experiments as six curves: which scheme of position learns which task, and how far it goes.
/* global ABOUT */
import { stage } from "../frame/stage.mjs";
import { clamp } from "../maths.mjs";
import { curve, linear } from "../scene/chart.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, ring, text } from "../scene/svg.mjs";

const TASKS = { previous: "the word before", order: "who bites whom", counting: "more praise or complaint" };
const GUESS = { previous: 1 / 8, order: 1 / 2, counting: 1 / 2 };

export const mean = (shares) => shares.reduce((a, b) => a + b, 0) / shares.length;

// The shares of each scheme by length: [scheme, [[share of each seed], …]]
export function chosen(recording, task, causal, layers) {
  return recording.settings
    .filter((cell) => cell.task === task && cell.causal === causal && cell.layers === layers)
    .map((cell) => [cell.scheme, recording.lengths.map((_, n) => cell.right.map((seed) => seed[n]))]);
}

// The shares of the seeds at a length, on a line between those recorded
export function sharesAt(lengths, shares, length) {
  const n = clamp(
    lengths.findLastIndex((one) => one <= length),
    0,
    lengths.length - 2,
  );
  const part = (length - lengths[n]) / (lengths[n + 1] - lengths[n]);
  return shares[n].map((share, seed) => share + part * (shares[n + 1][seed] - share));
}

// Heights for labels, none nearer to the next than `gap`, in the order of where they belong
export function apart(wanted, gap, low, high) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]),
    placed = [...wanted];
  let least = low;
  for (const k of order) least = (placed[k] = Math.max(placed[k], least)) + gap;
  let most = high;
  for (const k of order.reverse()) most = (placed[k] = Math.min(placed[k], most)) - gap;
  return placed;
}

const found = ({ recording, task, causal, layers }) => chosen(recording, task, causal, layers);
/** @type {(s: any) => [number, number]} */
const ends = ({ recording: { lengths } }) => [lengths[0], lengths.at(-1)];

// Each scheme with the shares of its seeds at whole words, the best on average first
const ranked = (s) =>
  found(s)
    .map(([name, shares]) => ({ name, shares: sharesAt(s.recording.lengths, shares, Math.round(s.length)) }))
    .sort((a, b) => mean(b.shares) - mean(a.shares));

// Where things stand in a picture of this size: the axes, and each scheme with its mean, its curve so far
// and where its name stands
export function layout(s, { w, h: high }) {
  const { lengths } = s.recording,
    [left, right, top, foot] = [36, w - 84, 14, high - 38],
    across = linear(ends(s), [left, right]),
    up = linear([0, 1], [foot, top]).at;
  const passed = lengths.filter((one) => one < s.length);
  const run = (shares, value) => [
    ...passed.map((one, n) => [across.at(one), up(value(shares[n]))]),
    [across.at(s.length), up(value(sharesAt(lengths, shares, s.length)))],
  ];
  const schemes = found(s).map(([name, shares]) => ({ name, shares, points: run(shares, mean) }));
  const names = apart(
    schemes.map(({ points }) => points.at(-1)[1]),
    15,
    top,
    foot,
  );
  return { left, right, top, foot, ...across, up, run, schemes: schemes.map((one, k) => ({ ...one, y: names[k] })) };
}

// How far above or below a piece of a curve a point is
const beside = ([x1, y1], [x2, y2], { x, y }) =>
  x < x1 || x > x2 ? Infinity : Math.abs(y1 + ((x - x1) / (x2 - x1 || 1)) * (y2 - y1) - y);

// The scheme whose curve, or whose name to the right of all curves, is under a point
function under(s, size, p) {
  const { schemes, at } = layout(s, size),
    past = p.x > at(s.length) + 6;
  if (Math.abs(p.x - at(s.length)) <= 6) return undefined;
  const gap = ({ y, points }) =>
    past ? Math.abs(y - p.y) : Math.min(...points.slice(1).map((point, n) => beside(points[n], point, p)));
  const [best] = schemes.map((one) => ({ ...one, gap: gap(one) })).sort((a, b) => a.gap - b.gap);
  return best.gap < (past ? 9 : 7) ? best.name : undefined;
}

const read = (s, length) => ({ ...s, length: clamp(length, ...ends(s)) });

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
    {
      name: "layers",
      label: "layers",
      options: [
        [1, "one"],
        [2, "two"],
      ],
    },
    { name: "causal", label: "causal mask" },
  ],
  height: (w) => (w < 500 ? 290 : 352),
  draw(s, size) {
    const at = layout(s, size),
      { left, right, top, foot, up } = at,
      [first] = ends(s),
      guess = up(GUESS[s.task]),
      here = at.at(s.length),
      front = at.schemes.find(({ name }) => name === s.scheme);
    const unit =
      s.task === "previous" ? `share right ↑ new words past ${first} →` : "share right ↑  words in the text →";
    return h(
      "g",
      {},
      [0, 0.25, 0.5, 0.75, 1].map((share) => [
        line(left, up(share), right, up(share), "l-grid"),
        text(left - 6, up(share) + 4.5, "mono end f-muted", share),
      ]),
      s.recording.lengths
        .filter((_, n) => n % 2 === 0)
        .map((one) => text(at.at(one), foot + 16, "mono mid f-muted", one)),
      text(left, foot + 33, "mono f-muted", unit),
      line(left, guess, right, guess, "l-muted dash"),
      at.schemes.map(({ name, points }) => (name === s.scheme ? [] : curve("l-muted", points))),
      front.shares[0].map((_, seed) =>
        curve(
          "l-ink thin",
          at.run(front.shares, (shares) => shares[seed]),
        ),
      ),
      curve("l-ink thick", front.points),
      line(here, top - 8, here, foot, "l-ink"),
      text(Math.min(here, right - 10), 10, "mono mid halo f-ink", `${Math.round(s.length)} words`),
      at.schemes.map(({ name, y, points }) => {
        const mine = name === s.scheme;
        return [
          ring(...points.at(-1), mine ? 5 : 3.5, mine ? "f-ink" : "f-muted"),
          text(here + 10, y + 4.5, mine ? "mono bold f-ink" : "mono f-muted", name),
        ];
      }),
      text(right - 4, guess + 16, "mono end halo f-ink", "guessing"),
    );
  },
  alt(s) {
    const [first] = ends(s),
      words = Math.round(s.length);
    return (
      `Share of right answers in the task “${TASKS[s.task]}”, ${s.causal ? "causal" : "bidirectional"}, ${s.layers} ` +
      `${s.layers === 1 ? "layer" : "layers"}, trained at ${first} words, read at ${words}` +
      `${s.task === "previous" && words > first ? ` from word ${first} on` : ""}, mean of the seeds: ` +
      `${ranked(s)
        .map(({ name, shares }) => `${name} ${mean(shares).toFixed(2)}`)
        .join("; ")}.`
    );
  },
  reading(s) {
    const all = ranked(s),
      { shares } = all.find(({ name }) => name === s.scheme);
    const [low, high] = [Math.min(...shares), Math.max(...shares)].map((v) => v.toFixed(2));
    return (
      `**${s.scheme} at ${Math.round(s.length)} words: ${mean(shares).toFixed(2)} right**, five seeds from ${low} to ${high}. ` +
      `All: ${all.map((one) => `${one.name} ${mean(one.shares).toFixed(2)}`).join(", ")}.`
    );
  },
  // A curve or its name comes to the front; elsewhere the texts are made longer or shorter
  down(s, size, p) {
    const scheme = under(s, size, p);
    return { ...s, scheme: scheme ?? s.scheme, hold: { reads: !scheme } };
  },
  move: (s, size, p) => (s.hold.reads ? read(s, Math.round(layout(s, size).of(p.x))) : s),
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, page = 0, end }) {
    const names = found(s).map(([name]) => name);
    if (up) return { ...s, scheme: names[clamp(names.indexOf(s.scheme) - up, 0, names.length - 1)] };
    return read(s, end ? 1e3 * end : Math.round(s.length) + right + 8 * page);
  },
  parts: {
    start(s, size) {
      const { left, top, foot } = layout(s, size);
      return { x: left - 10, y: top - 6, w: 26, h: foot - top + 12 };
    },
  },
};

export const done = {
  main({ recording, task, causal, layers, length }) {
    const of = (name) =>
      chosen(recording, task, causal, layers)
        .find(([scheme]) => scheme === name)[1]
        .map(mean);
    const [none, sinusoidal] = [of("none"), of("sinusoidal")];
    return length > 47 && none[0] > 0.97 && none.at(-1) > sinusoidal.at(-1) + 0.1
      ? `Found: to count praise no order is needed. At 48 words ${none.at(-1).toFixed(2)} against ${sinusoidal.at(-1).toFixed(2)}.`
      : "";
  },
};

export default stage(ABOUT, drawn(ABOUT, scene), { done, play: { trait: "length", unit: 120, stride: 4 } });
