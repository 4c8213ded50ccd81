// Typesets formulas: reads lines of [tex, display], and writes a line of { html } or { error } for each.
const katex = require(process.argv[2]);
require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [tex, displayMode] = JSON.parse(line);
    let reply;
    try {
      reply = { html: katex.renderToString(tex, { displayMode }) };
    } catch (error) {
      reply = { error: error.message };
    }
    console.log(JSON.stringify(reply));
  });
