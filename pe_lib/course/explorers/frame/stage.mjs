// Shows a scene as an explorer: the picture with its controls and reading, its story, Play, and the link.
// A module exports its scene as a function of the limits of the traits (see limits.mjs) and of `about`.
// In addition to the members that live.mjs needs, a scene has the following members.
//
//   kind, shows, moves: texts that say what it is, what it shows, and which keys move it (`shows` may depend on the state)
//   controls, settings: the rows of controls below the picture, and the rows that are folded there (see `control`)
//   reading(state) → the text below the picture, one paragraph per line, in the format of `formatSentence`
//   parts: { name: (state, size) → box }, the parts that a story can name
//   reveals?: true if `draw` itself leaves out the parts that a story has not named yet (see reveal.mjs)
//   done: { story: (state) → a sentence if its task is done, else "" }
//   play?: the trait that runs, the milliseconds per unit, and the end `high(state)` if it is below the trait's limit
//   play.stride: the distance that a press moves the trait, if the reader prefers reduced motion
//   fits?(state): whether the values in an address are consistent, beyond the limits of each value
//   helper?(update) → { heed(state), stop() }: computes in the background, and updates the state with its results
//
// The state holds the values of the traits, and whatever the scene's functions add to these values.
// The additions are `hold`, gliding numbers, and the results of a helper. In print, the state holds only the traits.
// `about` holds the facts that the class states about the kind.
import { limits } from "../scene/limits.mjs";
import { live } from "../scene/live.mjs";
import { NS } from "../scene/patch.mjs";
import { findParts, isShown, revealing } from "../scene/reveal.mjs";
import { print, sentence } from "../scene/svg.mjs";
import { appendParts, button, control, element, formatSentence } from "./controls.mjs";
import { player } from "./play.mjs";
import { readStep, readValues, writeAddress, writeCall } from "./share.mjs";
import { isSame, stateAt, tellStory, travel } from "./story.mjs";

const READING_TIME = 100, // milliseconds for which a reading stays, since nobody reads a new one in each frame
  COPIED_TIME = 2_000; // milliseconds for which the link says that it was copied

// Change a node into another node, in place if possible.
// When nodes are added or removed, a browser evaluates every :has() selector of the page again.
/** @param {any} node @param {any} next */
function renew(node, next) {
  const [before, after] = [node, next].map(({ childNodes }) => [...childNodes]);
  const isAlike = before.length === after.length && after.every((kid, n) => kid.nodeName === before[n].nodeName);
  if (!isAlike) node.replaceChildren(...after);
  else if (after.length) for (const [n, kid] of after.entries()) renew(before[n], kid);
  else if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
  if (next.href) node.href = next.href;
}

let isHintShown = false; // the hint for fingers is shown only once on a page

// Return an explorer. It renders a scene with its controls, or prints the drawing and a sentence of a single state.
/** @type {(makeScene: (ends: Limits, about: About) => any, about: About) => Explorer} */
export function stage(makeScene, about) {
  const ends = limits(about),
    scene = makeScene(ends, about);
  return {
    render: ({ model, el }) => render(about, scene, ends, model, el),
    print(state, width) {
      const height = scene.height(width, state);
      return { alt: sentence(scene, state), height, picture: print(scene.draw(state, { w: width, h: height })) };
    },
  };
}

/** @param {About} about @param {any} scene @param {Limits} ends @param {Model} model @param {HTMLElement} el */
function render(about, scene, ends, model, el) {
  const { stories, traits } = about,
    { done = {}, play } = scene,
    host = el.closest(".om-explorer"); // this element exists only on the website
  const { start, values, setValues, differs } = connect(model, traits);
  const toldStory = stories[start.story],
    first = host ? readStep(location, host.id) : 0;
  if (host)
    openAddress(host.id, start, traits, setValues, (state) => ends.fits(state) && (scene.fits?.(state) ?? true));

  // Readers who open a link to a picture, and not to a step, see the whole picture.
  const isSkipped = first === 0 && differs(start);
  /** @type {(at: number, isLit: boolean) => State} */
  const partsAt = (at, isLit) => {
    const parts = findParts(toldStory.steps, at);
    return isLit ? parts : { ...parts, lit: undefined };
  };
  /** @type {State} */
  let extras = {}; // the part of the state that is not stored in traits
  if (toldStory && !isSkipped) extras = partsAt(first, !differs(stateAt(start, toldStory.steps, first)));
  const state = () => ({ ...extras, ...values() });
  /** @type {{ heed: (s: State) => void, stop: () => void } | undefined} */
  let helper;
  const readings = toldStory?.steps.map((_, at) =>
    scene.reading({ ...stateAt(start, toldStory.steps, at), ...partsAt(at, true) }),
  );
  const { svg, inner, refresh } = build({ about, scene, ends, readings }, el, state, (change) =>
    scenery.update(change),
  );
  const scenery = live(svg, revealing(scene), {
    get: state,
    set(next) {
      extras = Object.fromEntries(Object.entries(next).filter(([name]) => !(name in traits)));
      setValues(next);
      model.save_changes();
    },
    onDraw(current) {
      refresh(current);
      helper?.heed(current);
    },
  });
  helper = scene.helper?.(scenery.update);
  showHint(el);

  // --- The story ---

  let stopTravel = () => {};
  const rest = () => {
    stopTravel();
    playing?.run(false);
  };
  const story =
    toldStory &&
    tellStory(model, toldStory, {
      start,
      traits,
      findAnswer: () => done[start.story]?.(state()) ?? "",
      reveal: (at, isLit) =>
        scenery.update((s) => (s.revealed || s.lit || isLit ? { ...s, ...partsAt(at, isLit) } : s)),
      rest,
      update: () => updateReset(),
      differs,
      first,
    });
  if (story) el.prepend(story.node);

  // --- Play, next to its slider ---

  const low = () => traits[play.trait].min ?? 0,
    high = () => play.high?.(state()) ?? ends.most(state(), play.trait);
  const playing = play && player(model, { ...play, low, high }, traits[play.trait].type);
  if (playing) {
    const rail = /** @type {HTMLElement} */ (inner.querySelector(`.ex-slider [name="${play.trait}"]`));
    const row = /** @type {HTMLElement} */ (rail.closest(".ex-slider"));
    row.classList.add("ex-played");
    row.prepend(playing.node);
  }

  // --- The link that readers can share, and the button Reset ---

  const reset = button("Reset", () => {
    rest();
    if (story) story.go(0);
    else stopTravel = travel(model, start, traits, updateReset);
  });
  // Hide Reset while nothing has changed, and while the story offers the way back to its step.
  function updateReset() {
    reset.hidden = story ? story.isAway() || (!story.step() && !differs(start)) : !differs(start);
  }
  const link = copyButton(host ? "Link" : "Copy call", () => {
    if (!host) return writeCall(about.call, values(), model.get("_argument_names") ?? []);
    const address = writeAddress(location.href, host.id, values(), start, traits, story?.step());
    try {
      history.replaceState(history.state, "", address);
    } catch {
      /* a page from disk may not change its address */
    }
    return address;
  });
  appendParts(story?.bar ?? el.appendChild(element("div", { class: "ex-steps" })), reset, link);
  story?.tell();
  updateReset();

  // --- A touch or key stops everything that runs by itself ---

  /** @param {Event} event */
  const stopRunning = (event) => {
    if (event instanceof KeyboardEvent && ["Tab", "Shift"].includes(event.key)) return;
    rest();
    story?.leave();
  };
  for (const sign of ["pointerdown", "keydown", "input"]) inner.addEventListener(sign, stopRunning, { capture: true });
  const update = () => {
    scenery.requestDraw();
    if (story) story.judge();
    else updateReset();
  };
  for (const trait of Object.keys(traits)) model.on(`change:${trait}`, update);
  return () => {
    rest();
    story?.leave();
    playing?.stop();
    scenery.stop();
    helper?.stop();
    for (const trait of Object.keys(traits)) model.off(`change:${trait}`, update);
  };
}

// Return the initial values of the model's traits, their current values, and a way to set them.
// `differs(state)` says whether the current values differ from the values in that state.
/** @param {Model} model @param {Record<string, Trait>} traits */
function connect(model, traits) {
  const names = Object.keys(traits),
    values = () => Object.fromEntries(names.map((name) => [name, model.get(name)]));
  return {
    start: values(),
    values,
    /** @param {State} state */
    setValues(state) {
      for (const name of names) if (state[name] !== model.get(name)) model.set(name, state[name]);
    },
    /** @param {State} state */
    differs: (state) => Object.keys(state).some((name) => !isSame(model.get(name), state[name])),
  };
}

// Show the state in the page's address for the explorer `id`, if its values are consistent.
/** @type {(id: string, start: State, traits: Record<string, Trait>, setValues: (s: State) => void, fits: (s: State) => boolean) => void} */
function openAddress(id, start, traits, setValues, fits) {
  const state = { ...start, ...readValues(location, id, traits) };
  if (fits(state)) setValues(state);
}

// Build the picture's node, the controls and the reading. `refresh(state)` updates controls and reading.
// The text below the picture has room for the longest of `readings`, the texts of a story's steps.
/** @type {(what: { about: About, scene: any, ends: Limits, readings?: string[] }, el: HTMLElement, state: () => State, update: LiveScene["update"]) => { svg: SVGElement, inner: HTMLElement, refresh: (s: State) => void }} */
function build({ about, scene, ends, readings = [] }, el, state, update) {
  /** @type {[any, Control][]} */
  const controls = [];
  // Sliders are arranged in columns, and smaller controls next to each other.
  /** @param {any[]} rows */
  const buildRows = (rows = []) => {
    const own = rows.map((row) => control(row, ends, state, update));
    controls.push(...own.map((node, n) => /** @type {[any, Control]} */ ([rows[n], node])));
    const nodes = own.map(({ row }) => row),
      sliders = nodes.filter((row) => row.matches(".ex-slider")),
      others = nodes.filter((row) => !row.matches(".ex-slider"));
    return [
      element("div", { class: "ex-controls" }, ...sliders),
      element("div", { class: "ex-choices" }, ...others),
    ].filter((node) => node.firstChild);
  };
  const hasPages = Boolean(el.closest(".om-explorer"));
  /** @type {(text: string) => HTMLElement[]} */
  const paragraphs = (text) => text.split("\n").map((part) => element("p", {}, ...formatSentence(part, hasPages)));
  const svg = document.createElementNS(NS, "svg"),
    text = element("div"),
    words = element("div", {}, text),
    room = element(
      "div",
      { class: "ex-room ex-stack ex-unseen", "aria-hidden": "true" },
      ...readings.map((text) => element("div", {}, ...paragraphs(text))),
    ),
    reading = element("div", { class: "ex-reading", "aria-live": "polite" }, words),
    inner = element("div", { class: "ex-scene" }),
    attributes = {
      class: "ex-canvas ex-drawn",
      tabindex: "0",
      role: "application",
      "aria-roledescription": scene.kind,
      "aria-label": `${typeof scene.shows === "string" ? scene.shows : scene.shows(state())} ${scene.moves}`,
    };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  el.classList.add("ex");
  el.dataset.kind = about.kind;
  el.append(inner);
  const sizes = new ResizeObserver(() => {
    reading.style.height = `${Math.max(words.offsetHeight, room.offsetHeight)}px`;
  });
  for (const node of [words, room]) sizes.observe(node);
  const settings = buildRows(scene.settings);
  appendParts(inner, svg, ...buildRows(scene.controls), room, reading);
  if (settings.length)
    appendParts(inner, element("details", { class: "ex-folded" }, element("summary", {}, "Settings"), ...settings));

  let lastReading = "",
    lastTime = -READING_TIME;
  /** @type {number | undefined} */
  let timer;
  /** @param {State} current */
  function refreshReading(current) {
    if (timer !== undefined) return; // it is refreshed soon, with the state of that moment
    const rest = lastTime + READING_TIME - performance.now();
    if (rest > 0) {
      timer = setTimeout(() => {
        timer = undefined;
        refreshReading(state());
      }, rest);
      return;
    }
    const newReading = scene.reading(current);
    if (newReading === lastReading) return;
    [lastReading, lastTime] = [newReading, performance.now()];
    renew(text, element("div", {}, ...paragraphs(lastReading)));
  }
  /** @param {State} current */
  function refresh(current) {
    for (const [{ when, part }, { row, refresh: refreshControl }] of controls) {
      row.hidden = when ? !when(current) : false;
      if (part) row.classList.toggle("ex-unseen", !isShown(current, ...[part].flat())); // keeps its room
      refreshControl();
    }
    refreshReading(current);
  }
  return { svg, inner, refresh };
}

// Show once per page how a finger can drag, below the reading, where nothing is drawn and room is often left over.
// It goes away at the first touch.
/** @param {HTMLElement} el */
function showHint(el) {
  if (isHintShown || !matchMedia("(pointer: coarse)").matches) return;
  isHintShown = true;
  const hint = element("p", { class: "ex-hint" }, "In the picture, drag sideways, or hold and then drag.");
  el.querySelector(".ex-reading > :first-child")?.append(hint);
  el.addEventListener("pointerdown", () => hint.remove(), { once: true });
}

// Return a button that copies the text from `write`, or shows it if the browser does not allow copying.
/** @param {string} label @param {() => string} write */
function copyButton(label, write) {
  const node = button(label, () => {
    const text = write(),
      copy = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copy.then(
      () => {
        node.textContent = "Copied";
        setTimeout(() => {
          node.textContent = label;
        }, COPIED_TIME);
      },
      () => prompt("To copy:", text),
    );
  });
  return node;
}
