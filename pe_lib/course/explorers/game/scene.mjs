// Draws a game of ten rounds: four clocks whose dashed hands show a position, and the player's solid hands.
import { formatPosition } from "../frame/controls.mjs";
import { frequency, range, rememberLast, scramble, wavelength } from "../maths.mjs";
import { around } from "../scene/chart.mjs";
import { twoHands } from "../scene/clocks.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { boxes, group, ring, text } from "../scene/svg.mjs";

const D = 8,
  ROUNDS = 10,
  POSITIONS = 1_000,
  NOISE = 0.35, // in radians
  PAIRS = range(D / 2),
  LEVELS = [
    ["plain", "four clocks"],
    ["noise", "shaken hands"],
    ["hidden", "one clock hidden"],
    ["base", "base 100"],
  ];
const baseOf = ({ level }) => (level === "base" ? 100 : 10_000),
  whole = ({ guess }) => Math.round(guess),
  isOver = ({ rounds, answered }) => rounds === ROUNDS && !answered,
  current = ({ rounds, answered }) => Math.min(rounds - (answered ? 1 : 0), ROUNDS - 1); // the round in the picture, from 0

const deal = rememberLast((seed) => ({
  positions: Array.from(scramble(ROUNDS, seed), (v) => Math.floor(((v + 1) / 2) * POSITIONS)),
  shakes: Array.from(scramble(ROUNDS * PAIRS.length, seed + 10_000), (v) => NOISE * v),
}));

// Return the position that the dashed hands show in the present round.
export const target = (s) => deal(s.seed).positions[current(s)];

// Return the angle of a pair's dashed hand, or undefined if its clock is covered in this round.
export function dashed(s, pair) {
  const round = current(s);
  if (s.level === "hidden" && (round + s.seed) % PAIRS.length === pair) return undefined;
  const shake = s.level === "noise" ? deal(s.seed).shakes[round * PAIRS.length + pair] : 0;
  return target(s) * frequency(pair, D, baseOf(s)) + shake;
}

// Return the points for a guess: 10 if it is exact, and one less for each position that it is off.
export const points = (s) => Math.max(0, ROUNDS - Math.abs(whole(s) - target(s)));

const playAgain = (s, seed, beat) => ({ ...s, seed, beat, rounds: 0, answered: false, score: 0 });
const answer = (s) => ({ ...s, guess: whole(s), rounds: s.rounds + 1, answered: true, score: s.score + points(s) });
const setGuess = ({ setValue }, s, name, value) => (s.answered || isOver(s) ? s : setValue(s, name, value));
const add = ({ step }, s, by) => (s.answered || isOver(s) ? s : step(s, "guess", by));

function layout(s, { w, h }) {
  const columns = w < 560 ? 2 : 4,
    rows = PAIRS.length / columns,
    tall = (h - 24) / rows,
    r = Math.min(w / columns / 2 - 12, tall / 2 - 13, 90);
  return {
    dials: PAIRS.map((pair) => ({
      pair,
      x: ((2 * (pair % columns) + 1) * w) / columns / 2,
      y: 26 + tall * Math.floor(pair / columns) + r,
      r,
      frequency: frequency(pair, D, baseOf(s)),
    })),
  };
}

function drawClock(s, dial) {
  const here = s.guess * dial.frequency,
    there = dashed(s, dial.pair),
    label = text(dial.x, dial.y + dial.r + 17, "mono mid f-muted", `pair ${dial.pair}`);
  if (there === undefined)
    return group(ring(dial.x, dial.y, dial.r), text(dial.x, dial.y + 8, "mono mid huge f-muted", "?"), label);
  return group(twoHands(dial, here, there), label);
}

export const scene = (limits) => ({
  kind: "game",
  shows: "Four clocks with a dashed hand and a solid hand each.",
  moves:
    "Left and right arrow turn your hands by one position, up and down by ten, Page Up and Page Down by a hundred.",
  controls: [
    {
      name: "guess",
      label: "position",
      when: (s) => !isOver(s),
      set: (s, value) => setGuess(limits, s, "guess", value),
    },
    { says: () => "Answer", press: answer, when: (s) => !s.answered && !isOver(s) },
    {
      says: (s) => (s.rounds < ROUNDS ? "Next round" : "Your score"),
      press: (s) => ({ ...s, answered: false }),
      when: (s) => s.answered,
    },
    { says: () => "The same ten", press: (s) => playAgain(s, s.seed, s.score), when: isOver },
    { says: () => "Ten others", press: (s) => playAgain(s, (s.seed % 9_999) + 1, 0), when: isOver },
    {
      name: "level",
      label: "game",
      options: LEVELS,
      menu: true,
      set: (s, level) => ({ ...playAgain(s, s.seed, 0), level }),
      when: (s) => !s.rounds || isOver(s),
    },
  ],
  height: (w) => (w < 560 ? 286 : 210),
  draw(s, size) {
    return [
      text(12, 16, "mono bold f-ink", isOver(s) ? "ten rounds" : `round ${current(s) + 1} of ${ROUNDS}`),
      text(size.w / 2, 16, "mono mid bold f-green", s.answered ? `it was ${target(s)}` : ""),
      text(size.w - 12, 16, "mono end bold f-ink", `${s.score} points`),
      layout(s, size).dials.map((dial) => drawClock(s, dial)),
    ];
  },
  reading(s) {
    const to = s.beat ? ` The score to beat is ${s.beat}.` : "";
    if (isOver(s))
      return `**Ten rounds: ${s.score} of 100 points.** ${
        s.beat ? (s.score > s.beat ? `You have beaten ${s.beat}.` : `The score to beat was ${s.beat}.`) : ""
      } *Link* copies an address with these ten rounds and your score.`.replaceAll("*Link*", "The button Link");
    if (s.answered) {
      const off = Math.abs(whole(s) - target(s)),
        earned = points(s);
      const says = off ? `You said ${whole(s)}, which is ${off} off.` : "You found it exactly.";
      return `**It was position ${target(s)}.** ${says} That earns ${earned} ${earned === 1 ? "point" : "points"}.`;
    }
    const notes = {
      plain: "",
      noise: " Each dashed hand is off by up to 0.35 radians.",
      hidden: " One clock is covered.",
      base: ` With base 100 the slowest hand comes round every ${formatPosition(Math.round(wavelength(3, D, 100)))} positions.`,
    };
    return `**Your hands show position ${formatPosition(s.guess)}.**${notes[s.level]}${to}`;
  },
  ...gesturesFor((s, size) =>
    layout(s, size).dials.map((dial) => ({
      ...windClock((...change) => setGuess(limits, ...change), dial, "guess"),
      end: (now) => add(limits, now, 0),
    })),
  ),
  key: (s, { right, up, end, page = 0 }) =>
    end ? setGuess(limits, s, "guess", end * POSITIONS) : add(limits, s, right + 10 * up + 100 * page),
  parts: boxes(layout, {
    all: (_, { w, h }) => [0, 0, w, h],
    second: ({ dials }) => around(dials[1]),
    third: ({ dials }) => around(dials[2]),
    fourth: ({ dials }) => around(dials[3]),
  }),
  done: {
    main: (s) =>
      s.rounds ? "Found: this is how a round goes. After ten rounds you can send your score to somebody." : "",
  },
  fits: ({ rounds, answered, score }) => score <= 10 * rounds && (rounds > 0 || !answered),
});
