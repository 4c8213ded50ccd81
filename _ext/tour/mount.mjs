// Puts a scene in the place of its printed picture. A scene is a pure function of its state:
//
//   label, start, height(width)
//   draw(state, { w, h }) → tree    alt(state) → sentence    value(state) → [now, least, most]
//   down(state, size, point), move(state, size, point), up(state), key(state, { right, up, end }) → state
//   film: { lasts, at(f, start) → state }: what plays once by itself, f from 0 to 1
//   settle(state, ms) → state: what goes on after a hand has let go; the same object means at rest
import { KEYS, make, NS, patch } from "../../pe_lib/course/explorers/scene/patch.mjs";

export function mount(box, scene) {
  const still = matchMedia("(prefers-reduced-motion: reduce)"),
    svg = document.createElementNS(NS, "svg");
  let state = scene.start,
    touched = false,
    began, // when the film did
    frame = 0,
    last = 0,
    size,
    drawn,
    pressed;

  function draw() {
    const next = scene.draw(state, size);
    if (drawn && svg.firstChild) patch(svg.firstChild, drawn, next);
    else svg.replaceChildren(make(next));
    drawn = next;
  }
  function tell() {
    const [now, least, most] = scene.value(state);
    const said = { valuenow: Math.round(now), valuemin: least, valuemax: most, valuetext: scene.alt(state) };
    for (const name in said) svg.setAttribute(`aria-${name}`, said[name]);
  }
  function step(now) {
    frame = 0;
    const was = state;
    if (began !== undefined) {
      const f = Math.min((now - began) / scene.film.lasts, 1);
      state = scene.film.at(f, scene.start);
      if (f === 1) began = undefined;
    } else if (scene.settle) state = scene.settle(state, still.matches ? Infinity : Math.min(now - last, 40));
    last = now;
    draw();
    if (began !== undefined || state !== was) again();
    else if (!state.hold) tell(); // at rest alone, so that nobody is flooded
  }
  function again() {
    frame ||= requestAnimationFrame(step);
  }
  function set(next) {
    touched = true;
    began = undefined;
    if (next === state) return;
    if (!frame) last = performance.now();
    state = next;
    again();
  }

  const point = (event) => {
    const { left, top } = svg.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const take = (at) => {
    pressed.held = true;
    set(scene.down(state, size, at));
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button || pressed) return;
    pressed = { id: event.pointerId, at: point(event), held: false };
    if (event.pointerType === "mouse") take(pressed.at); // a finger may mean to scroll
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== pressed?.id) return;
    const at = point(event);
    if (!pressed.held && Math.abs(at.x - pressed.at.x) < 4) return;
    if (!pressed.held) take(pressed.at); // a finger has gone to the side
    set(scene.move(state, size, at));
  });
  const release = (event) => {
    if (event.pointerId !== pressed?.id) return;
    if (!pressed.held && event.type === "pointerup") take(pressed.at); // a tap
    if (pressed.held) set(scene.up(state));
    pressed = undefined;
  };
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    set(scene.key(state, KEYS[event.key]));
  });

  function resize(width) {
    if (!width || width === size?.w) return;
    size = { w: width, h: scene.height(width) };
    svg.setAttribute("viewBox", `0 0 ${size.w} ${size.h}`);
    draw();
  }
  const about = { tabindex: 0, role: "slider", "aria-label": scene.label, "aria-describedby": `${box.id}-hint` };
  for (const [name, value] of Object.entries(about)) svg.setAttribute(name, value);
  resize(Math.round(box.clientWidth));
  tell();
  box.replaceChildren(svg);
  new ResizeObserver(([entry]) => resize(Math.round(entry.contentRect.width))).observe(box);

  // It moves once by itself, when it is seen and before anybody has touched it
  const seen = new IntersectionObserver(
    ([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      if (still.matches) return;
      setTimeout(() => {
        if (touched) return;
        began = performance.now();
        again();
      }, 800);
    },
    { threshold: 0.7 },
  );
  seen.observe(svg);
}
