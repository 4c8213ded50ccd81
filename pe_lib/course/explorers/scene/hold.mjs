// What a hand can hold in a picture, and how the state changes while the hand moves.
import { windTo } from "../frame/drag.mjs";

// Whether a point lies on a clock, with `margin` pixels around it for a finger, or in a box
/** @type {(p: Point, shape: any, margin?: number) => boolean} */
export const isUnder = (p, { x, y, r, w, h }, margin = 8) =>
  r === undefined ? p.x >= x && p.x <= x + w && p.y >= y && p.y <= y + h : Math.hypot(p.x - x, p.y - y) <= r + margin;

// The gestures of a scene in which `listHolds(state, size, point)` lists what can be held at a point, uppermost first.
// Of a hold { on, to, end? }, `on` is a clock or a box, or true where the scene has already looked. `to(state, point)` is
// the state as the hand moves, and `end(state)` the one when it lets go. The hold itself stays in the state as `hold`,
// with all else that it has, as it was when the hand took it.
/** @type {(listHolds: (s: State, size: Size, p: Point) => Hold[]) => Gestures} */
export const gesturesFor = (listHolds) => ({
  down(s, size, p) {
    const hold = listHolds(s, size, p).find(({ on }) => on === true || (on && isUnder(p, on)));
    return hold ? { ...s, hold } : s;
  },
  move: (s, _, p) => s.hold.to(s, p),
  up: (s) => ({ ...(s.hold?.end?.(s) ?? s), hold: undefined }),
});

// A clock whose hand changes a trait when it is wound; `setValue` is that of limits.mjs
/** @type {(setValue: Limits["setValue"], dial: any, name?: string) => Hold} */
export const windClock = (setValue, dial, name = "position") => ({
  on: dial,
  to: (s, p) => setValue(s, name, windTo(dial, s[name], p)),
});
