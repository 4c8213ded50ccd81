// The encoding as a heatmap with one chosen cell. Over each two columns stands their clock; the clock of
// the chosen cell stands large in the corner, and throws its shadows on the row and on the column.
/* global ABOUT */
import { baseFrom, decimals, grouped, significant, WIDTH } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { clamp, encodeTable, entry, frequency, remembering, wavelength } from "../maths.mjs";
import { around, curve, hand, knob, ticks, tip } from "../scene/chart.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, ring, table, text, wide } from "../scene/svg.mjs";

const encoded = remembering((positions, dModel, base) => encodeTable(positions, dModel, base));

// A cell outside the table becomes the nearest inside
const choose = (s, position, dim) => ({
  ...s,
  position: clamp(position, 0, s.positions - 1),
  dim: clamp(dim, 0, s.d_model - 1),
});
const value = ({ position, dim, d_model, base }) => entry(Math.round(position), dim, d_model, base);
const hue = (dim) => (dim % 2 ? "orange" : "blue");

// Where things stand in a picture of this size: above the table the row as strokes and the small clocks,
// beside it the column as a wave, and the large clock where row and column meet
export function layout({ w, h: high }, { d_model, positions }) {
  const r = clamp(0.11 * w, 32, 62),
    left = 30,
    right = w - 2 * r - 12;
  const cell = (right - left - 14) / d_model,
    small = clamp(cell - 1, 5, 20),
    row = { x: left, y: 18, w: cell * d_model, h: 2 * r };
  const dials = row.y + row.h + small + 8,
    box = { x: left, y: dials + small + 6, w: row.w, h: high - dials - small - 26 },
    every = Math.ceil((2 * small + 2) / (2 * cell)); // so many pairs for each small clock
  return {
    row,
    box,
    cell: { w: cell, h: box.h / positions },
    numbered: cell >= 34 && box.h / positions >= 15, // room for the numbers themselves
    column: { x: right, y: box.y, w: 2 * r, h: box.h },
    dial: { x: right + r, y: row.y + r, r },
    dials: Array.from({ length: Math.ceil(d_model / 2 / every) }, (_, k) => k * every).map((pair) => ({
      pair,
      x: left + (2 * pair + 1) * cell,
      y: dials,
      r: small,
    })),
    x: (dim) => left + (dim + 0.5) * cell,
    y: (position) => box.y + ((position + 0.5) / positions) * box.h,
  };
}

const framed = ({ x, y, w, h: high }, c) => h("rect", { class: c, x, y, width: w, height: high });

// The table with its numbers, as far as there is room for them
function cells(s, { box, column, numbered, x, y }) {
  const below = `dimension ${s.dim}`,
    end = column.x + column.w;
  const values = encoded(s.positions, s.d_model, s.base);
  return [
    // under numbers less deep, so that ink is read on each of them, in the light and in the dark
    h(
      "g",
      { opacity: numbered ? "0.45" : undefined },
      table(box.x, box.y, box.w, box.h, s.d_model, values, "encoding"),
    ),
    ticks(s.positions, box.h / 26).map((p) => text(box.x - 6, y(p) + 4.5, "mono end f-muted", p)),
    ticks(s.d_model, box.w / 34)
      .filter((dim) => x(dim) + 12 < end - wide(below))
      .map((dim) => text(x(dim), box.y + box.h + 16, "mono mid f-muted", dim)),
    text(end, box.y + box.h + 16, "mono end f-ink", below),
    numbered
      ? Array.from(values, (v, k) =>
          text(x(k % s.d_model), y(Math.floor(k / s.d_model)) + 4.5, "mono mid f-ink", decimals(v, 2)),
        )
      : [],
  ];
}

// The numbers of the row as strokes from 0; where these are too many, sines and cosines are a curve each
function along(s, { dial, cell, x }) {
  const points = Array.from({ length: s.d_model }, (_, dim) => [
    x(dim),
    dial.y - dial.r * entry(s.position, dim, s.d_model, s.base),
  ]);
  if (cell.w < 6)
    return [0, 1].map((odd) =>
      curve(
        `l-${hue(odd)} ${odd ? "dash" : ""}`,
        points.filter((_, dim) => dim % 2 === odd),
      ),
    );
  return points.map(([px, py], dim) => [
    line(px, dial.y, px, py, `l-${hue(dim)} bar`),
    ring(px, py, 3, `l-${hue(dim)} f-${dim % 2 ? "paper" : "blue"}`),
  ]);
}

// Down the column the wave is continuous, and a position is a sample of it
function wave({ dim, d_model, base, positions }, { column, dial }) {
  const points = Array.from({ length: 2 * Math.floor(column.h) + 1 }, (_, k) => {
    const position = (k / 2 / column.h) * positions - 0.5;
    return [dial.x + dial.r * entry(position, dim, d_model, base), column.y + k / 2];
  });
  return curve(`l-${hue(dim)}`, points);
}

// The chosen cell with its row and its column, and the hand whose shadows they are: its sine falls down on
// the column, its cosine goes level to the row
function chosen(s, { box, cell, column, dial, numbered, row, x, y }) {
  const own = `l-${hue(s.dim)}`,
    [px, py] = [x(s.dim), y(s.position)],
    [right, up] = tip(dial, s.position * frequency(s.dim >> 1, s.d_model, s.base)),
    [w, high] = [Math.max(cell.w, 8), Math.max(cell.h, 8)],
    frame = { x: px - w / 2, y: py - high / 2, w, h: high };
  const shadow = s.dim % 2 ? [dial.x, dial.y, dial.x, up] : [dial.x, dial.y, right, dial.y],
    [onRow, onColumn] = [
      [px, s.dim % 2 ? up : dial.y - (right - dial.x)],
      [s.dim % 2 ? dial.x + (dial.y - up) : right, py],
    ];
  return [
    line(numbered ? box.x + box.w : box.x, py, column.x + column.w, py, "l-muted"),
    line(px, row.y, px, numbered ? box.y : box.y + box.h, "l-muted"),
    framed(frame, "l-paper rail"),
    framed(frame, "l-ink bar"),
    ring(dial.x, dial.y, dial.r),
    line(...shadow, `${own} rail`),
    hand(dial, s.position * frequency(s.dim >> 1, s.d_model, s.base), "l-ink bar"),
    line(right, up, ...(s.dim % 2 ? [px, up] : [right, py]), `${own} dash`),
    knob(right, up),
    knob(...onRow),
    knob(...onColumn),
  ];
}

export const scene = {
  kind: "heatmap",
  label:
    "Heatmap of the encoding, with a clock over each two columns. The arrow keys choose a cell, Page Up " +
    "and Page Down move ten rows, Home and End go to the first and last dimension.",
  controls: [
    {
      name: "position",
      label: "row",
      min: 0,
      max: ({ positions }) => positions - 1,
      step: Math.round,
      text: (position) => `pos ${Math.round(position)}`,
    },
  ],
  settings: [
    { name: "dim", label: "column", min: 0, max: ({ d_model }) => d_model - 1, text: (dim) => `dim ${dim}` },
    { ...WIDTH, set: (s, d_model) => choose({ ...s, d_model }, s.position, s.dim) },
    baseFrom(2),
    {
      name: "positions",
      label: "positions",
      min: 2,
      max: () => 512,
      set: (s, positions) => choose({ ...s, positions }, s.position, s.dim),
    },
  ],
  height: (w) => (w < 500 ? 350 : 432),
  draw(s, size) {
    const at = layout(size, s),
      { row, column, dial, cell } = at,
      roomy = cell.w >= 6;
    return h(
      "g",
      {},
      cells(s, at),
      text(row.x, 12, "mono f-ink", `${size.w < 500 ? "pos" : "position"} ${Math.round(s.position)}`),
      text(row.x + row.w - 80, 12, "mono end f-blue", `sines ${roomy ? "●" : "—"}`),
      text(row.x + row.w, 12, "mono end f-orange", `cosines ${roomy ? "○" : "- -"}`),
      framed(column, "l-grid"),
      framed(row, "l-grid"),
      line(dial.x, column.y, dial.x, column.y + column.h, "l-grid"),
      line(row.x, dial.y, row.x + row.w, dial.y, "l-grid"),
      wave(s, at),
      along(s, at),
      at.dials.map((one) => [
        ring(one.x, one.y, one.r),
        hand(
          one,
          s.position * frequency(one.pair, s.d_model, s.base),
          one.pair === s.dim >> 1 ? "l-ink bar" : "l-muted bar",
        ),
      ]),
      chosen(s, at),
    );
  },
  alt(s) {
    return (
      `Heatmap of the encoding of positions 0 to ${s.positions - 1} with d_model = ${s.d_model} and base ` +
      `${grouped(s.base)}: sines blue, cosines orange, the deeper the larger. The chosen cell, position ` +
      `${Math.round(s.position)} and dimension ${s.dim}, is a ${s.dim % 2 ? "cosine" : "sine"} and has the value ` +
      `${decimals(value(s))}.`
    );
  },
  reading(s) {
    const position = Math.round(s.position),
      pair = s.dim >> 1,
      omega = frequency(pair, s.d_model, s.base),
      [f, name] = s.dim % 2 ? ["cos", "cosine"] : ["sin", "sine"],
      period = wavelength(pair, s.d_model, s.base);
    return (
      `**Position ${position}, dimension ${s.dim}:** the ${name} of pair i = ${pair}, back every ` +
      `${period < 100 ? period.toFixed(2) : grouped(period)} positions\n` +
      `PE(${position}, ${s.dim}) = ${f}(${position} / ${grouped(s.base)}^2·${pair}/${s.d_model}^) = ` +
      `${f}(${position} × ${significant(omega)}) = ${f}(${significant(position * omega)}) = **${decimals(value(s))}**`
    );
  },
  // A hand is wound; in the table a cell is pointed at, in the column a position, along the row a dimension
  down(s, size, p) {
    const { dial, dials, box, column, row } = layout(size, s);
    const large = { ...dial, pair: s.dim >> 1, r: dial.r + 8 };
    const wind = [large, ...dials].find(({ x, y, r }) => Math.hypot(p.x - x, p.y - y) <= r);
    if (wind) return { ...s, hold: { wind, at: s.position } };
    const within = (one) => p.x >= one.x && p.x <= one.x + one.w && p.y >= one.y && p.y <= one.y + one.h;
    const held = { rows: within(box) || within(column), columns: within(box) || within(row) };
    return held.rows || held.columns ? { ...s, hold: held } : s;
  },
  move(s, size, p) {
    const { box, cell } = layout(size, s),
      { wind, at, rows, columns } = s.hold;
    if (wind) {
      const turned = wound({ ...wind, frequency: frequency(wind.pair, s.d_model, s.base) }, at, p),
        now = choose(s, turned, s.dim);
      return { ...now, hold: { wind, at: now.position } };
    }
    return choose(
      s,
      rows ? Math.floor((p.y - box.y) / cell.h) : s.position,
      columns ? Math.floor((p.x - box.x) / cell.w) : s.dim,
    );
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, page = 0, end = 0 }) =>
    choose(s, Math.round(s.position) - up - 10 * page, s.dim + right + 512 * end),
  parts: {
    table: (s, size) => layout(size, s).box,
    row: (s, size) => layout(size, s).row,
    column: (s, size) => layout(size, s).column,
    clocks(s, size) {
      const { row, dials } = layout(size, s),
        { y, r } = dials[0];
      return { x: row.x, y: y - r, w: row.w, h: 2 * r };
    },
    hand: (s, size) => around(layout(size, s).dial),
  },
};

export const done = {
  main: ({ position }) =>
    Math.abs(position - 44) < 0.05
      ? "Found: row 44. Seven turns of the first hand take 43.98 positions. The other hands have moved on."
      : "",
  numbers: ({ position, dim }) =>
    dim < 2 && Math.abs(position - 5.5) < 0.55
      ? `Found: at position ${Math.round(position)} the first hand points left and up.`
      : "",
};

const fits = ({ base, d_model, dim, position, positions }) => base > 1 && dim < d_model && position <= positions - 1;

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits,
  play: { trait: "position", unit: 450, high: ({ positions }) => positions - 1 },
});
