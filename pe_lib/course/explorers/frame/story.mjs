// Shows an explorer's story: a sentence, the buttons Back and Next, the film, and the motion between states.
import { button, element } from "./controls.mjs";
import { setSign } from "./play.mjs";

const MOTION = 900, // milliseconds from the state of one step to the next
  REST = 250; // milliseconds of rest after which the reader's answer is judged

// Return the value at the fraction s of the way from a to b. Values without intermediate values jump to b.
// If the ratio of a and b is ten or more, the value moves on a logarithmic scale.
/** @type {(a: any, b: any, s: number, type: string) => any} */
export function interpolate(a, b, s, type) {
  if (s >= 1 || !["int", "real"].includes(type) || typeof a !== "number") return b;
  const x = a > 0 && b > 0 && Math.max(a / b, b / a) >= 10 ? a * (b / a) ** s : a + (b - a) * s;
  return type === "int" ? Math.round(x) : x;
}

/** @type {(s: number) => number} */
const ease = (s) => s * s * (3 - 2 * s);
/** @type {(a: any, b: any) => boolean} */
export const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Move the model to `state`, and then call `arrive`. Return a function that stops the motion early.
/** @type {(model: Model, state: State, traits: Record<string, Trait>, arrive?: () => void) => () => void} */
export function travel(model, state, traits, arrive = () => {}) {
  const names = Object.keys(state).filter((name) => !isSame(model.get(name), state[name]));
  const from = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const startTime = performance.now(),
    isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0;
  /** @param {number} time */
  const step = (time) => {
    const s = isStill ? 1 : Math.min(1, Math.max(0, (time - startTime) / MOTION));
    for (const name of names) model.set(name, interpolate(from[name], state[name], ease(s), traits[name].type));
    frame = s < 1 ? requestAnimationFrame(step) : 0;
    if (frame) return;
    model.save_changes();
    arrive();
  };
  if (names.length && !isStill) frame = requestAnimationFrame(step);
  else step(startTime);
  return () => {
    if (!frame) return;
    cancelAnimationFrame(frame);
    frame = 0;
    model.save_changes(); // send the kernel the values that were reached
  };
}

// Return the state of the step with this index, counted from 0: `start` with the changes of all steps until then.
/** @type {(start: State, steps: Step[], at: number) => State} */
export const stateAt = (start, steps, at) =>
  Object.assign({}, start, ...steps.slice(0, at + 1).map((step) => step.state));

// Return the panel of a story, which calls the following functions of the stage.
// `findAnswer()` returns a sentence when the task is done, and "" before.
// `reveal(at, isLit)` shows the parts that the steps up to this one have named, and lights up those of the step.
// `rest()` stops everything that runs.
// `differs(state)` says whether the picture differs from the picture of that state.
// `update()` is called when the step and the picture may no longer agree, and the story begins at the step `first`.
/**
 * @param {Model} model
 * @param {Story} story
 * @param {StoryStage} stage
 */
export function tellStory(model, { steps, task }, stage) {
  const { start, traits, findAnswer, reveal, rest, update, differs, first = 0 } = stage;
  const says = element("p", { class: "ex-says", "aria-live": "polite" }),
    dots = element("span", { class: "ex-dots", role: "img" }),
    back = button("Back", () => go(isAway() ? at : at - 1)),
    next = button("Next", () => go(at + 1), "ex-next"),
    play = button("", () => (isFilm ? leave() : go(isAtTask() ? 0 : at + 1, true)), "ex-play"),
    bar = element("div", { class: "ex-steps" }, back, dots, next, play);
  // All sentences lie below the current one, unseen, so that the card is as high as the longest of them.
  /** @type {(sign: string, sentence: string) => (Node | string)[]} */
  const formatTask = (sign, sentence) => [element("b", {}, sign), sentence];
  const room = [...steps.map((step) => [step.says]), formatTask("Your turn: ", task)].map((sentence) =>
    element("p", { class: "ex-unseen", "aria-hidden": "true" }, ...sentence),
  );
  const node = element(
    "div",
    { class: "ex-story", role: "group", "aria-label": "Story" },
    element("div", { class: "ex-stack" }, says, ...room),
    bar,
  );
  let at = Math.min(first, steps.length),
    isFilm = false,
    isMoving = false,
    stopTravel = () => {},
    answer = "";
  let changeTime = 0; // when the picture last changed
  /** @type {number | undefined} */
  let judgeTimer;
  /** @type {number | undefined} */
  let filmTimer;

  const target = () => stateAt(start, steps, at);
  const isAtTask = () => at === steps.length;
  // Return whether the picture has changed so that the sentence no longer describes it.
  const isAway = () => !isMoving && !isAtTask() && differs(target());
  /** @param {boolean} on */
  function setFilm(on) {
    isFilm = on;
    setSign(play, on ? "Pause story" : "Play story");
  }
  function leave() {
    stopTravel();
    clearTimeout(filmTimer);
    setFilm(false);
    isMoving = false;
    reveal(at, false);
  }

  // Go to a step. A film continues from there to the task, and shows each sentence for as long as it takes to read.
  /** @param {number} to */
  function go(to, asFilm = false) {
    rest();
    leave();
    clearTimeout(judgeTimer);
    judgeTimer = undefined;
    at = Math.min(Math.max(to, 0), steps.length);
    setFilm(asFilm && !isAtTask());
    answer = "";
    isMoving = true;
    tell();
    reveal(at, true);
    stopTravel = travel(model, target(), traits, () => {
      isMoving = false;
      refreshButtons();
      if (isFilm) filmTimer = setTimeout(() => go(at + 1, true), 1_500 + 55 * steps[at].says.length);
    });
  }
  function refreshButtons() {
    const away = isAway();
    node.classList.toggle("ex-away", away);
    back.textContent = away ? `Back to step ${at + 1}` : "Back";
    back.disabled = !away && at === 0;
    dots.hidden = away; // the label of the button Back gives the step instead
    update();
  }
  // An answer that was found remains visible.
  function judgeAtRest() {
    const remaining = changeTime + REST - performance.now();
    judgeTimer = remaining > 0 ? setTimeout(judgeAtRest, remaining) : undefined;
    if (judgeTimer !== undefined) return;
    refreshButtons();
    const newAnswer = isMoving || !isAtTask() ? "" : findAnswer();
    if (!newAnswer || newAnswer === answer) return;
    answer = newAnswer;
    tell();
  }
  function tell() {
    says.replaceChildren(
      ...(isAtTask() ? formatTask(answer ? "✓ " : "Your turn: ", answer || task) : [steps[at].says]),
    );
    node.classList.toggle("ex-found", Boolean(answer));
    dots.replaceChildren(
      steps.map((_, n) => (n <= at ? "●" : "○")).join(""),
      element("span", {}, isAtTask() ? "◆" : "◇"),
    );
    dots.ariaLabel = isAtTask() ? "task" : `step ${at + 1} of ${steps.length}`;
    next.disabled = isAtTask();
    refreshButtons();
  }
  setFilm(false);
  return {
    node,
    bar,
    leave,
    go,
    tell,
    // Judge the reader's answer as soon as the reader rests.
    judge() {
      changeTime = performance.now();
      judgeTimer ??= setTimeout(judgeAtRest, REST); // a new timer in each frame would cost more than the picture's numbers
    },
    step: () => at,
    isAway,
  };
}
