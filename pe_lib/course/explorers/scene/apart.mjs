// Two words of a text, some positions apart: the text with both, clocks with a hand for each, and a curve over the
// offsets. What offset and rotary share.
import { decimals, grouped } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { axes } from "./axes.mjs";
import { knob, linear, ticks } from "./chart.mjs";
import { gripped, two } from "./clocks.mjs";
import { holding } from "./held.mjs";
import { boxes, group, line, path, rect, round, text } from "./svg.mjs";

const WORDS = 34, // where the row of words lies
  CLOCKS = 88;

// Where things stand: `count` clocks in a row, `under` pixels of words below each, then the curve over −reach … reach
export function layout({ w, h: high }, count, under, reach) {
  const r = Math.min(52, w / count / 2 - 8),
    top = CLOCKS + 2 * r + under + 32,
    [left, right, foot] = [34, w - 12, high - 34];
  return {
    dial: (n) => ({ x: (w * (n + 0.5)) / count, y: CLOCKS + r, r }),
    x: linear([-reach, reach], [left, right]),
    left,
    right,
    foot,
    top,
    below: [6, CLOCKS - 4, w - 12, 2 * r + under + 8],
  };
}

// The row of words, `gap` pixels from one to the next and the position `first` at its left edge. `begin` is the position
// of a word, and `says(k)` is the k-th after it, if it is to be read; others are grey. Two tiles, { t, says, side, c },
// stand above (side −1) and below (1) theirs.
function row({ w, gap, first, begin = 0, says = (_) => "" }, tiles) {
  const left = 8,
    right = w - 8,
    last = first + (w - 16) / gap,
    at = (t) => left + (t - first) * gap,
    grey = [],
    read = [];
  for (let k = Math.ceil(Math.max(first, 0) - 0.5 - begin); begin + k <= last + 0.5; k++) {
    const x = at(begin + k);
    if (says(k)) read.push(text(x, WORDS + 4.5, "mono mid f-muted", says(k)));
    else {
      // words of different lengths, always the same one at a place
      const half = gap < 4 ? gap / 2 : 0.41 * gap * (0.55 + 0.45 * Math.abs(Math.sin(12.9898 * k)));
      const ends = [x - half, x + half].map((end) => clamp(end, left, right));
      if (ends[1] > ends[0]) grey.push(`M${round(ends[0])} ${WORDS}L${round(ends[1])} ${WORDS}`);
    }
  }
  const count = Math.ceil(last) + 1,
    marks = ticks(count, (count * gap) / 44).filter((t) => at(t) > left + 14 && at(t) < right - 14);
  return group(
    path("l-grid", grey, { "stroke-width": 10 }),
    group(read),
    marks.map((t) => text(at(t), WORDS + 46, "mono mid f-muted", grouped(t))),
    tiles.map((tile) => {
      const { x, y, w: wide } = box(tile, { w, gap, first });
      return [
        line(at(tile.t), WORDS, at(tile.t), WORDS + 18 * tile.side, `l-${tile.c} thick`),
        rect(x, y, wide, 22, `f-${tile.c}`, { rx: 5 }),
        text(x + wide / 2, y + 15.5, "mono mid bold f-paper", tile.says),
      ];
    }),
  );
}

const box = ({ t, says, side }, { w, gap, first }) => {
  const wide = 7.8 * says.length + 14;
  return { x: clamp(8 + (t - first) * gap - wide / 2, 8, w - 8 - wide), y: WORDS - 11 + 23 * side, w: wide };
};

// Such a scene. `arranged(state, size)` is the layout with `strip` and `tiles` of the row; the `dials` with their hands
// `here` and `there` in two `colours`, and what `says` under each; of the curve `y`, the values `up` and `across`, what
// is `named` along it, and the `curves`; the `offset` and the score `now`; and `names`, the traits that a hand on { here,
// there, both } moves. point(state, offset) is the state with another offset, `inside` what limits.mjs says.
export const apart = (arranged, inside, point) => ({
  draw(s, size) {
    const at = arranged(s, size),
      x = at.x.at(at.offset);
    return [
      row(at.strip, at.tiles),
      at.dials.map((dial) => [
        two(dial, dial.here, dial.there, at.colours),
        dial.says.map(([words, c], n) => text(dial.x, dial.y + dial.r + 17 + 16 * n, `mono mid f-${c}`, words)),
      ]),
      axes(at, at.across, at.up, at.named),
      text(at.left, at.top - 9, "mono large bold f-green", `score ${decimals(at.now, 2)}`),
      at.curves,
      line(x, at.top, x, at.foot, "l-muted dash"),
      knob(x, at.y(at.now), 6),
    ];
  },
  // On a clock the hand of either word is taken, or both; a tile; anywhere else in the row both; below it an offset is
  // pointed at
  ...holding((s, size, p) => {
    const at = arranged(s, size),
      { gap } = at.strip;
    const pulled = (on, name, way) => ({
      on,
      gap, // which stays as it was
      to: (now, q) => inside.put(now, name, s[name] + (way * (q.x - p.x)) / gap),
      end: (now) => inside.step(now, name, 0),
    });
    const around = ({ x, y, w }) => ({ x: x - 6, y: y - 8, w: w + 12, h: 38 });
    return [
      ...gripped(s, p, at.dials, at.names, inside).map((hold) => ({ ...hold, gap })),
      ...at.tiles.map((tile) => pulled(around(box(tile, at.strip)), tile.name, tile.name === at.names.both ? -1 : 1)),
      pulled(p.y < CLOCKS, at.names.both, -1),
      { on: p.y > at.top - 20, to: (now, q) => point(now, Math.round(at.x.of(q.x))) },
    ];
  }),
  parts: boxes(arranged, {
    words: (_, { w }) => [8, 2, w - 16, CLOCKS - 6],
    clocks: ({ below }) => below,
    curve: ({ left, right, top, foot }) => [left, top, right - left, foot - top],
  }),
});
