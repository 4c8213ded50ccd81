// A sentence slides under a pointer, clocks turn, what the hands point at is a row of numbers, and
// the rows of all positions are a table.
/* global ABOUT */
import { decimals, place } from "../frame/controls.mjs";
import { stage } from "../frame/stage.mjs";
import { clamp, encodeTable, entry, frequency, range, remembering } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { holding, winding } from "../scene/held.mjs";
import { limits } from "../scene/limits.mjs";
import { boxes, group, h, rect, shade, table, text, wide } from "../scene/svg.mjs";

const BASE = 10_000,
  TURN = 2 * Math.PI,
  { put: set } = limits(ABOUT);
const put = (s, t) => set(s, "position", t);
const rows = remembering(encodeTable);

// Where things stand: the sentence, clocks, their row, the table
function layout({ words, d_model: d }, { w, h: high }) {
  const cell = w / d,
    r = Math.min(0.8 * cell, 36),
    y = 56 + r,
    row = y + r + 14,
    tall = 22,
    top = row + tall + (cell < 38 ? 12 : 24);
  return {
    cell,
    row,
    tall,
    top,
    step: (high - top - 2) / words.length,
    gap: Math.max(84, w / 8),
    dials: range(d / 2, (i) => ({ x: (2 * i + 1) * cell, y, r, frequency: frequency(i, d, BASE) })),
    clocks: [0, y - r - 4, w, 2 * r + 8],
  };
}

// A word on its way; it fades out where it leaves the picture
function passing(word, k, t, { gap }, w) {
  const x = w / 2 + (k - t) * gap,
    seen = clamp((Math.min(x, w - x) - Math.max(0, wide(word, 16) / 2 - 12)) / 24, 0, 1),
    c = Math.abs(k - t) < 0.5 ? "f-ink bold" : "f-muted";
  if (!seen) return [];
  return h("g", { opacity: seen }, text(x, 18, `mono mid large ${c}`, word), text(x, 36, `mono mid ${c}`, k));
}

export const scene = {
  kind: "clocks and table",
  shows:
    "A sentence under a pointer, a clock for each pair of dimensions, the row of this position and the table of all " +
    "rows.",
  moves: "The arrow keys move by a word, Page Up and Page Down by ten.",
  controls: [{ name: "position" }],
  height: (w) => (w < 560 ? 320 : 400),
  draw(s, size) {
    const { words, d_model: d, position: t } = s,
      at = layout(s, size),
      { cell, row, tall, top, step } = at,
      { w } = size,
      passed = Math.floor(t) + 1;
    return [
      group(words.map((word, k) => passing(word, k, t, at, w))),
      h("path", { class: "f-ink", d: `M${w / 2} 40L${w / 2 - 5} 47L${w / 2 + 5} 47Z` }),
      at.dials.map((dial) => clock(dial, t * dial.frequency)),
      // under each clock the two numbers that its hand points at
      range(d, (j) => {
        const value = entry(t, j, d, BASE);
        return [
          rect(j * cell + 0.5, row, cell - 1, tall, "", shade(value, "encoding", j)),
          cell < 38
            ? []
            : text((j + 0.5) * cell, row + tall + 15, `mono mid ${j % 2 ? "f-orange" : "f-blue"}`, decimals(value, 2)),
        ];
      }),
      // the rows that were passed, over a table that waits for its rows
      table(0, top, w, step * words.length, d, rows(words.length, d, BASE), "encoding"),
      rect(0, top + step * passed, w, step * (words.length - passed), "f-paper", { "fill-opacity": 0.88 }),
      rect(1, top + (passed - 1) * step, w - 2, step, "l-ink", { "stroke-width": 2 }),
    ];
  },
  reading({ words, d_model: d, position: t }) {
    const row = range(Math.min(d, 6), (j) => decimals(entry(t, j, d, BASE), 2)).join("  ");
    return `**Position ${place(t)}, “${words[Math.round(t)]}”:** ${row}${d > 6 ? " …" : ""}`;
  },
  // Clocks are wound. Above them the sentence is pulled, below a row of the table is pointed at.
  ...holding((s, size, p) => {
    const { dials, top, step, gap } = layout(s, size);
    return [
      ...dials.map((dial) => winding(set, dial)),
      { on: p.y <= 50, to: (now, q) => put(now, s.position - (q.x - p.x) / gap) },
      { on: p.y >= top, to: (now, q) => put(now, (q.y - top) / step - 0.5) },
    ];
  }),
  key: (s, { right, up, end, page = 0 }) =>
    put(s, end ? end * s.words.length : Math.round(s.position) + right + up + 10 * page),
  parts: boxes(layout, {
    sentence: (_, { w }) => [0, 0, w, 50],
    clocks: ({ clocks }) => clocks,
    quick: ({ clocks: [x, y, , tall], cell }) => [x, y, 2 * cell, tall],
    row: ({ row, tall }, { w }) => [0, row, w, tall],
    table: ({ top }, { w, h: high }) => [0, top, w, high - top],
  }),
  done: {
    // One more whole turn of the first hand, or as near to it as a word can stand
    main: ({ position }) =>
      position > 12 && Math.abs((position % TURN) - 5) < 0.3
        ? `Found: at ${place(position)} the first hand is nearly where it was at 5, and all the others have moved on.`
        : "",
    speeds: ({ d_model, position }) =>
      Math.cos(position * frequency(1, d_model, BASE)) < -0.99
        ? `Found: at ${place(position)}. Half a wavelength is half a turn.`
        : "",
  },
  fits: ({ words }) => words.length > 1 && words.every((word) => typeof word === "string"),
  play: { trait: "position", unit: 450, auto: ({ playing }) => playing },
};

export default stage(ABOUT, scene);
