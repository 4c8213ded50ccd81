// Draws the encoding as a heatmap with one chosen cell. Each two columns have a small clock above them.
// The large clock of the chosen cell in the corner casts shadows on the cell's row and column.
import { BASE, decimals, groupDigits, significant, formatWavelength, WIDTH } from "../frame/controls.mjs";
import { clamp, encodeTable, entry, frequency, range, rememberLast, wavelength } from "../maths.mjs";
import { around, curve, hand, knob, ticks, tip } from "../scene/chart.mjs";
import { gesturesFor, isUnder, windClock } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, h, line, rect, ring, table, text, textWidth } from "../scene/svg.mjs";

const encoded = rememberLast((positions, dModel, base) =>
  encodeTable(positions, dModel, base, new Float32Array(positions * dModel)),
);
// The story of two clocks has no use for the wave.
const hasWave = (s) => s.story !== "numbers" && isShown(s, "column");
const hue = (dim) => (dim % 2 ? "orange" : "blue");

// Return the layout, in which the row as strokes and the small clocks are above the table.
// The column as a wave is to the right of the table, and the large clock is in the corner where row and column meet.
function layout({ d_model, positions, base, dim }, { w, h: high }) {
  const r = clamp(0.11 * w, 32, 62),
    left = 30,
    right = w - 2 * r - 12,
    turns = (pair) => ({ pair, frequency: frequency(pair, d_model, base) });
  const cell = (right - left - 14) / d_model,
    small = clamp(cell - 1, 5, 20),
    row = { x: left, y: 18, w: cell * d_model, h: 2 * r };
  const dials = row.y + row.h + small + 8,
    box = { x: left, y: dials + small + 6, w: row.w, h: high - dials - small - 26 },
    every = Math.ceil((2 * small + 2) / (2 * cell)); // the number of pairs per small clock
  return {
    row,
    box,
    cell: { w: cell, h: box.h / positions },
    numbered: cell >= 34 && box.h / positions >= 15, // whether there is room for the numbers themselves
    column: { x: right, y: box.y, w: 2 * r, h: box.h },
    dial: { x: right + r, y: row.y + r, r, ...turns(dim >> 1) },
    dials: range(Math.ceil(d_model / 2 / every), (k) => ({
      x: left + (2 * k * every + 1) * cell,
      y: dials,
      r: small,
      ...turns(k * every),
    })),
    x: (dim) => left + (dim + 0.5) * cell,
    y: (position) => box.y + ((position + 0.5) / positions) * box.h,
  };
}

const frameBox = ({ x, y, w, h: high }, c) => rect(x, y, w, high, c);

// Draw the table, with its numbers where there is room for them.
function drawTable(s, { box, column, numbered, x, y }) {
  const below = `dimension ${s.dim}`,
    end = column.x + column.w,
    values = encoded(s.positions, s.d_model, s.base),
    number = (v, k) => text(x(k % s.d_model), y(Math.floor(k / s.d_model)) + 4.5, "mono mid f-ink", decimals(v, 2)),
    shades = table(box.x, box.y, box.w, box.h, s.d_model, values, "encoding");
  return [
    // Colours under numbers are paler, so that the numbers are readable in the light and the dark theme.
    h("g", { opacity: numbered ? "0.45" : undefined }, shades),
    ticks(s.positions, box.h / 26).map((p) => text(box.x - 6, y(p) + 4.5, "mono end f-muted", p)),
    ticks(s.d_model, box.w / 34)
      .filter((dim) => x(dim) + 12 < end - textWidth(below))
      .map((dim) => text(x(dim), box.y + box.h + 16, "mono mid f-muted", dim)),
    part(s, "column", () => text(end, box.y + box.h + 16, "mono end f-ink", below)),
    numbered ? Array.from(values, number) : [],
  ];
}

// Draw the numbers of the row as strokes from 0. If there are too many, sines and cosines are two curves.
function drawRow(s, { dial, cell, x }) {
  const points = range(s.d_model, (dim) => [x(dim), dial.y - dial.r * entry(s.position, dim, s.d_model, s.base)]);
  if (cell.w < 6)
    return [0, 1].map((odd) => {
      const own = points.filter((_, dim) => dim % 2 === odd);
      return curve(`l-${hue(odd)} ${odd ? "dash" : ""}`, own);
    });
  return points.map(([px, py], dim) => [
    line(px, dial.y, px, py, `l-${hue(dim)} bar`),
    ring(px, py, 3, `l-${hue(dim)} f-${dim % 2 ? "paper" : "blue"}`),
  ]);
}

// The wave along the column is continuous, and each position is a sample of the wave.
function drawColumn({ dim, d_model, base, positions }, { column, dial }) {
  const at = (y) => entry((y / column.h) * positions - 0.5, dim, d_model, base);
  const points = range(2 * Math.floor(column.h) + 1, (k) => [dial.x + dial.r * at(k / 2), column.y + k / 2]);
  return curve(`l-${hue(dim)}`, points);
}

// Draw the frame of the chosen cell.
function drawFrame(s, { cell, x, y }) {
  const [w, high] = [Math.max(cell.w, 8), Math.max(cell.h, 8)],
    frame = { x: x(s.dim) - w / 2, y: y(s.position) - high / 2, w, h: high };
  return [frameBox(frame, "l-paper rail"), frameBox(frame, "l-ink bar")];
}

// Draw the hand of the chosen cell with its shadow, and the lines from the hand to its row and its column.
// The sine of the hand's angle falls on the column, and the cosine falls on the row.
function drawHand(s, { box, column, dial, numbered, row, x, y }) {
  const own = `l-${hue(s.dim)}`,
    [px, py] = [x(s.dim), y(s.position)],
    angle = s.position * dial.frequency,
    [right, up] = tip(dial, angle);
  /** @type {[Pair, Pair, number, number]} */
  const [shadow, level, onRow, onColumn] =
    s.dim % 2
      ? [[dial.x, up], [px, up], up, dial.x + dial.y - up]
      : [[right, dial.y], [right, py], dial.x + dial.y - right, right];
  const [hasRow, hasColumn] = [isShown(s, "row"), hasWave(s)];
  return [
    hasColumn ? line(numbered ? box.x + box.w : box.x, py, column.x + column.w, py, "l-muted") : [],
    hasRow ? line(px, row.y, px, numbered ? box.y : box.y + box.h, "l-muted") : [],
    ring(dial.x, dial.y, dial.r),
    line(dial.x, dial.y, ...shadow, `${own} rail`),
    hand(dial, angle, "l-ink bar"),
    (s.dim % 2 ? hasRow : hasColumn) ? line(right, up, ...level, `${own} dash`) : [],
    knob(right, up),
    hasRow ? knob(px, onRow) : [],
    hasColumn ? knob(onColumn, py) : [],
  ];
}

export const scene = ({ setValue }) => ({
  kind: "heatmap",
  shows:
    "Heatmap of the encoding, sines blue and cosines orange, the deeper the larger. Over each two columns a clock.",
  moves:
    "The arrow keys choose a cell, Page Up and Page Down move ten rows, Home and End go to the first and last dimension.",
  controls: [{ name: "position", label: "row", text: (position) => `pos ${Math.round(position)}` }],
  settings: [{ name: "dim", label: "column", text: (dim) => `dim ${dim}` }, WIDTH, BASE, { name: "positions" }],
  reveals: true,
  height: (w) => (w < 500 ? 326 : 432),
  draw(s, size) {
    const at = layout(s, size),
      { row, column, dial } = at,
      roomy = at.cell.w >= 6;
    return [
      part(s, "table", () => drawTable(s, at)),
      row.w > 175 // otherwise the slider shows the position
        ? text(row.x, 12, "mono f-ink", `${size.w < 500 ? "pos" : "position"} ${Math.round(s.position)}`)
        : [],
      part(s, ["table", "row"], () => [
        text(row.x + row.w - 80, 12, "mono end f-blue", `sines ${roomy ? "●" : "—"}`),
        text(row.x + row.w, 12, "mono end f-orange", `cosines ${roomy ? "○" : "- -"}`),
      ]),
      part(s, "column", () =>
        hasWave(s)
          ? [
              frameBox(column, "l-grid"),
              line(dial.x, column.y, dial.x, column.y + column.h, "l-grid"),
              drawColumn(s, at),
            ]
          : [],
      ),
      part(s, "row", () => [
        frameBox(row, "l-grid"),
        line(row.x, dial.y, row.x + row.w, dial.y, "l-grid"),
        drawRow(s, at),
      ]),
      part(s, "clocks", () =>
        at.dials.map((one) => [
          ring(one.x, one.y, one.r),
          hand(one, s.position * one.frequency, one.pair === dial.pair ? "l-ink bar" : "l-muted bar"),
        ]),
      ),
      part(s, "hand", () => drawFrame(s, at)),
      part(s, ["hand", "row", "column"], () => (isShown(s, "hand") ? drawHand(s, at) : [])),
    ];
  },
  reading({ position, dim, d_model, base }) {
    const t = Math.round(position),
      pair = dim >> 1,
      omega = frequency(pair, d_model, base),
      [f, name] = dim % 2 ? ["cos", "cosine"] : ["sin", "sine"];
    return (
      `**Position ${t}, dimension ${dim}:** the ${name} of pair i = ${pair}, back every ` +
      `${formatWavelength(wavelength(pair, d_model, base))} positions\n` +
      `PE(${t}, ${dim}) = ${f}(${t} / ${groupDigits(base)}^2·${pair}/${d_model}^) = ${f}(${t} × ${significant(omega)}) = ` +
      `${f}(${significant(t * omega)}) = **${decimals(entry(t, dim, d_model, base))}**`
    );
  },
  // Dragging winds the hand, or chooses a cell in the table, a position in the column, or a dimension in the row.
  ...gesturesFor((s, size, p) => {
    const { dial, dials, box, cell, column, row } = layout(s, size),
      [inTable, inColumn, inRow] = [box, column, row].map((one) => isUnder(p, one));
    const down = (now, q) => setValue(now, "position", Math.floor((q.y - box.y) / cell.h)),
      across = (now, q) => setValue(now, "dim", Math.floor((q.x - box.x) / cell.w));
    return [
      windClock(setValue, dial),
      ...dials.map((one) => ({ ...windClock(setValue, one), on: isUnder(p, one, 0) })),
      { on: inTable, to: (now, q) => down(across(now, q), q) },
      { on: inColumn, to: down },
      { on: inRow, to: across },
    ];
  }),
  key: (s, { right, up, page = 0, end = 0 }) =>
    setValue(setValue(s, "position", Math.round(s.position) - up - 10 * page), "dim", s.dim + right + 512 * end),
  parts: boxes(layout, {
    table: ({ box }) => box,
    row: ({ row }) => row,
    column: ({ column }) => column,
    clocks: ({ row, dials: [{ y, r }] }) => [row.x, y - r, row.w, 2 * r],
    hand: ({ dial }) => around(dial),
  }),
  done: {
    main: ({ position }) =>
      Math.abs(position - 44) < 0.05
        ? "Found: row 44. Seven turns of the first hand take 43.98 positions. The other hands have moved on."
        : "",
    numbers: ({ position, dim }) =>
      dim < 2 && Math.abs(position - 5.5) < 0.55
        ? `Found: at position ${Math.round(position)} the first hand points left and up.`
        : "",
  },
  play: { trait: "position", unit: 450 },
});
