// Functions that several scenes share: they set words, write the numbers of clocks and their table, and move positions.
import { WIDTHS } from "#generated/widths.mjs";
import { decimals } from "../../pe_lib/course/explorers/frame/controls.mjs";
import { windTo } from "../../pe_lib/course/explorers/frame/drag.mjs";
import { clamp, encodeTable, frequency } from "../../pe_lib/course/explorers/maths.mjs";
import { lines } from "../../pe_lib/course/explorers/scene/axes.mjs";
import { h, rect, shade, table, text } from "../../pe_lib/course/explorers/scene/svg.mjs";

export const TURN = 2 * Math.PI;

export const between = (a, b, f) => a + (b - a) * f;

// Start slowly and end slowly: 3f² − 2f³ has slope 0 at 0 and at 1
export const ease = (f) => f * f * (3 - 2 * f);

// Return how far a film is in its part between two moments: 0 before it, 1 after it, and eased in between
export const part = (f, from, to) => ease(clamp((f - from) / (to - from), 0, 1));

// Draw marks that the film has revealed to a degree between 0 and 1
export const reveal = (share, ...marks) => h("g", { opacity: Math.round(100 * share) / 100 }, ...marks);

// Return the film in which the position moves to another one; it `lasts` so many milliseconds
export const filmTo = (to, lasts) => ({ lasts, at: (f, { t }) => ({ t: f < 1 ? between(t, to, ease(f)) : to }) });

// The base is 100, so that even the slowest hand turns visibly within a sentence
const BASE = 100;
export const speeds = (clocks) => Array.from({ length: clocks }, (_, i) => frequency(i, 2 * clocks, BASE));

// Set words of a size in lines of a width. The build prints scenes without a page, which could measure text, so the
// widths of the letters come from the font, in ems.
export function typeset(words, size, width = Infinity, lead = 0) {
  const measure = (word) => size * [...word].reduce((sum, letter) => sum + WIDTHS[letter], 0);
  return lines(words.map(measure), size * WIDTHS[" "], width + 1, lead);
}

// Draw a stamp that says that something is the same as before; `share` says how much of it has appeared
export const stamp = (x, y, share) =>
  h(
    "g",
    { transform: `rotate(-8 ${Math.round(x)} ${Math.round(y)})`, opacity: Math.round(100 * share) / 100 },
    rect(x - 25, y - 12, 50, 24, "f-paper l-green bar", { rx: 4 }),
    text(x, y + 5, "mono mid bold f-green", "same"),
  );

// Write the sine and the cosine of a hand's angle as numbers
export const pair = (x, y, angle) => [
  text(x, y, "mono mid f-blue", decimals(Math.sin(angle), 2)),
  text(x, y + 18, "mono mid f-orange", decimals(Math.cos(angle), 2)),
];

// Draw the sine and the cosine of a hand's angle as two cells of a table
export const cells = (x, y, w, high, angle) =>
  [Math.sin(angle), Math.cos(angle)].map((value, k) =>
    rect(x + (k * w) / 2, y, w / 2, high, "", shade(value, "encoding", k)),
  );

// Return a function that draws the table of `count` positions, each `row` high. Those from `done` on are paler.
export const rows = (count, clocks) => {
  const values = encodeTable(count, 2 * clocks, BASE);
  return (x, y, w, row, done) => [
    table(x, y, w, row * count, 2 * clocks, values, "encoding"),
    rect(x, y + row * done, w, row * Math.max(0, count - done), "f-paper", { "fill-opacity": 0.8 }),
  ];
};

// Return the gestures that move the one position `t` of a scene. A drag to the side by `along` pixels is the whole way,
// a drag on one of the `dials` winds it, and `jump` gives the position to which a press goes at once.
/** @param {{ last: number, along: (size: any) => number, dials: (size: any) => any[], jump?: (s: any, size: any, p: any) => number | undefined }} how */
export function movePosition({ last, along, dials, jump = (..._) => undefined }) {
  const moveTo = (s, t) => ({ ...s, t: clamp(t, 0, last) });
  return {
    down(s, size, p) {
      const dial = dials(size).find(({ x, y, r }) => Math.hypot(p.x - x, p.y - y) < r + 8);
      if (!dial) return { ...moveTo(s, jump(s, size, p) ?? s.t), hold: { x: p.x } };
      const start = Math.atan2(p.x - dial.x, dial.y - p.y) - s.t * dial.frequency; // so that it turns from where it stands
      return { ...s, hold: { dial: { ...dial, start } } };
    },
    move(s, size, p) {
      const { dial, x } = s.hold;
      if (dial) return moveTo(s, windTo(dial, s.t, p));
      return { ...moveTo(s, s.t + ((p.x - x) / along(size)) * last), hold: { x: p.x } };
    },
    up: (s) => ({ ...moveTo(s, Math.round(s.t)), hold: undefined }),
    key: (s, { right, up, end }) => moveTo(s, end ? end * last : Math.round(s.t) + right + up),
    value: ({ t }) => [t, 0, last],
  };
}

// Return the gestures that move two positions: both together, or only the other one if `alone` says that a press holds
// it. From one position to the next are `step` pixels.
/** @param {{ last: number, step: (size: any) => number, alone: (s: any, size: any, p: any) => boolean }} how */
export function movePair({ last, step, alone }) {
  // Where a distance was `set`, both positions leave a ghost when they move on together
  const place = (s, from, to) => {
    const [here, other] = [from, to].map((t) => clamp(t, 0, last)),
      isSame = Math.abs(other - here - (s.other - s.here)) < 1e-9;
    return { ...s, here, other, set: isSame ? s.set : { here, other } };
  };
  const moveBoth = (s, by) => {
    const most = clamp(by, -Math.min(s.here, s.other), last - Math.max(s.here, s.other));
    return place(s, s.here + most, s.other + most);
  };
  return {
    down: (s, size, p) => ({ ...s, hold: { x: p.x, alone: alone(s, size, p) } }),
    move(s, size, p) {
      const by = (p.x - s.hold.x) / step(size);
      return { ...(s.hold.alone ? place(s, s.here, s.other + by) : moveBoth(s, by)), hold: { ...s.hold, x: p.x } };
    },
    up: (s) => ({
      ...place(s, Math.round(s.here), Math.round(s.here) + Math.round(s.other - s.here)),
      hold: undefined,
    }),
    key: (s, { right, up, end }) => (up ? place(s, s.here, s.other + up) : moveBoth(s, end ? end * last : right)),
    value: ({ here }) => [here, 0, last],
    film: (by, lasts) => ({ lasts, at: (f, start) => moveBoth(start, f < 1 ? by * ease(f) : by) }),
  };
}
