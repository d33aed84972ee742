export { Tablecall, type AskForDice, type CallOptions, type ClientOptions } from "./client.js";
export { Conflict, type ConflictSetup, type SavedConflict, type Tactics, type Turn, type TurnRuling } from "./conflict.js";
export { faces, verifyDice } from "./dice.js";
export { applyEffects, undo, type Changes } from "./effects.js";
export { Refused } from "./refused.js";
export { newSeed, takeOption, withDice, type WithOptions } from "./requests.js";
export type { RetryOptions } from "./retry.js";
export type * from "./types.js";
