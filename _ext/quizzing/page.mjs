// Judges the questions at the end of a chapter without a kernel, in the words of a sheet's check in a notebook.
// An answer and the reply to it are kept, where the page has storage.js, and shown again.
import { judge } from "./judge.mjs";

const { kept, keep } = window.omKept ?? { kept: () => ({}), keep: () => {} };
const rot47 = (text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(33 + ((c.charCodeAt(0) + 14) % 94)));

// Start a form. A question that is asked again keeps nothing but when it is due next (schedule.js), and calls
// `judged` with whether the answer is right.
/**
 * @param {HTMLFormElement} form
 * @param {{ variant?: number, kept?: boolean, judged?: (right: boolean) => void }} again
 */
function start(form, { variant: first = 0, kept: own = true, judged = () => {} } = {}) {
  const asked = JSON.parse(rot47(form.dataset.asked));
  const said = form.querySelector(".om-said");
  /** @type {HTMLInputElement | null} */
  const field = form.querySelector("input[type=text]");
  const { hint, other } = form.elements;
  const { key: question, version } = form.dataset;
  const places = findPlaces(form);
  const seen = Object.assign(document.createElement("div"), { className: "om-hints", ariaLive: "polite" });
  said.before(seen);
  // `got`: an answer was right once. `again`: the last answer was wrong, or the right one was shown. `shown`: the
  // variants whose right answer was shown.
  let {
    variant = first,
    hints = 0,
    got = false,
    again = false,
    shown = [],
    ...last
  } = own ? (kept("answers")[question] ?? {}) : {};
  variant %= asked.variants.length;
  if (last.version !== version) [hints, shown] = [0, []]; // the hints may have changed

  /** @type {() => HTMLInputElement | null} */
  const ticked = () => form.querySelector("input:checked");
  const typed = () => (field ? field.value : (ticked()?.value ?? ""));
  const note = () => {
    if (!own) return;
    keep("answers", { [question]: { ...last, variant, hints, got, again, shown, answer: typed(), version } });
    document.dispatchEvent(new Event("om-answered"));
  };
  const show = (kind, head, text) => {
    said.dataset.kind = kind;
    said.innerHTML = `<strong>${head}</strong> ${text}`;
  };
  const tell = (kind, head, text = "") => {
    last = { said: [kind, head, text] };
    show(kind, head, text);
    note();
  };
  const remember = (right) => {
    window.omAgain?.answered(question, right, variant);
    judged(right);
  };
  const ask = () => {
    places.forEach((place, n) => {
      place.textContent = asked.variants[variant].given[n];
    });
    hint.textContent = hints < asked.hints.length ? "Hint" : "Show the answer";
    const lines = asked.hints.slice(0, hints).map((text, n) => `<p><strong>Hint ${n + 1}.</strong> ${text}</p>`);
    seen.innerHTML = lines.join("");
  };

  // `onResult` is called before the answer is kept, because a kept answer counts as one from an earlier visit
  const check = (onResult = (_right) => {}) => {
    const [status, head, text] = judge(asked, asked.variants[variant], typed(), hints < asked.hints.length);
    if (status === "right" && !got && shown.includes(variant)) {
      const more = other ? " With other numbers it does." : "";
      return tell("note", "✓ Right,", `as it was shown: so it earns no points.${more}`);
    }
    if (status !== "open") {
      again = status !== "right";
      got ||= !again;
      onResult(!again);
    }
    tell(status, head, text);
  };

  form.addEventListener("input", note);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check(remember);
  });
  hint.addEventListener("click", () => {
    if (hints < asked.hints.length) {
      hints += 1;
      note();
      ask();
    } else {
      const { right } = asked.variants[variant];
      if (!shown.includes(variant)) shown = [...shown, variant];
      again ||= !got;
      if (again) remember(false);
      const why = "The notebook tells why: <code>sheet.solution</code>.";
      tell("note", "→ The answer:", `${[right].flat().join(", ")}. ${why}`);
    }
  });
  other?.addEventListener("click", () => {
    variant = (variant + 1) % asked.variants.length;
    ask();
    field?.form.reset();
    tell("note", "→ The question has other numbers now.");
  });
  // Buttons for signs that a phone's number pad may lack; the field keeps the focus, so the pad stays
  /** @type {NodeListOf<HTMLButtonElement>} */
  const keys = form.querySelectorAll(".om-keys button");
  for (const key of keys) {
    key.addEventListener("mousedown", (event) => event.preventDefault());
    key.addEventListener("click", () => {
      field.focus();
      field.setRangeText(key.value, field.selectionStart, field.selectionEnd, "end");
      note();
    });
  }

  ask();
  if (field) field.value = last.answer ?? "";
  else for (const radio of form.querySelectorAll("input")) radio.checked = radio.value === last.answer;
  if (last.version === version) return last.said && show(...last.said);
  // The question has changed since: an earlier hint is dropped, and an earlier answer is judged anew
  const [kind = "note"] = last.said ?? [];
  last = {};
  if (kind !== "note") check();
}

// The places of a prompt's numbers; the prompt stands between the form and the heading above it
function findPlaces(form) {
  const places = [];
  for (let node = form.previousElementSibling; node && !/^H\d$/.test(node.tagName); node = node.previousElementSibling)
    places.unshift(...node.querySelectorAll(".om-given"));
  return places;
}

window.omQuiz = { start };
/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll(".om-quiz");
for (const form of forms) start(form);
