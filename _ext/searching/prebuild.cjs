// The index, ready to be loaded: node prebuild.cjs LIBRARY < {spellings, records} > index
const { readFileSync } = require("node:fs");
const MiniSearch = require(process.argv[2]);
require("./engine.js");

const { spellings, records } = JSON.parse(readFileSync(0, "utf8"));
const index = new MiniSearch(omSearchEngine.options(spellings));
index.addAll(records);
process.stdout.write(JSON.stringify(index));
