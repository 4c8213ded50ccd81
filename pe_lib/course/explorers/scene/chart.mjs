// Defines the elements that charts and clocks share: scales from values to pixels, curves, hands and arcs.
import { d, h, line, path, ring, round, through } from "./svg.mjs";

const TURN = 2 * Math.PI;

// Return a scale from values to pixels, where `at(value)` returns a pixel and `of(pixel)` returns a value.
/** @type {(values: number[], pixels: number[]) => Scale} */
export const linear = ([low, high], [from, to]) => ({
  at: (value) => from + ((value - low) / (high - low)) * (to - from),
  of: (pixel) => low + ((pixel - from) / (to - from)) * (high - low),
});

/** @type {(values: number[], pixels: number[]) => Scale} */
export function logarithmic(values, pixels) {
  const { at, of } = linear(values.map(Math.log10), pixels);
  return { at: (value) => at(Math.log10(value)), of: (pixel) => 10 ** of(pixel) };
}

// Draw a curve through points, or through the results of calling `place` on each value.
/** @type {(c: string, values: any[], place?: (value: any, index: number) => number[]) => Tree} */
export const curve = (c, values, place = (point, _) => point) => path(c, through(values.map(place)));

// Draw a dot that marks a current value.
/** @type {(x: number, y: number, r?: number) => Tree} */
export const knob = (x, y, r = 5) => ring(x, y, r, "f-ink knob");

// Draw a dot that can be dragged: a wide pale ring around it shows where a finger can take hold of it.
/** @type {(x: number, y: number, r?: number) => Tree[]} */
export const grip = (x, y, r = 6) => [
  h("circle", { class: "f-muted", "fill-opacity": 0.2, cx: x, cy: y, r: r + 6 }),
  knob(x, y, r),
];

// Return the end of a clock's hand, where angle 0 is straight up and hands turn clockwise.
/** @type {(dial: Circle, angle: number) => [number, number]} */
export const tip = ({ x, y, r }, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

/** @type {(dial: Circle, angle: number, c: string) => Tree} */
export const hand = (dial, angle, c) => line(dial.x, dial.y, ...tip(dial, angle), c);

// Draw an arc from one angle to another, `wide` pixels broad, as a dash of the circle's line.
/** @type {(dial: Circle, from: number, to: number, wide: number, c: string) => Tree} */
export const arc = ({ x, y, r }, from, to, wide, c) =>
  h("circle", {
    class: c,
    cx: x,
    cy: y,
    r,
    "stroke-width": wide,
    "stroke-dasharray": `${round(Math.max(0, to - from) * r)} ${round(TURN * r + 1)}`,
    transform: `rotate(${round((from * 360) / TURN - 90)} ${round(x)} ${round(y)})`,
  });

// Return the path data of a clock's slice from one angle to another, up to a whole turn.
// The slice is drawn in two arcs, because a single arc is empty if it ends where it began.
/** @type {(dial: Circle, from: number, to: number) => string} */
export function wedge(dial, from, to) {
  if (to <= from) return "";
  const { x, y, r } = dial;
  const [[ax, ay], [bx, by], [cx, cy]] = [from, (from + to) / 2, to].map((angle) => tip(dial, angle));
  return d`M${x} ${y}L${ax} ${ay}A${r} ${r} 0 0 1 ${bx} ${by}A${r} ${r} 0 0 1 ${cx} ${cy}Z`;
}

// Return the bounding box of a clock.
/** @type {(dial: Circle) => Box} */
export const around = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });

// Return at most `most` multiples of a round step, all smaller than `count`.
/** @type {(count: number, most: number) => number[]} */
export function ticks(count, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((s) => count / s <= most) ?? count;
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}
