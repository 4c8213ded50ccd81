// Starts the explorers of a page without a kernel, using a small stand-in for the model that anywidget provides.
// In a notebook, anywidget provides the model and renders each explorer.
// This is a classic script, because a page that is opened from disk cannot load modules.
(() => {
  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
  const folder = new URL(".", src);
  const requests = {}; // for each file, the promise that its script has run

  function loadScript(file) {
    requests[file] ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${file} did not load`));
      script.src = new URL(file, folder).href;
      document.head.append(script);
    });
    return requests[file];
  }

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
      save_changes() {}, // without a kernel, there is nowhere to save changes
    };
  }

  async function mount(host) {
    const { kind, state, recording } = host.dataset;
    const el = document.createElement("div");
    el.className = "om-live";
    try {
      const files = [`explorers/${kind}.js`, ...(recording ? [recording] : [])];
      await Promise.all(files.map(loadScript));
      const explorer = window.omExplorers?.[kind];
      if (!explorer) throw new Error("its script did not run");
      // an explorer measures its own element when it is rendered, so the element must already be in the page
      host.querySelector(".om-stage").append(el);
      const values = { ...JSON.parse(state), ...window.omRecordings?.[host.id] };
      await explorer.render({ model: createModel(values), el });
      host.dataset.live = "";
    } catch (error) {
      el.remove(); // leaves only the static picture
      console.error(`The explorer "${kind}" does not run:`, error);
    }
  }

  // Load and start an explorer only when it comes near the screen, so that a page with many explorers opens just as fast.
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
