// Run pack_modules.py in Pyodide: node pack_modules.mjs PYODIDE PROJECT OUT
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, project, out] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: pyodide });
python.mountNodeFS("/project", project);
python.mountNodeFS("/out", out);
const names = python.toPy({ __name__: "pack_modules" });
python.runPython(readFileSync(new URL("pack_modules.py", import.meta.url), "utf8"), { globals: names });
python.runPython('main(Path("/project"), Path("/lib/python314.zip"), Path("/out"))', { globals: names });
