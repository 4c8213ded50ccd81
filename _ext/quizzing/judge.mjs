// What is said of an answer, as pe_lib.course.grading.check says it in a notebook.
import { say } from "../../pe_lib/course/texts.mjs";
import { number, typed } from "./numbers.mjs";
import { distinct, near, ofNumbers, ofSets } from "./relation.mjs";

// Whether two answers are the same one; check.same
function same({ kind, tolerance }, one, other) {
  if (kind === "choice") return one === other;
  if (kind === "set") [one, other] = [distinct(one), distinct(other)];
  return one.length === other.length && one.every((value, n) => near(value, other[n], tolerance));
}

// Status and text: "right", "wrong" with the mistake or how the answer is related to the right one, or "open".
// `hints`: whether any are left
export function judge(asked, { given, right, wrong }, written, hints = true) {
  if (!written.trim()) return ["open", `○ ${say("Not answered yet")}.`, ""];
  const choice = asked.kind === "choice",
    answer = choice ? written : typed(asked.kind, written);
  if (!choice && (!answer.length || answer.some(Number.isNaN))) {
    const how =
      asked.kind === "number"
        ? say("Write it like 137, −0.4889, 1/256 or 2.5e3.")
        : say("Write numbers with spaces between them.");
    return ["open", `○ ${say("Not a number")}.`, how];
  }
  if (same(asked, answer, right)) return ["right", `✓ ${say("Right")}.`, ""];
  // where all that is known is whole, a mistake is known before and after rounding
  const known = [right, ...Object.values(wrong)].flat();
  const whole = asked.kind.startsWith("number") && known.every(Number.isInteger);
  const rounded = whole ? answer.map(Math.round) : answer;
  const mistake = Object.keys(wrong).find((name) => [answer, rounded].some((value) => same(asked, value, wrong[name])));
  if (mistake || choice) return ["wrong", `✗ ${say("Not yet")}.`, asked.mistakes[mistake] ?? ""];
  const [, text] = (asked.kind === "set" ? ofSets : ofNumbers)(
    answer,
    right,
    asked.tolerance,
    given.map(number).filter(Number.isFinite),
  );
  return ["wrong", `✗ ${say("Not yet")}.`, hints ? `${text} ${say("The button Hint has a step towards it.")}` : text];
}
