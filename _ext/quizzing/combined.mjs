// Explains numbers by a known mistake and one more change, by the rules of pe_lib/course/grading/combined.py.
import { RELATED, SECOND_CHANGES } from "#generated/relations.mjs";
import { applyRule, countDigits, isNear, sortUp } from "./relation.mjs";

const LEAST_DIGITS = 4; // With fewer digits, one of the many combinations would often give a number by chance
const MOST_PLACES = 10;

// Return the name of the known mistake that gives these numbers after one change, and a sentence about the change.
// Return nothing if no mistake fits, or several do
export function combineNumbers(yours, right, wrong, tolerance) {
  if (!yours.every(Number.isFinite)) return undefined;
  const combinations = Object.entries(wrong)
    .filter(([, values]) => values.length === yours.length && values.length === right.length)
    .map(([name, values]) => [name, describeChange(yours, right, values, tolerance)])
    .filter(([, change]) => change);
  return combinations.length === 1 ? combinations[0] : undefined;
}

// Say how numbers differ from those of a mistake; nothing if no single change explains it
function describeChange(yours, right, values, tolerance) {
  const inOrder = sortUp(values);
  if (yours.length > 1 && sortUp(yours).every((y, n) => isNear(y, inOrder[n], tolerance)))
    return yours.some((y) => !Number.isInteger(y) || Math.abs(y) >= 100) ? "Your numbers are in another order." : "";
  const places = yours.map((_, n) => n),
    isRight = (n) => isNear(yours[n], right[n], tolerance),
    wrong = places.filter((n) => !isRight(n));
  const isRightAlike = places.filter(isRight).every((n) => isNear(values[n], right[n], tolerance));
  if (!isRightAlike || wrong.some((n) => countDigits(yours[n]).digits < LEAST_DIGITS)) return "";
  /** @type {any} */
  const rule = RELATED.find(
    (candidate) =>
      SECOND_CHANGES.includes(candidate.name) && wrong.every((n) => givesAsTyped(candidate, yours[n], values[n])),
  );
  if (!rule) return "";
  const which = yours.length === 1 ? "Your number" : "Each of your wrong numbers",
    words = rule.words
      .replace("right except for", "what this mistake gives, except for")
      .replaceAll("the right value", "what this mistake gives");
  return [`${which} is ${words}.`, rule.advice].filter(Boolean).join(" ");
}

// Return whether a rule turns a mistake's number into this one, in all the digits that were typed
function givesAsTyped(rule, yours, value) {
  const expected = applyRule(rule, value),
    places = Math.min(countDigits(yours).places, MOST_PLACES);
  return (
    value !== 0 && Math.abs(yours - expected) <= Math.max(0.501 * Number(`1e${-places}`), 2e-6 * Math.abs(expected))
  );
}
