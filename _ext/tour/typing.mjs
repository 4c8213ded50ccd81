// The reader's own sentence: what may be typed, what the page's address says of it, and the form below the picture.
import { range } from "../../pe_lib/course/explorers/maths.mjs";

const MOST_WORDS = 12,
  MOST_LETTERS = 14,
  ID = "sentence";
export const VIEWS = [
  ["clocks", "the clocks"],
  ["alone", "attention without clocks"],
  ["both", "attention with clocks"],
];

// Return the words of a typed text: at most twelve, none longer than fourteen letters, and nothing invisible.
// A text of fewer than two words is no sentence, and gives undefined.
export function readWords(typedText) {
  const visible = typedText.normalize("NFC").replace(/\p{C}/gu, " "),
    words = visible.split(/\s+/u).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length < 2) return undefined;
  return words.map((word) => [...word].slice(0, MOST_LETTERS).join(""));
}

// Return the order in an address if it names each of `count` positions once, or the order of the sentence.
function readOrder(numbers, count) {
  const order = (numbers ?? "").split(",").map(Number),
    isOrder = order.length === count && range(count).every((k) => order.includes(k));
  return isOrder ? order : range(count);
}

// Return the state in the page's address, or undefined if it has no sentence.
export function readAddress({ search, hash }, start) {
  const query = new URLSearchParams(search),
    words = readWords(query.get("words") ?? "");
  if (hash !== `#${ID}` || !words) return undefined;
  const view = VIEWS.map(([name]) => name).find((name) => name === query.get("show")) ?? "clocks";
  return { ...start, words, order: readOrder(query.get("order"), words.length), view };
}

// Return the address of the page with this state in it.
export function writeAddress(page, { words, order, view }) {
  const query = new URLSearchParams({ words: words.join(" "), order: order.join(), show: view });
  return `${page.split(/[?#]/)[0]}?${query}#${ID}`;
}

// Let the form change the state. `change(next)` is called with each new state, and `get()` returns the current one.
export function connectForm(form, { get, change }) {
  const { words, view } = form.elements;
  form.classList.add("om-ready"); // without a script the form would do nothing, so it is invisible until now
  words.value = get().words.join(" ");
  view.value = get().view;
  words.addEventListener("input", () => {
    const next = readWords(words.value);
    if (!next || next.join(" ") === get().words.join(" ")) return;
    change({ words: next, order: range(next.length), position: Math.min(get().position, next.length - 1) });
  });
  for (const option of view) option.addEventListener("change", () => change({ view: option.value }));
  form.addEventListener("submit", (event) => event.preventDefault());
}
