// Draws a binary counter with a clock for each digit, and the shadow of the clock's hand on the paper below.
// Square clocks draw square waves, which are the digits. As the clocks become round, the waves become sines.
import { decimals } from "../frame/controls.mjs";
import { clamp, range } from "../maths.mjs";
import { curve, grip, knob } from "../scene/chart.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, group, h, line, path, rect, shade, text, through } from "../scene/svg.mjs";

const BITS = [3, 2, 1, 0],
  LAST = 15; // BITS begins with the highest bit, as in a written number

// The hand of bit b turns once in 2^(b+1) positions.
// The hand is half a position ahead, so that it never points straight up or down at a whole position.
export const angle = (t, bit) => (2 * Math.PI * (t + 0.5)) / 2 ** (bit + 1);

const nearest = (t) => Math.floor(t + 0.5);

// Return the binary digit at the whole number that is nearest to t.
export const digit = (t, bit) => (nearest(t) >> bit) & 1;

// Raise a sine or cosine to the power `roundness` and keep its sign: 1 gives a circle, and 0 gives a square.
function rounded(value, roundness) {
  const size = Math.abs(value);
  return size < 1e-12 ? 0 : Math.sign(value) * size ** roundness; // floating-point sin π is 1.2e-16, not 0
}

// Return how far to the right the hand of a bit points at position t.
export const shadow = (t, bit, roundness) => rounded(Math.sin(angle(t, bit)), roundness);

// The positions at which a wave is drawn. A square wave needs points just before and just after each edge.
const PLACES = range(
  8 * (LAST + 1),
  (n) => Math.floor(n / 8) - 0.5 + clamp(0.5 - Math.cos((Math.PI * (n % 8)) / 7) / 2, 1e-9, 1 - 1e-9),
);
const RIM = range(64, (n) => (n * Math.PI) / 32);

// Return the layout for a picture of this size: for each bit a column of digits, its clock and its wave.
function layout(_, { w, h: high }) {
  const left = 26,
    wide = (w - left) / 4,
    cell = clamp(0.24 * wide, 18, 28);
  const r = Math.min((wide - cell) / 2 - 9, 40),
    dials = 20 + r,
    paper = dials + r + 14,
    step = (high - paper - 1) / (LAST + 1),
    middle = (k) => left + k * wide + (wide + cell) / 2 + 1;
  return {
    left,
    cell,
    paper,
    step,
    y: (t) => paper + (t + 0.5) * step,
    row: (y) => (y - paper) / step - 0.5,
    digits: (k) => left + k * wide,
    dials: BITS.map((bit, k) => ({ bit, x: middle(k), y: dials, r })),
  };
}

const sines = (t) => BITS.map((bit) => decimals(Math.sin(angle(t, bit)), 2)).join(", ");

// Draw the cells, the clock and the wave of a digit. `s` is the state.
function column({ bit, x, y, r }, k, s, at) {
  const { position: t, roundness } = s,
    tip = (a) => [x + r * rounded(Math.sin(a), roundness), y - r * rounded(Math.cos(a), roundness)],
    [right, up] = tip(angle(t, bit));
  const wave = (to) => [...PLACES.filter((s) => s < to), to].map((s) => [x + r * shadow(s, bit, roundness), at.y(s)]);
  return group(
    part(s, "periods", () => text(x, 12, "mono mid f-muted", `every ${2 << bit}`)),
    part(s, "waves", () => line(x, up, right, up, "l-blue thick")), // how far the hand points to the right
    part(s, "clocks", () => [
      path("l-grid", [through(RIM.map(tip)), "Z"]),
      line(x, y - r, x, y + r, "l-grid"),
      [1, 0].map((n) => {
        const now = digit(t, bit) === n ? `${r > 30 ? "large" : ""} bold f-ink` : "f-muted";
        return text(x + (n ? -0.72 : 0.72) * r, y + 0.4 * r + 4.5, `mono mid ${now}`, n); // clear of square hands
      }),
      line(x, y, right, up, "l-ink bar"),
      grip(right, up, 4.5),
    ]),
    part(s, "waves", () => [
      line(x, at.paper, x, at.y(LAST + 0.5), "l-grid"),
      curve("l-grid", wave(LAST + 0.5)),
      line(right, up, right, at.y(t), "l-muted dash"),
      curve("l-blue wave", wave(t)),
      knob(right, at.y(t), 4.5),
    ]),
    part(s, k === 3 ? ["digits", "last"] : "digits", () => digits(bit, k, s, at)),
  );
}

// Draw the digits of a column. From the step on that names the shades, each has the depth of its wave as its ground.
const digits = (bit, k, s, at) =>
  h(
    "g",
    { class: "mono mid bold" },
    range(nearest(s.position) + 1, (n) => {
      const value = isShown(s, "shades") ? shadow(n, bit, s.roundness) : -1;
      return [
        rect(at.digits(k), at.y(n - 0.5) + 0.5, at.cell, at.step - 1, "", shade(value, "encoding")),
        text(at.digits(k) + at.cell / 2, at.y(n) + 4.5, value > 0.4 ? "f-paper" : "f-ink", digit(n, bit)),
      ];
    }),
  );

export const scene = ({ setValue }) => ({
  kind: "counter",
  shows: "Four binary digits in rows, one row a number. Over each column a clock, below it the shadow of its hand.",
  moves: "The arrow keys move by a row.",
  reveals: true,
  controls: [
    { name: "position" },
    { name: "roundness", per: 100, text: (v) => `${Math.round(100 * v)}%`, part: "roundness" },
  ],
  height: (w) => (w < 500 ? 376 : 400),
  draw(s, size) {
    const at = layout(s, size),
      now = nearest(s.position);
    return [
      at.dials.map((dial, k) => column(dial, k, s, at)),
      part(s, "digits", () =>
        range(LAST + 1, (n) => text(at.left - 7, at.y(n) + 4.5, `mono end ${n === now ? "bold f-ink" : "f-muted"}`, n)),
      ),
      part(s, ["digits", "row"], () => rect(1, at.y(now - 0.5), size.w - 2, at.step, "l-ink")),
    ];
  },
  reading(s) {
    const now = nearest(s.position),
      hands = isShown(s, "clocks") ? " A digit is 1 where its hand points left." : "",
      waves = isShown(s, "roundness") ? ` Sines: ${sines(s.position)}.` : "";
    return `**${now} is ${now.toString(2).padStart(4, "0")}.**${hands}${waves}`;
  },
  // Dragging winds a clock, or chooses a row on the paper.
  ...gesturesFor((s, size, p) => {
    const at = layout(s, size);
    return [
      ...at.dials.map((dial) => {
        const [start, next] = [0, 1].map((n) => angle(n, dial.bit));
        return windClock(setValue, { ...dial, start, frequency: next - start });
      }),
      { on: p.y > at.paper, to: (now, q) => setValue(now, "position", at.row(q.y)) },
    ];
  }),
  key: (s, { right, up, end }) => setValue(s, "position", end ? end * LAST : Math.round(s.position) + right - up),
  parts: boxes(layout, {
    digits: (at, { w }) => [0, at.paper, w, (LAST + 1) * at.step],
    last: (at) => [at.digits(3), at.paper, at.cell, (LAST + 1) * at.step],
    periods: (at, { w }) => [at.left, 0, w - at.left, 18],
    clocks: ({ dials: [{ x, y, r }, , , last] }) => [x - r, y - r, last.x - x + 2 * r, 2 * r],
    waves: ({ dials: [{ x, r }, , , last], paper, step }) => [x - r, paper, last.x - x + 2 * r, (LAST + 1) * step],
    roundness: ({ dials: [{ x, y, r }, , , last] }) => [x - r, y - r, last.x - x + 2 * r, 2 * r],
    shades: (at, { w }) => [0, at.paper, w, (LAST + 1) * at.step],
    row: (at, { w }, { position: t }) => [0, at.y(t - 0.5), w, at.step],
  }),
  // From 7 to 8 all four digits flip, but the shadow of a round clock changes less abruptly.
  done: {
    main({ position, roundness }) {
      const leap = decimals(Math.abs(shadow(8, 3, 1) - shadow(7, 3, 1)), 2);
      return roundness > 0.95 && Math.round(position) === 7
        ? `Found: from 7 to 8 all four digits flip, but the shadow of the slowest hand moves by only ${leap}, not by 2.`
        : "";
    },
  },
  play: { trait: "position", unit: 700 },
});
