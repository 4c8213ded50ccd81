// Explorers without a kernel. In a notebook anywidget runs them; here this file stands in for it:
// it gives each explorer a model with anywidget's contract and lets it render into the page.
// A classic script, because a page that is opened from disk may load no modules.
(() => {
  class Model {
    #state;
    #listeners = new Map();
    widget_manager = undefined; // part of the contract; there are no other widgets here

    constructor(state) {
      this.#state = { ...state };
    }

    get(name) {
      return this.#state[name];
    }

    set(name, value) {
      const changes = typeof name === "string" ? { [name]: value } : name;
      const changed = Object.keys(changes).filter((key) => this.#state[key] !== changes[key]);
      for (const key of changed) this.#state[key] = changes[key];
      // all values first, then the news: a listener never sees half of a change
      for (const key of changed) this.#emit(`change:${key}`, changes[key]);
      if (changed.length) this.#emit("change");
    }

    on(events, listener) {
      for (const event of events.split(/\s+/)) {
        if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
        this.#listeners.get(event).add(listener);
      }
    }

    off(events, listener) {
      for (const event of events ? events.split(/\s+/) : [...this.#listeners.keys()]) {
        if (listener) this.#listeners.get(event)?.delete(listener);
        else this.#listeners.delete(event);
      }
    }

    #emit(event, ...values) {
      for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(this, ...values);
    }

    save_changes() {} // nothing to save to
    send() {} // nobody to send to
  }

  async function mount(host) {
    const { kind, state } = host.dataset;
    const el = document.createElement("div");
    el.className = "om-live";
    const cleanups = [],
      controller = new AbortController(),
      { signal } = controller;
    const clean = () => {
      controller.abort();
      cleanups.splice(0).forEach((cleanup) => cleanup());
    };
    try {
      let explorer = window.omExplorers?.[kind];
      if (!explorer) throw new Error("its script did not load");
      if (typeof explorer === "function") explorer = await explorer();
      const keep = (cleanup) => {
        if (typeof cleanup === "function") cleanups.push(cleanup);
      };
      const model = new Model(JSON.parse(state));
      keep(await explorer.initialize?.({ model, signal }));
      // in the page before it renders, because explorers measure themselves
      host.querySelector(".om-stage").append(el);
      keep(await explorer.render?.({ model, el, signal }));
      host.dataset.live = "";
      // a page kept for the back button is not unloaded and goes on working
      addEventListener("pagehide", (event) => {
        if (!event.persisted) clean();
      });
    } catch (error) {
      el.remove(); // what stays is the static picture
      clean();
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
