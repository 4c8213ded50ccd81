// Draws the printed values of a position, and the positions that print the same: one clock between two walls.
// In the story `nearest`, each clock has a row, and takes the place nearest to the guess of the clock above.
// In the story `find`, each clock has a row too, and is read only to the nearest hour.
import { decimals } from "../frame/controls.mjs";
import { range } from "../maths.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { partsOf } from "../scene/svg.mjs";
import { draw as drawFind, hour, layout as find, steps as narrow } from "./find.mjs";
import { agreeing, guesses, PAIRS, print, speed, whole } from "./printed.mjs";
import { draw as drawRows, layout as rows } from "./rows.mjs";
import { draw as drawWalls, layout as walls } from "./walls.mjs";

const FOUND = 150; // the position in the story `find`
const all = ({ story }) => story === "nearest"; // whether all clocks are drawn, or only one
const finds = ({ story }) => story === "find";
const isSingle = (s) => !all(s) && !finds(s);
const layout = (s, size) => (all(s) ? rows : finds(s) ? find : walls)(s, size);

// Return the positions that agree with all pairs in `read`.
export function candidates(s) {
  if (isSingle(s)) return agreeing(s.read[0] ?? 0, whole(s), s.positions, s.digits, s.cosines);
  return (finds(s) ? narrow(s) : guesses(s)).at(-1)?.left ?? range(s.positions);
}

const listPositions = (matches, most) => matches.slice(0, most).join(", ") + (matches.length > most ? ", …" : "");
const end = (s) => Math.round(guesses(s).at(-1)?.guess);
const lost = (s) => end(s) !== whole(s); // whether all clocks together lead to a wrong position

export const scene = ({ setValue, step }) => ({
  kind: "clocks",
  shows: "Clocks with the hands of a position, and the other positions that have the same printed numbers.",
  moves: "The arrow keys move the position by one, Page Up and Page Down by ten.",
  controls: [
    { name: "position", text: (t) => String(Math.round(t)) },
    { name: "digits", label: "decimals", when: isSingle },
    { name: "off", label: "error", per: 100, text: (v) => decimals(v, 2), unit: "radians", when: all },
    { name: "cosines", label: "cosine", when: isSingle },
  ],
  settings: [
    { name: "digits", label: "decimals", when: all },
    { name: "positions", label: "below", unit: "positions" },
    {
      label: "pair",
      max: () => 3,
      get: ({ read }) => read[0] ?? 0,
      set: (s, pair) => ({ ...s, read: [pair] }),
      when: isSingle,
    },
    ...PAIRS.map((pair) => ({
      label: `pair ${pair}`,
      get: ({ read }) => read.includes(pair),
      set: (s, on) => ({ ...s, read: PAIRS.filter((one) => (one === pair ? on : s.read.includes(one))) }),
      when: (s) => !isSingle(s),
    })),
  ],
  reveals: true,
  height: (w) => (w < 560 ? 290 : 368),
  draw: (s, size) => (all(s) ? drawRows : finds(s) ? drawFind : drawWalls)(s, size),
  reading(s) {
    const matches = candidates(s),
      pair = s.read[0] ?? 0,
      [sine, cosine] = print(pair, s);
    const same =
      matches.length === 1
        ? `**Only one position below ${s.positions} agrees:** ${matches[0]}`
        : `**${matches.length} positions below ${s.positions} agree:** ${listPositions(matches, isSingle(s) ? 10 : 4)}`;
    if (finds(s)) {
      const hours = s.read.map((pair) => hour(pair, whole(s)) || 12).join(", ");
      return `**Position ${whole(s)}** puts the ${s.read.length === 1 ? "hand" : "hands"} on ${hours || "no hour"}.\n${same}`;
    }
    if (!all(s))
      return `**Position ${whole(s)}:** pair ${pair} prints ${s.cosines ? `(${sine}, ${cosine})` : sine}.\n${same}`;
    const led = guesses(s).map(({ guess }) => decimals(guess, 1)),
      off = s.off ? ` and misread by ${decimals(s.off, 2)} radians` : "",
      miss = s.read.includes(0) && lost(s) ? ` **Lost: ${decimals(end(s), 0)} in place of ${whole(s)}.**` : "";
    return (
      `**Position ${whole(s)}**, read to ${s.digits} ${s.digits === 1 ? "decimal" : "decimals"}${off}, gives ` +
      `${led.join(" → ") || "nothing"}.${miss}\n${same}`
    );
  },
  // Dragging winds a clock. Along a wall, or along a row that shows all positions, it chooses a position.
  ...gesturesFor((s, size) => {
    const { dials, lines } = layout(s, size),
      whole = (now) => step(now, "position", 0);
    return [
      ...dials.map((dial) => ({ ...windClock(setValue, dial), end: whole })),
      ...lines.map(({ on, at }) => ({ on, to: (now, q) => setValue(now, "position", at(q)), end: whole })),
    ];
  }),
  key: (s, { right, up, end, page = 0 }) =>
    setValue(s, "position", end ? end * s.positions : Math.round(s.position) + right + up + 10 * page),
  parts: partsOf(
    (s, size) => layout(s, size).parts,
    ["clock", "floor", "wall", "answer", "first", "second", "third", "fourth"],
  ),
  done: {
    find: (s) =>
      whole(s) !== FOUND && [0, 1, 2].every((pair) => hour(pair, whole(s)) === hour(pair, FOUND))
        ? `Found: ${whole(s)}. Only the slowest hand tells it from ${FOUND}.`
        : "",
    nearest: (s) =>
      s.read.length === 4 && s.digits > 2 && lost(s) && !lost({ ...s, off: Math.max(0, s.off - 0.01) })
        ? `Found: at ${decimals(s.off, 2)} radians a hand takes the wrong turn, one step less is safe.`
        : "",
    main: (s) =>
      s.cosines && s.read.length === 1 && s.positions > 44 && candidates(s).length === 1
        ? `Found: ${whole(s)}. Seven turns before it and seven turns after it, there is no position.`
        : "",
    crest: ({ read, cosines, position }) =>
      cosines && read.join() === "2" && Math.abs(Math.cos(position * speed(2))) > 0.95
        ? `Found: at ${Math.round(position)} the rim runs along the cosine's strip, and there the sine is the sharp one.`
        : "",
  },
  fits: ({ read }) => read.every((pair) => PAIRS.includes(pair)),
  play: { trait: "position", unit: 700 },
});
