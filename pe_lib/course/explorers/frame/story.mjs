// A story beside its explorer: a sentence, Back, Next, its film, and a motion from state to state.
import { button, element } from "./controls.mjs";
import { sign } from "./play.mjs";

const MOTION = 900,
  REST = 250; // milliseconds

// The value on the way from a to b, at 0 ≤ s ≤ 1; what cannot lie between jumps. A ratio of ten and
// more is crossed in equal ratios.
export function between(a, b, s, type) {
  if (s >= 1 || !["int", "real"].includes(type) || typeof a !== "number") return b;
  const x = a > 0 && b > 0 && Math.max(a / b, b / a) >= 10 ? a * (b / a) ** s : a + (b - a) * s;
  return type === "int" ? Math.round(x) : x;
}

const eased = (s) => s * s * (3 - 2 * s);
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Brings the model to `state`, and calls `arrived` unless it is called off before. Returns what does that.
export function travel(model, state, traits, arrived = () => {}) {
  const names = Object.keys(state).filter((name) => !same(model.get(name), state[name]));
  const from = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const began = performance.now(),
    still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0;
  const put = (s) => {
    for (const name of names) model.set(name, between(from[name], state[name], s, traits[name].type));
  };
  const step = (now) => {
    const s = still ? 1 : Math.min(1, Math.max(0, (now - began) / MOTION));
    put(eased(s));
    frame = s < 1 ? requestAnimationFrame(step) : 0;
    if (frame) return;
    model.save_changes();
    arrived();
  };
  if (names.length && !still) frame = requestAnimationFrame(step);
  else step(began);
  return () => {
    if (!frame) return;
    cancelAnimationFrame(frame);
    frame = 0;
    model.save_changes(); // as far as it came
  };
}

// The panel of a story over the model. `done()` is a sentence when the task is fulfilled; `show(part)` rings a part,
// `rest()` stops what runs, `settled()` hears when step and picture may have come apart, which is so where the picture
// `differs(state)`. `first` is the step that it begins with.
export function telling(model, { steps, task }, { start, traits, done, show, rest, settled, differs, first = 0 }) {
  const says = element("p", { class: "ex-says", "aria-live": "polite" }),
    dots = element("span", { class: "ex-dots", role: "img" }),
    back = button("Back", () => go(away() ? at : at - 1)),
    next = button("Next", () => go(at + 1), "ex-next"),
    play = button("", () => (filmed ? leave() : go(yours() ? 0 : at + 1, true)), "ex-play"),
    bar = element("div", { class: "ex-steps" }, back, dots, next, play);
  const node = element("div", { class: "ex-story", role: "group", "aria-label": "Story" }, says, bar);
  let at = Math.min(first, steps.length),
    judged,
    turned, // when the film goes on
    filmed = false,
    moving = false,
    off = () => {},
    found = "";

  const target = () => Object.assign({}, start, ...steps.slice(0, at + 1).map((step) => step.state));
  const yours = () => at === steps.length;
  // The picture is no longer what the sentence says
  const away = () => !moving && !yours() && differs(target());
  const film = (on) => sign(play, (filmed = on) ? "Pause story" : "Play story");
  function leave() {
    off();
    clearTimeout(turned);
    film(false);
    moving = false;
    show("");
  }

  // To a step, and from there by itself to the task, each sentence for as long as it takes to read
  function go(to, on = false) {
    rest();
    leave();
    clearTimeout(judged);
    at = Math.min(Math.max(to, 0), steps.length);
    film(on && !yours());
    found = "";
    moving = true;
    tell();
    off = travel(model, target(), traits, () => {
      moving = false;
      show(steps[at]?.look ?? "");
      mark();
      if (filmed) turned = setTimeout(() => go(at + 1, true), 1_500 + 55 * steps[at].says.length);
    });
  }
  function mark() {
    const gone = away();
    node.classList.toggle("ex-away", gone);
    back.textContent = gone ? `Back to step ${at + 1}` : "Back";
    back.disabled = !gone && at === 0;
    dots.hidden = gone; // Back says it
    settled();
  }
  function tell() {
    says.replaceChildren(
      ...(yours() ? [element("b", {}, found ? "✓ " : "Your turn: "), found || task] : [steps[at].says]),
    );
    node.classList.toggle("ex-found", Boolean(found));
    dots.textContent = steps.map((_, n) => (n <= at ? "●" : "○")).join("");
    dots.ariaLabel = yours() ? "task" : `step ${at + 1} of ${steps.length}`;
    next.disabled = yours();
    mark();
  }
  film(false);
  return {
    node,
    bar,
    leave,
    go,
    tell,
    // What the reader did may be what the task asks for, judged when it rests. What was found stays said.
    changed() {
      clearTimeout(judged);
      judged = setTimeout(() => {
        mark();
        const now = moving || !yours() ? "" : done();
        if (!now || now === found) return;
        found = now;
        tell();
      }, REST);
    },
    step: () => at,
    away,
  };
}
