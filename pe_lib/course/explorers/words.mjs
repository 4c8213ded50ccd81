// Words on a line that a hand moves: what order and leak share.
import { clamp } from "./maths.mjs";
import { rect, text, wide } from "./scene/svg.mjs";

// The order in which word k stands at `place`, and those between make room
export function moved(order, k, place) {
  const others = order.filter((word) => word !== k);
  return [...others.slice(0, place), k, ...others.slice(place)];
}

// The words at xs on tiles of a line at y, that of `own` marked and on top
/** @type {(words: string[], xs: number[], y: number, tile: any, own: number, more?: (k: number) => any) => any} */
export function tiles(words, xs, y, { w, h: high }, own, more = (_) => []) {
  const size = words.every((word) => wide(word, 16) < w - 8) ? "large" : "";
  return [...words.keys()]
    .sort((a, b) => Number(a === own) - Number(b === own))
    .map((k) => [
      rect(xs[k] - w / 2, y - high / 2, w, high, `hollow ${k === own ? "l-purple bar" : "l-grid"}`, { rx: 7 }),
      text(xs[k], y + (high > 36 ? -3 : 5), `mono mid bold f-ink ${size}`, words[k]),
      more(k),
    ]);
}

// The word that a point holds, and how far off its middle; -1 for none
export const touched = (xs, y, slot, p) =>
  Math.abs(p.y - y) > 26 ? -1 : xs.findIndex((x) => Math.abs(p.x - x) <= slot / 2);

// Where it is then held, on a line that begins at `left`
export const heldAt = ({ off }, p, left, slot, most) => clamp((p.x - off - left) / slot - 0.5, 0, most);
