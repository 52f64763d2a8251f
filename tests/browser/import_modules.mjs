// Import all modules of a built page in Pyodide under Node: node import_modules.mjs VERSION_FOLDER. Print what fails.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
globalThis.fetch = async (address) => new Response(readFileSync(new URL(address)));
const { startPython } = await import(pathToFileURL(`${folder}/start_python.js`).href);
const python = await startPython({
  indexURL: folder,
  lockFileURL: `${folder}/pyodide-lock.json`,
  stdLibURL: `${folder}/library.zip`,
});
console.log(python.runPython(`
import importlib, json, sys, zipimport
from pathlib import Path

def import_all(paths, names):
    for path in paths:
        name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
        try:
            importlib.import_module(name)
        except BaseException as error:
            names[name] = repr(error)

failed = {}
pond = Path("/pond")
import_all([path.relative_to(pond) for path in sorted(pond.rglob("*.pyc"))], failed)
imported = [name for name in sys.modules if name.startswith("pond_hw.")]
json.dumps({"imported": imported, "failed": failed})
`));
