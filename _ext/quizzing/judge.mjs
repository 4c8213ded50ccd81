// What is said of an answer, as pe_lib.course.grading.check says it in a notebook.
import { commas, number, typed } from "./numbers.mjs";
import { distinct, near, ofNumbers, ofSets } from "./relation.mjs";

// Whether two answers are the same one; check.same
function same({ kind, tolerance }, one, other) {
  if (kind === "choice") return one === other;
  if (kind === "set") [one, other] = [distinct(one), distinct(other)];
  return one.length === other.length && one.every((value, n) => near(value, other[n], tolerance));
}

// Where one mistake alone explains each number that is wrong: all of them, each with its numbers
function byNumbers({ tolerance, mistakes }, answer, right, wrong) {
  const places = {};
  for (const [n, value] of answer.entries()) {
    if (near(value, right[n], tolerance)) continue;
    const fits = Object.keys(wrong).filter((name) => {
      const made = wrong[name];
      return made.length === right.length && near(value, made[n], tolerance) && !near(made[n], right[n], tolerance);
    });
    if (fits.length !== 1 || (Number.isInteger(value) && Math.abs(value) < 100)) return undefined;
    places[fits[0]] = [...(places[fits[0]] ?? []), `Number ${n + 1}`];
  }
  return Object.entries(places)
    .map(([name, at]) => `${at.join(", ")}: ${mistakes[name]}`)
    .join(" ");
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
  const several = asked.kind === "numbers" && answer.length === right.length && byNumbers(asked, answer, right, wrong);
  if (several) return ["wrong", "✗ Not yet.", several];
  const text = (asked.kind === "set" ? ofSets : ofNumbers)(
    answer,
    right,
    asked.tolerance,
    given.map(number).filter(Number.isFinite),
  );
  return ["wrong", "✗ Not yet.", hints ? `${text} The button Hint has a step towards it.` : text];
}
