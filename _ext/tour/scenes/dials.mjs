// Clocks of four speeds write a row, and at the next position the row drops into the table, which is empty at first.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, encodeTable } from "../../../pe_lib/course/explorers/maths.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { d, group, path, rect, table, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, cells, movePosition, pair, speeds } from "../parts.mjs";

const SPEEDS = speeds(4),
  ROWS = 14,
  LEFT = 30, // the width of the rows' numbers
  VALUES = encodeTable(ROWS, 2 * SPEEDS.length, 100);

function layout({ w }) {
  const column = (w - LEFT) / 4,
    r = Math.min(column / 2 - 6, 50),
    dials = SPEEDS.map((frequency, i) => ({ x: LEFT + (i + 0.5) * column, y: r + 6, r, frequency })),
    strip = 2 * r + 60;
  return { column, dials, strip, top: strip + 34, row: w < 500 ? 17 : 20 };
}

// Draw the lines of the empty table
function drawGrid(x, y, w, row) {
  const across = Array.from({ length: ROWS + 1 }, (_, k) => d`M${x} ${y + k * row}h${w}`),
    down = Array.from({ length: 2 * SPEEDS.length + 1 }, (_, k) => d`M${x + (k * w) / 8} ${y}v${ROWS * row}`);
  return path("l-grid thin", across.concat(down));
}

export const clocks = {
  ...movePosition({ last: ROWS - 1, along: ({ w }) => w, dials: (size) => layout(size).dials }),
  label: "Position",
  hint: "Turn a clock, or drag to the side.",
  arrows: "The arrow keys move by one position.",
  start: { t: 0 },
  rest: { t: ROWS - 1, landed: 1 },
  whole: { landed: 0 }, // how far the last row has fallen, at the end of the film
  height(w) {
    const { top, row } = layout({ w });
    return top + ROWS * row + 2;
  },
  alt({ t }) {
    const row = SPEEDS.flatMap((v) => [Math.sin(Math.round(t) * v), Math.cos(Math.round(t) * v)]);
    return `Position ${Math.round(t)}: four clocks, each slower than the one before, write a row of numbers: ${row.map((x) => decimals(x, 2)).join(", ")}. The rows of the earlier positions are in a table below.`;
  },
  film: {
    lasts: 8500,
    at: (f) => ({ t: (ROWS - 1) * Math.min(f / 0.94, 1), landed: clamp((f - 0.94) / 0.06, 0, 1) }),
  },
  draw({ t, landed = 0 }, { w }) {
    const { column, dials, strip, top, row } = layout({ w }),
      k = Math.floor(t),
      fallen = Math.min(landed + (t - k) / 0.75, 1) ** 2, // so that a row falls in three quarters of a step
      wide = w - LEFT,
      y = between(strip, top + k * row, fallen),
      high = between(24, row, fallen),
      falling = between(t, k, Math.min(4 * fallen, 1));
    const drawRow = (y, high, t) => SPEEDS.map((speed, i) => cells(LEFT + i * column, y, column, high, t * speed));
    return group(
      dials.map((dial) => [clock(dial, t * dial.frequency), pair(dial.x, 2 * dial.r + 28, t * dial.frequency)]),
      table(LEFT, top, wide, row * ROWS, 2 * SPEEDS.length, VALUES, "encoding"),
      rect(LEFT, top + row * k, wide, row * (ROWS - k), "f-paper"), // what has not been written yet
      drawGrid(LEFT, top, wide, row),
      Array.from({ length: ROWS }, (_, n) =>
        text(LEFT - 8, top + (n + 0.5) * row + 4, `mono end ${n === k ? "f-ink bold" : "f-muted"}`, n),
      ),
      drawRow(strip, 24, t),
      rect(LEFT, y, wide, high, "f-paper"),
      drawRow(y, high, falling),
      rect(LEFT, y, wide, high, "l-ink"),
    );
  },
};
