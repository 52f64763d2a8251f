// Runs a script with its files under the MicroPython that npm brings: node micropython.mjs MODULE FILE...
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, ...files] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(runtime).href);
const python = await loadMicroPython({ heapsize: 192 * 1024, linebuffer: true, stdout: (line) => console.log(line) });
for (const file of files) python.FS.writeFile(basename(file), readFileSync(file));
python.runPython(`import sys; print("on", sys.implementation.name, sys.version)`);
python.runPython(`import ${basename(files.at(-1), ".py")} as script; script.main()`);
