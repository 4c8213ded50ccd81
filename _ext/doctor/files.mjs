// Reads arrays from files by name, and no more of them than is examined, as pe_lib/doctor/_files.py does. What a
// header claims is believed only as far as the file has bytes for it.
import { doctor } from "./doctor.mjs";
import { formatNumber } from "./formats.mjs";
import { NDArray } from "./numpy.mjs";
import { json, refuse, refused } from "./texts.mjs";

const { MAX_TEXT, MAX_UNPACKED, PICKLES, choose_names: chooseNames, parse_table: parseTable } = doctor._files;
const { MAX_ENTRIES } = doctor._arrays; // the numbers that are read of one array
const HEADER = 10_016; // bytes of numpy's header, at most
const product = (shape) => shape.reduce((a, b) => a * b, 1);
const bytes = async (blob, from = 0, to = blob.size) => new DataView(await blob.slice(from, to).arrayBuffer());
const letters = (view, from, to) => new TextDecoder().decode(new Uint8Array(view.buffer).slice(from, to));
const elsewhere = (name) => refuse(`the terminal's doctor reads this: python -m pe_lib.doctor ${name}`);

const lines = async (blob, name) => [{ name, array: parseTable(await text(blob)) }];
const lists = async (blob, name) => json(await text(blob), name);
const READERS = { ".npy": npy, ".npz": npz, ".csv": lines, ".txt": lines, ".json": lists, ".safetensors": safetensors };

// Returns the arrays {name, array} of a file that hold positions by their names, or {config} of a configuration
/** @returns {Promise<Given[]>} */
export async function arrays(file) {
  const [, stem, ending = ""] = /^(.*?)(\.\w+)?$/s.exec(file.name),
    suffix = ending.toLowerCase();
  if (!file.size) refused("empty");
  if (PICKLES.includes(suffix)) refused("pickled", { old: file.name, new: `${stem}.safetensors` });
  if (suffix === ".gguf") elsewhere(file.name);
  const reader = READERS[suffix] ?? refused("kind", { suffix: suffix || "a name without an ending" });
  return reader(file, stem);
}

// How a number lies in memory and what its value is, by numpy's name for it
/** @type {Record<string, [kind: any, value?: (v: any) => number]>} */
const NUMBERS = {
  f8: [Float64Array],
  f4: [Float32Array],
  f2: [Uint16Array, half],
  bf2: [Uint16Array, (bits) => new Float32Array(Uint32Array.of(bits << 16).buffer)[0]],
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

// Reads the first rows of an array that begins at byte `from` of a blob
async function read(blob, { name, form, shape, from, fortran = false }) {
  const [Kind, value = (v) => v] = NUMBERS[form],
    row = product(shape.slice(1)),
    rows =
      shape.length && shape[0] * row > MAX_ENTRIES ? shape.with(0, Math.max(2, Math.floor(MAX_ENTRIES / row))) : shape,
    length = product(rows) * Kind.BYTES_PER_ELEMENT;
  if (row > MAX_ENTRIES / 2 || (fortran && (rows !== shape || shape.length > 2))) elsewhere(`${name}.npy`);
  const { buffer, byteLength } = await bytes(blob, from, from + length);
  if (byteLength < length) refused("cut", { got: formatNumber(byteLength), wanted: formatNumber(length) });
  const data = Float64Array.from(new Kind(buffer), value);
  return { name, array: fortran ? new NDArray(data, rows.toReversed()).T : new NDArray(data, rows) };
}

// Reads numpy's own format: a magic word, the header's length, the header, which is a Python dictionary, the numbers
async function npy(blob, name) {
  const head = await bytes(blob, 0, HEADER);
  if (head.byteLength < 12 || letters(head, 1, 6) !== "NUMPY") refused("not_numpy");
  const [begin, length] = head.getUint8(6) === 1 ? [10, head.getUint16(8, true)] : [12, head.getUint32(8, true)],
    header = letters(head, begin, begin + length),
    kind = /'descr':\s*('.*?'|\[.*\])\s*,/.exec(header)?.[1].replace(/^'|'$/g, ""),
    shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1].match(/\d+/g) ?? [];
  if (!kind || kind === "|O") refused("not_numpy");
  const form = kind.replace(/^[<|]/, ""),
    part = { c8: "f4", c16: "f8" }[form], // cosine and sine of each pair, as one complex number
    sizes = [...shape.map(Number), ...(part ? [2] : [])];
  if (!Object.hasOwn(NUMBERS, part ?? form)) refused("format", { name, form: kind.slice(0, 60) });
  const fortran = sizes.length > 1 && /'fortran_order':\s*True/.test(header);
  return [await read(blob, { name, form: part ?? form, shape: sizes, from: begin + length, fortran })];
}

// Reads a zip archive: its directory, which is at its end, and the arrays that it names
async function npz(blob, stem) {
  const end = await bytes(blob, Math.max(0, blob.size - 65_557));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) refused("not_zip");
  const from = end.getUint32(at + 16, true),
    list = await bytes(blob, from, from + end.getUint32(at + 12, true)),
    places = new Map();
  for (let place = 0; place < list.byteLength; ) {
    const [name, extra, comment] = [28, 30, 32].map((o) => list.getUint16(place + o, true));
    places.set(letters(list, place + 46, place + 46 + name).replace(/\.npy$/, ""), place);
    place += 46 + name + extra + comment;
  }
  const out = [],
    unnamed = places.size === 1 && places.has("arr_0"); // numpy's name for an array without one
  for (const name of chooseNames([...places.keys()])) {
    const place = places.get(name),
      packed = list.getUint16(place + 10, true) !== 0,
      [size, unpacked, local] = [20, 24, 42].map((o) => list.getUint32(place + o, true)),
      head = await bytes(blob, local, local + 30),
      begin = local + 30 + head.getUint16(26, true) + head.getUint16(28, true),
      inside = blob.slice(begin, begin + size);
    if (unpacked > MAX_UNPACKED) refused("packed", { name: name.slice(0, 60) });
    const stream = () => inside.stream().pipeThrough(new DecompressionStream("deflate-raw"));
    out.push(...(await npy(packed ? await new Response(stream()).blob() : inside, unnamed ? stem : name)));
  }
  return out;
}

async function text(blob) {
  if (blob.size > MAX_TEXT) refused("long_text");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
  } catch {
    return refused("not_text");
  }
}

// Reads safetensors: eight bytes with the header's length, JSON with names, kinds, shapes and offsets, the numbers
async function safetensors(blob) {
  const length = Number((await bytes(blob, 0, 8)).getBigUint64(0, true));
  if (length > Math.min(1e8, blob.size - 8))
    refuse(`the file claims a header of ${length} bytes, but it has ${blob.size}`);
  const { __metadata__, ...header } = JSON.parse(await blob.slice(8, 8 + length).text()),
    out = [];
  for (const name of chooseNames(Object.keys(header))) {
    const { dtype, shape, data_offsets: place } = header[name],
      form = { BOOL: "b1" }[dtype] ?? dtype.toLowerCase().replace(/\d+/, (bits) => bits / 8);
    if (!Object.hasOwn(NUMBERS, form)) refused("format", { name: name.slice(0, 60), form: dtype.slice(0, 20) });
    if (product(shape) * NUMBERS[form][0].BYTES_PER_ELEMENT !== place[1] - place[0])
      refuse(`${name.slice(0, 60)} does not lie within the file`);
    out.push(await read(blob, { name, form, shape, from: 8 + length + place[0] }));
  }
  return out;
}
