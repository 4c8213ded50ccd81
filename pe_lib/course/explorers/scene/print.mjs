// Prints an explorer for notebooks, for paper, and for readers without JavaScript.
// The script reads { script, state, width } from its input and writes { alt, height, picture }, both as JSON.
import { readFileSync } from "node:fs";

const { script, state, width } = JSON.parse(readFileSync(0, "utf8"));
try {
  const { default: explorer } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  console.log(JSON.stringify(explorer.print(state, width)));
} catch (error) {
  console.error(String(error)); // without the stack, which would contain the whole script as an address
  process.exitCode = 1;
}
