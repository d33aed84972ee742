import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { getOperationAST, parse } from "graphql";
import { createClient } from "graphql-sse";
import { withKey } from "./key.js";

// GraphiQL's own fetcher knows subscriptions over WebSocket alone; here they are server-sent events, a request for each.
export function createFetcher(url) {
  const ask = createGraphiQLFetcher({ url });
  return async (operation, { headers } = {}) =>
    subscribes(operation) ? follow(url, withKey(headers), operation) : ask(operation, { headers: withKey(headers) });
}

// A document that cannot be read is sent as any other: the service says what is wrong with it.
function subscribes({ query, operationName }) {
  try {
    return getOperationAST(parse(query), operationName)?.operation === "subscription";
  } catch {
    return false;
  }
}

// An observable: the stop button hangs up. What is refused would be refused again, so nothing is asked twice; the refusal is
// handed on as a result, for of an error GraphiQL would show no more than the status.
function follow(url, headers, operation) {
  const client = createClient({ url, headers, singleConnection: false, retryAttempts: 0 });
  return {
    subscribe(observer) {
      const error = async (reason) => {
        try {
          observer.next(await reason.response.json());
          observer.complete();
        } catch {
          observer.error(reason);
        }
      };
      return { unsubscribe: client.subscribe(operation, { ...observer, error }) };
    },
  };
}
