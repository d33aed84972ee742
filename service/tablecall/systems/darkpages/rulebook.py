"""The rules of darkpages (Part I) as data, in our own words. Steps and refusals cite their ids."""

from __future__ import annotations

from tablecall.systems.system import Rule

VERSION = "darkpages I/1"
TITLE = "darkpages, Part I: System Mechanics"
CREDIT = "After darkpages, Part I, by Jared A. Sorensen; restated here in our own words. The author is not affiliated with Tablecall."

_DICE = "Dice"
_CHECKS = "Checks"
_DAMAGE = "Attributes and damage"
_RECOVERY = "Recovery, scars, training"
_OPTIONAL = "Optional mechanics"

_FLAG = ("false", "true")

RULES: tuple[Rule, ...] = (
    Rule(
        "darkpages.dice.faces",
        _DICE,
        "The dice are ten-sided, and a 0 is worth nothing at all.",
        "Faces run from 0 to 9. A 10 sent by a table is refused with an explanation; we do not guess that a 0 was meant.",
    ),
    Rule(
        "darkpages.dice.keep",
        _DICE,
        "Roll as many dice as the first number says, keep as many as the second says, and add up the kept ones.",
        "A rating may keep more than it rolls: all rolled dice are then kept, and the sheet stays as it is.",
    ),
    Rule(
        "darkpages.dice.choice",
        _DICE,
        "Players choose which dice to keep; NPCs keep the highest.",
        "By default the highest are kept. A request can ask for as many zeros as possible, for as many as still succeed, "
        "or list the dice in `keepDice`. The same seed gives the same dice, so a player can look first and then choose.",
        (("keep", ("highest", "mostZeros", "mostZerosThatSucceed")),),
    ),
    Rule(
        "darkpages.modifiers.notation",
        _DICE,
        "A modifier is a sign and a pair, dice rolled then dice kept: +1/1, -2/0, +0/1, -1/2. "
        "It never raises one number and lowers the other.",
        "The leading sign counts for both numbers and may be repeated (-1/-1). No sign or two different signs are refused; "
        "a typographic minus is accepted.",
    ),
    Rule(
        "darkpages.modifiers.sum",
        _DICE,
        "Modifiers change how many dice are rolled, how many are kept, or both.",
        "Each must be valid by itself; their sum may have mixed signs. All are added to the rating before the floor is applied.",
    ),
    Rule(
        "darkpages.modifiers.floor",
        _DICE,
        "The book does not say what happens when penalties remove all the dice.",
        "At least one die to roll and one to keep remain. With `zero` there may be none: the total is then 0, a failure "
        "that is neither Dismal nor Dramatic.",
        (("floor", ("one", "zero")),),
    ),
    Rule(
        "darkpages.check.target",
        _CHECKS,
        "Without opposition, a total that reaches the Target Number succeeds. An easy goal is 5, an extremely difficult one 25 or beyond, "
        "and 5 makes it one step harder or easier.",
        "Any whole number from 1 up is accepted, also between the steps.",
    ),
    Rule(
        "darkpages.check.opposed",
        _CHECKS,
        "If two goals conflict, both sides roll and the higher total wins. Equal totals decide nothing.",
        "A tie has its own outcome, stalemate; neither side has failed.",
    ),
    Rule(
        "darkpages.check.stakes",
        _CHECKS,
        "Do not roll when nothing depends on the result, or when a bad roll could spoil the evening. The GM decides instead.",
        "The outcome is noRoll. Neither a Target Number nor an opponent is needed.",
        (("stakes", ("something", "nothing", "everything")),),
    ),
    Rule(
        "darkpages.goals.parts",
        _CHECKS,
        "Each check has a Goal (what is wanted), an Action (how it is tried) and an Effect (the result in the story).",
        "All three may be sent, as `goal`, `means` and `effect`. The ruling returns them; they change no dice.",
    ),
    Rule(
        "darkpages.goals.single",
        _CHECKS,
        'A goal fits in a single sentence without the word "and". Two goals need two checks.',
        "Only the whole word counts, in any case. Such a goal is refused, unless the table chooses a warning or no check.",
        (("goalPolicy", ("reject", "warn", "ignore")),),
    ),
    Rule(
        "darkpages.goals.death",
        _CHECKS,
        "A goal may not be someone's death or their permanent removal from the game.",
        "We do not guess from the goal's words: the caller marks such a goal, and it is refused except in No Mercy.",
        (("removesFromPlay", _FLAG),),
    ),
    Rule(
        "darkpages.zero.points",
        _CHECKS,
        "Each kept 0 earns one Training Point for every character of the same Archetype.",
        "It does so whether the check succeeds or fails, but NPCs earn none. The ruling shows the points as an effect on the Archetype.",
    ),
    Rule(
        "darkpages.zero.dismal",
        _CHECKS,
        "A roll of only 0s is a Dismal Failure: the goal fails in the worst possible way.",
        "It fails against any total, for NPCs too, if at least one die was rolled. "
        "If both sides roll one, the check is a stalemate and both are marked.",
    ),
    Rule(
        "darkpages.zero.dramatic",
        _CHECKS,
        "A player who keeps only 0s although another number was rolled has a Dramatic Failure: the check fails and the player tells how.",
        "It always fails and needs at least one kept die. NPCs cannot have it, because they keep the highest dice.",
    ),
    Rule(
        "darkpages.iiee.order",
        _CHECKS,
        "There is no initiative roll. Who acts first depends on how near they are, how quickly the action is done, "
        "and what makes the better scene.",
        "The GM scores the three and orders them by weight. We sort by them; equals share a place.",
    ),
    Rule(
        "darkpages.attributes",
        _DAMAGE,
        "Every character has a Body, a Mind and a Soul, each with a number of dice to roll and to keep, "
        "and each ranked Primary, Secondary or Limited.",
        "The rank is only a label here: its dice are set in a part of the game we do not cover, so requests give the two numbers.",
    ),
    Rule(
        "darkpages.damage.traits",
        _DAMAGE,
        "Injury and Illness harm Body and damage Health; Stress and Fatigue harm Mind and damage Sanity; "
        "Corruption harms Soul and damages Aura.",
        "The three are tracked separately.",
    ),
    Rule(
        "darkpages.damage.lethal",
        _DAMAGE,
        "Of the forms of Trauma a character can suffer, only one can destroy them.",
        "The sheet names the trait it damages, usually that of the Primary Attribute; both Traumas of that trait are then lethal.",
    ),
    Rule(
        "darkpages.damage.check",
        _DAMAGE,
        "A threatened character rolls the Attribute under attack to resist the Trauma, against the attacker's total "
        "or the Target Number that was missed.",
        "The attacker does not roll again, and penalties on that Attribute count. Reaching a Target Number resists. "
        "Equalling an attacker's total changes nothing, unless the table chooses harm. In an attack, `resistWith` beside the "
        "Attribute that opposes the attack names another one for this roll.",
        (("damageTie", ("stalemate", "harm")),),
    ),
    Rule(
        "darkpages.damage.defeated",
        _DAMAGE,
        "A character who is harmed is Defeated and sits out the rest of the conflict, unless the player stays up and risks the penalties.",
        "The choice comes after the dice. Defeated has no penalty of its own and ends with the conflict.",
        (("onHarm", ("defeated", "risk")),),
    ),
    Rule(
        "darkpages.damage.steps",
        _DAMAGE,
        "A character who stays up gets worse step by step: Diminished, then Damaged, then Destroyed.",
        "A failed check is always one step, by however much it failed.",
    ),
    Rule(
        "darkpages.damage.penalties",
        _DAMAGE,
        "Diminished costs the Attribute concerned -1/0, Damaged costs it -1/-1.",
        "Only the current state counts. The book gives no penalty for Destroyed; we keep -1/-1.",
    ),
    Rule(
        "darkpages.damage.nonlethal",
        _DAMAGE,
        "Trauma that is not lethal to a character stops at Damaged, but more of it can weaken them further.",
        "Harm beyond Damaged is counted and changes no penalty; with `stack` each adds another -1/-1.",
        (("overflow", ("hold", "stack")),),
    ),
    Rule(
        "darkpages.damage.destroyed",
        _DAMAGE,
        "Only lethal Trauma destroys. A Destroyed character who is then Defeated is out of the game.",
        "They can no longer choose Defeated: the next lethal check they fail ends in outOfGame. So does other Trauma "
        "if they let it defeat them; if they risk it, it changes its own trait.",
    ),
    Rule(
        "darkpages.damage.special",
        _DAMAGE,
        "Zeros may be kept on a damage check too, and earn points as usual.",
        "A Dismal or Dramatic Failure here does one step of harm, as usual, and is marked in the ruling.",
    ),
    Rule(
        "darkpages.recovery.diminished",
        _RECOVERY,
        "Diminished clears with a little care or rest.",
        "That moment is `when: respite`. The start of a session counts as one too.",
    ),
    Rule(
        "darkpages.recovery.damaged",
        _RECOVERY,
        "Damaged heals fully when the next session starts, if the character was cared for.",
        "That moment is `when: sessionStart`. Without care the state remains. Healing also clears the harm counted beyond Damaged.",
        (("care", ("true", "false")),),
    ),
    Rule(
        "darkpages.recovery.destroyed",
        _RECOVERY,
        "At the end of the session, Destroyed becomes Damaged and leaves a Scar.",
        "That moment is `when: sessionEnd`, and the request gives the Scar. The Damaged state then heals when the next session starts.",
    ),
    Rule(
        "darkpages.recovery.interval",
        _RECOVERY,
        "The GM may let wounds heal after some interval of time instead of by sessions.",
        "The table keeps the time: `when: interval` says that the interval is over, and does what the end and start of a session do.",
    ),
    Rule(
        "darkpages.recovery.conflictEnd",
        _RECOVERY,
        "When the conflict is over, the Defeated return to play.",
        "That moment is `when: conflictEnd`.",
    ),
    Rule(
        "darkpages.scars",
        _RECOVERY,
        "A Scar is a permanent penalty. It can affect an Attribute other than the one that was hurt, "
        "and it can apply in certain situations only.",
        "The table decides what it does, and each request lists the Scars that apply to its roll.",
    ),
    Rule(
        "darkpages.training.session",
        _RECOVERY,
        "Training Points are spent after a session. They develop powers; Attributes cannot be bought.",
        "The ledger has one entry for each Archetype, and points can be earned at any time. Prices are set in a part of the game we do not "
        "cover, so the request gives the cost. A power named Body, Mind or Soul is refused.",
    ),
    Rule(
        "darkpages.teamwork",
        _OPTIONAL,
        "Among characters who work together, the highest rated makes the check and keeps one more die for each assistant.",
        "Assistants add kept dice, not rolled dice. Highest means most dice kept, then most rolled, then first in the list; "
        "`leader` overrides it.",
    ),
    Rule(
        "darkpages.teamwork.points",
        _OPTIONAL,
        "The kept 0s of a joint check teach the assistants; the one who rolls chooses which of them.",
        "Each 0 teaches one assistant, as `awards` says or else each in turn; awards beyond the kept 0s have no effect. "
        "NPC assistants learn nothing.",
    ),
    Rule(
        "darkpages.optional.danger",
        _OPTIONAL,
        "If one of these optional checks fails, everyone involved may be exposed to Trauma.",
        "The ruling lists the side that failed as `endangered` and leaves the damage checks to the GM.",
    ),
    Rule(
        "darkpages.defenders",
        _OPTIONAL,
        "To defend someone, the higher rated of the two rolls against the attacker. A success keeps the ward safe, but then the defender "
        "has to roll again to avoid harm.",
        "For that second contest the attacker rolls again, or the first roll counts again. If the defence fails, "
        "the ward makes the damage check; on a tie, or if the attack failed by itself, nobody is harmed. Kept 0s teach the defender.",
        (("reuseAttack", _FLAG),),
    ),
    Rule(
        "darkpages.swarm",
        _OPTIONAL,
        "When a crowd tries the same thing, each member rolls and one total counts for all: the best, or the worst if one blunder "
        "spoils the task. Kept 0s teach nobody.",
        "Which one depends on the task, so the request has to say: `use` is highest or lowest. The roll that counts decides as "
        "in any check; among equal totals a Dismal one is the worst and a Dramatic one the next. An opponent of the crowd learns nothing "
        "either.",
    ),
    Rule(
        "darkpages.noMercy",
        _OPTIONAL,
        "An attacker may try to kill a Defeated character, with lethal Trauma only. The attempt succeeds if nobody opposes it "
        "or if the check is won.",
        "A rescuer may oppose it, and a tie spares the victim. Trauma that is not lethal to the victim is refused.",
    ),
)
