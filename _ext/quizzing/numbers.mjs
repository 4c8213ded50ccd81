// Reads numbers as people type them, by the rules of pe_lib/course/grading/numbers.py. A test compares the two.

const UNIT =
  /\s*(?:positions?|dimensions?|entries|entry|words?|tokens?|pairs?|rows?|columns?|steps?|times|turns?|digits?|numbers?|values?|parameters?|weights?|heads?|bits?|bytes?|rad(?:ians?)?(?: per position)?|degrees?|°)$/i;
const LABEL = /^(?:[a-z_]\w*\s*[=≈:]\s*|[=≈~]\s*|(?:about|positions?|pos|dimensions?|pairs?|rows?|tokens?) )/i;
const GROUPED =
  /^([-+]?[1-9]\d{0,2})(?:((?:,\d{3})+)(\.\d+)?|((?: \d{3})+|(?:'\d{3})+)([.,]\d+)?|((?:\.\d{3})+)(,\d+))$/;
const COMMA = /(?<![\d,])(\d{1,3}),(\d{3})(?!\d|,\d)/g; // it may separate thousands, or be a decimal comma
// Texts that mean that no number fits
const NOTHING =
  /^\s*(?:none|nobody|no ?one|nothing|no (?:words?|rows?|positions?|numbers?)|empty(?: set)?|∅|ø|\{ *\}|\[ *\]|\( *\)|set\(\))\.?\s*$/i;
const SIGNS = { "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "’": "'" };
const normalize = (text) =>
  text.replace(/[\u00a0\u2007\u2009\u202f]/g, " ").replace(/[−–—×·⋅’]/g, (sign) => SIGNS[sign]);

// Return the number that a text is, or NaN if it is none
export function parseNumber(text) {
  let plain = normalize(text).replace(/^[ \t\n\r"'`$]+|[ \t\n\r"'`$]+$/g, "");
  plain = plain
    .replace(/(?:…|\.\.\.)$/, "")
    .trim()
    .replace(LABEL, "")
    .replace(UNIT, "");
  if (plain.endsWith("%")) return parseNumber(plain.slice(0, -1)) / 100;
  const [numerator, ...denominator] = plain.replaceAll("**", "^").split("/"),
    factors = numerator.includes("^") ? numerator : numerator.replace(/(?<=[\d.])\s*(?:π|pi)\s*$/i, "*π"), // as in 2π
    below = denominator.length ? parsePower(denominator.join("/")) : 1;
  const above = factors.split("*").reduce((product, factor) => product * parsePower(factor), 1);
  return below ? above / below : NaN;
}

// A sign belongs to the whole power, as in mathematics: -2^2 is -4
function parsePower(text) {
  const [base, ...exponents] = text.trim().split("^");
  if (!exponents.length) return parsePlain(base);
  const absolute = parsePlain(base.replace(/^-/, "")),
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
  let plain = normalize(text.replace(/(\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))/g, "$1")).replace(
    /[[\](){}"'`|]|(?<=\d) ?±|\band\b/g,
    " ",
  );
  plain = plain
    .replace(/\s+/g, " ")
    .replace(/\s*([*/^=≈]|(?=%))\s*/g, "$1")
    .replace(/^[ ,;]+|[ ,;]+$/g, "")
    .replace(/(^|[,;] ?)([-+]) /g, "$1$2");
  let numbers = [];
  for (const separator of plain.includes(";") ? [";"] : plain.includes(" ") ? [", ", /,? /] : [","]) {
    numbers = plain
      .split(separator)
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => (separator !== ";" && /\d \d/.test(part) ? NaN : parseNumber(part)));
    if (!numbers.some(Number.isNaN)) break;
  }
  return numbers;
}

// Return whether a text says of a set that it is empty
export const isNothing = (kind, text) => kind === "set" && NOTHING.test(text);

// Return the numbers of an answer to a question of this kind, with NaN for each entry that is no number
export function parseAnswer(kind, text) {
  if (isNothing(kind, text)) return [];
  const value = kind === "number" ? parseNumber(text) : NaN;
  return Number.isNaN(value) ? parseNumbers(text) : [value];
}

// Return the numbers of an answer if a comma before three digits is a decimal one, or null if no number changes
export function parseDecimalCommas(kind, text) {
  const numbers = parseAnswer(kind, text.replace(COMMA, "$1.$2"));
  return numbers.some(Number.isNaN) || String(numbers) === String(parseAnswer(kind, text)) ? null : numbers;
}
