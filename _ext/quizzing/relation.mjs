// How a wrong value is related to the right one, in the words of pe_lib/course/grading/relation.py: RELATED is
// the table that both read.

export const near = (one, other, tolerance) =>
  one === other || Math.abs(one - other) <= tolerance * (1 + Math.abs(other));
export const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const rising = (values) => [...values].sort((a, b) => a - b);

// `explained`: what is said where nothing but a size could be
export function ofNumbers(yours, right, tolerance, given = [], explained = "") {
  const total = right.length;
  if (yours.length !== total)
    return `${total === 1 ? "One number is" : `${total} numbers are`} wanted; you gave ${yours.length}.`;
  if (!yours.every(Number.isFinite)) return "An infinite number is not wanted.";
  const wrong = right.map((_, n) => n).filter((n) => !near(yours[n], right[n], tolerance));
  const wanted = rising(right);
  if (total > 1 && rising(yours).every((y, n) => near(y, wanted[n], tolerance))) {
    if (wrong.length > 2) return "These are the right numbers, in another order.";
    const places = wrong.map((n) => n + 1).join(" and ");
    return `These are the right numbers, but numbers ${places} have changed places.`;
  }
  const isTelling = (value) => !Number.isInteger(value) || Math.abs(value) >= 10;
  if (total === 1 && given.some((y) => isTelling(y) && near(yours[0], y, 1e-9)))
    return "Yours is a number that the question gives, not the answer.";
  const first = total === 1 ? "Yours" : `Number ${wrong[0] + 1}`,
    fine = total - wrong.length;
  const which = wrong.length === 1 ? first : fine ? "Each of the others" : "Each";
  const pairs = wrong.map((n) => [yours[n], right[n]]);
  const telling = given.filter(isTelling),
    each = wrong.map((n, at) => ofEach(`Number ${n + 1}`, [pairs[at]], tolerance, telling)),
    alone = wrong.length > 1 && each.filter(Boolean).join(" ");
  const together = wrong.length === 1 && putTogether(which, pairs[0][0], given);
  const text = ofEach(which, pairs, tolerance, telling) ?? (alone || together || explained || size(first, ...pairs[0]));
  if (text === explained) return text;
  return fine ? `${fine} of ${total} ${fine === 1 ? "is" : "are"} right. ${text}` : text;
}

export function ofSets(yours, right, tolerance) {
  const mine = distinct(yours),
    wanted = distinct(right);
  const outside = (values, others) => values.filter((v) => !others.some((other) => near(v, other, tolerance))).length;
  const extra = outside(mine, wanted),
    missing = outside(wanted, mine),
    fit = mine.length - extra;
  if (!mine.length) return "Yours is empty.";
  const pairs = mine.map((y, n) => [y, wanted[n]]);
  const found = mine.length === wanted.length && mine.length > 1 && ofEach("Each of yours", pairs, tolerance);
  if (found) return found;
  const begins = (all, some) => some.every((value, n) => value === all[n]);
  if (!extra) {
    const early = begins(wanted, mine) ? " They are larger than yours: you stop too early." : "";
    return `Each of yours fits, but ${missing === 1 ? "one more does" : `${missing} more do`}, too.${early}`;
  }
  const out = `${extra} ${extra === 1 ? "does" : "do"}`;
  if (!missing) {
    const late = begins(mine, wanted) ? " They are larger than those: you stop too late." : "";
    return `All that fit are there, but ${out.replace(" ", " of yours ")} not fit.${late}`;
  }
  const lack = `${missing} ${missing === 1 ? "is" : "are"} missing`;
  return `Of yours, ${fit || "none"} ${fit > 1 ? "fit" : "fits"} and ${out} not; ${lack}.`;
}

function ofEach(which, pairs, tolerance, given = []) {
  const every = (holds) => pairs.every(([y, r]) => holds(y, r)),
    whole = pairs.every(([, r]) => Number.isInteger(r));
  const row = RELATED.find((row) => (whole || !row.whole) && every((y, r) => isSo(row, y, r, tolerance)));
  if (row) return `${which} is ${row.words}.`;
  if (whole && every((y, r) => Math.floor(y + 0.5) === r && Math.abs(y - r) <= Math.max(0.05, 2e-3 * Math.abs(r))))
    return `${which} is right once it is rounded to a whole number.`;
  return (whole ? undefined : rounded(which, pairs)) ?? byGiven(which, pairs, given);
}

function isSo(row, yours, right, tolerance) {
  const { times = 1, power = 1, plus = 0, whole = false } = row,
    wanted = times * (row.function ? Math[row.function](right) : right ** power) + plus,
    limit = Math.min(tolerance, 1e-3) * (1 + Math.abs(wanted));
  const most = whole ? 0 : Math.min(limit, 2e-3 * Math.abs(wanted) + 1e-12);
  return right !== 0 && Number.isFinite(wanted) && Math.abs(yours - wanted) <= most;
}

function byGiven(which, pairs, given) {
  for (const g of given) {
    const root = Math.sqrt(Math.abs(g));
    const ways = [
      ["times", g, 0],
      ["divided by", 1 / g, 0],
      ["plus", 1, g],
      ["minus", 1, -g],
      ["times the root of", root, 0],
      ["divided by the root of", 1 / root, 0],
    ];
    const way = ways.find(([, by, plus]) =>
      pairs.every(([y, r]) => r && Math.abs(y - r * by - plus) <= 2e-4 * Math.abs(r * by)),
    );
    if (way) return `${which} is the right value ${way[0]} ${Number(g.toPrecision(10))}, a number of the question.`;
  }
  const turns = pairs.map(([y, r]) => (y - r) / (2 * Math.PI));
  const whole = turns.every((n) => Math.abs(n) > 0.5 && Math.abs(n) < 1e4 && Math.abs(n - Math.floor(n + 0.5)) < 1e-4);
  return whole ? `${which} is off by whole turns, multiples of 2π.` : undefined;
}

function putTogether(which, yours, given) {
  for (const [n, a] of given.entries())
    for (const [m, b] of given.entries()) {
      const ways = Object.entries({ "+": a + b, "−": a - b, "·": a * b, "/": b ? a / b : 0 });
      const way = ways.find(([, value]) => Math.abs(value) >= 100 && Math.abs(yours - value) <= 1e-6 * Math.abs(value));
      const [one, other] = [a, b].map((x) => Number(x.toPrecision(10)));
      if (n !== m && way) return `${which} is ${one} ${way[0]} ${other}, two numbers of the question.`;
    }
  return undefined;
}

function rounded(which, pairs) {
  const written = pairs.map(([y]) => /^-?([\d.]+)e(.+)$/.exec(y.toExponential()));
  const digits = written.map(([, mantissa]) => mantissa.replace(".", "").length);
  const places = Math.max(0, ...written.map(([, , exponent], n) => digits[n] - 1 - Number(exponent)));
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

function size(which, yours, right) {
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
