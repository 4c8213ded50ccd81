// The wavelengths of all pairs, and a line that a reader drags between two pairs.
import { formatWavelength } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, range } from "../../../pe_lib/course/explorers/maths.mjs";
import { curve, grip, linear, logarithmic } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { line, rect, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const TALL = 190;

export function cut({ pairs, base, length }) {
  const wavelength = (i) => 2 * Math.PI * base ** (i / pairs);
  const layout = (w) => ({
    x: linear([0, pairs], [12, w - 12]),
    y: logarithmic([6, wavelength(pairs)], [TALL - 26, 12]),
  });
  const move = (s, first) => ({ ...s, first: clamp(Math.round(first), 0, pairs) });
  const add = (by) => (s) => move(s, s.first + by);
  return {
    first: { first: Math.round(pairs / 4) },
    moves: "Left and right arrow move the line by one pair, Page Up and Page Down by ten.",
    height: () => TALL,
    draw({ first }, { w }) {
      const { x, y } = layout(w);
      return [
        rect(x.at(first), 8, x.at(pairs) - x.at(first), TALL - 34, "f-green", { "fill-opacity": 0.2 }),
        curve("l-ink wave", range(pairs), (i) => [x.at(i + 0.5), y.at(wavelength(i))]),
        line(12, y.at(length), w - 12, y.at(length), "l-muted dash"),
        text(14, y.at(length) - 6, "mono f-muted halo", `${formatWavelength(length)} positions`),
        line(x.at(first), 8, x.at(first), TALL - 26, "l-green bar"),
        grip(x.at(first), TALL - 26, 8),
        text(w - 12, TALL - 6, "mono end f-muted", "slow pairs"),
        text(12, TALL - 6, "mono f-muted", "fast pairs"),
      ];
    },
    ...gesturesFor((_, { w }) => [{ on: true, to: (s, p) => move(s, layout(w).x.of(p.x)) }]),
    key: (s, { right, up, page = 0, end }) => (end ? move(s, end > 0 ? pairs : 0) : add(right + up + 10 * page)(s)),
    buttons: [
      { says: "−1", change: add(-1) },
      { says: "+1", change: add(1) },
    ],
    reading: ({ first }) =>
      [
        `**There are ${pairs - first} pairs to the right of the line.**`,
        first
          ? `The last pair before it, ${first - 1}, has the wavelength ${formatWavelength(wavelength(first - 1))}.`
          : "",
        first < pairs
          ? `The first pair behind it, ${first}, has the wavelength ${formatWavelength(wavelength(first))}.`
          : "",
      ].join(" "),
    answer: ({ first }) => String(pairs - first),
  };
}
