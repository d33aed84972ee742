import type { Tablecall } from "./client.js";
import { seeded, takeOption, withDice } from "./requests.js";
import { again } from "./retry.js";
import type { Faces, NeededRolls, Odds, Option, RequestOf, RulingOf } from "./types.js";

type TurnRequest = RequestOf<"jazz.turn">;

/** What stays the same all through a conflict: the combatants at its start, the seed, house rules, what rulings include. */
export type ConflictSetup = Omit<TurnRequest, "action" | "turn" | "dice" | keyof Omit<TurnRuling["after"], "combatants">>;

/** One declared action: who, what against whom, with which aspects. */
export type Turn = NonNullable<TurnRequest["turn"]>;
export type TurnRuling = RulingOf<"jazz.turn">;
export type Tactics = NonNullable<RequestOf<"jazz.fight">["tactics"]>;

/** A conflict as JSON, for your database. Where space is short, keep only the last of `taken`: there is nothing to undo then. */
export interface SavedConflict {
  setup: ConflictSetup;
  taken: { request: TurnRequest; ruling: TurnRuling }[];
}

/**
 * A Jazz conflict, turn by turn. It keeps the state, sends it along, and can go back.
 *
 * All its dice come from one seed, so a turn can be sent again after a lost connection, and a turn that was taken back and repeated rolls
 * the same dice. Calls are sent one after the other, so a second click on a button is refused like any other turn out of order.
 */
export class Conflict {
  readonly #table: Tablecall;
  readonly #setup: ConflictSetup;
  readonly #taken: SavedConflict["taken"];
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(table: Tablecall, { setup, taken }: SavedConflict) {
    this.#table = table;
    this.#setup = setup;
    this.#taken = taken;
  }

  /** Everybody rolls initiative, with dice from the table if you hand them in, and the conflict begins. */
  static async start(table: Tablecall, setup: ConflictSetup, dice: Faces = {}): Promise<Conflict> {
    const conflict = new Conflict(table, { setup: seeded(setup), taken: [] });
    await conflict.#send(withDice<TurnRequest>(conflict.#setup, dice));
    return conflict;
  }

  /** A conflict that was saved with `JSON.stringify`. */
  static resume(table: Tablecall, saved: SavedConflict): Conflict {
    return new Conflict(table, structuredClone(saved));
  }

  /** The last ruling; after the start, that of the initiative. */
  get ruling(): TurnRuling {
    return this.#last.ruling;
  }

  /** Combatants, order, round, and who has acted: the state before the next turn. */
  get state(): TurnRuling["after"] {
    return this.ruling.after;
  }

  /** The ids of those who may act now. */
  get next(): TurnRuling["next"] {
    return this.ruling.next;
  }

  get finished(): boolean {
    return this.ruling.outcome === "finished";
  }

  /** The side that still stands, once the conflict is over; null while it goes on or if nobody stands. */
  get winner(): string | null {
    return this.ruling.over;
  }

  /** All rulings so far, the initiative first. */
  get log(): TurnRuling[] {
    return this.#taken.map(({ ruling }) => ruling);
  }

  /** Take a turn. `dice` are faces rolled at the table, by the name of their roll. */
  turn(turn: Turn, dice: Faces = {}): Promise<TurnRuling> {
    return this.#inTurn(() => this.#send(this.#request(turn, dice)));
  }

  /** The chances of a turn, before it is taken. */
  odds(turn: Turn): Promise<Odds> {
    return this.#table.odds("jazz.turn", this.#request(turn));
  }

  /** Which dice a turn needs next, if they are rolled at the table. */
  rolls(turn: Turn, dice: Faces = {}): Promise<NeededRolls> {
    return this.#table.rolls("jazz.turn", this.#request(turn, dice));
  }

  /** Each side's chance to win from here, if everybody goes on attacking. A side's tactic is `first`, `weakest` or `strongest`. */
  chances(tactics: Tactics = {}): Promise<Odds> {
    return this.#table.odds("jazz.fight", { ...this.#setup, ...this.state, tactics });
  }

  /** Take an option of the last ruling, or its `choice`, such as `"rescue"`. The new ruling replaces the last one. */
  take(option: Option | string): Promise<TurnRuling> {
    return this.#inTurn(() => {
      const request = takeOption(this.#last.request, this.ruling, option);
      return this.#send(request, () => this.#taken.pop());
    });
  }

  /** Take the last turn back; its ruling is returned. The initiative stays. */
  undo(): Promise<TurnRuling | undefined> {
    return this.#inTurn(async () => (this.#taken.length > 1 ? this.#taken.pop()?.ruling : undefined));
  }

  toJSON(): SavedConflict {
    return { setup: this.#setup, taken: this.#taken };
  }

  get #last(): SavedConflict["taken"][number] {
    return this.#taken[this.#taken.length - 1] as SavedConflict["taken"][number];
  }

  #request(turn: Turn, dice: Faces = {}): TurnRequest {
    return withDice<TurnRequest>({ ...this.#setup, ...this.state, turn }, dice);
  }

  async #send(request: TurnRequest, answered = (): unknown => undefined): Promise<TurnRuling> {
    const ruling = await again(() => this.#table.resolve("jazz.turn", request));
    answered();
    this.#taken.push({ request, ruling });
    return ruling;
  }

  /** Run one after the other; a failure does not stop the next. */
  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(send);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
