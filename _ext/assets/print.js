// The button of the download menu. A handler in its HTML would need a policy that allows injected ones.
document.querySelector(".btn-download-pdf-button")?.addEventListener("click", () => print());
