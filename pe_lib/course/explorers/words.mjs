// Draws and moves words on a line, for the explorers `order` and `leak`.
import { clamp } from "./maths.mjs";
import { decimals } from "./frame/controls.mjs";
import { gesturesFor } from "./scene/hold.mjs";
import { rect, shade, text } from "./scene/svg.mjs";

const NOTHING = 1e-12; // smaller changes are rounding errors from adding in another order

export const indices = (list) => list.map((_, k) => k);

// Returns the order with word k at `place`, where the other words make room. Returns the same array if nothing changes.
export function moveWord(order, k, place) {
  if (order[place] === k) return order;
  const others = order.filter((word) => word !== k);
  return [...others.slice(0, place), k, ...others.slice(place)];
}

// Returns the largest difference between the numbers of each row and the matching row.
export const largestChanges = (rows, others) =>
  rows.map((row, k) => {
    const most = Math.max(...row.map((v, c) => Math.abs(v - others[k][c])));
    return most < NOTHING ? 0 : most;
  });

// Draws a word on its tile, whose middle is at height y.
export const tile = (says, y, { w, h: high, size }, look) => [
  rect(-w / 2, y - high / 2, w, high, `hollow ${look}`, { rx: 7 }),
  text(0, y + (high > 36 ? -3 : 5), `mono mid bold f-ink ${size}`, says),
];

// Draws numbers up to `most` as cells in a row or a column.
export const cells = (values, most, x, y, w, high, right = 0, down = 0) =>
  values.map((v, c) => rect(x + c * right, y + c * down, w, high, "", shade(clamp(v / most, -1, 1), "signed")));

// Draws a bar that hangs down from y, with its number below it.
export const bar = (high, says, y, w, fill, ink) => [
  rect(-w / 2, y, w, high, fill),
  text(0, y + high + 13, `mono small mid ${ink}`, says),
];

// Draws a bar that shows the size of a change.
export function change(much, y, w) {
  const says = much ? decimals(much, much < 0.01 ? 4 : 2) : "0";
  return bar(22 * Math.min(1, much), says, y, w, "f-muted", much ? "f-ink" : "f-green bold");
}

// Returns the gestures and keys that move words. `order(s)` lists the word at each place.
// `placeWord(s, word, place)` moves a word, and only words before `end(s)` can be moved.
// `layout` gives the width of a place (`slot`), the left edge of the first place (`left`), and the height (`middle`).
export const wordGestures = ({ order, placeWord, end, layout }) => ({
  ...gesturesFor((s, size, p) => {
    const { left, slot, middle } = layout(s, size),
      along = (q) => (q.x - left) / slot,
      place = Math.floor(along(p)),
      off = along(p) - place,
      word = order(s)[place];
    return [
      {
        on: Math.abs(p.y - middle) < 27 && place >= 0 && place < end(s),
        word,
        place,
        to(now, q) {
          const place = clamp(along(q) - off, 0, end(now) - 1);
          return { ...placeWord(now, word, place), hold: { ...now.hold, place } };
        },
        end: (now) => placeWord(now, word, Math.round(now.hold.place)),
      },
    ];
  }),
  key(s, { right, up, end: edge }) {
    const read = order(s),
      last = end(s) - 1,
      place = Math.max(0, read.indexOf(s.word)),
      next = clamp(place - up, 0, last);
    if (up) return placeWord(s, read[next], next);
    return right || edge ? placeWord(s, read[place], edge ? (edge > 0 ? last : 0) : clamp(place + right, 0, last)) : s;
  },
});
