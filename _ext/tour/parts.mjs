// What several scenes share: words, the numbers that clocks write, their table, and a position that is moved.
/* global WIDTHS */
import { decimals } from "../../pe_lib/course/explorers/frame/controls.mjs";
import { windTo } from "../../pe_lib/course/explorers/frame/drag.mjs";
import { clamp, encodeTable, frequency } from "../../pe_lib/course/explorers/maths.mjs";
import { lines } from "../../pe_lib/course/explorers/scene/axes.mjs";
import { rect, shade, table, text } from "../../pe_lib/course/explorers/scene/svg.mjs";

export const TURN = 2 * Math.PI;

export const between = (a, b, f) => a + (b - a) * f;

// Slowly off, slowly home
export const eased = (f) => f * f * (3 - 2 * f);

// The position goes to another one in so many milliseconds
export const film = (to, lasts) => ({ lasts, at: (f, { t }) => ({ t: f < 1 ? between(t, to, eased(f)) : to }) });

// Base 100 here, so that a sentence turns even the slowest of them
const BASE = 100;
export const speeds = (clocks) => Array.from({ length: clocks }, (_, i) => frequency(i, 2 * clocks, BASE));

// Words of this size in lines of this width. A tree is made without a page, so the widths of the letters come from the
// face itself, in ems.
export function typeset(words, size, width = Infinity, lead = 0) {
  const wide = (word) => size * [...word].reduce((sum, letter) => sum + WIDTHS[letter], 0);
  return lines(words.map(wide), size * WIDTHS[" "], width + 1, lead);
}

// What a hand shows, in numbers
export const pair = (x, y, angle) => [
  text(x, y, "mono mid f-blue", decimals(Math.sin(angle), 2)),
  text(x, y + 18, "mono mid f-orange", decimals(Math.cos(angle), 2)),
];

// The same as two cells of a table
export const cells = (x, y, w, high, angle) =>
  [Math.sin(angle), Math.cos(angle)].map((value, k) =>
    rect(x + (k * w) / 2, y, w / 2, high, "", shade(value, "encoding", k)),
  );

// The table of so many positions, each `row` high; those from `done` on wait under paper
export const rows = (count, clocks) => {
  const values = encodeTable(count, 2 * clocks, BASE);
  return (x, y, w, row, done) => [
    table(x, y, w, row * count, 2 * clocks, values, "encoding"),
    rect(x, y + row * done, w, row * Math.max(0, count - done), "f-paper", { "fill-opacity": 0.8 }),
  ];
};

// How a scene's one position `t` is moved: `along` pixels to the side are the whole way, `dials` are wound, and `jump`
// says where a press goes at once
/** @param {{ last: number, along: (size: any) => number, dials: (size: any) => any[], jump?: (s: any, size: any, p: any) => number | undefined }} how */
export function moved({ last, along, dials, jump = (..._) => undefined }) {
  const put = (s, t) => ({ ...s, t: clamp(t, 0, last) });
  return {
    down(s, size, p) {
      const dial = dials(size).find(({ x, y, r }) => Math.hypot(p.x - x, p.y - y) < r + 8);
      if (!dial) return { ...put(s, jump(s, size, p) ?? s.t), hold: { x: p.x } };
      const start = Math.atan2(p.x - dial.x, dial.y - p.y) - s.t * dial.frequency; // it turns from where it stands
      return { ...s, hold: { dial: { ...dial, start } } };
    },
    move(s, size, p) {
      const { dial, x } = s.hold;
      if (dial) return put(s, windTo(dial, s.t, p));
      return { ...put(s, s.t + ((p.x - x) / along(size)) * last), hold: { x: p.x } };
    },
    up: (s) => ({ ...put(s, Math.round(s.t)), hold: undefined }),
    key: (s, { right, up, end }) => put(s, end ? end * last : Math.round(s.t) + right + up),
    value: ({ t }) => [t, 0, last],
  };
}

// How two positions are moved: both together, or the other one alone where `alone` says that a press holds it; `step`
// pixels are from one position to the next
/** @param {{ last: number, step: (size: any) => number, alone: (s: any, size: any, p: any) => boolean }} how */
export function pairs({ last, step, alone }) {
  const put = (s, here, other) => ({ ...s, here: clamp(here, 0, last), other: clamp(other, 0, last) });
  const both = (s, by) => {
    const most = clamp(by, -Math.min(s.here, s.other), last - Math.max(s.here, s.other));
    return put(s, s.here + most, s.other + most);
  };
  return {
    down: (s, size, p) => ({ ...s, hold: { x: p.x, alone: alone(s, size, p) } }),
    move(s, size, p) {
      const by = (p.x - s.hold.x) / step(size);
      return { ...(s.hold.alone ? put(s, s.here, s.other + by) : both(s, by)), hold: { ...s.hold, x: p.x } };
    },
    up: (s) => ({ ...put(s, Math.round(s.here), Math.round(s.here) + Math.round(s.other - s.here)), hold: undefined }),
    key: (s, { right, up, end }) => (up ? put(s, s.here, s.other + up) : both(s, end ? end * last : right)),
    value: ({ here }) => [here, 0, last],
    film: (by, lasts) => ({ lasts, at: (f, start) => both(start, f < 1 ? by * eased(f) : by) }),
  };
}
