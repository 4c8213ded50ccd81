// The questions at the end of a chapter: what a sheet's check says in a notebook, without a kernel.
// What was answered and said is kept, where kept.js came, and shown again.
import { judge } from "./judge.mjs";

const { kept, keep } = window.omKept ?? { kept: () => ({}), keep: () => {} };
const turned = (text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(33 + ((c.charCodeAt(0) + 14) % 94)));

// Where it is asked again, nothing but when it is due is kept (again.js), and `judged` hears of it
/**
 * @param {HTMLFormElement} form
 * @param {{ variant?: number, kept?: boolean, judged?: (right: boolean) => void }} again
 */
function start(form, { variant: first = 0, kept: own = true, judged = () => {} } = {}) {
  const asked = JSON.parse(turned(form.dataset.asked));
  const said = form.querySelector(".om-said");
  /** @type {HTMLInputElement | null} */
  const field = form.querySelector("input[type=text]");
  const { hint, other } = form.elements;
  const { key: question, version } = form.dataset;
  const places = givenAbove(form);
  const seen = Object.assign(document.createElement("div"), { className: "om-hints", ariaLive: "polite" });
  said.before(seen);
  // got: it was right once. again: the last answer was wrong, or the right one was shown, which was
  // so for the numbers in `shown`.
  let {
    variant = first,
    hints = 0,
    got = false,
    again = false,
    shown = [],
    ...last
  } = own ? (kept("answers")[question] ?? {}) : {};
  variant %= asked.variants.length;
  if (last.version !== version) [hints, shown] = [0, []]; // a hint may be another one now

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

  // `heard` knows before it is kept: what is kept already counts as answered once
  const check = (heard = (_right) => {}) => {
    const [status, head, text] = judge(asked, asked.variants[variant], typed(), hints < asked.hints.length);
    if (status === "right" && !got && shown.includes(variant)) {
      const more = other ? " With other numbers it does." : "";
      return tell("note", "✓ Right,", `as it was shown: so it earns no points.${more}`);
    }
    if (status !== "open") {
      again = status !== "right";
      got ||= !again;
      heard(!again);
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
  // What a phone's pad of digits may lack; the field keeps the focus, and the pad stays
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
  // The question was changed since: a hint is no longer one, and an answer is judged anew
  const [kind = "note"] = last.said ?? [];
  last = {};
  if (kind !== "note") check();
}

// The places in the prompt, which stands between the form and the heading above it
function givenAbove(form) {
  const found = [];
  for (let node = form.previousElementSibling; node && !/^H\d$/.test(node.tagName); node = node.previousElementSibling)
    found.unshift(...node.querySelectorAll(".om-given"));
  return found;
}

window.omQuiz = { start };
/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll(".om-quiz");
for (const form of forms) start(form);
