// Numbers that somebody wrote: lines of a table, JSON, and what numpy and PyTorch print.

/** @returns {never} */
export const refuse = (why) => {
  throw new Error(why);
};

const WORD = /^[+-]?(nan|inf(inity)?)$/i; // what is no number in JavaScript and is one in Python
const float = (cell) => {
  if (!WORD.test(cell)) return cell === "" ? NaN : Number(cell);
  return /nan/i.test(cell) ? NaN : cell.startsWith("-") ? -Infinity : Infinity;
};
const isNumber = (cell) => WORD.test(cell) || !Number.isNaN(float(cell));

// Lines of numbers, with commas, semicolons or spaces between; the first line may hold names. Where
// semicolons or tabs stand between numbers, a comma within one is a decimal comma.
export function columns(lines, most = Infinity) {
  const rows = [];
  lines.split(/\r?\n/).forEach((given, k) => {
    const line = given
      .replace(/#.*/, "")
      .trim()
      .replace(/[,;]+$/, "");
    if (!line || rows.length * (rows[0]?.length ?? 0) > most) return;
    const cells = /[;\t]/.test(line)
      ? line.split(/\s*[;\t]\s*/).map((cell) => cell.replace(/^([+-]?\d*),(\d+)/, "$1.$2"))
      : line.split(/\s*,\s*|\s+/);
    if (!cells.every(isNumber)) {
      if (rows.length || k > 0) refuse(`line ${k + 1} holds what is no number`);
      return; // names of columns
    }
    if (rows.length && cells.length !== rows[0].length)
      refuse(`line ${k + 1} has ${cells.length} numbers, the first ${rows[0].length}`);
    rows.push(cells.map(float));
  });
  if (!rows.length) refuse("no numbers in it");
  const [many, width] = [rows.length, rows[0].length];
  return {
    shape: many === 1 || width === 1 ? [many * width] : [many, width],
    data: Float64Array.from(rows.flat()),
    rows: many,
  };
}

// What JSON says: a list of numbers, a dictionary of lists, or a configuration. Python writes NaN.
export function json(text, name) {
  let data;
  try {
    data = JSON.parse(text.replace(/\bNaN\b/g, "null").replace(/\bInfinity\b/g, "1e999"));
  } catch {
    refuse("not JSON");
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
  return { shape, data: Float64Array.from(flat), rows: shape[0] };
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
