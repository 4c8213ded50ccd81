// What stands around every explorer: its story, Play, and what a reader takes along. A scene draws the
// explorer itself into `el`, and says how it is stopped and where its parts are. `about` is what the
// class says of it, which the bundle holds as ABOUT.
import { element } from "./controls.mjs";
import { same, telling, travel } from "./story.mjs";
import { player } from "./play.mjs";
import { address, call, found, foundStep, picture } from "./share.mjs";

const read = (model, traits) => Object.fromEntries(Object.keys(traits).map((name) => [name, model.get(name)]));
const untaken = () => ""; // an explorer without a task
let hinted = false; // how a finger takes hold is said once on a page

// `done`, by story: a sentence if the task is fulfilled in a state, else "". `play`: the trait that
// runs, the milliseconds of a unit, its ends as functions of the state if they are not the trait's, and
// how many units a step is for who wants no motion.
// Its `auto(state)` says whether it begins to run as soon as somebody is there. `fits(state)`: whether
// values from an address, each allowed for itself, go together. `comes`: traits that no hand sets.
/**
 * @param {About} about
 * @param {(widget: Widget) => Scene} scene
 * @param {{ done?: Record<string, (state: any) => string>, play?: Play, fits?: (state: any) => boolean, comes?: string[] }} rules
 * @returns {Explorer}
 */
export function stage(about, scene, { done = {}, play, fits = () => true, comes = [] } = {}) {
  return { render: ({ model, el }) => around(about, scene, { done, play, fits, comes }, model, el) };
}

function around(about, scene, { done, play, fits, comes }, model, el) {
  const { kind, call: name, stories, traits } = about;
  const host = el.closest(".om-explorer"); // only on the site
  const start = read(model, traits),
    state = () => read(model, traits);
  // Whether a hand has made the picture another one than in this state
  const differs = (from) =>
    Object.entries(from).some(([name, value]) => !comes.includes(name) && !same(model.get(name), value));
  const put = (values) => {
    for (const [trait, one] of Object.entries(values)) model.set(trait, one);
  };
  const inner = element("div", { class: "ex-scene" }),
    ring = element("div", { class: "ex-ring", hidden: "" });
  el.classList.add("ex");
  el.dataset.kind = kind;
  el.append(inner);

  const given = host ? found(location, host.id, traits) : {},
    wanted = { ...start, ...given };
  const restored = Object.keys(given).length > 0 && fits(wanted);
  if (restored) put(wanted);
  const { stop, parts = {} } = scene({ model, el: inner });
  inner.append(ring);
  const held = inner.querySelector("[style*=touch-action]");
  if (held && !hinted && matchMedia("(pointer: coarse)").matches) {
    hinted = true;
    const hint = element("p", { class: "ex-hint" }, "Draw sideways, or hold for a moment and draw.");
    held.after(hint);
    el.addEventListener("pointerdown", () => hint.remove(), { once: true });
  }

  // A part is ringed until the reader takes hold of the scene
  function show(part) {
    const where = parts[part]?.();
    ring.hidden = !where;
    if (!where) return;
    const box = inner.getBoundingClientRect(),
      from = (where instanceof Element ? where : inner.querySelector(".ex-canvas, canvas")).getBoundingClientRect();
    const at = where instanceof Element ? { x: 0, y: 0, w: from.width, h: from.height } : where;
    Object.assign(ring.style, {
      left: `${from.left - box.left + at.x - 4}px`,
      top: `${from.top - box.top + at.y - 4}px`,
      width: `${at.w + 8}px`,
      height: `${at.h + 8}px`,
    });
  }

  const told = stories[start.story];
  const story =
    told &&
    telling(model, told, {
      start,
      traits,
      done: done[start.story] ?? untaken,
      show,
      rest: () => rest(),
      state,
      settled: () => settled(),
      differs,
      first: host ? foundStep(location, host.id) : 0,
    });
  const ends = play && traits[play.trait];
  const playing =
    play &&
    player(
      model,
      { ...play, low: () => play.low?.(state()) ?? ends.min ?? 0, high: () => play.high?.(state()) ?? ends.max },
      ends.type,
    );
  if (story) el.prepend(story.node);
  const row = story?.node.querySelector(".ex-steps") ?? el.appendChild(element("div", { class: "ex-steps" }));
  // Play stands beside its slider, unless that is folded away; the explorer itself may lie in a card
  const run = playing && inner.querySelector(`.ex-slider [name="${play.trait}"]`),
    rail = inner.contains(run?.closest("details")) ? undefined : run?.closest(".ex-slider");
  rail?.classList.add("ex-played");
  rail?.prepend(playing.button);
  const reset = element("button", { type: "button", class: "ex-button" });
  reset.addEventListener("click", () => {
    rest();
    if (story) story.back();
    else off = travel(model, start, traits, settled);
  });
  row.append(...tools());

  // What has not been changed needs no way back
  function settled() {
    const away = story?.away();
    reset.textContent = away ? `Back to step ${story.step() + 1}` : "Reset";
    reset.hidden = !away && !story?.step() && !differs(start);
  }

  function tools() {
    const button = (label, act) => {
      const made = element("button", { type: "button", class: "ex-button" }, label);
      made.addEventListener("click", act);
      return made;
    };
    const take = host
      ? button("Copy link", () => copy(address(location.href, host.id, state(), start, story?.step()), take))
      : button("Copy call", () => copy(call(name, state(), model.get("_given") ?? []), take));
    const whole = button("Full screen", () =>
      document.fullscreenElement ? document.exitFullscreen() : el.requestFullscreen(),
    );
    const save = button("Save picture", () =>
      picture(inner, inner.querySelector(".ex-reading")?.innerText ?? "", `order-matters-${kind}`),
    );
    const menu = element(
      "div",
      { class: "ex-menu" },
      ...(playing ? [playing.faster] : []),
      take,
      ...(document.fullscreenEnabled ? [whole] : []),
      ...(inner.querySelector(".ex-canvas, canvas") ? [save] : []),
    ); // of words and buttons alone there is no picture
    const more = element("button", { type: "button", class: "ex-button" }, "More");
    const both = element("div", { class: "ex-more" }, more, menu);
    const open = (on) => {
      menu.hidden = !on;
      more.setAttribute("aria-expanded", on);
    };
    open(false);
    more.addEventListener("click", () => open(menu.hidden));
    both.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") {
        open(false);
        more.focus();
      }
    });
    both.addEventListener("focusout", ({ relatedTarget }) => {
      if (!both.contains(/** @type {Node} */ (relatedTarget))) open(false);
    });
    return [...(playing && !rail ? [playing.button] : []), reset, both];
  }

  // The address bar holds it, too, where a page may write there
  function copy(text, button) {
    const label = button.textContent;
    const answer = (words) => {
      button.textContent = words;
      setTimeout(() => {
        button.textContent = label;
      }, 2_000);
    };
    if (host)
      try {
        history.replaceState(history.state, "", text);
      } catch {
        /* a page from disk may not */
      }
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
      () => answer("Copied"),
      () => prompt("To copy:", text),
    );
  }

  // The reader's hand stops what runs by itself
  let off = () => {};
  const rest = () => {
    off();
    playing?.run(false);
  };
  const signs = ["pointerdown", "keydown", "input"];
  const hand = (event) => {
    if (["Tab", "Shift"].includes(event.key)) return;
    rest();
    story?.leave();
  };
  for (const sign of signs) inner.addEventListener(sign, hand, { capture: true });
  const changed = () => (story ? story.changed() : settled());
  for (const trait of Object.keys(traits)) model.on(`change:${trait}`, changed);
  for (const control of el.querySelectorAll("button")) control.setAttribute("data-lm-suppress-shortcuts", "true");

  settled();

  // Where it is to play, it begins when somebody is there: moves, touches, scrolls or presses a key
  const here = new AbortController();
  if (!restored && play?.auto?.(start) && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const begin = ({ target }) => {
      here.abort();
      if (!el.contains(target)) playing.run(true);
    };
    for (const sign of ["pointermove", "pointerdown", "scroll", "keydown"])
      addEventListener(sign, begin, { signal: here.signal, passive: true });
  }
  return () => {
    here.abort();
    rest();
    story?.leave();
    playing?.stop();
    for (const trait of Object.keys(traits)) model.off(`change:${trait}`, changed);
    stop();
  };
}
