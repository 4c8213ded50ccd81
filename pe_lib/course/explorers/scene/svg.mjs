// Builds pictures as plain data, { tag, a, kids }, that node can print and a page can display.

/** @type {(tag: string, a?: Values, ...kids: Marks[]) => Tree} */
export const h = (tag, a, ...kids) => ({
  tag,
  a: a ?? {},
  kids: /** @type {any[]} */ (kids).flat(9).filter((kid) => kid !== undefined),
});

/** @type {(...kids: Marks[]) => Tree} */
export const group = (...kids) => h("g", {}, ...kids);

// Return the drawing of a scene as one tree, because a scene may draw a list of parts.
/** @type {(marks: Tree | Marks[]) => Tree} */
export const asTree = (marks) => (Array.isArray(marks) ? group(marks) : /** @type {Tree} */ (marks));

// Return a reading as a single line of plain text.
/** @type {(reading: string) => string} */
export const plainText = (reading) =>
  reading
    .replace(/\*\*|\[|\]\(.*?\)/g, "")
    .replace(/\^(.*?)\^/g, "^($1)")
    .replaceAll("\n", " ");

// Return the sentence that describes a scene's picture.
/** @type {(scene: { shows: string | ((s: State) => string), reading: (s: State) => string }, state: State) => string} */
export const sentence = ({ shows, reading }, state) =>
  `${typeof shows === "string" ? shows : shows(state)} ${plainText(reading(state))}`;

// Round a number to a tenth of a pixel, because smaller differences are invisible; other values stay as they are.
/** @type {(x: any) => any} */
export const round = (x) => (typeof x === "number" ? Math.round(10 * x) / 10 : x);

// Build the data of a path from a template, as in d`M${x} ${y}L${u} ${v}`.
/** @type {(parts: TemplateStringsArray, ...numbers: number[]) => string} */
export const d = (parts, ...numbers) => parts.reduce((all, part, k) => all + round(numbers[k - 1]) + part);

/** @type {(points: number[][]) => string} */
export function through(points) {
  let data = "";
  for (const [x, y] of points) data += `${data ? "L" : "M"}${round(x)} ${round(y)}`;
  return data || "M";
}

/** @type {(text: any) => string} */
const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// Marks with classes that scene.css defines. The data of a path may be a list of strings.
/** @type {(x1: number, y1: number, x2: number, y2: number, c?: string, more?: Values) => Tree} */
export const line = (x1, y1, x2, y2, c, more) => h("line", { class: c, x1, y1, x2, y2, ...more });
/** @type {(cx: number, cy: number, r: number, c?: string) => Tree} */
export const ring = (cx, cy, r, c = "l-grid") => h("circle", { class: c, cx, cy, r });
/** @type {(x: number, y: number, width: number, height: number, c?: string, more?: Values) => Tree} */
export const rect = (x, y, width, height, c, more) => h("rect", { class: c, x, y, width, height, ...more });
/** @type {(c: string, data: string | string[], more?: Values) => Tree} */
export const path = (c, data, more) => h("path", { class: c, ...more, d: [data].flat().join("") });
/** @type {(x: number, y: number, c: string, says: any, more?: Values) => Tree} */
export const text = (x, y, c, says, more) => h("text", { x, y, class: c, ...more }, says);

// Return the parts of a scene as functions that return a box.
// For each part, `parts` has a function of the layout that returns [x, y, width, height], or undefined for no part.
/** @type {(layout: (s: State, size: Size) => any, parts: Record<string, (at: any, size: Size, s: State) => any>) => Parts} */
export const boxes = (layout, parts) =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      (s, size) => {
        const box = part(layout(s, size), size, s);
        if (!Array.isArray(box)) return box;
        const [x, y, w, h] = box;
        return { x, y, w, h };
      },
    ]),
  );

// Return the parts that the layout stores under these names.
/** @type {(layout: (s: State, size: Size) => any, names: string[]) => Parts} */
export const partsOf = (layout, names) =>
  boxes(layout, Object.fromEntries(names.map((name) => [name, (at) => at[name]])));

// Estimate the width of a text in the explorers' font, because a tree is built without a page that could measure it.
/** @type {(says: any, size?: number) => number} */
export const textWidth = (says, size = 13) => 0.56 * size * String(says).length;

// The looks of tables: their colours, the colour of each number, and how deep the colour is
/** @type {Record<string, { hues: string[], hue: (v: number, column: number) => number, depth: (v: number) => number }>} */
export const LOOKS = {
  encoding: { hues: ["blue", "orange"], hue: (_, column) => column % 2, depth: (v) => (1 + v) / 2 }, // sine, cosine
  signed: { hues: ["teal", "rose"], hue: (v) => Number(v > 0), depth: Math.abs }, // values from −1 to 1
  shares: { hues: ["purple"], hue: (_) => 0, depth: (v) => v }, // values from 0 to 1
  counts: { hues: ["muted"], hue: (_) => 0, depth: (v) => v }, // values from 0 to 1
};

// Return the attributes of a rectangle that shows a number. Text is readable on depths up to `most`.
/** @type {(value: number, as: string, column?: number, most?: number) => Values} */
export function shade(value, as, column = 0, most = 1) {
  const { hues, hue, depth } = LOOKS[as];
  return { class: `f-${hues[hue(value, column)]}`, "fill-opacity": Math.round(1000 * most * depth(value)) / 1000 };
}

// Draw numbers, row by row, as cells with one of the LOOKS: a canvas in the page, or a single picture in print.
// The page paints the cells again when `values` is another array, so a scene keeps its array while nothing changes.
/** @type {(x: number, y: number, w: number, h: number, columns: number, values: any, as: string) => Tree} */
export const table = (x, y, width, height, columns, values, as) =>
  h("table", { x, y, width, height, columns, values, as });

// Draw a table for print: a rectangle for each colour, with a mask that holds the depths of the numbers.
/** @type {(attributes: Values) => Tree} */
function printableTable({ x, y, width, height, columns, values, as }) {
  const { hues, hue, depth } = LOOKS[as],
    place = { x, y, width, height },
    rows = values.length / columns;
  /** @type {(name: string, index: number) => Marks[]} */
  const layer = (name, index) => {
    /** @type {(v: number, column: number) => number} */
    const brightness = (v, column) => (hue(v, column) === index ? 2 * depth(v) - 1 : -1),
      href = bitmap(columns, rows, (row, column) => brightness(values[row * columns + column], column));
    let id = 0; // a hash, so that masks share an id only if they have the same numbers at the same place
    for (const letter of href + Object.values(place)) id = (Math.imul(id, 31) + letter.charCodeAt(0)) >>> 0;
    const image = h("image", { href, ...place, preserveAspectRatio: "none", class: "pixels" });
    return [
      h("mask", { id: `t${id}`, maskUnits: "userSpaceOnUse", ...place }, image),
      h("rect", { class: `f-${name}`, ...place, mask: `url(#t${id})` }),
    ];
  };
  return group(hues.map(layer));
}

// Move numbers towards their targets, by two thirds of the distance in `pace` milliseconds.
// The number at the index `held` is there at once. Return the same array if all numbers have arrived.
/** @type {(numbers: number[] | undefined, targets: number[], ms: number, how?: { pace?: number, held?: number }) => number[]} */
export function toward(numbers, targets, ms, { pace = 140, held: index = -1 } = {}) {
  if (numbers?.length !== targets.length) return targets;
  if (targets.every((target, k) => numbers[k] === target)) return numbers;
  const share = 1 - Math.exp(-ms / pace);
  return targets.map((target, k) => {
    const way = target - numbers[k];
    return k === index || Math.abs(way) < 0.004 ? target : numbers[k] + share * way;
  });
}

// Return the tree as SVG markup.
/** @type {(tree: any) => string} */
export function print(tree) {
  if (typeof tree !== "object") return escapeText(tree);
  if (Array.isArray(tree)) return print(group(tree));
  if (tree.tag === "table") return print(printableTable(tree.a));
  const attributes = Object.entries(tree.a)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeText(round(value))}"`);
  return `<${tree.tag}${attributes.join("")}>${tree.kids.map(print).join("")}</${tree.tag}>`;
}

// Encode numbers from −1 to 1 as the brightness of pixels in a data URL, as a BMP because BMP needs no checksum.
/** @type {(columns: number, rows: number, value: (row: number, column: number) => number) => string} */
export function bitmap(columns, rows, value) {
  const line = 4 * Math.ceil((3 * columns) / 4); // each line of pixels is padded to a multiple of four bytes
  const bytes = new Uint8Array(54 + line * rows),
    view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4d42, true); // "BM"
  for (const [offset, number] of [
    [2, bytes.length],
    [10, 54], // the offset of the pixels
    [14, 40], // the length of this header
    [18, columns],
    [22, -rows], // a negative height means that rows run from top to bottom
    [26, 1 | (24 << 16)], // one plane, with 24 bits per pixel
  ])
    view.setInt32(offset, number, true);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++)
      bytes.fill(Math.round(127.5 * (1 + value(y, x))), 54 + y * line + 3 * x, 57 + y * line + 3 * x);
  return `data:image/bmp;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
