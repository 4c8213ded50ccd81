// Small charts side by side on one canvas: a square map in colours, and curves over an axis.
import { TIDE, line, ticks } from "../frame/draw.mjs";

// `count` cells of equal width, two in a row on a phone: [{ x, y, w, h }]
export function cells(width, height, count) {
  const columns = width > 560 ? count : 2,
    rows = Math.ceil(count / columns),
    gap = 14;
  const w = (width - gap * (columns - 1)) / columns,
    h = height / rows;
  return Array.from({ length: count }, (_, n) => ({
    x: (n % columns) * (w + gap),
    y: Math.floor(n / columns) * h,
    w,
    h,
  }));
}

export function label(context, colour, text, x, y, align = "left", style = colour.muted) {
  Object.assign(context, { fillStyle: style, textAlign: align, textBaseline: "middle" });
  context.font = `12px ${colour.font}`;
  context.fillText(text, x, y);
}

// A square map of numbers from −1 to 1, (size, size), as a picture of its own
export function mapPicture() {
  const picture = document.createElement("canvas"),
    own = picture.getContext("2d");
  return (values, size) => {
    if (picture.width !== size || picture.height !== size) Object.assign(picture, { width: size, height: size });
    const image = own.createImageData(size, size),
      pixels = new Uint32Array(image.data.buffer);
    for (let k = 0; k < values.length; k++) pixels[k] = TIDE[(Math.max(-1, Math.min(values[k], 1)) * 127.5 + 128) | 0];
    own.putImageData(image, 0, 0);
    return picture;
  };
}

// The map in its cell, below its title, with positions on both sides; returns the square it fills
export function drawMap(context, colour, cell, title, picture, size) {
  label(context, colour, title, cell.x, cell.y + 8, "left", colour.ink);
  const side = Math.min(cell.w - 20, cell.h - 38),
    x = cell.x + 20,
    y = cell.y + 20;
  context.strokeStyle = colour.grid;
  context.strokeRect(x - 0.5, y - 0.5, side + 1, side + 1);
  if (!picture) return { x, y, w: side, h: side };
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, x, y, side, side);
  for (const p of ticks(size, 4)) {
    label(context, colour, p, x - 4, y + ((p + 0.5) * side) / size, "right");
    label(context, colour, p, x + ((p + 0.5) * side) / size, y + side + 9, "center");
  }
  return { x, y, w: side, h: side };
}

// Axes in a cell: x from `from` to `to`, y from 0 to `most` with the `marks` given as [value, text].
// Returns where the plot is, and the way from numbers to pixels.
export function drawAxes(context, colour, cell, title, { from = 0, to, xs, most, marks }) {
  label(context, colour, title, cell.x, cell.y + 8, "left", colour.ink);
  const x = cell.x + 30,
    y = cell.y + 20,
    w = cell.w - 38,
    h = cell.h - 38;
  const atX = (v) => x + ((v - from) / (to - from)) * w,
    atY = (v) => y + h - (Math.min(v, most) / most) * h;
  for (const [value, text] of marks) {
    line(context, colour.grid, 1, [
      [x, atY(value)],
      [x + w, atY(value)],
    ]);
    label(context, colour, text, x - 4, atY(value), "right");
  }
  for (const v of xs) label(context, colour, v, atX(v), y + h + 9, "center");
  return { x, y, w, h, atX, atY };
}
