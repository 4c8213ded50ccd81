// A recorded training, played back: rows of the table move, similarity and attention form, the loss falls.
/* global ABOUT */
import { clamp } from "../maths.mjs";
import { TIDE, dot, line, redrawOn } from "../frame/draw.mjs";
import { bold, choice, decimals, element, fill, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageDown: -5, PageUp: 5, Home: -Infinity, End: Infinity };
const ROWS = 48,
  MOST = 2.5; // the loss is drawn up to this many nats

// All looks of a map, a byte a number, from base 64
export const unpacked = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// In how many rows of an attention map, but the first, the largest weight is one place back
export function backwards(map, length) {
  let count = 0;
  for (let t = 1; t < length; t++) {
    const row = Array.from(map.subarray(t * length, (t + 1) * length));
    if (row.indexOf(Math.max(...row)) === t - 1) count++;
  }
  return count;
}

// Where a row of the table is at a look, in the plane of the recording: [x, y], −reach to reach
export const place = (plane, reach, look, row) =>
  [0, 1].map((k) => reach * ((2 * plane[2 * (look * ROWS + row) + k]) / 255 - 1));

// The middle of all places that rows take, and how far they reach from it
export function frame(plane, reach) {
  const ends = [0, 1].map((k) => {
    const all = Array.from(plane)
      .filter((_, n) => n % 2 === k)
      .map((byte) => reach * ((2 * byte) / 255 - 1));
    return [Math.min(...all), Math.max(...all)];
  });
  return {
    middle: ends.map(([low, high]) => (low + high) / 2),
    half: 1.08 * Math.max(...ends.map(([low, high]) => (high - low) / 2)),
  };
}

// Where things stand: the loss above, the rows below it, and the two maps beside those
export function layout(width, height) {
  const wide = width >= 560,
    loss = { x: 30, y: 14, w: width - 40, h: wide ? 92 : 66 },
    top = loss.y + loss.h + 44;
  const side = Math.min(height - top - 22, wide ? (width - 60) / 2.7 : 0.62 * width);
  const small = wide ? Math.min(side, (width - side - 74) / 2) : Math.min((height - top - 64) / 2, width - side - 34);
  const left = wide ? side + 44 : width - small - 4;
  const maps = [0, 1].map((n) =>
    wide ? { x: left + n * (small + 26), y: top, side: small } : { x: left, y: top + n * (small + 42), side: small },
  );
  return { loss, rows: { x: 0, y: top, w: side, h: side }, maps };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const { length, steps, every, runs } = model.get("recording");
  const looks = runs[0].right.length,
    size = length * length;
  const maps = runs.map((run) => ({
    similarity: unpacked(run.similarity),
    attention: unpacked(run.attention),
    plane: unpacked(run.plane),
  }));
  const frames = runs.map((run, n) => frame(maps[n].plane, run.reach));
  const put = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const go = (look) => put("look", clamp(look, 0, looks - 1)),
    follow = (row) => put("row", clamp(row, 0, ROWS - 1));
  const shown = () => runs.findIndex(({ scheme }) => scheme === model.get("scheme"));

  const controls = [
    slider(model, {
      name: "look",
      label: "step",
      min: 0,
      max: () => looks - 1,
      text: (look) => String(look * every),
    }),
    choice(
      "table",
      runs.map(({ scheme }) => [scheme, scheme]),
      () => model.get("scheme"),
      (name) => put("scheme", name),
    ),
  ];
  const row = slider(model, { name: "row", label: "row", min: 0, max: () => ROWS - 1 });
  const canvas = element("canvas", {
    class: "ex-canvas ex-training",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "recorded training",
    "aria-label":
      "The loss of both trainings, the rows of the table as points that move, maps of similarity and " +
      "attention. Left and right arrow go a look back or on, up and down follow another row.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  const fold = element("details", { class: "ex-folded" }, element("summary", {}, "row"), row.row);
  fill(
    el,
    element(
      "div",
      { class: "ex-controls" },
      controls[0].row,
      element("div", { class: "ex-settings" }, controls[1].row, fold),
    ),
    canvas,
    reading,
  );

  const picture = element("canvas", { width: length, height: length }),
    pictureContext = picture.getContext("2d");
  const image = pictureContext.createImageData(length, length),
    pixels = new Uint32Array(image.data.buffer);
  let at = layout(700, 400),
    points = [];

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const look = model.get("look"),
      chosen = model.get("row"),
      n = shown();
    for (const part of [...controls, row]) part.refresh();
    at = layout(width, height);
    Object.assign(context, {
      font: `12px ${colour.font}`,
      textBaseline: "middle",
      lineCap: "round",
      lineJoin: "round",
    });
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    // --- the loss: what is still to come is pale
    const { x, y, w, h } = at.loss,
      atX = (step) => x + (step / steps) * w,
      atY = (loss) => y + h * (1 - Math.min(loss, MOST) / MOST);
    for (const v of [0, 1, 2]) {
      line(context, colour.grid, 1, [
        [x, atY(v)],
        [x + w, atY(v)],
      ]);
      label(v, x - 6, atY(v), "right");
    }
    for (const step of [0, steps / 4, steps / 2, (3 * steps) / 4]) label(step, atX(step), y + h + 12, "center");
    label(steps, x + w, y + h + 12, "right");
    runs.forEach((run, k) => {
      const each = steps / run.loss.length,
        tint = k ? colour.orange : colour.blue;
      const curve = run.loss.map((loss, i) => [atX((i + 0.5) * each), atY(loss)]);
      line(context, tint, k === n ? 2.5 : 1.2, curve, k ? [5, 3] : []);
      label(`${run.scheme} ${k ? "- -" : "—"}`, x + w, y + 4 + 16 * k, "right", tint);
    });
    label("loss (nats)", x + 4, y - 6, "left");
    line(context, colour.ink, 2, [
      [atX(look * every), y - 4],
      [atX(look * every), y + h],
    ]);
    dot(context, colour, atX(look * every), y + h);

    // --- the rows, with the paths that they have come; the one that is followed in front
    const box = at.rows,
      { middle, half } = frames[n];
    const spot = (when, r) => {
      const [right, up] = place(maps[n].plane, runs[n].reach, when, r).map((v, k) => (v - middle[k]) / half);
      return [box.x + (box.w / 2) * (1 + right), box.y + (box.h / 2) * (1 - up)];
    };
    points = Array.from({ length: ROWS }, (_, r) => spot(look, r));
    Object.assign(context, { strokeStyle: colour.grid, lineWidth: 1 });
    context.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
    if (model.get("scheme") === "sinusoidal") line(context, colour.grid, 2, points);
    else for (let r = 0; r < length; r++) if (r !== chosen) path(r, colour.blue, 1.6);
    function path(r, tint, thick) {
      line(
        context,
        tint,
        thick,
        Array.from({ length: look + 1 }, (_, when) => spot(when, r)),
      );
    }
    for (let r = ROWS - 1; r >= 0; r--) {
      context.fillStyle = r < length ? colour.blue : colour.muted;
      context.beginPath();
      const [x, y] = points[r];
      context.arc(x, y, r < length ? 3.5 : 2, 0, 2 * Math.PI);
      context.fill();
    }
    if (chosen < length) path(chosen, colour.orange, 3);
    dot(context, colour, ...points[chosen]);
    const [px, py] = points[chosen],
      right = px > box.x + box.w / 2;
    Object.assign(context, { strokeStyle: colour.paper, lineWidth: 5, textAlign: right ? "right" : "left" });
    const name = `row ${chosen}`;
    context.strokeText(name, px + (right ? -11 : 11), py);
    label(name, px + (right ? -11 : 11), py, right ? "right" : "left", colour.ink);
    label(`${model.get("scheme")} table, row by row`, box.x, box.y - 11, "left", colour.ink);

    // --- the maps, the row that is followed framed
    context.imageSmoothingEnabled = false;
    [
      ["similarity", "similarity"],
      ["attention", "attention"],
    ].forEach(([name, title], k) => {
      const { x: left, y: top, side } = at.maps[k],
        map = maps[n][name].subarray(look * size, (look + 1) * size),
        cell = side / length;
      // a similarity goes from −1 to 1, a weight from 0 to 1: both ends in the same colours
      for (let i = 0; i < size; i++) pixels[i] = TIDE[name === "similarity" ? map[i] : 128 + (map[i] >> 1)];
      pictureContext.putImageData(image, 0, 0);
      context.drawImage(picture, left, top, side, side);
      label(title, left, top - 11, "left", colour.ink);
      for (const p of [0, length - 1]) {
        label(p, left - 4, top + (p + 0.5) * cell, "right");
        label(p, left + (p + 0.5) * cell, top + side + 9, "center");
      }
      if (chosen >= length) return;
      Object.assign(context, { strokeStyle: "#010101", lineWidth: 1.5 });
      context.strokeRect(left, top + chosen * cell, side, cell);
    });
    tell(look, chosen, n);
  }

  function tell(look, chosen, n) {
    const run = runs[n],
      now = (name) => maps[n][name].subarray(look * size, (look + 1) * size);
    let near = 0;
    for (let t = 1; t < length; t++) near += (now("similarity")[t * length + t - 1] / 127.5 - 1) / (length - 1);
    const far = Math.hypot(
      ...[0, look]
        .map((when) => place(maps[n].plane, run.reach, when, chosen))
        .reduce((a, b) => [b[0] - a[0], b[1] - a[1]]),
    );
    const right = `**Step ${look * every}:** ${Math.round(100 * run.right[look])} % right`,
      rows = `**${backwards(now("attention"), length)} of ${length - 1}** rows`;
    reading.replaceChildren(
      element("p", {}, ...bold(`${right}, looks one back in ${rows}, neighbours’ similarity ${decimals(near, 2)}.`)),
      element(
        "p",
        {},
        ...bold(
          far
            ? `**Row ${chosen}** has moved by ${decimals(far, 2)} in this plane.`
            : chosen >= length && run.scheme === "learned"
              ? `**Row ${chosen}** has not moved: no text reached it.`
              : `**Row ${chosen}** has not moved.`,
        ),
      ),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const row = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!(event.key in KEYS) && !row) return;
    event.preventDefault();
    if (row) follow(model.get("row") + row);
    else go(model.get("look") + KEYS[event.key]);
  });
  // The loss is scrubbed; a row is taken hold of where it lies
  drag(canvas, {
    grab: ({ x, y }) => {
      if (y < at.loss.y + at.loss.h + 22) return "loss";
      return x <= at.rows.x + at.rows.w ? "rows" : undefined;
    },
    move(held, { x, y }) {
      if (held === "loss") return go(Math.round((((x - at.loss.x) / at.loss.w) * steps) / every));
      const gaps = points.map((point) => Math.hypot(point[0] - x, point[1] - y));
      follow(gaps.indexOf(Math.min(...gaps)));
    },
  });

  const square = ({ x, y, side }) => ({ x, y, w: side, h: side });
  return {
    stop: redrawOn(model, ["look", "scheme", "row"], el, canvas, draw),
    parts: { rows: () => at.rows, similarity: () => square(at.maps[0]), attention: () => square(at.maps[1]) },
  };
}

export const done = {
  main({ recording: { length, every, runs }, scheme, look }) {
    const map = unpacked(runs.find((run) => run.scheme === "sinusoidal").attention),
      size = length * length;
    const first = runs[0].right.findIndex(
      (_, k) => backwards(map.subarray(k * size, (k + 1) * size), length) === length - 1,
    );
    return scheme === "sinusoidal" && look === first
      ? `Found: step ${look * every}. The learned table was there at step 64.`
      : "";
  },
};
/** @param {Values} state */
const last = ({ recording }) => recording.runs[0].right.length - 1;
export default stage(ABOUT, scene, {
  done,
  fits: (state) => state.look <= last(state),
  play: { trait: "look", unit: 240, high: last },
});
