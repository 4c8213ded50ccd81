// Says how a wrong value is related to the right one, with the sentences of pe_lib/course/grading/relation.py. Both
// read the rules in relations.toml, which the page has as RELATED.

export const isNear = (actual, expected, tolerance) =>
  actual === expected || Math.abs(actual - expected) <= tolerance * (1 + Math.abs(expected));
export const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const sortUp = (values) => [...values].sort((a, b) => a - b);

// Relate numbers in their order, which must differ. `ofQuestion` are the numbers of the question. The sentence
// `explanation` stands where otherwise only the sizes could be compared.
export function relateNumbers(yours, right, tolerance, ofQuestion = [], explanation = "") {
  const total = right.length;
  if (yours.length !== total)
    return `${total === 1 ? "One number is" : `${total} numbers are`} wanted; you gave ${yours.length}.`;
  if (!yours.every(Number.isFinite)) return "An infinite number is not wanted.";
  const wrong = right.map((_, n) => n).filter((n) => !isNear(yours[n], right[n], tolerance));
  const expected = sortUp(right);
  if (total > 1 && sortUp(yours).every((y, n) => isNear(y, expected[n], tolerance))) {
    if (wrong.length > 2) return "These are the right numbers, in another order.";
    const numbers = wrong.map((n) => n + 1).join(" and ");
    return `These are the right numbers, but numbers ${numbers} have changed places.`;
  }
  const first = total === 1 ? "Yours" : `Number ${wrong[0] + 1}`,
    rightCount = total - wrong.length;
  const which = wrong.length === 1 ? first : rightCount ? "Each of the others" : "Each";
  const pairs = wrong.map((n) => [yours[n], right[n]]);
  const each = wrong.map((n, at) => relateEach(`Number ${n + 1}`, [pairs[at]], tolerance, ofQuestion)),
    alone = wrong.length > 1 && each.filter(Boolean).join(" ");
  const text =
    relateEach(which, pairs, tolerance, ofQuestion) ?? (alone || explanation || compareSizes(first, ...pairs[0]));
  if (text === explanation) return text;
  return rightCount ? `${rightCount} of ${total} ${rightCount === 1 ? "is" : "are"} right. ${text}` : text;
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
  if (!mine.length) return "Yours is empty.";
  const pairs = mine.map((y, n) => [y, expected[n]]);
  const relation = mine.length === expected.length && mine.length > 1 && relateEach("Each of yours", pairs, tolerance);
  if (relation) return relation;
  const beginsWith = (all, first) => first.every((value, n) => value === all[n]);
  if (!extra) {
    const early = beginsWith(expected, mine) ? " They are larger than yours: you stop too early." : "";
    return `Each of yours fits, but ${missing === 1 ? "one more does" : `${missing} more do`}, too.${early}`;
  }
  const out = `${extra} ${extra === 1 ? "does" : "do"}`;
  if (!missing) {
    const late = beginsWith(mine, expected) ? " They are larger than those: you stop too late." : "";
    return `All that fit are there, but ${out.replace(" ", " of yours ")} not fit.${late}`;
  }
  const lack = `${missing} ${missing === 1 ? "is" : "are"} missing`;
  return `Of yours, ${fit || "none"} ${fit > 1 ? "fit" : "fits"} and ${out} not; ${lack}.`;
}

// Say what is true of each number and the right one in its place; nothing if no rule holds for all of them
function relateEach(which, pairs, tolerance, ofQuestion = []) {
  const every = (holds) => pairs.every(([y, r]) => holds(y, r)),
    isWhole = pairs.every(([, r]) => Number.isInteger(r));
  const describeFirst = (rules) => {
    const rule = rules.find(
      (candidate) => (isWhole || !candidate.whole) && every((y, r) => isExplained(candidate, y, r, tolerance)),
    );
    return rule && `${which} is ${rule.words}.`;
  };
  const telling = ofQuestion.filter((g) => !Number.isInteger(g) || Math.abs(g) >= 10),
    alone = telling.map((g) => ({ times: 0, plus: g, words: "a number that the question gives, not the answer" }));
  const relation = describeFirst([...alone, ...RELATED]) ?? (isWhole ? undefined : relateRounding(which, pairs));
  if (relation) return relation;
  if (isWhole && every((y, r) => Math.floor(y + 0.5) === r && Math.abs(y - r) <= Math.max(0.05, 2e-3 * Math.abs(r))))
    return `${which} is right once it is rounded to a whole number.`;
  const isTurns = (n) => Math.abs(n) > 0.5 && Math.abs(n) < 1e4 && Math.abs(n - Math.floor(n + 0.5)) < 1e-4;
  if (every((y, r) => isTurns((y - r) / (2 * Math.PI)))) return `${which} is off by whole turns, multiples of 2π.`;
  return describeFirst(rulesOfQuestion(ofQuestion, telling));
}

// Return whether a rule makes this wrong number of the right one, by times · right^power + plus
function isExplained(rule, yours, right, tolerance) {
  const { times = 1, power = 1, plus = 0, whole = false } = rule,
    expected = times * (rule.function ? Math[rule.function](right) : right ** power) + plus,
    limit = Math.min(tolerance, 1e-3) * (1 + Math.abs(expected));
  const small = Math.min(Math.abs(expected), Math.abs(plus || expected)),
    most = whole ? 0 : Math.min(limit, 2e-3 * small + 1e-12);
  if (rule.power && Math.abs(expected - right) < 0.02 * Math.abs(right)) return false; // near 1 all powers are alike
  return right !== 0 && Number.isFinite(expected) && Math.abs(yours - expected) <= most;
}

// Return rules like those of RELATED: a number of the question, or two of them, make the wrong value
function rulesOfQuestion(ofQuestion, telling) {
  const rule = (times, plus, words) => ({ times, plus, words }),
    format = (value) => Number(value.toPrecision(10));
  const each = telling.flatMap((g) => {
    const root = Math.sqrt(Math.abs(g)),
      off = (times, plus, how) => rule(times, plus, `the right value ${how} ${format(g)}, a number of the question`);
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
      .filter(([, value]) => !Number.isInteger(value) || Math.abs(value) >= 100)
      .map(([sign, value]) => rule(0, value, `${format(a)} ${sign} ${format(b)}, two numbers of the question`)),
  );
  return [...each, ...two];
}

// Say so if too few digits, rounded or cut off, explain everything that is wrong
function relateRounding(which, pairs) {
  const scientific = pairs.map(([y]) => /^-?([\d.]+)e(.+)$/.exec(y.toExponential()));
  const digits = scientific.map(([, mantissa]) => mantissa.replace(".", "").length);
  const places = Math.max(0, ...scientific.map(([, , exponent], n) => digits[n] - 1 - Number(exponent)));
  const unit = Number(`1e-${places}`),
    to = `${places} ${places === 1 ? "decimal" : "decimals"}`;
  const lacks = pairs.map(([y, r]) => (y * r > 0 ? (Math.abs(r) - Math.abs(y)) / unit : Infinity));
  if (Math.max(...digits) < 2)
    return places && lacks.every((lack) => Math.abs(lack) <= 0.501)
      ? `${which} may be right, but rounded to ${to}: give all digits that are asked for.`
      : undefined;
  if (!lacks.every((lack) => lack >= -0.501 && lack < 0.999_999)) return undefined;
  return `${which} is right, but rounded or cut to ${places ? to : "a whole number"}. Give more digits.`;
}

// Compare sign and order of magnitude, which can always be done
function compareSizes(which, yours, right) {
  if (yours * right < 0 || !yours || !right)
    return `${which} should be ${right > 0 ? "above 0" : right < 0 ? "below 0" : "0"}.`;
  const ratio = Math.abs(yours / right),
    large = Math.abs(yours) > Math.abs(right);
  const too = `${which} is too ${large ? "large" : "small"}${right < 0 ? " in size" : ""}`,
    times = (large ? ratio : 1 / ratio) * (1 + 1e-6);
  if (times >= 2) {
    const power = 10 ** (Math.min(times, 1e9).toFixed(0).length - 1);
    const many = times < 9.5 ? `about ${Math.floor(times + 0.5)}` : `more than ${power.toLocaleString("en-US")}`;
    return large ? `${too}, ${many} times the right value.` : `${too}: the right value is ${many} times as large.`;
  }
  const share = Math.floor(100 * Math.abs(ratio - 1) * (1 + 1e-6) + 0.5);
  if (share) return `${too}, by about ${share} %.`;
  const why = "Either something was rounded on the way, or the method is off by a little.";
  return `${too}, by less than 1 %. ${why}`;
}
