// Shows the field below each question, and each result as a card that repeats the question. An experiment
// waits for the guess. The fields and cards are those of notebooks (pe_lib/course/predictions.mjs), which
// an earlier script has left in omPredictions.
(() => {
  const { ask, show, findEntry } = window.omPredictions;
  const { kept, keep } = window.omKept;
  /** @param {HTMLElement} host */
  const readPrediction = (host) => JSON.parse(host.dataset.prediction ?? "");
  /** @type {(href: string, text: string) => HTMLElement} */
  const makeLink = (href, text) => window.omMake("a", { href }, text);

  /** @type {NodeListOf<HTMLElement>} */
  const hosts = document.querySelectorAll(".om-predict");
  for (const host of hosts) {
    const question = host.previousElementSibling;
    if (!question) continue;
    question.id ||= `${host.id}-question`;
    ask(host, readPrediction(host), () => {}, question.id);
  }
  /** @type {NodeListOf<HTMLElement>} */
  const results = document.querySelectorAll(".om-predicted");
  for (const host of results) {
    const printedLink = host.querySelector("a");
    if (!printedLink) continue;
    const { number } = readPrediction(host);
    const question = document.querySelector(printedLink.hash)?.previousElementSibling;
    const parts = [...(question?.querySelectorAll("p") ?? [])].flatMap((line) => [
      ...line.cloneNode(true).childNodes,
      " ",
    ]);
    const words = parts.filter((part) => !(part instanceof Element && part.textContent === "Predict."));
    const label = makeLink(printedLink.href, `Prediction ${number}.`);
    show(host, readPrediction(host), label, makeLink(printedLink.href, "Back to the question"), words);
    // On paper the text stays; on the screen the card has the link already
    printedLink.replaceWith(printedLink.textContent);
  }

  // --- Experiments that wait, until a guess is made or the reader asks to be shown ---

  /** @param {Element} veil */
  const hiddenPart = (veil) => /** @type {HTMLElement} */ (veil.firstElementChild);
  /** @type {NodeListOf<HTMLElement>} */
  const veils = document.querySelectorAll(".om-veil");
  /** @param {Element} veil */
  const lift = (veil) => {
    veil.querySelector(":scope > p")?.remove();
    hiddenPart(veil).hidden = false;
  };
  for (const veil of veils) {
    const { number = "" } = veil.dataset;
    const host = /** @type {HTMLElement} */ (veil.previousElementSibling);
    const liftAfterGuess = () => findEntry(readPrediction(host)).guess && lift(veil);
    if (kept("veils").all || kept("veils")[number]) lift(veil);
    liftAfterGuess();
    host.addEventListener("change", liftAfterGuess); // a number counts when it is written, not while
    const liftForGood = () => {
      keep("veils", { [number]: true });
      lift(veil);
    };
    veil.querySelector(":scope > p button")?.addEventListener("click", () => {
      liftForGood();
      hiddenPart(veil).tabIndex = -1;
      hiddenPart(veil).focus({ preventScroll: true });
    });
    // The browser's own search has found something in it, or a link leads into it
    hiddenPart(veil).addEventListener("beforematch", liftForGood);
  }
  if (!veils.length) return;
  const input = window.omMake("input", { type: "checkbox", checked: Boolean(kept("veils").all) });
  const label = window.omMake("label", { className: "om-unveil" }, input, " Show results without a guess");
  document.querySelector(".om-toc, .om-menu")?.append(label);
  input.addEventListener("change", () => {
    keep("veils", { all: input.checked || undefined });
    if (input.checked) veils.forEach(lift);
  });
})();
