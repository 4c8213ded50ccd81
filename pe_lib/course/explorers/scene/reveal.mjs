// Draws the parts of a picture that a story has named so far, and hides the rest.
//
// While a story is told, the state has `revealed`, the names of all parts that its steps have named until now, and
// `lit`, the names of the current step's parts. As soon as the reader moves the picture, no part is lit any more.
// Without a story, in a story's task, in print, and for a reader who opened a link to a picture, both are undefined,
// and everything is drawn.
import { isUnder } from "./hold.mjs";
import { group, h, path, round } from "./svg.mjs";

/** @typedef {{ look?: string[] }} Named */

// Return whether one of these parts is drawn.
/** @type {(s: State, ...names: string[]) => boolean} */
export const isShown = ({ revealed }, ...names) => !revealed || names.some((name) => revealed.includes(name));

// Return whether one of these parts has its full colours, because the current step names it or no step is current.
/** @type {(s: State, ...names: string[]) => boolean} */
const isLit = ({ lit }, ...names) => !lit?.length || names.some((name) => lit.includes(name));

/** @type {(s: State) => boolean} */
const isWhole = ({ revealed, lit }) => !revealed && !lit?.length;

// Return the marks of a part, which has one name or several. `draw` is called only if the part is drawn.
// An earlier step's part is pale. A part that no step has named is an empty group, so that its neighbours keep their
// places in the tree.
/** @type {(s: State, names: string | string[], draw: () => Marks) => Tree} */
export function part(s, names, draw) {
  if (isWhole(s)) return group(draw());
  const all = [names].flat(),
    drawn = isShown(s, ...all);
  return h("g", { class: `part${drawn ? "" : " unnamed"}${isLit(s, ...all) ? "" : " pale"}` }, drawn ? draw() : []);
}

// Return the parts that are revealed and lit in the step with this index, counted from 0, as additions to the state.
// A story whose first step names no part shows the whole picture from the beginning, and so does the task of any story.
/** @type {(steps: Named[], at: number) => { revealed?: string[], lit?: string[] }} */
export function findParts(steps, at) {
  if (at >= steps.length) return { revealed: undefined, lit: undefined };
  const namedParts = steps.slice(0, at + 1).flatMap(({ look = [] }) => look);
  return { revealed: steps[0].look?.length ? [...new Set(namedParts)] : undefined, lit: steps[at].look };
}

// Return a scene with the same members that shows only what has been named. If the scene does not say with
// `reveals: true` that its own `draw` does this, paper covers the rest. A touch on a hidden part changes nothing.
/** @type {(scene: any) => any} */
export const revealing = (scene) => ({
  ...scene,
  /** @param {State} s @param {Size} size */
  draw: (s, size) =>
    scene.reveals || isWhole(s) ? scene.draw(s, size) : [scene.draw(s, size), veils(scene.parts, s, size)],
  /** @param {State} s @param {Size} size @param {Point} p */
  down(s, size, p) {
    const names = Object.keys(scene.parts ?? {}).filter((name) => {
      const box = s.revealed && scene.parts[name](s, size);
      return box && isUnder(p, box);
    });
    return names.length && !isShown(s, ...names) ? s : scene.down(s, size, p);
  },
});

// Cover what has not been named with paper, and what an earlier step has named with thinner paper.
/** @type {(parts: Parts, s: State, size: Size) => Tree} */
function veils(parts, s, size) {
  /** @type {(names: string[]) => Box[]} */
  const boxesOf = (names) => names.flatMap((name) => parts[name]?.(s, size) ?? []);
  /** @type {(names: string[] | undefined, opacity: number) => Tree} */
  const veil = (names, opacity) =>
    path("f-paper", names?.length ? without(boxesOf(names), size) : "", { "fill-opacity": opacity });
  return group(veil(s.revealed, 0.85), veil(s.lit, 0.5));
}

// Return the data of a path that covers the whole picture without these boxes.
/** @type {(holes: Box[], size: Size) => string} */
function without(holes, { w, h: high }) {
  const edges = holes.map(({ x, y, w, h }) => [x - 4, y - 4, x + w + 4, y + h + 4].map(Math.round));
  /** @type {(near: number, far: number, most: number) => number[]} */
  const cuts = (near, far, most) =>
    [...new Set([0, most, ...edges.flatMap((edge) => [edge[near], edge[far]])])]
      .filter((cut) => cut >= 0 && cut <= most)
      .sort((a, b) => a - b);
  const [columns, rows] = [cuts(0, 2, w), cuts(1, 3, high)];
  /** @type {(x: number, y: number) => boolean} */
  const isOpen = (x, y) => edges.some(([left, top, right, foot]) => left <= x && x < right && top <= y && y < foot);
  return rows
    .slice(1)
    .flatMap((foot, r) =>
      columns.slice(1).map((right, c) => {
        const [left, top] = [columns[c], rows[r]];
        return isOpen(left, top) ? "" : `M${round(left)} ${round(top)}H${round(right)}V${round(foot)}H${round(left)}Z`;
      }),
    )
    .join("");
}
