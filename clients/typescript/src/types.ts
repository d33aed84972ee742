/** The shapes of the contract by action. All of them are generated from the service's OpenAPI document. */
import type { Paths, Schemas } from "./generated/systems.js";

export type { Paths, Schemas };

type Posted<P, Path> = Path extends keyof P ? (P[Path] extends { post: infer Operation } ? Operation : never) : never;
type BodyOf<Operation> = Operation extends { requestBody: { content: { "application/json": infer Body } } } ? Body : never;
type AnswerOf<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Answer } } } } ? Answer : never;
type PathOf<Endpoint extends string, A> = A extends `${infer System}.${infer Name}` ? `/${Endpoint}/${System}/${Name}` : never;

/** The tags of all actions: `"jazz.check"`, `"darkpages.attack"`, … */
export type Action<P = Paths> = { [Path in keyof P]: Path extends `/resolve/${infer System}/${infer Name}` ? `${System}.${Name}` : never }[keyof P];

/** The body of a request, without `action`. */
export type RequestOf<A, P = Paths> = BodyOf<Posted<P, PathOf<"resolve", A>>>;

/** The ruling of an action: its outcomes, and the types of its `after`. */
export type RulingOf<A, P = Paths> = AnswerOf<Posted<P, PathOf<"resolve", A>>>;

/** A request with its `action`; without a parameter the union of all. Switch on `action`, and the type narrows. */
export type ResolveRequest<A = Action> = A extends string ? RequestOf<A> & { action: A } : never;

/** The union of all rulings. Switch on `action`, and the type narrows. */
export type Ruling = RulingOf<Action>;

export type Odds = Schemas["Odds"];
export type Problem = Schemas["Problem"];
export type ProblemFinding = Schemas["ProblemFinding"];
export type NeededRoll = Schemas["NeededRoll"];
export type NeededRolls = Schemas["NeededRolls"];
export type Verification = Schemas["Verification"];
export type Effect = Schemas["Effect"];
export type Option = Schemas["Option"];
export type Roll = Schemas["Roll"];
export type Die = Schemas["Die"];
export type Seed = Schemas["Seed"];

/** One answer of a batch: a ruling, or the problem of a request that was refused. */
export type BatchResult = { ruling: Ruling; problem?: undefined } | { ruling?: undefined; problem: Problem };

/** Faces by the name of their roll: `{ actor: [5, 3] }`. */
export type Faces = { readonly [roll: string]: readonly number[] };
