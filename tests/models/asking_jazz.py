"""Random requests of every action of Jazz."""

from __future__ import annotations

from tests.models.dice import Document
from tests.models.drawing import Drawing
from tests.models.jazz import HEALING, LEVELS, ROWS, is_out, pool


class Asking(Drawing):
    """Random requests: `request` is one of any action."""

    def request(self, action: str | None = None) -> Document:
        names = ["check", "check", "check", "teamwork", "attack", "attack", "initiative", "turn", "turn", "turn", "round", "round", "fight"]
        names += ["karma", "complication", "fate", "recovery", "improve", "learn", "character"]
        action = action or self.chance.choice(names)
        document: Document = getattr(self, action)()
        return {"action": f"jazz.{action}", **document}

    # ── Sheets and rollers ───────────────────────────────────────────────────────────────────────────────────────────

    def sheet(self, *, out: float = 0.05, id_: str | None = None) -> Document:
        bonuses = [self.chance.randint(1, 4) for _ in range(self.chance.randint(1, 3))]
        weird = self.some(0.5)
        aspects: list[Document] = [
            {"name": f"aspect {index}", "bonus": bonus, **({"weird": True} if weird and index != 1 else {})}
            for index, bonus in enumerate(bonuses)
        ]
        sheet: Document = {"name": f"N{self.chance.randrange(10**6)}", "aspects": aspects}
        self.put(sheet, 0.6, survivalAspect=self.chance.choice(aspects)["name"].upper())
        if self.some(0.5):
            most = self.chance.randint(1, 5)
            sheet["health"] = {"current": self.chance.randint(1, most), "max": most}
        if weird:
            self.put(sheet, 0.3, weirdPool=self.chance.choice(["highest", "sum"]))
            most = self.chance.randint(1, 4)
            self.put(sheet, 0.5, weird={"current": self.chance.randint(0, most), "max": most})
        self.put(sheet, 0.2, named=False)
        self.put(sheet, 0.4, karma=self.chance.choice(["neutral", "positive", "negative"]), heldAdvantage=self.some(0.5))
        self.put(sheet, 0.1, data={"token": 7}, complication="owes money")
        if self.some(out):
            self.put_out(sheet)
        if id_ is not None:
            sheet["id"] = id_
        return sheet

    def put_out(self, sheet: Document) -> None:
        sheet["out"] = True
        if sheet.get("health"):
            sheet["health"]["current"] = 0
        elif "survivalAspect" in sheet:
            sheet["health"] = {"current": 0, "max": 3}
        self.put(sheet, 0.6, condition=self.chance.choice(["unconscious", "dying", "dead", "captured"]))

    def actor(self, *, out: float = 0.05) -> Document:
        actor: Document = {}
        if self.some(0.7):
            sheet = actor["character"] = self.sheet(out=out)
            names = [one["name"] for one in sheet["aspects"]]
            actor["using"] = self.chance.sample(names, self.chance.randint(0, len(names)))
            if self.some(0.2) and actor["using"]:
                actor["using"][0] = f" {actor['using'][0].upper()}"
            if self.some(0.15):
                actor["spend"] = self.chance.choice(["karma", "heldAdvantage"])
                self.hold(sheet, actor["spend"])
            elif self.some(0.15):
                actor["imposeKarma"] = True
                if self.some(0.8):
                    sheet["karma"] = "negative"
            self.put(actor, 0.15, extraordinary=self.some(0.7))
        else:
            self.put(actor, 0.8, bonus=self.chance.randint(0, 5))
        self.put(actor, 0.15, advantage=True)
        self.put(actor, 0.15, disadvantage=True)
        self.put(actor, 0.15, universal=True)
        self.put(actor, 0.1, withoutEquipment=True)
        if self.some(0.2):
            actor["gear"] = {"reroll": self.chance.choice([[1], [6], [1, 2]])}
            self.put(actor["gear"], 0.3, advantage=True)
            self.put(actor["gear"], 0.3, until="clear")
        return actor

    def hold(self, sheet: Document, die: str) -> None:
        """Mostly, who spends a die has it."""
        if self.some(0.8):
            sheet.update({"karma": "positive"} if die == "karma" else {"heldAdvantage": True})

    # ── Checks and attacks ───────────────────────────────────────────────────────────────────────────────────────────

    def terms(self, opponent: bool = True) -> Document:
        terms: Document = {}
        kind = self.chance.choice(["difficulty", "level", "effect", "heal", "opponent" if opponent else "difficulty"])
        if kind == "difficulty":
            terms["difficulty"] = self.chance.randint(5, 15)
        elif kind == "level":
            terms["level"] = self.chance.choice(["easy", "challenging", "demanding", "frustrating"])
        elif kind == "opponent":
            terms["opponent"] = self.actor(out=0.02)
            self.put(terms, 0.4, ties=self.chance.choice(["actor", "opponent", "stalemate"]))
        else:
            terms["effect"] = self.chance.choice(sorted(HEALING if kind == "heal" else ROWS))
            if kind == "heal":
                self.put(terms, 0.85, subject=self.sheet(out=0.7))
                self.put(terms, 0.2, amount=self.chance.randint(1, 3), rounding=self.chance.choice(["up", "down"]))
        self.put(terms, 0.1, specialistOnly=True)
        self.put(terms, 0.2, difficultyIncrease=self.chance.randint(1, 3))
        self.put(terms, 0.1, stakes=self.chance.choice(["routine", "none", "something"]))
        self.put(terms, 0.15, spendOn=self.chance.choice(["attempt", "success"]))
        return terms

    def check(self) -> Document:
        document = {"actor": self.actor(), **self.terms()}
        if "effect" in document and self.some(0.7):
            self.make_weird(document["actor"])
        if self.some(0.25):
            document["rescue"] = True
            self.put(document, 0.5, rescueBy=self.chance.choice(["addDie", "rollAgain"]))
        return document

    def make_weird(self, actor: Document) -> None:
        if "character" in actor:
            first = actor["character"]["aspects"][0]
            first["weird"] = True
            actor["using"] = [first["name"]]

    def teamwork(self) -> Document:
        members = [self.actor(out=0.03) for _ in range(self.chance.randint(1, 3))]
        document = {"members": members, **self.terms()}
        if "effect" in document and self.some(0.7):
            self.make_weird(members[0])
        if self.some(0.25):
            document["rescue"] = f"members.{self.chance.randrange(len(members))}"
            self.put(document, 0.5, rescueBy=self.chance.choice(["addDie", "rollAgain"]))
        return document

    def attack(self) -> Document:
        attackers = [self.actor(out=0.03) for _ in range(self.chance.choice([1, 1, 1, 2, 3]))]
        document: Document = {"attackers": attackers}
        if self.some(0.2):
            document["targets"] = [self.actor(out=0.02) for _ in range(self.chance.randint(2, 3))]
            if self.some(0.7):
                self.make_weird(attackers[0])
            return document
        document["defender"] = self.actor(out=0.03)
        if self.some(0.15):
            document["teamDefence"] = [self.actor(out=0.02) for _ in range(self.chance.randint(1, 2))]
        if self.some(0.25):
            document["rescue"] = self.chance.choice(["defender", "attackers.0"])
            self.put(document, 0.5, rescueBy=self.chance.choice(["addDie", "rollAgain"]))
        return document

    def initiative(self) -> Document:
        combatants = []
        for index in range(self.chance.randint(1, 5)):
            one: Document = {"id": f"c{index}"}
            self.put(one, 0.3, drop=True)
            self.put(one, 0.3, initiativeBonus=self.chance.randint(0, 3))
            if self.some(0.3):
                one["character"] = self.sheet(out=0)
                self.put(one, 0.3, spend=self.chance.choice(["karma", "heldAdvantage"]))
                if "spend" in one:
                    self.hold(one["character"], one["spend"])
            combatants.append(one)
        document: Document = {"combatants": combatants}
        self.put(document, 0.6, ties=self.chance.choice(["rerollOff", "listed", "simultaneous"]))
        if len(combatants) > 2 and self.some(0.3):
            document["order"] = [{"ids": ["c0"], "total": 8}, {"ids": ["c1"], "total": 6}]
            document["joining"] = [one["id"] for one in combatants[2:]]
            document["ties"] = self.chance.choice(["listed", "simultaneous"])
        return document

    # ── Between conflicts ────────────────────────────────────────────────────────────────────────────────────────────

    def karma(self) -> Document:
        return {"character": self.sheet(), "grant": self.chance.choice(["positive", "negative"])}

    def complication(self) -> Document:
        return {"character": self.sheet() | {"complication": "owes money"}}

    def fate(self) -> Document:
        return {"character": self.sheet(out=0.7), "condition": self.chance.choice(["dead", "captured", "asleep"])}

    def recovery(self) -> Document:
        sheets = [self.tired(self.sheet(out=0.3)) for _ in range(self.chance.choice([1, 1, 2]))]
        document: Document = {"character": sheets[0]} if len(sheets) == 1 else {"characters": sheets}
        document["rest"] = self.chance.choice(["halfHour", "halfHour", "night"])
        if document["rest"] == "halfHour":
            self.put(document, 0.3, pools=[self.chance.choice(["health", "weird"])])
            self.put(document, 0.3, rounding=self.chance.choice(["up", "down"]))
        self.put(document, 0.2, blocked=[self.chance.choice(["health", "weird"])])
        return document

    def tired(self, sheet: Document) -> Document:
        self.put(sheet, 0.4, rested={"health": self.some(0.5), "weird": self.some(0.5)})
        return sheet

    def advancing(self) -> Document:
        document: Document = {"character": self.sheet(out=0.1), "fictionLevel": self.chance.choice(list(LEVELS))}
        self.put(document["character"], 0.3, advanced=True)
        self.put(document, 0.3, newSession=True)
        return document

    def improve(self) -> Document:
        document = self.advancing()
        return document | {"aspect": self.chance.choice(document["character"]["aspects"])["name"]}

    def learn(self) -> Document:
        document = self.advancing()
        document["aspect"] = {"name": self.chance.choice(["new one", "new one", "new one", "ASPECT 0"])}
        self.put(document, 0.5, similarTo=self.chance.choice(document["character"]["aspects"])["name"])
        return document

    def character(self) -> Document:
        sheet = self.sheet(out=0)
        self.put(sheet, 0.1, aspects=[*sheet["aspects"], {"name": "Aspect 0", "bonus": 1}])
        document: Document = {"character": sheet, "fictionLevel": self.chance.choice(list(LEVELS))}
        self.put(document, 0.7, stage=self.chance.choice(["creation", "play", "npc"]))
        return document

    # ── Conflicts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def combatants(self, fight: bool = False) -> list[Document]:
        number = self.chance.randint(2, 5)
        combatants = []
        for index in range(number):
            actor: Document = {"bonus": self.chance.randint(0, 4)}
            if fight or self.some(0.85):
                sheet = self.sheet(out=0.15)
                if fight and "health" not in sheet:
                    sheet["survivalAspect"] = sheet["aspects"][0]["name"]
                actor = {"character": sheet, "using": [sheet["aspects"][0]["name"]]}
                if self.some(0.15):
                    actor["spend"] = "karma"
                    sheet["karma"] = "positive"
            combatants.append({"id": f"c{index}", "side": f"side {index % 2}", "actor": actor})
            self.put(combatants[-1], 0.15, drop=True, initiativeBonus=1)
        return combatants

    def state(self) -> Document:
        """A conflict under way."""
        combatants = self.combatants()
        ids = [one["id"] for one in combatants]
        mixed = self.chance.sample(ids, len(ids))
        order: list[Document] = []
        for id_ in mixed:
            if order and self.some(0.3):
                order[-1]["ids"].append(id_)
            else:
                order.append({"ids": [id_]})
        document: Document = {"combatants": combatants, "order": order, "round": self.chance.randint(1, 3)}
        begun = self.chance.randrange(len(ids))
        early = [id_ for place in order for id_ in place["ids"]][:begun]
        standing = [one["id"] for one in combatants if not is_out(one["actor"])]
        document["waiting"] = [id_ for id_ in early if id_ in standing and self.some(0.2)]
        document["acted"] = [id_ for id_ in early if id_ not in document["waiting"]]
        return document

    def declared(self, document: Document, by: list[str]) -> Document:
        combatants = {one["id"]: one for one in document["combatants"]}
        sides = {combatants[id_]["side"] for id_ in by}
        others = [id_ for id_, one in combatants.items() if one["side"] not in sides]
        kind = self.chance.choice(["attack", "attack", "attack", "attack", "check", "heal", "against", "pass", "wait", "targets"])
        if not others or kind == "pass":
            return {"by": by, "pass": True}
        if kind == "attack":
            several = self.chance.sample(others, self.chance.randint(1, len(others)))
            return {"by": by, "attack": several if self.some(0.5) else several[0]}
        if kind == "check":
            return {"by": by, "check": {"difficulty": self.chance.randint(6, 12)}}
        if kind == "targets" and all(self.heals(combatants[id_]["actor"]) for id_ in by):
            return {"by": by, "targets": others}
        if kind == "against":
            return {"by": by, "check": {"against": self.chance.choice(others)}}
        if kind == "heal":
            friends = [
                id_ for id_, one in combatants.items() if id_ not in by and pool(one["actor"].get("character") or {"aspects": []}, "health")
            ]
            if friends and all(self.heals(combatants[id_]["actor"]) for id_ in by):
                return {"by": by, "check": {"effect": "restoreHealth.dead", "subject": self.chance.choice(friends)}}
        return {"by": by, "wait": True}

    def heals(self, actor: Document) -> bool:
        """Whether an extraordinary use is possible."""
        sheet = actor.get("character")
        return sheet is None or (sheet["aspects"][0].get("weird", False) and sheet.get("weird", {"current": 1})["current"] > 0)

    def turn(self) -> Document:
        if self.some(0.1):
            return {"combatants": self.combatants(), "ties": self.chance.choice(["rerollOff", "listed", "simultaneous"])}
        document = self.state()
        ids = [id_ for place in document["order"] for id_ in place["ids"]]
        free = [id_ for id_ in ids if id_ not in document["acted"] and id_ not in document["waiting"]]
        by = [free[0] if free and self.some(0.85) else self.chance.choice(ids)]
        by += [id_ for id_ in document["waiting"] if id_ not in by and self.some(0.5)]
        return document | {"turn": self.declared(document, by)}

    def round(self) -> Document:
        document = self.state() if self.some(0.7) else {"combatants": self.combatants()}
        document.pop("waiting", None)
        free = [one["id"] for one in document["combatants"] if one["id"] not in document.get("acted", [])]
        free = [id_ for id_ in free if self.some(0.9)]
        orders = []
        while free:
            by = [free.pop(0)]
            if free and self.some(0.15):
                by.append(free.pop(0))
            declared = self.declared(document, by)
            if "wait" not in declared:
                orders.append(declared)
        return document | {"orders": orders}

    def fight(self) -> Document:
        combatants = self.combatants(fight=True)
        document: Document = {"combatants": combatants, "maxRounds": self.chance.randint(1, 6)}
        self.put(document, 0.7, tactics={"side 0": self.chance.choice(["weakest", "strongest"]), "side 1": "first"})
        self.put(document, 0.5, ties=self.chance.choice(["rerollOff", "listed", "simultaneous"]))
        return document
