// Sums up points: those of a page above its questions, and all of them on the page about the exercises.
(() => {
  const { kept, forget, root } = window.omKept;
  const add = (all) => all.reduce((sum, points) => sum + points, 0);
  const sum = (questions) => {
    const answers = kept("answers");
    const got = questions.filter(({ key }) => answers[key]?.got);
    return `${add(got.map((q) => q.points))} of ${add(questions.map((q) => q.points))} points`;
  };

  function onThisPage(line) {
    const questions = [...document.querySelectorAll(".om-quiz")].map(({ dataset }) => ({
      key: dataset.key,
      points: Number(dataset.points),
    }));
    const review = link(`${root.href}chapters/appendix-exercises.html#review`, "Review");
    const all = link(`${root.href}chapters/appendix-exercises.html#points`, "All your points");
    const show = () => line.replaceChildren(`${sum(questions)} on this page.`, " ", all, " · ", review);
    show();
    document.addEventListener("om-answered", show);
    line.hidden = false;
  }

  function ofAllPages(box) {
    const chapters = JSON.parse(box.dataset.questions);
    const answers = kept("answers");
    const got = sum(chapters.flatMap((chapter) => chapter.questions));
    const total = made("p", {}, `You have ${got} on these pages. Your browser keeps them and tells nobody.`);
    const list = made("ul");
    for (const { page, title, questions } of chapters) {
      if (!questions.some(({ key }) => answers[key])) continue;
      const item = made("li", {}, link(`${page}#exercises`, title), `: ${sum(questions)}`);
      questions
        .filter(({ key }) => answers[key]?.again)
        .forEach(({ id, title: name }, n) => {
          item.append(n ? ", " : "; to repeat: ", link(`${page}#${id}`, name));
        });
      list.append(item);
    }
    const review = made("p", {}, "Some days later they come back under ", link("#review", "Review"), ".");
    const button = made("button", { type: "button" }, "Forget everything kept by this browser");
    button.addEventListener("click", () => {
      if (!confirm("Forget your answers, points, reviews and guesses, what you have read, and where you were?")) return;
      forget();
      location.href = `${root.href}index.html`;
    });
    box.append(total, list, review, button);
  }
  const made = window.omMake;
  const link = (href, said) => made("a", { href }, said);

  const line = document.querySelector("p.om-points"),
    box = document.querySelector("div.om-points");
  if (line) onThisPage(line);
  if (box) ofAllPages(box);
})();
