// Keeps the pages, the rules and the schemas in this browser, so that they open without the service. Rolls and chances are never kept.
const CACHE = "tablecall-1";
const KEPT = /\/(static\/|systems(\/|$)|schemas\/|characters$|play$|manifest\.webmanifest$|icon\.svg$|favicon\.ico$|$)/;

self.addEventListener("install", (event) => {
  const pages = ["./", "characters", "systems", "systems/jazz/rules", "systems/darkpages/rules"];
  const asked = (page) => fetch(page, { headers: { accept: "text/html" } }).then(keep(page));
  event.waitUntil(Promise.allSettled(pages.map(asked)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(forget().then(() => self.clients.claim())));

async function forget() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
}

// JSON and HTML of one address are kept apart.
const nameOf = (url, accept) => `${new URL(url, self.location).href.replace(/#.*/, "")}${accept.includes("text/html") ? "?page" : ""}`;

const keep = (url, accept = "text/html") => async (response) => {
  if (response.ok) await (await caches.open(CACHE)).put(nameOf(url, accept), response.clone());
  return response;
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin || !KEPT.test(url.pathname)) return;
  event.respondWith(answer(request, url));
});

async function answer(request, url) {
  const accept = request.mode === "navigate" ? "text/html" : (request.headers.get("accept") ?? "");
  const kept = () => caches.match(nameOf(url, accept));
  // A file with a digest in its name never changes.
  if (/-[\w-]{8}\.\w+$/.test(url.pathname)) return (await kept()) ?? fetch(request).then(keep(url, accept));
  try {
    return await fetch(request).then(keep(url, accept));
  } catch (error) {
    const response = await kept();
    if (response) return response;
    throw error;
  }
}
