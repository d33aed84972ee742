// Reads {"jwks", "ruling"} and prints what the receipt says, and whether it is of this very ruling.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compactVerify, createLocalJWKSet } from "jose";

// RFC 8785 is what JSON.stringify writes, with the names of every object in order.
const sorted = (value) =>
  value === null || typeof value !== "object" ? value
  : Array.isArray(value) ? value.map(sorted)
  : Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));

// A receipt signs what a ruling decides: no prose, and nothing that says nothing (null, false, empty). The participants stay as they are.
const PROSE = new Set(["summary", "markdown", "outcomeText", "text"]);
const MEANINGFUL = new Set(["succeeded", "from", "to", "value"]);
const isEmpty = (value) => value === null || value === false || value === "" || (typeof value === "object" && !Object.keys(value).length);
const decided = (value, name) =>
  name === "after" || value === null || typeof value !== "object" ? value
  : Array.isArray(value) ? value.map((item) => decided(item))
  : Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !PROSE.has(key))
        .map(([key, part]) => [key, decided(part, key)])
        .filter(([key, part]) => MEANINGFUL.has(key) || !isEmpty(part)),
    );

const { jwks, ruling } = JSON.parse(readFileSync(0, "utf8"));
const { receipt, factors, options, ...signed } = ruling;
const { payload, protectedHeader } = await compactVerify(receipt, createLocalJWKSet(jwks));
const claims = JSON.parse(new TextDecoder().decode(payload));
const digest = createHash("sha256").update(JSON.stringify(sorted(decided(signed)))).digest("base64url");
console.log(JSON.stringify({ header: protectedHeader, claims, ofThisRuling: digest === claims.ruling }));
