// Brings a scene to life as an explorer, for `stage`. Beside what live.mjs draws and moves, a scene has
//
//   kind, label: what it is, for who can't see it
//   controls, settings: what is set below the picture, and what is folded there: see `control`
//   alt(state) → the sentence that stands for the picture on paper
//   reading(state) → what is said below it, a paragraph a line, with what `bold` knows
//   parts: { name: (state, size) → box }, for a story to ring
//   helper?(put) → { heed(state), stop() }: what computes beside the page, and puts what it found
//
// Its state are the values of the traits, and whatever else its functions put there: `hold`, what a hand has taken hold
// of; what glides; what a helper found. On paper it has the traits alone.
import { bold, checkbox, choice, element, fill, menu, slider } from "../frame/controls.mjs";
import { live } from "./live.mjs";
import { NS } from "./patch.mjs";

// One row of controls: a slider has { min, max(state) } and what controls.mjs says; one of several { options: [[value,
// label], …], or what makes them of the state }, as a `menu` if it wants to be; a button { act(state) → state }; else it is a box to tick. Each has a
// `label` and the `name` of its trait, or `get(state)` and `set(state, value)`; `when(state)` it is there.
function control(one, state, put) {
  const { get = (s) => s[one.name], set = (s, value) => ({ ...s, [one.name]: value }) } = one,
    now = () => get(state()),
    change = (value) => put((s) => set(s, value));
  if (one.act) {
    const row = element("button", { type: "button", class: "ex-button" }, one.label);
    row.addEventListener("click", () => put(one.act));
    return { row, refresh() {} };
  }
  if (one.options) {
    const options = typeof one.options === "function" ? one.options(state()) : one.options,
      labels = options.map(([, label], n) => [String(n), label]),
      chosen = () => String(options.findIndex(([value]) => value === now()));
    return (one.menu ? menu : choice)(one.label, labels, chosen, (n) => change(options[n][0]));
  }
  if (!one.max) return checkbox(one.label, now, change);
  return slider(one, () => one.max(state()), now, change);
}

/** @type {(about: About, scene: any) => (widget: Widget) => Scene} */
export const drawn =
  ({ traits }, scene) =>
  ({ model, el }) => {
    const names = Object.keys(traits);
    let own = {}, // of the state, what is no trait
      said;
    const state = () => ({ ...own, ...Object.fromEntries(names.map((name) => [name, model.get(name)])) });
    function set(next) {
      own = Object.fromEntries(Object.entries(next).filter(([name]) => !(name in traits)));
      for (const name of names) if (next[name] !== model.get(name)) model.set(name, next[name]);
      model.save_changes();
    }

    const made = [];
    // Sliders in columns, what is smaller beside each other
    const rows = (all = []) => {
      const each = all.map((one) => [one, control(one, state, (change) => scenery.put(change))]);
      made.push(...each);
      const of = (sliders) => each.filter(([one]) => Boolean(one.max) === sliders).map(([, { row }]) => row);
      return [
        element("div", { class: "ex-controls" }, ...of(true)),
        element("div", { class: "ex-choices" }, ...of(false)),
      ].filter((node) => node.firstChild);
    };
    const svg = document.createElementNS(NS, "svg"),
      reading = element("div", { class: "ex-reading", "aria-live": "polite" });
    const about = {
      class: "ex-canvas ex-drawn",
      tabindex: 0,
      role: "application",
      "aria-roledescription": scene.kind,
      "aria-label": scene.label,
    };
    for (const [name, value] of Object.entries(about)) svg.setAttribute(name, String(value));
    const settings = rows(scene.settings);
    fill(
      el,
      svg,
      ...rows(scene.controls),
      reading,
      ...(settings.length
        ? [element("details", { class: "ex-folded" }, element("summary", {}, "Settings"), ...settings)]
        : []),
    );

    function shown(now) {
      let lost = false;
      for (const [{ when = (_) => true }, { row, refresh }] of made) {
        lost ||= !when(now) && row.contains(document.activeElement);
        row.hidden = !when(now);
        refresh();
      }
      // a button that is gone hands the keyboard on to the next one
      if (lost) made.find(([one, { row }]) => one.act && !row.hidden)?.[1].row.focus();
      helper?.heed(now);
      if (said === (said = scene.reading(now))) return;
      reading.replaceChildren(
        ...said.split("\n").map((part) => element("p", { class: "ex-formula" }, ...bold(part, paged))),
      );
    }
    let helper;
    const paged = Boolean(el.closest(".om-explorer")),
      scenery = live(svg, scene, { get: state, set, shown });
    helper = scene.helper?.(scenery.put);
    for (const name of names) model.on(`change:${name}`, scenery.again);
    return {
      stop() {
        scenery.stop();
        helper?.stop();
        for (const name of names) model.off(`change:${name}`, scenery.again);
      },
      parts: Object.fromEntries(
        Object.entries(scene.parts).map(([name, box]) => [name, () => box(state(), scenery.size())]),
      ),
    };
  };
