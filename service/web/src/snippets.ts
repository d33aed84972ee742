// The request as programs would send it.

import type { Doc } from "./documents.ts";

export const SNIPPETS = ["curl", "fetch", "Python", "GraphQL"];

export function snippet(kind: string, request: Doc): string {
  const address = new URL("resolve", location.href).href;
  const text = JSON.stringify(request);
  if (kind === "curl") return `curl -s ${address} \\\n  -H 'content-type: application/json' \\\n  -d '${text.replaceAll("'", "'\\''")}'`;
  if (kind === "fetch") return `const response = await fetch("${address}", {\n  method: "POST",\n  headers: { "content-type": "application/json" },\n  body: JSON.stringify(${JSON.stringify(request, null, 2).replaceAll("\n", "\n  ")}),\n});\nconst ruling = await response.json();`;
  if (kind === "Python") return `import json\nimport urllib.request\n\nrequest = json.loads(r"""${text}""")\nmessage = urllib.request.Request(\n    "${address}",\n    json.dumps(request).encode(),\n    {"content-type": "application/json"},\n)\nwith urllib.request.urlopen(message) as response:\n    ruling = json.load(response)`;
  const { action, ...body } = request;
  const [system, name] = action.split(".");
  const field = `${system}${name[0].toUpperCase()}${name.slice(1)}`;
  return `mutation Roll($request: ResolveRequest!) {\n  resolve(request: $request) { outcome summary }\n}\n\n# variables\n${JSON.stringify({ request: { [field]: body } }, null, 2)}`;
}
