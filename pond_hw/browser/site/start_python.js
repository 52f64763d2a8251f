// @ts-check
// @ts-ignore: the build copies it here
import { loadPyodide } from "./pyodide.mjs";

const POND_FOLDER = "/pond";

/**
 * Start Python with our packages, from the files beside this module.
 * @param {object} [options] more options of loadPyodide
 * @param {(bytes: number) => void} [progress] called with the number of bytes received so far
 */
export async function startPython(options = {}, progress) {
  const folder = new URL(".", import.meta.url).href;
  const fetchFile = globalThis.fetch;
  if (progress) globalThis.fetch = countBytes(fetchFile, progress);
  try {
    const pack = fetch(`${folder}pond.pack`).then((answer) => answer.arrayBuffer());
    return await loadPyodide({
      indexURL: folder,
      packageBaseUrl: folder, // the default is another host
      stdLibURL: `${folder}library.zip`,
      env: { PYTHONPATH: POND_FOLDER, PYTHONOPTIMIZE: "2" },
      fsInit: async (/** @type {any} */ files) => unpack(new Uint8Array(await pack), files),
      ...options,
    });
  } finally {
    globalThis.fetch = fetchFile;
  }
}

/**
 * Return a `fetch` that reports the number of bytes received so far.
 * @param {typeof fetch} fetchFile
 * @param {(bytes: number) => void} progress
 */
function countBytes(fetchFile, progress) {
  let bytes = 0;
  /** @param {Response} answer */
  async function count(answer) {
    const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) progress((bytes += part.value.length));
  }
  return async (/** @type {RequestInfo | URL} */ address, /** @type {RequestInit | undefined} */ options) => {
    const answer = await fetchFile(address, options);
    count(answer.clone()).catch(() => {}); // the reader of the answer reports the error
    return answer;
  };
}

/**
 * Write the files of a pack into Python's file system.
 * @param {Uint8Array} pack a line with names and sizes, then the contents
 * @param {any} files
 */
function unpack(pack, files) {
  let end = pack.indexOf(10);
  for (const [name, size] of JSON.parse(new TextDecoder().decode(pack.subarray(0, end++)))) {
    const path = `${POND_FOLDER}/${name}`;
    files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    files.writeFile(path, pack.subarray(end, (end += size)), { canOwn: true });
  }
}
