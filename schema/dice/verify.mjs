// Check dice of the algorithm tablecall-1 (see tablecall-1.md). A module for browsers and Node 20 or newer; needs nothing else.
//
//   node verify.mjs FILE …    each file: vectors, a ruling, or {"request": …, "ruling": …}
//   node verify.mjs --draw    reads {"seed", "roll", "sides", "lowest"?, "count"} as JSON lines, prints the faces of each and their SHA-256

export const RNG = "tablecall-1";
const utf8 = new TextEncoder();

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const same = (one, other) => one.length === other.length && one.every((face, index) => face === other[index]);

/** The key of a roll's stream. */
export const streamKey = (seed, roll) => sha256(utf8.encode(`${RNG}\0${seed}\0${roll}`));

/** The lowest face of a die that does not name it. */
const usual = (sides) => (sides === 10 ? 0 : 1);

/** The first `count` faces of a stream. */
export async function draw(key, sides, count, lowest) {
  const first = lowest ?? usual(sides);
  const limit = Math.floor(256 / sides) * sides;
  const input = new Uint8Array(key.length + 8);
  input.set(key);
  const faces = [];
  for (let block = 0; faces.length < count; block++) {
    new DataView(input.buffer).setBigUint64(key.length, BigInt(block));
    for (const byte of await sha256(input)) if (byte < limit && faces.length < count) faces.push((byte % sides) + first);
  }
  return faces;
}

/** The first `count` faces of a roll. */
export const faces = async (seed, roll, sides, count, lowest) => draw(await streamKey(seed, roll), sides, count, lowest);

/** The faces of a roll's dice in the order they were drawn: all base dice, then the re-rolls from left to right. */
export function drawn(dice) {
  const shown = dice.map((die) => [...die.replaced, die.face]);
  return [...shown.map((history) => history[0]), ...shown.flatMap((history) => history.slice(1))];
}

/** The vectors that differ, as JSON pointers. */
export async function checkVectors({ vectors }) {
  const found = [];
  for (const [index, vector] of vectors.entries()) {
    const key = await streamKey(vector.seed, vector.roll);
    const right = hex(key) === vector.key && same(await draw(key, vector.sides, vector.faces.length, vector.lowest), vector.faces);
    if (!right) found.push(`/vectors/${index}`);
  }
  return found;
}

/**
 * The rolls whose dice are neither those of the seed nor from the table, as JSON pointers.
 * The ruling says which dice came from the table. Where the request is given, they must be those it handed in.
 */
export async function checkRuling(ruling, request, at = "") {
  if (ruling.rng !== RNG) return [`${at}/rng`];
  const given = new Map((request?.dice ?? []).map((dice) => [dice.roll, dice.faces]));
  const found = [];
  for (const [index, { roll, dice, from = "seed" }] of ruling.rolls.entries()) {
    if (from !== "seed" && request === undefined) continue;
    const shown = drawn(dice);
    const expected = given.get(roll) ?? (await faces(ruling.seed, roll, dice[0]?.sides ?? 6, shown.length, dice[0]?.lowest));
    if (!same(shown, expected)) found.push(`${at}/rolls/${index}`);
  }
  return found;
}

/** What differs in a document of any of the three kinds. */
export function check(document) {
  if ("vectors" in document) return checkVectors(document);
  return "ruling" in document ? checkRuling(document.ruling, document.request, "/ruling") : checkRuling(document);
}

async function main(names) {
  const { readFileSync } = await import("node:fs");
  if (names[0] === "--draw") {
    const lines = [];
    for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
      const { seed, roll, sides, count, lowest } = JSON.parse(line);
      lines.push((await faces(seed, roll, sides, count, lowest)).join(" "));
    }
    const text = lines.map((line) => `${line}\n`).join("");
    process.stdout.write(`${text}${hex(await sha256(utf8.encode(text)))}\n`);
    return 0;
  }
  if (!names.length) {
    console.error("verify.mjs FILE …    each file: vectors, a ruling, or {\"request\": …, \"ruling\": …}");
    return 2;
  }
  let wrong = 0;
  for (const name of names) {
    const found = await check(JSON.parse(readFileSync(name, "utf8")));
    for (const pointer of found) console.log(`${name}: ${pointer} is not what the seed gives`);
    if (found.length) wrong++;
  }
  console.log(`${names.length - wrong} of ${names.length} as the seed has them`);
  return wrong ? 1 : 0;
}

// Run as a command, not when imported.
if (typeof process !== "undefined" && process.argv?.[1]) {
  const { pathToFileURL } = await import("node:url");
  if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = await main(process.argv.slice(2));
}
