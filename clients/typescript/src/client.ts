import { serverEvents } from "./events.js";
import { refusalIn, Refused } from "./refused.js";
import { seeded, withDice } from "./requests.js";
import { again, type RetryOptions } from "./retry.js";
import type {
  Action,
  BatchResult,
  Faces,
  NeededRoll,
  NeededRolls,
  Odds,
  Paths,
  Problem,
  RequestOf,
  ResolveRequest,
  RulingOf,
  Seed,
  Verification,
} from "./types.js";

export interface ClientOptions {
  /** An API key, if the service asks for one. */
  key?: string;
  /** The language of all sentences, `"en"` or `"de"`. A browser's own by default. */
  language?: string;
  /** Milliseconds until a request is given up. Default 30,000. A stream of odds has no limit. */
  timeout?: number;
  /** Another `fetch`, for tests or proxies. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Gives the request up. */
  signal?: AbortSignal | undefined;
}

/** Dice somebody rolls: what is needed next, answered with the faces of each roll. */
export type AskForDice = (needed: NeededRoll[]) => Faces | Promise<Faces>;

const JSON_TYPE = "application/json";

/**
 * The client of one service.
 *
 * ```ts
 * const table = new Tablecall("http://127.0.0.1:8000");
 * const ruling = await table.resolve("jazz.check", { actor: { bonus: 3 }, difficulty: 10 });
 * ```
 *
 * Requests and answers have the types of their action. Every refusal is thrown as a `Refused`.
 */
export class Tablecall<P = Paths> {
  readonly #base: string;
  readonly #options: ClientOptions;

  constructor(address: string | URL, options: ClientOptions = {}) {
    this.#base = String(address).replace(/\/+$/, "");
    this.#options = options;
  }

  /** The ruling of an action. */
  async resolve<A extends Action<P> & string>(action: A, request: RequestOf<A, P>, options?: CallOptions): Promise<RulingOf<A, P>> {
    return this.#json(path("resolve", action), request, options);
  }

  /**
   * The ruling of an action, asked for until an answer arrives. The request gets a seed if it has none, and every attempt sends the same
   * seed, so a lost answer never means other dice. Refusals other than "too busy" are thrown at once.
   */
  async retry<A extends Action<P> & string>(action: A, request: RequestOf<A, P>, options: RetryOptions = {}): Promise<RulingOf<A, P>> {
    const same = seeded(request as object);
    return again(() => this.#json(path("resolve", action), same, { signal: options.signal }), options);
  }

  /** The chances of a request's outcomes, before anybody rolls. */
  async odds<A extends Action<P> & string>(action: A, request: RequestOf<A, P>, options?: CallOptions): Promise<Odds> {
    return this.#json(path("odds", action), request, options);
  }

  /**
   * The odds while a simulation runs: each more exact than the one before, the last one complete. Exact odds come once. Leaving the loop
   * stops the simulation.
   */
  async *oddsStream<A extends Action<P> & string>(action: A, request: RequestOf<A, P>, options: CallOptions = {}): AsyncGenerator<Odds, void> {
    const response = await this.#send(path("odds", action), request, "text/event-stream", options.signal);
    for await (const { event, data } of serverEvents(response.body as ReadableStream<Uint8Array>)) {
      if (event === "problem") throw new Refused(JSON.parse(data) as Problem);
      yield JSON.parse(data) as Odds;
      if (event === "done") return;
    }
    throw new TypeError("the connection broke before the odds were complete");
  }

  /** Which dice a request needs next, for dice rolled at the table. */
  async rolls<A extends Action<P> & string>(action: A, request: RequestOf<A, P>, options?: CallOptions): Promise<NeededRolls> {
    return this.#json("/rolls", { ...(request as object), action }, options);
  }

  /** The request with all its dice rolled at the table. `ask` is called until no more are needed. */
  async collectDice<A extends Action<P> & string>(action: A, request: RequestOf<A, P>, ask: AskForDice, options?: CallOptions): Promise<RequestOf<A, P>> {
    for (let handed = request; ; ) {
      const { needed, complete } = await this.rolls(action, handed, options);
      if (complete) return handed;
      handed = withDice(handed as object, await ask(needed)) as RequestOf<A, P>;
    }
  }

  /** Many requests at once, each with its ruling or its problem, in the same order. A request without a seed gets one made from `seed`. */
  async batch(requests: readonly ResolveRequest[], seed?: Seed, options?: CallOptions): Promise<BatchResult[]> {
    const { results } = await this.#json<{ results: BatchResult[] }>("/batch", seed === undefined ? { requests } : { seed, requests }, options);
    return results;
  }

  /** Whether a ruling is what the service gives for this request, and whether its signature is genuine. */
  async verify(request: { action: string }, ruling: { outcome: string }, options?: CallOptions): Promise<Verification> {
    return this.#json("/verify", { request, ruling }, options);
  }

  async #json<T>(path: string, body: unknown, { signal }: CallOptions = {}): Promise<T> {
    const timeout = AbortSignal.timeout(this.#options.timeout ?? 30_000);
    const response = await this.#send(path, body, JSON_TYPE, signal ? AbortSignal.any([signal, timeout]) : timeout);
    return (await response.json()) as T;
  }

  async #send(path: string, body: unknown, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const { key, language, fetch: send = globalThis.fetch } = this.#options;
    const headers: Record<string, string> = { accept, "content-type": JSON_TYPE };
    if (key !== undefined) headers["authorization"] = `Bearer ${key}`;
    if (language !== undefined) headers["accept-language"] = language;
    const response = await send(`${this.#base}${path}`, { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null });
    if (!response.ok) throw await refusalIn(response);
    return response;
  }
}

const path = (endpoint: string, action: string): string => `/${endpoint}/${action.replace(".", "/")}`;
