// Shows a scene in the page, draws it at most once per frame, and lets mouse, finger and keys change its state.
// A scene is made of pure functions, so the same state always gives the same picture:
//
//   height(width, state), draw(state, { w, h }) → tree of svg.mjs, or a list of trees
//   down(state, size, point), move(state, size, point), up(state) → state, which has a `hold` during a drag
//   key(state, { right, up, end, page, shift }) → state, or the same object if the key has no meaning
//   tick?(state, ms) → state after a time step, where Infinity finishes all motion; the same object if nothing moves
import { drag } from "../frame/drag.mjs";
import { listenToKeys } from "./keys.mjs";
import { createNode, observeTheme, paintTables, patch } from "./patch.mjs";
import { asTree } from "./svg.mjs";

const LONGEST_FRAME = 40; // milliseconds, so that nothing jumps after a pause

// `get()` returns the current state, and `set(state)` replaces it.
// `onDraw(state)` is called after each picture, and `onRest(state)` as soon as nothing moves any more.
/** @type {(svg: SVGElement, scene: any, model: LiveModel) => LiveScene} */
export function live(svg, scene, { get, set, onDraw, onRest }) {
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Size} */
  let size;
  /** @type {Tree | undefined} */
  let tree;
  /** @type {number | undefined} */
  let frame;
  /** @type {number | undefined} */
  let lastTime;

  /** @param {(s: State) => State} change */
  function update(change) {
    const before = get(),
      next = change(before);
    if (next !== before) {
      set(next);
      requestDraw();
    }
    return next;
  }
  function draw() {
    if (!size.w) return; // the picture is not visible, for example in a hidden tab of JupyterLab
    const state = get(),
      next = asTree(scene.draw(state, size));
    if (tree && svg.firstElementChild) patch(svg.firstElementChild, tree, next);
    else {
      const node = /** @type {Element} */ (createNode(next));
      svg.replaceChildren(node);
      node.setAttribute("aria-hidden", "true"); // the reading gives the same information as text
    }
    tree = next;
    paintTables(svg);
    onDraw?.(state);
  }
  /** @param {number} time */
  function step(time) {
    frame = undefined;
    const before = get(),
      ms = stillness.matches ? Infinity : Math.min(time - (lastTime ?? time), LONGEST_FRAME),
      next = scene.tick?.(before, ms) ?? before;
    lastTime = next === before ? undefined : time;
    if (next !== before) {
      set(next);
      requestDraw();
    }
    draw();
    if (next === before) onRest?.(before);
  }
  const requestDraw = () => {
    frame ??= requestAnimationFrame(step);
  };
  // The width of the picture determines its height.
  function fit() {
    svg.style.setProperty("--ex-tall", `${scene.height(svg.clientWidth, get())}px`);
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    if (w === size?.w && h === size.h) return;
    size = { w, h };
    draw();
  }

  // The mouse has the sign of an open hand over what it can drag, and of a closed one while it drags.
  /** @param {string} cursor */
  const setCursor = (cursor) => {
    if (svg.style.cursor !== cursor) svg.style.cursor = cursor;
  };
  svg.addEventListener("pointermove", ({ pointerType, buttons, clientX, clientY }) => {
    if (pointerType !== "mouse" || buttons) return;
    const { left, top } = svg.getBoundingClientRect();
    setCursor(scene.down(get(), size, { x: clientX - left, y: clientY - top }).hold ? "grab" : "");
  });
  drag(svg, {
    grab(point) {
      const { hold } = update((s) => scene.down(s, size, point));
      setCursor(hold ? "grabbing" : "");
      return hold;
    },
    move: (_, point) => update((s) => scene.move(s, size, point)),
    drop() {
      setCursor("grab");
      update((s) => scene.up(s));
    },
  });
  listenToKeys(svg, (key) => {
    const before = get();
    return update(() => scene.key(before, key)) !== before;
  });
  const sizes = new ResizeObserver(fit),
    ignoreTheme = observeTheme(() => paintTables(svg, true));
  fit();
  sizes.observe(svg);
  requestDraw();
  return {
    update,
    requestDraw,
    size: () => size,
    stop() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      sizes.disconnect();
      ignoreTheme();
    },
  };
}
