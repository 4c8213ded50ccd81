// Marks that move together, and numbers that glide to their goals.
import { d, h, toward } from "./svg.mjs";

// Marks in a group of their own, so that moving all of them changes one attribute
/** @type {(x: number, y: number, ...marks: Marks[]) => Tree} */
export const at = (x, y, ...marks) => h("g", { transform: d`translate(${x} ${y})` }, marks);

// A tree for each entry of `many`, drawn by `draw(index)`; that of the index `top` lies over the others
/** @type {<T>(many: T[], top: number, draw: (index: number) => Marks) => Marks[]} */
export const groups = (many, top, draw) =>
  [...many.keys()].sort((a, b) => Number(a === top) - Number(b === top)).map(draw);

// The numbers that glide to `goals(state)`: `current(state)` is where they are, and `tick` moves them. The places of words
// come first, and the word that is held is at its goal at once.
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
