// Draws the printed values of a position, and the positions that print the same: one clock between two walls.
// In the story `nearest`, it draws a row for each clock, which takes the place nearest to the guess of the clock above.
import { decimals } from "../frame/controls.mjs";
import { range } from "../maths.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { limits } from "../scene/limits.mjs";
import { partsOf } from "../scene/svg.mjs";
import { agreeing, guesses, PAIRS, print, speed, whole } from "./printed.mjs";
import { draw as drawRows, layout as rows } from "./rows.mjs";
import { draw as drawWalls, layout as walls } from "./walls.mjs";

const { setValue, step } = limits(ABOUT);
const all = ({ story }) => story === "nearest"; // whether all clocks are drawn, or only one
const layout = (s, size) => (all(s) ? rows : walls)(s, size);

// Returns the positions that agree with all pairs in `read`.
export const candidates = (s) =>
  all(s)
    ? (guesses(s).at(-1)?.left ?? range(s.positions))
    : agreeing(s.read[0] ?? 0, whole(s), s.positions, s.digits, s.cosines);

const listPositions = (matches, most) => matches.slice(0, most).join(", ") + (matches.length > most ? ", …" : "");
const end = (s) => Math.round(guesses(s).at(-1)?.guess);
const lost = (s) => end(s) !== whole(s); // whether all clocks together lead to a wrong position

export const scene = {
  kind: "clocks",
  shows: "What a position prints, on clocks, and who prints the same.",
  moves: "The arrow keys move the position by one, Page Up and Page Down by ten.",
  controls: [
    { name: "position", text: (t) => String(Math.round(t)) },
    { name: "off", label: "error", per: 100, text: (v) => decimals(v, 2), unit: "radians", when: all },
    { name: "cosines", label: "cosine", when: (s) => !all(s) },
  ],
  settings: [
    { name: "digits", label: "decimals" },
    { name: "positions", label: "below", unit: "positions" },
    {
      label: "pair",
      max: () => 3,
      get: ({ read }) => read[0] ?? 0,
      set: (s, pair) => ({ ...s, read: [pair] }),
      when: (s) => !all(s),
    },
    ...PAIRS.map((pair) => ({
      label: `pair ${pair}`,
      get: ({ read }) => read.includes(pair),
      set: (s, on) => ({ ...s, read: PAIRS.filter((one) => (one === pair ? on : s.read.includes(one))) }),
      when: all,
    })),
  ],
  height: (w, s) => (w < 560 ? (all(s) ? 336 : 312) : 368),
  draw: (s, size) => (all(s) ? drawRows : drawWalls)(s, size),
  reading(s) {
    const matches = candidates(s),
      pair = s.read[0] ?? 0,
      [sine, cosine] = print(pair, s);
    const same =
      matches.length === 1
        ? `**Only one position below ${s.positions} agrees:** ${matches[0]}`
        : `**${matches.length} positions below ${s.positions} agree:** ${listPositions(matches, 10)}`;
    if (!all(s))
      return `**Position ${whole(s)}:** pair ${pair} prints ${s.cosines ? `(${sine}, ${cosine})` : sine}.\n${same}`;
    const led = guesses(s).map(({ guess }) => decimals(guess, 1)),
      off = s.off ? `, misread by ${decimals(s.off, 2)} radians` : "",
      miss = s.read.includes(0) && lost(s) ? ` **Lost: ${decimals(end(s), 0)} in place of ${whole(s)}.**` : "";
    return (
      `**Position ${whole(s)}**, read to ${s.digits} ${s.digits === 1 ? "decimal" : "decimals"}${off}: ` +
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
    nearest: (s) =>
      s.read.length === 4 && s.digits > 2 && lost(s) && !lost({ ...s, off: Math.max(0, s.off - 0.01) })
        ? `Found: at ${decimals(s.off, 2)} radians a hand takes the wrong turn, one step less is safe.`
        : "",
    main(s) {
      if (s.cosines || s.digits < 3 || s.read.length !== 1) return "";
      const matches = candidates(s);
      return matches.length > 1 && !matches.includes(11) ? `Found: ${matches.join(" and ")} print the same sine.` : "";
    },
    crest: ({ read, cosines, position }) =>
      cosines && read.join() === "2" && Math.abs(Math.cos(position * speed(2))) > 0.95
        ? `Found: at ${Math.round(position)} the rim runs along the cosine's strip, and there the sine is the sharp one.`
        : "",
  },
  fits: ({ read }) => read.every((pair) => PAIRS.includes(pair)),
  play: { trait: "position", unit: 700 },
};
