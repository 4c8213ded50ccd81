// What frames a chart, and words in lines: for scenes of explorers and of the front page.
import { place } from "../frame/controls.mjs";
import { line, text } from "./svg.mjs";

// What stands around a curve: a line at each of the values `up`, the values `across` under it, and what those are
export const axes = ({ left, right, foot, x, y }, across, up, below = "") => [
  up.map((v) => [line(left, y(v), right, y(v), "l-grid"), text(left - 6, y(v) + 4.5, "mono end f-muted", place(v))]),
  across.map((v) => text(x.at(v), foot + 16, "mono mid f-muted", place(v))),
  text(right, foot + 31, "mono end f-muted", below),
];

// Things so wide beside each other, and on the next line where there is no room: where each begins
export function lines(widths, space, width = Infinity, lead = 0) {
  let x = 0,
    y = 0;
  return widths.map((w) => {
    if (x > 0 && x + w > width) [x, y] = [0, y + lead];
    const at = { x, y, w };
    x += w + space;
    return at;
  });
}
