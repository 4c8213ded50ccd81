// Arrays out of files, by name, and no more of them than is looked at: pe_lib/doctor/_files.py. A file is
// believed as far as its bytes go: lengths that it claims are compared with its size first.
/* global DATA */
import { doctor } from "./doctor.mjs";
import { told } from "./formats.mjs";
import { NDArray } from "./numpy.mjs";
import { columns, filled, json, refuse, refused } from "./texts.mjs";

const { ENTRIES } = doctor._given; // numbers read of one array
const TEXT = 1 << 26; // bytes of text
const HEADER = 10_016; // bytes of numpy's header, at most
const product = (shape) => shape.reduce((a, b) => a * b, 1);
const bytes = async (blob, from = 0, to = blob.size) => new DataView(await blob.slice(from, to).arrayBuffer());
const letters = (view, from, to) => new TextDecoder().decode(new Uint8Array(view.buffer).slice(from, to));

const READERS = { npy, npz, csv: lines, txt: lines, json: written, safetensors };

// The arrays {name, shape, data} of a file that are positions by their names, or {config} of a configuration
export async function arrays(file) {
  const [, stem, kind = ""] = /^(.*?)(?:\.(\w+))?$/s.exec(file.name),
    beginning = new Uint8Array(await file.slice(0, 8).arrayBuffer()),
    hex = Array.from(beginning, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    mark = Object.keys(DATA.beginnings).find((bytes) => hex.startsWith(bytes));
  if (!file.size) refused("empty");
  if (mark) refused("other", { kind: DATA.beginnings[mark] });
  if (/^(pt|pth|bin|pkl|ckpt)$/i.test(kind))
    refused("pickled", { command: filled(DATA.convert, { old: file.name, new: `${stem}.safetensors` }) });
  if (/^gguf$/i.test(kind)) elsewhere(file.name);
  const reader = READERS[kind.toLowerCase()];
  if (!reader) refused("kind", { suffix: kind ? `.${kind.toLowerCase()}` : "a name without an ending" });
  return reader(file, stem);
}

const elsewhere = (name) => refuse(`the terminal's doctor reads this: python -m pe_lib.doctor ${name}`);

// Which of these names to read: the known ones, or the only ones
function pick(names) {
  const positions = names.filter((name) => new RegExp(DATA.names.known).test(name));
  if (positions.length) return positions.slice(0, 64);
  if (names.length && names.length <= 2) return names;
  const some = names.toSorted().slice(0, 8);
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

// What numpy calls a number: how it lies in memory, and its value
/** @type {Record<string, [kind: any, value?: (v: any) => number]>} */
const NUMBERS = {
  f8: [Float64Array],
  f4: [Float32Array],
  f2: [Uint16Array, half],
  bf: [Uint16Array, (bits) => new Float32Array(Uint32Array.of(bits << 16).buffer)[0]],
  i8: [BigInt64Array, Number],
  u8: [BigUint64Array, Number],
  i4: [Int32Array],
  u4: [Uint32Array],
  i2: [Int16Array],
  u2: [Uint16Array],
  i1: [Int8Array],
  u1: [Uint8Array],
  b1: [Uint8Array], // masks
};

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    power = (bits >> 10) & 31,
    rest = bits & 1023;
  if (power === 31) return rest ? NaN : sign * Infinity;
  return sign * (power ? (1 + rest / 1024) * 2 ** (power - 15) : rest * 2 ** -24);
}

// Long doubles of Intel's machines, from two numbers of 64 bits each: 64 digits, then sign and power
const extended = (both) =>
  Float64Array.from({ length: both.length / 2 }, (_, k) => {
    const [digits, top] = [both[2 * k], Number(both[2 * k + 1] & 0xffffn)],
      sign = top & 0x8000 ? -1 : 1,
      power = top & 0x7fff;
    if (power === 0x7fff) return (digits << 1n) & 0xffffffffffffffffn ? NaN : sign * Infinity;
    return sign * Number(digits) * 2 ** (power - 16446);
  });

// The first rows of an array that lies in `blob` from byte `from` on
async function numbers(blob, { name, form, shape, from, big = false, fortran = false }) {
  const rows = firstRows(name, shape),
    long = form === "f16",
    [Kind, value = (v) => v] = NUMBERS[long ? "u8" : form],
    size = Kind.BYTES_PER_ELEMENT,
    length = product(rows) * size * (long ? 2 : 1);
  if (fortran && (rows !== shape || shape.length > 2)) elsewhere(`${name}.npy`);
  const { buffer, byteLength } = await bytes(blob, from, from + length);
  if (byteLength < length) refused("cut", { got: told(byteLength), wanted: told(length) });
  const raw = new Uint8Array(buffer);
  if (big) for (let k = 0; k < length; k += size) raw.subarray(k, k + size).reverse();
  const kept = new Kind(buffer),
    data = long ? extended(kept) : Float64Array.from(kept, value);
  return { name, shape: rows, data: fortran && rows.length === 2 ? new NDArray(data, rows.toReversed()).T.data : data };
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
  if (!shape || !(form === "f16" || Object.hasOwn(NUMBERS, part ?? form)))
    refused("format", { name, form: (records ?? `${order ?? ""}${form ?? "something"}`).slice(0, 60) });
  const sizes = [...(shape[1].match(/\d+/g) ?? []).map(Number), ...(part ? [2] : [])],
    fortran = /'fortran_order':\s*True/.test(header);
  if (part && (sizes.length !== 3 || fortran)) refuse("values must be real, or one complex number a row and pair");
  const place = { shape: sizes, from: begin + length, big: order === ">", fortran };
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
async function lines(blob, name) {
  return [{ ...columns(await text(blob)), name }];
}
async function written(blob, name) {
  return json(await text(blob), name);
}

// Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers
async function safetensors(blob) {
  if (blob.size < 8) refuse("cut short: no header");
  const length = Number((await bytes(blob, 0, 8)).getBigUint64(0, true));
  if (length > Math.min(1e8, blob.size - 8)) refuse(`claims a header of ${length} bytes in a file of ${blob.size}`);
  const { __metadata__, ...header } = JSON.parse(await blob.slice(8, 8 + length).text()),
    out = [];
  for (const name of pick(Object.keys(header))) {
    const { dtype, shape, data_offsets: place } = header[name] ?? {},
      form =
        { BF16: "bf", BOOL: "b1" }[dtype] ??
        String(dtype)
          .toLowerCase()
          .replace(/\d+/, (bits) => String(Number(bits) / 8));
    if (!Object.hasOwn(NUMBERS, form)) refused("format", { name: name.slice(0, 60), form: String(dtype).slice(0, 20) });
    if (!Array.isArray(shape) || !Array.isArray(place)) refused("shape", { name: name.slice(0, 60) });
    const [start, stop] = place,
      size = product(shape) * NUMBERS[form][0].BYTES_PER_ELEMENT;
    if (size !== stop - start || !(start >= 0 && stop <= blob.size - 8 - length))
      refuse(`${name.slice(0, 60)} does not lie within the file`);
    out.push(await numbers(blob, { name, form, shape, from: 8 + length + start }));
  }
  return out;
}
