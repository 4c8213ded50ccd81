// The field below each question, and the guess again beside the result; both are made by the module
// that notebooks use, which came before as omPredictions.
(() => {
  const { ask, show } = window.omPredictions;
  const about = (host) => JSON.parse(host.dataset.prediction);
  const link = (href, textContent) => Object.assign(document.createElement("a"), { href, textContent });

  for (const host of document.querySelectorAll(".om-predict")) {
    const question = host.previousElementSibling;
    question.id ||= `${host.id}-question`;
    ask(host, about(host), () => {}, question.id);
  }
  for (const host of document.querySelectorAll(".om-predicted")) {
    const own = host.querySelector("a");
    const { number } = about(host);
    show(host, about(host), link(own.href, `Prediction ${number}.`), link(own.href, "Back to the question"));
    own.replaceWith(own.textContent); // what paper keeps; a screen reader would be told of two links
  }
})();
