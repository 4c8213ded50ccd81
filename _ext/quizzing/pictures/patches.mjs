// A grid of patches, on which a reader places two.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, range } from "../../../pe_lib/course/explorers/maths.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { rect, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

export function patches({ size }) {
  const side = (w) => Math.min((w - 30) / size, 30);
  const place = (s, row, column) => ({
    ...s,
    places: s.places.map((old, n) => (n === s.at ? [clamp(row, 0, size - 1), clamp(column, 0, size - 1)] : old)),
  });
  const other = (s) => ({ ...s, at: 1 - s.at });
  const dot = ([[r, c], [r2, c2]]) => Math.cos(r - r2) + Math.cos(c - c2);
  return {
    first: {
      places: [
        [0, 0],
        [1, 1],
      ],
      at: 0,
    },
    moves: "The arrow keys move one patch, and Page Up and Page Down choose the other patch.",
    height: (w) => size * side(w) + 26,
    draw({ places, at }, { w }) {
      const wide = side(w);
      return [
        range(size, (n) => [
          text(26 + (n + 0.5) * wide, 14, "mono mid f-muted", n),
          text(20, 25 + (n + 0.5) * wide, "mono end f-muted", n),
        ]),
        range(size * size, (n) =>
          rect(26 + (n % size) * wide, 20 + Math.floor(n / size) * wide, wide - 2, wide - 2, "f-grid", {
            "fill-opacity": 0.6,
          }),
        ),
        places.map(([r, c], n) => [
          rect(26 + c * wide, 20 + r * wide, wide - 2, wide - 2, "f-ink", { "fill-opacity": n === at ? 1 : 0.55 }),
          text(26 + (c + 0.5) * wide - 1, 24 + (r + 0.5) * wide, "mono mid bold f-paper", n + 1),
        ]),
      ];
    },
    // A touch takes the patch under the finger, or puts the patch with the frame there
    ...gesturesFor((s, { w }, p) => {
      const cell = (q) => [Math.floor((q.y - 20) / side(w)), Math.floor((q.x - 26) / side(w))],
        [row, column] = cell(p),
        under = s.places.findIndex(([r, c]) => r === row && c === column);
      return [{ on: true, to: (now, q) => place(under < 0 ? now : { ...now, at: under }, ...cell(q)) }];
    }),
    key(s, { right, up, page }) {
      const [row, column] = s.places[s.at];
      return page ? other(s) : place(s, row - up, column + right);
    },
    buttons: [{ says: "Other patch", change: other }],
    reading: ({ places, at }) =>
      `**Patch 1 is in row ${places[0][0]}, column ${places[0][1]}, and patch 2 in row ${places[1][0]}, column ${places[1][1]}.** You move patch ${at + 1}. The dot product is ${decimals(dot(places))}.`,
    answer: ({ places }) => dot(places).toFixed(6),
  };
}
