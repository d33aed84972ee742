// The GraphQL over HTTP audits against the address given: how many there are, and those that are not content.
import { serverAudits } from "graphql-http";

const audits = serverAudits({ url: process.argv[2], fetchFn: fetch });
const found = [];
for (const audit of audits) {
  const { status, reason } = await audit.fn();
  if (status !== "ok") found.push({ id: audit.id, name: audit.name, status, reason });
}
console.log(JSON.stringify({ audits: audits.length, found }));
