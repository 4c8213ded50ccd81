// Arrays out of files, by name, and no more of them than is looked at: pe_lib/doctor/_files.py. A file is
// believed as far as its bytes go: lengths that it claims are compared with its size first.
/* global DATA */
import { columns, filled, json, refuse, refused } from "./texts.mjs";
import { told } from "./formats.mjs";
import { doctor } from "./doctor.mjs";

const ENTRIES = 1 << 23; // numbers read of one array
const TEXT = 1 << 26; // bytes of text
const { plain } = doctor._spacing;
const HEADER = 10_016; // bytes of numpy's header, at most
const known = (name) => new RegExp(DATA.known).test(name);
const product = (shape) => shape.reduce((a, b) => a * b, 1);
const bytes = async (blob, from = 0, to = blob.size) => new DataView(await blob.slice(from, to).arrayBuffer());
const letters = (view, from, to) => new TextDecoder().decode(new Uint8Array(view.buffer).slice(from, to));

const READERS = { npy, npz, csv, txt: csv, json: written, safetensors, gguf };

const KNOWN = "known are .npy, .npz, .csv, .txt, .json, .safetensors and .gguf";

// The arrays {name, shape, data, rows} of a file that are positions by their names, or {config} of a
// configuration; `rows` is how many the whole array has
export async function arrays(file) {
  const [, stem, kind = ""] = /^(.*?)(?:\.(\w+))?$/s.exec(file.name),
    reader = READERS[kind.toLowerCase()];
  if (!file.size) refused("empty");
  const beginning = new Uint8Array(await file.slice(0, 8).arrayBuffer()),
    hex = [...beginning].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const mark = Object.keys(DATA.beginnings).find((bytes) => hex.startsWith(bytes));
  if (mark) refused("other", { kind: DATA.beginnings[mark] });
  if (/^(pt|pth|bin|pkl|ckpt)$/i.test(kind))
    refused("pickled", { command: filled(DATA.convert, { old: file.name, new: `${stem}.safetensors` }) });
  if (!reader) refused("kind", { suffix: kind ? `.${kind.toLowerCase()}` : "a name without an ending", known: KNOWN });
  return reader(file, stem);
}

// Which of these names to read: the known ones, or the only ones
function pick(names) {
  const positions = names.filter(known);
  if (positions.length) return positions.slice(0, 64);
  if (names.length && names.length <= 2) return names;
  const some = names.slice().sort().slice(0, 8);
  const shown = some.map((name) => name.slice(0, 60)).join(", ") || "none";
  return refuse(`no tensor with a known name among ${shown}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`);
}

// The shape of the first rows that are read
function firstRows(name, shape) {
  if (shape.length > 8 || shape.some((n) => !(Number.isInteger(n) && n >= 0 && n < 2 ** 48)))
    refused("shape", { name: name.slice(0, 60) });
  if (product(shape) <= ENTRIES) return shape;
  const big = shape.findIndex((n) => n > 1),
    rest = product(shape.slice(big + 1));
  if (rest > ENTRIES / 2) refused("large", { shape: shape.map(told).join(" × ") });
  return [...shape.slice(0, big), Math.max(2, Math.floor(ENTRIES / rest)), ...shape.slice(big + 1)];
}

// What numpy calls a number: its bytes, and how one is read
const NUMBERS = {
  f8: [8, (v, k, little) => v.getFloat64(k, little)],
  f4: [4, (v, k, little) => v.getFloat32(k, little)],
  f2: [2, (v, k, little) => half(v.getUint16(k, little))],
  f16: [16, (v, k) => extended(v.getBigUint64(k, true), v.getUint16(k + 8, true))],
  bf: [2, (v, k) => new Float32Array(Uint32Array.of(v.getUint16(k, true) << 16).buffer)[0]],
  i8: [8, (v, k, little) => Number(v.getBigInt64(k, little))],
  u8: [8, (v, k, little) => Number(v.getBigUint64(k, little))],
  i4: [4, (v, k, little) => v.getInt32(k, little)],
  u4: [4, (v, k, little) => v.getUint32(k, little)],
  i2: [2, (v, k, little) => v.getInt16(k, little)],
  u2: [2, (v, k, little) => v.getUint16(k, little)],
  i1: [1, (v, k) => v.getInt8(k)],
  u1: [1, (v, k) => v.getUint8(k)],
  b1: [1, (v, k) => v.getUint8(k)], // masks
};

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    power = (bits >> 10) & 31,
    rest = bits & 1023;
  if (power === 31) return rest ? NaN : sign * Infinity;
  return sign * (power ? (1 + rest / 1024) * 2 ** (power - 15) : rest * 2 ** -24);
}

// The ten bytes of a long double: 64 digits with none left out, then sign and power
function extended(digits, top) {
  const sign = top & 0x8000 ? -1 : 1,
    power = top & 0x7fff;
  if (power === 0x7fff) return (digits << 1n) & 0xffffffffffffffffn ? NaN : sign * Infinity;
  if (power && !(digits >> 63n)) refuse("holds long doubles of another kind of machine");
  return sign * Number(digits) * 2 ** (power - 16446);
}

// The first rows of an array that lies in `blob` from byte `from` on
async function numbers(blob, { name, form, shape, from, little = true, fortran = false }) {
  const rows = firstRows(name, shape),
    [size, take] = NUMBERS[form],
    count = product(rows);
  if (fortran && rows !== shape) refused("large", { shape: shape.map(told).join(" × ") });
  const view = await bytes(blob, from, from + count * size);
  if (view.byteLength < count * size) refused("cut", { got: told(view.byteLength), wanted: told(count * size) });
  const data = new Float64Array(count);
  for (let k = 0; k < count; k++) data[fortran ? turned(k, rows) : k] = take(view, k * size, little);
  return { name, shape: rows, data, rows: shape[0] ?? 0 };
}

// Where number k belongs if the first axis runs fastest
function turned(k, shape) {
  let place = 0,
    rest = k;
  shape.forEach((n, axis) => {
    place += (rest % n) * product(shape.slice(axis + 1));
    rest = Math.floor(rest / n);
  });
  return place;
}

// numpy's own format: its magic, the length of its header, a Python dictionary, and the numbers
async function npy(blob, name) {
  const head = await bytes(blob, 0, HEADER);
  if (head.byteLength < 12 || head.getUint32(0) !== 0x934e554d || head.getUint16(4) !== 0x5059) refused("not_numpy");
  const version = head.getUint8(6);
  if (version !== 1 && version !== 2) refused("not_numpy");
  const begin = version === 1 ? 10 : 12,
    length = version === 1 ? head.getUint16(8, true) : head.getUint32(8, true);
  if (length > 10_000) refuse("its header is too long");
  const header = letters(head, begin, begin + length);
  const descr = /'descr':\s*'([<>|=])(\w+)'/.exec(header),
    shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header);
  if (/'\|?O'/.test(header)) refused("objects");
  const records = /'descr':\s*(\[.*?\]),\s*'fortran/.exec(header)?.[1],
    [, order, form] = descr ?? [];
  const part = { c8: "f4", c16: "f8" }[form]; // cosine and sine of each pair, as one complex number
  if (!shape || !Object.hasOwn(NUMBERS, part ?? form))
    refused("format", { name, form: (records ?? `${order ?? ""}${form ?? "something"}`).slice(0, 60) });
  const sizes = [...(shape[1].match(/\d+/g) ?? []).map(Number), ...(part ? [2] : [])],
    fortran = /'fortran_order':\s*True/.test(header);
  if (part && (sizes.length !== 3 || fortran)) refuse("values must be real, or one complex number a row and pair");
  const place = { shape: sizes, from: begin + length, little: order !== ">", fortran };
  return [await numbers(blob, { name, form: part ?? form, ...place })];
}

// A zip's directory at its end, and arrays in it, unpacked no further than needed
async function npz(blob) {
  const end = await bytes(blob, Math.max(0, blob.size - 65_557));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) refused("not_zip");
  const [many, size, from] = [end.getUint16(at + 10, true), end.getUint32(at + 12, true), end.getUint32(at + 16, true)];
  if (many > 10_000 || from + size > blob.size) refuse("claims more than the file has");
  const list = await bytes(blob, from, from + size),
    places = new Map();
  for (let k = 0, place = 0; k < many; k++) {
    if (place + 46 > size || list.getUint32(place, true) !== 0x02014b50) refuse("its list of files is damaged");
    const [name, extra, comment] = [28, 30, 32].map((o) => list.getUint16(place + o, true));
    places.set(letters(list, place + 46, place + 46 + name).replace(/\.npy$/, ""), place);
    place += 46 + name + extra + comment;
  }
  const out = [];
  for (const name of pick([...places.keys()])) {
    const place = places.get(name),
      method = list.getUint16(place + 10, true),
      local = list.getUint32(place + 42, true);
    const head = await bytes(blob, local, local + 30);
    if (head.byteLength < 30 || (method !== 0 && method !== 8)) refuse(`${name.slice(0, 60)} cannot be unpacked`);
    const begin = local + 30 + head.getUint16(26, true) + head.getUint16(28, true),
      inside = blob.slice(begin, begin + list.getUint32(place + 20, true));
    out.push(...(await npy(method ? await unpacked(inside, ENTRIES * 8 + HEADER) : inside, name)));
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
  if (blob.size > TEXT) refused("long_text");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
  } catch {
    return refused("not_text");
  }
}

async function csv(blob, name) {
  return [{ ...columns(await text(blob)), name }];
}

async function written(blob, name) {
  return json(await text(blob), name);
}

const SAFE = {
  F64: "f8",
  F32: "f4",
  F16: "f2",
  BF16: "bf",
  I64: "i8",
  I32: "i4",
  I16: "i2",
  I8: "i1",
  U8: "u1",
  BOOL: "b1",
};

// Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers
async function safetensors(blob) {
  if (blob.size < 8) refuse("cut short: no header");
  const length = Number((await bytes(blob, 0, 8)).getBigUint64(0, true));
  if (length > Math.min(1e8, blob.size - 8)) refuse(`claims a header of ${length} bytes in a file of ${blob.size}`);
  const { __metadata__, ...header } = headed(await blob.slice(8, 8 + length).text()),
    out = [];
  for (const name of pick(Object.keys(header))) {
    const { dtype, shape, data_offsets: place } = header[name] ?? {},
      form = SAFE[dtype];
    if (!form) refuse(`${name.slice(0, 60)} holds ${String(dtype).slice(0, 20)}, which is not read`);
    if (!Array.isArray(shape) || !Array.isArray(place)) refuse(`${name.slice(0, 60)} has an impossible shape`);
    const [start, stop] = place,
      size = product(shape) * NUMBERS[form][0];
    if (size !== stop - start || !(start >= 0 && stop <= blob.size - 8 - length))
      refuse(`${name.slice(0, 60)} does not lie within the file`);
    out.push(await numbers(blob, { name, form, shape, from: 8 + length + start }));
  }
  return out;
}

function headed(header) {
  try {
    return Object(JSON.parse(header));
  } catch {
    return refuse("its header is no dictionary");
  }
}

// llama.cpp's files: facts, then tensors; `rope_freqs` divides frequencies
async function gguf(blob) {
  const { facts, entries, begin } = header(await bytes(blob, 0, 1 << 25), blob.size); // with a vocabulary some MB
  const rope = /** @type {Values} */ ({});
  for (const key of Object.keys(facts)) if (key.includes(".rope.")) rope[key.split(".rope.")[1]] = facts[key];
  if (![...entries.keys()].some(known) && "freq_base" in rope) {
    const n = Math.floor((rope.dimension_count ?? 0) / 2),
      scale = rope["scaling.factor"] || 1;
    if (!(n >= 1 && n <= 2 ** 15 && rope.freq_base > 1)) refused("no_frequencies");
    return [{ name: "rope.freq_base", shape: [n], data: plain(n, rope.freq_base).data.map((w) => w / scale), rows: n }];
  }
  const out = [];
  for (const name of pick([...entries.keys()])) {
    const { shape, kind, place } = entries.get(name),
      form = { 0: "f4", 1: "f2", 30: "bf", 28: "f8" }[kind];
    if (!form) refuse(`${name.slice(0, 60)} is quantised, which is not read`);
    const found = await numbers(blob, { name, form, shape, from: begin + place });
    if (name.startsWith("rope_freqs") && shape.length === 1 && found.data.every((v) => v > 0)) {
      const { data } = found;
      found.data = plain(data.length, rope.freq_base ?? 1e4).data.map((w, i) => Math.fround(w / data[i]));
    }
    out.push(found);
  }
  return out;
}

// A GGUF header: its facts that are numbers, its tensors' shapes and places, and where numbers begin
function header(head, size) {
  let at = 0;
  const take = (count) => {
    if (count > head.byteLength - at) refuse("cut short within its header");
    at += count;
    return at - count;
  };
  const u32 = () => head.getUint32(take(4), true),
    u64 = () => Number(head.getBigUint64(take(8), true));
  const string = () => {
    const from = take(u64());
    return new TextDecoder().decode(new Uint8Array(head.buffer, from, at - from));
  };
  const forms = ["u1", "i1", "u2", "i2", "u4", "i4", "f4", "u1", null, null, "u8", "i8", "f8"];
  const value = (kind, depth) => {
    const [bytes, read] = NUMBERS[forms[kind]] ?? [];
    if (read) return read(head, take(bytes), true);
    if (kind === 8) return string();
    if (kind !== 9 || depth > 3) refuse(`a value of unknown kind ${kind} in its header`);
    const inner = u32(),
      count = u64();
    if (count > size) refuse("a list longer than the file in its header");
    for (let k = 0; k < count; k++) value(inner, depth + 1);
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
  const step = facts["general.alignment"] || 32;
  return { facts, entries, begin: Math.ceil(at / step) * step };
}
