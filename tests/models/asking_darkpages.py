"""Random requests of every action of darkpages."""

from __future__ import annotations

from typing import Any

from tests.models.darkpages import ATTRIBUTES, TRAITS
from tests.models.dice import Document
from tests.models.drawing import Drawing

STATES = ["unhurt", "unhurt", "diminished", "damaged"]
ARCHETYPES = ["Warrior", "Mystic", "Thief"]


class Asking(Drawing):
    """Random requests: `request` is one of any action."""

    def request(self, action: str | None = None) -> Document:
        names = ["check", "check", "check", "damage", "damage", "attack", "attack", "attack", "teamwork", "teamwork", "swarm", "defend"]
        names += ["defend", "noMercy", "concede", "recovery", "training", "initiation", "conflict", "conflict", "conflict"]
        action = action or self.chance.choice(names)
        document: Document = getattr(self, action)()
        return {"action": f"darkpages.{action}", **document}

    # ── Sheets and rollers ───────────────────────────────────────────────────────────────────────────────────────────

    def pool(self) -> Document:
        return {"roll": self.chance.randint(1, 4), "keep": self.chance.randint(1, 3)}

    def modifier(self) -> str:
        return self.chance.choice(["+1/0", "+1/1", "-1/0", "−1/1", "–2/1", "-1/-1", "+0/1"])

    def sheet(self, out: float = 0.04) -> Document:
        lethal = self.chance.choice(list(ATTRIBUTES))
        sheet: Document = {
            "name": f"N{self.chance.randrange(10**6)}",
            "attributes": {name: self.pool() for name in ATTRIBUTES.values()},
            "lethal": lethal,
        }
        self.put(sheet, 0.8, archetype=self.chance.choice(ARCHETYPES))
        self.put(sheet, 0.2, npc=True)
        if self.some(0.6):
            sheet["damage"] = {trait: self.chance.choice(STATES) for trait in ATTRIBUTES}
            if self.some(0.2):
                sheet["damage"][lethal] = "destroyed"
            worn = [trait for trait, state in sheet["damage"].items() if state == "damaged" and trait != lethal]
            if worn and self.some(0.6):
                sheet["overflow"] = {worn[0]: self.chance.randint(1, 2)}
        if self.some(0.25):
            sheet["scars"] = [self.scar() for _ in range(self.chance.randint(1, 2))]
        self.put(sheet, out, defeated=True)
        self.put(sheet, out / 2, outOfGame=True)
        return sheet

    def scar(self) -> Document:
        scar: Document = {"modifier": self.chance.choice(["-1/0", "-1/1"])}
        self.put(scar, 0.7, attribute=self.chance.choice(list(ATTRIBUTES.values())))
        self.put(scar, 0.5, condition="in the dark")
        return scar

    def actor(self, *, attribute: bool = True, likely_zeros: bool = True, out: float = 0.04) -> Document:
        actor: Document = {}
        if self.some(0.65):
            sheet = actor["character"] = self.sheet(out)
            if attribute:
                actor["attribute"] = self.chance.choice(list(ATTRIBUTES.values()))
            conditional = [index for index, scar in enumerate(sheet.get("scars") or []) if "condition" in scar]
            if conditional and self.some(0.5):
                actor["scars"] = conditional
        else:
            actor["pool"] = self.pool()
            self.put(actor, 0.5, archetype=self.chance.choice(ARCHETYPES))
            self.put(actor, 0.3, npc=True)
            self.put(actor, out, defeated=True)
        self.put(actor, 0.25, modifiers=[self.modifier() for _ in range(self.chance.randint(1, 2))])
        npc = actor.get("npc") or (actor.get("character") or {}).get("npc")
        if not npc:
            ways = ["highest", "mostZeros", *(["mostZerosThatSucceed"] if likely_zeros else [])]
            self.put(actor, 0.5, keep=self.chance.choice(ways))
        return actor

    def other(self, **options: Any) -> Document:
        """A second side: two who both want zeros only where they succeed would each wait for the other."""
        return self.actor(likely_zeros=False, **options)

    def options(self) -> Document:
        options: Document = {}
        self.put(options, 0.2, floor=self.chance.choice(["one", "zero"]), overflow=self.chance.choice(["stack", "hold"]))
        return options

    def harm(self) -> Document:
        harm: Document = {"trauma": self.chance.choice(list(TRAITS))}
        self.put(harm, 0.6, onHarm=self.chance.choice(["defeated", "risk", "risk"]))
        self.put(harm, 0.3, damageTie=self.chance.choice(["stalemate", "harm"]))
        return harm

    # ── Actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def check(self) -> Document:
        document: Document = {"actor": self.actor(), **self.options()}
        document |= {"targetNumber": self.chance.randint(1, 4) * 5} if self.some(0.6) else {"opponent": self.other()}
        self.put(document, 0.05, stakes=self.chance.choice(["nothing", "everything"]))
        if self.some(0.3):
            document |= self.harm()
        return document

    def damage(self) -> Document:
        against: Document = {"against": self.chance.randint(0, 20), "opposed": self.some(0.5)}
        return {"target": self.actor(attribute=False), **against, **self.harm(), **self.options()}

    def attack(self) -> Document:
        document: Document = {"attacker": self.actor(), "defender": self.other(attribute=self.some(0.5)), **self.harm(), **self.options()}
        self.put(document, 0.04, stakes="nothing")
        return document

    def target(self) -> Document:
        kind = self.chance.choice(["number", "number", "one", "several"])
        if kind == "number":
            return {"targetNumber": self.chance.randint(1, 4) * 5}
        if kind == "one":
            return {"opponent": self.other(out=0.02)}
        return {"opponents": [self.other(out=0.02) for _ in range(2)]}

    def teamwork(self) -> Document:
        members = [self.actor(out=0.02) for _ in range(self.chance.randint(1, 3))]
        document = {"members": members, **self.target(), **self.options()}
        self.put(document, 0.2, leader=self.chance.randrange(len(members)))
        return document

    def swarm(self) -> Document:
        members = [self.other(out=0.02) for _ in range(self.chance.randint(1, 3))]
        return {"members": members, "use": self.chance.choice(["highest", "lowest"]), **self.target(), **self.options()}

    def defend(self) -> Document:
        attacker, defender, ward = self.other(out=0.02), self.other(out=0.02), self.other(out=0.02)
        document = {"attacker": attacker, "defender": defender, "ward": ward, **self.harm()}
        self.put(document, 0.4, overflow="hold", reuseAttack=True)
        return document

    def noMercy(self) -> Document:  # noqa: N802
        victim = self.sheet()
        self.put(victim, 0.85, defeated=True)
        trauma = next(name for name, trait in TRAITS.items() if trait == victim["lethal"] or self.some(0.1))
        document = {"attacker": self.actor(), "victim": victim, "trauma": trauma}
        self.put(document, 0.7, rescuer=self.other())
        return document

    def concede(self) -> Document:
        return {"character": self.sheet(out=0.15)}

    def recovery(self) -> Document:
        when = self.chance.choice(["conflictEnd", "respite", "sessionEnd", "sessionStart", "interval", "returnAsNpc"])
        document: Document = {"when": when}
        if self.some(0.3) and when in ("conflictEnd", "respite", "sessionStart"):
            document["characters"] = [self.sheet(0.2) for _ in range(2)]
        else:
            sheet = document["character"] = self.sheet(0.2)
            self.put(sheet, 0.8 if when == "returnAsNpc" else 0, outOfGame=True)
            destroyed = "destroyed" in (sheet.get("damage") or {}).values()
            if when in ("sessionEnd", "interval") and destroyed != self.some(0.1):
                document["scar"] = self.scar()
        self.put(document, 0.2 if when in ("sessionStart", "interval") else 0, care=False)
        return document

    def training(self) -> Document:
        ledger = [
            {"name": f"C{index}", "archetype": self.chance.choice([*ARCHETYPES, "WARRIOR"]), "points": self.chance.randint(0, 6)}
            for index in range(self.chance.randint(1, 4))
        ]
        if self.some(0.4):
            payer = self.chance.choice(ledger)
            spend = {"name": payer["name"], "archetype": payer["archetype"], "cost": self.chance.randint(1, 4), "power": "night sight"}
            return {"ledger": ledger, "spend": spend, "sessionEnded": self.some(0.8)}
        if self.some(0.5):
            return {"ledger": ledger, "award": {"archetype": self.chance.choice(ARCHETYPES), "points": self.chance.randint(1, 3)}}
        effects = [{"on": f"archetype:{name}", "stat": "trainingPoints", "change": self.chance.randint(1, 2)} for name in ARCHETYPES[:2]]
        return {"ledger": ledger, "awards": effects}

    def initiation(self) -> Document:
        participants = []
        for index in range(self.chance.randint(1, 5)):
            one: Document = {"id": f"p{index}"}
            for name in ("proximity", "ease", "drama", "powers"):
                self.put(one, 0.6, **{name: self.chance.randint(-1, 1)})
            participants.append(one)
        document: Document = {"participants": participants}
        self.put(document, 0.5, weigh=self.chance.sample(["proximity", "ease", "drama", "powers"], self.chance.randint(3, 4)))
        return document

    # ── Conflicts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def conflict(self) -> Document:
        number = self.chance.randint(3, 4)
        participants: list[Document] = [{"id": f"p{index}", "actor": self.other(out=0)} for index in range(number)]
        for one in participants:
            for name in ("modifiers", "scars"):
                one["actor"].pop(name, None)
        document: Document = {
            "participants": participants,
            "actions": [self.declared(participants) for _ in range(self.chance.randint(1, 4))],
        }
        self.put(document, 0.3, done=self.chance.randint(1, 5), end=True)
        return document

    def declared(self, participants: list[Document]) -> Document:
        chosen = self.chance.sample(participants, 3)
        one, two, three = ({"participant": member["id"]} for member in chosen)
        self.put(one, 0.3, modifiers=[self.modifier()])
        kind = self.chance.choice(["check", "hazard", "opposed", "attack", "attack", "teamwork", "swarm", "defend", "concede", "damage"])
        number = {"targetNumber": self.chance.randint(1, 4) * 5}
        if kind == "concede":
            sheets = [member for member in participants if "character" in member["actor"]]
            if sheets:
                return {"action": "darkpages.concede", "character": {"participant": self.chance.choice(sheets)["id"]}}
            kind = "check"
        if kind == "check":
            return {"action": "darkpages.check", "actor": one, **number}
        if kind == "hazard":
            return {"action": "darkpages.check", "actor": one, **number, **self.harm()}
        if kind == "opposed":
            return {"action": "darkpages.check", "actor": one, "opponent": two}
        if kind == "attack":
            return {"action": "darkpages.attack", "attacker": one, "defender": two, **self.harm()}
        if kind == "teamwork":
            return {"action": "darkpages.teamwork", "members": [one, two], **number}
        if kind == "swarm":
            return {"action": "darkpages.swarm", "members": [one, two], "use": "highest", "opponent": three}
        if kind == "defend":
            return {"action": "darkpages.defend", "attacker": one, "defender": two, "ward": three, **self.harm()}
        harm = self.harm()
        target = {"participant": two["participant"], "attribute": ATTRIBUTES[TRAITS[harm["trauma"]]]}
        if "pool" in chosen[1]["actor"]:
            del target["attribute"]
        return {"action": "darkpages.damage", "target": target, "against": 12, "opposed": True, **harm}
