// The button that prints the sheet. Chromium drops the fonts of a style sheet when it lays out for
// paper, and prints before they are loaded again, so this script holds the fonts itself.
(() => {
  const root = document.documentElement.dataset.content_root;
  const fonts = ["text-400-normal", "text-400-italic", "text-600-normal", "mark-400-normal", "mark-600-normal"].map(
    (name) => {
      const [family, weight, style] = name.split("-");
      return new FontFace(family, `url(${root}_static/fonts/${name}.woff2)`, { weight, style });
    },
  );
  const loaded = Promise.allSettled(fonts.map((font) => font.load()));
  addEventListener("beforeprint", () => {
    for (const font of fonts) document.fonts.add(font);
  });
  document.querySelector(".om-print")?.addEventListener("click", () => loaded.then(() => print()));
})();
