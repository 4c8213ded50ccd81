// Brings a scene to life as an explorer, for `stage`. A scene is pure: the same state gives the same picture.
// Its state are the values of the traits, and `hold`, what a hand has taken hold of.
//
//   label, kind: what it is, for who can't see it; controls: sliders, as controls.mjs makes them
//   height(width), draw(state, { w, h }) → tree of svg.mjs
//   alt(state) → the sentence that stands for the picture on paper
//   reading(state) → what is said below it, **so** in bold
//   down(state, size, point), move(state, size, point), up(state) → state, held while it has a `hold`
//   key(state, { right, up, end }) → state
//   parts: { name: (state, size) → box }, for a story to ring
import { bold, element, fill, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { KEYS, make, NS, patch } from "./patch.mjs";

/** @type {(about: About, scene: any) => (widget: Widget) => Scene} */
export const drawn =
  ({ traits }, scene) =>
  ({ model, el }) => {
    const names = Object.keys(traits),
      svg = document.createElementNS(NS, "svg"),
      reading = element("div", { class: "ex-reading" }),
      controls = scene.controls.map((one) => slider(model, one));
    const about = {
      class: "ex-canvas ex-drawn",
      tabindex: 0,
      role: "application",
      "aria-roledescription": scene.kind,
      "aria-label": scene.label,
    };
    for (const [name, value] of Object.entries(about)) svg.setAttribute(name, String(value));
    fill(el, svg, element("div", { class: "ex-controls" }, ...controls.map(({ row }) => row)), reading);

    let hold, size, shown, said, frame;
    const state = () => ({ ...Object.fromEntries(names.map((name) => [name, model.get(name)])), hold });
    function put(change) {
      const was = state(),
        now = change(was);
      hold = now.hold;
      for (const name of names) if (now[name] !== was[name]) model.set(name, now[name]);
      model.save_changes();
      return hold;
    }

    function draw() {
      frame = undefined;
      if (!size.w) return; // not on the screen, in a closed tab of JupyterLab for example
      const now = state(),
        next = scene.draw(now, size);
      if (shown) patch(svg.firstChild, shown, next);
      else {
        svg.append(make(next));
        svg.firstElementChild.setAttribute("aria-hidden", "true"); // what it says is in label and reading
      }
      shown = next;
      for (const control of controls) control.refresh();
      if (said === (said = scene.reading(now))) return;
      reading.replaceChildren(element("p", { class: "ex-formula" }, ...bold(said)));
    }
    const schedule = () => {
      frame ??= requestAnimationFrame(draw);
    };
    // Its width decides how tall it is, but for a full screen
    function fit() {
      svg.style.setProperty("--ex-tall", `${scene.height(svg.clientWidth)}px`);
      const [w, h] = [svg.clientWidth, svg.clientHeight];
      if (w === size?.w && h === size.h) return;
      size = { w, h };
      draw();
    }

    drag(/** @type {any} */ (svg), {
      grab: (point) => put((s) => scene.down(s, size, point)),
      move: (_, point) => put((s) => scene.move(s, size, point)),
      drop: () => put((s) => scene.up(s)),
    });
    svg.addEventListener("keydown", (event) => {
      if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      put((s) => scene.key(s, KEYS[event.key]));
    });
    for (const name of names) model.on(`change:${name}`, schedule);
    const resized = new ResizeObserver(fit);
    fit();
    resized.observe(svg);
    return {
      stop() {
        cancelAnimationFrame(frame);
        resized.disconnect();
        for (const name of names) model.off(`change:${name}`, schedule);
      },
      parts: Object.fromEntries(Object.entries(scene.parts).map(([name, box]) => [name, () => box(state(), size)])),
    };
  };
