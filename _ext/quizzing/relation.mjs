// How a wrong value is related to the right one, in the words of pe_lib/course/grading/relation.py.
import { many, say } from "../../pe_lib/course/texts.mjs";

export const near = (one, other, tolerance) =>
  one === other || Math.abs(one - other) <= tolerance * (1 + Math.abs(other));
const alike = (one, other, tolerance) => one.every((value, n) => near(value, other[n], tolerance));
export const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const grouped = (number) => number.toLocaleString("en-US");

export function ofNumbers(yours, right, tolerance, given = []) {
  if (yours.length !== right.length) return ["count", count(yours, right, tolerance)];
  const wrong = right.map((_, n) => n).filter((n) => !near(yours[n], right[n], tolerance));
  if (!yours.every(Number.isFinite)) return ["not_finite", say("An infinite number is not wanted.")];
  const moved = right.length > 1 && order(yours, right, tolerance, wrong);
  if (moved) return moved;
  const isTelling = (value) => !Number.isInteger(value) || Math.abs(value) >= 10;
  if (right.length === 1 && given.some((y) => isTelling(y) && near(yours[0], y, 1e-9)))
    return ["given", say("Yours is a number that the question gives, not the answer.")];
  const first = right.length === 1 ? say("Yours") : say("Number {n}", { n: wrong[0] + 1 }),
    fine = right.length - wrong.length;
  const which = wrong.length === 1 ? first : fine ? say("Each of the others") : say("Each");
  const [name, text] =
    ofEach(
      which,
      wrong.map((n) => yours[n]),
      wrong.map((n) => right[n]),
      tolerance,
    ) ?? size(first, yours[wrong[0]], right[wrong[0]]);
  const lead = many("{n} of {total} is right.", "{n} of {total} are right.", fine, { total: right.length });
  return [name, fine ? `${lead} ${text}` : text];
}

export function ofSets(yours, right, tolerance) {
  const mine = distinct(yours),
    wanted = distinct(right);
  const without = (values, others) => values.filter((value) => !others.some((other) => near(value, other, tolerance)));
  const extra = without(mine, wanted),
    hits = mine.length - extra.length,
    missing = without(wanted, mine).length;
  if (!mine.length) return ["empty", say("Yours is empty.")];
  if (!extra.length)
    return [
      "missing",
      many("Each of yours fits, but one more does, too.", "Each of yours fits, but {n} more do, too.", missing),
    ];
  const value = digits(extra[0]),
    n = extra.length - 1;
  const odd = n ? say("{value} and {n} more do not", { value, n }) : say("{value} does not", { value });
  if (!missing) return ["extra", say("All that fit are there, but {odd}.", { odd })];
  if (mine.length === wanted.length && mine.length > 1) {
    const found =
      ofEach(say("Each of yours"), mine, wanted, tolerance) ??
      ofEach(say("Each of yours"), [...mine].reverse(), wanted, tolerance);
    if (found) return found;
  }
  if (!hits) return ["none", say("None of yours fits.")];
  const fit = many("{n} fits", "{n} fit", hits),
    lack = many("one is missing", "{n} are missing", missing);
  return ["mixed", say("Of yours, {fit}; {odd}, and {lack}.", { fit, odd, lack })];
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
  if (right.some(Boolean) && all((r) => -r)) return ["sign", say("{which} is right but for its sign.", { which })];
  if (whole) {
    if (every((y, r) => y === r + 1))
      return ["one_more", say("{which} is one too large. Look again at where counting begins.", { which })];
    if (every((y, r) => y === r - 1))
      return ["one_less", say("{which} is one too small. Look again at where counting begins.", { which })];
    if (every((y, r) => Math.floor(y + 0.5) === r && Math.abs(y - r) <= Math.max(0.05, 2e-3 * Math.abs(r))))
      return ["unrounded", say("{which} is right once it is rounded to a whole number.", { which })];
  } else {
    const found = rounded(which, yours, right);
    if (found) return found;
  }
  const factor = nonzero && factors.find(([, by]) => all((r) => by * r));
  if (factor) return [factor[0], factor[2](which)];
  const change = yours.some(Boolean) && CHANGES.find(([, change]) => all(change));
  if (change) return [change[0], change[2](which)];
  const turned = (y, r) => {
    if (Math.min(Math.abs(y), Math.abs(r)) > 2 * Math.PI) return false;
    const turns = (y - r) / (2 * Math.PI);
    return Math.abs(turns) > 0.5 && Math.abs(turns - Math.floor(turns + 0.5)) < limit / 6;
  };
  if (!whole && every(turned)) return ["turns", say("{which} is off by whole turns, multiples of 2π.", { which })];
  if (yours.length < 2) return undefined;
  if (all((r) => r + by)) {
    if (!whole || !Number.isInteger(by)) return ["shifted", say("{which} is off by the same number.", { which })];
    return [
      "shifted",
      say("{which} is {by} {too}.", { which, by: digits(Math.abs(by)), too: by > 0 ? tooLarge() : tooSmall() }),
    ];
  }
  if (nonzero && yours.some(Boolean) && all((r) => (r * yours[0]) / right[0]))
    return ["scaled", say("{which} is off by the same factor: the proportions are right.", { which })];
  return undefined;
}

const STEPS = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 64, 128, 256, 512, 1024],
  POWERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const WHOLE = {
  2: (which) => say("{which} is twice the right value.", { which }),
  3: (which) => say("{which} is three times the right value.", { which }),
  4: (which) => say("{which} is four times the right value.", { which }),
};
const PARTS = {
  2: (which) => say("{which} is half the right value.", { which }),
  3: (which) => say("{which} is a third of the right value.", { which }),
  4: (which) => say("{which} is a quarter of the right value.", { which }),
};
const times = (k) => (which) => say("{which} is {k} times the right value.", { which, k });
const part = (k) => (which) => say("{which} is 1/{k} of the right value.", { which, k });
const factors = [
  ...STEPS.map((k) => [k === 2 ? "twice" : "factor", k, WHOLE[k] ?? times(k)]),
  ...STEPS.map((k) => [k === 2 ? "half" : "factor", 1 / k, PARTS[k] ?? part(k)]),
  ...POWERS.map((k) => ["power_of_ten", Number(`1e${k}`), times(grouped(10 ** k))]),
  ...POWERS.map((k) => ["power_of_ten", Number(`1e-${k}`), part(grouped(10 ** k))]),
  ["turn", 2 * Math.PI, times("2π")],
  ["turn", 1 / (2 * Math.PI), part("(2π)")],
  ["pi", Math.PI, times("π")],
  ["pi", 1 / Math.PI, part("π")],
  [
    "degrees",
    180 / Math.PI,
    (which) => say("{which} is 180/π times, as degrees are for radians, the right value.", { which }),
  ],
  [
    "radians",
    Math.PI / 180,
    (which) => say("{which} is π/180 of, as radians are for degrees, the right value.", { which }),
  ],
  ["root_two", Math.SQRT2, times("√2")],
  ["root_two", Math.SQRT1_2, part("√2")],
  ["minus_twice", -2, (which) => say("{which} is minus twice the right value.", { which })],
  ["minus_half", -0.5, (which) => say("{which} is minus half the right value.", { which })],
];
const sineCosine = (which) => say("{which} is to the right value as a sine to its cosine.", { which });
/** @type {[string, (right: number) => number, (which: string) => string][]} */
const CHANGES = [
  ["inverse", (r) => 1 / r, (which) => say("{which} is 1 divided by the right value.", { which })],
  ["complement", (r) => 1 - r, (which) => say("{which} is 1 minus the right value.", { which })],
  ["squared", (r) => r * r, (which) => say("{which} is the square of the right value.", { which })],
  ["root", Math.sqrt, (which) => say("{which} is the square root of the right value.", { which })],
  ["logarithm", Math.log, (which) => say("{which} is the natural logarithm of the right value.", { which })],
  ["logarithm", Math.log2, (which) => say("{which} is the base-2 logarithm of the right value.", { which })],
  ["logarithm", Math.log10, (which) => say("{which} is the base-10 logarithm of the right value.", { which })],
  ["exponential", Math.exp, (which) => say("{which} is e to the power of the right value.", { which })],
  ["exponential", (r) => 2 ** r, (which) => say("{which} is 2 to the power of the right value.", { which })],
  ["sine_cosine", (r) => Math.sqrt(1 - r * r), sineCosine],
  ["sine_cosine", (r) => -Math.sqrt(1 - r * r), sineCosine],
];

function rounded(which, yours, right) {
  const written = yours.map(decimals),
    places = Math.max(...written.map(([p]) => p)),
    counted = Math.max(...written.map(([, d]) => d));
  if (counted < 2 && (!places || !yours.every(Boolean))) return undefined;
  const unit = Number(`1e-${places}`);
  if (yours.every((y, n) => Math.abs(y - right[n]) <= 0.501 * unit))
    return ["rounded", counted < 2 ? perhapsRounded(which, places) : roundedTo(which, places)];
  const isCut = (y, n) =>
    Math.abs(right[n]) > Math.abs(y) && Math.abs(right[n]) - Math.abs(y) < unit && right[n] * y > 0;
  return counted > 1 && yours.every(isCut) ? ["cut", cutAfter(which, places)] : undefined;
}

const perhapsRounded = (which, places) =>
  many(
    "{which} may be right, but rounded to {n} decimal: give all digits that are asked for.",
    "{which} may be right, but rounded to {n} decimals: give all digits that are asked for.",
    places,
    { which },
  );

function roundedTo(which, places) {
  if (!places) return say("{which} is right, but rounded to a whole number. Give more digits.", { which });
  return many(
    "{which} is right, but rounded to {n} decimal. Give more digits.",
    "{which} is right, but rounded to {n} decimals. Give more digits.",
    places,
    { which },
  );
}

function cutAfter(which, places) {
  if (!places)
    return say("{which} is right, but cut off after a whole number. Give more digits, and round the last.", { which });
  return many(
    "{which} is right, but cut off after {n} decimal. Give more digits, and round the last.",
    "{which} is right, but cut off after {n} decimals. Give more digits, and round the last.",
    places,
    { which },
  );
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
      say("These are the right numbers, but numbers {one} and {other} have changed places.", {
        one: wrong[0] + 1,
        other: wrong[1] + 1,
      }),
    ];
  if (alike(yours, [...right].reverse(), tolerance))
    return ["reversed", say("These are the right numbers, in reversed order.")];
  return ["order", say("These are the right numbers, in another order.")];
}

function count(yours, right, tolerance) {
  const text = many(
    "One number is wanted; you gave {given}.",
    "{n} numbers are wanted; you gave {given}.",
    right.length,
    { given: yours.length },
  );
  const more = yours.length > right.length,
    [few, rest] = more ? [right, yours] : [yours, right];
  if (!few.length || !few.every((a) => rest.some((b) => near(a, b, tolerance)))) return text;
  const among = more
    ? many("It is among yours.", "They are among yours.", few.length)
    : many("It is among those wanted.", "They are among those wanted.", few.length);
  return `${text} ${among}`;
}

function size(which, yours, right) {
  if (yours * right < 0 || !(yours && right)) {
    if (!right) return ["side", say("{which} is {too}.", { which, too: yours > 0 ? tooLarge() : tooSmall() })];
    return [
      "side",
      right > 0 ? say("{which} should be above 0.", { which }) : say("{which} should be below 0.", { which }),
    ];
  }
  const ratio = Math.abs(yours / right),
    name = Math.abs(yours) > Math.abs(right) ? "large" : "small",
    large = name === "large";
  const too = large ? tooLarge(right < 0) : tooSmall(right < 0),
    times = (large ? ratio : 1 / ratio) * (1 + 1e-6);
  if (times >= 2) {
    let how = times < 2.5 ? "twice" : "about",
      k = Math.floor(times + 0.5);
    if (times >= 10) {
      let power = 10;
      while (power * 10 <= times && power < 1e9) power *= 10;
      [how, k] = ["more", grouped(power)];
    }
    return [name, FAR[name][how]({ which, too, k })];
  }
  const share = 100 * Math.abs(ratio - 1) * (1 + 1e-6);
  if (share >= 1) return [name, say("{which} is about {part} % {too}.", { which, part: Math.floor(share + 0.5), too })];
  const part = share < 0.01 ? "0.01" : share < 0.1 ? "0.1" : "1";
  return [
    "near",
    say(
      "{which} is less than {part} % {too}. Either something was rounded on the way, or the method is off by a little.",
      { which, part, too },
    ),
  ];
}

const tooLarge = (inSize) => (inSize ? say("too large in size") : say("too large"));
const tooSmall = (inSize) => (inSize ? say("too small in size") : say("too small"));
const FAR = {
  large: {
    twice: (places) => say("{which} is {too}, about twice the right value.", places),
    about: (places) => say("{which} is {too}, about {k} times the right value.", places),
    more: (places) => say("{which} is {too}, more than {k} times the right value.", places),
  },
  small: {
    twice: (places) => say("{which} is {too}; the right value is about twice as large.", places),
    about: (places) => say("{which} is {too}; the right value is about {k} times as large.", places),
    more: (places) => say("{which} is {too}; the right value is more than {k} times as large.", places),
  },
};

const digits = (value) => String(Number(value.toPrecision(6)));
