// Explorers without a kernel. In a notebook anywidget runs them; here this file stands in for it:
// it gives each explorer a model with what the explorers use of anywidget's contract, and lets it render
// into the page.
// A classic script, because a page that is opened from disk may load no modules.
(() => {
  function model(state) {
    const listeners = {};
    return {
      get: (name) => state[name],
      set(name, value) {
        if (state[name] === value) return;
        state[name] = value;
        for (const listener of [...(listeners[`change:${name}`] ?? [])]) listener();
      },
      on(event, listener) {
        (listeners[event] ??= new Set()).add(listener);
      },
      off: (event, listener) => listeners[event]?.delete(listener),
      save_changes() {}, // nothing to save to
    };
  }

  async function mount(host) {
    const { kind, state } = host.dataset;
    const el = document.createElement("div");
    el.className = "om-live";
    try {
      const explorer = window.omExplorers?.[kind];
      if (!explorer) throw new Error("its script did not load");
      // in the page before it renders, because explorers measure themselves
      host.querySelector(".om-stage").append(el);
      await explorer.render({ model: model(JSON.parse(state)), el });
      host.dataset.live = "";
    } catch (error) {
      el.remove(); // what stays is the static picture
      console.error(`The explorer "${kind}" does not run:`, error);
    }
  }

  // Only what comes near the screen is started: a page with many explorers opens as fast as one.
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        mount(target);
      }
    },
    { rootMargin: "600px" },
  );
  document.querySelectorAll(".om-explorer").forEach((host) => near.observe(host));
})();
