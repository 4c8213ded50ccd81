// A scene in the page: drawn once a frame at most, held by mouse, finger and keys. A scene is pure, the same state gives
// the same picture:
//
//   height(width, state), draw(state, { w, h }) → tree of svg.mjs, or a list of them
//   down(state, size, point), move(state, size, point), up(state) → state, held while it has a `hold`
//   key(state, { right, up, end, page, shift }) → state; the same object where a key means nothing
//   tick?(state, ms) → state: what moves by itself, all at once in Infinity; the same object when it rests
import { drag } from "../frame/drag.mjs";
import { ink, KEYS, make, patch, themed } from "./patch.mjs";
import { whole } from "./svg.mjs";

// `get()` is the state now and `set(state)` puts another one; `shown(state)` hears what was drawn, `rests(state)` that
// nothing moves any more.
export function live(svg, scene, { get, set, shown = (_) => {}, rests = (_) => {} }) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let size, tree, frame, last;

  function put(change) {
    const was = get(),
      next = change(was);
    if (next !== was) {
      set(next);
      again();
    }
    return next;
  }
  function draw() {
    if (!size.w) return; // not on the screen, in a closed tab of JupyterLab for example
    const state = get(),
      next = whole(scene.draw(state, size));
    if (tree && svg.firstChild) patch(svg.firstChild, tree, next);
    else {
      svg.replaceChildren(make(next));
      svg.firstChild.setAttribute("aria-hidden", "true"); // what it says is said in words
    }
    tree = next;
    ink(svg);
    shown(state);
  }
  function step(now) {
    frame = undefined;
    const was = get(),
      ms = still.matches ? Infinity : Math.min(now - (last ?? now), 40),
      next = scene.tick?.(was, ms) ?? was;
    last = next === was ? undefined : now;
    if (next !== was) {
      set(next);
      again();
    }
    draw();
    if (next === was) rests(was);
  }
  const again = () => {
    frame ??= requestAnimationFrame(step);
  };
  // Its width decides how tall it is
  function fit() {
    svg.style.setProperty("--ex-tall", `${scene.height(svg.clientWidth, get())}px`);
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    if (w === size?.w && h === size.h) return;
    size = { w, h };
    draw();
  }

  drag(svg, {
    grab: (point) => put((s) => scene.down(s, size, point)).hold,
    move: (_, point) => put((s) => scene.move(s, size, point)),
    drop: () => put((s) => scene.up(s)),
  });
  svg.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    const was = get();
    if (put(() => scene.key(was, { ...KEYS[event.key], shift: event.shiftKey })) !== was) event.preventDefault();
  });
  const resized = new ResizeObserver(fit),
    unthemed = themed(() => ink(svg, true));
  fit();
  resized.observe(svg);
  again();
  return {
    put,
    again,
    size: () => size,
    stop() {
      cancelAnimationFrame(frame);
      resized.disconnect();
      unthemed();
    },
  };
}
