// A recorded training, played back: loss, similarity of positions, and attention, step by step.
import { TIDE, line, redrawOn } from "./draw.mjs";
import { decimals, element, fill, slider } from "./controls.mjs";

const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5,
               Home: -Infinity, End: Infinity };

// All looks of a map, a byte a number, from base 64
export const unpacked = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// In how many rows of an attention map, but the first, the largest weight is one place back
export function backwards(map, length) {
  let count = 0;
  for (let t = 1; t < length; t++) {
    const row = Array.from(map.subarray(t * length, (t + 1) * length));
    count += row.indexOf(Math.max(...row)) === t - 1;
  }
  return count;
}

function render({ model, el }) {
  const { length, steps, every, runs } = model.get("recording");
  const looks = runs[0].right.length, size = length * length;
  const maps = runs.map((run) => ({ similarity: unpacked(run.similarity), attention: unpacked(run.attention) }));
  const inside = (look) => Math.min(Math.max(look, 0), looks - 1);
  const put = (look) => { model.set("look", inside(look)); model.save_changes(); };

  const scrub = slider(model, { name: "look", label: "step", min: 0, max: () => looks - 1,
                                text: (look) => String(look * every) });
  let timer;
  const play = element("button", { class: "ex-button", type: "button" }, "play");
  const stopPlaying = () => { clearInterval(timer); timer = undefined; play.textContent = "play"; };
  play.addEventListener("click", () => {
    if (timer) return stopPlaying();
    if (model.get("look") === looks - 1) put(0);
    play.textContent = "stop";
    timer = setInterval(() => {
      put(model.get("look") + 1);
      if (model.get("look") === looks - 1) stopPlaying();
    }, 160);
  });
  const canvas = element("canvas", {
    class: "ex-canvas ex-training", tabindex: 0, role: "application", "aria-roledescription": "recorded training",
    "aria-label": "Maps of similarity and attention, and the loss of both trainings. The arrow keys go a look "
      + "back or on, Home and End to the start and the end.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-playing" }, scrub.row, play), canvas, reading);

  const picture = Object.assign(document.createElement("canvas"), { width: length, height: length });
  const pictureContext = picture.getContext("2d"), image = pictureContext.createImageData(length, length);
  const pixels = new Uint32Array(image.data.buffer);
  let curve = { x: 0, w: 1 };

  function draw(context, { width, height }, colour) {
    const look = model.get("look"), columns = width > 560 ? 4 : 2, rows = 4 / columns;
    scrub.refresh();
    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.ink) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    const cell = width / columns, side = cell - 26;
    context.imageSmoothingEnabled = false;
    runs.forEach((run, n) => ["similarity", "attention"].forEach((name, k) => {
      const place = 2 * n + k, x = (place % columns) * cell + 20, y = Math.floor(place / columns) * (side + 52) + 34;
      const map = maps[n][name].subarray(look * size, (look + 1) * size);
      // a similarity goes from −1 to 1, a weight from 0 to 1: both ends in the same colours
      for (let i = 0; i < size; i++) pixels[i] = TIDE[name === "similarity" ? map[i] : 128 + (map[i] >> 1)];
      pictureContext.putImageData(image, 0, 0);
      context.drawImage(picture, x, y, side, side);
      label(run.scheme, x, y - 24, "left");
      label(name === "similarity" ? "similarity of positions" : columns > 2 ? "attention: row to column" : "attention", x, y - 9, "left", colour.muted);
      for (const p of [0, 5, 10, 15].filter((p) => p < length)) {
        label(p, x - 4, y + ((p + 0.5) * side) / length, "right", colour.muted);
        label(p, x + ((p + 0.5) * side) / length, y + side + 9, "center", colour.muted);
      }
    }));

    const top = rows * (side + 52) + 24, bottom = height - 22;
    curve = { x: 40, w: width - 52, top };
    const most = 3, atX = (step) => curve.x + (step / steps) * curve.w;
    const atY = (loss) => bottom - (Math.min(loss, most) / most) * (bottom - top);
    for (const v of [0, 1, 2, 3]) {
      line(context, colour.grid, 1, [[curve.x, atY(v)], [curve.x + curve.w, atY(v)]]);
      label(v, curve.x - 6, atY(v), "right", colour.muted);
    }
    for (const step of [0, steps / 4, steps / 2, (3 * steps) / 4, steps]) label(step, atX(step), bottom + 12, "center", colour.muted);
    label("loss (nats)", curve.x, top - 10, "left", colour.muted);
    runs.forEach((run, n) => {
      const each = steps / run.loss.length, tint = n ? colour.orange : colour.blue;
      line(context, tint, 2, run.loss.map((loss, k) => [atX((k + 0.5) * each), atY(loss)]), n ? [5, 3] : []);
      label(`${run.scheme} ${n ? "- -" : "—"}`, curve.x + curve.w, top + 8 + 16 * n, "right", tint);
    });
    line(context, colour.ink, 1, [[atX(look * every), top - 4], [atX(look * every), bottom]]);
    tell(look);
  }

  function tell(look) {
    reading.replaceChildren(element("p", {}, element("b", {}, `Step ${look * every} of ${steps}`)),
      ...runs.map((run, n) => {
        const map = (name) => maps[n][name].subarray(look * size, (look + 1) * size);
        let near = 0;
        for (let t = 1; t < length; t++) near += (map("similarity")[t * length + t - 1] / 127.5 - 1) / (length - 1);
        return element("p", {}, element("b", {}, `${run.scheme}: `),
          `${Math.round(100 * run.right[look])} % right; looks one back in ${backwards(map("attention"), length)} of `
          + `${length - 1} rows; neighbours’ similarity ${decimals(near, 2)}`);
      }));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    put(model.get("look") + KEYS[event.key]);
  });
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    if (!event.buttons || event.clientY - box.top < curve.top - 12) return;
    put(Math.round((((event.clientX - box.left - curve.x) / curve.w) * steps) / every));
  };
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);

  const stop = redrawOn(model, ["look"], el, canvas, draw);
  return () => {
    stopPlaying();
    stop();
  };
}

export default { render };
