// Puts a scene in the place of its printed picture. Beside what live.mjs asks of every scene, one of the front page has
//
//   label, and start, the first state    alt(state) → sentence    value(state) → [now, least, most]
//   film: { lasts, at(f, start) → state }, which plays once by itself while f goes from 0 to 1
//
// and may have
//
//   hint, how a pointer moves the scene, and arrows, what its keys do, which devices without keys do not show
//   rest, the state that is printed and that readers see who asked for no motion; without it, that is start
//   open(location) → the state that the page's address describes, and address(page, state) → the address of a state
//   form, the values of a form below the picture, and connect(form, { get, change }), which lets it change the state
//   whole, the values that a state gets as soon as a reader moves something, since a film may have hidden parts
import { live } from "../../pe_lib/course/explorers/scene/live.mjs";
import { NS } from "../../pe_lib/course/explorers/scene/patch.mjs";

const PAUSE = 800; // milliseconds between the moment when a scene comes into view and its film

export function mount(box, scene) {
  const svg = document.createElementNS(NS, "svg"),
    replay = box.parentElement.querySelector(".om-replay"),
    stillness = matchMedia("(prefers-reduced-motion: reduce)"),
    form = box.parentElement.querySelector("form"),
    opened = scene.open?.(location),
    { film, whole = {}, tick = (s) => s } = scene;
  let start = opened ?? scene.start,
    state = stillness.matches && !opened ? (scene.rest ?? start) : start,
    isTouched = Boolean(opened),
    played; // milliseconds of the film, undefined while it does not run

  function setPlayed(ms) {
    const isNews = (ms === undefined) !== (played === undefined);
    played = ms;
    if (!replay || !isNews) return; // a new text in each frame would lay out the page in each frame
    replay.toggleAttribute("data-playing", ms !== undefined);
    replay.querySelector("span").textContent = ms === undefined ? "play again" : "stop";
  }
  const showWhole = (s) => (Object.keys(whole).some((name) => s[name] !== whole[name]) ? { ...s, ...whole } : s);
  const byHand =
    (act) =>
    (s, ...args) => {
      isTouched = true;
      setPlayed(undefined);
      return act(showWhole(s), ...args);
    };
  const movingScene = {
    ...scene,
    down: byHand(scene.down),
    key: byHand(scene.key),
    tick(s, ms) {
      if (played === undefined) return tick(s, ms);
      const f = Math.min((played + ms) / film.lasts, 1);
      setPlayed(f < 1 ? played + ms : undefined);
      return film.at(f, start);
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
  box.querySelector(".om-narrow")?.remove();
  box.append(svg); // beside the printed picture, which is for paper
  describeState(state);
  // Keep the state in the page's address, so that a reader can share it. A page from disk may not change its address.
  function keepAddress(s) {
    const address = isTouched && scene.address?.(location.href, s);
    if (!address || address === location.href) return;
    try {
      history.replaceState(history.state, "", address);
    } catch {
      /* the picture is still there, but it cannot be shared */
    }
  }
  const { requestDraw, update } = live(svg, movingScene, {
    get: () => state,
    set: (next) => {
      state = next;
    },
    onRest(s) {
      describeState(s); // at rest alone, because a screen reader would read out every step on the way
      if (!s.hold) keepAddress(s);
    },
  });
  if (form)
    scene.connect(form, {
      get: () => state,
      change(values) {
        isTouched = true;
        setPlayed(undefined);
        const next = update((s) => ({ ...s, ...values }));
        start = { ...start, words: next.words, order: next.order };
      },
    });

  function play() {
    state = film.at(0, start);
    setPlayed(0);
    requestDraw();
  }
  replay?.addEventListener("click", () => {
    isTouched = true;
    if (played === undefined) play();
    else setPlayed(undefined);
  });

  // The film runs once, when the scene comes into view and nobody has touched it
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      if (!stillness.matches) setTimeout(() => isTouched || play(), PAUSE);
    },
    { threshold: 0.7 },
  );
  observer.observe(svg);
}
