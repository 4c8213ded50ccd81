// A guess before the explanation, and the same guess beside the result. A notebook shows each as a
// widget; on a page _ext/predictions/ puts them where the notebook has them.

// --- What is kept: by the question's number { asked, guess, seen }, in this browser alone ---

const alone = {
  // where the page's own kept.js is not
  kept(record) {
    const now = globalThis.omGuesses ?? {}; // where storage fails: until the notebook is left
    try {
      return { ...JSON.parse(localStorage.getItem(`om-${record}`)), ...now };
    } catch {
      return now;
    }
  },
  keep(record, change) {
    const all = { ...alone.kept(record), ...change };
    try {
      localStorage.setItem(`om-${record}`, JSON.stringify(all));
    } catch {
      globalThis.omGuesses = all;
    }
  },
};
const { kept, keep } = globalThis.omKept ?? alone;

// A guess is one for as long as it is among the choices, whatever becomes of the others; a number, while
// its unit is the same. A result that came without its question knows one of the choices.
const words = (about) => [...about.choices, about.unit].join(" | ");
function found(about) {
  const entry = kept("guesses")[about.number];
  if (!entry?.guess) return {};
  if (about.choices.length) return about.choices.includes(entry.guess) ? entry : {};
  const lone = about.values?.length === 0;
  const same = lone ? entry.asked.split(" | ").includes(about.said) : entry.asked === words(about);
  return same ? entry : {};
}

// --- What is said ---

// A number as people write it: 1,234.5 or 0,5 or −2 or 1/256 or 60 %. NaN for anything else.
export function number(text) {
  const [top, bottom = "1", more] = text.replace(/[−–]/g, "-").replace(/%\s*$/, "").split("/");
  if (more !== undefined) return NaN;
  const one = (part) => {
    const grouped = /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(part);
    const plain = grouped ? part.replaceAll(",", "") : part.replace(",", ".");
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  };
  const value = one(top.trim()) / one(bottom.trim());
  return Number.isFinite(value) ? value : NaN;
}

// How many times, with two digits: 1.7, 60, 8,100
function times(ratio) {
  if (ratio > 1e6) return "more than a million times";
  return `${Number(ratio.toPrecision(2)).toLocaleString("en")} times`;
}

// A guess beside a number or the two ends of a range: [whether it fits, what to say of it]
export function compared(guess, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)],
    one = low === high;
  if (guess >= low && guess <= high) return [true, one ? ". So it is." : ": you are within."];
  const end = guess < low ? low : high,
    less = guess < end,
    too = less ? "too low" : "too high";
  if (guess * end < 0) return [false, ": the other sign."];
  if (guess === 0 || end === 0) return [false, `: your guess is ${too}.`];
  const ratio = guess / end,
    off = Math.abs(ratio - 1),
    by = `${Math.round(100 * off)} % ${too}`;
  if (off < 0.005) return [true, ": as good as right."];
  if (off <= 0.1) return [true, `: close, ${by}.`];
  if (ratio > 0.5 && ratio < 2) return [false, `: your guess is ${by}.`];
  if (ratio < 1) {
    return [false, `: ${one ? "" : "at least "}${times(1 / ratio)} your guess.`];
  }
  const what = one ? "that" : less ? "the smallest of them" : "the largest of them";
  return [false, `. Your guess is ${times(ratio)} ${what}.`];
}

// What came out, with its unit
export const outcome = ({ said, values, unit }) => `${values.length ? said.replaceAll("-", "−") : said} ${unit}`.trim();

// All that is said of a guess once the result is known: [whether it fits, the sentences]; of a line
// that is no number, nothing
export function verdict(about, guess) {
  const it = outcome(about);
  if (!about.values.length)
    return guess === about.said
      ? [true, `You guessed: ${guess}. So it is.`]
      : [false, `You guessed: ${guess}. It is: ${it}.`];
  const value = number(guess);
  if (Number.isNaN(value)) return [null, ""];
  const [fits, how] = compared(value, about.values);
  if (about.values.every((end) => end === value)) return [fits, `You guessed ${it}. So it is.`];
  return [fits, `You guessed ${guess.trim()}; it is ${it}${how}`];
}

// --- What is shown ---

const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const NEWS = "om-guessed"; // a guess was made, changed, forgotten or met by its result

function tell(about, change) {
  const before = found(about);
  keep("guesses", { [about.number]: change && { asked: words(about), ...before, ...change } });
  document.dispatchEvent(new CustomEvent(NEWS, { detail: about.number }));
}
// Called at once, and with each piece of news of this question, until the returned function is
function follow(about, show) {
  const heard = (news) => {
    if (news.detail === about.number) show();
  };
  document.addEventListener(NEWS, heard);
  show();
  return () => document.removeEventListener(NEWS, heard);
}

// Choices, or a line for a number: the fields, and what they stand in
function choice(choices, name) {
  const inputs = choices.map((value) => made("input", { type: "radio", name, value }));
  const labels = inputs.map((input) => made("label", {}, input, made("span", {}, input.value)));
  return [inputs, made("fieldset", {}, made("legend", {}, "Your guess"), ...labels)];
}
function line(unit, id) {
  const field = made("input", { type: "text", id, inputMode: "decimal", enterKeyHint: "done", autocomplete: "off" });
  field.spellcheck = false;
  const minus = made("button", { className: "om-guess-minus", type: "button", ariaLabel: "minus" }, "−");
  minus.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  minus.addEventListener("click", () => {
    field.focus();
    field.setRangeText("-", 0, 0, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const label = made("label", { htmlFor: id }, "Your guess");
  return [[field], made("div", { className: "om-guess-line" }, label, field, minus, made("span", {}, unit))];
}

// What becomes of a guess
function noted(isNumber, guess, seen) {
  if (isNumber && guess && Number.isNaN(number(guess))) return "Write a number, like 137 or −0.5 or 1/256.";
  if (seen) return "You have met the result, so this guess stays.";
  if (guess) return "This browser keeps it until the result comes.";
  return isNumber ? "A rough number will do." : "Choose one, then read on.";
}

// The field below a question, with a word on what becomes of the guess. `told` hears of it.
function ask(el, about, told, above) {
  const name = `om-guess-${Math.random().toString(36).slice(2)}`; // each its own, and each view of it
  const isNumber = !about.choices.length;
  const [inputs, box] = isNumber ? line(about.unit, name) : choice(about.choices, name);
  const described = [above, `${name}-note`].filter(Boolean).join(" ");
  (isNumber ? inputs[0] : box).setAttribute("aria-describedby", described);
  const note = made("p", { className: "om-guess-note", id: `${name}-note`, role: "status" });
  const again = made("button", { type: "button" }, "Forget my guess");
  const form = made("form", { className: "om-guess" }, box, made("div", { className: "om-guess-foot" }, note, again));
  form.dataset.prediction = about.number;

  let writing = false; // what is being written is not written over
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const guess = inputs.find((input) => isNumber || input.checked)?.value ?? "";
    writing = true;
    told(guess);
    tell(about, guess.trim() ? { guess } : undefined);
    writing = false;
  });
  again.addEventListener("click", () => {
    told("");
    tell(about);
    inputs[0].focus();
  });
  el.append(form);
  return follow(about, () => {
    const { guess = "", seen = false } = found(about);
    for (const input of inputs) {
      if (isNumber) input.readOnly = seen;
      if (isNumber && !writing) input.value = guess;
      if (!isNumber) input.checked = input.value === guess;
      if (!isNumber) input.disabled = seen && !input.checked;
    }
    form.classList.toggle("om-met", seen);
    again.hidden = !guess;
    const said = noted(isNumber, guess, seen);
    if (note.textContent !== said) note.textContent = said;
  });
}

// The guess beside the result, under the question. Who had it on the screen for a second has seen it.
function show(el, about, label, back, question = []) {
  const says = made("span"),
    sign = made("span", { className: "om-result-sign", ariaHidden: "true" }); // the sentence says it, too
  const asked = made("p", { className: "om-result-asked" }, label, " ", ...question);
  const told = made("p", { className: "om-result-told" }, sign, says, back);
  const card = made("div", { className: "om-result" }, asked, told);
  el.append(card);
  let timer;
  const watch = new IntersectionObserver(
    (entries) => {
      clearTimeout(timer);
      if (entries.at(-1).isIntersecting)
        timer = setTimeout(() => {
          const { guess, seen } = found(about);
          if (guess && !seen && verdict(about, guess)[1]) tell(about, { seen: true });
        }, 1000);
    },
    { threshold: 0.9 },
  );
  watch.observe(card);
  const end = follow(about, () => {
    const { guess = "" } = found(about);
    const [fits, said] = guess ? verdict(about, guess) : [null, ""];
    card.classList.toggle("om-fits", fits === true);
    card.classList.toggle("om-misses", fits === false);
    sign.textContent = fits === null ? "" : fits ? "✓" : "✗";
    says.textContent = `${said || `It is: ${outcome(about)}. You made no guess. `}`;
    back.hidden = Boolean(said);
  });
  return () => {
    clearTimeout(timer);
    watch.disconnect();
    end();
  };
}

// In a notebook. Where the browser keeps nothing, the kernel knows the guess while it runs.
function render({ model, el }) {
  const about = Object.fromEntries(
    ["number", "choices", "unit", "said", "values"].map((name) => [name, model.get(name)]),
  );
  const guess = model.get("guess");
  el.classList.add("om-alone");
  if (guess && !found(about).guess) tell(about, { guess });
  if (about.said === undefined)
    return ask(el, about, (now) => {
      model.set("guess", now);
      model.save_changes();
    });
  const back = made("button", {}, "Back to the question");
  back.addEventListener("click", () =>
    document.querySelector(`form[data-prediction="${about.number}"] input`)?.focus(),
  );
  return show(el, about, made("strong", {}, `Prediction ${about.number}.`), back);
}

export default { render, ask, show, found };
