// A binary counter: a clock over each digit, and its shadow on the paper below. Square clocks write
// square waves, which are the digits; rounded off, they write sines.
/* global ABOUT */
import { decimals, significant } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { clamp } from "../maths.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text, through } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const BITS = [3, 2, 1, 0],
  LAST = 15; // the highest bit first, as numbers are written

// The hand of bit b turns once in 2^(b+1) positions. It stands at t + ½ of them: at no whole t
// straight up or down.
export const angle = (t, bit) => (2 * Math.PI * (t + 0.5)) / 2 ** (bit + 1);

// The digit at t, or of the whole number nearest to it
export const digit = (t, bit) => (Math.floor(t + 0.5) >> bit) & 1;

// A sine or cosine when the clock is a circle (roundness 1), a square (0) or between: its sign stays
export function rounded(value, roundness) {
  const size = Math.abs(value);
  return size < 1e-12 ? 0 : Math.sign(value) * size ** roundness; // sin π is 0, not 1.2e-16
}

// Where a wave can be pulled into shape: not at its tops, which all of them share, nor where it is 0
export const pliable = (sine) => Math.abs(sine) > 0.02 && Math.abs(sine) < 0.98;

// The roundness with which a sine that is pliable becomes `wanted`, or the nearest that there is
export function roundnessFor(sine, wanted) {
  const shown = Math.min(Math.max(wanted * Math.sign(sine), 1e-3), 1);
  return Math.min(Math.log(shown) / Math.log(Math.abs(sine)), 1);
}

// How far right the hand of a bit reaches at t
export const shadow = (t, bit, roundness) => rounded(Math.sin(angle(t, bit)), roundness);

// By how much the shadow of a bit moves from a whole number to the next
export const leap = (t, bit, roundness) => Math.abs(shadow(t + 1, bit, roundness) - shadow(t, bit, roundness));

// The places at which a wave is drawn, from −½ to `to`; just before and after each edge of a square one
const PLACES = Array.from(
  { length: 8 * (LAST + 1) },
  (_, n) => Math.floor(n / 8) - 0.5 + clamp(0.5 - Math.cos((Math.PI * (n % 8)) / 7) / 2, 1e-9, 1 - 1e-9),
);
const written = (to) => PLACES.filter((s) => s < to).concat(to);

const RIM = Array.from({ length: 64 }, (_, n) => (n * Math.PI) / 32);

// Where things stand in a picture of this size: digits in cells, to their right clocks over waves
export function layout({ w, h: high }) {
  const left = 26,
    column = (w - left) / 4,
    cell = clamp(0.24 * column, 18, 28);
  const r = Math.min((column - cell) / 2 - 9, 40),
    dials = 20 + r,
    paper = dials + r + 14,
    step = (high - paper - 1) / (LAST + 1);
  return {
    left,
    cell,
    r,
    dials,
    paper,
    step,
    y: (t) => paper + (t + 0.5) * step,
    digits: (k) => left + k * column,
    middle: (k) => left + k * column + (column + cell) / 2 + 1,
  };
}

const nearest = (t) => Math.floor(t + 0.5);
const place = (s, t) => ({ ...s, position: clamp(t, 0, LAST) });
const row = (at, { y }) => (y - at.paper) / at.step - 0.5;
const sines = (t) => BITS.map((bit) => decimals(Math.sin(angle(t, bit)), 2)).join(", ");
const binary = (n) => n.toString(2).padStart(BITS.length, "0");

// A digit's cells, clock and wave
function column(k, { position: t, roundness }, at) {
  const bit = BITS[k],
    x = at.middle(k),
    now = nearest(t);
  const tip = (a) => [x + at.r * rounded(Math.sin(a), roundness), at.dials - at.r * rounded(Math.cos(a), roundness)];
  const [right, up] = tip(angle(t, bit));
  const wave = (to) => through(written(to).map((s) => [x + at.r * shadow(s, bit, roundness), at.y(s)]));
  return h(
    "g",
    {},
    text(x, 12, "mono mid f-muted", `every ${2 << bit}`),
    h("path", { class: "l-grid", d: `${through(RIM.map(tip))}Z` }),
    line(x, at.dials - at.r, x, at.dials + at.r, "l-grid"),
    [1, 0].map((n) =>
      text(
        x + (n ? -0.75 : 0.75) * at.r,
        at.dials + 0.33 * at.r + 4.5, // no hand of a square clock lies there

        `mono mid ${digit(t, bit) === n ? "large bold f-ink" : "f-muted"}`,
        n,
      ),
    ),
    line(x, up, right, up, "l-blue bar"), // how far right
    line(x, at.dials, right, up, "l-ink bar"),
    line(x, at.paper, x, at.y(LAST + 0.5), "l-grid"),
    h("path", { class: "l-grid", d: wave(LAST + 0.5) }),
    line(right, up, right, at.y(t), "l-muted dash"),
    h("path", { class: "l-blue wave", d: wave(t) }),
    h("circle", { class: "f-ink knob", cx: right, cy: up, r: 4.5 }),
    h("circle", { class: "f-ink knob", cx: right, cy: at.y(t), r: 4.5 }),
    h(
      "g",
      { class: "mono mid bold" },
      Array.from({ length: now + 1 }, (_, n) => {
        const depth = (1 + shadow(n, bit, roundness)) / 2; // none at −1, full at 1
        return [
          h("rect", {
            class: "f-blue",
            x: at.digits(k),
            y: at.y(n - 0.5) + 0.5,
            width: at.cell,
            height: at.step - 1,
            "fill-opacity": depth.toFixed(3),
          }),
          text(at.digits(k) + at.cell / 2, at.y(n) + 4.5, depth > 0.7 ? "f-paper" : "f-ink", digit(n, bit)),
        ];
      }),
    ),
  );
}

const ringed = (edges) => (s, size) => {
  const [left, top, right, bottom] = edges(layout(size), s, size);
  return { x: left, y: top, w: right - left, h: bottom - top };
};

export const scene = {
  kind: "counter",
  label:
    "Four binary digits in rows, one row a number. Over each column a clock, below it the shadow of its hand. " +
    "The arrow keys move by a row.",
  controls: [
    {
      name: "position",
      label: "position",
      min: 0,
      max: () => LAST,
      step: Math.round,
      text: (t) => (Number.isInteger(t) ? String(t) : decimals(t, 1)),
    },
    {
      name: "roundness",
      label: "roundness",
      min: 0,
      max: () => 100,
      value: (n) => n / 100,
      step: (v) => 100 * v,
      text: (v) => `${Math.round(100 * v)}%`,
    },
  ],
  height: (w) => (w < 500 ? 376 : 400),
  draw(s, size) {
    const at = layout(size),
      now = nearest(s.position);
    return h(
      "g",
      {},
      BITS.map((_, k) => column(k, s, at)),
      Array.from({ length: LAST + 1 }, (_, n) =>
        text(at.left - 7, at.y(n) + 4.5, `mono end ${n === now ? "bold f-ink" : "f-muted"}`, n),
      ),
      h("rect", { class: "l-ink", x: 1, y: at.y(now - 0.5), width: size.w - 2, height: at.step }),
    );
  },
  alt({ position, roundness }) {
    const now = nearest(position),
      clocks = { 0: "square", 1: "round" }[roundness] ?? "half rounded";
    return (
      `The number ${now} is ${binary(now)} in binary. Over each digit stands a ${clocks} clock whose hand is back ` +
      `after 16, 8, 4 and 2 positions. The sines of the four angles, 2π · ${significant(position + 0.5)} divided by ` +
      `16, 8, 4 and 2, are ${sines(position)}: negative where the digit is 1.`
    );
  },
  reading({ position: t }) {
    const now = nearest(t);
    return `**${now} is ${binary(now)}:** a digit is 1 where its hand points left. Sines: ${sines(t)}.`;
  },
  // Clocks are wound. On the paper a wave is pulled into shape where it is touched, and beside the
  // waves a row is pointed at.
  down(s, size, p) {
    const at = layout(size);
    const hit = (_, k) => Math.hypot(p.x - at.middle(k), p.y - at.dials) <= at.r + 8;
    const dial = BITS.findIndex(hit);
    if (dial >= 0) return { ...s, hold: { dial } };
    if (p.y < at.paper) return s;
    const t = clamp(row(at, p), 0, LAST),
      off = (k) => p.x - at.middle(k) - at.r * shadow(t, BITS[k], s.roundness);
    const k = BITS.findIndex((bit, n) => Math.abs(off(n)) < 12 && pliable(Math.sin(angle(t, bit))));
    return { ...s, hold: k < 0 ? {} : { from: at.middle(k) + off(k), sine: Math.sin(angle(t, BITS[k])) } };
  },
  move(s, size, p) {
    const at = layout(size),
      { dial, from, sine } = s.hold;
    if (from !== undefined) return { ...s, roundness: roundnessFor(sine, (p.x - from) / at.r) };
    if (dial === undefined) return place(s, row(at, p));
    const [start, next] = [0, 1].map((t) => angle(t, BITS[dial]));
    return place(s, wound({ x: at.middle(dial), y: at.dials, r: at.r, start, frequency: next - start }, s.position, p));
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) => place(s, end ? end * LAST : Math.round(s.position) + right - up),
  parts: {
    digits: ringed((at) => [at.digits(3), at.paper, at.digits(3) + at.cell, at.y(LAST + 0.5)]),
    clock: ringed((at) => [at.middle(1) - at.r, at.dials - at.r, at.middle(1) + at.r, at.dials + at.r]),
    wave: ringed((at) => [at.middle(1) - at.r, at.paper, at.middle(1) + at.r, at.y(LAST + 0.5)]),
    clocks: ringed((at) => [at.middle(0) - at.r, at.dials - at.r, at.middle(3) + at.r, at.dials + at.r]),
    row: ringed((at, { position: t }, { w }) => [0, at.y(t - 0.5), w, at.y(t + 0.5)]),
  },
};

// All four digits flip from 7 to 8; round clocks say so with less of a jump
export const done = {
  main: ({ position, roundness }) =>
    roundness > 0.95 && Math.round(position) === 7
      ? `Found: from 7 to 8 all four digits flip, and yet the slowest shadow moves by ${decimals(leap(7, 3, 1), 2)} only, not by 2.`
      : "",
  sign: ({ position }) =>
    Math.abs(position - 8) < 0.25
      ? "Found: 8 is 1000. Of the four sines only that of the slowest hand is negative."
      : "",
};

export default stage(ABOUT, drawn(ABOUT, scene), { done, play: { trait: "position", unit: 700 } });
