// Starts the explorers of a page, which has no kernel. In a notebook anywidget gives each explorer a model and
// has it render; here this file does so, with as much of a model as the explorers use.
// It is a classic script, because a page that is opened from disk may load no modules.
(() => {
  function createModel(state) {
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
      save_changes() {}, // without a kernel there is nothing to save to
    };
  }

  async function mount(host) {
    const { kind, state } = host.dataset;
    const el = document.createElement("div");
    el.className = "om-live";
    try {
      const explorer = window.omExplorers?.[kind];
      if (!explorer) throw new Error("its script did not load");
      // explorers measure themselves, so the element is in the page before they render
      host.querySelector(".om-stage").append(el);
      await explorer.render({ model: createModel(JSON.parse(state)), el });
      host.dataset.live = "";
    } catch (error) {
      el.remove(); // the static picture stays
      console.error(`The explorer "${kind}" does not run:`, error);
    }
  }

  // An explorer is started when it comes near the screen, so that a page with many opens as fast as one with few.
  const nearScreen = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        nearScreen.unobserve(target);
        mount(target);
      }
    },
    { rootMargin: "600px" },
  );
  document.querySelectorAll(".om-explorer").forEach((host) => nearScreen.observe(host));
})();
