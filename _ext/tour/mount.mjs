// Puts a scene in the place of its printed picture. Beside what live.mjs asks of every scene, one of the front page has
//
//   label, and start, the first state    alt(state) → sentence    value(state) → [now, least, most]
//   film: { lasts, at(f, start) → state }, which plays once by itself while f goes from 0 to 1
import { live } from "../../pe_lib/course/explorers/scene/live.mjs";
import { NS } from "../../pe_lib/course/explorers/scene/patch.mjs";

export function mount(box, scene) {
  const svg = document.createElementNS(NS, "svg"),
    { film, tick = (s) => s } = scene;
  let state = scene.start,
    isTouched = false,
    played; // milliseconds of the film, undefined while it does not run

  const byHand =
    (act) =>
    (...args) => {
      isTouched = true;
      played = undefined;
      return act(...args);
    };
  const movingScene = {
    ...scene,
    down: byHand(scene.down),
    key: byHand(scene.key),
    tick(s, ms) {
      if (played === undefined) return tick(s, ms);
      const f = Math.min((played += ms) / film.lasts, 1);
      if (f === 1) played = undefined;
      return film.at(f, scene.start);
    },
  };
  function describeState(s) {
    if (s.hold) return;
    const [now, least, most] = scene.value(s);
    const attributes = { valuenow: Math.round(now), valuemin: least, valuemax: most, valuetext: scene.alt(s) };
    for (const name in attributes) svg.setAttribute(`aria-${name}`, attributes[name]);
  }
  const about = { tabindex: 0, role: "slider", "aria-label": scene.label };
  if (scene.hint) about["aria-describedby"] = `${box.id}-hint`;
  for (const [name, value] of Object.entries(about)) svg.setAttribute(name, value);
  box.replaceChildren(svg);
  describeState(state);
  const { requestDraw } = live(svg, movingScene, {
    get: () => state,
    set: (next) => {
      state = next;
    },
    onRest: describeState, // at rest alone, because a screen reader would read out every step on the way
  });

  // The film runs once, when the scene comes into view and nobody has touched it
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      setTimeout(() => {
        if (isTouched) return;
        played = 0;
        requestDraw();
      }, 800);
    },
    { threshold: 0.7 },
  );
  observer.observe(svg);
}
