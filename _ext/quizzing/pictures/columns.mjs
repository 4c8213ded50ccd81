// A heatmap of an encoding, and two columns that were cut out of it. A reader lays each of them on a dimension.
import { clamp, encodeTable, entry, range } from "../../../pe_lib/course/explorers/maths.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { rect, table, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const TALL = 232,
  TOP = 22;
const NAMES = ["first", "second"];

export function columns({ d_model: width, base, positions, dimensions }) {
  const values = encodeTable(positions, width, base),
    // The columns that were cut out are grey, because their colour would tell a sine from a cosine
    cutOut = dimensions.map((dim) => Float64Array.from(range(positions, (t) => (1 + entry(t, dim, width, base)) / 2)));
  const layout = (w) => {
    const cell = Math.min((w - 80) / width, 34);
    return { cell, x: (dim) => 6 + dim * cell, cut: (n) => 6 + width * cell + 16 + n * 30 };
  };
  const lay = (s, dim) => ({ ...s, at: s.at.map((old, n) => (n === s.column ? clamp(dim, 0, width - 1) : old)) });
  const other = (s) => ({ ...s, column: 1 - s.column });
  return {
    first: { at: [0, 0], column: 0 },
    moves: "Left and right arrow go to another dimension, and up and down arrow choose the other column.",
    height: () => TOP + TALL + 26,
    draw({ at, column }, { w }) {
      const { cell, x, cut } = layout(w);
      return [
        table(x(0), TOP, width * cell, TALL, width, values, "encoding"),
        range(width, (dim) => text(x(dim + 0.5), TOP + TALL + 17, "mono mid f-muted", dim)),
        cutOut.map((shades, n) => [
          table(cut(n), TOP, 22, TALL, 1, shades, "counts"),
          rect(cut(n), TOP, 22, TALL, n === column ? "l-ink bar" : "l-muted"),
          text(cut(n) + 11, TOP + TALL + 17, `mono mid ${n === column ? "bold f-ink" : "f-muted"}`, n + 1),
        ]),
        at.map((dim, n) => [
          rect(x(dim), TOP, cell, TALL, n === column ? "l-ink bar" : "l-muted"),
          text(x(dim + 0.5), 14, `mono mid ${n === column ? "bold f-ink" : "f-muted"}`, n + 1),
        ]),
      ];
    },
    // A touch on the heatmap lays the chosen column there, and a touch beside it chooses a column
    ...gesturesFor((_s, { w }, p) => {
      const { cell, x, cut } = layout(w),
        isBeside = p.x > x(width) + 8;
      return [
        {
          on: true,
          to: (s, q) =>
            isBeside ? { ...s, column: Number(p.x > cut(1) - 4) } : lay(s, Math.floor((q.x - x(0)) / cell)),
        },
      ];
    }),
    key: (s, { right, up, end }) => (up ? other(s) : lay(s, end ? (end > 0 ? width - 1 : 0) : s.at[s.column] + right)),
    buttons: [{ says: "Other column", change: other }],
    reading: ({ at, column }) =>
      `**The first column lies on dimension ${at[0]}, and the second on dimension ${at[1]}.** You move the ${NAMES[column]} one.`,
    answer: ({ at }) => at.join(" "),
  };
}
