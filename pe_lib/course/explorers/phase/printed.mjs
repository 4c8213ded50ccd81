// Computes the printed values of a position, and the positions that share them.
// A printed value stands for all values within half a unit of its last digit.
import { decimals } from "../frame/controls.mjs";
import { entry, frequency, range, rememberLast } from "../maths.mjs";

const TURN = 2 * Math.PI;

export const D = 8;
export const BASE = 10_000;
export const PAIRS = range(D / 2);
export const speed = (pair) => frequency(pair, D, BASE);
export const whole = ({ position, positions }) => Math.min(Math.floor(position + 0.5), positions - 1); // rounded if it moves

// Return the [sine, cosine] of a pair in printed form.
export const print = (pair, s) => [0, 1].map((part) => decimals(entry(whole(s), 2 * pair + part, D, BASE), s.digits));

// Return the positions below `positions` whose pair prints the same values as at `position`.
export function agreeing(pair, position, positions, digits, cosines) {
  const dims = cosines ? [2 * pair, 2 * pair + 1] : [2 * pair],
    atol = 0.5 * 10 ** -digits,
    printed = dims.map((dim) => Number(entry(position, dim, D, BASE).toFixed(digits)));
  const alike = (k) => dims.every((dim, n) => Math.abs(entry(k, dim, D, BASE) - printed[n]) <= atol);
  return range(positions).filter(alike);
}

// Return the error in reading a hand: the slowest hand is misread forwards, the next hand backwards, and so on.
export const misread = (pair, { off }) => (pair % 2 ? off : -off);

// Return how each pair corrects the guess of the pair before it, from the slowest pair on, by formula (4.4).
// `same` lists the positions that print the same as this pair, and `left` lists the positions left so far.
export const guesses = rememberLast((s) => {
  let guess, left;
  return s.read.toReversed().map((pair) => {
    const w = speed(pair),
      before = guess,
      [sine, cosine] = print(pair, s).map((text) => Number(text.replace("−", "-")));
    const angle = Math.atan2(sine, cosine) + misread(pair, s),
      same = agreeing(pair, whole(s), s.positions, s.digits, true);
    // The slowest hand is in its first half turn, because it needs more than 3,000 positions for one.
    guess = before === undefined ? angle / w : (angle + TURN * Math.round((w * before - angle) / TURN)) / w;
    left = same.filter((k) => !left || left.includes(k));
    return { pair, turn: TURN / w, before, guess, same, left };
  });
});
