// When a question comes back: at once after a mistake, and 1, 3, 7 and 21 days after a right answer.
// Kept as { step, at, variant }: so many right answers, each of them due, since `at`; which numbers.
window.omAgain = (() => {
  const { kept, keep, root, here } = window.omKept;
  const WAITS = [0, 1, 3, 7, 21]; // days, after so many right answers; then it is learned
  const DAY = 86_400_000;

  // Days begin at midnight where the reader is: what was answered in the evening is due next morning
  const day = (time) => Math.floor((time - 60_000 * new Date(time).getTimezoneOffset()) / DAY);

  const dueOn = ({ step, at }) => (step < WAITS.length ? day(at) + WAITS[step] : Infinity);
  const isDue = (entry, now) => dueOn(entry) <= day(now);

  // Early answers don't count towards the next step, and a mistake begins anew
  function after(entry, right, now) {
    if (!right) return { step: 0, at: now };
    if (entry && !isDue(entry, now)) return { step: entry.step, at: entry.at };
    return { step: (entry?.step ?? 0) + 1, at: now };
  }

  // What is known of a question; one that was answered before there were reviews has waited long enough
  function entry(key) {
    const { got, again, variant = 0 } = kept("answers")[key] ?? {};
    return kept("reviews")[key] ?? (got || again ? { step: again ? 0 : 1, at: 0, variant } : undefined);
  }
  const answered = (key, right, variant) =>
    keep("reviews", { [key]: { ...after(entry(key), right, Date.now()), variant } });

  // The front page says so when something waits
  const start = [...document.querySelectorAll('article a[href="chapters/00-start-here.html"]')].find(
    (link) => !link.closest("ol, table"),
  );
  const waiting = Object.values(kept("reviews")).some((one) => isDue(one, Date.now()));
  if (["", "index.html"].includes(here) && start && waiting) {
    const href = `${root.href}chapters/appendix-exercises.html#review`;
    start.closest("p").append(" ", window.omMade("a", { href }, "Questions are back"));
  }
  return { entry, answered, after, isDue, dueOn, day };
})();
