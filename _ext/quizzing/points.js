// Shows how many points the reader has: those of a page above its questions, and the total on the page about the
// exercises.
(() => {
  const { kept, forget, root } = window.omKept;
  const addPoints = (questions) => questions.reduce((sum, { points }) => sum + points, 0);
  const describePoints = (questions) => {
    const answers = kept("answers");
    const solved = questions.filter(({ key }) => answers[key]?.got);
    return `${addPoints(solved)} of ${addPoints(questions)} points`;
  };

  function showPagePoints(line) {
    const questions = [...document.querySelectorAll(".om-quiz")].map(({ dataset }) => ({
      key: dataset.key,
      points: Number(dataset.points),
    }));
    const review = link(`${root.href}chapters/appendix-exercises.html#review`, "Review");
    const all = link(`${root.href}chapters/appendix-exercises.html#points`, "All your points");
    const run = link(`${root.href}chapters/appendix-exercises.html#run`, "Next question");
    const show = () =>
      line.replaceChildren(`${describePoints(questions)} on this page.`, " ", all, " · ", review, " · ", run);
    show();
    document.addEventListener("om-answered", show);
    line.hidden = false;
  }

  function showAllPoints(box) {
    const chapters = JSON.parse(box.dataset.questions);
    const answers = kept("answers");
    const points = describePoints(chapters.flatMap((chapter) => chapter.questions));
    const total = make("p", {}, `You have ${points} on these pages. Your browser keeps them and tells nobody.`);
    const list = make("ul");
    for (const { page, title, questions } of chapters) {
      if (!questions.some(({ key }) => answers[key])) continue;
      const item = make("li", {}, link(`${page}#exercises`, title), `: ${describePoints(questions)}`);
      questions
        .filter(({ key }) => answers[key]?.again)
        .forEach(({ id, title: name }, n) => {
          item.append(n ? ", " : "; to repeat: ", link(`${page}#${id}`, name));
        });
      list.append(item);
    }
    const review = make("p", {}, "Some days later they come back under ", link("#review", "Review"), ".");
    const button = make("button", { type: "button" }, "Forget everything kept by this browser");
    button.addEventListener("click", () => {
      if (!confirm("Forget your answers, points, reviews and guesses, what you have read, and where you were?")) return;
      forget();
      location.href = `${root.href}index.html`;
    });
    box.append(total, list, review, button);
  }
  const make = window.omMake;
  const link = (href, text) => make("a", { href }, text);

  const line = document.querySelector("p.om-points"),
    box = document.querySelector("div.om-points");
  if (line) showPagePoints(line);
  if (box) showAllPoints(box);
})();
