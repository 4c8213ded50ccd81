// Reads arrays from files by name, and of each only the numbers that are examined, as pe_lib/doctor/_files.py does. A
// file may claim anything in its header, so the sizes are checked against its bytes.
import { doctor } from "./doctor.mjs";
import { formatNumber } from "./formats.mjs";
import { NDArray } from "./numpy.mjs";
import { readJson, refuse, refuseBecause } from "./texts.mjs";

const { MAX_TEXT, MAX_UNPACKED, PICKLES, choose_names: chooseNames, parse_table: parseTable } = doctor._files;
const { MAX_ENTRIES } = doctor._arrays; // at most so many numbers of one array are read
const HEADER = 10_016; // numpy's header has at most so many bytes
const product = (shape) => shape.reduce((a, b) => a * b, 1);
const readBytes = async (blob, from = 0, to = blob.size) => new DataView(await blob.slice(from, to).arrayBuffer());
const decodeLetters = (view, from, to) => new TextDecoder().decode(new Uint8Array(view.buffer).slice(from, to));
const refuseForTerminal = (name) => refuse(`the terminal's doctor reads this: python -m pe_lib.doctor ${name}`);

const readLines = async (blob, name) => [{ name, array: parseTable(await readText(blob)) }];
const readLists = async (blob, name) => readJson(await readText(blob), name);
const READERS = {
  ".npy": readNpy,
  ".npz": readNpz,
  ".csv": readLines,
  ".txt": readLines,
  ".json": readLists,
  ".safetensors": readSafetensors,
};

// Return those arrays {name, array} of a file whose names say that they hold positions, or {config} of a configuration
/** @returns {Promise<Given[]>} */
export async function readFile(file) {
  const [, stem, ending = ""] = /^(.*?)(\.\w+)?$/s.exec(file.name),
    suffix = ending.toLowerCase();
  if (!file.size) refuseBecause("empty");
  if (PICKLES.includes(suffix)) refuseBecause("pickled", { old: file.name, new: `${stem}.safetensors` });
  if (suffix === ".gguf") refuseForTerminal(file.name);
  const reader = READERS[suffix] ?? refuseBecause("kind", { suffix: suffix || "a name without an ending" });
  return reader(file, stem);
}

// The typed array that holds numbers of a type, and the value of one of them, by numpy's name for the type
/** @type {Record<string, [kind: any, value?: (v: any) => number]>} */
const NUMBERS = {
  f8: [Float64Array],
  f4: [Float32Array],
  f2: [Uint16Array, readHalf],
  bf2: [Uint16Array, (bits) => new Float32Array(Uint32Array.of(bits << 16).buffer)[0]],
  i8: [BigInt64Array, Number],
  u8: [BigUint64Array, Number],
  i4: [Int32Array],
  u4: [Uint32Array],
  i2: [Int16Array],
  u2: [Uint16Array],
  i1: [Int8Array],
  u1: [Uint8Array],
  b1: [Uint8Array], // numpy stores the booleans of a mask as bytes
};

function readHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    power = (bits >> 10) & 31,
    rest = bits & 1023;
  if (power === 31) return rest ? NaN : sign * Infinity;
  return sign * (power ? (1 + rest / 1024) * 2 ** (power - 15) : rest * 2 ** -24);
}

// Read the first rows of an array that begins at byte `from` of a blob
async function readArray(blob, { name, form, shape, from, fortran = false }) {
  const [Kind, value = (v) => v] = NUMBERS[form],
    row = product(shape.slice(1)),
    rows =
      shape.length && shape[0] * row > MAX_ENTRIES ? shape.with(0, Math.max(2, Math.floor(MAX_ENTRIES / row))) : shape,
    length = product(rows) * Kind.BYTES_PER_ELEMENT;
  if (row > MAX_ENTRIES / 2 || (fortran && (rows !== shape || shape.length > 2))) refuseForTerminal(`${name}.npy`);
  const { buffer, byteLength } = await readBytes(blob, from, from + length);
  if (byteLength < length) refuseBecause("cut", { got: formatNumber(byteLength), wanted: formatNumber(length) });
  const data = Float64Array.from(new Kind(buffer), value);
  return { name, array: fortran ? new NDArray(data, rows.toReversed()).T : new NDArray(data, rows) };
}

// Read numpy's own format: a magic word, the length of the header, the header (a Python dictionary), and the numbers
async function readNpy(blob, name) {
  const head = await readBytes(blob, 0, HEADER);
  if (head.byteLength < 12 || decodeLetters(head, 1, 6) !== "NUMPY") refuseBecause("not_numpy");
  const [begin, length] = head.getUint8(6) === 1 ? [10, head.getUint16(8, true)] : [12, head.getUint32(8, true)],
    header = decodeLetters(head, begin, begin + length),
    kind = /'descr':\s*('.*?'|\[.*\])\s*,/.exec(header)?.[1].replace(/^'|'$/g, ""),
    shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1].match(/\d+/g) ?? [];
  if (!kind || kind === "|O") refuseBecause("not_numpy");
  const form = kind.replace(/^[<|]/, ""),
    part = { c8: "f4", c16: "f8" }[form], // a complex number holds cosine and sine of a pair
    sizes = [...shape.map(Number), ...(part ? [2] : [])];
  if (!Object.hasOwn(NUMBERS, part ?? form)) refuseBecause("format", { name, form: kind.slice(0, 60) });
  const fortran = sizes.length > 1 && /'fortran_order':\s*True/.test(header);
  return [await readArray(blob, { name, form: part ?? form, shape: sizes, from: begin + length, fortran })];
}

// Read a zip archive: first the directory at its end, then the arrays that the directory lists
async function readNpz(blob, stem) {
  const end = await readBytes(blob, Math.max(0, blob.size - 65_557));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) refuseBecause("not_zip");
  const from = end.getUint32(at + 16, true),
    list = await readBytes(blob, from, from + end.getUint32(at + 12, true)),
    places = new Map();
  for (let place = 0; place < list.byteLength; ) {
    const [name, extra, comment] = [28, 30, 32].map((o) => list.getUint16(place + o, true));
    places.set(decodeLetters(list, place + 46, place + 46 + name).replace(/\.npy$/, ""), place);
    place += 46 + name + extra + comment;
  }
  const out = [],
    unnamed = places.size === 1 && places.has("arr_0"); // numpy's name for an array that was saved without one
  for (const name of chooseNames([...places.keys()])) {
    const place = places.get(name),
      packed = list.getUint16(place + 10, true) !== 0,
      [size, unpacked, local] = [20, 24, 42].map((o) => list.getUint32(place + o, true)),
      head = await readBytes(blob, local, local + 30),
      begin = local + 30 + head.getUint16(26, true) + head.getUint16(28, true),
      inside = blob.slice(begin, begin + size);
    if (unpacked > MAX_UNPACKED) refuseBecause("packed", { name: name.slice(0, 60) });
    const stream = () => inside.stream().pipeThrough(new DecompressionStream("deflate-raw"));
    out.push(...(await readNpy(packed ? await new Response(stream()).blob() : inside, unnamed ? stem : name)));
  }
  return out;
}

async function readText(blob) {
  if (blob.size > MAX_TEXT) refuseBecause("long_text");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
  } catch {
    return refuseBecause("not_text");
  }
}

// Read safetensors: eight bytes with the length of the header, the header (JSON with names, types, shapes and offsets),
// and the numbers
async function readSafetensors(blob) {
  const length = Number((await readBytes(blob, 0, 8)).getBigUint64(0, true));
  if (length > Math.min(1e8, blob.size - 8))
    refuse(`the file claims a header of ${length} bytes, but it has ${blob.size}`);
  const { __metadata__, ...header } = JSON.parse(await blob.slice(8, 8 + length).text()),
    out = [];
  for (const name of chooseNames(Object.keys(header))) {
    const { dtype, shape, data_offsets: place } = header[name],
      form = { BOOL: "b1" }[dtype] ?? dtype.toLowerCase().replace(/\d+/, (bits) => bits / 8);
    if (!Object.hasOwn(NUMBERS, form)) refuseBecause("format", { name: name.slice(0, 60), form: dtype.slice(0, 20) });
    if (product(shape) * NUMBERS[form][0].BYTES_PER_ELEMENT !== place[1] - place[0])
      refuse(`${name.slice(0, 60)} does not lie within the file`);
    out.push(await readArray(blob, { name, form, shape, from: 8 + length + place[0] }));
  }
  return out;
}
