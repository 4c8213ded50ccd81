// Reads numbers as people type them, by the rules of pe_lib/course/grading/numbers.py. A test compares the two.

const UNIT =
  /\s*(?:positions?|dimensions?|entries|entry|words?|tokens?|pairs?|rows?|columns?|steps?|times|turns?|digits?|numbers?|values?|parameters?|weights?|heads?|bits?|bytes?|rad(?:ians?)?(?: per position)?|degrees?|°|η)(?: (?:forwards?|further|later|on))?$/i;
const LABEL = /^(?:[a-z_]\w*\s*[=≈:]\s*|[=≈~]\s*|(?:about|positions?|pos|dimensions?|pairs?|rows?|tokens?) )/i;
const GROUPED =
  /^([-+]?[1-9]\d{0,2})(?:((?:,\d{3})+)(\.\d+)?|((?: \d{3})+|(?:'\d{3})+)([.,]\d+)?|((?:\.\d{3})+)(,\d+))$/;
// Marks that may be meant in another way, and what is written in place of them to read it so: a comma that may be a
// decimal comma, and a cross that may stand between the lengths of a shape
/** @type {[RegExp, string][]} */
const OTHERWISE = [
  [/(?<![\d,])(\d{1,3}),(\d{3})(?!\d|,\d)/g, "$1.$2"],
  [/(?<=\d) ?[x×] ?(?=\d)/g, ", "],
];
// Words around the numbers, as in "sea at 6, gulls at 7"
const WORD = /\b(?!(?:pi|sqrt|exp|e|x|not|or|than)\b)[a-z]+\b(?!\()/gi;
// A calculation before its result, as in "16 * 127 = 2032"
const CALCULATION = /^.*(?:=|\bso\b|\bwhich is\b)/is;
// A root or an exponential, of a number or of what stands in brackets
const FUNCTION =
  /(?<![a-z])(?:(?:np|math)\.)?(?<name>√|sqrt|exp)\s*(?:\((?<inside>[^()]*)\)|(?<=√)\s*(?<number>\d+(?:\.\d+)?))/gi;
const EXPONENT = /(?:\^|\*\*)\s*\(([^()]*)\)/g;
const SUM = /(?<=[\dπ.])\+(?=-?[\dπ.])/; // the plus in 2.5e+3 belongs to its number
// A plus or minus with spaces around it. Without a space after it, a sign belongs to its number
const SPACED_SIGN = /(?<=[\dπ.]) ([+-]) (?=[\dπ.])/g;
const SUM_IN_BRACKETS = /(?<![\w√π.)])\(([^(),;]*[\dπ.] ?[+-] ?[^(),;]*)\)/g;
const MULTIPLE_OF_PI = /^([^^]*[\d.])\s*(?:π|pi)$/i; // 2π is read as 2 * π
const TIMES_TEN = /(?<=\d) ?x ?(?=10(?:\^|\*\*))/g; // the letter in 1.5 x 10^3
const LARGEST_EXPONENT = 700;
const RANGE = /(?<![\d.^*/-])(\d{1,9})(?:-| - | ?(?:\bto\b|\bthrough\b|\.\.\.?|…) ?)(\d{1,9})(?![\d^*/]|\.\d|-\d)/gi;
const LONGEST_RANGE = 1000;
// Texts that mean that no number fits
const NOTHING =
  /^\s*(?:none|nobody|no ?one|nothing|no (?:words?|rows?|positions?|numbers?)|empty(?: set)?|∅|ø|\{ *\}|\[ *\]|\( *\)|set\(\))\.?\s*$/i;
const SIGNS = { "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "’": "'" };
const normalize = (text) =>
  text.replace(/[\u00a0\u2007\u2009\u202f]/g, " ").replace(/[−–—×·⋅’]/g, (sign) => SIGNS[sign]);

// Return the number that a text is, or NaN if it is none
export function parseNumber(text) {
  let plain = computeInner(normalize(text)).replace(/^[ \t\n\r"'`$]+|[ \t\n\r"'`$]+$/g, "");
  plain = plain
    .replace(/(?:…|\.\.\.)$/, "")
    .trim()
    .replace(LABEL, "")
    .replace(UNIT, "");
  if (plain.endsWith("%")) return parseNumber(plain.slice(0, -1)) / 100;
  plain = plain.replaceAll("**", "^").replace(SPACED_SIGN, (_, sign) => (sign === "-" ? "+-" : "+"));
  const terms = plain.split(SUM).map(parseTerm);
  return terms.reduce((sum, term) => sum + term, 0);
}

// Replace each root, exponential, and exponent or sum in brackets by its value
function computeInner(text) {
  const withoutFunctions = text.replace(TIMES_TEN, "*").replace(FUNCTION, (whole, ...rest) => {
    const { name, inside, number } = rest.at(-1),
      before = rest.at(-2).slice(0, rest.at(-3)),
      value = parseNumber(inside || number || ""),
      isRoot = name.toLowerCase() !== "exp";
    if (Number.isNaN(value) || (isRoot ? value < 0 : value > LARGEST_EXPONENT)) return whole;
    return `${/[\dπ.]$/.test(before) ? "*" : ""}${isRoot ? Math.sqrt(value) : Math.exp(value)}`;
  });
  const compute = (whole, inside, sign) => {
    const value = parseNumber(inside);
    return Number.isNaN(value) ? whole : `${sign}${value}`;
  };
  return withoutFunctions
    .replace(EXPONENT, (whole, inside) => compute(whole, inside, "^"))
    .replace(SUM_IN_BRACKETS, (whole, inside) => compute(whole, inside, ""));
}

// Return the value of products with at most one fraction bar, or NaN
function parseTerm(text) {
  const [numerator, ...denominator] = text.split("/"),
    below = denominator.length ? parsePower(denominator.join("/")) : 1;
  const above = numerator.split("*").reduce((product, factor) => product * parseFactor(factor), 1);
  return below ? above / below : NaN;
}

// Return the value of a power or of a multiple of π. Below a bar, 2π would be ambiguous
function parseFactor(text) {
  const multiple = MULTIPLE_OF_PI.exec(text.trim());
  return multiple ? parsePlain(multiple[1]) * Math.PI : parsePower(text);
}

// A sign belongs to the whole power, as in mathematics: -2^2 is -4
function parsePower(text) {
  const [base, ...exponents] = text.trim().split("^");
  if (!exponents.length) return parsePlain(base);
  const unsigned = base.replace(/^-/, "").trim(),
    absolute = unsigned === "e" ? Math.E : parsePlain(unsigned),
    size = absolute ** parsePlain(exponents.join("^").replace(/^[() ]+|[() ]+$/g, ""));
  if (!(absolute > 0 && Number.isFinite(size))) return NaN;
  return base.startsWith("-") ? -size : size;
}

// Return the value of one number without a power, a product or a fraction bar
function parsePlain(text) {
  let plain = text.trim().replace(/^([-+])\s+/, "$1");
  const pi = /^([-+]?)(?:π|pi)$/i.exec(plain),
    groups = GROUPED.exec(plain);
  if (pi) return pi[1] === "-" ? -Math.PI : Math.PI;
  if (groups) {
    const [, first, byComma, point, bySpace, either, byPoint, comma] = groups;
    const rest = (point ?? either ?? comma ?? "").replace(",", ".");
    plain = first + (byComma ?? bySpace ?? byPoint).replace(/\D/g, "") + rest;
  } else if (/^[-+]?\d+(?:_\d+)+(?:\.\d+)?$/.test(plain)) plain = plain.replaceAll("_", "");
  else if (/^[^,.]*\d,\d[^,.]*$/.test(plain)) plain = plain.replace(",", ".");
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

// Return the numbers of a list, which spaces, commas or semicolons separate
export function parseNumbers(text) {
  let plain = computeInner(normalize(text.replace(/(\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))/g, "$1"))).replace(
    /[[\](){}"'`|]|(?<=\d) ?±/g,
    " ",
  );
  plain = plain
    .replace(/\band\b/g, ", ")
    .replace(/\s+/g, " ")
    .replace(/\s*([*/^=≈]|(?=%))\s*/g, "$1")
    .replace(/^[ ,;]+|[ ,;]+$/g, "")
    .replace(/(^|[,;] ?)([-+]) /g, "$1$2");
  let numbers = [];
  for (const separator of plain.includes(";") ? [";", /; ?|, /] : plain.includes(" ") ? [", ", /,? /] : [","]) {
    numbers = plain
      .split(separator)
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => (!plain.includes(";") && /\d \d/.test(part) ? NaN : parseNumber(part)));
    if (!numbers.some(Number.isNaN)) break;
  }
  return numbers;
}

// Return whether a text says of a set that it is empty
export const isNothing = (kind, text) => kind === "set" && NOTHING.test(text);

// Write out the ranges in a list of whole numbers, and separate all of its numbers by spaces
function expandRanges(text) {
  const plain = normalize(text).replace(/\bfrom (?=\d)/g, "");
  const expanded = plain.replace(RANGE, (whole, ...ends) => {
    const [first, last] = ends.slice(0, 2).map(Number);
    if (!(first < last && last < first + LONGEST_RANGE)) return whole;
    return Array.from({ length: last - first + 1 }, (_, n) => first + n).join(" ");
  });
  return expanded === plain ? text : expanded.replace(/\s*(?:[,;]|\band\b)\s*/g, " ");
}

// Return the numbers of an answer to a question of this kind, with NaN for each entry that is no number
export function parseAnswer(kind, text) {
  if (isNothing(kind, text)) return [];
  const value = kind === "number" ? parseNumber(text) : NaN;
  return Number.isNaN(value) ? parseNumbers(kind === "set" ? expandRanges(text) : text) : [value];
}

// Return the numbers of an answer in each other way in which its words, commas and crosses may be meant
export function parseOtherwise(kind, text) {
  const result = text.replace(CALCULATION, "");
  // Words separate the numbers of a list. Around a single number, they leave its commas alone
  /** @type {[RegExp, string][]} */
  const marks = [[WORD, kind === "number" ? " " : ", "], ...OTHERWISE];
  const texts = [text, result].flatMap((one) => marks.map(([mark, to]) => one.replace(mark, to)));
  const answers = [result, ...texts].map((one) => parseAnswer(kind, one));
  const readings = new Map(answers.map((numbers) => [String(numbers), numbers]));
  readings.delete(String(parseAnswer(kind, text)));
  return [...readings.values()].filter((numbers) => !numbers.some(Number.isNaN));
}

// Say which single number was read, if a comma, space or apostrophe separates thousands in it. A reader may have meant
// a decimal comma or two numbers
export function describeGrouping(kind, text) {
  if (kind !== "number" || !/\d[ ,'’\u00a0\u2007\u2009\u202f]\d{3}(?!\d)/.test(text)) return "";
  const reading = parseAnswer(kind, text);
  return reading.length === 1 && Number.isFinite(reading[0]) ? `Read as ${Number(reading[0].toPrecision(15))}. ` : "";
}
