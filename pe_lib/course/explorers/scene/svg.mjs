// A picture as plain data, { tag, a, kids }: made by a scene, printed while building, patched in a page.

export const h = (tag, a, ...kids) => ({ tag, a: a ?? {}, kids: kids.flat(9).filter((kid) => kid !== undefined) });

export const group = (...kids) => h("g", {}, ...kids);

// What a scene draws, as one tree: it may draw a list of parts
export const whole = (drawn) => (Array.isArray(drawn) ? group(drawn) : drawn);

// A reading as one line of plain text
export const plain = (reading) =>
  reading
    .replace(/\*\*|\[|\]\(.*?\)/g, "")
    .replace(/\^(.*?)\^/g, "^($1)")
    .replaceAll("\n", " ");

// The sentence that stands for a scene's picture
export const sentence = ({ shows, reading }, state) => `${shows} ${plain(reading(state))}`;

// A tenth of a pixel is enough
export const round = (x) => (typeof x === "number" ? Math.round(10 * x) / 10 : x);

// A path's data: d`M${x} ${y}L${u} ${v}`
export const d = (parts, ...numbers) => parts.reduce((all, part, k) => all + round(numbers[k - 1]) + part);

export const through = (points) => `M${points.map((point) => point.map(round).join(" ")).join("L")}`;

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// Marks; scene.css says what their classes look like. A path's data may come in pieces.
export const line = (x1, y1, x2, y2, c, more) => h("line", { class: c, x1, y1, x2, y2, ...more });
export const ring = (cx, cy, r, c = "l-grid") => h("circle", { class: c, cx, cy, r });
export const rect = (x, y, width, height, c, more) => h("rect", { class: c, x, y, width, height, ...more });
export const path = (c, data, more) => h("path", { class: c, ...more, d: [data].flat().join("") });
export const text = (x, y, c, says, more) => h("text", { x, y, class: c, ...more }, says);

// A scene's parts, each a box or [x, y, width, height] of what its layout says
export const boxes = (layout, parts) =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      (s, size) => {
        const box = part(layout(s, size), size, s);
        if (!Array.isArray(box)) return box; // where there is one
        const [x, y, w, h] = box;
        return { x, y, w, h };
      },
    ]),
  );

// Parts that the layout holds under these names
export const named = (layout, names) =>
  boxes(layout, Object.fromEntries(names.split(" ").map((name) => [name, (at) => at[name]])));

// About how wide words are in the explorers' face: a tree is made without a page
export const wide = (says, size = 13) => 0.56 * size * String(says).length;

// How a number is seen: the colours, which of them, and how much of it
export const LOOKS = {
  encoding: { hues: ["blue", "orange"], hue: (_, column) => column % 2, depth: (v) => (1 + v) / 2 }, // sine, cosine
  signed: { hues: ["teal", "rose"], hue: (v) => Number(v > 0), depth: Math.abs }, // −1 to 1
  shares: { hues: ["purple"], hue: (_) => 0, depth: (v) => v }, // 0 to 1
  counts: { hues: ["muted"], hue: (_) => 0, depth: (v) => v }, // 0 to 1
};

// A number as the looks of a rectangle; `most` is how dark it gets where something is written on it
export function shade(value, as, column = 0, most = 1) {
  const { hues, hue, depth } = LOOKS[as];
  return { class: `f-${hues[hue(value, column)]}`, "fill-opacity": Math.round(1000 * most * depth(value)) / 1000 };
}

// Numbers row by row as cells of one of the LOOKS, however many: a canvas in the page, one picture on paper. The page
// paints them anew when they are another array, so a scene keeps the one it has while nothing changes.
export const table = (x, y, width, height, columns, values, as) =>
  h("table", { x, y, width, height, columns, values, as });

// The same on paper: for each colour a mask of depths
function masked({ x, y, width, height, columns, values, as }) {
  const { hues, hue, depth } = LOOKS[as],
    place = { x, y, width, height },
    rows = values.length / columns;
  const layer = (name, n) => {
    const deep = (v, column) => (hue(v, column) === n ? 2 * depth(v) - 1 : -1),
      href = bitmap(columns, rows, (row, column) => deep(values[row * columns + column], column));
    let id = 0;
    // what is alike, in the same place, may share it
    for (const letter of href + Object.values(place)) id = (Math.imul(id, 31) + letter.charCodeAt(0)) >>> 0;
    const image = h("image", { href, ...place, preserveAspectRatio: "none", class: "pixels" });
    return [
      h("mask", { id: `t${id}`, maskUnits: "userSpaceOnUse", ...place }, image),
      h("rect", { class: `f-${name}`, ...place, mask: `url(#t${id})` }),
    ];
  };
  return group(hues.map(layer));
}

// Numbers on their way to where they belong: two thirds of it in `pace` milliseconds, and the one at `held` at once. The
// same array when all are there.
export function toward(shown, targets, ms, { pace = 140, held = -1 } = {}) {
  if (shown?.length !== targets.length) return targets;
  if (targets.every((to, k) => shown[k] === to)) return shown;
  const share = 1 - Math.exp(-ms / pace),
    near = (to, k) => k === held || Math.abs(to - shown[k]) < 0.004;
  return targets.map((to, k) => (near(to, k) ? to : shown[k] + share * (to - shown[k])));
}

// The tree as markup
export function print(tree) {
  if (typeof tree !== "object") return escaped(tree);
  if (Array.isArray(tree)) return print(group(tree));
  if (tree.tag === "table") return print(masked(tree.a));
  const attributes = Object.entries(tree.a)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(round(value))}"`);
  return `<${tree.tag}${attributes.join("")}>${tree.kids.map(print).join("")}</${tree.tag}>`;
}

// Numbers from −1 to 1 as the brightness of pixels: a table of any size in one attribute. A BMP needs no checksum.
export function bitmap(columns, rows, value) {
  const line = 4 * Math.ceil((3 * columns) / 4); // each line of pixels is filled up to four bytes
  const bytes = new Uint8Array(54 + line * rows),
    view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4d42, true); // "BM"
  for (const [at, n] of [
    [2, bytes.length],
    [10, 54],
    [14, 40],
    [18, columns],
    [22, -rows],
    [26, 1 | (24 << 16)],
  ])
    view.setInt32(at, n, true);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++)
      bytes.fill(Math.round(127.5 * (1 + value(y, x))), 54 + y * line + 3 * x, 57 + y * line + 3 * x);
  return `data:image/bmp;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
