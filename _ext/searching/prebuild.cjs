// The index, ready to be loaded: node prebuild.cjs LIBRARY < records > index
const { readFileSync } = require("node:fs");
const MiniSearch = require(process.argv[2]);
require("./engine.js");

const index = new MiniSearch(omSearchEngine.OPTIONS);
index.addAll(JSON.parse(readFileSync(0, "utf8")));
process.stdout.write(JSON.stringify(index));
