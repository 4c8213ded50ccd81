// Questions in the order of chapter 11's table, each answer taking schemes away, until advice is left.
/* global ABOUT */
import { element, fill } from "../frame/controls.mjs";
import { stage } from "../frame/stage.mjs";

// Each question with its answer, and where they lead: a question that is open, or advice; undefined for
// answers that a question does not have
export function follow({ questions, advice, first }, answers) {
  const asked = [];
  let at = first;
  for (const answer of answers) {
    if (advice[at] || typeof answer !== "string" || !Object.hasOwn(questions[at].answers, answer)) return undefined;
    asked.push([at, answer]);
    at = questions[at].answers[answer][1];
  }
  return { asked, at };
}

// The advice that can still be reached, and the schemes in it
export const ends = (table, at) =>
  table.advice[at] ? [at] : Object.values(table.questions[at].answers).flatMap(([, to]) => ends(table, to));
export const possible = (table, at) => new Set(ends(table, at).flatMap((end) => table.advice[end].schemes));

// The answers that lead to an end, undefined from where it cannot be reached
export function route(table, end, at = table.first) {
  if (table.advice[at]) return at === end ? [] : undefined;
  for (const [answer, [, to]] of Object.entries(table.questions[at].answers)) {
    const rest = route(table, end, to);
    if (rest) return [answer, ...rest];
  }
  return undefined;
}

// A small drawing for each scheme, in a square of 32
const DRAWN = {
  none: '<circle cx="16" cy="16" r="11" stroke-dasharray="3 4"/>',
  sinusoidal: '<path d="M2 16C6 2 9 2 13 16s7 14 11 0 4-9 6-12"/>',
  learned: '<path d="M5 5h22v22H5zM5 12.3h22M5 19.6h22M12.3 5v22M19.6 5v22"/>',
  relative: '<path d="M5 25V15M10.5 25V7M16 25v-4M21.5 25V11M27 25v-7"/>',
  alibi: '<path d="M4 5v22h24M4 7l23 17"/>',
  rotary: '<circle cx="16" cy="16" r="12"/><path d="M16 16V5M16 16l9 6M16 9a7 7 0 0 1 6 11"/>',
};

const COMPARE = "Between two that fit, train both on your task, with several seeds, at every length that will occur.";
const numbered = (stem) => Number(stem.slice(0, 2));

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const { table } = ABOUT,
    host = el.closest(".om-explorer");
  const folder = location.pathname.includes("/chapters/") ? "" : "chapters/";
  const set = (answers) => {
    model.set("answers", answers);
    model.save_changes();
  };

  const chips = Object.entries(table.schemes).map(([scheme, name]) => {
    const icon = element("span", { "aria-hidden": "true" });
    icon.innerHTML = `<svg viewBox="0 0 32 32" width="32" height="32" fill="none" stroke="currentColor" stroke-width="1.8">${DRAWN[scheme]}</svg>`;
    return element("li", { "data-scheme": scheme }, icon, element("span", { class: "ex-name" }, name));
  });
  const schemes = element("ul", { class: "ex-offered", "aria-label": "Schemes that are still possible" }, ...chips);
  const path = element("div", { class: "ex-path" });
  const advice = element("div", { class: "ex-advice ex-reading", tabindex: -1 }),
    heard = element("p", { class: "ex-heard om-hidden", "aria-live": "polite" });
  fill(el, schemes, element("div", { class: "ex-choosing" }, path, advice), heard);

  const button = (className, text, act, label = text) => {
    const made = element(
      "button",
      { type: "button", class: className, "aria-label": label, "data-lm-suppress-shortcuts": "true" },
      text,
    );
    made.addEventListener("click", () => {
      act();
      (path.querySelector(".ex-open button") ?? advice).focus();
    });
    return made;
  };

  // A question with the answer that it got, which asks it again, or with the answers that it can get
  function question([id, chosen], n) {
    const before = model.get("answers").slice(0, n),
      { answers } = table.questions[id];
    const asks = table.questions[id].asks,
      given = answers[chosen]?.[0];
    const again = given && `${given}: ask again`;
    const options = given
      ? [button("ex-answer ex-given", table.short[id]?.[chosen] ?? given, () => set(before), again)]
      : Object.entries(answers).map(([answer, [says]]) => button("ex-answer", says, () => set([...before, answer])));
    return element(
      "div",
      { class: given ? "ex-asked" : "ex-asked ex-open", role: "group", "aria-label": asks },
      element("span", {}, asks),
      element("span", { class: "ex-answers" }, ...options),
    );
  }

  // An end that can still be reached, as a shortcut: the answers that lead to it are given
  const end = (id) => button("ex-end", table.advice[id].says, () => set(route(table, id)));

  function reason([says, stem, section]) {
    const name = `chapter ${numbered(stem)}`;
    const where = host ? element("a", { href: `${folder}${stem}.html#${section}` }, name) : name;
    return element("li", {}, `${says} `, element("span", { class: "ex-where" }, "(", where, ")"));
  }

  function draw() {
    const { asked, at } = follow(table, model.get("answers")),
      found = table.advice[at],
      open = ends(table, at);
    path.replaceChildren(...(found ? asked : [...asked, [at]]).map(question));

    const left = possible(table, at);
    for (const chip of chips) {
      const out = !left.has(chip.dataset.scheme);
      chip.classList.toggle("ex-out", out);
      const scheme = table.schemes[chip.dataset.scheme];
      chip.setAttribute("aria-label", out ? `${scheme}: out` : `${scheme}: possible`);
    }
    advice.classList.toggle("ex-arrived", Boolean(found));
    advice.replaceChildren(
      ...(found
        ? [
            element("p", {}, element("b", {}, found.says)),
            element("ul", {}, ...found.reasons.map(reason)),
            ...(found.schemes.length === 2 ? [element("p", {}, COMPARE)] : []),
          ]
        : [element("p", {}, "Still possible:"), ...open.map(end)]),
    );
    const told = found
      ? `Advice: ${found.says}`
      : `${open.length} ${open.length === 1 ? "piece of advice is" : "pieces of advice are"} still possible.`;
    if (heard.textContent !== told) heard.textContent = told;
  }

  model.on("change:answers", draw);
  draw();
  return {
    stop: () => model.off("change:answers", draw),
    parts: { schemes: () => schemes, path: () => path, advice: () => advice },
  };
}

// The only advice with ALiBi in it, but for weights that have it already
export const done = {
  main: ({ answers }) =>
    answers.join() === "no,sequence,no,yes,yes"
      ? "Found: a causal text model that reads further than in training. ALiBi can, and looks at what is near."
      : "",
};

export default stage(ABOUT, scene, { done, fits: ({ answers }) => Boolean(follow(ABOUT.table, answers)) });
