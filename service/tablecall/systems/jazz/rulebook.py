"""The numbered rules of Jazz, restated in our own words. Steps and refusals cite them by id."""

from __future__ import annotations

from tablecall.systems.system import Rule

VERSION = "jazz 3e/1"
TITLE = "Jazz, third edition (JazzCore)"
CREDIT = "After Jazz 3e (JazzCore) by Brandon Blackmoor; restated here in our own words."

_SHEET = "Sheet"
_DICE = "Dice"
_WEIRD = "Weird"
_CONFLICT = "Conflict"
_KARMA = "Karma, complications, gear"
_ADVANCE = "Recovery and advancement"

_FLAG = ("false", "true")

RULES: tuple[Rule, ...] = (
    Rule(
        "jazz.aspects.primary",
        _SHEET,
        "A character is built from one broad primary aspect and at least one secondary aspect. "
        "The primary aspect need not have the biggest bonus.",
        "The aspect listed first is the primary one. A bonus below +1 is not an aspect.",
    ),
    Rule(
        "jazz.aspects.expertise",
        _SHEET,
        "Each aspect is fleshed out with short phrases of expertise, one per point of its bonus.",
        "The phrases colour the aspect and touch no dice, so a wrong number of them only draws a warning when the sheet is checked.",
    ),
    Rule(
        "jazz.aspects.highest",
        _SHEET,
        "When more than one aspect fits the task, the player takes the best of them.",
        "The request names every aspect that fits and the largest bonus is taken; two aspects are never added together.",
    ),
    Rule(
        "jazz.aspects.universal",
        _SHEET,
        "Whatever anyone in the setting can do, every character does at +1 without writing it down.",
        "The +1 is a minimum rather than a top-up: a better aspect simply replaces it. Extras and other NPCs have it as well.",
        (("universal", _FLAG),),
    ),
    Rule(
        "jazz.aspects.missing",
        _SHEET,
        "With no fitting aspect a character may usually still try, adding nothing to the dice, and the GM may make the task harder.",
        "The GM decides how much harder; by default the difficulty does not change.",
        (("difficultyIncrease", ("0", "integer")),),
    ),
    Rule(
        "jazz.aspects.untrained",
        _SHEET,
        "Some feats are closed to anyone without the training: lacking an aspect for one, a character may not even try.",
        "The request marks such a task. Without a fitting aspect the outcome is impossible and nothing is rolled.",
        (("specialistOnly", _FLAG),),
    ),
    Rule(
        "jazz.fiction.levels",
        _SHEET,
        "The fiction level sets a budget of bonuses and a ceiling for any one aspect: mundane 4 and +2, exceptional 6 and +3, "
        "elite 8 and +4, heroic 10 and +5, legendary 12 and +6, mythic 14 and +7.",
        "A new character over budget or over the ceiling is illegal, one under budget merely gets a warning. "
        "Once play has begun, the ceiling alone still counts.",
    ),
    Rule(
        "jazz.health.pool",
        _SHEET,
        "Health starts at the bonus of whichever aspect best keeps the character alive.",
        "The player decides which aspect that is: `survivalAspect` names it, and the service does not guess.",
    ),
    Rule(
        "jazz.weird.pool",
        _SHEET,
        "Weird starts at the bonus of the character's weird aspect.",
        "The book counts on a single weird aspect. With several, the best one sets the pool, or all of them are summed.",
        (("weirdPool", ("highest", "sum")),),
    ),
    Rule(
        "jazz.complication.sheet",
        _SHEET,
        "A character may have a complication, a trait that makes life harder and the story better.",
        "Any text is allowed; the service passes it through and does not interpret it.",
    ),
    Rule(
        "jazz.equipment.ordinary",
        _SHEET,
        "Characters own the everyday gear that goes with their aspects and need not list it.",
    ),
    Rule(
        "jazz.dice.roll",
        _DICE,
        "Roll two six-sided dice, sum them and add the bonus of the aspect in play.",
        "Advantages settle how many dice there are; then they are rolled, re-rolled where gear says so and summed; "
        "the bonus and any team bonus come on top, and only then is the total compared.",
    ),
    Rule(
        "jazz.dice.advantage",
        _DICE,
        "An advantage puts a third die into the roll.",
        "Every die counts towards the sum; the lowest is not dropped.",
        (("advantage", _FLAG),),
    ),
    Rule(
        "jazz.dice.disadvantage",
        _DICE,
        "A disadvantage takes a die out of the roll, leaving just one.",
        options=(("disadvantage", _FLAG),),
    ),
    Rule(
        "jazz.dice.single",
        _DICE,
        "Advantages do not pile up, and neither do disadvantages: a roll has at most one of either.",
        "However many reasons there are for one kind, they are merged into a single die before the two kinds meet.",
    ),
    Rule(
        "jazz.dice.cancel",
        _DICE,
        "An advantage and a disadvantage on the same roll undo each other, and the usual two dice remain.",
        "Merging comes first, so a lone disadvantage undoes any number of advantages.",
    ),
    Rule(
        "jazz.dice.reroll",
        _DICE,
        "Remarkable gear can let its owner roll ones again, or compel a second roll of sixes.",
        "By default a die is rolled again only once and keeps what it then shows; with `clear` it is rolled until none of the faces named "
        "is left, which is refused if all six are. A die gained by advantage is treated like the rest.",
        (("until", ("once", "clear")),),
    ),
    Rule(
        "jazz.check.success",
        _DICE,
        "Reach the difficulty or beat it and the attempt succeeds.",
    ),
    Rule(
        "jazz.check.contest",
        _DICE,
        "Against active opposition both sides roll, and the player wins by matching or beating the GM's total.",
        "Between two players the book names no winner of a draw. The actor takes it unless the request gives it to the opponent "
        "or calls it a stalemate.",
        (("ties", ("actor", "opponent", "stalemate")),),
    ),
    Rule(
        "jazz.check.routine",
        _DICE,
        "Routine work simply succeeds without a roll.",
        "The outcome is automatic, and no difficulty is needed.",
        (("stakes", ("something", "routine", "none")),),
    ),
    Rule(
        "jazz.check.stakes",
        _DICE,
        "When failing would cost nothing, or there is no hurry, the character succeeds in the end without a roll.",
        "The outcome is automatic, as for routine work; the ruling says which of the two it was.",
        (("stakes", ("something", "routine", "none")),),
    ),
    Rule(
        "jazz.difficulty.table",
        _DICE,
        "Difficulty climbs in twos: easy is 8, challenging 10, demanding 12, frustrating 14 and nigh-impossible 16.",
        "A request may use one of the five names as `level` or give whatever whole number the GM likes as `difficulty`.",
    ),
    Rule(
        "jazz.difficulty.weird",
        _DICE,
        "Feats only a weird aspect can manage are priced by their reach and their mark on the game, from 8 for a small wonder "
        "to 16 for raising the dead.",
        "The book's examples are published as a table, one effect to a row; a check may name a row as `effect` instead of a number.",
    ),
    Rule(
        "jazz.weird.spend",
        _WEIRD,
        "Doing something truly beyond the ordinary with a weird aspect takes one point from the weird pool.",
        "Only the table can tell what is beyond the ordinary, so the request marks it. The point goes when the attempt is made, "
        "or, if the table prefers, only when it succeeds.",
        (("extraordinary", _FLAG), ("spendOn", ("attempt", "success"))),
    ),
    Rule(
        "jazz.weird.free",
        _WEIRD,
        "A weird aspect used for what a skilled normal person might also do is free. "
        "Striking a single foe and warding off a blow are such uses.",
    ),
    Rule(
        "jazz.weird.depleted",
        _WEIRD,
        "An empty weird pool bars extraordinary feats until the character has rested, and leaves all normal uses of the aspect open.",
        "Trying one anyway is refused before any die is rolled.",
    ),
    Rule(
        "jazz.weird.restore",
        _WEIRD,
        "Healing by weird means: 8 wakes the unconscious with one health, 10 gives back as much as half a pool, 12 fills the pool, "
        "14 steadies the dying with one health and 16 returns the dead to life with one.",
        "Half a pool is rounded the way resting rounds, and nobody is healed beyond their maximum. "
        "A row meant for somebody worse off counts all the same, and the ruling says so.",
    ),
    Rule(
        "jazz.conflict.initiative",
        _CONFLICT,
        "As a conflict opens, each participant rolls two dice to find a place in the order.",
        "One roll lasts the whole conflict and aspects do not add to it. A table that wants a bonus can give one per combatant.",
        (("initiativeBonus", ("0", "integer")),),
    ),
    Rule(
        "jazz.conflict.drop",
        _CONFLICT,
        "Characters who catch the other side off guard have an advantage on initiative.",
        options=(("drop", _FLAG),),
    ),
    Rule(
        "jazz.conflict.order",
        _CONFLICT,
        "Turns run down from the best initiative to the worst, then start over at the top for as long as the conflict lasts.",
        "The book is silent on ties. The tied roll two dice again among themselves until all differ, or keep the order of the list, "
        "or act together.",
        (("ties", ("rerollOff", "listed", "simultaneous")),),
    ),
    Rule(
        "jazz.conflict.attack",
        _CONFLICT,
        "Attacker and defender each roll two dice plus their aspect; if the attacker's total matches or beats the defender's, "
        "the defender is down one health.",
        "A draw is a hit no matter which side is played by the GM, and a narrow hit hurts as much as a wide one. "
        "In a fight resolved as a whole, everyone attacks on their turn; their side's tactic chooses the target.",
    ),
    Rule(
        "jazz.conflict.once",
        _CONFLICT,
        "A character gets one attack each round but may defend against every attack that comes.",
        "Joining a team attack is that member's attack for the round. The same character twice on one side of an attack is refused.",
    ),
    Rule(
        "jazz.conflict.out",
        _CONFLICT,
        "At zero health a character drops out of the fight and can do nothing more; what happens to them then is up to the winner.",
        "Being out does not mean being dead. A request that attacks someone who is out, or has them act, is refused.",
    ),
    Rule(
        "jazz.conflict.unnamed",
        _CONFLICT,
        "Nameless guards, thugs and passers-by leave the fight at the first hit.",
        "They roll to defend like anyone, and their own hits cost one health like any other.",
        (("named", ("true", "false")),),
    ),
    Rule(
        "jazz.conflict.kind",
        _CONFLICT,
        "Conflicts need not be physical; a battle of wits or a quarrel is fought the same way.",
        "Every sort of conflict draws on the one health pool. Its `kind` is whatever word the table likes and alters nothing.",
    ),
    Rule(
        "jazz.team.highest",
        _CONFLICT,
        "Everyone working together rolls; only the best total counts, raised by one for each person on the team.",
        "The best roller is counted too, so a pair gains two, but someone working alone gains nothing. "
        "If two share the best total, the earlier in the list is named. The same character twice in a team is refused.",
    ),
    Rule(
        "jazz.team.attack",
        _CONFLICT,
        "Attackers who gang up use their best total plus their number. They land more easily but hit no harder.",
        "One defence answers them all, a hit costs a single health, and the team waits for the turn of its slowest member. "
        "Defenders fight alone unless the table allows them to team up.",
        (("teamDefence", ("[]", "[JazzActor]")),),
    ),
    Rule(
        "jazz.karma.positive",
        _KARMA,
        "If the GM agrees, a player who chooses to fail or lets their character be hurt or shamed gains positive karma: "
        "an advantage die for any one roll to come.",
        "It is declared before the roll; if it was not, the options of a failed ruling show what it would have changed. "
        "On a roll that already has an advantage it would be wasted, so it is refused and kept.",
        (("spend", ("null", "karma", "heldAdvantage")),),
    ),
    Rule(
        "jazz.karma.rescue",
        _KARMA,
        "If a vital roll fails, the GM may add an advantage die to it after all; success bought that way leaves the character "
        "with negative karma.",
        "The extra die is added to those already rolled, or the whole roll is made again with it. On a roll at disadvantage "
        "it restores the second die. It is refused for a roll that has an advantage and for a character whose karma is negative.",
        (("rescue", _FLAG), ("rescueBy", ("addDie", "rollAgain"))),
    ),
    Rule(
        "jazz.karma.negative",
        _KARMA,
        "Negative karma is a disadvantage die the GM keeps in hand for a single later roll, as a rule the one that counts most.",
        "Imposing it spends it, even if an advantage on that roll makes it harmless.",
        (("imposeKarma", _FLAG),),
    ),
    Rule(
        "jazz.karma.neutral",
        _KARMA,
        "Good and bad karma wipe each other out, and neither can be held twice.",
        "A character's karma is therefore positive, neutral or negative; another grant of the kind already held changes nothing.",
    ),
    Rule(
        "jazz.complication.die",
        _KARMA,
        "When a complication spoils an important roll or keeps a character from what they want, they bank an advantage die "
        "and choose when to use it.",
        "This die is kept apart from karma and only one can be banked at a time.",
        (("spend", ("null", "karma", "heldAdvantage")),),
    ),
    Rule(
        "jazz.equipment.lost",
        _KARMA,
        "A character stripped of their everyday gear can still use the aspect, but at a disadvantage.",
        options=(("withoutEquipment", _FLAG),),
    ),
    Rule(
        "jazz.equipment.unusual",
        _KARMA,
        "Gear out of the ordinary may bring an advantage or have dice rolled again.",
        "The request describes what it does as `gear`: an advantage, the faces to roll again, or both.",
    ),
    Rule(
        "jazz.recovery.rest",
        _ADVANCE,
        "About thirty minutes of rest gives back half of what is missing from health, and likewise from weird; each works once a day.",
        "An odd half is rounded up unless the table rounds down. The two pools keep separate count of their day, "
        "and the same half hour can serve the pair.",
        (("rounding", ("up", "down")),),
    ),
    Rule(
        "jazz.recovery.sleep",
        _ADVANCE,
        "A night's sleep, or its equivalent for beings that do not sleep, fills both pools.",
        "A new day begins: the short rests are available again. A pool that something grave or a complication keeps from refilling "
        "is listed in `blocked` and stays as it is.",
    ),
    Rule(
        "jazz.advance.improve",
        _ADVANCE,
        "When a session closes, a player may try to raise one aspect: roll one die per point of its bonus, and only if each shows a six "
        "does the bonus grow by one.",
        "A session allows a single try, spent either on raising an aspect or on learning one.",
    ),
    Rule(
        "jazz.advance.cap",
        _ADVANCE,
        "The ceiling of the fiction level holds, whatever the dice say.",
        "An aspect already there is not rolled for: the outcome is atMaximum.",
    ),
    Rule(
        "jazz.advance.pools",
        _ADVANCE,
        "Raising the aspect behind the health or the weird pool makes that pool grow with it.",
        "The new point arrives filled: the pool's maximum and what is left in it both rise by one.",
    ),
    Rule(
        "jazz.advance.learn",
        _ADVANCE,
        "Instead of raising an aspect a player may try to gain one, rolling a die per point of the aspect that resembles it most; "
        "all sixes bring it in at +1.",
        "If nothing on the sheet resembles it, one die is rolled, so that an empty roll cannot count as all sixes.",
    ),
)
