// Asks questions of the chapters again with other numbers: three at the head of a later chapter, and those
// that are due in the section Review. Each question is a script that is loaded when it is needed, because a
// page from disk can load scripts but fetch nothing.
(() => {
  const { kept, keep } = window.omKept,
    { entry, isDue, dueOn, day } = window.omAgain;
  const folder = new URL("questions/", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
  const made = (tag, className = "", ...said) => window.omMake(tag, { className }, ...said);
  const link = (href, said) => window.omMake("a", { href }, said);
  const scripts = {};

  // A key such as "04-sine-and-cosine slow_sine" holds the chapter of a question and its name
  function place(key) {
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
      const script = Object.assign(made("script"), { src: folder + place(key).file, onload: done, onerror: fail });
      document.head.append(script);
    }));

  // Make a box with a question, with the numbers after those that the reader had last
  /** @param {[key: string, title: string]} question @param {(right: boolean) => void} [judged] */
  async function ask([key, title], judged = () => {}) {
    const box = made("div", "om-again"),
      { page, chapter } = place(key),
      head = made("p");
    head.append(link(page, title), ` · chapter ${chapter}`);
    try {
      await load(key);
      box.innerHTML = window.omQuestions[key];
      window.omScrolling(box);
    } catch {
      box.append(made("p", "", "This question could not be loaded. It stands in its chapter."));
    }
    box.prepend(head);
    const form = box.querySelector("form"),
      before = entry(key)?.variant ?? kept("answers")[key]?.variant;
    if (form) window.omQuiz.start(form, { variant: before === undefined ? 0 : before + 1, kept: false, judged });
    return box;
  }
  const questions = (box) => JSON.parse(box.dataset.questions);

  // Ask three questions: the reader's mistakes first, then those that lead the list
  function warmUp(box) {
    const all = questions(box),
      mistaken = all.filter(([key]) => entry(key)?.step === 0);
    const chosen = [...mistaken, ...all.filter((one) => !mistaken.includes(one))].slice(0, 3);
    const asked = made("div");
    box
      .querySelector("p")
      .replaceWith(
        made(
          "p",
          "",
          "From earlier chapters; those that you once missed come first. Nothing here counts towards points.",
        ),
        asked,
      );
    let opened = false; // the box may be open from the last visit, or the reader opens it
    async function open() {
      if (opened || !box.open) return;
      opened = true;
      asked.append(...(await Promise.all(chosen.map((one) => ask(one)))));
    }
    box.addEventListener("toggle", open);
    open();
  }

  const days = (n) => (n === 1 ? "tomorrow" : `in ${n} days`);

  // Ask one question at a time, mistakes first, then the one that has waited longest
  function review(box) {
    const all = questions(box),
      known = new Set(all.map(([key]) => key));
    const stale = Object.keys(kept("reviews")).filter((key) => !known.has(key)); // of questions that no longer exist
    if (stale.length) keep("reviews", Object.fromEntries(stale.map((key) => [key, undefined])));
    const status = made("p", "om-due"),
      place = made("div");
    status.setAttribute("role", "status");
    box.replaceChildren(status, place);

    function due(last) {
      const waits = ([key]) => (entry(key).step ? dueOn(entry(key)) : -Infinity);
      return all
        .filter(([key]) => entry(key) && isDue(entry(key), Date.now()))
        .sort((one, other) => Number(one === last) - Number(other === last) || waits(one) - waits(other));
    }
    function tell() {
      const now = due().length,
        later = all.map(([key]) => entry(key)).filter((one) => one && !isDue(one, Date.now()));
      const next = Math.min(...later.map(dueOn)) - day(Date.now());
      const learned = later.filter((one) => dueOn(one) === Infinity).length,
        waiting = later.length - learned;
      status.textContent = [
        now ? `${now} ${now === 1 ? "question is" : "questions are"} due.` : "Nothing is due.",
        waiting ? `${waiting} more ${waiting === 1 ? "comes" : "come"} back later, the next ${days(next)}.` : "",
        learned
          ? `${learned} ${learned === 1 ? "question" : "questions"} answered right for a month ${learned === 1 ? "rests" : "rest"}.`
          : "",
        now || later.length ? "" : "Answer some at the end of a chapter, and they come back here.",
      ]
        .join(" ")
        .trim();
    }
    async function show(last) {
      tell();
      const [first] = due(last);
      if (!first) return place.replaceChildren();
      const next = made("button", "om-next-question", "Another question");
      next.type = "button";
      next.addEventListener("click", async () => {
        await show(first);
        place.querySelector("input")?.focus();
      });
      const asked = await ask(first, (right) => {
        tell();
        next.textContent = right ? "Next question" : "Another question";
        next.hidden = !due().some((one) => one !== first);
      });
      next.hidden = due(first).length < 2;
      place.replaceChildren(asked, next);
    }
    show();
  }

  document.querySelectorAll(".om-warmup").forEach(warmUp);
  document.querySelectorAll("div.om-review").forEach(review);
})();
