// What frames a chart, and words in lines: for scenes of explorers and of the front page.
import { decimals, grouped } from "../frame/controls.mjs";
import { line, text } from "./svg.mjs";

const short = (v) => (Number.isInteger(v) ? grouped(v).replace("-", "−") : decimals(v, 1));

// A line at each height of `up`, numbers along both axes, and below them the `unit` of those across. `at` has the
// edges of the chart, and `x` and `y` from values to pixels.
export const axes = ({ left, right, foot, x, y }, up, across, unit = "") => [
  up.map((v) => [line(left, y(v), right, y(v), "l-grid"), text(left - 6, y(v) + 4.5, "mono end f-muted", short(v))]),
  across.map((v) => text(x(v), foot + 16, "mono mid f-muted", short(v))),
  text(right, foot + 32, "mono end f-muted", unit),
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
