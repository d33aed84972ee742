/** The dice of a seed (`tablecall-1`), rolled again here to check the service. Works on plain http too, where browsers have no `crypto.subtle`. */
import { sha256 } from "./sha256.js";
import type { Die, Roll } from "./types.js";

const RNG = "tablecall-1";
const utf8 = new TextEncoder();

/** The first `count` faces of a roll. A d10 starts at 0 and any other die at 1, unless `lowest` says otherwise. */
export function faces(seed: string, roll: string, sides: number, count: number, lowest = sides === 10 ? 0 : 1): number[] {
  const input = new Uint8Array(40);
  input.set(sha256(utf8.encode(`${RNG}\0${seed}\0${roll}`)));
  const limit = Math.floor(256 / sides) * sides;
  const found: number[] = [];
  for (let block = 0; found.length < count; block++) {
    new DataView(input.buffer).setUint32(36, block);
    for (const byte of sha256(input)) if (byte < limit && found.length < count) found.push((byte % sides) + lowest);
  }
  return found;
}

/** The faces of a roll in the order they were rolled: the first face of every die, then from left to right what was rolled again. */
function rolled(dice: readonly Pick<Die, "face" | "replaced">[]): number[] {
  const histories = dice.map((die) => [...die.replaced, die.face]);
  return [...histories.map((history) => history[0] as number), ...histories.flatMap((history) => history.slice(1))];
}

/**
 * The rolls of a ruling whose dice are not those of its seed, as JSON pointers; empty if all dice are right.
 *
 * Dice from the table are compared with `dice` of the request, or passed over if you do not give it.
 */
export function verifyDice(
  ruling: { rng: string; seed: string; rolls: readonly Pick<Roll, "roll" | "dice" | "from">[] },
  request?: { dice?: readonly { roll: string; faces: readonly number[] }[] | null },
): string[] {
  if (ruling.rng !== RNG) return ["/rng"];
  const given = new Map((request?.dice ?? []).map((dice) => [dice.roll, dice.faces]));
  const wrong = ({ roll, dice, from }: Pick<Roll, "roll" | "dice" | "from">): boolean => {
    if (from !== "seed" && !request) return false;
    const shown = rolled(dice);
    const right = given.get(roll) ?? faces(ruling.seed, roll, dice[0]?.sides ?? 6, shown.length, dice[0]?.lowest ?? undefined);
    return shown.length !== right.length || shown.some((face, index) => face !== right[index]);
  };
  return ruling.rolls.flatMap((roll, index) => (wrong(roll) ? [`/rolls/${index}`] : []));
}
