// Judges the questions at the end of a chapter without a kernel, with the messages that a sheet gives in a notebook.
// Where the page has storage.js, the browser keeps an answer and the reply to it, and a later visit shows both.
import { showAfterwards } from "./afterwards.mjs";
import { judge } from "./judge.mjs";
import { parseAnswer } from "./numbers.mjs";
import { addByHand, showHands } from "./byhand.mjs";

const { kept, keep } = window.omKept ?? { kept: () => ({}), keep: () => {} };
// A question is stored in ROT47, so that nobody reads the solution by accident in the page's source
const rot47 = (text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(33 + ((c.charCodeAt(0) + 14) % 94)));

// Start a form. A question of a review has `keepsAnswer` false: the browser keeps only when it is due next
// (schedule.js). `onJudged` is called with whether the answer is right, and `makeNext` returns what leads on from it.
/**
 * @param {HTMLFormElement} form
 * @param {{ variant?: number, keepsAnswer?: boolean, onJudged?: (isRight: boolean) => void, makeNext?: () => HTMLElement | undefined }} options
 */
function start(
  form,
  { variant: first = 0, keepsAnswer = true, onJudged = () => {}, makeNext = () => findNext(form) } = {},
) {
  const [question, extras] = [form.dataset.asked, form.dataset.extras].map((text) => JSON.parse(rot47(text)));
  const reply = form.querySelector(".om-said");
  /** @type {HTMLInputElement | null} */
  const field = form.querySelector("input[type=text]");
  const { hint, other } = form.elements;
  const { key, version } = form.dataset;
  const numbers = findNumbers(form);
  const hintBox = Object.assign(document.createElement("div"), { className: "om-hints", ariaLive: "polite" });
  reply.before(hintBox);
  const after = Object.assign(document.createElement("div"), { className: "om-after", ariaLive: "polite" }),
    hands = document.createElement("div");
  reply.after(hands, after);
  // `isSolved`: an answer was right once. `needsRepeat`: the last answer was wrong, or the right one was shown.
  // `shownVariants`: the variants whose right answer was shown.
  let {
    variant = first,
    hints = 0,
    got: isSolved = false,
    again: needsRepeat = false,
    shown: shownVariants = [],
    ...last
  } = keepsAnswer ? (kept("answers")[key] ?? {}) : {};
  variant %= question.variants.length;
  if (last.version !== version) [hints, shownVariants] = [0, []]; // the hints may have changed

  /** @type {() => HTMLInputElement | null} */
  const findChoice = () => form.querySelector("input:checked");
  const readAnswer = () => (field ? field.value : (findChoice()?.value ?? ""));
  const save = () => {
    if (!keepsAnswer) return;
    const state = { variant, hints, got: isSolved, again: needsRepeat, shown: shownVariants };
    keep("answers", { [key]: { ...last, ...state, answer: readAnswer(), version } });
    document.dispatchEvent(new Event("om-answered"));
  };
  // A reply that points to the next hint does so only while there is one
  const dropStep = () => {
    if (hints >= question.hints.length) reply.querySelector(".om-step")?.remove();
  };
  const show = (kind, head, text) => {
    const isTold = kind === "right" || last.told;
    reply.dataset.kind = kind;
    reply.innerHTML = `<strong>${head}</strong> ${text}`;
    dropStep();
    showAfterwards(after, isTold && extras.after, makeNext);
    const answer = kind === "wrong" && field && extras.hands ? parseAnswer(question.kind, readAnswer()) : [];
    showHands(hands, extras.hands?.[variant], answer, question.variants[variant].right, question.tolerance);
  };
  // `isTold` says that the reader knows the answer, so that the page may tell why it is right
  const showAndSave = (kind, head, text = "", isTold = false) => {
    last = { said: [kind, head, text], ...(isTold && { told: true }) };
    save();
    show(kind, head, text);
  };
  const schedule = (isRight) => {
    window.omAgain?.answered(key, isRight, variant);
    onJudged(isRight);
  };
  const ask = () => {
    numbers.forEach((number, n) => {
      number.textContent = question.variants[variant].given[n];
    });
    hint.textContent = hints < question.hints.length ? "Hint" : "Show the answer";
    const lines = question.hints.slice(0, hints).map((text, n) => `<p><strong>Hint ${n + 1}.</strong> ${text}</p>`);
    hintBox.innerHTML = lines.join("");
    dropStep();
  };

  // `onResult` is called before the answer is kept, because a kept answer counts as one from an earlier visit
  const check = (onResult = (_isRight) => {}) => {
    const [status, head, text] = judge(question, question.variants[variant], readAnswer());
    if (status === "right" && !isSolved && shownVariants.includes(variant)) {
      const more = other ? " With other numbers it does." : "";
      return showAndSave("note", "✓ Right,", `as it was shown: so it earns no points.${more}`, true);
    }
    if (status !== "open") {
      needsRepeat = status !== "right";
      isSolved ||= !needsRepeat;
      onResult(!needsRepeat);
    }
    showAndSave(status, head, text);
  };

  form.addEventListener("input", save);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check(schedule);
  });
  hint.addEventListener("click", () => {
    if (hints < question.hints.length) {
      hints += 1;
      save();
      ask();
    } else {
      const { right } = question.variants[variant];
      if (!shownVariants.includes(variant)) shownVariants = [...shownVariants, variant];
      needsRepeat ||= !isSolved;
      if (needsRepeat) schedule(false);
      const more = "The notebook has the way there: <code>sheet.solution</code>.";
      showAndSave("note", "→ The answer:", `${[right].flat().join(", ")}. ${more}`, true);
    }
  });
  other?.addEventListener("click", () => {
    variant = (variant + 1) % question.variants.length;
    ask();
    field?.form.reset();
    byHand?.restart();
    showAndSave("note", "→ The question has other numbers now.");
  });
  // The buttons write signs that a phone's number pad may lack. The field keeps the focus, so that the pad stays open.
  /** @type {NodeListOf<HTMLButtonElement>} */
  const signs = form.querySelectorAll(".om-keys button");
  for (const sign of signs) {
    sign.addEventListener("mousedown", (event) => event.preventDefault());
    sign.addEventListener("click", () => {
      field.focus();
      field.setRangeText(sign.value, field.selectionStart, field.selectionEnd, "end");
      save();
    });
  }

  const byHand =
    field &&
    addByHand(form, extras.by_hand && (() => extras.by_hand[variant]), (answer) => {
      field.value = answer;
      save();
    });

  ask();
  if (field) field.value = last.answer ?? "";
  else for (const radio of form.querySelectorAll("input")) radio.checked = radio.value === last.answer;
  if (last.version === version) return last.said && show(...last.said);
  // The question has changed since that visit, so its reply is dropped and the answer is judged anew
  const [kind = "note"] = last.said ?? [];
  last = {};
  if (kind !== "note") check();
}

// Return the elements that hold the numbers of a prompt, which stands between the form and the heading above it
function findNumbers(form) {
  const numbers = [];
  for (let node = form.previousElementSibling; node && !/^H\d$/.test(node.tagName); node = node.previousElementSibling)
    numbers.unshift(...node.querySelectorAll(".om-given"));
  return numbers;
}

// Return a link to the next question of the page that is not solved, or to a run through all chapters.
function findNext(form) {
  const forms = /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll(".om-quiz")]),
    at = forms.indexOf(form),
    answers = kept("answers");
  const next = [...forms.slice(at + 1), ...forms.slice(0, at)].find(({ dataset }) => !answers[dataset.key]?.got);
  if (!next)
    return link(`${window.omKept?.root.href}chapters/appendix-exercises.html#run`, "Next: a run through all chapters");
  const section = next.closest("section"),
    heading = /** @type {HTMLElement} */ (section.querySelector("h3").cloneNode(true));
  for (const mark of heading.querySelectorAll(".headerlink")) mark.remove();
  return link(`#${section.id}`, `Next: ${heading.textContent.trim()}`);
}
const link = (href, textContent) => Object.assign(document.createElement("a"), { href, textContent });

window.omQuiz = { start };
/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll(".om-quiz");
for (const form of forms) start(form);
