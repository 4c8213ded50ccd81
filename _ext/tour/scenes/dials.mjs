// Clocks of four speeds write a row, and at the next position the row drops into the table.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { h, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, cells, eased, moved, pair, speeds, table } from "../parts.mjs";

const SPEEDS = speeds(4),
  ROWS = 14,
  LAST = ROWS - 1,
  LEFT = 30; // for the numbers of the rows

function layout(w) {
  const column = (w - LEFT) / 4,
    r = Math.min(column / 2 - 6, 50),
    strip = 2 * r + 60;
  return {
    column,
    r,
    dials: r + 6,
    numbers: 2 * r + 28,
    strip,
    top: strip + 34,
    row: w < 500 ? 17 : 20,
    x: (i) => LEFT + (i + 0.5) * column,
  };
}

export const clocks = {
  ...moved({
    last: LAST,
    along: ({ w }) => w,
    dials: ({ w }) => {
      const { x, dials, r } = layout(w);
      return SPEEDS.map((speed, i) => ({ x: x(i), y: dials, r, speed }));
    },
  }),
  label: "Position",
  hint: "Wind a clock, drag to the side, or use the arrow keys.",
  start: { t: 6 },
  height(w) {
    const { top, row } = layout(w);
    return top + ROWS * row + 2;
  },
  alt({ t }) {
    const row = SPEEDS.flatMap((v) => [Math.sin(Math.round(t) * v), Math.cos(Math.round(t) * v)]);
    return `Position ${Math.round(t)}: four clocks, each slower than the one before, write the row ${row.map((x) => decimals(x, 2)).join(", ")}. The rows of the positions before lie in a table below.`;
  },
  film: { lasts: 4500, at: (f, { t }) => ({ t: f < 1 ? between(t, 11, eased(f)) : 11 }) },
  draw({ t }, { w }) {
    const { column, r, dials, numbers, strip, top, row, x } = layout(w);
    const k = Math.floor(t),
      fallen = Math.min((t - k) / 0.75, 1) ** 2, // a row falls in three quarters of a step
      wide = w - LEFT;
    const y = between(strip, top + k * row, fallen),
      high = between(24, row, fallen);
    return h(
      "g",
      {},
      SPEEDS.map((speed, i) => [clock({ x: x(i), y: dials, r }, t * speed), pair(x(i), numbers, t * speed)]),
      table(`clocks-${w}`, { x: LEFT, y: top, w: wide, high: row * ROWS, rows: ROWS, speeds: SPEEDS, done: k }),
      Array.from({ length: ROWS }, (_, n) =>
        text(LEFT - 8, top + (n + 0.5) * row + 4, `mono end ${n === k ? "f-ink bold" : "f-muted"}`, n),
      ),
      SPEEDS.map((speed, i) => cells(LEFT + i * column, strip, column, 24, t * speed)),
      h("rect", { class: "f-paper", x: LEFT, y, width: wide, height: high }),
      SPEEDS.map((speed, i) =>
        cells(LEFT + i * column, y, column, high, between(t, k, Math.min(4 * fallen, 1)) * speed),
      ),
      h("rect", { class: "l-ink", x: LEFT, y, width: wide, height: high }),
    );
  },
};
