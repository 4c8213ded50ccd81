// Defines what a reader can drag in a picture, and how the state changes during a drag.
import { windTo } from "../frame/drag.mjs";

// Returns whether a point lies in a box, or on a clock with a `margin` in pixels around it for fingers.
/** @type {(p: Point, shape: any, margin?: number) => boolean} */
export const isUnder = (p, { x, y, r, w, h }, margin = 8) =>
  r === undefined ? p.x >= x && p.x <= x + w && p.y >= y && p.y <= y + h : Math.hypot(p.x - x, p.y - y) <= r + margin;

// Returns the gestures of a scene. `listHolds(state, size, point)` lists what can be dragged at a point, topmost first.
// In a hold { on, to, end? }, `on` is a clock or a box, or true if the scene has already checked the point.
// `to(state, point)` returns the state during the drag, and `end(state)` the state after the drag.
// The hold stays in the state as `hold` during the drag, with any other members that it had at the beginning.
/** @type {(listHolds: (s: State, size: Size, p: Point) => Hold[]) => Gestures} */
export const gesturesFor = (listHolds) => ({
  down(s, size, p) {
    const hold = listHolds(s, size, p).find(({ on }) => on === true || (on && isUnder(p, on)));
    return hold ? { ...s, hold } : s;
  },
  move: (s, _, p) => s.hold.to(s, p),
  up: (s) => ({ ...(s.hold?.end?.(s) ?? s), hold: undefined }),
});

// Returns a clock whose hand changes a trait when the reader winds it, using `setValue` from limits.mjs.
/** @type {(setValue: Limits["setValue"], dial: any, name?: string) => Hold} */
export const windClock = (setValue, dial, name = "position") => ({
  on: dial,
  to: (s, p) => setValue(s, name, windTo(dial, s[name], p)),
});
