// Brings a scene to life as an explorer: the picture with its controls and what is said of it, and around them its
// story, Play, and what a reader takes along. Beside what live.mjs draws and moves, a scene has
//
//   kind, shows, moves: what it is, what it shows, and which keys move it, in words
//   controls, settings: what is set below the picture, and what is folded there: see `control`
//   reading(state) → what is said below it, a paragraph a line, with what `bold` knows
//   parts: { name: (state, size) → box }, for a story to ring
//   done: { story: (state) → a sentence if its task is fulfilled, else "" }
//   play?: the trait that runs, the milliseconds of a unit, `stride` units for who wants no motion, and high(state) where
//     it ends before its trait does
//   fits?(state): whether values from an address go together, beyond the limits of each
//   helper?(put) → { heed(state), stop() }: what computes beside the page, and puts what it found
//
// Its state are the values of the traits, and whatever else its functions put there: `hold`, what a hand has taken hold
// of; what glides; what a helper found. On paper it has the traits alone. `about` is what the class says of it.
import { limits } from "../scene/limits.mjs";
import { live } from "../scene/live.mjs";
import { NS } from "../scene/patch.mjs";
import { bold, button, control, element, fill } from "./controls.mjs";
import { player } from "./play.mjs";
import { address, call, found, foundStep } from "./share.mjs";
import { same, telling, travel } from "./story.mjs";

// What is read, changed in place where it can be: for nodes that come and go a page looks at all its :has() again
function renew(node, next) {
  const [was, now] = [node, next].map(({ childNodes }) => [...childNodes]);
  if (was.length !== now.length || now.some((one, n) => one.nodeName !== was[n].nodeName)) node.replaceChildren(...now);
  else if (now.length) now.forEach((one, n) => renew(was[n], one));
  else if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
  if (next.href) node.href = next.href;
}

let hinted = false; // how a finger takes hold is said once on a page

/** @type {(about: About, scene: any) => Explorer} */
export const stage = (about, scene) => ({ render: ({ model, el }) => around(about, scene, model, el) });

function around(about, scene, model, el) {
  const { kind, call: name, stories, traits } = about,
    { done = {}, play, fits = () => true } = scene,
    names = Object.keys(traits),
    ends = limits(about);
  const host = el.closest(".om-explorer"); // only on the site
  const values = () => Object.fromEntries(names.map((trait) => [trait, model.get(trait)]));
  const put = (state) => {
    for (const trait of names) if (state[trait] !== model.get(trait)) model.set(trait, state[trait]);
  };
  const start = values();
  // Whether a hand has made the picture another one than in this state
  const differs = (from) => Object.keys(from).some((one) => !same(model.get(one), from[one]));

  const wanted = { ...start, ...(host && found(location, host.id, traits)) };
  if (ends.fits(wanted) && fits(wanted)) put(wanted);

  // --- The picture, what is set and what is said below it ---

  let own = {}, // of the state, what is no trait
    helper,
    said;
  const state = () => ({ ...own, ...values() });
  const made = [];
  // Sliders in columns, what is smaller beside each other
  const rows = (all = []) => {
    const each = all.map((one) => control(one, ends, state, (change) => scenery.put(change)));
    made.push(...each.map((one, n) => [all[n], one]));
    const of = (sliders) => each.map(({ row }) => row).filter((row) => row.matches(".ex-slider") === sliders);
    return [
      element("div", { class: "ex-controls" }, ...of(true)),
      element("div", { class: "ex-choices" }, ...of(false)),
    ].filter((node) => node.firstChild);
  };
  const svg = document.createElementNS(NS, "svg"),
    words = element("div"),
    reading = element("div", { class: "ex-reading", "aria-live": "polite" }, words),
    inner = element("div", { class: "ex-scene" }),
    ring = element("div", { class: "ex-ring", hidden: "" }),
    marks = {
      class: "ex-canvas ex-drawn",
      tabindex: "0",
      role: "application",
      "aria-roledescription": scene.kind,
      "aria-label": `${scene.shows} ${scene.moves}`,
    };
  for (const [mark, value] of Object.entries(marks)) svg.setAttribute(mark, value);
  el.classList.add("ex");
  el.dataset.kind = kind;
  el.append(inner);
  new ResizeObserver(([{ contentRect }]) => (reading.style.height = `${contentRect.height}px`)).observe(words);
  const settings = rows(scene.settings);
  fill(inner, svg, ...rows(scene.controls), reading);
  if (settings.length)
    fill(inner, element("details", { class: "ex-folded" }, element("summary", {}, "Settings"), ...settings));
  inner.append(ring);

  function shown(now) {
    for (const [{ when = (_) => true }, { row, refresh }] of made) {
      row.hidden = !when(now);
      refresh();
    }
    helper?.heed(now);
    if (said === (said = scene.reading(now))) return;
    const parts = said.split("\n").map((part) => element("p", {}, ...bold(part, Boolean(host))));
    renew(words, element("div", {}, ...parts));
  }
  const scenery = live(svg, scene, {
    get: state,
    set(next) {
      own = Object.fromEntries(Object.entries(next).filter(([one]) => !(one in traits)));
      put(next);
      model.save_changes();
    },
    shown,
  });
  helper = scene.helper?.(scenery.put);
  if (!hinted && matchMedia("(pointer: coarse)").matches) {
    hinted = true;
    const hint = element("p", { class: "ex-hint" }, "Drag sideways, or hold, then drag.");
    svg.after(hint);
    el.addEventListener("pointerdown", () => hint.remove(), { once: true });
    // it lies over the foot of the picture: who has read it sees all of that again
    new IntersectionObserver(([{ isIntersecting }]) => {
      if (isIntersecting) setTimeout(() => hint.remove(), 6_000);
    }).observe(hint);
  }

  // --- The story ---

  // A part is ringed until the reader takes hold of the scene
  function show(part) {
    const at = scene.parts[part]?.(state(), scenery.size());
    ring.hidden = !at;
    if (!at) return;
    const [from, box] = [svg, inner].map((node) => node.getBoundingClientRect());
    const place = { left: from.left - box.left + at.x - 4, top: from.top - box.top + at.y - 4 };
    for (const [side, pixels] of Object.entries({ ...place, width: at.w + 8, height: at.h + 8 }))
      ring.style[side] = `${pixels}px`;
  }
  let off = () => {};
  const rest = () => {
    off();
    playing?.run(false);
  };
  const story =
    stories[start.story] &&
    telling(model, stories[start.story], {
      start,
      traits,
      done: () => done[start.story]?.(state()) ?? "",
      show,
      rest,
      settled: () => settled(),
      differs,
      first: host ? foundStep(location, host.id) : 0,
    });
  if (story) el.prepend(story.node);

  // --- Play, which stands beside its slider ---

  const low = () => traits[play.trait].min ?? 0,
    high = () => play.high?.(state()) ?? ends.most(state(), play.trait);
  const playing = play && player(model, { ...play, low, high }, traits[play.trait].type);
  if (playing) {
    const rail = inner.querySelector(`.ex-slider [name="${play.trait}"]`).closest(".ex-slider");
    rail.classList.add("ex-played");
    rail.prepend(playing.node);
  }

  // --- What a reader takes along, and the way back ---

  const reset = button("Reset", () => {
    rest();
    if (story) story.go(0);
    else off = travel(model, start, traits, settled);
  });
  // What has not been changed needs no way back; to its step a story has one of its own
  function settled() {
    reset.hidden = story?.away() || (!story?.step() && !differs(start));
  }
  // The address bar holds it, too, where a page may write there
  const link = button(host ? "Link" : "Copy call", () => {
    const text = host
        ? address(location.href, host.id, values(), start, story?.step())
        : call(name, values(), model.get("_argument_names") ?? []),
      label = link.textContent;
    try {
      if (host) history.replaceState(history.state, "", text);
    } catch {
      /* a page from disk may not */
    }
    const answer = () => {
      link.textContent = "Copied";
      setTimeout(() => (link.textContent = label), 2_000);
    };
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
      answer,
      () => prompt("To copy:", text),
    );
  });
  fill(story?.bar ?? el.appendChild(element("div", { class: "ex-steps" })), reset, link);
  story?.tell();
  settled();

  // --- The reader's hand stops what runs by itself ---

  const hand = (event) => {
    if (["Tab", "Shift"].includes(event.key)) return;
    rest();
    story?.leave();
  };
  for (const sign of ["pointerdown", "keydown", "input"]) inner.addEventListener(sign, hand, { capture: true });
  const changed = () => {
    scenery.again();
    if (story) story.changed();
    else settled();
  };
  for (const trait of names) model.on(`change:${trait}`, changed);
  return () => {
    rest();
    story?.leave();
    playing?.stop();
    scenery.stop();
    helper?.stop();
    for (const trait of names) model.off(`change:${trait}`, changed);
  };
}
