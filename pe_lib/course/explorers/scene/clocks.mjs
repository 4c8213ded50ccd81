// Clocks with one hand or two, and how two are taken hold of. 0 is straight up, and hands turn clockwise.
import { decimals, grouped } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { tip, wedge } from "./chart.mjs";
import { h, line, ring } from "./svg.mjs";

const TURN = 2 * Math.PI;

// The same direction as an angle between half a turn back and half a turn on
export const wrapped = (angle) => angle - TURN * Math.round(angle / TURN);

// A position as people read it: whole, or on its way with one decimal
export const place = (t) => (Number.isInteger(t) ? grouped(t).replace("-", "−") : decimals(t, 1));

// A trait set within its limits, and moved by whole steps
export function bounded(limits) {
  const put = (s, name, value) => ({ ...s, [name]: clamp(value, ...limits[name]) });
  return { put, step: (s, name, by) => put(s, name, Math.round(s[name]) + by) };
}

// A hand with its shadows: blue how far right, orange how far up
export function clock(dial, angle) {
  const { x, y, r } = dial,
    [tx, ty] = tip(dial, angle),
    wide = r > 40 ? "thick" : "bar";
  return h(
    "g",
    {},
    ring(x, y, r),
    line(x, y, tx, y, `l-blue ${wide}`),
    line(tx, y, tx, ty, `l-orange ${wide}`),
    line(x, y, tx, ty, "l-ink bar"),
    ring(tx, ty, 3.5, "f-ink knob"),
  );
}

// A solid hand `here` and a broken one `there`, and in green the angle between them
export function two(dial, here, there, [solid, broken] = ["ink", "ink"]) {
  const apart = wrapped(there - here),
    from = Math.min(here, here + apart);
  const [[ax, ay], [bx, by]] = [tip(dial, here), tip(dial, there)];
  return h(
    "g",
    {},
    h("path", {
      class: "f-green",
      "fill-opacity": 0.25,
      d: wedge({ ...dial, r: 0.62 * dial.r }, from, from + Math.abs(apart)),
    }),
    ring(dial.x, dial.y, dial.r),
    line(dial.x, dial.y, bx, by, `l-${broken} bar dash`),
    line(dial.x, dial.y, ax, ay, `l-${solid} bar`),
    ring(bx, by, 5, `f-paper l-${broken}`),
    ring(ax, ay, 5, `f-${solid} knob`),
  );
}

// What a point takes hold of on clocks that know the angles of their two hands: the nearer one, or `both` away from
// them and where they lie on each other. `wound` goes on from there.
export function taken(dials, p) {
  const dial = dials.find(({ x, y, r }) => Math.hypot(p.x - x, p.y - y) <= r + 12);
  if (!dial) return undefined;
  const angle = Math.atan2(p.x - dial.x, dial.y - p.y);
  const [here, there] = [dial.here, dial.there].map((hand) => Math.abs(wrapped(angle - hand)));
  if (Math.abs(wrapped(dial.here - dial.there)) < 0.25 || Math.min(here, there) > 0.6)
    return { dial, angle, hand: "both" };
  return { dial, angle, hand: here < there ? "here" : "there" };
}

// Held so, a value goes on from `at` as the clock is wound
export const held = ({ dial, angle }, at) => ({ at, dial: { ...dial, start: angle - at * dial.frequency } });
