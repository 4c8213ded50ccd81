// Typesets formulas: a line [tex, display] in, a line { html } or { error } out.
const katex = require(process.argv[2]);
require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [tex, displayMode] = JSON.parse(line);
    let said;
    try {
      said = { html: katex.renderToString(tex, { displayMode }) };
    } catch (error) {
      said = { error: error.message };
    }
    console.log(JSON.stringify(said));
  });
