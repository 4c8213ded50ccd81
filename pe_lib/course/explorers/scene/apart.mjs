// Builds a scene of two words at an offset: the text, clocks with two hands, and a curve over the offsets.
// The explorers `offset` and `rotary` share this scene.
import { decimals, groupDigits } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { axes } from "./axes.mjs";
import { grip, linear, ticks } from "./chart.mjs";
import { gripHands, twoHands } from "./clocks.mjs";
import { gesturesFor } from "./hold.mjs";
import { part } from "./reveal.mjs";
import { boxes, group, line, path, rect, round, text } from "./svg.mjs";

const WORDS = 34, // the height of the row of words, in pixels from the top
  CLOCKS = 88; // the height at which the clocks begin

// Return the layout: a row of `count` clocks, each with `under` pixels of text below it, above the curve.
// The curve covers the offsets from −reach to reach.
// The clocks begin at the height `clocks`.
/** @type {(size: Size, count: number, under: number, reach: number, clocks?: number) => Values} */
export function layout({ w, h: high }, count, under, reach, clocks = CLOCKS) {
  const r = Math.min(52, w / count / 2 - 8),
    top = clocks + 2 * r + under + 32,
    [left, right, foot] = [34, w - 12, high - 34];
  return {
    /** @param {number} n */
    dial: (n) => ({ x: (w * (n + 0.5)) / count, y: clocks + r, r }),
    x: linear([-reach, reach], [left, right]),
    left,
    right,
    foot,
    top,
    below: [6, clocks - 4, w - 12, 2 * r + under + 8],
  };
}

// Draw the row of words, `gap` pixels apart, with position `first` at its left edge and words from `begin` on.
// `says(k)` is the text of the k-th word from there, or "" for a word that is drawn as a grey bar.
// Each tile, { t, says, side, c }, is drawn above its word (side −1) or below it (side 1).
/** @type {(strip: any, tiles: any[]) => Tree} */
function row({ w, gap, first, begin = 0, says = (/** @type {number} */ _) => "" }, tiles) {
  const left = 8,
    right = w - 8,
    last = first + (w - 16) / gap;
  /** @type {(t: number) => number} */
  const at = (t) => left + (t - first) * gap;
  /** @type {string[]} */
  const grey = [];
  /** @type {Tree[]} */
  const words = [];
  for (let k = Math.ceil(Math.max(first, 0) - 0.5 - begin); begin + k <= last + 0.5; k++) {
    const x = at(begin + k);
    if (says(k)) words.push(text(x, WORDS + 4.5, "mono mid f-muted", says(k)));
    else {
      // The bars differ in length, and each word keeps its own length.
      const half = gap < 4 ? gap / 2 : 0.41 * gap * (0.55 + 0.45 * Math.abs(Math.sin(12.9898 * k)));
      const ends = [x - half, x + half].map((end) => clamp(end, left, right));
      if (ends[1] > ends[0]) grey.push(`M${round(ends[0])} ${WORDS}L${round(ends[1])} ${WORDS}`);
    }
  }
  const count = Math.ceil(last) + 1,
    marks = ticks(count, (count * gap) / 44).filter((t) => at(t) > left + 14 && at(t) < right - 14);
  return group(
    path("l-grid", grey, { "stroke-width": 10 }),
    group(words),
    marks.map((t) => text(at(t), WORDS + 46, "mono mid f-muted", groupDigits(t))),
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

// Return the box around a tile.
/** @type {(tile: any, strip: any) => Values} */
const box = ({ t, says, side }, { w, gap, first }) => {
  const wide = 7.8 * says.length + 14;
  return { x: clamp(8 + (t - first) * gap - wide / 2, 8, w - 8 - wide), y: WORDS - 11 + 23 * side, w: wide };
};

// Return the scene. `arrange(state, size)` returns the layout with the following members.
//
//   strip, tiles: the row of words
//   dials, colours: the clocks with their hands `here` and `there`, the texts `says` below them, and the hands' colours
//   y, up, across, unit, curves: the curve's scale, the values on its axes, the unit of these values, and its lines
//   offset, score: the current offset and score
//   names, ways: the traits that the hands { here, there, both } change, and −1 for a trait that moves its word back
//
// `setOffset(state, offset)` returns the state with another offset, and `limits` come from limits.mjs.
/** @type {(arrange: (s: State, size: Size) => any, limits: Limits, setOffset: (s: State, offset: number) => State) => any} */
export const offsetScene = (arrange, limits, setOffset) => ({
  /** @param {State} s @param {Size} size */
  draw(s, size) {
    const at = arrange(s, size),
      x = at.x.at(at.offset);
    /** @type {(dial: any, first: number, last?: number) => Tree[]} */
    const says = (dial, first, last) =>
      dial.says
        .slice(first, last)
        .map((/** @type {string[]} */ [words, c], /** @type {number} */ n) =>
          text(dial.x, dial.y + dial.r + 17 + 16 * (n + first), `mono mid f-${c}`, words),
        );
    return [
      part(s, "words", () => row(at.strip, at.tiles)),
      part(s, "clocks", () =>
        at.dials.map((/** @type {any} */ dial) => [
          twoHands(dial, dial.here, dial.there, at.colours),
          says(dial, 0, 1),
        ]),
      ),
      part(s, ["sums", "curve"], () => at.dials.map((/** @type {any} */ dial) => says(dial, 1))),
      part(s, "curve", () => [
        axes(at, at.across, at.up, at.unit),
        text(at.left, at.top - 9, "mono large bold f-green", `score ${decimals(at.score, 2)}`),
        at.curves,
        line(x, at.top, x, at.foot, "l-muted dash"),
        grip(x, at.y(at.score)),
      ]),
    ];
  },
  // Dragging on a clock moves one hand or both hands, and dragging a tile moves its word.
  // Dragging elsewhere in the row moves both words, and dragging on the curve chooses an offset.
  ...gesturesFor((s, size, p) => {
    const at = arrange(s, size),
      { gap } = at.strip;
    /** @type {(on: any, name: string, way: number) => Hold} */
    const pull = (on, name, way) => ({
      on,
      gap, // the layout keeps this gap during the drag
      to: (now, q) => limits.setValue(now, name, s[name] + (way * (q.x - p.x)) / gap),
      end: (now) => limits.step(now, name, 0),
    });
    /** @param {any} box */
    const around = ({ x, y, w }) => ({ x: x - 6, y: y - 8, w: w + 12, h: 38 });
    return [
      ...gripHands(s, p, at.dials, at, limits).map((hold) => ({ ...hold, gap })),
      ...at.tiles.map((/** @type {any} */ tile) =>
        pull(around(box(tile, at.strip)), tile.name, tile.name === at.names.both ? -1 : (at.ways?.[tile.name] ?? 1)),
      ),
      pull(p.y < CLOCKS, at.names.both, -1),
      { on: p.y > at.top - 20, to: (now, q) => setOffset(now, Math.round(at.x.of(q.x))) },
    ];
  }),
  parts: boxes(arrange, {
    words: (_, { w }) => [8, 2, w - 16, CLOCKS - 6],
    clocks: ({ below }) => below,
    sums: ({ below }) => below,
    curve: ({ left, right, top, foot }) => [left, top, right - left, foot - top],
  }),
});
