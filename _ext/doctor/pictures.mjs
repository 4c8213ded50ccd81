// Draws the frequencies of a diagnosis beside their rule.
import { curve, linear, logarithmic } from "../../pe_lib/course/explorers/scene/chart.mjs";
import { h, line, ring, text } from "../../pe_lib/course/explorers/scene/svg.mjs";
import { doctor } from "./doctor.mjs";
import { formatNumber } from "./formats.mjs";

const { round_significant: roundSignificant } = doctor._numbers;
const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
const largestSize = (numbers) => largest(numbers.map(Math.abs));
const label = (x, y, words, c = "") => text(x, y, `mono small f-muted ${c}`, words);
const picture = (caption, ...kids) =>
  h("svg", { class: "ex-drawn", viewBox: "0 0 340 240", role: "img", "aria-label": caption }, kids);

// Draw the frequencies of all pairs on a logarithmic scale: dots for the measured ones, a line for the rule, and a
// dashed line for those that a configuration asks for. Bars below show how far each is off the configuration, or off
// the rule if there is no configuration.
export function spectrum(caption, { frequencies, rule, expected }) {
  const aim = expected ?? rule,
    logs = [...frequencies, ...rule, ...aim].filter((v) => v > 0).map(Math.log10),
    low = Math.floor(-largest(logs.map((v) => -v))),
    high = Math.max(Math.ceil(largest(logs)), low + 1),
    powers = Array.from({ length: high - low + 1 }, (_, k) => high - k),
    step = Math.max(1, Math.ceil((high - low) / 5)),
    x = linear([0, Math.max(1, rule.length - 1)], [52, 328]).at,
    y = logarithmic([10 ** low, 10 ** high], [144, 18]).at;
  const turning = (w) => Array.from(w, (v, i) => [x(i), v]).filter(([, v]) => v > 0),
    draw = (w, c) => {
      const points = turning(w).map(([at, v]) => [at, y(v)]);
      return curve(`${c} bar`, points);
    };
  const off = Array.from(aim, (v, i) => (v > 0 && frequencies[i] > 0 ? Math.log(frequencies[i] / v) : 0)),
    far = Math.max(largestSize(off), 1e-12),
    below = linear([-far, far], [214, 166]).at,
    share =
      far > 0.5
        ? `up to ${formatNumber(roundSignificant(Math.exp(far), 2))} times`
        : `at most ${(100 * far).toPrecision(2)} %`;
  return picture(
    caption,
    powers
      .filter((_, k) => k % step === 0)
      .map((power) => [
        line(52, y(10 ** power), 328, y(10 ** power), "l-grid"),
        label(46, y(10 ** power) + 4, power ? `1e${power}` : "1", "end"),
      ]),
    draw(rule, "l-orange"),
    expected && draw(expected, "l-ink dash"),
    turning(frequencies).map(([at, v]) => ring(at, y(v), rule.length > 80 ? 2 : 3, "f-blue")),
    label(52, 11, "radians per position"),
    line(52, below(0), 328, below(0), "l-grid"),
    off.map((v, i) => line(x(i), below(0), x(i), below(v), "l-ink")),
    label(52, 158, `off ${expected ? "the configuration" : "the rule"}, ${share}`),
    label(52, 236, "pair 0"),
    label(328, 236, String(rule.length - 1), "end"),
  );
}
