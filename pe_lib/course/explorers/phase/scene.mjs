// What a position prints, and who else prints the same: one clock between two walls, or all clocks,
// each of which takes the place that is nearest to the guess of the one above.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { clamp } from "../maths.mjs";
import { drawn } from "../scene/drawn.mjs";
import { agreeing, guesses, print, speed, whole } from "./printed.mjs";
import { draw as drawRows, layout as rows } from "./rows.mjs";
import { draw as drawWalls, layout as walls } from "./walls.mjs";

const PAIRS = [0, 1, 2, 3, 4, 5];
const all = ({ story }) => story === "nearest"; // all clocks, else one
const put = (s, t) => ({ ...s, position: Math.round(clamp(t, 0, s.positions - 1)) });

// The positions that agree with each of the pairs that are read
export const candidates = (s) =>
  (all(s) ? s.read : [s.read[0] ?? 0])
    .map((pair) => agreeing(pair, whole(s), s.positions, s.d_model, s.digits, s.cosines || all(s)))
    .reduce(
      (left, some) => left.filter((k) => some.includes(k)),
      Array.from({ length: s.positions }, (_, k) => k),
    );

const listed = (found, most) => found.slice(0, most).join(", ") + (found.length > most ? ", …" : "");
const places = ({ digits }) => `${digits} ${digits === 1 ? "decimal" : "decimals"}`;
const led = (s) =>
  guesses(s)
    .map(({ guess }) => decimals(guess, 1))
    .join(" → ") || "nothing";
const tick = (pair) => ({
  label: `pair ${pair}`,
  get: ({ read }) => read.includes(pair),
  set: (s, on) => ({ ...s, read: PAIRS.filter((one) => (one === pair ? on : s.read.includes(one))) }),
  when: (s) => all(s) && pair < s.d_model / 2,
});
const part = (one, several) => (s, size) => (all(s) ? several(rows(s, size)) : one(walls(s, size).boxes));
const none = () => undefined;
const row = (n) =>
  part(none, ({ rows: each, tall, right }) => each[n] && { x: 4, y: each[n].y + 2, w: right, h: tall - 4 });

export const scene = {
  kind: "clocks",
  label:
    "What a position prints, on clocks, and who prints the same. The arrow keys move the position by one, Page Up and " +
    "Page Down by ten.",
  controls: [
    {
      name: "position",
      label: "position",
      min: 0,
      max: (s) => s.positions - 1,
      step: Math.round,
      text: (t) => String(Math.round(t)),
    },
    {
      name: "off",
      label: "error",
      min: 0,
      max: () => 60,
      value: (n) => n / 100,
      step: (v) => 100 * v,
      text: (v) => decimals(v, 2),
      unit: "radians",
      when: all,
    },
    { name: "cosines", label: "cosine", when: (s) => !all(s) },
  ],
  settings: [
    { name: "digits", label: "decimals", min: 1, max: () => 6 },
    {
      name: "positions",
      label: "below",
      min: 10,
      max: () => 1000,
      unit: "positions",
      set: (s, positions) => ({ ...s, positions, position: Math.min(s.position, positions - 1) }),
    },
    {
      name: "pair",
      label: "pair",
      min: 0,
      max: (s) => s.d_model / 2 - 1,
      get: ({ read }) => read[0] ?? 0,
      set: (s, pair) => ({ ...s, read: [pair] }),
      when: (s) => !all(s),
    },
    ...PAIRS.map(tick),
  ],
  height: (w, s) => (w < 560 ? (all(s) ? 336 : 312) : 368),
  draw: (s, size) => (all(s) ? drawRows : drawWalls)(s, size),
  alt(s) {
    const position = `Of position ${whole(s)} with d_model = ${s.d_model}`;
    if (all(s))
      return (
        `${position}, the hands are read to ${places(s)} and misread by ${decimals(s.off, 2)} radians. From the ` +
        `slowest that is read on, they lead to ${led(s)}.`
      );
    const found = candidates(s);
    return (
      `${position}, the ${s.cosines ? "sine and cosine of pair" : "sine of pair"} ${s.read[0] ?? 0} ` +
      `${s.cosines ? "are" : "is"} read to ${places(s)}. Positions below ${s.positions} that print the same: ` +
      `${found.length} (${listed(found, 8)}).`
    );
  },
  reading(s) {
    const found = candidates(s),
      same =
        found.length === 1
          ? `**Only one position below ${s.positions} agrees:** ${found[0]}`
          : `**${found.length} positions below ${s.positions} agree:** ${listed(found, 10)}`;
    if (!all(s)) {
      const pair = s.read[0] ?? 0,
        [sine, cosine] = print(pair, s);
      return `**Position ${whole(s)}:** pair ${pair} prints ${s.cosines ? `(${sine}, ${cosine})` : sine}.\n${same}`;
    }
    const steps = guesses(s),
      end = Math.round(steps.at(-1)?.guess),
      lost = s.read.includes(0) && end !== whole(s) ? ` **Lost: ${decimals(end, 0)} in place of ${whole(s)}.**` : "";
    const off = s.off ? `, misread by ${decimals(s.off, 2)} radians` : "";
    return `**Position ${whole(s)}**, read to ${places(s)}${off}: ${led(s)}.${lost}\n${same}`;
  },
  // A hand is wound; along a wall, or a row that shows all positions, the position is pointed at
  down(s, size, p) {
    const inside = ({ x, y, w, h: high }) => p.x >= x && p.x <= x + w && p.y >= y && p.y <= y + high,
      under = ({ x, y, r }) => Math.hypot(p.x - x, p.y - y) <= r + 8;
    if (all(s)) {
      const at = rows(s, size),
        clock = at.rows.find(({ dial }) => under(dial)),
        first = at.rows.find(({ step }) => step);
      if (clock) return { ...s, hold: { dial: clock.dial, at: s.position } };
      const pointed = first && inside({ x: at.left, y: first.y, w: at.right - at.left, h: at.tall });
      return pointed ? { ...s, hold: { x: first.x.of } } : s;
    }
    const { dial, boxes, down, across } = walls(s, size);
    if (under(dial)) return { ...s, hold: { dial, at: s.position } };
    return inside(boxes.floor)
      ? { ...s, hold: { y: down.of } }
      : inside(boxes.wall)
        ? { ...s, hold: { x: across.of } }
        : s;
  },
  move(s, _, p) {
    const { dial, x, y, at } = s.hold;
    if (!dial) return put(s, x ? x(p.x) : y(p.y));
    const t = clamp(wound(dial, at, p), 0, s.positions - 1);
    return { ...put(s, t), hold: { dial, at: t } };
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end, page = 0 }) =>
    put(s, end ? end * s.positions : Math.round(s.position) + right + up + 10 * page),
  parts: {
    clock: part(({ clock }) => clock, none),
    floor: part(({ floor }) => floor, none),
    wall: part(({ wall }) => wall, none),
    answer: part(({ answer }) => answer, none),
    first: row(0),
    second: row(1),
    third: row(2),
    fourth: row(3),
  },
};

// Whether all clocks together lead to another position
const lost = (s) => Math.round(guesses(s).at(-1).guess) !== whole(s);

export const done = {
  nearest: (s) =>
    s.read.length === s.d_model / 2 && s.digits > 2 && lost(s) && !lost({ ...s, off: Math.max(0, s.off - 0.01) })
      ? `Found: at ${decimals(s.off, 2)} radians a hand takes the wrong turn, one step less is safe.`
      : "",
  main(s) {
    if (s.cosines || s.digits < 3 || s.read.length !== 1) return "";
    const found = candidates(s);
    return found.length > 1 && !found.includes(11) ? `Found: ${found.join(" and ")} print the same sine.` : "";
  },
  crest: ({ read, cosines, position, d_model }) =>
    cosines && read.join() === "2" && Math.abs(Math.cos(position * speed(2, d_model))) > 0.95
      ? `Found: at ${Math.round(position)} the rim runs along the cosine's strip, and there the sine is the sharp one.`
      : "",
};

const fits = ({ d_model, position, positions, read }) =>
  position <= positions - 1 && read.every((pair) => Number.isInteger(pair) && pair >= 0 && pair < d_model / 2);

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits,
  play: { trait: "position", unit: 700, high: ({ positions }) => positions - 1 },
});
