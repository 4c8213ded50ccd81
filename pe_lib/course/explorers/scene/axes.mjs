// Draws the axes of a chart, and arranges words in lines, for explorers and for the front page.
import { formatPosition } from "../frame/controls.mjs";
import { line, text } from "./svg.mjs";

// Draw the axes of a chart: a horizontal line with its number for each value in `up`, and numbers for `across`.
// The text `below` says what the numbers along the horizontal axis count.
/** @type {(chart: any, across: number[], up: number[], below?: string) => Marks[]} */
export const axes = ({ left, right, foot, x, y }, across, up, below = "") => [
  up.map((v) => [
    line(left, y(v), right, y(v), "l-grid"),
    text(left - 6, y(v) + 4.5, "mono end f-muted", formatPosition(v)),
  ]),
  across.map((v) => text(x.at(v), foot + 18, "mono mid f-muted", formatPosition(v))),
  text(right, foot + 32, "mono end f-muted", below),
];

// Return where items begin in lines of this `width`, `space` pixels apart, where each line is `lead` pixels high.
/** @type {(widths: number[], space: number, width?: number, lead?: number) => { x: number, y: number, w: number }[]} */
export function lines(widths, space, width = Infinity, lead = 0) {
  let x = 0,
    y = 0;
  return widths.map((w) => {
    if (x > 0 && x + w > width) [x, y] = [0, y + lead];
    const start = { x, y, w };
    x += w + space;
    return start;
  });
}
