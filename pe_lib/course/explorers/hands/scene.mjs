// A sentence slides under a pointer, clocks turn, what the hands point at is a row of numbers, and
// the rows of all positions are a table.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { clamp, encodeTable, entry, frequency } from "../maths.mjs";
import { clock, place } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, shade, table, text, wide } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const BASE = 10_000;

// Where things stand: the sentence, clocks, their row, the table
function layout({ words, d_model: d }, { w, h: high }) {
  const cell = w / d,
    r = Math.min(0.8 * cell, 36),
    dials = 56 + r,
    row = dials + r + 14,
    tall = 22,
    top = row + tall + (cell < 38 ? 12 : 24);
  return {
    cell,
    row,
    tall,
    top,
    step: (high - top - 2) / words.length,
    gap: Math.max(84, w / 8),
    dials: Array.from({ length: d / 2 }, (_, i) => ({
      x: (2 * i + 1) * cell,
      y: dials,
      r,
      frequency: frequency(i, d, BASE),
    })),
  };
}

// The table of all rows, the same array as long as it is the same
let kept = { of: "", rows: new Float64Array(0) };
function rows(positions, d) {
  const of = `${positions} ${d}`;
  if (kept.of !== of) kept = { of, rows: encodeTable(positions, d, BASE) };
  return kept.rows;
}

const put = (s, t) => ({ ...s, position: clamp(t, 0, s.words.length - 1) });
const ringed = (edges) => (s, size) => {
  const [y, tall, w = size.w] = edges(layout(s, size), size);
  return { x: 0, y, w, h: tall };
};

export const scene = {
  kind: "clocks and table",
  label:
    "A sentence under a pointer, a clock for each pair of dimensions, the row of this position and the table of all " +
    "rows. The arrow keys move by a word, Page Up and Page Down by ten.",
  controls: [
    {
      name: "position",
      label: "position",
      min: 0,
      max: ({ words }) => words.length - 1,
      step: Math.round,
      text: place,
    },
  ],
  height: (w) => (w < 560 ? 320 : 400),
  draw(s, size) {
    const { words, d_model: d, position: t } = s,
      { cell, row, tall, top, step, gap, dials } = layout(s, size),
      { w } = size,
      passed = Math.floor(t) + 1;
    return h(
      "g",
      {},
      // it fades out where it leaves the picture
      h(
        "g",
        {},
        words.map((word, k) => {
          const x = w / 2 + (k - t) * gap,
            seen = clamp((Math.min(x, w - x) - Math.max(0, wide(word, 16) / 2 - 12)) / 24, 0, 1),
            c = Math.abs(k - t) < 0.5 ? "f-ink bold" : "f-muted";
          return seen
            ? h("g", { opacity: seen }, text(x, 18, `mono mid large ${c}`, word), text(x, 36, `mono mid ${c}`, k))
            : [];
        }),
      ),
      h("path", { class: "f-ink", d: `M${w / 2} 40L${w / 2 - 5} 47L${w / 2 + 5} 47Z` }),
      dials.map((dial) => clock(dial, t * dial.frequency)),
      // under each clock the two numbers that its hand points at
      Array.from({ length: d }, (_, j) => {
        const value = entry(t, j, d, BASE);
        return [
          h("rect", { ...shade(value, "encoding", j), x: j * cell + 0.5, y: row, width: cell - 1, height: tall }),
          cell < 38
            ? []
            : text((j + 0.5) * cell, row + tall + 15, `mono mid ${j % 2 ? "f-orange" : "f-blue"}`, decimals(value, 2)),
        ];
      }),
      // the rows that were passed, over a table that waits for its rows
      table(0, top, w, step * words.length, d, rows(words.length, d), "encoding"),
      h("rect", {
        class: "f-paper",
        x: 0,
        y: top + step * passed,
        width: w,
        height: step * (words.length - passed),
        "fill-opacity": 0.88,
      }),
      h("rect", { class: "l-ink", x: 1, y: top + (passed - 1) * step, width: w - 2, height: step, "stroke-width": 2 }),
    );
  },
  alt({ words, d_model: d, position: t }) {
    const row = Array.from({ length: Math.min(d, 4) }, (_, j) => decimals(entry(t, j, d, BASE), 2)).join(", ");
    return (
      `Position ${place(t)}, “${words[Math.round(t)]}”: ${d / 2} clocks, each slower than the one before. What their ` +
      `hands point at, right and up, is the row that is added to the word: ${row}${d > 4 ? ", …" : ""}`
    );
  },
  reading({ words, d_model: d, position: t }) {
    const row = Array.from({ length: Math.min(d, 6) }, (_, j) => decimals(entry(t, j, d, BASE), 2)).join("  ");
    return `**Position ${place(t)}, “${words[Math.round(t)]}”:** ${row}${d > 6 ? " …" : ""}`;
  },
  // Clocks are wound. Above them the sentence is pulled, below a row of the table is pointed at.
  down(s, size, p) {
    const { dials, top } = layout(s, size),
      dial = dials.find(({ x, y, r }) => Math.hypot(p.x - x, p.y - y) <= r + 8);
    if (dial) return { ...s, hold: { dial } };
    return p.y <= 50 ? { ...s, hold: { x: p.x, from: s.position } } : p.y < top ? s : { ...s, hold: {} };
  },
  move(s, size, p) {
    const { gap, top, step } = layout(s, size),
      { dial, x, from } = s.hold;
    if (dial) return put(s, wound(dial, s.position, p));
    return put(s, x === undefined ? (p.y - top) / step - 0.5 : from - (p.x - x) / gap);
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end, page = 0 }) =>
    put(s, end ? end * s.words.length : Math.round(s.position) + right + up + 10 * page),
  parts: {
    sentence: ringed(() => [0, 50]),
    clocks: ringed(({ dials: [{ y, r }] }) => [y - r - 4, 2 * r + 8]),
    quick: ringed(({ dials: [{ y, r }], cell }) => [y - r - 4, 2 * r + 8, 2 * cell]),
    row: ringed(({ row, tall }) => [row, tall]),
    table: ringed(({ top }, size) => [top, size.h - top]),
  },
};

// One more whole turn of the first hand, or as near to it as a word can stand
const TURN = 2 * Math.PI;
export const done = {
  main: ({ position }) =>
    position > 12 && Math.abs((position % TURN) - 5) < 0.3
      ? `Found: at ${place(position)} the first hand is nearly where it was at 5, and all the others have moved on.`
      : "",
  speeds: ({ d_model, position }) =>
    Math.cos(position * frequency(1, d_model, BASE)) < -0.99
      ? `Found: at ${place(position)}. Half a wavelength is half a turn.`
      : "",
};

export const fits = ({ words, position }) =>
  words.length > 1 && words.every((word) => typeof word === "string") && position <= words.length - 1;

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits,
  play: { trait: "position", unit: 450, high: ({ words }) => words.length - 1, auto: ({ playing }) => playing },
});
