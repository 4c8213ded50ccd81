// Says how a wrong value is related to the right one, with the sentences of pe_lib/course/grading/relation.py. Both
// read the rules in relations.toml, which the build generates as a module.
import { RELATED } from "#generated/relations.mjs";

export const isNear = (actual, expected, tolerance) =>
  actual === expected || Math.abs(actual - expected) <= tolerance * (1 + Math.abs(expected));
export const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const CLOSE = 2e-4;
const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
export const nameNumber = (place, owner = "Your") =>
  place < ORDINALS.length ? `${owner} ${ORDINALS[place]} number` : `${owner} number at place ${place + 1}`;
const nameBoth = (first, second) =>
  second < ORDINALS.length
    ? `the ${ORDINALS[first]} and the ${ORDINALS[second]} number`
    : `the numbers at places ${first + 1} and ${second + 1}`;
export const sortUp = (values) => [...values].sort((a, b) => a - b);

// Relate numbers in their order, which must differ. `ofQuestion` are the numbers of the question. The sentence
// `explanation` stands where otherwise only the sizes could be compared.
export function relateNumbers(yours, right, tolerance, ofQuestion = [], explanation = "") {
  const total = right.length;
  if (yours.length !== total) {
    const text = `The question asks for ${total === 1 ? "one number" : `${total} numbers`}, and you gave ${yours.length}.`;
    return `${text} ${compareEnds(yours, right, tolerance)}`.trim();
  }
  if (!yours.every(Number.isFinite)) return "Your answer is infinite. The right one is a finite number.";
  const wrong = right.map((_, n) => n).filter((n) => !isNear(yours[n], right[n], tolerance));
  const expected = sortUp(right);
  if (total > 1 && sortUp(yours).every((y, n) => isNear(y, expected[n], tolerance))) {
    if (wrong.length > 2) return "You gave the right numbers, but in another order than the question asks for.";
    return `You gave the right numbers, but ${nameBoth(...wrong)} have changed places.`;
  }
  const first = total === 1 ? "Your number" : nameNumber(wrong[0]),
    rightCount = total - wrong.length;
  const which = wrong.length === 1 ? first : rightCount ? "Each of your other numbers" : "Each of your numbers";
  const pairs = wrong.map((n) => [yours[n], right[n]]);
  const each = wrong.map((n, at) => relateEach(nameNumber(n), [pairs[at]], tolerance, ofQuestion)).filter(Boolean),
    // What holds for a few of many numbers holds by chance
    alone = wrong.length > 1 && 2 * each.length >= wrong.length && each.join(" ");
  const text =
    relateEach(which, pairs, tolerance, ofQuestion) ?? (alone || explanation || compareSizes(first, ...pairs[0]));
  if (text === explanation) return text;
  return rightCount ? `${rightCount} of your ${total} numbers ${rightCount === 1 ? "is" : "are"} right. ${text}` : text;
}

// Say that some numbers begin or end with the right ones, or are some of them. Otherwise say nothing
function compareEnds(yours, right, tolerance) {
  const count = Math.min(yours.length, right.length),
    isOne = count === 1;
  const ends = [
    { name: "first", cut: (numbers) => numbers.slice(0, count) },
    { name: "last", cut: (numbers) => numbers.slice(numbers.length - count) },
  ];
  for (const { name, cut } of ends) {
    const expected = cut(right);
    if (!count || !cut(yours).every((y, n) => isNear(y, expected[n], tolerance))) continue;
    const many = isOne ? name : `${name} ${count}`;
    if (yours.length > count)
      return `Your ${many} ${isOne ? "number is" : "numbers are"} right, so leave out the others.`;
    return isOne
      ? `Yours is the ${name} of them, and it is right. Give the others as well.`
      : `Yours are the ${many} of them, and they are right. Give the others as well.`;
  }
  return "";
}

// Relate numbers in any order, which must differ
export function relateSets(yours, right, tolerance) {
  const mine = distinct(yours),
    expected = distinct(right);
  const countOutside = (values, others) =>
    values.filter((v) => !others.some((other) => isNear(v, other, tolerance))).length;
  const extra = countOutside(mine, expected),
    missing = countOutside(expected, mine),
    fit = mine.length - extra;
  if (!mine.length) return "Your answer contains no number, but there are numbers that fit.";
  const pairs = mine.map((y, n) => [y, expected[n]]);
  const relation =
    mine.length === expected.length && mine.length > 1 && relateEach("Each of your numbers", pairs, tolerance);
  if (relation) return relation;
  const beginsWith = (all, first) => first.every((value, n) => value === all[n]);
  if (!extra) {
    const more = missing === 1 ? "one more number does" : `${missing} more numbers do`,
      which = missing === 1 ? "It is larger than yours" : "They are all larger than yours",
      early = beginsWith(expected, mine) ? ` ${which}, so you stopped too early.` : "";
    return `Every number that you gave fits, but ${more} as well.${early}`;
  }
  if (!missing) {
    const other = extra === 1 ? "one of yours does" : `${extra} of yours do`,
      which = extra === 1 ? "It is" : "They are",
      late = beginsWith(mine, expected) ? ` ${which} too large, so you stopped too late.` : "";
    return `You found every number that fits, but ${other} not fit.${late}`;
  }
  const lack = `${missing === 1 ? "One number is" : `${missing} numbers are`} missing.`;
  if (!fit) return `${extra === 1 ? "Your number does not fit" : "None of your numbers fits"}. ${lack}`;
  const other = extra === 1 ? "other does" : "others do";
  return `${fit} of your ${mine.length} numbers ${fit === 1 ? "fits" : "fit"}, and the ${other} not. ${lack}`;
}

// Say what is true of each number and the right one in its place; nothing if no rule holds for all of them
function relateEach(which, pairs, tolerance, ofQuestion = []) {
  const every = (holds) => pairs.every(([y, r]) => holds(y, r)),
    isWhole = pairs.every(([, r]) => Number.isInteger(r));
  const describeFirst = (rules, limit = tolerance) => {
    const rule = rules.find(
      (candidate) => (isWhole || !candidate.whole) && every((y, r) => isExplained(candidate, y, r, limit)),
    );
    return rule && [`${which} is ${rule.words}.`, rule.advice].filter(Boolean).join(" ");
  };
  const telling = ofQuestion.filter((g) => !Number.isInteger(g) || Math.abs(g) >= 10),
    words = "a number from the question and not yet the answer",
    alone = telling.map((g) => ({ times: 0, plus: g, words, advice: "You still have to compute something from it." }));
  const relation = describeFirst([...alone, ...RELATED]) ?? (isWhole ? undefined : relateRounding(which, pairs));
  if (relation) return relation;
  if (isWhole && every((y, r) => Math.floor(y + 0.5) === r && Math.abs(y - r) <= Math.max(0.05, 2e-3 * Math.abs(r))))
    return `${which} becomes right when it is rounded to a whole number. Round it.`;
  // If the right values are multiples of 2π themselves, as some wavelengths are, this says nothing
  if (every((y, r) => isTurns(y - r) && !isTurns(r))) {
    const text = `${which} differs from the right value by a multiple of 2π.`;
    return `${text} If it is an angle, it is off by whole turns, so check how you count them.`;
  }
  // Many rules are made of the numbers of a question, so one of them may hold roughly by chance
  return describeFirst(rulesOfQuestion(ofQuestion, telling), Math.min(tolerance, CLOSE));
}

// Return whether these numbers are others, rounded to the decimals typed. They must have enough digits for this not to
// happen by chance. A number with more than six decimals was computed, and not typed
export function isRoundingOf(yours, expected, tolerance) {
  if (!yours.every(Number.isFinite)) return false;
  const counts = yours.map(countDigits).filter(({ places }) => places <= 6);
  const places = Math.max(0, ...counts.map((count) => count.places)),
    digits = counts.reduce((sum, count) => sum + count.digits, 0);
  if (places < 1 || digits < (yours.length === 1 ? 3 : 5) || yours.length !== expected.length) return false;
  const most = 0.501 * Number(`1e-${places}`);
  return yours.every((y, n) => isNear(y, expected[n], tolerance) || Math.abs(y - expected[n]) <= most);
}

// Return how many significant digits and how many decimals a number has
export function countDigits(number) {
  const [, mantissa, exponent] = /^-?([\d.]+)e(.+)$/.exec(number.toExponential()),
    digits = mantissa.replace(".", "").length;
  return { digits, places: digits - 1 - Number(exponent) };
}

// Return whether a number is a multiple of 2π, but not 0 and not very large
function isTurns(angle) {
  const turns = angle / (2 * Math.PI);
  return Math.abs(turns) > 0.5 && Math.abs(turns) < 1e4 && Math.abs(turns - Math.floor(turns + 0.5)) < 1e-4;
}

// Return the number that a rule makes of the right one
export function applyRule(rule, right) {
  const { times = 1, power = 1, plus = 0 } = rule;
  return times * (rule.function ? Math[rule.function](right) : right ** power) + plus;
}

// Return whether a rule makes this wrong number of the right one, by times · right^power + plus
function isExplained(rule, yours, right, tolerance) {
  const { plus = 0, whole = false } = rule,
    expected = applyRule(rule, right),
    limit = Math.min(tolerance, 1e-3) * (1 + Math.abs(expected));
  const small = Math.min(Math.abs(expected), Math.abs(plus || expected)),
    most = whole ? 0 : Math.min(limit, 2e-3 * small + 1e-12);
  if (rule.function && Math.abs(expected) < 1e-6) return false; // otherwise 0 would be a power of e
  if (rule.power && Math.abs(expected - right) < 0.02 * Math.abs(right)) return false; // near 1 all powers are alike
  return right !== 0 && Number.isFinite(expected) && Math.abs(yours - expected) <= most;
}

// Return whether a number has too many digits to be made of two others by chance
function hasDigits(value) {
  if (Math.abs(value) >= 10) return !Number.isInteger(value) || Math.abs(value) >= 100;
  return Math.abs(10 * value - Math.floor(10 * value + 0.5)) > 1e-6;
}

// Return rules like those of RELATED: a number of the question, or two of them, make the wrong value
function rulesOfQuestion(ofQuestion, telling) {
  const rule = (times, plus, words, advice) => ({ times, plus, words, advice }),
    format = (value) => Number(value.toPrecision(10));
  const each = telling.flatMap((g) => {
    const root = Math.sqrt(Math.abs(g)),
      by = `${format(g)}, which is a number in the question`,
      off = (times, plus, how) => rule(times, plus, `the right value ${how} ${by}`, "Check where you use it.");
    return [
      off(g, 0, "times"),
      off(1 / g, 0, "divided by"),
      off(1, g, "plus"),
      off(1, -g, "minus"),
      off(root, 0, "times the root of"),
      off(1 / root, 0, "divided by the root of"),
    ];
  });
  const pairs = ofQuestion.flatMap((a, n) => ofQuestion.filter((_, m) => m !== n).map((b) => [a, b]));
  const two = pairs.flatMap(([a, b]) =>
    Object.entries({ "+": a + b, "−": a - b, "·": a * b, "/": b ? a / b : 0 })
      .filter(([, value]) => hasDigits(value))
      .map(([sign, value]) => rule(0, value, `${format(a)} ${sign} ${format(b)}, made of two numbers in the question`)),
  );
  return [...each, ...two];
}

// Say so if too few digits, rounded or cut off, explain everything that is wrong
function relateRounding(which, pairs) {
  const counts = pairs.map(([y]) => countDigits(y));
  const places = Math.max(0, ...counts.map((count) => count.places));
  const unit = Number(`1e-${places}`),
    to = `${places} ${places === 1 ? "decimal" : "decimals"}`;
  const lacks = pairs.map(([y, r]) => (y * r > 0 ? (Math.abs(r) - Math.abs(y)) / unit : Infinity));
  if (counts.every((count) => count.digits < 2))
    return places && lacks.every((lack) => Math.abs(lack) <= 0.501)
      ? `${which} may be the right value, rounded to ${to}. Give all the digits that the question asks for.`
      : undefined;
  if (!lacks.every((lack) => lack >= -0.501 && lack < 0.999_999)) return undefined;
  return `${which} is the right value, but rounded or cut to ${places ? to : "a whole number"}. Give more digits.`;
}

// Compare sign and order of magnitude, which can always be done
function compareSizes(which, yours, right) {
  if (yours * right < 0 || !yours || !right)
    return `${which} should be ${right > 0 ? "above 0" : right < 0 ? "below 0" : "0"}.`;
  const ratio = Math.abs(yours / right),
    large = Math.abs(yours) > Math.abs(right);
  const too = `${which} is too ${large ? "large" : "small"}${right < 0 ? " in size" : ""}`,
    times = Math.min(large ? ratio : 1 / ratio, 1e9);
  if (times >= 2 - 1e-6) {
    const power = 10 ** (String(Math.floor(times * (1 + 1e-9))).length - 1),
      rounded = Math.floor(times * (1 + 1e-6) + 0.5);
    const many = times < 10 - 1e-8 ? `about ${rounded}` : `at least ${power.toLocaleString("en-US")}`;
    return large
      ? `${too}. It is ${many} times the right value.`
      : `${too}. The right value is ${many} times as large.`;
  }
  const share = Math.floor(100 * Math.abs(ratio - 1) * (1 + 1e-6) + 0.5),
    why = "Either you rounded a number on the way, or the method is slightly wrong.";
  // A percentage of a position, or of a number of things, means little
  if (Number.isInteger(right)) {
    const distance = describeDistance(Math.abs(yours - right), Math.abs(right));
    return [`${too}.`, distance, share ? "" : why].filter(Boolean).join(" ");
  }
  return share ? `${too}, by about ${share} %.` : `${too}, by less than 1 %. ${why}`;
}

// Say between which powers of ten the distance from a whole number of some size lies
function describeDistance(distance, size) {
  if (distance < 10) return size >= 20 ? "It is off by less than 10." : "";
  const power = 10 ** (String(Math.floor(distance)).length - 1),
    [least, most] = [power, 10 * power].map((number) => number.toLocaleString("en-US"));
  return `It is off by ${least} or more, but by less than ${most}.`;
}
