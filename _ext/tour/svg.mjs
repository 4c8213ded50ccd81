// A picture as plain data, { tag, a, kids }: made by a scene, printed while building, patched in a page.
/* global WIDTHS */

export const h = (tag, a, ...kids) => ({ tag, a: a ?? {}, kids: kids.flat(4).filter((kid) => kid !== undefined) });

// A tenth of a pixel is enough
export const round = (x) => (typeof x === "number" ? Math.round(10 * x) / 10 : x);

// A path's data: d`M${x} ${y}L${u} ${v}`
export const d = (parts, ...numbers) => parts.reduce((all, part, k) => all + round(numbers[k - 1]) + part);

export const through = (points) => `M${points.map((point) => point.map(round).join(" ")).join("L")}`;

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// The tree as markup
export function print(tree) {
  if (typeof tree !== "object") return escaped(tree);
  const attributes = Object.entries(tree.a).map(([name, value]) => ` ${name}="${escaped(round(value))}"`);
  return `<${tree.tag}${attributes.join("")}>${tree.kids.map(print).join("")}</${tree.tag}>`;
}

// Words of this size in lines of this width: where each begins and how wide it is. A tree is made without
// a page, so the widths of the letters come from the face itself, in ems.
export function typeset(words, size, width = Infinity, lead = 0) {
  let x = 0,
    y = 0;
  return words.map((word) => {
    const w = size * [...word].reduce((sum, letter) => sum + WIDTHS[letter], 0);
    if (x + w > width + 1) {
      x = 0;
      y += lead;
    }
    const at = { x, y, w };
    x += w + size * WIDTHS[" "];
    return at;
  });
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
