// Asks for a guess before the explanation, and shows the same guess beside the result. A notebook shows each
// as a widget. On a page, _ext/predictions/ puts question and result where the notebook has them.

// --- Storage: this browser alone keeps { asked, guess, seen } under the question's number ---

// A notebook needs a storage of its own, because the page's storage.js does not run there
const notebookStorage = {
  kept(record) {
    const unsaved = globalThis.omGuesses ?? {}; // if storage fails, guesses last until the notebook is closed
    try {
      return { ...JSON.parse(localStorage.getItem(`om-${record}`)), ...unsaved };
    } catch {
      return unsaved;
    }
  },
  keep(record, change) {
    const all = { ...notebookStorage.kept(record), ...change };
    try {
      localStorage.setItem(`om-${record}`, JSON.stringify(all));
    } catch {
      globalThis.omGuesses = all;
    }
  },
};
const { kept, keep } = globalThis.omKept ?? notebookStorage;

// Return the choices and the unit of a question as the text that an entry keeps of them
const describe = (about) => [...about.choices, about.unit].join(" | ");

// Return the stored entry of a question, or {} if there is none that still fits. A choice fits while it is among
// the choices, and a number while its unit is the same. A result whose question was never shown knows only the one
// choice that is right.
function findEntry(about) {
  const entry = kept("guesses")[about.number];
  if (!entry?.guess) return {};
  if (about.choices.length) return about.choices.includes(entry.guess) ? entry : {};
  const isLoneChoice = about.values?.length === 0;
  const fits = isLoneChoice ? entry.asked.split(" | ").includes(about.said) : entry.asked === describe(about);
  return fits ? entry : {};
}

// --- Sentences ---

// Read a number as people write it: 1,234.5 or 0,5 or −2 or 1/256 or 60 %. Anything else is NaN.
export function number(text) {
  const [numerator, denominator = "1", rest] = text.replace(/[−–]/g, "-").replace(/%\s*$/, "").split("/");
  if (rest !== undefined) return NaN;
  const read = (part) => {
    const hasThousands = /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(part);
    const plain = hasThousands ? part.replaceAll(",", "") : part.replace(",", ".");
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  };
  const value = read(numerator.trim()) / read(denominator.trim());
  return Number.isFinite(value) ? value : NaN;
}

// Write a ratio with two digits, as in 1.7 times, 60 times or 8,100 times
function formatRatio(ratio) {
  if (ratio > 1e6) return "more than a million times";
  return `${Number(ratio.toPrecision(2)).toLocaleString("en")} times`;
}

// Compare a guess with a number or with the two ends of a range. Return whether it fits, and how the sentence ends.
export function compare(guess, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)],
    isSingle = low === high;
  if (guess >= low && guess <= high) return [true, isSingle ? ". So it is." : ": you are within."];
  const end = guess < low ? low : high,
    isLess = guess < end,
    too = isLess ? "too low" : "too high";
  if (guess * end < 0) return [false, ": the other sign."];
  if (guess === 0 || end === 0) return [false, `: your guess is ${too}.`];
  const ratio = guess / end,
    off = Math.abs(ratio - 1),
    by = `${Math.round(100 * off)} % ${too}`;
  if (off < 0.005) return [true, ": as good as right."];
  if (off <= 0.1) return [true, `: close, ${by}.`];
  if (ratio > 0.5 && ratio < 2) return [false, `: your guess is ${by}.`];
  if (ratio < 1) {
    return [false, `: ${isSingle ? "" : "at least "}${formatRatio(1 / ratio)} your guess.`];
  }
  const what = isSingle ? "that" : isLess ? "the smallest of them" : "the largest of them";
  return [false, `. Your guess is ${formatRatio(ratio)} ${what}.`];
}

// Return the result with its unit; a number has a true minus sign
export const outcome = ({ said: answer, values, unit }) =>
  `${values.length ? answer.replaceAll("-", "−") : answer} ${unit}`.trim();

// Judge a guess once the result is known. Return whether it fits, and the sentences about it; [null, ""] stands for
// a line that is no number.
export function verdict(about, guess) {
  const result = outcome(about);
  if (!about.values.length)
    return guess === about.said
      ? [true, `You guessed: ${guess}. So it is.`]
      : [false, `You guessed: ${guess}. It is: ${result}.`];
  const value = number(guess);
  if (Number.isNaN(value)) return [null, ""];
  const [fits, ending] = compare(value, about.values);
  if (about.values.every((end) => end === value)) return [fits, `You guessed ${result}. So it is.`];
  return [fits, `You guessed ${guess.trim()}; it is ${result}${ending}`];
}

// --- Elements ---

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const NEWS = "om-guessed"; // the event after a guess is made, changed or forgotten, or its result is read

// Change the entry of a question, or remove it if there is no `change`, and inform all views of the question
function store(about, change) {
  const before = findEntry(about);
  keep("guesses", { [about.number]: change && { asked: describe(about), ...before, ...change } });
  document.dispatchEvent(new CustomEvent(NEWS, { detail: about.number }));
}
// Call `update` at once and after each change of this question's entry, until the returned function is called
function follow(about, update) {
  const onNews = (news) => {
    if (news.detail === about.number) update();
  };
  document.addEventListener(NEWS, onNews);
  update();
  return () => document.removeEventListener(NEWS, onNews);
}

// Return the input elements for a choice, and the element that holds them
function makeChoice(choices, name) {
  const inputs = choices.map((value) => make("input", { type: "radio", name, value }));
  const labels = inputs.map((input) => make("label", {}, input, make("span", {}, input.value)));
  return [inputs, make("fieldset", {}, make("legend", {}, "Your guess"), ...labels)];
}
// Return the input element for a number in a list, and the element that holds it
function makeLine(unit, id) {
  const field = make("input", { type: "text", id, inputMode: "decimal", enterKeyHint: "done", autocomplete: "off" });
  field.spellcheck = false;
  const minus = make("button", { className: "om-guess-minus", type: "button", ariaLabel: "minus" }, "−");
  minus.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  minus.addEventListener("click", () => {
    field.focus();
    field.setRangeText("-", 0, 0, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const label = make("label", { htmlFor: id }, "Your guess");
  return [[field], make("div", { className: "om-guess-line" }, label, field, minus, make("span", {}, unit))];
}

// Return a sentence about what becomes of a guess
function describeGuess(isNumber, guess, isFinal) {
  if (isNumber && guess && Number.isNaN(number(guess))) return "Write a number, like 137 or −0.5 or 1/256.";
  if (isFinal) return "You have met the result, so this guess stays.";
  if (guess) return "This browser keeps it until the result comes.";
  return isNumber ? "A rough number will do." : "Choose one, then read on.";
}

// Put the field of a question into `el`, with a note on what becomes of the guess. `onGuess` is called with each
// guess; `questionId` is the id of the question's text, if the page has it.
function ask(el, about, onGuess, questionId) {
  const name = `om-guess-${Math.random().toString(36).slice(2)}`; // every view of a question needs ids of its own
  const isNumber = !about.choices.length;
  const [inputs, box] = isNumber ? makeLine(about.unit, name) : makeChoice(about.choices, name);
  const described = [questionId, `${name}-note`].filter(Boolean).join(" ");
  (isNumber ? inputs[0] : box).setAttribute("aria-describedby", described);
  const note = make("p", { className: "om-guess-note", id: `${name}-note`, role: "status" });
  const forget = make("button", { type: "button" }, "Forget my guess");
  const form = make("form", { className: "om-guess" }, box, make("div", { className: "om-guess-foot" }, note, forget));
  form.dataset.prediction = about.number;

  let isWriting = false; // what the reader is writing must not be overwritten
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const guess = inputs.find((input) => isNumber || input.checked)?.value ?? "";
    isWriting = true;
    onGuess(guess);
    store(about, guess.trim() ? { guess } : undefined);
    isWriting = false;
  });
  forget.addEventListener("click", () => {
    onGuess("");
    store(about);
    inputs[0].focus();
  });
  el.append(form);
  return follow(about, () => {
    const { guess = "", seen: isFinal = false } = findEntry(about);
    for (const input of inputs) {
      if (isNumber) input.readOnly = isFinal;
      if (isNumber && !isWriting) input.value = guess;
      if (!isNumber) input.checked = input.value === guess;
      if (!isNumber) input.disabled = isFinal && !input.checked;
    }
    form.classList.toggle("om-met", isFinal);
    forget.hidden = !guess;
    const sentence = describeGuess(isNumber, guess, isFinal);
    if (note.textContent !== sentence) note.textContent = sentence;
  });
}

// Put the guess beside the result into `el`, under the question. A reader has seen the result after a second on the
// screen; from then on the guess stays.
function show(el, about, label, back, question = []) {
  const sentence = make("span"),
    sign = make("span", { className: "om-result-sign", ariaHidden: "true" }); // the sentence says the same
  const heading = make("p", { className: "om-result-asked" }, label, " ", ...question);
  const line = make("p", { className: "om-result-told" }, sign, sentence, back);
  const card = make("div", { className: "om-result" }, heading, line);
  el.append(card);
  let timer;
  const observer = new IntersectionObserver(
    (entries) => {
      clearTimeout(timer);
      if (entries.at(-1).isIntersecting)
        timer = setTimeout(() => {
          const { guess, seen: isFinal } = findEntry(about);
          if (guess && !isFinal && verdict(about, guess)[1]) store(about, { seen: true });
        }, 1000);
    },
    { threshold: 0.9 },
  );
  observer.observe(card);
  const unfollow = follow(about, () => {
    const { guess = "" } = findEntry(about);
    const [fits, sentences] = guess ? verdict(about, guess) : [null, ""];
    card.classList.toggle("om-fits", fits === true);
    card.classList.toggle("om-misses", fits === false);
    sign.textContent = fits === null ? "" : fits ? "✓" : "✗";
    sentence.textContent = `${sentences || `It is: ${outcome(about)}. You made no guess. `}`;
    back.hidden = Boolean(sentences);
  });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    unfollow();
  };
}

// Show a question or a result in a notebook. If the browser keeps nothing, the kernel keeps the guess while it runs.
function render({ model, el }) {
  const about = Object.fromEntries(["number", "choices", "unit", "values"].map((name) => [name, model.get(name)]));
  about.said = model.get("answer"); // the stored outputs of notebooks have the answer under this key
  const guess = model.get("guess");
  el.classList.add("om-alone");
  if (guess && !findEntry(about).guess) store(about, { guess });
  const isQuestion = about.said === undefined;
  if (isQuestion)
    return ask(el, about, (newGuess) => {
      model.set("guess", newGuess);
      model.save_changes();
    });
  const back = make("button", {}, "Back to the question");
  back.addEventListener("click", () =>
    document.querySelector(`form[data-prediction="${about.number}"] input`)?.focus(),
  );
  return show(el, about, make("strong", {}, `Prediction ${about.number}.`), back);
}

export default { render, ask, show, findEntry };
