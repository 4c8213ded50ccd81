// What a position prints, and who prints the same. A printed value counts to half a unit of its last digit.
import { decimals } from "../frame/controls.mjs";
import { entry, frequency, range, remembering } from "../maths.mjs";

const BASE = 10_000,
  TURN = 2 * Math.PI,
  SLACK = 0.3; // radians by which the slowest hand may be pushed back past 0, as in chapter 4

export const speed = (pair, d) => frequency(pair, d, BASE);
export const whole = ({ position, positions }) => Math.min(Math.floor(position + 0.5), positions - 1); // of one on its way

// [sine, cosine] of a pair as they are printed
export const print = (pair, s) =>
  [0, 1].map((part) => decimals(entry(whole(s), 2 * pair + part, s.d_model, BASE), s.digits));

// The positions below `positions` whose pair prints as that of `position` does
export function agreeing(pair, position, positions, d, digits, cosines) {
  const dims = cosines ? [2 * pair, 2 * pair + 1] : [2 * pair],
    atol = 0.5 * 10 ** -digits,
    printed = dims.map((dim) => Number(entry(position, dim, d, BASE).toFixed(digits)));
  const alike = (k) => dims.every((dim, n) => Math.abs(entry(k, dim, d, BASE) - printed[n]) <= atol);
  return range(positions).filter(alike);
}

// By how much a hand is misread: forwards the slowest, back the next, and so on
export const misread = (pair, { off, d_model }) => ((d_model / 2 - 1 - pair) % 2 ? -off : off);

// What each pair that is read makes of the guess before it, the slowest first: (4.4). `same` are the positions that
// print what it prints, and `left` those of them that agreed with all pairs before.
export const guesses = remembering((s) => {
  let guess, left;
  return s.read.toReversed().map((pair) => {
    const w = speed(pair, s.d_model),
      before = guess,
      [sine, cosine] = print(pair, s).map((text) => Number(text.replace("−", "-")));
    const angle = Math.atan2(sine, cosine) + misread(pair, s),
      same = agreeing(pair, whole(s), s.positions, s.d_model, s.digits, true);
    guess =
      before === undefined
        ? (((angle + SLACK + TURN) % TURN) - SLACK) / w
        : (angle + TURN * Math.round((w * before - angle) / TURN)) / w;
    left = same.filter((k) => !left || left.includes(k));
    return { pair, turn: TURN / w, before, guess, same, left };
  });
});
