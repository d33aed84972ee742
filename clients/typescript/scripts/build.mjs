// Builds dist/: types of every system from openapi/{system}.json, then the compiler. The tools come from node_modules or the path.
//
//   node scripts/build.mjs [folder of the contracts]
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const contracts = process.argv[2] ?? join(root, "..", "..", "openapi");
const generated = join(root, "src", "generated");
const PATH = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);

function run(command, ...args) {
  const { status, error, stdout } = spawnSync(command, args, { cwd: root, env: { ...process.env, PATH }, encoding: "utf8" });
  if (error) throw new Error(`${command} is missing: npm install`);
  if (status !== 0) throw new Error(`${command} failed:\n${stdout}`);
}

const WHOLE = ["openapi", "released"]; // all systems at once, with GET and examples: four times as large
const systems = readdirSync(contracts)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length))
  .filter((name) => !WHOLE.includes(name))
  .sort();

for (const folder of [generated, join(root, "dist")]) rmSync(folder, { recursive: true, force: true });
mkdirSync(generated, { recursive: true });
for (const system of systems) run("openapi-typescript", join(contracts, `${system}.json`), "--output", join(generated, `${system}.ts`));
writeFileSync(
  join(generated, "systems.ts"),
  [
    ...systems.map((system) => `import type * as ${system} from "./${system}.js";`),
    `/** The endpoints of every system. */`,
    `export type Paths = ${systems.map((system) => `${system}.paths`).join(" & ")};`,
    `/** The named shapes of every system. */`,
    `export type Schemas = ${systems.map((system) => `${system}.components["schemas"]`).join(" & ")};`,
    "",
  ].join("\n"),
);
run("tsc", "--project", "tsconfig.json");
