// Arrows in a chain, each as long as a matrix moves. A reader turns each of them forwards or back.
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { linear } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { d, line, path, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const STEP = 40,
  TOP = 34;

export function arrows({ steps }) {
  const reach = steps.reduce((sum, [, by]) => sum + by, 0);
  const ends = ({ ways }) => {
    const stops = [0];
    for (const [n, [, by]] of steps.entries()) stops.push(stops[n] + ways[n] * by);
    return stops;
  };
  const turn = (s, n, way) => ({ ...s, at: n, ways: s.ways.map((old, k) => (k === n ? (way ?? -old) : old)) });
  const total = (s) => ends(s).at(-1);
  return {
    first: { ways: steps.map(() => 1), at: 0 },
    moves: "Up and down arrow go to another matrix. Right turns its arrow forwards, and left turns it back.",
    height: () => TOP + STEP * steps.length + 18,
    draw(s, { w }) {
      const x = linear([-reach, reach], [14, w - 14]),
        stops = ends(s);
      return [
        line(x.at(0), TOP - 12, x.at(0), TOP + STEP * steps.length, "l-grid"),
        text(x.at(0), TOP - 18, "mono mid f-muted", 0),
        steps.map(([name, by], n) => {
          const y = TOP + STEP * n + 14,
            [from, to] = [x.at(stops[n]), x.at(stops[n + 1])],
            way = Math.sign(to - from);
          return [
            line(from, y, to, y, n === s.at ? "l-ink thick" : "l-ink bar"),
            path("l-ink bar", d`M${to - 8 * way} ${y - 6}L${to} ${y}L${to - 8 * way} ${y + 6}`),
            text((from + to) / 2, y - 9, "mono mid f-ink", `${name}: ${by} ${s.ways[n] > 0 ? "on" : "back"}`),
          ];
        }),
        line(x.at(total(s)), TOP - 12, x.at(total(s)), TOP + STEP * steps.length, "l-green bar"),
        text(
          clamp(x.at(total(s)), 16, w - 16),
          TOP + STEP * steps.length + 15,
          "mono mid bold f-green",
          String(total(s)).replace("-", "−"),
        ),
      ];
    },
    // A touch turns an arrow round, once for each touch
    ...gesturesFor((_s, _size, p) => [
      {
        on: true,
        to: (s) =>
          s.hold.isTurned
            ? s
            : {
                ...turn(s, clamp(Math.floor((p.y - TOP + 12) / STEP), 0, steps.length - 1)),
                hold: { ...s.hold, isTurned: true },
              },
      },
    ]),
    key(s, { right, up }) {
      if (up) return { ...s, at: clamp(s.at - up, 0, steps.length - 1) };
      return right ? turn(s, s.at, right) : s;
    },
    reading: (s) => `**Together they move by ${String(total(s)).replace("-", "−")}.** Touch an arrow to turn it round.`,
    answer: (s) => String(total(s)),
  };
}
