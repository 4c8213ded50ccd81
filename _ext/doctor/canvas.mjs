// A sharp canvas for the doctor's pictures, in the page's colours and with the house colour map.
import { theme, themed } from "../../pe_lib/course/explorers/scene/patch.mjs";

// Teal is negative, rose positive, evenly spaced on [−1, 1]: pe_lib.course.figures.DIVERGING.
const DIVERGING = ["#0f766e", "#ffffff", "#b3206b"];

// 256 packed pixels (little-endian ABGR) for values −1 … 1
export const TIDE = (() => {
  const stops = DIVERGING.map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, n) => {
    const at = (n / 255) * (stops.length - 1),
      k = Math.min(Math.floor(at), stops.length - 2);
    const [r, g, b] = stops[k].map((low, c) => Math.round(low + (stops[k + 1][c] - low) * (at - k)));
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
})();

// Values in [−1, 1] to pixels of the colour map
export function paint(values, pixels) {
  for (let k = 0; k < values.length; k++) pixels[k] = TIDE[(values[k] * 127.5 + 128) | 0];
}

/** @type {(context: CanvasRenderingContext2D, colour: string, width: number, points: Iterable<number[]>, dashes?: number[]) => void} */
export function line(context, colour, width, points, dashes = []) {
  Object.assign(context, { strokeStyle: colour, lineWidth: width });
  context.setLineDash(dashes);
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
  context.setLineDash([]);
}

// Calls `draw(context, size, colour)` at once, when the canvas gets a new size, when the page's
// colours change, and after each `schedule`, at most once a frame. At once, because the news of the
// first size can come a frame late, and a page would show what is not yet drawn and then jump. The canvas has the resolution of
// the screen, drawing goes on in CSS pixels. Size and colours are kept: asking the page for them
// while it changes would make it lay itself out twice.
// Returns [schedule, stop].
/** @type {(el: HTMLElement, canvas: HTMLCanvasElement, draw: Draw) => [schedule: () => void, stop: () => void]} */
export function redraw(el, canvas, draw) {
  const context = canvas.getContext("2d");
  let frame = 0,
    colour;
  /** @type {Size} */
  let size = canvas.getBoundingClientRect();
  const now = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (!size.width) return; // not on the screen, in a closed tab of JupyterLab for example
    const ratio = devicePixelRatio || 1;
    const [w, h] = [size.width, size.height].map((length) => Math.round(length * ratio));
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    draw(context, size, (colour ??= theme(el)));
  };
  const schedule = () => {
    frame ||= requestAnimationFrame(now);
  };
  const recolour = () => {
    colour = undefined;
    schedule();
  };
  const unthemed = themed(recolour);
  const resized = new ResizeObserver(
    ([
      {
        contentRect: { width, height },
      },
    ]) => {
      if (width === size.width && height === size.height) return;
      size = { width, height };
      now();
    },
  );
  now();
  resized.observe(canvas);
  document.fonts.addEventListener("loadingdone", schedule); // what is written was written in another face
  const stop = () => {
    cancelAnimationFrame(frame);
    resized.disconnect();
    unthemed();
    document.fonts.removeEventListener("loadingdone", schedule);
  };
  return [schedule, stop];
}
