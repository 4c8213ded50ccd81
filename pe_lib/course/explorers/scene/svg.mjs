// A picture as plain data, { tag, a, kids }: made by a scene, printed while building, patched in a page.

export const h = (tag, a, ...kids) => ({ tag, a: a ?? {}, kids: kids.flat(4).filter((kid) => kid !== undefined) });

// A tenth of a pixel is enough
export const round = (x) => (typeof x === "number" ? Math.round(10 * x) / 10 : x);

// A path's data: d`M${x} ${y}L${u} ${v}`
export const d = (parts, ...numbers) => parts.reduce((all, part, k) => all + round(numbers[k - 1]) + part);

export const through = (points) => `M${points.map((point) => point.map(round).join(" ")).join("L")}`;

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// Marks; scene.css says what their classes look like
export const line = (x1, y1, x2, y2, c, more) => h("line", { class: c, x1, y1, x2, y2, ...more });
export const ring = (cx, cy, r, c = "l-grid") => h("circle", { class: c, cx, cy, r });
export const text = (x, y, c, says, more) => h("text", { x, y, class: c, ...more }, says);

// The tree as markup
export function print(tree) {
  if (typeof tree !== "object") return escaped(tree);
  const attributes = Object.entries(tree.a).map(([name, value]) => ` ${name}="${escaped(round(value))}"`);
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
  return `data:image/bmp;base64,${btoa(String.fromCharCode(...bytes))}`;
}
