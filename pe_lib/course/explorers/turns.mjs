// Two hands on one clock, how they are taken hold of, and the strip of positions that turns them:
// what chord, offset and rotary share.
import { dot, line, ticks } from "./frame/draw.mjs";
import { clamp } from "./maths.mjs";

const TURN = 2 * Math.PI;

// The same direction as an angle between half a turn back and half a turn on
export const wrapped = (angle) => angle - TURN * Math.round(angle / TURN);

// A position as people read it: whole, or on its way with one decimal
export const place = (t) => (Number.isInteger(t) ? t.toLocaleString("en-US") : t.toFixed(1)).replace("-", "−");

export const tip = ({ x, y, r }, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

// A clock with two hands, 0 straight up and clockwise: a solid one with a dot, a broken one, and the
// angle between them filled.
export function hands(context, colour, dial, here, there) {
  const { x, y, r } = dial,
    by = wrapped(there - here),
    from = here - Math.PI / 2;
  Object.assign(context, { fillStyle: colour.orange, globalAlpha: 0.16 });
  context.beginPath();
  context.moveTo(x, y);
  context.arc(x, y, 0.62 * r, from, from + by, by < 0);
  context.fill();
  Object.assign(context, { globalAlpha: 1, strokeStyle: colour.grid, lineWidth: 1.5 });
  context.beginPath();
  context.arc(x, y, r, 0, TURN);
  context.stroke();
  line(context, colour.blue, r > 50 ? 3.5 : 2.5, [[x, y], tip(dial, here)]);
  line(context, colour.orange, r > 50 ? 3.5 : 2.5, [[x, y], tip(dial, there)], [5, 3]);
  dot(context, colour, ...tip(dial, here));
}

// What a point holds of such a clock: {dial, hand, angle}. The hand is the nearer one; where they
// lie on each other it is `both`, and so it is with `both` given away from the hands.
export function taken(dials, { x, y }) {
  const dial = dials.find((each) => Math.hypot(x - each.x, y - each.y) <= each.r + 12);
  if (!dial) return undefined;
  const angle = Math.atan2(x - dial.x, dial.y - y);
  const [here, there] = [dial.here, dial.there].map((hand) => Math.abs(wrapped(angle - hand)));
  const hand =
    Math.abs(wrapped(dial.here - dial.there)) < 0.25 || Math.min(here, there) > 0.6
      ? "both"
      : here < there
        ? "here"
        : "there";
  return { dial, hand, angle };
}

// How many positions on a finger has wound what it holds
export function wound(held, { x, y }) {
  const angle = Math.atan2(x - held.dial.x, held.dial.y - y),
    by = wrapped(angle - held.angle);
  held.angle = angle;
  return by / held.dial.frequency;
}

// A text as a row of grey words over the numbers of their positions. `strip` has its left edge x and
// its width w, the height y of the words, the `gap` from word to word, and `first`, the position at x.
export function text(context, colour, strip) {
  const { x, y, w, gap, first } = strip,
    last = first + w / gap;
  const wide = gap < 4 ? gap : 0.82 * gap,
    from = Math.max(0, Math.ceil(first - 0.5));
  context.fillStyle = colour.grid;
  for (let t = from; t <= last + 0.5; t++) {
    // words of different lengths, always the same one at a position
    const long = gap < 4 ? wide : wide * (0.55 + 0.45 * Math.abs(Math.sin(12.9898 * t)));
    const left = Math.max(x, at(strip, t) - long / 2),
      right = Math.min(x + w, at(strip, t) + long / 2);
    if (right > left) context.fillRect(left, y - 5, right - left, 10);
  }
  const [, step] = ticks(10_000, (10_000 * gap) / 44);
  Object.assign(context, { fillStyle: colour.muted, textAlign: "center" });
  for (let t = Math.ceil(from / step) * step; t <= last; t += step)
    if (at(strip, t) > x + 12 && at(strip, t) < x + w - 12)
      context.fillText(t.toLocaleString("en-US"), at(strip, t), y + 46);
}

export const at = ({ x, gap, first }, t) => x + (t - first) * gap;

// A word of the strip as a tile with a stem, above (`side` −1) or below (1) the others. Returns where
// it is, for a finger.
export function tile(context, colour, strip, { t, says, side, ink }) {
  const wide = context.measureText(says).width + 16,
    x = at(strip, t),
    y = strip.y + side * 23;
  const left = clamp(x - wide / 2, strip.x, strip.x + strip.w - wide),
    high = 22;
  context.fillStyle = ink;
  context.fillRect(x - Math.max(2, 0.3 * strip.gap), strip.y - 5, Math.max(4, 0.6 * strip.gap), 10);
  line(context, ink, 2, [
    [x, strip.y],
    [x, y],
  ]);
  context.beginPath();
  context.roundRect(left, y - high / 2, wide, high, 5);
  context.fill();
  Object.assign(context, { fillStyle: colour.paper, textAlign: "center" });
  context.fillText(says, left + wide / 2, y);
  return { x: left - 6, y: y - high / 2 - 6, w: wide + 12, h: high + 12 };
}

export const inside = ({ x, y, w, h }, point) => point.x >= x && point.x <= x + w && point.y >= y && point.y <= y + h;
