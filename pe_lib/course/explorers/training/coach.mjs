// Trains a model while the page is open. A worker does the training, so that the page stays responsive.
// If the browser refuses the worker, the training runs on the page itself in short slices.
import { training } from "../model/trainer.mjs";

const SLICE = 12; // milliseconds after which other tasks may run on the page

// Return the settings of a training as a text, which identifies the training.
export const settings = ({ scheme, length, seed }) => JSON.stringify({ scheme, length, seed });

// Train with these settings and pass each snapshot to `hear`. Return a function that stops the training.
// A page from disk cannot load a worker by its address, so the worker is made from its script.
function train(key, script, hear) {
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
    worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    worker.postMessage(JSON.parse(key));
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
// The helper keeps the snapshots in the state as `run`. `script` is the script of the worker, as a text.
export function coach(update, script) {
  let lastKey,
    stop = () => {};
  return {
    heed(s) {
      const key = settings(s);
      if (s.seed === null || !s.look || key === lastKey) return;
      lastKey = key;
      stop();
      stop = train(key, script, (look) =>
        update((s) => ({ ...s, run: { key, looks: [...(s.run?.key === key ? s.run.looks : []), look] } })),
      );
    },
    stop: () => stop(),
  };
}
