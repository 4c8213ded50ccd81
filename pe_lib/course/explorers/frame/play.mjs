// Play: a trait runs from where it stands to its end, and again from its start.
import { button } from "./controls.mjs";

const SPEEDS = { 1: 2, 2: 0.5, 0.5: 1 }; // each with the next one
const SIGNS = { Play: "M2 0l10 6-10 6z", Pause: "M1 0h4v12h-4zM7 0h4v12h-4z", Step: "M0 0l8 6-8 6zM9 0h3v12h-3z" };

// A button's sign, with its name for who can't see it
function sign(node, name) {
  if (node.ariaLabel === name) return;
  node.ariaLabel = name;
  node.innerHTML = `<svg viewBox="0 0 12 12" aria-hidden="true"><path d="${SIGNS[name]}"/></svg>`;
}

// `unit` is how many milliseconds a unit takes at speed 1. Who wants no motion gets one unit a press,
// or `stride` of them.
// Returns { node, faster, run, stop }; `run(false)` pauses.
export function player(model, { trait, unit, low, high, stride = 1 }, type) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let frame = 0,
    speed = 1;
  const node = button("", () => run(!frame), "ex-play"),
    faster = button("", () => {
      speed = SPEEDS[speed];
      refresh();
    });

  function refresh() {
    sign(node, frame ? "Pause" : still.matches ? "Step" : "Play");
    faster.textContent = `Speed ${speed === 0.5 ? "½" : speed}×`;
    faster.hidden = still.matches;
  }
  function run(on) {
    if (!on && !frame) return; // each step of a slider asks for it
    cancelAnimationFrame(frame);
    frame = 0;
    let x = model.get(trait),
      put,
      before;
    if (on && x >= high()) model.set(trait, (x = low()));
    if (on && still.matches) model.set(trait, Math.min(high(), Math.floor(x) + stride));
    else if (on) {
      const step = (now) => {
        // somebody else moved it: go on from there
        if (put !== undefined && model.get(trait) !== put) x = model.get(trait);
        x = Math.min(high(), x + (Math.max(0, now - (before ?? now)) / unit) * speed);
        before = now;
        model.set(trait, (put = type === "real" ? x : Math.floor(x)));
        if (x < high()) frame = requestAnimationFrame(step);
        else run(false);
      };
      frame = requestAnimationFrame(step);
    }
    if (!frame) model.save_changes();
    refresh();
  }
  still.addEventListener("change", refresh);
  refresh();
  return {
    node,
    faster,
    run,
    stop() {
      run(false);
      still.removeEventListener("change", refresh);
    },
  };
}
