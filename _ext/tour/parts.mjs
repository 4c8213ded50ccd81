// What several scenes share: words, clocks, their numbers, the table that they write, and a position that is moved.
/* global WIDTHS */
import { decimals } from "../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, frequency } from "../../pe_lib/course/explorers/maths.mjs";
import { bitmap, h, text } from "../../pe_lib/course/explorers/scene/svg.mjs";

export const TURN = 2 * Math.PI;

// The nearest whole turn is taken off: from −π to π
export const wrapped = (angle) => angle - TURN * Math.round(angle / TURN);
export const between = (a, b, f) => a + (b - a) * f;

// Slowly off, slowly home
export const eased = (f) => f * f * (3 - 2 * f);

// Base 100 here, so that a sentence turns even the slowest of them
export const speeds = (clocks) => Array.from({ length: clocks }, (_, i) => frequency(i, 2 * clocks, 100));

export const tip = (x, y, r, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

// Words of this size in lines of this width: where each begins and how wide it is. A tree is made without
// a page, so the widths of the letters come from the face itself, in ems.
export function typeset(words, size, width = Infinity, lead = 0) {
  let x = 0,
    y = 0;
  return words.map((word) => {
    const w = size * [...word].reduce((sum, letter) => sum + WIDTHS[letter], 0);
    if (x + w > width + 1) {
      x = 0;
      y += lead;
    }
    const at = { x, y, w };
    x += w + size * WIDTHS[" "];
    return at;
  });
}

// What the hand shows, in numbers
export const pair = (x, y, angle) => [
  text(x, y, "mono mid f-blue", decimals(Math.sin(angle), 2)),
  text(x, y + 18, "mono mid f-orange", decimals(Math.cos(angle), 2)),
];

// Two cells of a table: depth is the value, from none at −1 to full at 1
export const cells = (x, y, w, high, angle) =>
  [Math.sin(angle), Math.cos(angle)].map((value, k) =>
    h("rect", {
      class: k ? "f-orange" : "f-blue",
      x: x + (k ? w / 2 : 1.5),
      y,
      width: w / 2 - 1.5,
      height: high,
      opacity: Math.round(50 + 50 * value) / 100,
    }),
  );

// The table of all positions, pale as a whole and in full colour for its first `done` rows. One bitmap is the mask
// of stripes in blue (sines) and orange (cosines): while it fills, one attribute changes.
export function table(id, { x, y, w, high, rows, speeds, done }) {
  const wide = w / speeds.length,
    mask = `${id}-values`,
    stripes = `${id}-stripes`;
  const value = (t, k) => (k % 2 ? Math.cos : Math.sin)(t * speeds[k >> 1]);
  kept[id] ??= bitmap(2 * speeds.length, rows, value);
  const stripe = (from, c) => h("rect", { class: c, x: from, width: wide / 2 - 1.5, height: 99 });
  const filled = (height, opacity) => h("rect", { x, y, width: w, height, fill: `url(#${stripes})`, opacity });
  return [
    h(
      "defs",
      {},
      h(
        "mask",
        { id: mask, maskUnits: "userSpaceOnUse", x, y, width: w, height: high },
        h("image", { href: kept[id], x, y, width: w, height: high, preserveAspectRatio: "none", class: "pixels" }),
      ),
      h(
        "pattern",
        { id: stripes, patternUnits: "userSpaceOnUse", x, width: wide, height: 99 },
        stripe(1.5, "f-blue"),
        stripe(wide / 2, "f-orange"),
      ),
    ),
    h("g", { mask: `url(#${mask})` }, filled(high, 0.2), filled(clamp(done / rows, 0, 1) * high, 1)),
  ];
}
const kept = {};

// How a scene's one position `t` is moved: `along` pixels to the side are the whole way, hands are wound, and `jump`
// says where a press goes at once. Let go, it rests where `rests` says.
/** @param {{ last: number, along: (size: any) => number, dials?: (size: any) => any[], jump?: (s: any, size: any, p: any) => number | undefined, rests?: (t: number) => number }} how */
export function moved({ last, along, dials = (_) => [], jump = (..._) => undefined, rests = Math.round }) {
  const put = (s, t) => ({ ...s, t: clamp(t, 0, last) });
  const angle = ({ x, y }, p) => Math.atan2(p.x - x, y - p.y);
  return {
    down(s, size, p) {
      const dial = dials(size).find(({ x, y, r }) => Math.hypot(p.x - x, p.y - y) < r + 8);
      if (dial) return { ...s, hold: { dial, angle: angle(dial, p) } };
      const t = jump(s, size, p) ?? s.t;
      return { ...put(s, t), hold: { x: p.x, t } };
    },
    move(s, size, p) {
      const { dial, x, t } = s.hold;
      if (!dial) return put(s, t + ((p.x - x) / along(size)) * last);
      const now = angle(dial, p);
      return { ...put(s, s.t + wrapped(now - s.hold.angle) / dial.speed), hold: { dial, angle: now } };
    },
    up: (s) => ({ ...put(s, rests(s.t)), hold: undefined }),
    key: (s, { right, up, end }) => put(s, end ? (end > 0 ? last : 0) : Math.round(s.t) + right + up),
    value: ({ t }) => [t, 0, last],
  };
}
