// Marks that move as one, and numbers that glide to where they belong.
import { d, h, toward } from "./svg.mjs";

// Marks in a group of their own, which a scene moves by one number
export const at = (x, y, ...marks) => h("g", { transform: d`translate(${x} ${y})` }, marks);

// A group for each, that of `own` on top
export const groups = (many, own, make) =>
  [...many.keys()].sort((a, b) => Number(a === own) - Number(b === own)).map(make);

// What glides to its `goals`, the places of words first: the one that is held is there at once
export const gliding = (goals, pace) => ({
  shown(s) {
    const to = goals(s);
    return s.gliding?.length === to.length ? s.gliding : to;
  },
  tick(s, ms) {
    const now = toward(s.gliding, goals(s), ms, { pace, held: s.hold?.word });
    return now === s.gliding ? s : { ...s, gliding: now };
  },
});
