// Who trains: a worker, so that the page stays free; the page itself where it is refused one.
/* global SOURCES */
import { trainer } from "../model/trainer.mjs";

// A page from disk may load no script by its address, so the worker is made of this script's own modules
const source = () =>
  [
    ...Object.entries(SOURCES).map(([name, module]) => `const module_${name} = (${module})();`),
    "onmessage = ({ data }) => answer(data);",
    "const answer = module_trainer.trainer(postMessage, 50);",
  ].join("\n");

// `report` gets what a `trainer` posts. Returns { send, stop }.
export function coach(report) {
  let worker, last, here;
  const alone = (message) => (here ??= trainer(report, 12))(message);
  try {
    const address = URL.createObjectURL(new Blob([source()], { type: "text/javascript" }));
    worker = new Worker(address);
    worker.addEventListener("message", ({ data }) => report(data));
    worker.addEventListener("error", (event) => {
      // refused, which is not always known at once
      event.preventDefault();
      worker.terminate();
      worker = undefined;
      if (last) alone(last);
    });
  } catch {
    /* no worker here */
  }
  return {
    send(message) {
      last = message;
      if (worker) worker.postMessage(message);
      else alone(message);
    },
    stop() {
      worker?.terminate();
      here?.({ ...last, paused: true });
    },
  };
}
