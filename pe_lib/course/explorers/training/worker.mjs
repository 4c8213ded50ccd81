// Trains a model in a web worker, and sends each snapshot to the page.
import { training } from "../model/trainer.mjs";

addEventListener("message", ({ data }) => {
  for (const look of training(data)) if (look) postMessage(look);
});
