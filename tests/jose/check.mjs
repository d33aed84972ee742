// Reads {"jwks", "ruling"} and prints what the receipt says, and whether it is of this very ruling.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compactVerify, createLocalJWKSet } from "jose";

// RFC 8785 is what JSON.stringify writes, with the names of every object in order.
const sorted = (value) =>
  value === null || typeof value !== "object" ? value
  : Array.isArray(value) ? value.map(sorted)
  : Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));

const { jwks, ruling } = JSON.parse(readFileSync(0, "utf8"));
const { receipt, factors, options, ...signed } = ruling;
const { payload, protectedHeader } = await compactVerify(receipt, createLocalJWKSet(jwks), { algorithms: ["Ed25519"] });
const claims = JSON.parse(new TextDecoder().decode(payload));
const digest = createHash("sha256").update(JSON.stringify(sorted(signed))).digest("base64url");
console.log(JSON.stringify({ header: protectedHeader, claims, ofThisRuling: digest === claims.ruling }));
