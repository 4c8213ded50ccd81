// Draws a row for each clock, with the fastest clock at the top. Each hand is read only to the nearest hour.
// A row marks the positions that put its hand on the same hour, and in ink those that fit all clocks so far.
import { frequency as frequencyOf, range, rememberLast } from "../maths.mjs";
import { hand, knob, linear, tip, wedge } from "../scene/chart.mjs";
import { d, group, line, path, ring, text } from "../scene/svg.mjs";
import { D, BASE, PAIRS, whole } from "./printed.mjs";

const TURN = 2 * Math.PI,
  HOURS = 12;

// Return the hour that is nearest to the hand of a pair, from 0 at the top to 11.
/** @type {(pair: number, position: number) => number} */
export const hour = (pair, position) => Math.round((HOURS * position * frequencyOf(pair, D, BASE)) / TURN) % HOURS;

// Return for each pair in `read`, the fastest first, the positions that put its hand on the same hour as `position`,
// and the positions that are left after this pair and all faster ones.
export const narrowed = rememberLast((read, position, positions) => {
  let left = range(positions);
  return read.map((pair) => {
    const same = range(positions).filter((k) => hour(pair, k) === hour(pair, position));
    left = left.filter((k) => hour(pair, k) === hour(pair, position));
    return { pair, same, left };
  });
});
export const steps = (s) => narrowed(s.read, whole(s), s.positions);

export function layout(s, { w, h }) {
  const tall = (h - 18) / PAIRS.length,
    r = Math.min(tall / 2 - 5, 34),
    [left, right] = [2 * r + 26, w - 10],
    x = linear([0, s.positions - 1], [left, right]);
  const rows = PAIRS.map((pair) => {
    const y = pair * tall;
    return {
      pair,
      y,
      foot: y + tall - 10,
      dial: { x: r + 6, y: y + tall / 2, r, frequency: frequencyOf(pair, D, BASE) },
    };
  });
  return {
    rows,
    x,
    left,
    right,
    dials: rows.filter(({ pair }) => s.read.includes(pair)).map(({ dial }) => dial),
    lines: [{ on: { x: left - 10, y: 0, w: right - left + 20, h }, at: (p) => x.of(p.x) }],
    parts: Object.fromEntries(
      ["first", "second", "third", "fourth"].map((name, n) => [name, { x: 4, y: n * tall + 2, w: right, h: tall - 4 }]),
    ),
  };
}

// Draw positions as upright strokes of the same height. Neighbours join into a block.
function strokes(positions, x, head, foot, c) {
  const blocks = [];
  for (const k of positions) {
    if (blocks.at(-1)?.[1] === k - 1) blocks.at(-1)[1] = k;
    else blocks.push([k, k]);
  }
  const edges = blocks.map(([first, last]) => [x.at(first) - 0.8, x.at(last) + 0.8]);
  return path(
    c,
    edges.map(([a, b]) => d`M${a} ${head}L${b} ${head}L${b} ${foot}L${a} ${foot}Z`),
  );
}

// Draw a clock with its twelve hours, and a slice for the hour that is read.
function drawClock(dial, angle, read) {
  const middle = (TURN * read) / HOURS,
    half = TURN / HOURS / 2,
    marks = range(HOURS, (n) => [dial.r, dial.r - 4].map((r) => tip({ ...dial, r }, (TURN * n) / HOURS)));
  return group(
    path("f-grid", wedge(dial, middle - half, middle + half)),
    ring(dial.x, dial.y, dial.r),
    path(
      "l-muted thin",
      marks.map(([[a, b], [u, v]]) => d`M${a} ${b}L${u} ${v}`),
    ),
    hand(dial, angle, "l-ink bar"),
    knob(...tip(dial, angle), 4),
  );
}

export function draw(s, size) {
  const { rows, x, left, right } = layout(s, size),
    all = steps(s),
    last = all.at(-1);
  return [
    all.map(({ pair, same, left: rest }) => {
      const { y, foot, dial } = rows[pair],
        [head, narrow] = [y + 26, size.w < 360];
      return group(
        drawClock(dial, s.position * dial.frequency, hour(pair, whole(s))),
        line(left, foot, right, foot, "l-muted"),
        strokes(same, x, head + (foot - head) / 2, foot, "f-grid"),
        strokes(rest, x, head, foot, "f-ink"),
        text(left, y + 16, "mono f-muted", `pair ${pair}: ${hour(pair, whole(s)) || HOURS} o’clock`),
        text(
          right,
          y + 16,
          "mono end bold f-ink",
          narrow ? `${rest.length} left` : `${rest.length} of ${s.positions} left`,
        ),
      );
    }),
    last
      ? [0, Math.round(s.positions / 2), s.positions - 1].map((k, n) =>
          text(x.at(k), rows[last.pair].foot + 15, `mono ${["", "mid", "end"][n]} f-muted`, k),
        )
      : [],
  ];
}
