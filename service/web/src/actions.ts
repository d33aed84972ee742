// The actions of both games as the table shows them: what stands in front, where people stand, and what one may ask "what if".

import { at, type Doc, type Path, put } from "./documents.ts";
import { t } from "./i18n.ts";

export interface ActionView {
  /** The fields in front, in this order; all others stand under "More". */
  front: string[];
  /** Where the first roller, or the sheet, stands. */
  main: Path;
  /** Where an opponent of the first roller stands. */
  other?: Path;
  start: Doc;
}

const JAZZ_CHARACTER = { front: ["character"], main: ["character"] };
const pool = (roll: number, keep: number, npc = false): Doc => ({ pool: { roll, keep }, ...(npc ? { npc } : {}) });

export const ACTIONS: Record<string, ActionView> = {
  "jazz.check": { front: ["actor", "against", "rescue"], main: ["actor"], other: ["opponent"], start: { actor: { bonus: 3 }, difficulty: 10 } },
  "jazz.attack": { front: ["attackers", "defender", "kind"], main: ["attackers", 0], other: ["defender"], start: { attackers: [{ bonus: 3 }], defender: { bonus: 2 } } },
  "jazz.teamwork": { front: ["members", "against"], main: ["members", 0], other: ["opponent"], start: { members: [{ bonus: 1 }, { bonus: 3 }], difficulty: 12 } },
  "jazz.fight": { front: ["combatants", "together", "maxRounds"], main: ["combatants", 0, "actor"], start: {} },
  "jazz.turn": { front: [], main: ["combatants", 0, "actor"], start: {} },
  "jazz.initiative": { front: ["combatants", "ties"], main: [], start: {} },
  "jazz.round": { front: ["combatants", "orders"], main: ["combatants", 0, "actor"], start: {} },
  "jazz.karma": { ...JAZZ_CHARACTER, front: ["character", "grant"], start: {} },
  "jazz.complication": { ...JAZZ_CHARACTER, start: {} },
  "jazz.fate": { ...JAZZ_CHARACTER, front: ["character", "condition"], start: {} },
  "jazz.recovery": { front: ["characters", "when", "pool"], main: ["characters", 0], start: {} },
  "jazz.improve": { ...JAZZ_CHARACTER, front: ["character", "aspect", "fictionLevel"], start: {} },
  "jazz.learn": { ...JAZZ_CHARACTER, front: ["character", "aspect", "fictionLevel"], start: {} },
  "jazz.character": { ...JAZZ_CHARACTER, front: ["character", "fictionLevel"], start: {} },
  "darkpages.check": { front: ["actor", "against"], main: ["actor"], other: ["opponent"], start: { actor: pool(4, 3), targetNumber: 15 } },
  "darkpages.attack": { front: ["attacker", "defender", "trauma", "onHarm"], main: ["attacker"], other: ["defender"], start: { attacker: pool(4, 3), defender: pool(3, 2, true), trauma: "injury" } },
  "darkpages.damage": { front: ["target", "trauma", "against", "opposed", "onHarm"], main: ["target"], start: { target: pool(4, 3), trauma: "injury", against: 15, opposed: false } },
  "darkpages.teamwork": { front: ["members", "against", "leader"], main: ["members", 0], other: ["opponent"], start: {} },
  "darkpages.conflict": { front: [], main: ["participants", 0, "actor"], start: {} },
  "darkpages.defend": { front: ["attacker", "defender", "ward", "trauma"], main: ["defender"], start: {} },
  "darkpages.swarm": { front: ["members", "use", "against"], main: ["members", 0], start: {} },
  "darkpages.concede": { ...JAZZ_CHARACTER, start: {} },
  "darkpages.noMercy": { front: ["attacker", "victim", "trauma", "rescuer"], main: [], start: {} },
  "darkpages.recovery": { front: ["character", "when", "care"], main: ["character"], start: {} },
  "darkpages.training": { front: ["ledger", "award", "spend", "sessionEnded"], main: [], start: {} },
  "darkpages.initiation": { front: ["participants", "weigh"], main: [], start: {} },
  "darkpages.character": { ...JAZZ_CHARACTER, start: {} },
};

/** The actions that are always in sight; the others stand in a menu. */
export const COMMON: Record<string, string[]> = {
  jazz: ["jazz.check", "jazz.attack", "jazz.teamwork", "jazz.fight", "jazz.turn"],
  darkpages: ["darkpages.check", "darkpages.attack", "darkpages.damage", "darkpages.teamwork", "darkpages.conflict"],
};

/** The levels of difficulty, as the rule book names them. */
export const LEVELS: [string, number][] = [["easy", 8], ["challenging", 10], ["demanding", 12], ["frustrating", 14], ["nigh-impossible", 16]];

/** Fields that say how a request is carried out; they never stand in a form. */
export const CARRIED_OUT = ["seed", "rng", "dice", "include", "language", "method", "trials", "action", "keepChoices"];

/** Everything that "against" stands for. */
export const AGAINST = ["difficulty", "level", "effect", "opponent", "targetNumber", "opponents"];

export function targetOf(request: Doc): number | undefined {
  if (request.opponent || request.opponents) return undefined;
  return request.difficulty ?? request.targetNumber ?? LEVELS.find(([name]) => name === request.level || name.replace("-i", "I") === request.level)?.[1] ?? (request.action === "darkpages.damage" ? request.against : undefined);
}

const GOOD = new Set(["success", "automatic", "hit", "recovered", "improved", "learned", "legal", "killed"]);
const BAD = new Set(["failure", "dismalFailure", "dramaticFailure", "stalemate", "impossible", "miss", "atMaximum", "illegal", "spared", "noRoll"]);
const HARMED = ["defeated", "diminished", "damaged", "destroyed", "outOfGame"];

/** Whom the outcome is about, where that is not the first roller: where the harmed one stands. */
export function harmedOf(action: string, outcome: string): string | undefined {
  return HARMED.includes(outcome) ? { "darkpages.attack": "defender", "darkpages.damage": "target" }[action] : undefined;
}

/** Whether an outcome is what the first roller wants; nothing where nobody can say. */
export function isGood(action: string, outcome: string): boolean | null {
  if (action === "darkpages.attack") return HARMED.includes(outcome);
  if (action === "darkpages.damage") return outcome === "resisted" || outcome === "held";
  if (action === "darkpages.defend") return outcome === "wardSafe" || outcome === "resisted";
  if (["jazz.improve", "jazz.learn"].includes(action)) return GOOD.has(outcome);
  return GOOD.has(outcome) ? true : BAD.has(outcome) ? false : null;
}

export interface WhatIf {
  label: string;
  request: Doc;
}

/** Changes that people wonder about, each as the request that it makes. */
export function whatIfs(request: Doc): WhatIf[] {
  const view = ACTIONS[request.action];
  const main = view.main;
  const actor: Doc | undefined = at(request, main);
  const changes: WhatIf[] = [];
  const add = (label: string, ...steps: [Path, unknown][]) => changes.push({ label, request: steps.reduce((changed, [path, value]) => put(changed, path, value), request) });
  if (!actor || !view.other) return [];
  if (request.action.startsWith("jazz.")) {
    // The rules give one advantage to a roll, and no rescue to a roll that had one.
    const lucky = Boolean(actor.advantage || actor.spend || actor.gear?.advantage || request.rescue);
    if (typeof actor.bonus === "number") {
      add(t("if.bonus", { by: "+1" }), [[...main, "bonus"], actor.bonus + 1]);
      if (actor.bonus > 0) add(t("if.bonus", { by: "−1" }), [[...main, "bonus"], actor.bonus - 1]);
    }
    if (actor.character) {
      for (const aspect of actor.character.aspects ?? []) {
        if (!(actor.using ?? []).includes(aspect.name)) add(t("if.aspect", { name: aspect.name }), [[...main, "using"], [aspect.name]]);
      }
      if (actor.character.karma === "positive" && !lucky) add(t("if.karma"), [[...main, "spend"], "karma"]);
    }
    if (!lucky) add(t("if.advantage"), [[...main, "advantage"], true]);
    if (!actor.disadvantage) add(t("if.disadvantage"), [[...main, "disadvantage"], true]);
    const target = targetOf(request);
    if (target !== undefined) {
      const harder = LEVELS.find(([, level]) => level > target);
      if (harder) add(t("if.harder", { level: harder[1] }), [["difficulty"], harder[1]], [["level"], undefined], [["effect"], undefined]);
    }
    if (request.action === "jazz.check" && !lucky && actor.character?.karma !== "negative") add(t("if.rescue"), [["rescue"], true]);
  } else {
    if (actor.pool) {
      add(t("if.dice", { by: "+1" }), [[...main, "pool", "roll"], actor.pool.roll + 1]);
      if (actor.pool.roll > 1) add(t("if.dice", { by: "−1" }), [[...main, "pool"], { roll: actor.pool.roll - 1, keep: Math.min(actor.pool.keep, actor.pool.roll - 1) }]);
      if (actor.pool.keep < actor.pool.roll) add(t("if.keep"), [[...main, "pool", "keep"], actor.pool.keep + 1]);
    } else if (actor.character) {
      add(t("if.dice", { by: "+1" }), [[...main, "modifiers"], [...(actor.modifiers ?? []), "+1/0"]]);
      add(t("if.dice", { by: "−1" }), [[...main, "modifiers"], [...(actor.modifiers ?? []), "-1/0"]]);
      for (const attribute of ["body", "mind", "soul"]) if (attribute !== actor.attribute) add(t("if.attribute", { name: t(`value.${attribute}`) }), [[...main, "attribute"], attribute]);
    }
    if (typeof request.targetNumber === "number") add(t("if.target", { total: request.targetNumber + 5 }), [["targetNumber"], request.targetNumber + 5]);
  }
  return changes.slice(0, 8);
}
