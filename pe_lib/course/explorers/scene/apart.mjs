// Two words of a text, some positions apart: the text with both, clocks with a hand for each, and a curve over the
// offsets. What offset and rotary share.
import { wound } from "../frame/drag.mjs";
import { clamp } from "../maths.mjs";
import { decimals, grouped } from "../frame/controls.mjs";
import { linear } from "./chart.mjs";
import { bounded, held, taken } from "./clocks.mjs";
import { h, line, round, text } from "./svg.mjs";

const WORDS = 34, // where the row of words lies
  CLOCKS = 88,
  STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

// Where things stand: `count` clocks in a row, `under` pixels of words below each, then the curve over −reach … reach
export function layout({ w, h: high }, count, under, reach) {
  const r = Math.min(52, w / count / 2 - 8),
    top = CLOCKS + 2 * r + under + 32,
    x = linear([-reach, reach], [34, w - 12]);
  return {
    dial: (n) => ({ x: (w * (n + 0.5)) / count, y: CLOCKS + r, r }),
    x,
    foot: high - 34,
    top,
    parts: {
      words: { x: 8, y: 2, w: w - 16, h: CLOCKS - 6 },
      clocks: { x: 6, y: CLOCKS - 4, w: w - 12, h: 2 * r + under + 8 },
      curve: { x: 34, y: top, w: w - 46, h: high - 34 - top },
    },
  };
}

// The row of words, `gap` pixels from one to the next and the position `first` at its left edge. `begin` is the position
// of a word, and `says(k)` is the k-th after it, if it is to be read; others are grey. Two tiles, { t, says, side, c },
// stand above (side −1) and below (1) theirs.
export function row({ w, gap, first, begin = 0, says = (_) => "" }, tiles) {
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
  const step = STEPS.find((one) => one * gap > 44) ?? 1000,
    numbers = [];
  for (let t = Math.max(0, Math.ceil(first / step) * step); t <= last; t += step)
    if (at(t) > left + 14 && at(t) < right - 14) numbers.push(text(at(t), WORDS + 46, "mono mid f-muted", grouped(t)));
  return h(
    "g",
    {},
    h("path", { class: "l-grid", "stroke-width": 10, d: grey.join("") }),
    read,
    numbers,
    tiles.map((tile) => {
      const { x, y, w: wide } = box(tile, { w, gap, first });
      return [
        line(at(tile.t), WORDS, at(tile.t), WORDS + 18 * tile.side, `l-${tile.c} thick`),
        h("rect", { class: `f-${tile.c}`, x, y, width: wide, height: 22, rx: 5 }),
        text(x + wide / 2, y + 15.5, "mono mid bold f-paper", tile.says),
      ];
    }),
  );
}

const box = ({ t, says, side }, { w, gap, first }) => {
  const wide = 7.8 * says.length + 14;
  return { x: clamp(8 + (t - first) * gap - wide / 2, 8, w - 8 - wide), y: WORDS - 11 + 23 * side, w: wide };
};
const within = ({ x, y, w }, p) => p.x > x - 6 && p.x < x + w + 6 && p.y > y - 8 && p.y < y + 30;

// The curve's frame: a line at each of the heights `up`
export function axes({ x, foot, parts: { curve } }, y, across, up, below, above) {
  const right = curve.x + curve.w;
  return [
    up.map((v) => [
      line(curve.x, y(v), right, y(v), "l-grid"),
      text(curve.x - 6, y(v) + 4.5, "mono end f-muted", decimals(v, Number.isInteger(v) ? 0 : 1)),
    ]),
    across.map((k) => text(x.at(k), foot + 16, "mono mid f-muted", decimals(k, 0))),
    text(right, foot + 31, "mono end f-muted", below),
    text(curve.x, curve.y - 9, "mono large bold f-green", above),
  ];
}

// What a hand takes hold of: the `name` of a trait, and whereby. On a clock the hand of either word, or both; a tile;
// anywhere else in the row both; below it an offset is pointed at.
function taking(s, p, { dials, strip, tiles, top, names: { here, there, both } }) {
  const hand = taken(dials, p);
  if (hand) {
    const name = { here, there, both }[hand.hand];
    return { name, gap: strip.gap, ...held(hand, s[name]) };
  }
  const name = tiles.find((tile) => within(box(tile, strip), p))?.name ?? both;
  if (p.y < CLOCKS) return { name, gap: strip.gap, at: s[name], x: p.x, by: (name === both ? -1 : 1) / strip.gap };
  return p.y > top - 20 ? { name: "offset" } : undefined;
}

// What hands do to both words, in a scene where things are `arranged`; `point(state, offset)` is the state with another
// offset
export function gestures(limits, arranged, point) {
  const { put, step } = bounded(limits);
  return {
    down: (s, size, p) => ({ ...s, hold: taking(s, p, arranged(s, size)) }),
    move(s, size, p) {
      const { name, dial, at, x, by } = s.hold;
      if (at === undefined) return point(s, Math.round(arranged(s, size).x.of(p.x)));
      const now = clamp(dial ? wound(dial, at, p) : at + by * (p.x - x), ...limits[name]);
      return { ...put(s, name, now), hold: { ...s.hold, at: now, x: p.x } };
    },
    up: (s) => ({ ...(s.hold?.at === undefined ? s : step(s, s.hold.name, 0)), hold: undefined }),
  };
}
