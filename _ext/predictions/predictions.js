// The field below each question, the experiment that waits for a guess, and the result as a card that
// repeats the question. Fields and results are made by the module that notebooks use, which came before
// as omPredictions.
(() => {
  const { ask, show, found } = window.omPredictions;
  const { kept, keep } = window.omKept;
  const about = (host) => JSON.parse(host.dataset.prediction);
  const link = (href, said) => window.omMade("a", { href }, said);

  for (const host of document.querySelectorAll(".om-predict")) {
    const question = host.previousElementSibling;
    question.id ||= `${host.id}-question`;
    ask(host, about(host), () => {}, question.id);
  }
  for (const host of document.querySelectorAll(".om-predicted")) {
    const own = host.querySelector("a");
    const { number } = about(host);
    const question = document.querySelector(own.hash).previousElementSibling;
    const lines = [...question.querySelectorAll("p")].flatMap((line) => [...line.cloneNode(true).childNodes, " "]);
    const asked = lines.filter((part) => !(part instanceof Element && part.textContent === "Predict."));
    const above = link(own.href, `Prediction ${number}.`);
    show(host, about(host), above, link(own.href, "Back to the question"), asked);
    own.replaceWith(own.textContent); // what paper keeps; a screen reader would be told of two links
  }

  // --- What waits: until a guess stands, or somebody asks to be shown ---

  const waiting = (veil) => /** @type {HTMLElement} */ (veil.lastElementChild);
  const veils = document.querySelectorAll(".om-veil");
  const lift = (veil) => {
    veil.querySelector(":scope > p")?.remove();
    waiting(veil).hidden = false;
  };
  for (const veil of veils) {
    const { number } = veil.dataset;
    const host = veil.previousElementSibling;
    const guessed = () => found(about(host)).guess && lift(veil);
    if (kept("veils").all || kept("veils")[number]) lift(veil);
    guessed();
    host.addEventListener("change", guessed); // a number when it is written, not while
    const shown = () => {
      keep("veils", { [number]: true });
      lift(veil);
    };
    veil.querySelector("button")?.addEventListener("click", () => {
      shown();
      waiting(veil).tabIndex = -1;
      waiting(veil).focus({ preventScroll: true });
    });
    waiting(veil).addEventListener("beforematch", shown); // found by the browser's search, or linked to
  }
  if (!veils.length) return;
  const input = window.omMade("input", { type: "checkbox", checked: Boolean(kept("veils").all) });
  const label = window.omMade("label", { className: "om-unveil" }, input, " Show results without a guess");
  document.querySelector(".om-toc, .om-menu").append(label);
  input.addEventListener("change", () => {
    keep("veils", { all: input.checked || undefined });
    if (input.checked) veils.forEach(lift);
  });
})();
