// Two rows of a table that a reader drags apart, and how similar they are.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, frequency, range } from "../../../pe_lib/course/explorers/maths.mjs";
import { grip, linear, ticks } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { line, table, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const TALL = 26;

export function twins({ d_model: width, most }) {
  const scale = (w) => linear([0, most], [16, w - 16]),
    speeds = range(width / 2, (i) => frequency(i, width, 10_000));
  const row = (t) => Float64Array.from(range(width, (n) => (n % 2 ? Math.cos : Math.sin)(t * speeds[n >> 1])));
  const rows = range(most + 1, row); // a table is painted again only if its array is another one
  const score = ([a, b]) => speeds.reduce((sum, speed) => sum + Math.cos(speed * (a - b)), 0) / speeds.length;
  const move = (s, end, value) => ({
    ...s,
    end,
    ends: s.ends.map((old, n) => (n === end ? clamp(Math.round(value), 0, most) : old)),
  });
  const add = (by) => (s) => move(s, s.end, s.ends[s.end] + by);
  const NAMES = ["first", "second"];
  return {
    first: { ends: [20, 18], end: 0 },
    moves: "Left and right arrow move one row, and up and down arrow choose the other row.",
    height: () => 150,
    draw({ ends, end }, { w }) {
      const x = scale(w);
      return [
        ends.map((t, n) => [
          text(
            16,
            14 + n * (TALL + 22),
            `mono ${n === end ? "bold f-ink" : "f-muted"}`,
            `${NAMES[n]} row: position ${t}`,
          ),
          table(16, 20 + n * (TALL + 22), w - 32, TALL, width, rows[t], "encoding"),
        ]),
        line(x.at(0), 118, x.at(most), 118, "l-muted"),
        ticks(most + 1, 8).map((k) => text(x.at(k), 146, "mono mid f-muted", k)),
        ends.map((t, n) => grip(x.at(t), 118, n === end ? 9 : 6)),
      ];
    },
    ...gesturesFor(({ ends }, { w }, p) => {
      const at = scale(w).of(p.x),
        nearer = Number(Math.abs(at - ends[1]) < Math.abs(at - ends[0]));
      return [{ on: true, nearer, to: (s, q) => move(s, s.hold.nearer, scale(w).of(q.x)) }];
    }),
    key: (s, { right, up, page = 0 }) => (up ? { ...s, end: 1 - s.end } : add(right + 10 * page)(s)),
    buttons: [
      { says: "Other row", change: (s) => ({ ...s, end: 1 - s.end }) },
      { says: "−1", change: add(-1) },
      { says: "+1", change: add(1) },
    ],
    reading: ({ ends }) =>
      `**The two rows are ${Math.abs(ends[0] - ends[1])} apart.** Their dot product is ${decimals(score(ends))} times that of a row with itself.`,
    answer: ({ ends }) => score(ends).toFixed(6),
  };
}
