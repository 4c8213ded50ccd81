// What is said of an answer, as pe_lib.course.grading.check says it in a notebook.
import { commas, number, typed } from "./numbers.mjs";
import { distinct, near, ofNumbers, ofSets } from "./relation.mjs";

// Whether two answers are the same one; check.same
function same({ kind, tolerance }, one, other) {
  if (kind === "choice") return one === other;
  if (kind === "set") [one, other] = [distinct(one), distinct(other)];
  return one.length === other.length && one.every((value, n) => near(value, other[n], tolerance));
}

const OTHERS_RIGHT = /^(?:The|Your|Both|All)\b[^.?!]*\b(?:is|are) right(?: now)?\. /;

// Where one mistake alone explains a number that is wrong: each with its numbers. `confined`: where some are explained
// so, by mistakes that would change no other; else where all are
function byNumbers({ tolerance, mistakes }, answer, right, wrong, confined) {
  const places = {},
    is = (value, other) => near(value, other, tolerance),
    off = answer.map((_, n) => n).filter((n) => !is(answer[n], right[n]));
  for (const n of off) {
    const fits = Object.keys(wrong).filter((name) => {
      const made = wrong[name];
      return made.length === right.length && is(answer[n], made[n]) && !is(made[n], right[n]);
    });
    const made = wrong[fits[0]],
      tells = !Number.isInteger(answer[n]) || Math.abs(answer[n]) >= 100;
    if (fits.length !== 1 || !tells) continue;
    if (!confined || made.every((value, m) => is(value, right[m]) || is(answer[m], value)))
      places[fits[0]] = [...(places[fits[0]] ?? []), `Number ${n + 1}`];
  }
  if (!confined && Object.values(places).flat().length < off.length) return "";
  return Object.entries(places)
    .map(([name, at]) => `${at.join(", ")}: ${mistakes[name].replace(OTHERS_RIGHT, "")}`)
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
  const several = asked.kind === "numbers" && answer.length === right.length,
    [all, some] = [false, true].map((confined) => several && byNumbers(asked, answer, right, wrong, confined));
  if (all) return ["wrong", "✗ Not yet.", all];
  const text = (asked.kind === "set" ? ofSets : ofNumbers)(
    answer,
    right,
    asked.tolerance,
    given.map(number).filter(Number.isFinite),
    some,
  );
  return ["wrong", "✗ Not yet.", hints ? `${text} The button Hint has a step towards it.` : text];
}
