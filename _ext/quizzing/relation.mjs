// Says how a wrong value is related to the right one, in the words of pe_lib/course/grading/relation.py. Both read
// the table RELATED.

export const near = (one, other, tolerance) =>
  one === other || Math.abs(one - other) <= tolerance * (1 + Math.abs(other));
export const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const rising = (values) => [...values].sort((a, b) => a - b);

// Compare numbers place by place; `explained` is said where otherwise only a size could be told
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
  const first = total === 1 ? "Yours" : `Number ${wrong[0] + 1}`,
    fine = total - wrong.length;
  const which = wrong.length === 1 ? first : fine ? "Each of the others" : "Each";
  const pairs = wrong.map((n) => [yours[n], right[n]]);
  const each = wrong.map((n, at) => ofEach(`Number ${n + 1}`, [pairs[at]], tolerance, given)),
    alone = wrong.length > 1 && each.filter(Boolean).join(" ");
  const text = ofEach(which, pairs, tolerance, given) ?? (alone || explained || size(first, ...pairs[0]));
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
  const first = (rows) => {
    const row = rows.find((row) => (whole || !row.whole) && every((y, r) => isSo(row, y, r, tolerance)));
    return row && `${which} is ${row.words}.`;
  };
  const telling = given.filter((g) => !Number.isInteger(g) || Math.abs(g) >= 10),
    alone = telling.map((g) => ({ times: 0, plus: g, words: "a number that the question gives, not the answer" }));
  const found = first([...alone, ...RELATED]) ?? (whole ? undefined : rounded(which, pairs));
  if (found) return found;
  if (whole && every((y, r) => Math.floor(y + 0.5) === r && Math.abs(y - r) <= Math.max(0.05, 2e-3 * Math.abs(r))))
    return `${which} is right once it is rounded to a whole number.`;
  const isTurns = (n) => Math.abs(n) > 0.5 && Math.abs(n) < 1e4 && Math.abs(n - Math.floor(n + 0.5)) < 1e-4;
  if (every((y, r) => isTurns((y - r) / (2 * Math.PI)))) return `${which} is off by whole turns, multiples of 2π.`;
  return first(byGiven(given, telling));
}

function isSo(row, yours, right, tolerance) {
  const { times = 1, power = 1, plus = 0, whole = false } = row,
    wanted = times * (row.function ? Math[row.function](right) : right ** power) + plus,
    limit = Math.min(tolerance, 1e-3) * (1 + Math.abs(wanted));
  const small = Math.min(Math.abs(wanted), Math.abs(plus || wanted)),
    most = whole ? 0 : Math.min(limit, 2e-3 * small + 1e-12);
  if (row.power && Math.abs(wanted - right) < 0.02 * Math.abs(right)) return false; // near 1 all powers are alike
  return right !== 0 && Number.isFinite(wanted) && Math.abs(yours - wanted) <= most;
}

// Rows like those of RELATED, made from one or two numbers that the question gives
function byGiven(given, telling) {
  const row = (times, plus, words) => ({ times, plus, words }),
    shown = (value) => Number(value.toPrecision(10));
  const each = telling.flatMap((g) => {
    const root = Math.sqrt(Math.abs(g)),
      off = (times, plus, how) => row(times, plus, `the right value ${how} ${shown(g)}, a number of the question`);
    return [
      off(g, 0, "times"),
      off(1 / g, 0, "divided by"),
      off(1, g, "plus"),
      off(1, -g, "minus"),
      off(root, 0, "times the root of"),
      off(1 / root, 0, "divided by the root of"),
    ];
  });
  const pairs = given.flatMap((a, n) => given.filter((_, m) => m !== n).map((b) => [a, b]));
  const two = pairs.flatMap(([a, b]) =>
    Object.entries({ "+": a + b, "−": a - b, "·": a * b, "/": b ? a / b : 0 })
      .filter(([, value]) => !Number.isInteger(value) || Math.abs(value) >= 100)
      .map(([sign, value]) => row(0, value, `${shown(a)} ${sign} ${shown(b)}, two numbers of the question`)),
  );
  return [...each, ...two];
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
