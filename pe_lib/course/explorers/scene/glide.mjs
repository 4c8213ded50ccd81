// Groups marks that move together, and lets numbers glide to their goals.
import { d, h, toward } from "./svg.mjs";

// Puts marks into a group, so that moving all of them changes only one attribute.
/** @type {(x: number, y: number, ...marks: Marks[]) => Tree} */
export const at = (x, y, ...marks) => h("g", { transform: d`translate(${x} ${y})` }, marks);

// Returns a tree for each entry of `many`, drawn by `draw(index)`, with the entry `top` in front of the others.
/** @type {<T>(many: T[], top: number, draw: (index: number) => Marks) => Marks[]} */
export const groups = (many, top, draw) =>
  [...many.keys()].sort((a, b) => Number(a === top) - Number(b === top)).map(draw);

// Returns numbers that glide to `goals(state)`. `current(state)` gives their current values, and `tick` moves them.
// The places of words come first in the list, and the word that the reader holds is at its goal at once.
/** @type {(goals: (s: State) => number[], pace?: number) => { current: (s: State) => number[], tick: Tick }} */
export const glideTo = (goals, pace) => ({
  current(s) {
    const to = goals(s);
    return s.gliding?.length === to.length ? s.gliding : to;
  },
  tick(s, ms) {
    const next = toward(s.gliding, goals(s), ms, { pace, held: s.hold?.word });
    return next === s.gliding ? s : { ...s, gliding: next };
  },
});
