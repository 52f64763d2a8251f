// @ts-check
// Serves the page from a cache, so that it works offline. Each build has its own cache, which is filled completely and then
// never changed. An update is used once all pages of the old build are closed, so a page never mixes two builds.

/** Version of the build, and a hash of each file by address. */
const { version, files } = /** @type {{version: string, files: Record<string, string>}} */ (JSON.parse("BUILD"));

const CACHE_PREFIX = `pond ${new URL(".", self.location.href).pathname} `; // other folders of this site may have their own
const CACHE_NAME = CACHE_PREFIX + version;

/** Fetch all files. Fail if one is not of this build. */
async function fillCache() {
  const cache = await caches.open(CACHE_NAME);
  for (const [path, hash] of Object.entries(files)) {
    const request = new Request(path, { integrity: hash, cache: "no-cache" });
    const answer = await fetch(request);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    await cache.put(request, answer);
  }
}

/** Delete the caches of old builds, and serve the page that is open already. */
async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHE_PREFIX) && name !== CACHE_NAME) await caches.delete(name);
  }
  await /** @type {any} */ (self).clients.claim();
}

/** @param {Request} request */
async function answerRequest(request) {
  const cache = await caches.open(CACHE_NAME);
  return (await cache.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request);
}

self.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(fillCache()));
self.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
self.addEventListener("fetch", (/** @type {any} */ event) => event.respondWith(answerRequest(event.request)));
