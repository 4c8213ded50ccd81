// Train it yourself: choose, press, and watch loss, positions and attention; then read longer texts.
/* global ABOUT */
import { dot, line, redraw } from "../frame/draw.mjs";
import { decimals, element, fill } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { cells, drawAxes, drawMap, label, mapPicture } from "./panels.mjs";
import { ASKED } from "../model/asked.mjs";
import { coach } from "./coach.mjs";
import { stage } from "../frame/stage.mjs";

const STEPS = 300,
  MOST = 1_500; // of a press, and of all
const CHOICES = ["scheme", "task", "layers", "length", "causal", "seed"];
const TASKS = { previous: "the word before", order: "who bites whom", counting: "praise or complaint" };
// What the first map shows of two positions, by scheme
const MAPS = {
  none: "positions: all alike",
  sinusoidal: "positions: likeness",
  learned: "positions: likeness",
  rotary: "positions: turned apart",
  alibi: "taken off the score",
  relative: "added to the score",
};

const named = (scheme) => (scheme === "none" ? "no positions" : scheme);
const percent = (share) => `${Math.round(100 * share)}%`;

// Three times as long without losing: at least 98 of 100 right at the length of the training, and at
// three times that length at most one of 100 fewer
export const lasts = ([own, , far] = []) => own >= 0.98 && far >= own - 0.01;

export const done = {
  main({ scheme, causal, length, right }) {
    if (!lasts(right)) return "";
    const shares = `${percent(right[0])} right at ${length}, ${percent(right[2])} at ${3 * length}`;
    return `Found: ${named(scheme)}, ${causal ? "with" : "without"} a mask: ${shares}.`;
  },
  table: ({ scheme, task, length, seed, right }) =>
    scheme === "sinusoidal" && task === "previous" && length === 16 && right[2] > 0.5
      ? `Found: with seed ${seed} it is right in ${percent(right[2])} at 48. Five seeds show more than one.`
      : "",
};

// The means of `losses`, as many together as leave at most `most` points: [[step, mean], …]
export function thinned(losses, most) {
  const each = Math.max(1, Math.ceil(losses.length / most)),
    points = [];
  for (let k = 0; k < losses.length; k += each) {
    const some = losses.slice(k, k + each);
    points.push([k + some.length / 2, some.reduce((a, b) => a + b, 0) / some.length]);
  }
  return points;
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const get = (name) => model.get(name);
  // One change for all values: `steps` and what was right belong to the training before
  const choose = (values) => {
    for (const [name, one] of Object.entries({ steps: 0, right: [], ...values })) model.set(name, one);
    model.save_changes();
  };
  // The entries say what they are, so that all fit in two rows of a phone
  const menu = (name, label, options) => {
    const input = element(
      "select",
      { name, "aria-label": label },
      ...options.map(([value, text]) => element("option", { value }, text)),
    );
    const values = options.map(([value]) => value);
    input.addEventListener("change", () => choose({ [name]: values[input.selectedIndex] }));
    return {
      node: input,
      refresh: () => {
        if (values[input.selectedIndex] !== get(name)) input.selectedIndex = values.indexOf(get(name));
      },
    };
  };
  const fields = [
    menu(
      "scheme",
      "scheme",
      Object.keys(MAPS).map((scheme) => [scheme, named(scheme)]),
    ),
    menu("task", "task", Object.entries(TASKS)),
    menu(
      "layers",
      "layers",
      [1, 2].map((n) => [n, `${n} ${n === 1 ? "layer" : "layers"}`]),
    ),
    menu(
      "length",
      "length",
      [8, 16, 24].map((n) => [n, `${n} long`]),
    ),
    menu("causal", "mask", [
      [false, "no mask"],
      [true, "causal"],
    ]),
    menu(
      "seed",
      "seed",
      Array.from({ length: 10 }, (_, n) => [n, `seed ${n}`]),
    ),
  ];
  const press = element("button", { class: "ex-button", type: "button" });
  const progress = element("progress", { "aria-label": "steps trained" });
  const canvas = element("canvas", {
    class: "ex-canvas ex-train",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "training",
    "aria-label":
      "A map of the positions, a map of one head's attention, the loss, and the share of right answers. " +
      "The arrow keys left and right go back and on in the training, up and down to another head.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  const choices = element("div", { class: "ex-fields" }, ...fields.map(({ node }) => node));
  fill(el, choices, element("div", { class: "ex-pressing" }, press, progress), canvas, reading);

  // what was seen of this training: its losses, a look now and then, the shares of right answers
  let schedule = () => {},
    run = 0,
    key = "",
    goal = 0,
    step = 0,
    paused = false,
    losses = [],
    looks = [],
    shares,
    back,
    told = "",
    boxes = {};
  const busy = () => !paused && goal > 0 && !shares;
  const pictures = [mapPicture(), mapPicture()];

  const trainer = coach((news) => {
    if (news.run !== run) return;
    step = news.step;
    losses.push(...news.losses);
    looks.push(...news.looks);
    if (news.shares) {
      shares = news.shares;
      model.set(
        "right",
        [shares[0], shares[1], shares[4]].map(({ right }) => Math.round(1e4 * right) / 1e4),
      );
      model.save_changes();
    }
    schedule();
  });
  // The training follows the choices, wherever they come from: a hand, a link, the story, a kernel
  function follow() {
    const chosen = JSON.stringify(Object.fromEntries(CHOICES.map((name) => [name, get(name)])));
    if (chosen === key && get("steps") === goal) return;
    if (chosen !== key || get("steps") < step) {
      run += 1;
      [step, losses, looks] = [0, [], []];
      if (get("right").length) model.set("right", []); // of another training, or a link's word for it
    }
    [key, goal, paused, shares, back] = [chosen, get("steps"), false, undefined, undefined];
    send();
  }
  const send = () => {
    trainer.send({ run, settings: JSON.parse(key), goal, paused });
    schedule();
  };
  press.addEventListener("click", () => {
    if (!busy() && !paused) return choose({ steps: goal + STEPS });
    paused = !paused;
    send();
  });

  const at = () => (back === undefined ? looks.length - 1 : Math.min(back, looks.length - 1));
  const head = () => Math.min(get("head"), 2 * get("layers") - 1);

  function controls() {
    for (const { refresh } of fields) refresh();
    press.textContent = busy() ? "Pause" : paused ? "Go on" : goal ? `Train ${STEPS} more` : `Train ${STEPS} steps`;
    press.disabled = !busy() && !paused && goal >= MOST;
    Object.assign(progress, { max: goal || STEPS, value: step });
  }

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    controls();
    const places = cells(width, height, 4),
      length = get("length"),
      seen = looks[at()];
    const guess = Math.log(ASKED[get("task")].classes);
    const maps = [seen?.likeness[head() % 2], seen?.attention[head()]].map(
      (map, n) => map && pictures[n](map, Math.sqrt(map.length)),
    );
    boxes.positions = drawMap(context, colour, places[0], MAPS[get("scheme")], maps[0], length);
    const [layer, n] = [1 + (head() >> 1), 1 + (head() % 2)],
      name =
        get("layers") === 1
          ? `attention: head ${n}`
          : places[1].w > 170
            ? `attention: layer ${layer}, head ${n}`
            : `layer ${layer}, head ${n}`;
    boxes.attention = drawMap(context, colour, places[1], name, maps[1], length);

    const steps = Math.max(goal, STEPS),
      most = 1.25 * guess;
    const plot = (boxes.loss = drawAxes(context, colour, places[2], "loss (nats) by step", {
      to: steps,
      xs: [0, steps / 3, (2 * steps) / 3, steps],
      most,
      marks: [
        [0, 0],
        [guess, decimals(guess, 2)],
      ],
    }));
    label(context, colour, "guessing", plot.x + plot.w, plot.atY(guess) - 8, "right");
    const curve = thinned(losses, 60);
    if (curve.length > 1)
      line(
        context,
        colour.blue,
        2,
        curve.map(([x, y]) => [plot.atX(x), plot.atY(y)]),
      );
    if (seen && losses.length)
      line(context, colour.ink, 1, [
        [plot.atX(seen.step), plot.y],
        [plot.atX(seen.step), plot.y + plot.h],
      ]);

    const pooled = ASKED[get("task")].pooled,
      far = 3 * length - (pooled ? 0 : 1);
    const title = pooled ? "right by length" : `right by position, of ${3 * length}`;
    const chart = (boxes.right = drawAxes(context, colour, places[3], title, {
      from: pooled ? length : 0,
      to: far,
      xs: pooled ? [length, 2 * length, far] : [0, length - 1, 2 * length - 1, far],
      most: 1,
      marks: [
        [0, 0],
        [0.5, 0.5],
        [1, 1],
      ],
    }));
    if (!pooled)
      line(
        context,
        colour.muted,
        1,
        [
          [chart.atX(length - 0.5), chart.y],
          [chart.atX(length - 0.5), chart.y + chart.h],
        ],
        [4, 3],
      );
    if (!shares)
      label(context, colour, busy() ? "after it" : "train first", chart.x + chart.w, chart.y + chart.h / 4, "right");
    else if (pooled) {
      const points = shares.map(({ length: one, right }) => [chart.atX(one), chart.atY(right)]);
      line(context, colour.orange, 2, points);
      for (const point of points) dot(context, colour, ...point);
    } else {
      const points = shares[4].by.map((share, t) => [chart.atX(t), chart.atY(share)]);
      line(context, colour.orange, 2, points.slice(1)); // the first has no word before
    }
    tell(guess, seen);
  }

  // Said once it stands still: a screen reader is not to be told every step
  function tell(guess, seen) {
    const last = losses.slice(-10),
      mean = last.reduce((a, b) => a + b, 0) / last.length;
    const rest = shares
      ?.filter((_, n) => n !== 1 && n !== 3)
      .map(({ length, right }) => `${percent(right)} at ${length}`)
      .join(", ");
    const said = busy()
      ? `Training ${goal} steps …`
      : shares
        ? `Step ${step}: loss ${decimals(mean, 3)} (guessing: ${decimals(guess, 2)}). Right: ${rest}.`
        : paused
          ? `Paused at step ${step}.`
          : `Untrained: ${named(get("scheme"))}, ${TASKS[get("task")]}.`;
    const looked = back !== undefined && seen ? ` Maps at step ${seen.step}.` : "";
    if (told !== (told = said + looked)) reading.replaceChildren(element("p", {}, told));
  }

  const lookAt = (n) => {
    back = Math.min(Math.max(n, 0), looks.length - 1);
    schedule();
  };
  const other = (n) => {
    model.set("head", (head() + n + 2 * get("layers")) % (2 * get("layers")));
    model.save_changes();
  };
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key],
      turn = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!way && !turn) return;
    event.preventDefault();
    if (turn) other(turn);
    else if (looks.length) lookAt(at() + way);
  });
  // In the loss the training is wound back; the map of attention shows the next head
  const within = ({ x, y }, box) =>
    box && x >= box.x - 8 && x <= box.x + box.w + 8 && y >= box.y - 8 && y <= box.y + box.h + 8;
  drag(canvas, {
    grab(point) {
      if (within(point, boxes.attention)) other(1);
      return within(point, boxes.loss) && looks.length > 1 ? boxes.loss : undefined;
    },
    move: (box, { x }) =>
      lookAt(Math.round((((x - box.x) / box.w) * Math.max(goal, STEPS)) / (looks[1].step - looks[0].step))),
  });

  let frame = 0;
  const soon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      follow();
    });
  };
  const traits = [...CHOICES, "steps"];
  for (const name of traits) model.on(`change:${name}`, soon);
  const [again, end] = redraw(el, canvas, draw);
  schedule = again;
  model.on("change:head", schedule);
  follow();
  return {
    stop() {
      cancelAnimationFrame(frame);
      for (const name of traits) model.off(`change:${name}`, soon);
      model.off("change:head", schedule);
      trainer.stop();
      end();
    },
    parts: {
      choices: () => choices,
      press: () => press,
      positions: () => boxes.positions,
      attention: () => boxes.attention,
      loss: () => boxes.loss,
      right: () => boxes.right,
    },
  };
}

export default stage(ABOUT, scene, { done, comes: ["right"] });
