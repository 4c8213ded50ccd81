// What the toy Transformer is asked: three tasks of pe_lib/course/model/tasks.py. Each draws a fresh
// sequence and the right answers, −1 where none counts.
import { below } from "./random.mjs";

export const ASKED = {
  previous: { vocabulary: 8, classes: 8, pooled: false },
  order: { vocabulary: 8, classes: 2, pooled: true },
  counting: { vocabulary: 8, classes: 2, pooled: true },
};

// Fills `tokens` and `targets` with as many sequences as they have room for
export function ask(task, random, { batch, length, tokens, targets }) {
  for (let b = 0; b < batch; b++) {
    const start = b * length;
    if (task === "order") targets[b] = dogBitesMan(random, tokens, start, length);
    else for (let t = start; t < start + length; t++) tokens[t] = below(random, 8);
    if (task === "previous") {
      targets[start] = -1;
      for (let t = start + 1; t < start + length; t++) targets[t] = tokens[t - 1];
    }
    if (task === "counting") {
      // the lower half of the tokens praises, the upper half complains
      let praise = 0;
      for (let t = start; t < start + length; t++) if (tokens[t] < 4) praise++;
      targets[b] = Number(2 * praise > length);
    }
  }
}

// Tokens 0 (dog), 1 (man) and 2 (bites) stand among fillers at three places, the verb in the middle:
// who bites is the noun before it. Any three places are as likely as any others.
export function dogBitesMan(random, tokens, start, length) {
  const biter = below(random, 2);
  let left = 3;
  for (let t = 0; t < length; t++) {
    const chosen = random() * (length - t) < left;
    tokens[start + t] = !chosen ? 3 + below(random, 5) : left === 3 ? biter : left === 2 ? 2 : 1 - biter;
    if (chosen) left--;
  }
  return biter;
}
