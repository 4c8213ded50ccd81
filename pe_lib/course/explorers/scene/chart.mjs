// What charts and clocks share: scales from values to pixels, curves, hands and parts of a circle.
import { d, h, line, path, ring, round, through } from "./svg.mjs";

const TURN = 2 * Math.PI;

// A scale from the values `low` to `high` to two pixels: `at(value)` is a pixel, and `of(pixel)` a value
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

// A curve through points, or through the `place` of each of some values
/** @type {(c: string, values: any[], place?: (value: any, index: number) => number[]) => Tree} */
export const curve = (c, values, place = (point, _) => point) => path(c, through(values.map(place)));

// A dot that can be held, or that shows where something is now
/** @type {(x: number, y: number, r?: number) => Tree} */
export const knob = (x, y, r = 5) => ring(x, y, r, "f-ink knob");

// The end of a clock's hand: angle 0 is straight up, and hands turn clockwise
/** @type {(dial: Circle, angle: number) => [number, number]} */
export const tip = ({ x, y, r }, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

/** @type {(dial: Circle, angle: number, c: string) => Tree} */
export const hand = (dial, angle, c) => line(dial.x, dial.y, ...tip(dial, angle), c);

// A part of a circle from one angle to another, `wide` pixels broad, drawn as a dash of the circle's line
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

// A slice of a clock from one angle to another, at most a whole turn, as the data of a path. It is drawn in two arcs,
// because a single arc that ends where it began is empty.
/** @type {(dial: Circle, from: number, to: number) => string} */
export function wedge(dial, from, to) {
  if (to <= from) return "";
  const { x, y, r } = dial;
  const [[ax, ay], [bx, by], [cx, cy]] = [from, (from + to) / 2, to].map((angle) => tip(dial, angle));
  return d`M${x} ${y}L${ax} ${ay}A${r} ${r} 0 0 1 ${bx} ${by}A${r} ${r} 0 0 1 ${cx} ${cy}Z`;
}

// The box around a clock
/** @type {(dial: Circle) => Box} */
export const around = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });

// The multiples of a round step below `count`: at most `most` of them
/** @type {(count: number, most: number) => number[]} */
export function ticks(count, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((s) => count / s <= most) ?? count;
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}
