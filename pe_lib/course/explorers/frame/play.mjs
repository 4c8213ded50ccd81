// Implements Play, which runs a trait from its current value to its end, and on the next press from its start.
import { button } from "./controls.mjs";

const PAUSE = "M1 0h4v12h-4zM7 0h4v12h-4z",
  /** @type {Record<string, string>} */
  SIGNS = {
    Play: "M2 0l10 6-10 6z",
    Pause: PAUSE,
    Step: "M0 0l8 6-8 6zM9 0h3v12h-3z",
    "Play story": "M0 0l6 6-6 6zM6 0l6 6-6 6z",
    "Pause story": PAUSE,
  };

// Shows an icon on a button, and gives the button a name for readers who cannot see it.
/** @param {HTMLElement} node @param {string} name */
export function setSign(node, name) {
  if (node.ariaLabel === name) return;
  node.ariaLabel = name;
  node.innerHTML = `<svg viewBox="0 0 12 12" aria-hidden="true"><path d="${SIGNS[name]}"/></svg>`;
}

// Returns the button Play for a trait of this `type`, which takes `unit` milliseconds to move by 1.
// If the reader prefers reduced motion, each press moves the trait by `stride`. `run(false)` pauses.
/**
 * @param {Model} model
 * @param {{ trait: string, unit: number, low: () => number, high: () => number, stride?: number }} how
 * @param {string} type
 */
export function player(model, { trait, unit, low, high, stride = 1 }, type) {
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  let frame = 0;
  const node = button("", () => run(!frame), "ex-play"),
    refresh = () => setSign(node, frame ? "Pause" : stillness.matches ? "Step" : "Play");

  /** @param {boolean} on */
  function run(on) {
    if (!on && !frame) return; // sliders call this at each of their steps
    cancelAnimationFrame(frame);
    frame = 0;
    let x = model.get(trait);
    /** @type {number | undefined} */
    let lastTime;
    if (on && x >= high()) model.set(trait, (x = low()));
    /** @param {number} time */
    const step = (time) => {
      x = Math.min(high(), x + Math.max(0, time - (lastTime ?? time)) / unit);
      lastTime = time;
      model.set(trait, type === "real" ? x : Math.floor(x));
      if (x < high()) frame = requestAnimationFrame(step);
      else run(false);
    };
    if (on && stillness.matches) model.set(trait, Math.min(high(), Math.floor(x) + stride));
    else if (on) frame = requestAnimationFrame(step);
    if (!frame) model.save_changes();
    refresh();
  }
  stillness.addEventListener("change", refresh);
  refresh();
  return {
    node,
    run,
    stop() {
      run(false);
      stillness.removeEventListener("change", refresh);
    },
  };
}
