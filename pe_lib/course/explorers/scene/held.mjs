// What a hand takes hold of in a picture, and what comes of it
import { wound } from "../frame/drag.mjs";

// Whether a point lies on a clock, with `room` around it for a finger, or in a box
/** @type {(p: Point, on: any, room?: number) => boolean} */
export const under = (p, { x, y, r, w, h }, room = 8) =>
  r === undefined ? p.x >= x && p.x <= x + w && p.y >= y && p.y <= y + h : Math.hypot(p.x - x, p.y - y) <= r + room;

// The gestures of a scene in which `holds(state, size, point)` lists what can be taken there, uppermost first: { on, to,
// end? }. `on` is a clock or a box, or true where the scene has looked itself; to(state, point) is the state as the hand
// moves, and end(state) when it lets go. All else of it stays in the state as `hold`, as it was when it was taken.
export const holding = (holds) => ({
  down(s, size, p) {
    const hold = holds(s, size, p).find(({ on }) => on === true || (on && under(p, on)));
    return hold ? { ...s, hold } : s;
  },
  move: (s, _, p) => s.hold.to(s, p),
  up: (s) => ({ ...(s.hold?.end?.(s) ?? s), hold: undefined }),
});

// A clock that takes a trait along when its hand is wound; `put` is that of limits.mjs
export const winding = (put, dial, name = "position") => ({
  on: dial,
  to: (s, p) => put(s, name, wound(dial, s[name], p)),
});
