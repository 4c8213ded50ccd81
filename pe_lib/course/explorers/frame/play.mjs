// Play: a trait runs from where it stands to its end, and again from its start.
import { button } from "./controls.mjs";

const PAUSE = "M1 0h4v12h-4zM7 0h4v12h-4z",
  SIGNS = {
    Play: "M2 0l10 6-10 6z",
    Pause: PAUSE,
    Step: "M0 0l8 6-8 6zM9 0h3v12h-3z",
    "Play story": "M0 0l6 6-6 6zM6 0l6 6-6 6z",
    "Pause story": PAUSE,
  };

// A button's sign, with its name for who can't see it
export function sign(node, name) {
  if (node.ariaLabel === name) return;
  node.ariaLabel = name;
  node.innerHTML = `<svg viewBox="0 0 12 12" aria-hidden="true"><path d="${SIGNS[name]}"/></svg>`;
}

// `unit` is how many milliseconds a unit takes. Who wants no motion gets one unit a press, or `stride` of them.
// Returns { node, run, stop }; `run(false)` pauses.
export function player(model, { trait, unit, low, high, stride = 1 }, type) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let frame = 0;
  const node = button("", () => run(!frame), "ex-play"),
    refresh = () => sign(node, frame ? "Pause" : still.matches ? "Step" : "Play");

  function run(on) {
    if (!on && !frame) return; // each step of a slider asks for it
    cancelAnimationFrame(frame);
    frame = 0;
    let x = model.get(trait),
      before;
    if (on && x >= high()) model.set(trait, (x = low()));
    const step = (now) => {
      x = Math.min(high(), x + Math.max(0, now - (before ?? now)) / unit);
      before = now;
      model.set(trait, type === "real" ? x : Math.floor(x));
      if (x < high()) frame = requestAnimationFrame(step);
      else run(false);
    };
    if (on && still.matches) model.set(trait, Math.min(high(), Math.floor(x) + stride));
    else if (on) frame = requestAnimationFrame(step);
    if (!frame) model.save_changes();
    refresh();
  }
  still.addEventListener("change", refresh);
  refresh();
  return {
    node,
    run,
    stop() {
      run(false);
      still.removeEventListener("change", refresh);
    },
  };
}
