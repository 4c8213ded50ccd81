// A picture cut into patches: the score of one with all others, for five ways to say where a patch is.
/* global ABOUT */
import { clamp, frequency } from "../maths.mjs";
import { clock, dot, line, paint, redrawOn } from "../frame/draw.mjs";
import { baseSlider, bold, decimals, element, fill, menu, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { harbour } from "./harbour.mjs";
import { stage } from "../frame/stage.mjs";

const TRAITS = ["scheme", "base", "row", "column", "down", "right"];
export const SIDE = 14,
  WIDTH = 64; // as in grid.py
const UP = 2,
  LEFT = 3,
  GOLDEN = 0.6180339887498949;
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const OPTIONS = [
  ["numbered", "numbered"],
  ["coordinates", "two bare numbers"],
  ["axial", "axial"],
  ["mixed", "many directions"],
  ["rotary", "rotary head"],
];

const inside = (r, c) => r >= 0 && r < SIDE && c >= 0 && c < SIDE;

// The frequency vectors of the pairs, [radians per row, radians per column]; `angle(i)` turns both of length i
/** @param {number} base @param {(pair: number) => number} [angle] */
export function gridFrequencies(base, angle = () => 0) {
  const n = WIDTH / 4,
    lengths = Array.from({ length: n }, (_, i) => frequency(i, WIDTH / 2, base));
  return [
    ...lengths.map((w, i) => [w * Math.cos(angle(i)), w * Math.sin(angle(i))]),
    ...lengths.map((w, i) => [-w * Math.sin(angle(i)), w * Math.cos(angle(i))]),
  ];
}

// What is multiplied: {queries, keys, width, most}, the vectors of all patches, one after another, and
// the largest product, that of the last key with itself
export function vectors(scheme, base) {
  const found = multiplied(scheme, base),
    last = found.keys.subarray(-found.width);
  return { ...found, most: last.reduce((sum, x) => sum + x * x, 0) };
}

function multiplied(scheme, base) {
  if (scheme === "coordinates") {
    const keys = Float64Array.from(
      { length: 2 * SIDE * SIDE },
      (_, k) => (k % 2 ? (k >> 1) % SIDE : Math.floor((k >> 1) / SIDE)) / (SIDE - 1),
    );
    return { queries: keys, keys, width: 2 };
  }
  const pairs =
    scheme === "numbered"
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
  let low = Infinity,
    high = -Infinity;
  for (let r = 0; r < SIDE; r++)
    for (let c = 0; c < SIDE; c++)
      if (inside(r + down, c + right)) {
        const value = score(table, r * SIDE + c, (r + down) * SIDE + c + right);
        [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
  return [low, high];
}

// Of a patch the hands of its fastest pair: [name, angle, whether along the row], two, one for a number, or
// none for bare coordinates
export function hands(scheme, row, column) {
  if (scheme === "coordinates") return [];
  if (scheme === "numbered") return [[`number ${SIDE * row + column}`, SIDE * row + column, false]];
  return [
    [`row ${row}`, row, false],
    [`column ${column}`, column, true],
  ];
}

// Where things stand in a canvas of this size: the grid with a ruler of small clocks at two sides, and
// beside or below it the large clocks
export function layout(width, height) {
  const wide = width >= 560,
    ruler = 22;
  const cell = Math.floor(Math.min((height - ruler - (wide ? 4 : 80)) / SIDE, (width - ruler - 2) / SIDE));
  const side = SIDE * cell,
    x = wide ? ruler : Math.max(ruler, (width - side) / 2),
    y = ruler;
  const r = wide ? Math.min(74, (width - x - side) / 2 - 16) : 27,
    free = wide ? (width + x + side) / 2 : width / 2;
  const faces = [-1, 1].map((n) => ({
    r,
    x: wide ? free : free + 84 * n,
    y: wide ? y + side / 2 - 10 + n * (r + 18) : y + side + 9 + r,
  }));
  return { x, y, cell, side, faces, middle: { x: free, y: (faces[0].y + faces[1].y) / 2, r } };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const most = () => SIDE - 1,
    signed = (k) => decimals(k, 0);
  const sliders = [
    slider(model, { name: "row", label: "row", min: 0, max: most }),
    slider(model, { name: "column", label: "column", min: 0, max: most }),
    slider(model, { name: "down", label: "down", min: 1 - SIDE, max: most, text: signed }),
    slider(model, { name: "right", label: "right", min: 1 - SIDE, max: most, text: signed }),
    baseSlider(model, 3),
  ];
  const schemes = menu(
    "patches",
    OPTIONS,
    () => model.get("scheme"),
    (name) => {
      model.set("scheme", name);
      model.save_changes();
    },
  );
  const canvas = element("canvas", {
    class: "ex-canvas ex-grid",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "picture in patches",
    "aria-label":
      "A harbour with a lighthouse in 14 by 14 patches; colours show the score of one patch with each. " +
      "The arrow keys move the patch, with Shift the second patch.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  const fold = element(
    "details",
    { class: "ex-folded" },
    element("summary", {}, "more"),
    ...sliders.map((part) => part.row),
  );
  fill(el, element("div", { class: "ex-settings" }, schemes.row, fold), canvas, reading);

  const map = element("canvas", { width: SIDE, height: SIDE }),
    mapContext = map.getContext("2d");
  const image = mapContext.createImageData(SIDE, SIDE),
    pixels = new Uint32Array(image.data.buffer);
  const picture = element("canvas"),
    ratio = devicePixelRatio || 1;
  let at = layout(700, 400),
    table,
    tabled = "",
    spread,
    spreadOf = "";

  const put = (names, values, low) => {
    names.forEach((name, k) => model.set(name, clamp(values[k], low, SIDE - 1)));
    model.save_changes();
  };
  const movePatch = (r, c) => put(["row", "column"], [r, c], 0);
  const moveOther = (r, c) => put(["down", "right"], [r - model.get("row"), c - model.get("column")], 1 - SIDE);

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [scheme, base, row, column, down, right] = TRAITS.map((name) => model.get(name));
    for (const part of [...sliders, schemes]) part.refresh();
    if (tabled !== (tabled = [scheme, base].join())) table = vectors(scheme, base);
    if (spreadOf !== (spreadOf = [tabled, down, right].join())) spread = extent(table, down, right);
    const mine = Array.from({ length: SIDE * SIDE }, (_, k) => score(table, row * SIDE + column, k));
    at = layout(width, height);
    const there = [row + down, column + right],
      shown = inside(...there);

    // the picture, and over it the scores: white leaves it as it is
    if (picture.width !== Math.round(at.side * ratio)) {
      picture.width = picture.height = Math.round(at.side * ratio);
      harbour(picture.getContext("2d"), picture.width);
    }
    context.drawImage(picture, at.x, at.y, at.side, at.side);
    paint(
      mine.map((v) => clamp(v, -1, 1)),
      pixels,
    );
    mapContext.putImageData(image, 0, 0);
    Object.assign(context, { imageSmoothingEnabled: false, globalCompositeOperation: "multiply", globalAlpha: 0.85 });
    context.drawImage(map, at.x, at.y, at.side, at.side);
    Object.assign(context, { imageSmoothingEnabled: true, globalCompositeOperation: "source-over", globalAlpha: 1 });
    context.strokeStyle = "rgb(255 255 255 / 45%)";
    context.lineWidth = 1;
    context.beginPath();
    for (let k = 1; k < SIDE; k++) {
      context.moveTo(at.x + k * at.cell, at.y);
      context.lineTo(at.x + k * at.cell, at.y + at.side);
      context.moveTo(at.x, at.y + k * at.cell);
      context.lineTo(at.x + at.side, at.y + k * at.cell);
    }
    context.stroke();

    rulers(context, colour, scheme, row, column);
    if (shown) frame(context, ...there, [4, 3]);
    frame(context, row, column, []);
    faces(context, colour, scheme, [row, column], there, shown);
    tell(mine, row, column, down, right);
  }

  // Of each row and each column the hand, small; those of the patch in full colour
  function rulers(context, colour, scheme, row, column) {
    const r = Math.min(0.4 * at.cell, 9);
    for (let k = 0; k < SIDE; k++)
      for (const [own, across] of [
        [row, false],
        [column, true],
      ]) {
        const middle = (k + 0.5) * at.cell,
          place = across ? { x: at.x + middle, y: at.y - 11, r } : { x: at.x - 11, y: at.y + middle, r };
        const hand = across && scheme !== "numbered" ? colour.orange : colour.blue;
        context.globalAlpha = k === own ? 1 : 0.45;
        if (scheme === "coordinates")
          line(context, hand, 3, [
            [place.x - r, place.y],
            [place.x - r + 0.01 + (2 * r * k) / (SIDE - 1), place.y],
          ]);
        else
          clock(context, colour, place, scheme === "numbered" && !across ? SIDE * k : k, hand, k === own ? 2.5 : 1.5);
      }
    context.globalAlpha = 1;
  }

  function frame(context, r, c, dashes) {
    const [x, y] = [at.x + c * at.cell, at.y + r * at.cell],
      far = at.cell;
    /** @type {[style: string, thick: number][]} */
    const pens = [
      ["#fefefe", 5],
      ["#010101", 2.5],
    ];
    for (const [style, thick] of pens)
      line(
        context,
        style,
        thick,
        [
          [x, y],
          [x + far, y],
          [x + far, y + far],
          [x, y + far],
          [x, y],
          [x + far, y],
        ],
        style === "#010101" ? dashes : [],
      );
  }

  // The large clocks: the patch's hands whole, those of the second patch broken, the angle between them
  function faces(context, colour, scheme, own, there, shown) {
    Object.assign(context, { font: `13px ${colour.font}`, textBaseline: "middle", textAlign: "center" });
    const mine = hands(scheme, ...own),
      others = hands(scheme, ...there);
    if (!mine.length)
      [`row ${own[0]} of ${SIDE - 1}`, `column ${own[1]} of ${SIDE - 1}`].forEach((name, k) => {
        const { x, y, r } = at.faces[k];
        line(context, colour.grid, 6, [
          [x - r, y],
          [x + r, y],
        ]);
        line(context, k ? colour.orange : colour.blue, 6, [
          [x - r, y],
          [x - r + (2 * r * own[k]) / (SIDE - 1), y],
        ]);
        context.fillStyle = colour.ink;
        context.fillText(name, x, y + 20);
      });
    mine.forEach(([name, angle, across], k) => {
      const face = mine.length > 1 ? at.faces[k] : at.middle,
        hand = across ? colour.orange : colour.blue;
      if (shown) {
        const far = others[k][1],
          [low, high] = [Math.min(angle, far), Math.max(angle, far)];
        context.globalAlpha = 0.2;
        context.fillStyle = hand;
        context.beginPath();
        context.moveTo(face.x, face.y);
        context.arc(face.x, face.y, 0.6 * face.r, low - Math.PI / 2, Math.min(high, low + 2 * Math.PI) - Math.PI / 2);
        context.fill();
        context.globalAlpha = 1;
        line(
          context,
          hand,
          2,
          [
            [face.x, face.y],
            [face.x + face.r * Math.sin(far), face.y - face.r * Math.cos(far)],
          ],
          [4, 3],
        );
      }
      dot(context, colour, ...clock(context, colour, face, angle, hand, 3));
      context.fillStyle = colour.ink;
      context.fillText(name, face.x, face.y + face.r + 13);
    });
  }

  function tell(mine, row, column, down, right) {
    const [low, high] = spread,
      [r, c] = [row + down, column + right],
      own = row * SIDE + column;
    const top = Math.max(...mine.filter((_, k) => k !== own));
    const best = mine.flatMap((v, k) =>
      k !== own && v > top - 1e-9 ? [`(${Math.floor(k / SIDE)}, ${k % SIDE})`] : [],
    );
    const there = inside(r, c) ? `(${r}, ${c})` : "a patch outside",
      way = `${decimals(down, 0)} down and ${decimals(right, 0)} right`;
    const elsewhere =
      high - low < 1e-9 ? "the same everywhere" : `elsewhere from ${decimals(low, 2)} to ${decimals(high, 2)}`;
    const score = inside(r, c) ? ` score **${decimals(mine[r * SIDE + c])}**, ${elsewhere}.` : "";
    reading.replaceChildren(
      element("p", {}, ...bold(`**(${row}, ${column}) with ${there}**, ${way}:${score}`)),
      element(
        "p",
        {},
        `Highest besides itself, ${decimals(top)}: ${best.slice(0, 4).join(", ")}${best.length > 4 ? " …" : ""}.`,
      ),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const [down, right] = KEYS[event.key] ?? [];
    if (down === undefined) return;
    event.preventDefault();
    const [r, c] = [model.get("row"), model.get("column")];
    if (event.shiftKey) moveOther(r + model.get("down") + down, c + model.get("right") + right);
    else movePatch(r + down, c + right);
  });
  // The patch is dragged; elsewhere in the picture the second patch is
  const seen = ({ x, y }) => [(y - at.y) / at.cell, (x - at.x) / at.cell];
  drag(canvas, {
    grab(point) {
      const [r, c] = seen(point),
        near = Math.hypot(r - model.get("row") - 0.5, c - model.get("column") - 0.5) * at.cell;
      if (near < Math.max(0.7 * at.cell, 16)) return "patch";
      return inside(Math.floor(r), Math.floor(c)) ? "second" : undefined;
    },
    move(held, point) {
      const [r, c] = seen(point).map(Math.floor);
      if (held === "patch") movePatch(r, c);
      else if (inside(r, c)) moveOther(r, c);
    },
  });

  const box = (round, r) => ({
    x: round[0].x - r,
    y: round[0].y - r,
    w: round.at(-1).x - round[0].x + 2 * r,
    h: round.at(-1).y - round[0].y + 2 * r + 22,
  });
  const cell = (r, c) => ({ x: at.x + c * at.cell, y: at.y + r * at.cell, w: at.cell, h: at.cell });
  const around = () => (hands(model.get("scheme"), 0, 0).length > 1 ? at.faces : [at.middle]);
  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: {
      second: () => cell(model.get("row") + model.get("down"), model.get("column") + model.get("right")),
      hands: () => box(around(), at.middle.r),
    },
  };
}

export const done = {
  place: ({ row, column }) => (row === column ? "Found: where row and column are one number, on the diagonal." : ""),
  main: ({ scheme, down, right }) =>
    scheme === "rotary" && down === -UP && right === -LEFT
      ? "Found: two up and three to the left, score 1. Move the patch: it always looks there."
      : "",
};
export default stage(ABOUT, scene, { done, fits: ({ base }) => base > 1, play: { trait: "column", unit: 500 } });
