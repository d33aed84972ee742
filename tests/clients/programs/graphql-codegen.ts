import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { print } from "graphql";
import { graphql } from "./generated/index.ts";
import type { ResolveRequest } from "./generated/graphql.ts";
import { ATTACK, base, CHECK, REFUSED, say } from "./sheets.ts";

const Resolve = graphql(`
  query Resolve($request: ResolveRequest!) {
    resolve(request: $request) {
      __typename
      outcome
      total
      ... on JazzAttackRuling {
        after {
          defender {
            character {
              ref
              out
            }
          }
        }
      }
    }
  }
`);
const Odds = graphql(`
  query Odds($request: ResolveRequest!) {
    odds(request: $request) {
      outcomes {
        outcome
        fraction
      }
    }
  }
`);

type Problem = { status: number; errors: { pointer: string; rule?: string }[] };
type Answer<Data> = { data?: Data | null; errors?: { extensions: { problem: Problem } }[] };

async function ask<Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Answer<Data>> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: print(document), variables });
  return (await fetch(`${base}/graphql`, { method: "POST", headers, body })).json() as Promise<Answer<Data>>;
}

const check = (await ask(Resolve, { request: { jazzCheck: CHECK } })).data?.resolve;
const attack = (await ask(Resolve, { request: { jazzAttack: ATTACK } })).data?.resolve;
const odds = (await ask(Odds, { request: { jazzCheck: CHECK } })).data?.odds;
const refusal = (await ask(Resolve, { request: { jazzCheck: REFUSED } })).errors?.[0]?.extensions.problem;
if (!check || !attack || !odds || !refusal) throw new Error("an answer is missing");
if (attack.__typename !== "JazzAttackRuling") throw new Error(attack.__typename);
const sheet = attack.after.defender?.character;

// @ts-expect-error: a request is exactly one action
void ({ jazzCheck: CHECK, jazzAttack: ATTACK } satisfies ResolveRequest);

say({
  check: { outcome: check.outcome, total: check.total ?? null },
  attack: { outcome: attack.outcome as "hit" | "miss", defender: sheet?.ref, out: sheet?.out },
  refusal: { status: refusal.status, pointer: refusal.errors[0]?.pointer, rule: refusal.errors[0]?.rule },
  odds: odds.outcomes.map((row) => `${row.outcome} ${row.fraction}`),
});
