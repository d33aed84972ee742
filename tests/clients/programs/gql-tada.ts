import { initGraphQLTada, type ResultOf, type VariablesOf } from "gql.tada";
import { print } from "graphql";
import type { introspection } from "./generated/graphql-env.d.ts";
import { ATTACK, base, CHECK, REFUSED, say } from "./sheets.ts";

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { Seed: string | number; Id: string | number } }>();

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

async function ask<Document extends typeof Resolve | typeof Odds>(document: Document, variables: VariablesOf<Document>) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: print(document), variables });
  return (await fetch(`${base}/graphql`, { method: "POST", headers, body })).json() as Promise<Answer<ResultOf<Document>>>;
}

const check = (await ask(Resolve, { request: { jazzCheck: CHECK } })).data?.resolve;
const attack = (await ask(Resolve, { request: { jazzAttack: ATTACK } })).data?.resolve;
const odds = (await ask(Odds, { request: { jazzCheck: CHECK } })).data?.odds;
const refusal = (await ask(Resolve, { request: { jazzCheck: REFUSED } })).errors?.[0]?.extensions.problem;
if (!check || !attack || !odds || !refusal) throw new Error("an answer is missing");
if (attack.__typename !== "JazzAttackRuling") throw new Error(attack.__typename);
const sheet = attack.after.defender?.character;

// @ts-expect-error: a difficulty is a number
void (() => ask(Resolve, { request: { jazzCheck: { ...CHECK, difficulty: "10" } } }));

say({
  check: { outcome: check.outcome, total: check.total },
  attack: { outcome: attack.outcome as "hit" | "miss", defender: sheet?.ref, out: sheet?.out },
  refusal: { status: refusal.status, pointer: refusal.errors[0]?.pointer, rule: refusal.errors[0]?.rule },
  odds: odds.outcomes.map((row) => `${row.outcome} ${row.fraction}`),
});
