// Who trains while a page is read: a worker, so that the page stays free; the page itself where it is refused one.
/* global SOURCES */
import { trainer } from "../model/trainer.mjs";

// A page from disk may load no script by its address, so the worker is made of this script's own modules
const source = () =>
  [
    ...Object.entries(SOURCES).map(([name, module]) => `const module_${name} = (${module})();`),
    "onmessage = ({ data }) => answer(data);",
    "const answer = module_trainer.trainer(postMessage, 50);",
  ].join("\n");

// What is trained, as a text that tells one training from another
export const settings = ({ scheme, length, causal, seed }) => JSON.stringify({ scheme, length, causal, seed });

// The helper of a scene: it trains what is shown as far as it is looked at, and puts the looks as `run`
export function coach(put) {
  let worker,
    here,
    asked = {};
  const heard = ({ key, look }) => {
    if (key !== asked.key) return; // the reader has chosen another one since
    put((s) => ({ ...s, run: { key, looks: [...(s.run?.key === key ? s.run.looks : []), look] } }));
  };
  const alone = () => {
    worker?.terminate();
    worker = undefined;
    here ??= trainer(heard, 12);
    here(asked);
  };
  function start() {
    try {
      worker = new Worker(URL.createObjectURL(new Blob([source()], { type: "text/javascript" })));
      worker.addEventListener("message", ({ data }) => heard(data));
      worker.addEventListener("error", (event) => {
        event.preventDefault(); // refused, which is not always known at once
        alone();
      });
    } catch {
      alone();
    }
  }
  return {
    heed(s) {
      const key = settings(s);
      if (s.seed === null || (key === asked.key && s.look <= asked.goal)) return;
      if (key !== asked.key && !s.look) return; // a beginning needs no training
      asked = { key, goal: s.look };
      if (!worker && !here) start();
      worker?.postMessage(asked);
      here?.(asked);
    },
    stop() {
      worker?.terminate();
      here?.({ ...asked, goal: -1 });
    },
  };
}
