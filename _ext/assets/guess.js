// Below "Predict." a field for a guess, and where the answer has been read, the guess again.
(() => {
  const { kept, keep, here } = window.omKept;

  // A question goes by its words: who changes it asks another one.
  const digest = (text) => [...text].reduce((sum, letter) => (31 * sum + letter.codePointAt(0)) >>> 0, 7).toString(36);

  // The end of the question's section; or of the next one, where nothing but a sentence follows the
  // question, as at the head of a chapter. What a section holds ends where its first part begins.
  function ending(question) {
    const own = question.closest("section"), all = [...document.querySelectorAll("article section")];
    const rest = [...own.children].slice([...own.children].indexOf(question) + 1);
    const section = rest.some((block) => !block.matches("p, section")) ? own : all[all.indexOf(own) + 1] ?? own;
    return [section, section.querySelector(":scope > section")];
  }

  document.querySelectorAll("article section blockquote").forEach((question, n) => {
    const first = question.querySelector("p:first-child > strong:first-child");
    if (first?.textContent !== "Predict.") return;
    const key = `${here} ${digest(question.textContent)}`;
    const field = Object.assign(document.createElement("textarea"), { id: `guess-${n}`, rows: 2 });
    const label = Object.assign(document.createElement("label"), { htmlFor: field.id, textContent: "Your guess" });
    const box = Object.assign(document.createElement("div"), { className: "om-guess" });
    box.append(label, field);
    const again = Object.assign(document.createElement("p"), { className: "om-guessed" });
    const [section, before] = ending(question);
    const show = () => {
      const guess = field.value.trim();
      again.textContent = `You guessed:${guess.includes("\n") ? "\n" : " "}${guess}`;
      if (guess) section.insertBefore(again, before);
      else again.remove();
    };
    field.value = kept("guesses")[key] ?? "";
    field.addEventListener("input", () => {
      keep("guesses", { [key]: field.value.trim() ? field.value : undefined });
      show();
    });
    show();
    question.append(box);
  });
})();
