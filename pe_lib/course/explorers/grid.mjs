// A grid of patches: the score of one with all others, for five ways to say where a patch is.
import { frequency } from "./maths.mjs";
import { dot, line, paint, redrawOn } from "./draw.mjs";
import { baseSlider, choice, decimals, element, fill, slider } from "./controls.mjs";

const TRAITS = ["scheme", "base", "row", "column", "down", "right"];
export const SIDE = 14, WIDTH = 64; // as in grid.py
const UP = 2, LEFT = 3, GOLDEN = 0.6180339887498949;
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const OPTIONS = [["numbered", "numbers, row by row"], ["coordinates", "row and column as two numbers"],
                 ["axial", "axial"], ["mixed", "many directions"], ["rotary", `rotary, looks ${UP} up and ${LEFT} left`]];

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const inside = (r, c) => r >= 0 && r < SIDE && c >= 0 && c < SIDE;

// The frequency vectors of the pairs, [radians per row, radians per column]; `angle(i)` turns both of length i
export function gridFrequencies(base, angle = () => 0) {
  const n = WIDTH / 4, lengths = Array.from({ length: n }, (_, i) => frequency(i, WIDTH / 2, base));
  return [...lengths.map((w, i) => [w * Math.cos(angle(i)), w * Math.sin(angle(i))]),
          ...lengths.map((w, i) => [-w * Math.sin(angle(i)), w * Math.cos(angle(i))])];
}

// What is multiplied: {queries, keys, width, most}, the vectors of all patches, one after another, and
// the largest product, that of the last key with itself
export function vectors(scheme, base) {
  const found = multiplied(scheme, base), last = found.keys.subarray(-found.width);
  return { ...found, most: last.reduce((sum, x) => sum + x * x, 0) };
}

function multiplied(scheme, base) {
  if (scheme === "coordinates") {
    const keys = Float64Array.from({ length: 2 * SIDE * SIDE }, (_, k) =>
      (k % 2 ? (k >> 1) % SIDE : Math.floor((k >> 1) / SIDE)) / (SIDE - 1));
    return { queries: keys, keys, width: 2 };
  }
  const pairs = scheme === "numbered"
    ? Array.from({ length: WIDTH / 2 }, (_, i) => frequency(i, WIDTH, base)).map((w) => [SIDE * w, w])
    : gridFrequencies(base, scheme === "mixed" ? (i) => (Math.PI / 2) * ((i * GOLDEN) % 1) : undefined);
  const table = (up, left) => {
    const out = new Float64Array(SIDE * SIDE * WIDTH);
    for (let k = 0; k < SIDE * SIDE; k++)
      pairs.forEach(([perRow, perColumn], i) => {
        const angle = perRow * (Math.floor(k / SIDE) - up) + perColumn * ((k % SIDE) - left);
        out[k * WIDTH + 2 * i] = Math.sin(angle);
        out[k * WIDTH + 2 * i + 1] = Math.cos(angle);
      });
    return out;
  };
  const keys = table(0, 0);
  return { queries: scheme === "rotary" ? table(UP, LEFT) : keys, keys, width: WIDTH };
}

// Patch `a` with patch `b`, numbered row by row: their dot product, divided by the largest
export function score({ queries, keys, width, most }, a, b) {
  let sum = 0;
  for (let c = 0, at = a * width, other = b * width; c < width; c++) sum += queries[at + c] * keys[other + c];
  return sum / most;
}

// The lowest and highest score of all pairs of patches at this offset; none fit beyond the grid's size
export function extent(table, down, right) {
  let low = Infinity, high = -Infinity;
  for (let r = 0; r < SIDE; r++)
    for (let c = 0; c < SIDE; c++)
      if (inside(r + down, c + right)) {
        const value = score(table, r * SIDE + c, (r + down) * SIDE + c + right);
        [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
  return [low, high];
}

function render({ model, el }) {
  const most = () => SIDE - 1;
  const sliders = [
    slider(model, { name: "row", label: "row", min: 0, max: most }),
    slider(model, { name: "column", label: "column", min: 0, max: most }),
    slider(model, { name: "down", label: "down", min: 1 - SIDE, max: most, text: (k) => decimals(k, 0) }),
    slider(model, { name: "right", label: "right", min: 1 - SIDE, max: most, text: (k) => decimals(k, 0) }),
    baseSlider(model, 3),
  ];
  const schemes = choice("where a patch is", OPTIONS, () => model.get("scheme"),
    (name) => { model.set("scheme", name); model.save_changes(); });
  const canvas = element("canvas", {
    class: "ex-canvas ex-grid", tabindex: 0, role: "application", "aria-roledescription": "grid of patches",
    "aria-label": "Map of the scores of one patch with all others. The arrow keys move the patch, with "
      + "Shift the second patch.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)), schemes.row, canvas, reading);

  const picture = element("canvas", { width: SIDE, height: SIDE }), pictureContext = picture.getContext("2d");
  const image = pictureContext.createImageData(SIDE, SIDE), pixels = new Uint32Array(image.data.buffer);
  let box = { x: 0, y: 0, cell: 1 }, table, tabled = "", spread, spreadOf = "";

  const put = (names, values, low) => {
    names.forEach((name, k) => model.set(name, clamp(values[k], low, SIDE - 1)));
    model.save_changes();
  };
  const movePatch = (r, c) => put(["row", "column"], [r, c], 0);
  const moveOther = (r, c) => put(["down", "right"], [r - model.get("row"), c - model.get("column")], 1 - SIDE);

  function draw(context, { width, height }, colour) {
    const [scheme, base, row, column, down, right] = TRAITS.map((name) => model.get(name));
    for (const part of [...sliders, schemes]) part.refresh();
    if (tabled !== (tabled = [scheme, base].join())) table = vectors(scheme, base);
    if (spreadOf !== (spreadOf = [tabled, down, right].join())) spread = extent(table, down, right);
    const mine = Array.from({ length: SIDE * SIDE }, (_, k) => score(table, row * SIDE + column, k));

    // The map beside or above the two curves
    const wide = width >= 520, room = wide ? Math.min(height - 44, 0.54 * width) : Math.min(width - 34, height - 190);
    box = { x: 28, y: 22, cell: Math.floor(room / SIDE) };
    const end = box.cell * SIDE, other = [row + down, column + right];
    const plots = [0, 1].map((n) => wide
      ? { x: box.x + end + 62, y: box.y + n * (end / 2 + 8), w: width - box.x - end - 76, h: end / 2 - 30 }
      : { x: 34 + n * (width / 2 + 4), y: box.y + end + 56, w: width / 2 - 44, h: height - end - 112 });

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };
    paint(mine.map((v) => clamp(v, -1, 1)), pixels);
    pictureContext.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, box.x, box.y, end, end);
    for (let k = 0; k < SIDE; k += wide ? 1 : 2) {
      label(k, box.x - 6, box.y + (k + 0.5) * box.cell, "right");
      label(k, box.x + (k + 0.5) * box.cell, box.y + end + 12, "center");
    }
    label("row ↓  column →", box.x, 10, "left");

    // A patch has a whole frame, the second one a broken one
    const frame = ([r, c], dashes) => {
      const [x, y] = [box.x + c * box.cell, box.y + r * box.cell], far = box.cell;
      for (const [style, thick] of [[colour.paper, 5], [colour.ink, 2.5]])
        line(context, style, thick, [[x, y], [x + far, y], [x + far, y + far], [x, y + far], [x, y], [x + far, y]],
          style === colour.ink ? dashes : []);
    };
    if (inside(...other)) frame(other, [4, 3]);
    frame([row, column], []);
    dot(context, colour, box.x + (column + 0.5) * box.cell, box.y + (row + 0.5) * box.cell);

    // The scores along the patch's row and along its column
    const curves = [[`along row ${row}`, column, (k) => row * SIDE + k, other[0] === row ? other[1] : -1],
                    [`along column ${column}`, row, (k) => k * SIDE + column, other[1] === column ? other[0] : -1]];
    curves.forEach(([name, own, patch, second], n) => {
      const plot = plots[n], at = (k) => plot.x + ((k + 0.5) / SIDE) * plot.w;
      const up = (v) => plot.y + plot.h * (0.5 - clamp(v, -1, 1) / 2);
      for (const v of [-1, 0, 1]) {
        line(context, colour.grid, 1, [[plot.x, up(v)], [plot.x + plot.w, up(v)]]);
        label(decimals(v, 0), plot.x - 6, up(v), "right");
      }
      label(name, plot.x, plot.y - 11, "left");
      line(context, n ? colour.orange : colour.blue, 2, Array.from({ length: SIDE }, (_, k) => [at(k), up(mine[patch(k)])]));
      if (second >= 0 && second < SIDE)
        line(context, colour.ink, 1, [[at(second), plot.y], [at(second), plot.y + plot.h]], [4, 3]);
      dot(context, colour, at(own), up(mine[patch(own)]));
    });
    tell(mine, row, column, down, right);
  }

  function tell(mine, row, column, down, right) {
    const [low, high] = spread, [r, c] = [row + down, column + right], own = row * SIDE + column;
    const top = Math.max(...mine.filter((_, k) => k !== own));
    const best = mine.flatMap((v, k) => (k !== own && v > top - 1e-9 ? [`(${Math.floor(k / SIDE)}, ${k % SIDE})`] : []));
    const steps = `${decimals(down, 0)} down, ${decimals(right, 0)} to the right`;
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Patch (${row}, ${column}) and ${steps}: `), inside(r, c)
        ? `(${r}, ${c}), score ${decimals(mine[r * SIDE + c])}. ` : `(${r}, ${c}), outside the grid. `.replaceAll("-", "−"),
        element("b", {}, high - low < 1e-9 ? "Every patch scores this at this offset."
          : `At this offset patches score from ${decimals(low, 2)} to ${decimals(high, 2)}.`)),
      element("p", {}, `Highest besides itself, ${decimals(top)}: ${best.slice(0, 4).join(", ")}${best.length > 4 ? " …" : ""}.`));
  }

  canvas.addEventListener("keydown", (event) => {
    const [down, right] = KEYS[event.key] ?? [];
    if (down === undefined) return;
    event.preventDefault();
    const [r, c] = [model.get("row"), model.get("column")];
    if (event.shiftKey) moveOther(r + model.get("down") + down, c + model.get("right") + right);
    else movePatch(r + down, c + right);
  });

  // On the patch a finger or the mouse holds it; elsewhere on the map it chooses the second patch
  const seen = (event) => {
    const at = canvas.getBoundingClientRect();
    return [(event.clientY - at.top - box.y) / box.cell, (event.clientX - at.left - box.x) / box.cell];
  };
  const onPatch = ([r, c]) =>
    Math.hypot(r - model.get("row") - 0.5, c - model.get("column") - 0.5) * box.cell < Math.max(box.cell * 0.7, 16);
  let held = false;
  canvas.addEventListener("touchstart", (event) => {
    if (onPatch(seen(event.changedTouches[0]))) event.preventDefault(); // it moves the patch, not the page
  }, { passive: false });
  const point = (event) => {
    const place = seen(event), [r, c] = place.map(Math.floor);
    if (event.type === "pointerdown" && (held = onPatch(place))) canvas.setPointerCapture(event.pointerId);
    if (!event.buttons) return;
    if (held) movePatch(r, c);
    else if (inside(r, c)) moveOther(r, c);
  };
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = false; });

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
