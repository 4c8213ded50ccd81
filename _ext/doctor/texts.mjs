// Numbers that somebody wrote: lines of a table, JSON, and what numpy and PyTorch print.
/* global DATA */
import { told } from "./formats.mjs";

// A sentence of Python's with its words in
export const filled = (template, words = {}) =>
  template.replace(/\{(\w+)\}/g, (_, name) => words[name]).replace(/\{\{(.*?)\}\}/g, "{$1}");

/** @returns {never} */
export const refuse = (why) => {
  throw new Error(why);
};

/** @type {(reason: string, words?: Values) => never} */
export const refused = (reason, words) => refuse(filled(DATA.refusals[reason], words));

const WORD = /^[+-]?(nan|inf(inity)?)$/i; // what is no number in JavaScript and is one in Python
const float = (cell) => {
  if (!WORD.test(cell)) return cell === "" ? NaN : Number(cell);
  return /nan/i.test(cell) ? NaN : cell.startsWith("-") ? -Infinity : Infinity;
};
const isNumber = (cell) => WORD.test(cell) || !Number.isNaN(float(cell));

// Whether commas stand for the decimal point: "0,84;0,54", or one number a line, "0,01". Beside another
// separator they do; alone only if digits behind one begin with 0, which no column of numbers does.
function decimalCommas(lines) {
  const data = lines.filter((line) => /^[-+]?\d/.test(line)),
    cells = data.flatMap((line) => line.replace(/^;+|;+$/g, "").split(/[;\t]\s*|\s+/));
  if (!cells.every((cell) => /^[-+]?\d+(,\d+)?([eE][-+]?\d+)?$/.test(cell))) return false;
  const after = cells.filter((cell) => cell.includes(",")).map((cell) => cell.split(",")[1]);
  return after.length > 0 && (cells.length > data.length || after.some((digits) => /^0\d/.test(digits)));
}

// Lines of numbers, with commas, semicolons, tabs or spaces between; the first line may hold names
export function columns(text) {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*/, "").trim()),
    decimal = decimalCommas(lines),
    rows = [];
  lines.forEach((line, k) => {
    const cells = line.replace(/[,;]+$/, "").split(decimal ? /\s*[;\t]\s*|\s+/ : /\s*[,;\t]\s*|\s+/);
    if (cells.length === 1 && !cells[0]) return;
    const numbers = decimal ? cells.map((cell) => cell.replace(",", ".")) : cells,
      wrong = numbers.find((cell) => !isNumber(cell));
    if (wrong !== undefined) {
      if (rows.length || k > 0) refused("not_a_number", { line: told(k + 1), cell: `'${wrong}'`.slice(0, 40) });
      return; // names of columns
    }
    if (rows.length && cells.length !== rows[0].length)
      refused("lengths", { line: told(k + 1), count: told(cells.length), first: told(rows[0].length) });
    rows.push(numbers.map(float));
  });
  if (!rows.length) refused("no_numbers");
  const [many, width] = [rows.length, rows[0].length],
    shape = many === 1 || width === 1 ? [many * width] : [many, width];
  return { shape, data: Float64Array.from(rows.flat()) };
}

// What JSON says: a list of numbers, a dictionary of lists, or a configuration. Python writes NaN.
export function json(text, name) {
  let data;
  try {
    data = JSON.parse(text.replace(/\bNaN\b/g, "null").replace(/\bInfinity\b/g, "1e999"));
  } catch (error) {
    refused("not_json", { why: error.message.slice(0, 120) });
  }
  return parsed(data, name);
}

function parsed(data, name) {
  if (Array.isArray(data)) return [{ name, ...nested(data) }];
  if (typeof data !== "object" || data === null) refuse("neither a list of numbers nor a configuration");
  if (Object.values(data).length && Object.values(data).every(Array.isArray)) {
    return Object.entries(data).map(([key, list]) => ({ name: key, ...nested(list) }));
  }
  return [{ name, config: data }];
}

// Lists in lists as {shape, data, rows}
function nested(list) {
  const shape = [],
    flat = [];
  for (let x = list; Array.isArray(x); x = x[0]) shape.push(x.length);
  const walk = (x, depth) => {
    if (Array.isArray(x) ? x.length !== shape[depth] : depth !== shape.length) refuse("lists of different lengths");
    if (Array.isArray(x)) x.forEach((y) => walk(y, depth + 1));
    else if (typeof x === "number" || x === null) flat.push(x ?? NaN);
    else refuse("holds what is no number");
  };
  walk(list, 0);
  return { shape, data: Float64Array.from(flat) };
}

// Numbers as somebody pasted them: JSON, what numpy or PyTorch print, or lines of a table
export function pasted(text) {
  const whole = text.trim();
  if (!whole) refuse("nothing to read yet: paste numbers, or choose a file");
  if (/\.\.\./.test(whole)) {
    refuse("the printout is cut (…): print all of it with numpy.set_printoptions(threshold=10**9), or save it as .npy");
  }
  if (!/^[[{(]|^\w+\(/.test(whole)) return [{ name: "", ...columns(whole) }];
  const bare = whole
    .replace(/^\w+\(/, "")
    .replace(/,?\s*(dtype|device|requires_grad|grad_fn)=[^,)]*/g, "")
    .replace(/\)$/, "");
  const list = bare
    .replace(/([\d.])\s+(?=[-+\d.[])/g, "$1, ")
    .replace(/\]\s*(?=\[)/g, "], ")
    .replace(/(\d)\.(?=[\s,\]])/g, "$1.0")
    .replace(/([[,\s]-?)\.(?=\d)/g, "$10.")
    .replace(/\bnan\b/g, "null")
    .replace(/\binf\b/g, "1e999")
    .replace(/'/g, '"');
  return json(list, "");
}
