// Judges an answer with the messages that pe_lib.course.grading.check gives in a notebook.
import { describeGrouping, isNothing, parseAnswer, parseOtherwise, parseNumber } from "./numbers.mjs";
import { combineNumbers } from "./combined.mjs";
import { distinct, isNear, isRoundingOf, nameNumber, relateNumbers, relateSets } from "./relation.mjs";

// Return whether two answers are the same, by the rules of is_same_value in pe_lib/course/grading/agreement.py
function isSame({ kind, tolerance }, answer, expected) {
  if (kind === "choice") return answer === expected;
  const [actual, reference] = kind === "set" ? [distinct(answer), distinct(expected)] : [answer, expected];
  return actual.length === reference.length && actual.every((value, n) => isNear(value, reference[n], tolerance));
}

// The page removes this sentence when no hint is left
const STEP = ' <span class="om-step">For the next step, press <em>Hint</em>.</span>';

// The text of a mistake may begin by saying that other parts are right, but here they may be wrong for another reason
const OTHERS_RIGHT = /^(?:The|Your|Both|All)\b[^.?!]*\b(?:is|are) right(?: now)?\. (?:But (\w))?/;

const lowerFirst = (text) => text.charAt(0).toLowerCase() + text.slice(1);

// Explain each wrong number by the only mistake that gives it. Return the text, and whether it explains every wrong
// number. A mistake counts only if it is right wherever the answer is right
function explainNumbers({ tolerance, mistakes }, answer, right, wrong) {
  const agrees = (value, other) => isNear(value, other, tolerance),
    sorted = (values) => [...values].sort((a, b) => a - b).join(),
    // A mistake that only reorders the right numbers explains none of them
    candidates = Object.entries(wrong).filter(
      ([, values]) => values.length === right.length && sorted(values) !== sorted(right),
    ),
    wrongIndices = answer.map((_, n) => n).filter((n) => !agrees(answer[n], right[n]));
  const isRightWhereAnswerIs = ([, values]) =>
    values.every((value, n) => agrees(value, right[n]) || !agrees(answer[n], right[n]));
  const explanations = wrongIndices.flatMap((n) => {
    const fits = candidates.filter(([, values]) => agrees(answer[n], values[n])),
      isTelling = !Number.isInteger(answer[n]) || Math.abs(answer[n]) >= 100; // a small integer fits by chance
    return isTelling && fits.length === 1 && isRightWhereAnswerIs(fits[0]) ? [[...fits[0], n]] : [];
  });
  // A mistake that explains a few of many wrong numbers gives them by chance
  if (3 * explanations.length < wrongIndices.length) return { explanation: "", isComplete: false };
  const isComplete = explanations.length === wrongIndices.length,
    indices = {};
  for (const [name, , n] of explanations) indices[name] = [...(indices[name] ?? []), n];
  const sentences = Object.entries(indices).map(([name, places]) => {
    const which = places.map((n, k) => nameNumber(n, k ? "your" : "Your")).join(" and "),
      verb = places.length === 1 ? "agrees" : "agree";
    return `${which} ${verb} with this mistake: ${mistakes[name].replace(OTHERS_RIGHT, (_, letter = "") => letter.toUpperCase())}`;
  });
  return { explanation: sentences.join(" "), isComplete };
}

// Return the status of an answer, its heading and its text. The status is "right", "wrong" or "open"; the text of a
// wrong answer tells the mistake, or else how the answer is related to the right one, and ends with STEP.
export function judge(question, { given: ofQuestion, right, wrong }, text) {
  if (!text.trim()) return ["open", "○ Not answered yet.", ""];
  const isChoice = question.kind === "choice",
    answer = isChoice ? text : parseAnswer(question.kind, text);
  if (isSame(question, answer, right)) return ["right", "✓ Right.", ""];
  const otherwise = isChoice ? [] : parseOtherwise(question.kind, text),
    reading = otherwise.find((numbers) => isSame(question, numbers, right));
  if (reading) return ["right", "✓ Right.", `Read as ${reading.join(", ")}.`];
  const isEmpty = !answer.length && !isNothing(question.kind, text);
  if (!isChoice && (isEmpty || answer.some(Number.isNaN))) {
    const how =
      question.kind === "number"
        ? "Write it like 137, −0.4889, 1/256 or 2.5e3."
        : "Write numbers with spaces between them.";
    return ["open", "○ This is not a number.", how];
  }
  // Where whole numbers are asked for, a mistake is known before and after rounding
  const round = (values) => values.map((value) => Math.floor(value + 0.5));
  const isOfNumbers = question.kind.startsWith("number"),
    allWhole = isOfNumbers && [right, ...Object.values(wrong)].flat().every(Number.isInteger);
  const roundings = (name) =>
    allWhole || (question.whole && wrong[name].every(Number.isInteger)) ? [answer, round(answer)] : [answer];
  // A reader who is asked for a whole number rounds what a mistake gives, but small numbers agree by chance
  const isRounded = (name) =>
    question.whole &&
    round(wrong[name]).every((n) => Math.abs(n) >= 10) &&
    isSame(question, answer, round(wrong[name]));
  // A reader rounds as the question asks. If a mistake gives small numbers, this may change them by more than the tolerance
  const fits = (values) => isOfNumbers && isRoundingOf(answer, values, question.tolerance),
    fitting = fits(right) ? [] : Object.keys(wrong).filter((name) => fits(wrong[name]));
  const mistake =
    Object.keys(wrong).find((name) => roundings(name).some((value) => isSame(question, value, wrong[name]))) ??
    (fitting.length === 1 ? fitting[0] : undefined) ??
    (isOfNumbers ? Object.keys(wrong).find(isRounded) : undefined);
  const grouping = describeGrouping(question.kind, text);
  if (mistake || isChoice) return ["wrong", "✗ Not yet.", `${grouping}${question.mistakes[mistake] ?? ""}`];
  const hasPieces = question.kind === "numbers" && answer.length === right.length,
    { explanation, isComplete } = hasPieces
      ? explainNumbers(question, answer, right, wrong)
      : { explanation: "", isComplete: false };
  if (isComplete) return ["wrong", "✗ Not yet.", explanation];
  const combination = isOfNumbers && !explanation && combineNumbers(answer, right, wrong, question.tolerance),
    both = combination
      ? `Two mistakes together may give your result. First: ${question.mistakes[combination[0]]} Second: ${lowerFirst(combination[1])}`
      : "";
  const relation = (question.kind === "set" ? relateSets : relateNumbers)(
    answer,
    right,
    question.tolerance,
    explanation ? [] : ofQuestion.map(parseNumber).filter(Number.isFinite), // a mistake explains more than a relation
    explanation || both,
  );
  return ["wrong", "✗ Not yet.", `${grouping}${relation}${STEP}`];
}
