// Arrays out of files, by name, and no more of them than is looked at: pe_lib/doctor/_files.py. A file is
// believed as far as its bytes go: lengths that it claims are compared with its size first.
/* global WORDS */
import { plain } from "./spacing.mjs";

const ENTRIES = 1 << 23; // numbers read of one array
const TEXT = 1 << 26;
const KNOWN = () => new RegExp(WORDS.known);
const product = (shape) => shape.reduce((a, b) => a * b, 1);
const refuse = (why) => {
  throw new Error(why);
};
const bytesOf = async (blob) => new DataView(await blob.arrayBuffer());

const READERS = { npy, npz, csv, txt: csv, json, safetensors, gguf };

// The arrays {name, shape, data, rows} of a file that are positions by their names, or {config} of a
// configuration; `rows` is how many the whole array has
export async function arrays(file) {
  const kind = /\.(\w+)$/.exec(file.name.toLowerCase())?.[1];
  if (["pt", "pth", "bin", "pkl", "ckpt"].includes(kind))
    refuse("pickled files can run code and are not opened: save it as .safetensors or .npy");
  if (!Object.hasOwn(READERS, kind))
    refuse("unknown kind of file: .npy, .npz, .csv, .json, .safetensors and .gguf are known");
  return READERS[kind](file, file.name.replace(/\.\w+$/, ""));
}

// Which of these names to read: the known ones, or the only ones
function pick(names) {
  const known = names.filter((name) => KNOWN().test(name));
  if (known.length) return known.slice(0, 64);
  if (names.length && names.length <= 2) return names;
  const shown =
    names
      .slice()
      .sort()
      .slice(0, 8)
      .map((name) => name.slice(0, 60))
      .join(", ") || "none";
  return refuse(`no tensor with a known name among ${shown}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`);
}

// The shape of the first rows that are read, and how many numbers the whole has
function firstRows(shape) {
  if (shape.length > 8 || shape.some((n) => !(Number.isInteger(n) && n >= 0 && n < 2 ** 48)))
    refuse(`impossible shape ${shape.slice(0, 8)}`);
  const total = product(shape);
  if (total <= ENTRIES) return [shape, total];
  const big = shape.findIndex((n) => n > 1),
    rest = product(shape.slice(big + 1));
  if (rest > ENTRIES / 2) refuse(`too large for a table: shape ${shape}`);
  return [[...shape.slice(0, big), Math.max(2, Math.floor(ENTRIES / rest)), ...shape.slice(big + 1)], total];
}

const NUMBERS = {
  // bytes of each, and how one is read
  f8: [8, (v, k, le) => v.getFloat64(k, le)],
  f4: [4, (v, k, le) => v.getFloat32(k, le)],
  f2: [2, (v, k, le) => half(v.getUint16(k, le))],
  bf: [
    2,
    (v, k) => {
      const u = new DataView(new ArrayBuffer(4));
      u.setUint16(0, v.getUint16(k, true));
      return u.getFloat32(0);
    },
  ],
  i8: [8, (v, k, le) => Number(v.getBigInt64(k, le))],
  u8: [8, (v, k, le) => Number(v.getBigUint64(k, le))],
  i4: [4, (v, k, le) => v.getInt32(k, le)],
  u4: [4, (v, k, le) => v.getUint32(k, le)],
  i2: [2, (v, k, le) => v.getInt16(k, le)],
  u2: [2, (v, k, le) => v.getUint16(k, le)],
  i1: [1, (v, k) => v.getInt8(k)],
  u1: [1, (v, k) => v.getUint8(k)],
};

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    power = (bits >> 10) & 31,
    rest = bits & 1023;
  if (power === 31) return rest ? NaN : sign * Infinity;
  return sign * (power ? (1 + rest / 1024) * 2 ** (power - 15) : rest * 2 ** -24);
}

function decoded(view, form, count, little = true) {
  const [size, take] = NUMBERS[form];
  if (view.byteLength < count * size) refuse(`cut short: ${view.byteLength} bytes of ${count * size}`);
  return Float64Array.from({ length: count }, (_, k) => take(view, k * size, little));
}

async function npy(blob, name) {
  return [await numpy(await bytesOf(blob.slice(0, 10_016)), (from, to) => bytesOf(blob.slice(from, to)), name)];
}

// numpy's own format: its magic, the length of its header, a Python dictionary, and the numbers
async function numpy(head, read, name) {
  const text = (from, to) =>
    String.fromCharCode(
      ...new Uint8Array(head.buffer, head.byteOffset + from, Math.max(0, Math.min(to, head.byteLength) - from)),
    );
  if (head.byteLength < 12 || text(0, 6) !== "\x93NUMPY") refuse("not an array of numpy");
  const version = head.getUint8(6);
  if (version !== 1 && version !== 2) refuse(`numpy format ${version} is not known`);
  const begin = version === 1 ? 10 : 12,
    length = version === 1 ? head.getUint16(8, true) : head.getUint32(8, true);
  if (length > 10_000) refuse("its header is too long");
  const header = text(begin, begin + length);
  const descr = /'descr':\s*'([<>|=])(\w+)'/.exec(header),
    shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header);
  if (/'\|?O'/.test(header)) refuse("holds pickled objects, which are not opened");
  if (!descr || !shape || !Object.hasOwn(NUMBERS, descr[2]))
    refuse(`holds ${(descr?.[0] ?? "something").slice(0, 60)}, not numbers`);
  const whole = (shape[1].match(/\d+/g) ?? []).map(Number),
    [rows] = firstRows(whole);
  const fortran = /'fortran_order':\s*True/.test(header);
  if (fortran && rows !== whole) refuse("too large in Fortran's order");
  const count = product(rows),
    size = NUMBERS[descr[2]][0];
  const data = decoded(await read(begin + length, begin + length + count * size), descr[2], count, descr[1] !== ">");
  return { name, shape: rows, data: fortran ? turned(data, rows) : data, rows: whole[0] ?? 0 };
}

// Numbers whose first axis runs fastest, brought into rows
function turned(data, shape) {
  const out = new Float64Array(data.length);
  for (let k = 0; k < data.length; k++) {
    let rest = k,
      place = 0;
    shape.forEach((n, axis) => {
      place += (rest % n) * product(shape.slice(axis + 1));
      rest = Math.floor(rest / n);
    });
    out[place] = data[k];
  }
  return out;
}

// A zip's directory at its end, and arrays in it, unpacked no further than needed
async function npz(blob) {
  const tail = Math.max(0, blob.size - 65_557),
    end = await bytesOf(blob.slice(tail));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) refuse("not a zip file");
  const many = end.getUint16(at + 10, true),
    size = end.getUint32(at + 12, true),
    from = end.getUint32(at + 16, true);
  if (many > 10_000 || from + size > blob.size) refuse("claims more than the file has");
  const view = await bytesOf(blob.slice(from, from + size)),
    entries = new Map();
  for (let k = 0, place = 0; k < many; k++) {
    if (place + 46 > size || view.getUint32(place, true) !== 0x02014b50) refuse("its list of files is damaged");
    const [name, extra, comment] = [28, 30, 32].map((o) => view.getUint16(place + o, true));
    const title = new TextDecoder().decode(new Uint8Array(view.buffer, place + 46, name));
    entries.set(title.replace(/\.npy$/, ""), {
      method: view.getUint16(place + 10, true),
      packed: view.getUint32(place + 20, true),
      local: view.getUint32(place + 42, true),
    });
    place += 46 + name + extra + comment;
  }
  const out = [];
  for (const name of pick([...entries.keys()])) {
    const { method, packed, local } = entries.get(name),
      head = await bytesOf(blob.slice(local, local + 30));
    const begin = local + 30 + head.getUint16(26, true) + head.getUint16(28, true),
      inside = blob.slice(begin, begin + packed);
    if (method !== 0 && method !== 8) refuse(`${name.slice(0, 60)} is packed in a way that is not read`);
    const bytes = method === 0 ? inside : await unpacked(inside, ENTRIES * 8 + 10_016);
    out.push(await numpy(await bytesOf(bytes.slice(0, 10_016)), (a, b) => bytesOf(bytes.slice(a, b)), name));
  }
  return out;
}

// The first bytes of what is packed, and no more: a bomb stops here
async function unpacked(blob, limit) {
  const reader = blob.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader(),
    parts = [];
  for (let total = 0; total < limit; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
    total += value.length;
  }
  await reader.cancel();
  return new Blob(parts);
}

async function text(blob) {
  if (blob.size > TEXT) refuse("text of more than 64 MB: save it as .npy");
  return (await blob.text()).replace(/^\ufeff/, "");
}

async function csv(blob, name) {
  return [{ ...columns(await text(blob)), name }];
}

// Lines of numbers, with commas, semicolons or spaces between; the first line may hold names
export function columns(lines) {
  const rows = [];
  lines.split(/\r?\n/).forEach((given, k) => {
    const line = given
      .replace(/#.*/, "")
      .trim()
      .replace(/[,;]+$/, "");
    if (!line || rows.length * (rows[0]?.length ?? 0) > ENTRIES) return;
    const cells = line
      .split(/\s*[,;\t]\s*|\s+/)
      .map((cell) => (cell === "" ? NaN : /^[+-]?(nan|inf(inity)?)$/i.test(cell) ? special(cell) : Number(cell)));
    if (cells.some((v, j) => Number.isNaN(v) && !/nan/i.test(line.split(/\s*[,;\t]\s*|\s+/)[j]))) {
      if (rows.length || k > 0) refuse(`line ${k + 1} holds what is no number`);
      return; // names of columns
    }
    if (rows.length && cells.length !== rows[0].length)
      refuse(`line ${k + 1} has ${cells.length} numbers, the first ${rows[0].length}`);
    rows.push(cells);
  });
  if (!rows.length) refuse("no numbers in it");
  const shape =
    rows.length === 1 || rows[0].length === 1 ? [rows.length * rows[0].length] : [rows.length, rows[0].length];
  return { shape, data: Float64Array.from(rows.flat()), rows: shape[0] };
}

const special = (word) => (/nan/i.test(word) ? NaN : word.startsWith("-") ? -Infinity : Infinity);

async function json(blob, name) {
  let data;
  try {
    data = JSON.parse((await text(blob)).replace(/\bNaN\b/g, "null").replace(/\bInfinity\b/g, "1e999"));
  } catch (error) {
    refuse(`not JSON: ${error.message.slice(0, 120)}`);
  }
  return parsed(data, name);
}

// A configuration, a list of numbers, or a dictionary of lists
export function parsed(data, name) {
  if (Array.isArray(data)) return [{ name, ...nested(data) }];
  if (typeof data !== "object" || data === null) refuse("neither a list of numbers nor a configuration");
  if (Object.values(data).length && Object.values(data).every(Array.isArray)) {
    return Object.entries(data).map(([key, list]) => ({ name: key, ...nested(list) }));
  }
  return [{ name, config: data }];
}

// Lists in lists as {shape, data, rows}
function nested(list) {
  const shape = [];
  for (let x = list; Array.isArray(x); x = x[0]) shape.push(x.length);
  const flat = [];
  const walk = (x, depth) => {
    if (!Array.isArray(x)) {
      if (depth !== shape.length) refuse("lists of different lengths");
      if (typeof x !== "number" && x !== null) refuse("holds what is no number");
      flat.push(x ?? NaN);
    } else {
      if (x.length !== shape[depth]) refuse("lists of different lengths");
      x.forEach((y) => walk(y, depth + 1));
    }
  };
  walk(list, 0);
  return { shape, data: Float64Array.from(flat), rows: shape[0] };
}

const SAFE = { F64: "f8", F32: "f4", F16: "f2", BF16: "bf", I64: "i8", I32: "i4", I16: "i2", I8: "i1", U8: "u1" };

// Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers
async function safetensors(blob) {
  if (blob.size < 8) refuse("cut short: no header");
  const length = Number((await bytesOf(blob.slice(0, 8))).getBigUint64(0, true));
  if (length > Math.min(1e8, blob.size - 8)) refuse(`claims a header of ${length} bytes in a file of ${blob.size}`);
  const header = JSON.parse(await blob.slice(8, 8 + length).text()),
    out = [];
  delete header.__metadata__;
  for (const name of pick(Object.keys(header))) {
    const {
        dtype,
        shape,
        data_offsets: [start, stop],
      } = header[name],
      form = SAFE[dtype];
    if (!form) refuse(`${name.slice(0, 60)} holds ${String(dtype).slice(0, 20)}, which is not read`);
    const [rows, total] = firstRows(shape),
      size = NUMBERS[form][0];
    if (total * size !== stop - start || start < 0 || stop > blob.size - 8 - length)
      refuse(`${name.slice(0, 60)} does not lie within the file`);
    const count = product(rows),
      from = 8 + length + start;
    out.push({
      name,
      shape: rows,
      data: decoded(await bytesOf(blob.slice(from, from + count * size)), form, count),
      rows: shape[0] ?? 0,
    });
  }
  return out;
}

// llama.cpp's files: numbers of the header, then tensors; `rope_freqs` divides frequencies
async function gguf(blob) {
  const head = await bytesOf(blob.slice(0, 1 << 25)); // headers with a vocabulary are some MB
  let at = 0;
  const take = (count) => {
    if (count > head.byteLength - at) refuse("cut short within its header");
    at += count;
    return at - count;
  };
  const u32 = () => head.getUint32(take(4), true),
    u64 = () => Number(head.getBigUint64(take(8), true));
  const string = () => {
    const length = u64();
    if (length > 1 << 24) refuse("a text of more than 16 MB in its header");
    return new TextDecoder().decode(new Uint8Array(head.buffer, take(length), length));
  };
  const forms = ["u1", "i1", "u2", "i2", "u4", "i4", "f4", "u1", null, null, "u8", "i8", "f8"];
  const value = (kind, depth) => {
    if (forms[kind]) return NUMBERS[forms[kind]][1](head, take(NUMBERS[forms[kind]][0]), true);
    if (kind === 8) return string();
    if (kind !== 9 || depth > 3) refuse(`a value of unknown kind ${kind} in its header`);
    const inner = u32(),
      count = u64();
    if (count > blob.size) refuse("a list longer than the file in its header");
    if (forms[inner]) take(count * NUMBERS[forms[inner]][0]);
    else for (let k = 0; k < count; k++) value(inner, depth + 1);
    return null;
  };
  if (head.byteLength < 24 || u32() !== 0x46554747) refuse("not a GGUF file");
  const version = u32(),
    count = u64(),
    keys = u64();
  if (version !== 2 && version !== 3) refuse(`GGUF version ${version} is not known`);
  if (count > 100_000 || keys > 100_000) refuse("claims more tensors than a file has");
  const facts = {},
    entries = new Map();
  for (let k = 0; k < keys; k++) {
    const name = string(),
      found = value(u32(), 0);
    if (typeof found === "number") facts[name] = found;
  }
  for (let k = 0; k < count; k++) {
    const name = string(),
      axes = u32();
    if (axes > 8) refuse("a tensor of more than 8 axes");
    const shape = Array.from({ length: axes }, u64).reverse();
    entries.set(name, { shape, kind: u32(), place: u64() });
  }
  const step = facts["general.alignment"] || 32,
    begin = Math.ceil(at / step) * step;
  const rope = Object.fromEntries(
    Object.entries(facts)
      .filter(([key]) => key.includes(".rope."))
      .map(([key, v]) => [key.split(".rope.")[1], v]),
  );
  if (![...entries.keys()].some((name) => KNOWN().test(name)) && "freq_base" in rope) {
    const n = Math.floor((rope.dimension_count ?? 0) / 2),
      scale = rope["scaling.factor"] || 1;
    if (!(n >= 1 && n <= 2 ** 15 && rope.freq_base > 1))
      refuse("its header has no usable rope.dimension_count and rope.freq_base");
    return [{ name: "rope.freq_base", shape: [n], data: plain(n, rope.freq_base).map((w) => w / scale), rows: n }];
  }
  const out = [];
  for (const name of pick([...entries.keys()])) {
    const { shape, kind, place } = entries.get(name),
      form = { 0: "f4", 1: "f2", 30: "bf", 28: "f8" }[kind];
    if (!form) refuse(`${name.slice(0, 60)} is quantised, which is not read`);
    const [rows, total] = firstRows(shape),
      size = NUMBERS[form][0],
      many = product(rows),
      from = begin + place;
    if (from + total * size > blob.size) refuse(`${name.slice(0, 60)} does not lie within the file`);
    let data = decoded(await bytesOf(blob.slice(from, from + many * size)), form, many);
    if (name.startsWith("rope_freqs") && rows.length === 1 && data.every((v) => v > 0)) {
      data = plain(many, rope.freq_base ?? 1e4).map((w, i) => Math.fround(w / data[i]));
    }
    out.push({ name, shape: rows, data, rows: shape[0] ?? 0 });
  }
  return out;
}
