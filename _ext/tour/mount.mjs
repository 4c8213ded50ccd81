// Puts a scene in the place of its printed picture. Beside what live.mjs draws and moves, a scene of the front page has
//
//   label, start: its state at first    alt(state) → sentence    value(state) → [now, least, most]
//   film: { lasts, at(f, start) → state }: what plays once by itself, f from 0 to 1
import { live } from "../../pe_lib/course/explorers/scene/live.mjs";
import { NS } from "../../pe_lib/course/explorers/scene/patch.mjs";

export function mount(box, scene) {
  const svg = document.createElementNS(NS, "svg"),
    { film, tick = (s) => s } = scene;
  let state = scene.start,
    touched = false,
    played; // milliseconds of the film

  const byHand =
    (act) =>
    (...given) => {
      touched = true;
      played = undefined;
      return act(...given);
    };
  const moving = {
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
  function tell(s) {
    if (s.hold) return;
    const [now, least, most] = scene.value(s);
    const said = { valuenow: Math.round(now), valuemin: least, valuemax: most, valuetext: scene.alt(s) };
    for (const name in said) svg.setAttribute(`aria-${name}`, said[name]);
  }
  const about = { tabindex: 0, role: "slider", "aria-label": scene.label };
  if (scene.hint) about["aria-describedby"] = `${box.id}-hint`;
  for (const [name, value] of Object.entries(about)) svg.setAttribute(name, value);
  box.replaceChildren(svg);
  tell(state);
  const { requestDraw: again } = live(svg, moving, {
    get: () => state,
    set: (next) => {
      state = next;
    },
    onRest: tell, // at rest alone, so that nobody is flooded
  });

  // It moves once by itself, when it is seen and before anybody has touched it
  const seen = new IntersectionObserver(
    ([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      setTimeout(() => {
        if (touched) return;
        played = 0;
        again();
      }, 800);
    },
    { threshold: 0.7 },
  );
  seen.observe(svg);
}
