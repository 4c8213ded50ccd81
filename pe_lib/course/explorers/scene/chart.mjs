// What charts and clocks share: scales from values to pixels, curves, hands and parts of a circle.
import { d, h, line, ring, round, through } from "./svg.mjs";

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

export const curve = (c, points) => h("path", { class: c, d: through(points) });

// What is taken hold of, or where something is now
export const knob = (x, y, r = 5) => ring(x, y, r, "f-ink knob");

// Where a hand of length r ends: 0 is straight up, and it turns clockwise
export const tip = ({ x, y, r }, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

export const hand = (dial, angle, c) => line(dial.x, dial.y, ...tip(dial, angle), c);

// Part of a circle from one angle to another, `wide` across, as a dash of its line
export const arc = ({ x, y, r }, from, to, wide, c, more) =>
  h("circle", {
    class: c,
    cx: x,
    cy: y,
    r,
    "stroke-width": wide,
    "stroke-dasharray": `${round(Math.max(0, to - from) * r)} ${round(TURN * r + 1)}`,
    transform: `rotate(${round((from * 360) / TURN - 90)} ${round(x)} ${round(y)})`,
    ...more,
  });

// A slice of a clock from one angle to another, as the data of a path
export function wedge({ x, y, r }, from, to) {
  if (to <= from) return "";
  const end = Math.min(to, from + TURN - 1e-3), // an arc that ends where it began is none
    [[ax, ay], [bx, by]] = [from, end].map((angle) => tip({ x, y, r }, angle));
  return d`M${x} ${y}L${ax} ${ay}A${r} ${r} 0 ${end - from > TURN / 2 ? 1 : 0} 1 ${bx} ${by}Z`;
}

// The box around a clock
export const around = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });
