// Print the size of each file and of all together, as it is and compressed: node sizes.mjs FOLDER
// With --json, print the sums as JSON.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder, format] = process.argv.slice(2);
const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`)
  .sort();
const sums = { raw: 0, gzip: 0, brotli: 0 };
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };

/** @param {number[]} sizes @param {string} name */
function print(sizes, name) {
  console.log([...sizes.map((size) => String(size).padStart(10)), ` ${name}`].join(""));
}

if (!format) console.log("       raw    gzip 9 brotli 11  file");
for (const path of paths) {
  const content = readFileSync(path);
  const sizes = [content.length, gzipSync(content, { level: 9 }).length, brotliCompressSync(content, { params }).length];
  Object.keys(sums).forEach((key, i) => (sums[key] += sizes[i]));
  if (!format) print(sizes, path.slice(folder.length + 1));
}
if (format) console.log(JSON.stringify(sums));
else print(Object.values(sums), "all");
