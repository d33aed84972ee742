// Apollo Client, Graphcache and Relay with their defaults: each must show what the wire has, also after it has seen everything else.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client/core";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { createClient, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { persistedExchange } from "@urql/exchange-persisted";
import relay from "relay-runtime";
import * as artifacts from "./artifacts.js";

const url = `${process.argv[2]}/graphql`;
const questions = JSON.parse(readFileSync("questions.json", "utf8"));
const mutation = readFileSync("mutation.graphql", "utf8");
const check = { jazzCheck: { actor: { bonus: 3 }, difficulty: 10 } };

async function wire(query, variables) {
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) })).json();
}

const apollo = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() });
const urql = createClient({ url, exchanges: [cacheExchange(), fetchExchange], preferGetMethod: false });
const environment = new relay.Environment({
  network: relay.Network.create((params, variables) => wire(params.text, variables)),
  store: new relay.Store(new relay.RecordSource()),
});

function operation({ name, variables }) {
  const descriptor = relay.createOperationDescriptor(artifacts[name], variables);
  environment.retain(descriptor);
  return descriptor;
}

const clients = {
  apollo: {
    ask: async ({ text, variables }) => (await apollo.query({ query: gql(text), variables })).data,
    again: ({ text, variables }) => apollo.readQuery({ query: gql(text), variables }),
    roll: async () => (await apollo.mutate({ mutation: gql(mutation), variables: { request: check } })).data,
  },
  graphcache: {
    ask: async ({ text, variables }) => (await urql.query(text, variables).toPromise()).data,
    again: ({ text, variables }) => urql.readQuery(text, variables)?.data,
    roll: async () => (await urql.mutation(mutation, { request: check }).toPromise()).data,
  },
  relay: {
    ask: ({ name, variables }) => relay.fetchQuery(environment, artifacts[name], variables).toPromise(),
    again: (question) => environment.lookup(operation(question).fragment).data,
    roll: () =>
      new Promise((onCompleted, onError) => {
        relay.commitMutation(environment, { mutation: artifacts.cachesRollMutation, variables: { request: check }, onCompleted, onError });
      }),
  },
};

console.warn = () => {}; // Graphcache warns of every type without a key: it then keeps the object with its parent, as it should
const report = {};
for (const [name, client] of Object.entries(clients)) {
  const found = { shown: 0, wrong: [], changed: [] };
  for (const question of questions) {
    operation(question);
    const { data } = await wire(question.text, question.variables);
    const same = (shown) => isDeepStrictEqual(JSON.parse(JSON.stringify(shown ?? null)), data);
    if (same(await client.ask(question))) found.shown += 1;
    else found.wrong.push(question.example);
    question.same = same;
  }
  for (const question of questions) if (!question.same(client.again(question))) found.changed.push(question.example);
  const rolls = [await client.roll(), await client.roll(), await client.roll()];
  found.rolls = new Set(rolls.map((roll) => roll.resolve.seed)).size;
  report[name] = found;
}

// a client that sends a hash in place of the text must fall back on the text
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const link = ApolloLink.from([new PersistedQueryLink({ sha256 }), new HttpLink({ uri: url })]);
const hashing = new ApolloClient({ link, cache: new InMemoryCache() });
const [{ text, variables }] = questions;
const persisted = createClient({ url, exchanges: [persistedExchange({ preferGetForPersistedQueries: false }), fetchExchange] });
report.persisted = {
  apollo: Boolean((await hashing.query({ query: gql(text), variables })).data.resolve),
  urql: Boolean((await persisted.query(text, variables).toPromise()).data.resolve),
};
console.log(JSON.stringify(report));
