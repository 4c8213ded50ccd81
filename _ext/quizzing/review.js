// Asks questions of the chapters again with other numbers: three at the head of a later chapter, and those
// that are due in the section Review. Each question is a script of its own, because a page that is opened from
// disk can load scripts but fetch nothing.
(() => {
  const { kept, keep } = window.omKept,
    { entry, isDue, dueOn, day } = window.omAgain;
  const folder = new URL("questions/", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
  const make = (tag, className = "", ...children) => window.omMake(tag, { className }, ...children);
  const link = (href, text) => window.omMake("a", { href }, text);
  const scripts = {};

  // A key such as "04-sine-and-cosine slow_sine" holds the sheet of a chapter and the name of a question
  function locate(key) {
    const [sheet, name] = key.split(" "),
      dashed = name.replaceAll("_", "-");
    return {
      page: `${sheet}.html#exercise-${dashed}`,
      file: `${sheet.slice(0, 2)}-${dashed}.js`,
      chapter: Number(sheet.slice(0, 2)),
    };
  }
  const load = (key) =>
    (scripts[key] ??= new Promise((done, fail) => {
      const script = Object.assign(make("script"), { src: folder + locate(key).file, onload: done, onerror: fail });
      document.head.append(script);
    }));

  // Return a box with a question. Its numbers are the next ones after those that the reader had last. In a run, `how`
  // says that the answer counts, and then the form itself goes on with the numbers that it had.
  /** @param {[key: string, title: string]} question @param {(isRight: boolean) => void} [onJudged] @param {Values} [how] */
  async function ask([key, title], onJudged = () => {}, how = { keepsAnswer: false, makeNext: () => undefined }) {
    const box = make("div", "om-again"),
      { page, chapter } = locate(key),
      head = make("p");
    head.append(link(page, title), ` · chapter ${chapter}`);
    try {
      await load(key);
      // The review may ask the same question on this page, and no two fields may have the same id
      box.innerHTML = window.omQuestions[key].replaceAll('"again-', `"${how.prefix ?? "again"}-`);
      window.omScrolling(box);
    } catch {
      box.append(make("p", "", "This question could not be loaded. It stands in its chapter."));
    }
    box.prepend(head);
    const form = box.querySelector("form"),
      lastVariant = entry(key)?.variant ?? kept("answers")[key]?.variant;
    if (form)
      window.omQuiz.start(form, {
        variant: lastVariant === undefined ? 0 : lastVariant + 1,
        onJudged,
        ...how,
      });
    return box;
  }
  const readQuestions = (box) => JSON.parse(box.dataset.questions);

  // Ask three questions: the reader's mistakes first, then those that lead the list
  function warmUp(box) {
    const all = readQuestions(box),
      mistaken = all.filter(([key]) => entry(key)?.step === 0);
    const chosen = [...mistaken, ...all.filter((question) => !mistaken.includes(question))].slice(0, 3);
    const questionList = make("div");
    box
      .querySelector("p")
      .replaceWith(
        make(
          "p",
          "",
          "From earlier chapters; those that you once missed come first. Nothing here counts towards points.",
        ),
        questionList,
      );
    // The box may be open from the last visit, or the reader opens it
    let isFilled = false;
    async function fill() {
      if (isFilled || !box.open) return;
      isFilled = true;
      questionList.append(...(await Promise.all(chosen.map((question) => ask(question)))));
    }
    box.addEventListener("toggle", fill);
    fill();
  }

  const formatDays = (n) => (n === 1 ? "tomorrow" : `in ${n} days`);

  // Ask one question at a time, mistakes first, then the one that has waited longest
  function review(box) {
    const all = readQuestions(box),
      keys = new Set(all.map(([key]) => key));
    const stale = Object.keys(kept("reviews")).filter((key) => !keys.has(key)); // their questions no longer exist
    if (stale.length) keep("reviews", Object.fromEntries(stale.map((key) => [key, undefined])));
    const status = make("p", "om-due"),
      place = make("div");
    status.setAttribute("role", "status");
    box.replaceChildren(status, place);

    function listDue(last) {
      const waitsUntil = ([key]) => (entry(key).step ? dueOn(entry(key)) : -Infinity);
      return all
        .filter(([key]) => entry(key) && isDue(entry(key), Date.now()))
        .sort((one, other) => Number(one === last) - Number(other === last) || waitsUntil(one) - waitsUntil(other));
    }
    function showStatus() {
      const now = listDue().length,
        later = all.map(([key]) => entry(key)).filter((review) => review && !isDue(review, Date.now()));
      const next = Math.min(...later.map(dueOn)) - day(Date.now());
      const learned = later.filter((review) => dueOn(review) === Infinity).length,
        waiting = later.length - learned;
      status.textContent = [
        now ? `${now} ${now === 1 ? "question is" : "questions are"} due.` : "Nothing is due.",
        waiting ? `${waiting} more ${waiting === 1 ? "comes" : "come"} back later, the next ${formatDays(next)}.` : "",
        learned
          ? `${learned} ${learned === 1 ? "question" : "questions"} answered right for a month ${learned === 1 ? "rests" : "rest"}.`
          : "",
        now || later.length ? "" : "Answer some at the end of a chapter, and they come back here.",
      ]
        .join(" ")
        .trim();
    }
    async function show(last) {
      showStatus();
      const [first] = listDue(last);
      if (!first) return place.replaceChildren();
      const next = make("button", "om-next-question", "Another question");
      next.type = "button";
      next.addEventListener("click", async () => {
        await show(first);
        place.querySelector("input")?.focus();
      });
      const question = await ask(first, (isRight) => {
        showStatus();
        next.textContent = isRight ? "Next question" : "Another question";
        next.hidden = !listDue().some((other) => other !== first);
      });
      next.hidden = listDue(first).length < 2;
      place.replaceChildren(question, next);
    }
    show();
  }

  // Ask the questions of all chapters that are not solved, one at a time, from easy to hard
  function run(box) {
    const all = readQuestions(box),
      skipped = new Set();
    const status = make("p", "om-solved"),
      place = make("div"),
      skip = make("button", "om-next-question", "Another question");
    skip.type = "button";
    status.setAttribute("role", "status");
    box.replaceChildren(status, place, skip);

    const begin = make("button", "", "Begin");
    begin.type = "button";
    begin.addEventListener("click", showAndFocus);
    const listUnsolved = () => all.filter(([key]) => !kept("answers")[key]?.got);
    function showStatus() {
      const count = listUnsolved().length;
      status.textContent = count
        ? `${all.length - count} of ${all.length} questions are solved.`
        : "You have solved all questions of these pages.";
      if (!count) begin.remove();
    }

    async function show() {
      const unsolved = listUnsolved();
      if (unsolved.every(([key]) => skipped.has(key))) skipped.clear();
      const next = unsolved.find(([key]) => !skipped.has(key));
      showStatus();
      skip.hidden = unsolved.length < 2;
      if (!next) return place.replaceChildren();
      status.append(` The next one is ${next[2]}.`);
      const makeNext = () => {
        const button = make("button", "", "Next question");
        button.type = "button";
        button.addEventListener("click", showAndFocus);
        return button;
      };
      const question = await ask(next, (isRight) => (skip.hidden ||= isRight), { makeNext, prefix: "run" });
      skip.onclick = () => {
        skipped.add(next[0]);
        showAndFocus();
      };
      place.replaceChildren(question);
    }
    skip.hidden = true;
    place.append(begin);
    showStatus();
    if (location.hash === "#run") show();

    // The head of the next question comes to the top, and its field gets the focus without opening a phone's pad
    async function showAndFocus() {
      await show();
      box.scrollIntoView({ block: "start" });
      if (matchMedia("(hover: hover)").matches) place.querySelector("input")?.focus({ preventScroll: true });
    }
  }

  document.querySelectorAll(".om-warmup").forEach(warmUp);
  document.querySelectorAll("div.om-mixed").forEach(run);
  document.querySelectorAll("div.om-review").forEach(review);
})();
