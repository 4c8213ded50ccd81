// Reads numbers from text: JSON, and what numpy and PyTorch print. The translated Python reads the lines of a table.
import { doctor } from "./doctor.mjs";
import { NDArray } from "./numpy.mjs";

/** @returns {never} */
export const refuse = (why) => {
  throw new Error(why);
};

// Throw an error with the sentence that Python's doctor has for this reason
/** @type {(reason: string, words?: Values) => never} */
export const refuseBecause = (reason, words = {}) =>
  refuse(doctor._files.refusal(reason, new Map(Object.entries(words))));

// Read JSON, in which Python may have written NaN: a list of numbers, a dictionary of lists, or a configuration
/** @returns {Given[]} */
export function readJson(text, name) {
  let data;
  try {
    data = JSON.parse(text.replace(/\bNaN\b/g, "null").replace(/\bInfinity\b/g, "1e999"));
  } catch (error) {
    refuseBecause("broken", { why: error.message.slice(0, 120) });
  }
  if (typeof data !== "object" || data === null) refuse("neither a list of numbers nor a configuration");
  const lists = Array.isArray(data) ? { [name]: data } : data,
    entries = Object.entries(lists);
  if (!entries.length || !entries.every(([, list]) => Array.isArray(list))) return [{ name, config: data }];
  return entries.map(([key, list]) => ({ name: key, array: toArray(list) }));
}

// Return the array for lists in lists
function toArray(list) {
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
  return new NDArray(Float64Array.from(flat), shape);
}

// Read pasted numbers: JSON, what numpy or PyTorch print, or the lines of a table
export function readPasted(text) {
  const whole = text.trim();
  if (!whole) refuse("nothing to read yet: paste numbers, or choose a file");
  if (/\.\.\./.test(whole)) {
    refuse("the printout is cut (…): print all of it with numpy.set_printoptions(threshold=10**9), or save it as .npy");
  }
  if (!/^[[{(]|^\w+\(/.test(whole)) return [{ name: "", array: doctor._files.parse_table(whole) }];
  const numbers = whole
    .replace(/^\w+\(/, "")
    .replace(/,?\s*(dtype|device|requires_grad|grad_fn)=[^,)]*/g, "")
    .replace(/\)$/, "");
  const list = numbers
    .replace(/([\d.])\s+(?=[-+\d.[])/g, "$1, ")
    .replace(/\]\s*(?=\[)/g, "], ")
    .replace(/(\d)\.(?=[\s,\]])/g, "$1.0")
    .replace(/([[,\s]-?)\.(?=\d)/g, "$10.")
    .replace(/\bnan\b/g, "null")
    .replace(/\binf\b/g, "1e999")
    .replace(/'/g, '"');
  return readJson(list, "");
}
