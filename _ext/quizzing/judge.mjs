// Judges an answer in the words that pe_lib.course.grading.check uses in a notebook.
import { commas, number, typed } from "./numbers.mjs";
import { distinct, near, ofNumbers, ofSets } from "./relation.mjs";

// Whether two answers are the same, as `same` of check.py decides it
function same({ kind, tolerance }, one, other) {
  if (kind === "choice") return one === other;
  if (kind === "set") [one, other] = [distinct(one), distinct(other)];
  return one.length === other.length && one.every((value, n) => near(value, other[n], tolerance));
}

const OTHERS_RIGHT = /^(?:The|Your|Both|All)\b[^.?!]*\b(?:is|are) right(?: now)?\. /;

// Explain wrong numbers one by one, each by a mistake that alone gives it: the text, and whether it explains all of
// them. If some stay unexplained, a mistake counts only if it is right wherever the answer is right
function byNumbers({ tolerance, mistakes }, answer, right, wrong) {
  const is = (value, other) => near(value, other, tolerance),
    sorted = (values) => [...values].sort((a, b) => a - b).join(),
    made = Object.entries(wrong).filter(
      ([, values]) => values.length === right.length && sorted(values) !== sorted(right), // not only another order
    ),
    off = answer.map((_, n) => n).filter((n) => !is(answer[n], right[n]));
  let found = off.flatMap((n) => {
    const fits = made.filter(([, values]) => is(answer[n], values[n])),
      tells = !Number.isInteger(answer[n]) || Math.abs(answer[n]) >= 100;
    return tells && fits.length === 1 ? [[...fits[0], n]] : [];
  });
  const wholly = found.length === off.length;
  if (!wholly)
    found = found.filter(([, values]) => values.every((value, n) => is(value, right[n]) || !is(answer[n], right[n])));
  const places = {};
  for (const [name, , n] of found) places[name] = [...(places[name] ?? []), `Number ${n + 1}`];
  const told = Object.entries(places).map(
    ([name, at]) => `${at.join(", ")}: ${mistakes[name].replace(OTHERS_RIGHT, "")}`,
  );
  return { explained: told.join(" "), wholly };
}

// Status and text: "right", "wrong" with the mistake or how the answer is related to the right one, or "open".
// `hints`: whether any are left
export function judge(asked, { given, right, wrong }, written, hints = true) {
  if (!written.trim()) return ["open", "○ Not answered yet.", ""];
  const choice = asked.kind === "choice",
    answer = choice ? written : typed(asked.kind, written);
  if (!choice && (!answer.length || answer.some(Number.isNaN))) {
    const how =
      asked.kind === "number"
        ? "Write it like 137, −0.4889, 1/256 or 2.5e3."
        : "Write numbers with spaces between them.";
    return ["open", "○ Not a number.", how];
  }
  if (same(asked, answer, right)) return ["right", "✓ Right.", ""];
  const meant = choice ? null : commas(asked.kind, written);
  if (meant && same(asked, meant, right)) return ["right", "✓ Right.", `Read as ${meant.join(", ")}.`];
  // where all that is known is whole, a mistake is known before and after rounding
  const known = [right, ...Object.values(wrong)].flat();
  const whole = asked.kind.startsWith("number") && known.every(Number.isInteger);
  const rounded = whole ? answer.map(Math.round) : answer;
  const mistake = Object.keys(wrong).find((name) => [answer, rounded].some((value) => same(asked, value, wrong[name])));
  if (mistake || choice) return ["wrong", "✗ Not yet.", asked.mistakes[mistake] ?? ""];
  const several = asked.kind === "numbers" && answer.length === right.length,
    { explained, wholly } = several ? byNumbers(asked, answer, right, wrong) : { explained: "", wholly: false };
  if (wholly) return ["wrong", "✗ Not yet.", explained];
  const text = (asked.kind === "set" ? ofSets : ofNumbers)(
    answer,
    right,
    asked.tolerance,
    explained ? [] : given.map(number).filter(Number.isFinite), // a mistake tells more
    explained,
  );
  return ["wrong", "✗ Not yet.", hints ? `${text} The button Hint has a step towards it.` : text];
}
