// The questions at the end of a chapter: what a sheet's check says in a notebook, without a kernel.
// What was answered and said is kept, where kept.js came, and shown again.
(() => {
  const { kept, keep } = window.omKept ?? { kept: () => ({}), keep: () => {} };
  const turned = (text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(33 + (c.charCodeAt(0) + 14) % 94));

  // One number as people write it: 1,234.5 or 0,5 or −2 or 1/256. NaN for anything else.
  function number(text) {
    const [top, bottom = "1", more] = text.replace(/[−–]/g, "-").split("/");
    if (more !== undefined) return NaN;
    const one = (part) => {
      const grouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(part);
      const plain = grouped ? part.replaceAll(",", "") : part.replace(",", ".");
      return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
    };
    return one(top.trim()) / one(bottom.trim());
  }

  // Several, with spaces between them (and commas, if one likes), or commas alone, or semicolons
  function numbers(text) {
    const plain = text.replace(/[[\](){}]/g, " ").trim();
    const parts = plain.split(plain.includes(";") ? ";" : /\s/.test(plain) ? /\s+/ : ",");
    return parts.map((part) => part.trim().replace(/,$/, "")).filter(Boolean).map(number);
  }

  const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance * (1 + Math.abs(b));
  const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);

  // Whether two answers are the same one; pe_lib.course.grading.check.same
  function same({ kind, tolerance }, one, other) {
    if (kind === "choice") return one === other;
    if (kind === "set") [one, other] = [distinct(one), distinct(other)];
    return one.length === other.length && one.every((value, n) => near(value, other[n], tolerance));
  }

  // A hint that gives nothing away, for an answer that fits no known mistake; pe_lib.course.grading.check
  function difference({ kind, tolerance }, yours, right) {
    if (kind === "set") {
      const mine = distinct(yours), hits = mine.filter((value) => right.includes(value)).length;
      const extra = mine.filter((value) => !right.includes(value));
      const odd = extra[0] + (extra.length > 1 ? ` and ${extra.length - 1} more do` : " does");
      if (!extra.length) return "Each of yours fits, but there are more.";
      if (!hits) return "None of yours fits.";
      if (hits === distinct(right).length) return `All that fit are there, but ${odd} not.`;
      return `Of yours, ${hits} ${hits > 1 ? "fit" : "fits"}; ${odd} not, and some are missing.`;
    }
    if (yours.length !== right.length)
      return `${right.length === 1 ? "One number is" : `${right.length} numbers are`} wanted; you gave ${yours.length}.`;
    if (yours.every((value, n) => near(value, -right[n], 1e-6))) return "Only the sign is wrong.";
    const whole = right.every(Number.isInteger);
    if (!whole && yours.every((value, n) => Math.abs(value - right[n]) <= 1e-3 + 0.01 * Math.abs(right[n])))
      return "Close. Keep more digits on the way.";
    if (right.length === 1) return "Not the right value.";
    const off = yours.map((value, n) => !near(value, right[n], tolerance));
    const count = off.filter((x) => !x).length;
    return `${count} of ${right.length} ${count === 1 ? "is" : "are"} right. The first that is not: number ${off.indexOf(true) + 1}.`;
  }

  // Where it is asked again, nothing but when it is due is kept (again.js), and `judged` hears of it
  function start(form, { variant: first = 0, kept: own = true, judged = () => {} } = {}) {
    const asked = JSON.parse(turned(form.dataset.asked));
    const said = form.querySelector(".om-said");
    const field = form.querySelector("input[type=text]");
    const { hint, other } = form.elements;
    const places = givenAbove(form);
    // got: it was right once. again: the last answer was wrong, or the right one was shown.
    let { variant = first % asked.variants.length, hints = 0, got = false, again = false, ...last } = own ? kept("answers")[form.dataset.key] ?? {} : {};

    const typed = () => (field ? field.value : form.querySelector("input:checked")?.value ?? "");
    const note = () => {
      if (!own) return;
      keep("answers", { [form.dataset.key]: { ...last, variant, hints, got, again, answer: typed() } });
      document.dispatchEvent(new Event("om-answered"));
    };
    const show = (kind, head, text) => {
      said.dataset.kind = kind;
      said.innerHTML = `<strong>${head}</strong> ${text}`;
    };
    const say = (kind, head, text = "") => {
      last = { said: [kind, head, text] };
      show(kind, head, text);
      note();
    };
    const remember = (right) => {
      window.omAgain?.answered(form.dataset.key, right, variant);
      judged(right);
    };
    const ask = () => {
      places.forEach((place, n) => { place.textContent = asked.variants[variant].given[n]; });
      if (hints === asked.hints.length) hint.textContent = "Show the answer";
    };

    form.addEventListener("input", note);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { right, wrong } = asked.variants[variant];
      const written = typed();
      if (!written.trim()) return say("open", "○ Not answered yet.");
      const one = asked.kind === "number";
      const answer = field ? (one ? [number(written)] : numbers(written)) : written;
      if (field && (!answer.length || answer.some(Number.isNaN)))
        return say("open", "○ Not a number.", one ? "Write it like 137 or −0.4889." : "Write numbers with spaces between them.");
      again = !same(asked, answer, right);
      got ||= !again;
      remember(!again);
      if (!again) return say("right", "✓ Right.");
      // where whole numbers are asked for, a mistake is known before and after rounding
      const whole = asked.kind.startsWith("number") && right.every(Number.isInteger);
      const rounded = whole ? answer.map(Math.round) : answer;
      const mistake = Object.keys(wrong).find((name) => [answer, rounded].some((value) => same(asked, value, wrong[name])));
      say("wrong", "✗ Not yet.", mistake ? asked.mistakes[mistake] : difference(asked, answer, right));
    });
    hint.addEventListener("click", () => {
      if (hints < asked.hints.length) {
        say("note", `→ Hint ${++hints} of ${asked.hints.length}.`, asked.hints[hints - 1]);
        ask();
      } else {
        const { right } = asked.variants[variant];
        again ||= !got;
        if (again) remember(false);
        say("note", "→ The answer:", `${[right].flat().join(", ")}. The notebook tells why: <code>sheet.solution</code>.`);
      }
    });
    other?.addEventListener("click", () => {
      variant = (variant + 1) % asked.variants.length;
      ask();
      field?.form.reset();
      say("note", "→ The question has other numbers now.");
    });
    // What a phone's pad of digits may lack; the field keeps the focus, and the pad stays
    for (const key of form.querySelectorAll(".om-keys button")) {
      key.addEventListener("mousedown", (event) => event.preventDefault());
      key.addEventListener("click", () => {
        field.focus();
        field.setRangeText(key.value, field.selectionStart, field.selectionEnd, "end");
        note();
      });
    }

    ask();
    if (field) field.value = last.answer ?? "";
    else for (const radio of form.querySelectorAll("input")) radio.checked = radio.value === last.answer;
    if (last.said) show(...last.said);
  }

  // The places in the prompt, which stands between the form and the heading above it
  function givenAbove(form) {
    const found = [];
    for (let node = form.previousElementSibling; node && !/^H\d$/.test(node.tagName); node = node.previousElementSibling)
      found.unshift(...node.querySelectorAll(".om-given"));
    return found;
  }

  window.omQuiz = { start };
  document.querySelectorAll(".om-quiz").forEach((form) => start(form));
})();
