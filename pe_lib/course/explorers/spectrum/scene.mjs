// A clock for each pair and beside it its wavelength, on one logarithmic scale with the context. The
// hands that never come round within it stand in the shade.
/* global ABOUT */
import { baseFrom, decimals, grouped, significant, WIDTH } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { clamp, frequency, wavelength } from "../maths.mjs";
import { arc, curve, hand, knob, logarithmic, tip } from "../scene/chart.mjs";
import { drawn } from "../scene/drawn.mjs";
import { d, h, line, ring, text } from "../scene/svg.mjs";

const CLOCKS = 8,
  LONGEST = 100_000,
  SCALE = [1, 1e7], // positions
  TURN = 2 * Math.PI;

// The pairs that get a clock: at most eight, evenly spread from the first to the last
export function chosen(dModel) {
  const last = dModel / 2 - 1,
    count = Math.min(CLOCKS, last + 1);
  return Array.from({ length: count }, (_, k) => Math.round((k * last) / Math.max(count - 1, 1)));
}

const waves = ({ d_model, base }) => Array.from({ length: d_model / 2 }, (_, i) => wavelength(i, d_model, base));

// How many pairs are longer than the context
export const longer = (length, d_model, base) => waves({ d_model, base }).filter((wave) => wave > length).length;

// The base for which a pair, not the first, has this wavelength
export const baseOf = (pair, value, dModel) => (value / TURN) ** (dModel / (2 * pair));

// A base as it is kept: to so many digits, and within its limits
const rounded = (base, digits) => clamp(Number(base.toPrecision(digits)), 2, 1e6);
const place = (s, position) => ({ ...s, position: clamp(position, 0, s.length - 1) });
const positions = (x) => (x < 100 ? x.toFixed(2) : grouped(x));
const turns = (x) => (x < 99.95 ? x.toFixed(1) : grouped(x));

// Where things stand in a picture of this size: a row a clock, pairs down, positions to the right
export function layout({ w, h: high }, dModel) {
  const pairs = chosen(dModel),
    last = dModel / 2 - 1,
    top = 22,
    foot = high - 38,
    tall = (foot - top) / pairs.length;
  const r = Math.min(tall / 2 - 3, 36),
    left = 2 * r + 16,
    right = w - 16,
    gap = last && ((pairs.length - 1) * tall) / last; // from pair to pair
  return {
    pairs,
    r,
    top,
    foot,
    left,
    right,
    ...logarithmic(SCALE, [left, right]),
    y: (i) => top + tall / 2 + i * gap,
    pair: (y) => gap && Math.round(clamp((y - top - tall / 2) / gap, 0, last)),
    dial: (i) => ({ x: r + 6, y: top + tall / 2 + i * gap, r }),
  };
}

// From where on, down the pairs, the wavelengths are longer than the context
function border({ d_model, base, length }, { y, top }) {
  return Math.max(top, y(((d_model / 2) * Math.log(length / TURN)) / Math.log(base)));
}

// What lies beyond the context: the hands that never come round
function lost(s, at, w) {
  const count = longer(s.length, s.d_model, s.base),
    y = border(s, at);
  if (!count) return [];
  return [
    h("rect", { class: "f-muted", x: 0, y, width: w, height: at.foot - y, "fill-opacity": 0.18 }),
    text(at.left + 4, at.foot - 5, "mono halo f-ink", `${count} never come${count === 1 ? "s" : ""} round`),
  ];
}

// It goes left and right
const arrow = (x, y, to) => d`M${x + to} ${y}L${x} ${y - 6}L${x} ${y + 6}Z`;

function row(s, at, i) {
  const dial = at.dial(i),
    wave = wavelength(i, s.d_model, s.base),
    x = at.at(wave),
    omega = frequency(i, s.d_model, s.base),
    near = x > at.right - 70;
  return h(
    "g",
    {},
    line(dial.x + at.r + 4, dial.y, x, dial.y, "l-grid dash"),
    ring(dial.x, dial.y, at.r, "f-paper"),
    ring(dial.x, dial.y, at.r),
    arc(dial, 0, Math.min(TURN, (s.length - 1) * omega), 4, "l-green"), // what the hand covers in the context
    hand(dial, s.position * omega, "l-ink bar"),
    knob(...tip(dial, s.position * omega), 3.5),
    h("circle", { class: wave > s.length ? "f-paper l-ink" : "f-ink l-ink", cx: x, cy: dial.y, r: 5 }),
    text(near ? x - 11 : x + 11, dial.y + 4.5, `mono bold halo f-ink ${near ? "end" : ""}`, positions(wave)),
  );
}

export const scene = {
  kind: "clocks and wavelengths",
  label:
    "A clock for each of up to eight pairs, and beside it the wavelength on a logarithmic scale. Left and right " +
    "arrow move the position, Page Up and Page Down by a hundred; up and down arrow change the base.",
  controls: [{ name: "position", label: "position", min: 0, max: ({ length }) => length - 1, text: grouped }],
  settings: [
    baseFrom(3),
    {
      name: "length",
      label: "context",
      min: 2,
      max: () => 34,
      text: grouped,
      unit: "positions",
      value: (step) => Math.min(Math.round(2 ** (step / 2)), LONGEST),
      step: (length) => (length === LONGEST ? 34 : Math.min(2 * Math.log2(length), 33)),
      set: (s, length) => place({ ...s, length }, s.position),
    },
    WIDTH,
  ],
  height: (w) => (w < 500 ? 330 : 384),
  draw(s, size) {
    const at = layout(size, s.d_model),
      all = waves(s),
      edge = at.at(s.length),
      roomy = at.foot - at.top > 7 * all.length;
    const decades = Array.from({ length: 8 }, (_, k) => 10 ** k);
    return h(
      "g",
      {},
      h("g", {}, lost(s, at, size.w)),
      decades.map((v) => line(at.at(v), at.top - 6, at.at(v), at.foot, "l-grid")),
      decades
        .filter((_, k) => k < 7 && (size.w > 560 || k % 2 === 0))
        .map((v) => text(at.at(v), at.foot + 15, "mono mid f-muted", v < 1e6 ? grouped(v) : "1 million")),
      text(at.right, at.foot + 32, "mono end f-muted", "wavelength in positions"),
      curve(
        "l-ink",
        all.map((wave, i) => [at.at(wave), at.y(i)]),
      ),
      line(edge, at.top - 6, edge, at.foot, "l-green bar"),
      h("path", {
        class: "f-green",
        d: [-1, 1].map((way) => arrow(edge + 5 * way, at.top + 2, 7 * way)).join(""),
      }),
      text(clamp(edge, at.left + 50, at.right - 50), 11, "mono mid bold f-green", `context ${grouped(s.length)}`),
      roomy ? all.map((wave, i) => ring(at.at(wave), at.y(i), 3, wave > s.length ? "f-paper l-ink" : "f-ink")) : [],
      at.pairs.map((i) => row(s, at, i)),
    );
  },
  alt(s) {
    const all = waves(s),
      { length } = all,
      count = longer(s.length, s.d_model, s.base);
    const range =
      length > 1
        ? `wavelengths from ${all[0].toFixed(2)} to ${decimals(all.at(-1), 1)}`
        : `a wavelength of ${all[0].toFixed(2)}`;
    return (
      `Spectrum for d_model = ${s.d_model} and base ${grouped(s.base)}: ${range} positions. Of ${length} ` +
      `${length === 1 ? "pair" : "pairs"}, ${count} ${count === 1 ? "is" : "are"} hollow and shaded: longer than the context ` +
      `of ${grouped(s.length)} positions. The ${length === 1 ? "clock shows" : "clocks show"} position ${grouped(s.position)}.`
    );
  },
  reading(s) {
    const all = waves(s),
      pairs = all.length,
      count = longer(s.length, s.d_model, s.base),
      turn = (s.length - 1) / all.at(-1);
    const position = Math.round(s.position),
      ratio = pairs > 1 ? `, ratio ${significant(s.base ** (2 / s.d_model))}.` : ": a single pair.",
      way = turn < 1 ? `turns by ${significant(360 * turn)}°` : `makes ${significant(turn)} turns`;
    return (
      `Wavelengths from **${positions(all[0])}** to **${positions(all.at(-1))}**${ratio} **${count} of ${pairs}** ` +
      `${pairs === 1 ? "pair" : "pairs"} ${count === 1 ? "is" : "are"} longer than the context; over it the slowest hand ${way}. ` +
      `**Position ${grouped(position)}:** ${turns(position / all[0])} turns of pair 0.`
    );
  },
  // A hand takes the position with it, the line of the wavelengths the base, and the context its line
  down(s, size, p) {
    const at = layout(size, s.d_model),
      dial = at.pairs.find((i) => Math.hypot(p.x - at.dial(i).x, p.y - at.dial(i).y) <= at.r + 8);
    if (dial !== undefined) return { ...s, hold: { dial, at: s.position } };
    const pair = at.pair(p.y),
      [aside, beside] = [wavelength(pair, s.d_model, s.base), s.length].map((v) => at.at(v) - p.x);
    if (Math.abs(beside) < 22 && (!pair || Math.abs(beside) < Math.abs(aside))) return { ...s, hold: { off: beside } };
    return pair && Math.abs(aside) < 28 ? { ...s, hold: { pair, off: aside } } : s;
  },
  move(s, size, p) {
    const at = layout(size, s.d_model),
      { dial, pair, off } = s.hold;
    if (dial !== undefined) {
      const now = place(s, wound({ ...at.dial(dial), frequency: frequency(dial, s.d_model, s.base) }, s.hold.at, p));
      return { ...now, hold: { dial, at: now.position } };
    }
    const value = at.of(p.x + off);
    if (pair) return { ...s, base: rounded(baseOf(pair, value, s.d_model), 3) };
    return place({ ...s, length: clamp(Math.round(Number(value.toPrecision(2))), 2, LONGEST) }, s.position);
  },
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, page = 0, end }) {
    if (up) return { ...s, base: rounded(s.base * 10 ** (up / 10), 2) };
    return place(s, end ? end * s.length : Math.round(s.position) + right + 100 * page);
  },
  parts: {
    clocks(s, size) {
      const { top, foot, r } = layout(size, s.d_model);
      return { x: 0, y: top - 4, w: 2 * r + 12, h: foot - top + 4 };
    },
    line(s, size) {
      const { top, foot, right, at } = layout(size, s.d_model),
        all = waves(s).map(at);
      return { x: all[0] - 12, y: top - 2, w: Math.min(all.at(-1) + 60, right + 12) - all[0] + 12, h: foot - top };
    },
    context(s, size) {
      const { foot, at } = layout(size, s.d_model);
      return { x: at(s.length) - 14, y: 16, w: 28, h: foot - 16 };
    },
    lost(s, size) {
      const at = layout(size, s.d_model),
        y = border(s, at);
      return { x: 0, y, w: size.w, h: at.foot - y };
    },
  },
};

export const done = {
  main({ d_model, base, length }) {
    const last = wavelength(d_model / 2 - 1, d_model, base);
    return last <= length && last > 0.8 * length
      ? `Found: base ${grouped(base)}. The slowest hand is round after ${grouped(last)} of ${grouped(length)} positions.`
      : "";
  },
  context({ d_model, base, length }) {
    const count = longer(length, d_model, base);
    return Math.abs(count - d_model / 4) <= d_model / 64
      ? `Found: in ${grouped(length)} positions ${count} of ${d_model / 2} hands never come round.`
      : "";
  },
};

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  play: { trait: "position", unit: 120, high: ({ length }) => length - 1 },
});
