// The button that prints the sheet, and its faces: Chromium forgets those of a style sheet as it turns
// to paper, where nothing waits for them, so the script has them once more.
(() => {
  const root = document.documentElement.dataset.content_root;
  const faces = ["text-400-normal", "text-400-italic", "text-600-normal", "mark-400-normal", "mark-600-normal"].map(
    (name) => {
      const [family, weight, style] = name.split("-");
      return new FontFace(family, `url(${root}_static/fonts/${name}.woff2)`, { weight, style });
    },
  );
  const loaded = Promise.allSettled(faces.map((face) => face.load()));
  addEventListener("beforeprint", () => {
    for (const face of faces) document.fonts.add(face);
  });
  document.querySelector(".om-print").addEventListener("click", () => loaded.then(() => print()));
})();
