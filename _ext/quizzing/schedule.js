// Decides when a question comes back: at once after a mistake, and 1, 3, 7 and 21 days after right answers.
// An entry is { step, at, variant }: the count of answers that were right when they were due, the time of the
// last answer, and the variant of the question that it answered.
window.omAgain = (() => {
  const { kept, keep, root, here } = window.omKept;
  const WAITS = [0, 1, 3, 7, 21]; // days to wait after 0, 1, 2, … right answers; then the question is learned
  const DAY = 86_400_000;

  // Days begin at the reader's midnight, so that an evening's answers are due the next morning
  const day = (time) => Math.floor((time - 60_000 * new Date(time).getTimezoneOffset()) / DAY);

  const dueOn = ({ step, at }) => (step < WAITS.length ? day(at) + WAITS[step] : Infinity);
  const isDue = (entry, now) => dueOn(entry) <= day(now);

  // Return the entry after an answer. An early answer does not count, and a mistake starts from the beginning.
  function after(entry, isRight, now) {
    if (!isRight) return { step: 0, at: now };
    if (entry && !isDue(entry, now)) return { step: entry.step, at: entry.at };
    return { step: (entry?.step ?? 0) + 1, at: now };
  }

  // Return the entry of a question. A question that was only answered in its chapter is due now.
  function entry(key) {
    const { got, again, variant = 0 } = kept("answers")[key] ?? {};
    return kept("reviews")[key] ?? (got || again ? { step: again ? 0 : 1, at: 0, variant } : undefined);
  }
  const answered = (key, isRight, variant) =>
    keep("reviews", { [key]: { ...after(entry(key), isRight, Date.now()), variant } });

  // Say on the front page that questions are due
  const start = [...document.querySelectorAll('article a[href="chapters/00-start-here.html"]')].find(
    (link) => !link.closest("ol, table"),
  );
  const waiting = Object.values(kept("reviews")).some((review) => isDue(review, Date.now()));
  if (["", "index.html"].includes(here) && start && waiting) {
    const href = `${root.href}chapters/appendix-exercises.html#review`;
    start.closest("p").append(" ", window.omMake("a", { href }, "Questions are back"));
  }
  return { entry, answered, after, isDue, dueOn, day };
})();
