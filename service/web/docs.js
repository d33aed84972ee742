import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import "./docs.css";
import { admitted, keyOfTab, withKey } from "./key.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const locked = await admitted();
const spec = await (await fetch("openapi.json", { headers: withKey() })).json();
// Padlocks stand only where a key is needed.
if (!locked) {
  delete spec.security;
  delete spec.components.securitySchemes;
  for (const path of Object.values(spec.paths)) for (const operation of Object.values(path)) delete operation.security;
}
// The addresses in the document are relative to it.
spec.servers = [{ url: new URL("./", location.href).href.replace(/\/$/, "") }];

const defaults = new Map();
for (const [path, operations] of Object.entries(spec.paths)) {
  for (const { $ref, ...own } of operations.get?.parameters ?? []) {
    const one = $ref ? spec.components.parameters[$ref.split("/").at(-1)] : own;
    if (one.schema?.default !== undefined) defaults.set(`${path} ${one.name}`, String(one.schema.default));
  }
}

SwaggerUI({
  dom_id: "#page",
  spec,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null, // or it would ask a stranger what it thinks of the contract
  // Every optional enum would be sent with its default, and below an optional object that makes the object exist.
  requestInterceptor(request) {
    const url = new URL(request.url, location.href);
    if (request.method === "GET" && url.search) {
      for (const [name, value] of [...url.searchParams]) if (defaults.get(`/${url.href.slice(spec.servers[0].url.length + 1).split("?")[0]} ${name}`) === value) url.searchParams.delete(name);
      request.url = url.href;
    }
    request.headers = withKey(request.headers);
    return request;
  },
  onComplete: () => keyOfTab() && document.dispatchEvent(new Event("ready")),
});
