// Each section is a column of slides. The right arrow key moves to the next section.
// The space bar moves to the next slide. S opens the speaker's notes, and O shows all slides.
// The key D, whose code is 68, switches between light and dark colours.
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
  // keys that are pressed in an explorer are meant for the explorer, not for the slides
  keyboardCondition: (event) => !event.target.closest?.(".om-explorer"),
  keyboard: {
    68: () => {
      root.theme = root.theme === "dark" ? "light" : "dark";
    },
  },
});

// Shrink the body of a slide until it fits the canvas. This may take several steps.
// Smaller text fits more words into a line, so the height does not shrink in proportion.
// An explorer grows when its script starts, so the slide's body must be fitted again.
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
// In print an explorer is only a picture, and the style sheet fits it to the slide.
Reveal.on("pdf-ready", () => document.querySelectorAll(".om-slide:not(.om-explorer-slide) > .om-body").forEach(fit));
