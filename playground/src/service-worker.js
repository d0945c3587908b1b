// The page without a network: all of its files are kept at the first visit. What is asked of the page is answered from these.
// playground/build.py puts the version and the list of files here.
const KEPT = "plait VERSION";
const FILES = [];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const others = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith("plait ") && name !== KEPT);
    await Promise.all(names.map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(others());
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  const kept = caches.open(KEPT).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((found) => found ?? fetch(event.request)));
});
