// What charts and clocks share: scales from values to pixels, curves, hands and parts of a circle.
import { d, h, line, path, ring, round, through } from "./svg.mjs";

const TURN = 2 * Math.PI;

// Values from `low` to `high` between two pixels: `at(value)`, and back `of(pixel)`
export const linear = ([low, high], [from, to]) => ({
  at: (value) => from + ((value - low) / (high - low)) * (to - from),
  of: (pixel) => low + ((pixel - from) / (to - from)) * (high - low),
});

export function logarithmic(values, pixels) {
  const { at, of } = linear(values.map(Math.log10), pixels);
  return { at: (value) => at(Math.log10(value)), of: (pixel) => 10 ** of(pixel) };
}

// Through points, or through where each of some values has its `place`
export const curve = (c, values, place = (point, _) => point) => path(c, through(values.map(place)));

// What is taken hold of, or where something is now
export const knob = (x, y, r = 5) => ring(x, y, r, "f-ink knob");

// Where a hand of length r ends: 0 is straight up, and it turns clockwise
export const tip = ({ x, y, r }, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

export const hand = (dial, angle, c) => line(dial.x, dial.y, ...tip(dial, angle), c);

// Part of a circle from one angle to another, `wide` across, as a dash of its line
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

// A slice of a clock from one angle to another, a turn at most, as the data of a path: in two arcs, as one of a
// whole turn ends where it began and is none
export function wedge({ x, y, r }, from, to) {
  if (to <= from) return "";
  const [[ax, ay], [bx, by], [cx, cy]] = [from, (from + to) / 2, to].map((angle) => tip({ x, y, r }, angle));
  return d`M${x} ${y}L${ax} ${ay}A${r} ${r} 0 0 1 ${bx} ${by}A${r} ${r} 0 0 1 ${cx} ${cy}Z`;
}

// The box around a clock
export const around = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });

// 0, step, 2·step … below `count`, with at most `most` of them: round steps
export function ticks(count, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((s) => count / s <= most) ?? count;
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}
