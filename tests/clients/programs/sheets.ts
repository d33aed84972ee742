// What every program asks: a check, an attack with sheets, a request the rules refuse, odds.
export const ROOK = {
  id: "pc-1",
  name: "Rook",
  aspects: [
    { name: "former getaway driver", bonus: 4 },
    { name: "hereditary witch", bonus: 2, weird: true },
  ],
  survivalAspect: "former getaway driver",
};
export const GUARD = {
  id: "npc-7",
  name: "Night guard",
  named: false,
  aspects: [{ name: "tired night guard", bonus: 1 }],
  survivalAspect: "tired night guard",
};
export const CHECK = { actor: { bonus: 3 }, difficulty: 10, seed: 42 };
export const ATTACK = {
  attackers: [{ character: ROOK, using: ["former getaway driver"] }, { bonus: 1 }],
  defender: { character: GUARD, using: ["tired night guard"] },
  seed: "the vault",
};
export const REFUSED = { actor: { character: ROOK, bonus: 3 }, difficulty: 10 };

export type Found = {
  check: { outcome: string; total: number | null };
  attack: { outcome: "hit" | "miss"; defender: string | number | null | undefined; out: boolean | null | undefined };
  refusal: { status: number; pointer: string | undefined; rule: string | null | undefined };
  odds: string[];
};

export const base = process.argv[2] ?? "";

export function say(found: Found): void {
  console.log(JSON.stringify(found));
}
