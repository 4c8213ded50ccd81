// Judges an answer with the messages that pe_lib.course.grading.check gives in a notebook.
import { parseAnswer, parseDecimalCommas, parseNumber } from "./numbers.mjs";
import { distinct, isNear, relateNumbers, relateSets } from "./relation.mjs";

// Return whether two answers are the same, by the rules of is_same_value in pe_lib/course/grading/agreement.py
function isSame({ kind, tolerance }, answer, expected) {
  if (kind === "choice") return answer === expected;
  const [actual, reference] = kind === "set" ? [distinct(answer), distinct(expected)] : [answer, expected];
  return actual.length === reference.length && actual.every((value, n) => isNear(value, reference[n], tolerance));
}

// The text of a mistake may begin by saying that other parts are right, but here they may be wrong for another reason
const OTHERS_RIGHT = /^(?:The|Your|Both|All)\b[^.?!]*\b(?:is|are) right(?: now)?\. /;

// Explain each wrong number by the only mistake that gives it. Return the text, and whether it explains every wrong
// number. If some stay unexplained, a mistake counts only if it is right wherever the answer is right
function explainNumbers({ tolerance, mistakes }, answer, right, wrong) {
  const agrees = (value, other) => isNear(value, other, tolerance),
    sorted = (values) => [...values].sort((a, b) => a - b).join(),
    // A mistake that only reorders the right numbers explains none of them
    candidates = Object.entries(wrong).filter(
      ([, values]) => values.length === right.length && sorted(values) !== sorted(right),
    ),
    wrongIndices = answer.map((_, n) => n).filter((n) => !agrees(answer[n], right[n]));
  const explanations = wrongIndices.flatMap((n) => {
    const fits = candidates.filter(([, values]) => agrees(answer[n], values[n])),
      isTelling = !Number.isInteger(answer[n]) || Math.abs(answer[n]) >= 100; // a small integer fits by chance
    return isTelling && fits.length === 1 ? [[...fits[0], n]] : [];
  });
  const isComplete = explanations.length === wrongIndices.length;
  const isRightWhereAnswerIs = ([, values]) =>
    values.every((value, n) => agrees(value, right[n]) || !agrees(answer[n], right[n]));
  const indices = {};
  for (const [name, , n] of isComplete ? explanations : explanations.filter(isRightWhereAnswerIs))
    indices[name] = [...(indices[name] ?? []), `Number ${n + 1}`];
  const sentences = Object.entries(indices).map(
    ([name, numbers]) => `${numbers.join(", ")}: ${mistakes[name].replace(OTHERS_RIGHT, "")}`,
  );
  return { explanation: sentences.join(" "), isComplete };
}

// Return the status of an answer, its heading and its text. The status is "right", "wrong" or "open"; the text of a
// wrong answer tells the mistake, or else how the answer is related to the right one. `hasHints` says whether a hint
// is left that the text can point to.
export function judge(question, { given: ofQuestion, right, wrong }, text, hasHints = true) {
  if (!text.trim()) return ["open", "○ Not answered yet.", ""];
  const isChoice = question.kind === "choice",
    answer = isChoice ? text : parseAnswer(question.kind, text);
  if (!isChoice && (!answer.length || answer.some(Number.isNaN))) {
    const how =
      question.kind === "number"
        ? "Write it like 137, −0.4889, 1/256 or 2.5e3."
        : "Write numbers with spaces between them.";
    return ["open", "○ Not a number.", how];
  }
  if (isSame(question, answer, right)) return ["right", "✓ Right.", ""];
  const reading = isChoice ? null : parseDecimalCommas(question.kind, text);
  if (reading && isSame(question, reading, right)) return ["right", "✓ Right.", `Read as ${reading.join(", ")}.`];
  // Where the right numbers and those of all mistakes are whole, a mistake is known before and after rounding
  const references = [right, ...Object.values(wrong)].flat();
  const isWhole = question.kind.startsWith("number") && references.every(Number.isInteger);
  const roundedAnswer = isWhole ? answer.map(Math.round) : answer;
  const mistake = Object.keys(wrong).find((name) =>
    [answer, roundedAnswer].some((value) => isSame(question, value, wrong[name])),
  );
  if (mistake || isChoice) return ["wrong", "✗ Not yet.", question.mistakes[mistake] ?? ""];
  const hasPieces = question.kind === "numbers" && answer.length === right.length,
    { explanation, isComplete } = hasPieces
      ? explainNumbers(question, answer, right, wrong)
      : { explanation: "", isComplete: false };
  if (isComplete) return ["wrong", "✗ Not yet.", explanation];
  const relation = (question.kind === "set" ? relateSets : relateNumbers)(
    answer,
    right,
    question.tolerance,
    explanation ? [] : ofQuestion.map(parseNumber).filter(Number.isFinite), // a mistake explains more than a relation
    explanation,
  );
  return ["wrong", "✗ Not yet.", hasHints ? `${relation} The button Hint has a step towards it.` : relation];
}
