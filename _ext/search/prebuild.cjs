// Makes the index of the search: node prebuild.cjs LIBRARY < {reading, sections} > {reading, index}
const { readFileSync } = require("node:fs");
const MiniSearch = require(process.argv[2]);
require("./engine.js");

const { reading, sections } = JSON.parse(readFileSync(0, "utf8"));
const index = new MiniSearch(omSearchEngine.options(reading));
index.addAll(sections);
process.stdout.write(JSON.stringify({ reading, index }));
