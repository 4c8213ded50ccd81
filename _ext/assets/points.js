// Points add up: those of a page above its questions, and all of them on the page about the exercises.
(() => {
  const { kept, forget, root } = window.omKept;
  const add = (all) => all.reduce((sum, points) => sum + points, 0);
  const sum = (questions) => {
    const answers = kept("answers");
    const got = questions.filter(({ key }) => answers[key]?.got);
    return { got: add(got.map((q) => q.points)), all: add(questions.map((q) => q.points)) };
  };

  function onThisPage(line) {
    const questions = [...document.querySelectorAll(".om-quiz")].map(({ dataset }) => ({
      key: dataset.key,
      points: Number(dataset.points),
    }));
    const review = link(`${root.href}chapters/appendix-review.html`, say("Review"));
    const all = link(`${root.href}chapters/appendix-exercises.html#points`, say("All your points"));
    const show = () =>
      line.replaceChildren(say("{got} of {all} points on this page.", sum(questions)), " ", all, " · ", review);
    show();
    document.addEventListener("om-answered", show);
    line.hidden = false;
  }

  function ofAllPages(box) {
    const chapters = JSON.parse(box.dataset.questions);
    const answers = kept("answers");
    const total = document.createElement("p");
    total.append(
      say(
        "You have {got} of {all} points on these pages. Your browser keeps them and tells nobody.",
        sum(chapters.flatMap((chapter) => chapter.questions)),
      ),
    );
    const list = document.createElement("ul");
    for (const { page, title, questions } of chapters) {
      if (!questions.some(({ key }) => answers[key])) continue;
      const item = document.createElement("li");
      item.append(link(`${page}#exercises`, title), `: ${say("{got} of {all} points", sum(questions))}`);
      questions
        .filter(({ key }) => answers[key]?.again)
        .forEach(({ id, title: name }, n) => {
          item.append(n ? ", " : `; ${say("to repeat:")} `, link(`${page}#${id}`, name));
        });
      list.append(item);
    }
    const review = document.createElement("p");
    const [before, after] = say("Some days later they come back on the page {review}.").split("{review}");
    review.append(before, link("appendix-review.html", say("Review")), after);
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      textContent: say("Forget everything kept by this browser"),
    });
    button.addEventListener("click", () => {
      if (!confirm(say("Forget your answers, points, reviews and guesses, what you have read, and where you were?")))
        return;
      forget();
      location.href = `${root.href}index.html`;
    });
    box.append(total, list, review, button);
  }
  const link = (href, textContent) => Object.assign(document.createElement("a"), { href, textContent });

  const line = document.querySelector("p.om-points"),
    box = document.querySelector("div.om-points");
  for (const mine of [line, box]) if (mine) mine.lang = document.documentElement.lang;
  if (line) onThisPage(line);
  if (box) ofAllPages(box);
})();
