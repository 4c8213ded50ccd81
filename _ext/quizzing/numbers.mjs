// Reads numbers as people type them, by the rules of pe_lib/course/grading/numbers.py.

const UNIT =
  /\s*(?:positions?|dimensions?|entries|entry|words?|tokens?|pairs?|rows?|columns?|steps?|times|turns?|digits?|numbers?|values?|parameters?|weights?|heads?|bits?|bytes?|rad(?:ians?)?(?: per position)?|degrees?|°)$/i;
const LABEL = /^(?:[a-z_]\w*\s*[=≈:]\s*|[=≈~]\s*|(?:about|positions?|pos|dimensions?|pairs?|rows?|tokens?) )/i;
const GROUPED =
  /^([-+]?[1-9]\d{0,2})(?:((?:,\d{3})+)(\.\d+)?|((?: \d{3})+|(?:'\d{3})+)([.,]\d+)?|((?:\.\d{3})+)(,\d+))$/;
const COMMA = /(?<![\d,])(\d{1,3}),(\d{3})(?!\d|,\d)/g; // thousands, or a decimal comma before three digits
const SIGNS = { "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "’": "'" };
const clean = (text) => text.replace(/[\u00a0\u2007\u2009\u202f]/g, " ").replace(/[−–—×·⋅’]/g, (sign) => SIGNS[sign]);

export function number(text) {
  let plain = clean(text).replace(/^[ \t\n\r"'`$]+|[ \t\n\r"'`$]+$/g, "");
  plain = plain
    .replace(/(?:…|\.\.\.)$/, "")
    .trim()
    .replace(LABEL, "")
    .replace(UNIT, "");
  if (plain.endsWith("%")) return number(plain.slice(0, -1)) / 100;
  const [top, ...bottom] = plain.replaceAll("**", "^").split("/"),
    factors = top.includes("^") ? top : top.replace(/(?<=[\d.])\s*(?:π|pi)\s*$/i, "*π"), // as in 2π
    below = bottom.length ? power(bottom.join("/")) : 1;
  const above = factors.split("*").reduce((product, factor) => product * power(factor), 1);
  return below ? above / below : NaN;
}

function power(text) {
  const [base, ...rest] = text.trim().split("^");
  if (!rest.length) return one(base);
  const below = one(base.replace(/^-/, "")),
    raised = below ** one(rest.join("^").replace(/^[() ]+|[() ]+$/g, ""));
  return below > 0 && Number.isFinite(raised) ? (base.startsWith("-") ? -raised : raised) : NaN; // -2^2 is -4
}

function one(text) {
  let plain = text.trim().replace(/^([-+])\s+/, "$1");
  const pi = /^([-+]?)(?:π|pi)$/i.exec(plain),
    grouped = GROUPED.exec(plain);
  if (pi) return pi[1] === "-" ? -Math.PI : Math.PI;
  if (grouped) {
    const [, first, byComma, point, bySpace, either, byPoint, comma] = grouped;
    const rest = (point ?? either ?? comma ?? "").replace(",", ".");
    plain = first + (byComma ?? bySpace ?? byPoint).replace(/\D/g, "") + rest;
  } else if (/^[-+]?\d+(?:_\d+)+(?:\.\d+)?$/.test(plain)) plain = plain.replaceAll("_", "");
  else if (/^[^,.]*\d,\d[^,.]*$/.test(plain)) plain = plain.replace(",", ".");
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

export function several(text) {
  let plain = clean(text.replace(/(\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))/g, "$1")).replace(
    /[[\](){}"'`|]|(?<=\d) ?±|\band\b/g,
    " ",
  );
  plain = plain
    .replace(/\s+/g, " ")
    .replace(/\s*([*/^=≈]|(?=%))\s*/g, "$1")
    .replace(/^[ ,;]+|[ ,;]+$/g, "")
    .replace(/(^|[,;] ?)([-+]) /g, "$1$2");
  let read = [];
  for (const way of plain.includes(";") ? [";"] : plain.includes(" ") ? [", ", /,? /] : [","]) {
    read = plain
      .split(way)
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => (way !== ";" && /\d \d/.test(part) ? NaN : number(part)));
    if (!read.some(Number.isNaN)) break;
  }
  return read;
}

// The numbers of an answer to a question of this kind; an entry that is no number is NaN
export function typed(kind, text) {
  const value = kind === "number" ? number(text) : NaN;
  return Number.isNaN(value) ? several(text) : [value];
}

// The answer with commas before three digits read as decimal commas, or null if that changes nothing
export function commas(kind, text) {
  const read = typed(kind, text.replace(COMMA, "$1.$2"));
  return read.some(Number.isNaN) || String(read) === String(typed(kind, text)) ? null : read;
}
