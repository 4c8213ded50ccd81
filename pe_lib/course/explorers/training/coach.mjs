// Trains a model while the page is open. A worker does the training, so that the page stays responsive.
// If the browser refuses the worker, the training runs on the page itself in short slices.
import { training } from "../model/trainer.mjs";

const SLICE = 12; // milliseconds after which other tasks may run on the page

// Returns the settings of a training as a text, which identifies the training.
export const settings = ({ scheme, length, seed }) => JSON.stringify({ scheme, length, seed });

// A page from disk cannot load a script by its address, so the worker is built from this script's own modules.
const source = (key) =>
  [
    ...Object.entries(SOURCES).map(([name, module]) => `const module_${name} = (${module})();`),
    `for (const look of module_trainer.training(${key})) if (look) postMessage(look);`,
  ].join("\n");

// Trains with these settings and passes each snapshot to `hear`. Returns a function that stops the training.
function train(key, hear) {
  let worker, timer;
  function here() {
    worker = undefined;
    const steps = training(JSON.parse(key));
    const slice = () => {
      for (const until = performance.now() + SLICE; performance.now() < until; ) {
        const { value, done } = steps.next();
        if (done) return;
        if (value) hear(value);
      }
      timer = setTimeout(slice);
    };
    slice();
  }
  try {
    worker = new Worker(URL.createObjectURL(new Blob([source(key)], { type: "text/javascript" })));
    worker.addEventListener("message", ({ data }) => hear(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault(); // the browser refused the worker, which it may report late
      if (worker) here();
    });
  } catch {
    here();
  }
  return () => {
    worker?.terminate();
    worker = undefined;
    clearTimeout(timer);
  };
}

// The helper of the scene starts the training when a reader goes beyond the first snapshot.
// It keeps the snapshots in the state as `run`.
export function coach(update) {
  let lastKey,
    stop = () => {};
  return {
    heed(s) {
      const key = settings(s);
      if (s.seed === null || !s.look || key === lastKey) return;
      lastKey = key;
      stop();
      stop = train(key, (look) =>
        update((s) => ({ ...s, run: { key, looks: [...(s.run?.key === key ? s.run.looks : []), look] } })),
      );
    },
    stop: () => stop(),
  };
}
