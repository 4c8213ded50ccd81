// How a wrong value is related to the right one, in the words of pe_lib/course/grading/relation.py.

export const near = (one, other, tolerance) =>
  one === other || Math.abs(one - other) <= tolerance * (1 + Math.abs(other));
const alike = (one, other, tolerance) => one.every((value, n) => near(value, other[n], tolerance));
export const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const grouped = (number) => number.toLocaleString("en-US");

export function ofNumbers(yours, right, tolerance, given = []) {
  if (yours.length !== right.length) return ["count", count(yours, right, tolerance)];
  const wrong = right.map((_, n) => n).filter((n) => !near(yours[n], right[n], tolerance));
  if (!yours.every(Number.isFinite)) return ["not_finite", "An infinite number is not wanted."];
  const moved = right.length > 1 && order(yours, right, tolerance, wrong);
  if (moved) return moved;
  const isTelling = (value) => !Number.isInteger(value) || Math.abs(value) >= 10;
  if (right.length === 1 && given.some((y) => isTelling(y) && near(yours[0], y, 1e-9)))
    return ["given", "Yours is a number that the question gives, not the answer."];
  const first = right.length === 1 ? "Yours" : `Number ${wrong[0] + 1}`,
    fine = right.length - wrong.length;
  const which = wrong.length === 1 ? first : fine ? "Each of the others" : "Each";
  const [name, text] =
    ofEach(
      which,
      wrong.map((n) => yours[n]),
      wrong.map((n) => right[n]),
      tolerance,
    ) ?? size(first, yours[wrong[0]], right[wrong[0]]);
  const lead = `${fine} of ${right.length} ${fine === 1 ? "is" : "are"} right.`;
  return [name, fine ? `${lead} ${text}` : text];
}

export function ofSets(yours, right, tolerance) {
  const mine = distinct(yours),
    wanted = distinct(right);
  const without = (values, others) => values.filter((value) => !others.some((other) => near(value, other, tolerance)));
  const extra = without(mine, wanted),
    hits = mine.length - extra.length,
    missing = without(wanted, mine).length;
  if (!mine.length) return ["empty", "Yours is empty."];
  if (!extra.length)
    return ["missing", `Each of yours fits, but ${missing === 1 ? "one more does" : `${missing} more do`}, too.`];
  const value = digits(extra[0]),
    n = extra.length - 1;
  const odd = n ? `${value} and ${n} more do not` : `${value} does not`;
  if (!missing) return ["extra", `All that fit are there, but ${odd}.`];
  if (mine.length === wanted.length && mine.length > 1) {
    const found =
      ofEach("Each of yours", mine, wanted, tolerance) ??
      ofEach("Each of yours", [...mine].reverse(), wanted, tolerance);
    if (found) return found;
  }
  if (!hits) return ["none", "None of yours fits."];
  const fit = `${hits} ${hits === 1 ? "fits" : "fit"}`,
    lack = missing === 1 ? "one is missing" : `${missing} are missing`;
  return ["mixed", `Of yours, ${fit}; ${odd}, and ${lack}.`];
}

function ofEach(which, yours, right, tolerance) {
  const limit = Math.min(tolerance, 1e-3),
    every = (holds) => yours.every((y, n) => holds(y, right[n]));
  const all = (wanted) =>
    every((y, r) => {
      const w = wanted(r);
      return Number.isFinite(w) && Math.abs(y - w) <= Math.min(limit * (1 + Math.abs(w)), 2e-3 * Math.abs(w) + 1e-12);
    });
  const whole = right.every(Number.isInteger),
    nonzero = right.every(Boolean),
    by = yours[0] - right[0];
  if (right.some(Boolean) && all((r) => -r)) return ["sign", `${which} is right but for its sign.`];
  if (whole) {
    if (every((y, r) => y === r + 1))
      return ["one_more", `${which} is one too large. Look again at where counting begins.`];
    if (every((y, r) => y === r - 1))
      return ["one_less", `${which} is one too small. Look again at where counting begins.`];
    if (every((y, r) => Math.floor(y + 0.5) === r && Math.abs(y - r) <= Math.max(0.05, 2e-3 * Math.abs(r))))
      return ["unrounded", `${which} is right once it is rounded to a whole number.`];
  } else {
    const found = rounded(which, yours, right);
    if (found) return found;
  }
  const factor = nonzero && factors.find(([, by]) => all((r) => by * r));
  if (factor) return [factor[0], `${which} is ${factor[2]} the right value.`];
  const change = yours.some(Boolean) && CHANGES.find(([, change]) => all(change));
  if (change) return [change[0], `${which} is ${change[2]}.`];
  const turned = (y, r) => {
    if (Math.min(Math.abs(y), Math.abs(r)) > 2 * Math.PI) return false;
    const turns = (y - r) / (2 * Math.PI);
    return Math.abs(turns) > 0.5 && Math.abs(turns - Math.floor(turns + 0.5)) < limit / 6;
  };
  if (!whole && every(turned)) return ["turns", `${which} is off by whole turns, multiples of 2π.`];
  if (yours.length < 2) return undefined;
  if (all((r) => r + by)) {
    if (!whole || !Number.isInteger(by)) return ["shifted", `${which} is off by the same number.`];
    return ["shifted", `${which} is ${digits(Math.abs(by))} too ${by > 0 ? "large" : "small"}.`];
  }
  if (nonzero && yours.some(Boolean) && all((r) => (r * yours[0]) / right[0]))
    return ["scaled", `${which} is off by the same factor: the proportions are right.`];
  return undefined;
}

const STEPS = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 64, 128, 256, 512, 1024],
  POWERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const WHOLE = { 2: "twice", 3: "three times", 4: "four times" },
  PARTS = { 2: "half", 3: "a third of", 4: "a quarter of" };
// what each is of the right value
const factors = [
  ...STEPS.map((k) => [k === 2 ? "twice" : "factor", k, WHOLE[k] ?? `${k} times`]),
  ...STEPS.map((k) => [k === 2 ? "half" : "factor", 1 / k, PARTS[k] ?? `1/${k} of`]),
  ...POWERS.map((k) => ["power_of_ten", Number(`1e${k}`), `${grouped(10 ** k)} times`]),
  ...POWERS.map((k) => ["power_of_ten", Number(`1e-${k}`), `1/${grouped(10 ** k)} of`]),
  ["turn", 2 * Math.PI, "2π times"],
  ["turn", 1 / (2 * Math.PI), "1/(2π) of"],
  ["pi", Math.PI, "π times"],
  ["pi", 1 / Math.PI, "1/π of"],
  ["degrees", 180 / Math.PI, "180/π times, as degrees are for radians,"],
  ["radians", Math.PI / 180, "π/180 of, as radians are for degrees,"],
  ["root_two", Math.SQRT2, "√2 times"],
  ["root_two", Math.SQRT1_2, "1/√2 of"],
  ["minus_twice", -2, "minus twice"],
  ["minus_half", -0.5, "minus half"],
];
/** @type {[string, (right: number) => number, string][]} */
const CHANGES = [
  ["inverse", (r) => 1 / r, "1 divided by the right value"],
  ["complement", (r) => 1 - r, "1 minus the right value"],
  ["squared", (r) => r * r, "the square of the right value"],
  ["root", Math.sqrt, "the square root of the right value"],
  ["logarithm", Math.log, "the natural logarithm of the right value"],
  ["logarithm", Math.log2, "the base-2 logarithm of the right value"],
  ["logarithm", Math.log10, "the base-10 logarithm of the right value"],
  ["exponential", Math.exp, "e to the power of the right value"],
  ["exponential", (r) => 2 ** r, "2 to the power of the right value"],
  ["sine_cosine", (r) => Math.sqrt(1 - r * r), "to the right value as a sine to its cosine"],
  ["sine_cosine", (r) => -Math.sqrt(1 - r * r), "to the right value as a sine to its cosine"],
];

function rounded(which, yours, right) {
  const written = yours.map(decimals),
    places = Math.max(...written.map(([p]) => p)),
    counted = Math.max(...written.map(([, d]) => d));
  if (counted < 2 && (!places || !yours.every(Boolean))) return undefined;
  const unit = Number(`1e-${places}`),
    some = `${places} ${places === 1 ? "decimal" : "decimals"}`;
  if (yours.every((y, n) => Math.abs(y - right[n]) <= 0.501 * unit))
    return [
      "rounded",
      counted < 2
        ? `${which} may be right, but rounded to ${some}: give all digits that are asked for.`
        : `${which} is right, but rounded to ${places ? some : "a whole number"}. Give more digits.`,
    ];
  const isCut = (y, n) =>
    Math.abs(right[n]) > Math.abs(y) && Math.abs(right[n]) - Math.abs(y) < unit && right[n] * y > 0;
  if (counted < 2 || !yours.every(isCut)) return undefined;
  const after = places ? some : "a whole number";
  return ["cut", `${which} is right, but cut off after ${after}. Give more digits, and round the last.`];
}

// How many decimals a number is written with, and how many digits that count
function decimals(value) {
  const [, mantissa, exponent] = /^-?([\d.]+)e(.+)$/.exec(value.toExponential());
  const length = mantissa.replace(".", "").length,
    places = length - 1 - Number(exponent);
  return [Math.max(places, 0), length + Math.max(-places, 0)];
}

function order(yours, right, tolerance, wrong) {
  const sorted = (values) => [...values].sort((a, b) => a - b);
  if (!alike(sorted(yours), sorted(right), tolerance)) return undefined;
  if (wrong.length === 2)
    return [
      "swapped",
      `These are the right numbers, but numbers ${wrong[0] + 1} and ${wrong[1] + 1} have changed places.`,
    ];
  if (alike(yours, [...right].reverse(), tolerance))
    return ["reversed", "These are the right numbers, in reversed order."];
  return ["order", "These are the right numbers, in another order."];
}

function count(yours, right, tolerance) {
  const wanted = right.length === 1 ? "One number is" : `${right.length} numbers are`,
    text = `${wanted} wanted; you gave ${yours.length}.`;
  const more = yours.length > right.length,
    [few, rest] = more ? [right, yours] : [yours, right];
  if (!few.length || !few.every((a) => rest.some((b) => near(a, b, tolerance)))) return text;
  return `${text} ${few.length === 1 ? "It is" : "They are"} among ${more ? "yours" : "those wanted"}.`;
}

function size(which, yours, right) {
  if (yours * right < 0 || !(yours && right)) {
    if (!right) return ["side", `${which} is too ${yours > 0 ? "large" : "small"}.`];
    return ["side", `${which} should be ${right > 0 ? "above" : "below"} 0.`];
  }
  const ratio = Math.abs(yours / right),
    name = Math.abs(yours) > Math.abs(right) ? "large" : "small",
    large = name === "large";
  const too = right < 0 ? `too ${name} in size` : `too ${name}`,
    times = (large ? ratio : 1 / ratio) * (1 + 1e-6);
  if (times >= 2) {
    let how = times < 2.5 ? "about twice" : `about ${Math.floor(times + 0.5)} times`;
    if (times >= 10) {
      let power = 10;
      while (power * 10 <= times && power < 1e9) power *= 10;
      how = `more than ${grouped(power)} times`;
    }
    return [name, `${which} is ${too}${large ? `, ${how} the right value` : `; the right value is ${how} as large`}.`];
  }
  const share = 100 * Math.abs(ratio - 1) * (1 + 1e-6);
  if (share >= 1) return [name, `${which} is about ${Math.floor(share + 0.5)} % ${too}.`];
  const part = share < 0.01 ? "0.01" : share < 0.1 ? "0.1" : "1";
  return [
    "near",
    `${which} is less than ${part} % ${too}. Either something was rounded on the way, or the method is off by a little.`,
  ];
}

const digits = (value) => String(Number(value.toPrecision(6)));
