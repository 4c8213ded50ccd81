// A story beside its explorer: a sentence, Back and Next, and a motion from state to state.
import { button, element } from "./controls.mjs";

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

// The panel of a story over the model. `done()` is a sentence when the task is fulfilled; `show(part)`
// rings a part, `rest()` stops what runs, `settled()` hears when step and picture may have come apart,
// which is so where the picture `differs(state)`. `first` is the step that it begins with. Returns { node, leave, changed, step, away, back }.
export function telling(model, { steps, task }, { start, traits, done, show, rest, settled, differs, first = 0 }) {
  const says = element("p", { class: "ex-says", "aria-live": "polite" });
  const count = element("span", { class: "ex-count" });
  const back = button("Back", () => go(at - 1), "ex-back"),
    next = button("Next", () => go(at + 1), "ex-next");
  const node = element(
    "div",
    { class: "ex-story", role: "group", "aria-label": "Story" },
    says,
    element("div", { class: "ex-steps" }, back, count, next),
  );
  let at = Math.min(first, steps.length),
    judged,
    moving = false,
    off = () => {},
    found = "";

  const target = () => Object.assign({}, start, ...steps.slice(0, at + 1).map((step) => step.state));
  const yours = () => at === steps.length;
  // The picture is no longer what the sentence says
  const away = () => !moving && !yours() && differs(target());
  const leave = () => {
    off();
    moving = false;
    show("");
  };

  function go(to) {
    rest();
    leave();
    clearTimeout(judged);
    at = Math.min(Math.max(to, 0), steps.length);
    found = "";
    tell();
    moving = true;
    off = travel(model, target(), traits, () => {
      moving = false;
      show(steps[at]?.look ?? "");
      settled();
    });
  }
  function tell() {
    says.replaceChildren(
      ...(yours() ? [element("b", {}, found ? "✓ " : "Your turn: "), found || task] : [steps[at].says]),
    );
    node.classList.toggle("ex-found", Boolean(found));
    node.classList.remove("ex-away");
    count.textContent = yours() ? "task" : `${at + 1} of ${steps.length}`;
    back.disabled = at === 0;
    next.disabled = yours();
  }
  tell();
  return {
    node,
    leave,
    // What the reader did may be what the task asks for, judged when it rests. What was found stays said.
    changed() {
      clearTimeout(judged);
      judged = setTimeout(() => {
        node.classList.toggle("ex-away", away());
        settled();
        const now = moving || !yours() ? "" : done();
        if (!now || now === found) return;
        found = now;
        tell();
      }, REST);
    },
    step: () => at,
    away,
    back: () => go(away() ? at : 0),
  };
}
