// Sections lie side by side, and what each shows below it: → skips to the next section, space goes on.
// S opens the speaker's notes, O all slides, D changes between light and dark.
const root = document.documentElement.dataset;

Reveal.initialize({
  plugins: [RevealNotes],
  width: 1200,
  height: 700,
  margin: 0.05,
  center: false,
  hash: true,
  transition: "none",
  slideNumber: "h.v",
  pdfMaxPagesPerSlide: 1,
  // the keys of an explorer are its own
  keyboardCondition: (event) => !event.target.closest?.(".om-explorer"),
  keyboard: {
    68: () => {
      root.theme = root.theme === "dark" ? "light" : "dark";
    },
  },
});

// What is taller than the canvas is made smaller; an explorer grows when it comes to life. Made smaller
// a text is as wide as before, in other lines, so that once is not always enough.
const { height } = Reveal.getConfig();
const fit = (body) => {
  const slide = body.closest("section"),
    room = height - body.offsetTop;
  let zoom = 1;
  body.style.zoom = zoom;
  for (let tries = 0; tries < 5 && slide.scrollHeight > height; tries++) {
    zoom *= room / (room + slide.scrollHeight - height);
    body.style.zoom = zoom;
  }
};
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target.closest(".om-body"))));
const watch = ({ currentSlide }) => {
  const body = currentSlide.querySelector(".om-body");
  sizes.disconnect();
  fit(body);
  body.querySelectorAll(".om-stage").forEach((stage) => sizes.observe(stage));
};
Reveal.on("ready", watch);
Reveal.on("slidechanged", watch);
// On paper an explorer is its picture, which the style sheet has cut to measure.
Reveal.on("pdf-ready", () => document.querySelectorAll(".om-slide:not(.om-explorer-slide) > .om-body").forEach(fit));
