"""The rules of darkpages (Part I) as numbered data: what steps and refusals cite, told in our own words."""

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
        "Faces run from 0 to 9. A 10 sent in by a table is refused with an explanation; we do not guess that a 0 was meant.",
    ),
    Rule(
        "darkpages.dice.keep",
        _DICE,
        "Roll as many dice as the first number says, hold on to as many as the second says, and add those up.",
        "A rating may keep more than it rolls: every die rolled is then kept, and the sheet is left as written.",
    ),
    Rule(
        "darkpages.dice.choice",
        _DICE,
        "A player picks freely which dice to keep; for NPCs the GM always takes the best.",
        "Without instructions the best are kept. A request can ask for as many zeros as possible, for as many as success allows, "
        "or list the dice in `keepDice`. The seed fixes the dice, so a player can look first and then choose.",
        (("keep", ("highest", "mostZeros", "mostZerosThatSucceed")),),
    ),
    Rule(
        "darkpages.modifiers.notation",
        _DICE,
        "A modifier is a sign and a pair, dice rolled then dice kept: +1/1, -2/0, +0/1, -1/2. "
        "It never raises one number and lowers the other.",
        "The leading sign covers the two numbers, and repeating it (-1/-1) is fine. No sign, or two different ones, is refused; "
        "the typographic minus is understood.",
    ),
    Rule(
        "darkpages.modifiers.sum",
        _DICE,
        "Modifiers change how many dice are rolled, how many are kept, or both.",
        "Each has to be well formed by itself; what they amount to may be mixed. All are added to the rating before the floor is applied.",
    ),
    Rule(
        "darkpages.modifiers.floor",
        _DICE,
        "The book does not say what happens when penalties eat up all the dice.",
        "We leave at least one die to roll and one to keep. With `zero` there may be none: the total is then 0, which fails "
        "without being Dismal or Dramatic.",
        (("floor", ("one", "zero")),),
    ),
    Rule(
        "darkpages.check.target",
        _CHECKS,
        "Without opposition, a total that reaches the Target Number succeeds. An easy goal is 5, an extremely difficult one 25 or beyond, "
        "and 5 makes it one step harder or easier.",
        "Whole numbers from 1 up are accepted, on or between the steps.",
    ),
    Rule(
        "darkpages.check.opposed",
        _CHECKS,
        "Where two goals collide both sides roll and the larger total prevails. Equal totals settle nothing.",
        "A draw has an outcome of its own, stalemate, and neither side is said to have failed.",
    ),
    Rule(
        "darkpages.check.stakes",
        _CHECKS,
        "Leave the dice alone when nothing hangs on them, and also when a bad roll could wreck the evening; the GM decides instead.",
        "The outcome is noRoll, and it takes neither a Target Number nor an opponent to say so.",
        (("stakes", ("something", "nothing", "everything")),),
    ),
    Rule(
        "darkpages.goals.parts",
        _CHECKS,
        "Behind each check stand a Goal, the thing wanted; an Action, the way it is tried; and an Effect, the result in the story.",
        "All three may be sent as `goal`, `means` and `effect`. They are repeated in the ruling and change no dice.",
    ),
    Rule(
        "darkpages.goals.single",
        _CHECKS,
        'A goal fits in a single sentence and does without "and"; whoever wants two things makes two checks.',
        "Only the whole word counts, in capitals or not. Such a goal is refused, unless the table prefers a warning or no objection.",
        (("goalPolicy", ("reject", "warn", "ignore")),),
    ),
    Rule(
        "darkpages.goals.death",
        _CHECKS,
        "Nobody may make it their goal to kill someone, or to remove them from the game in some other lasting way.",
        "We do not read intentions out of the goal's words: the caller marks such a goal, and it is refused everywhere but in No Mercy.",
        (("removesFromPlay", _FLAG),),
    ),
    Rule(
        "darkpages.zero.points",
        _CHECKS,
        "A kept 0 is a lesson: it brings one Training Point to everybody who shares the character's Archetype.",
        "It does so whether the check succeeds or not, but not for NPCs. The ruling shows the gain as an effect on the archetype.",
    ),
    Rule(
        "darkpages.zero.dismal",
        _CHECKS,
        "A roll of nothing but 0s is a Dismal Failure, and the goal goes wrong in the worst way imaginable.",
        "It fails against any number, for NPCs as well, provided a die was rolled. "
        "If two opponents both suffer it the check is a stalemate, and each is marked.",
    ),
    Rule(
        "darkpages.zero.dramatic",
        _CHECKS,
        "A player who keeps 0s only, with something better on the table, has a Dramatic Failure: the check fails and the player says "
        "what that does to the story.",
        "It always fails and takes one kept die or more. NPCs cannot have it, since they must keep their best.",
    ),
    Rule(
        "darkpages.iiee.order",
        _CHECKS,
        "Nobody rolls for initiative. Who goes first is judged by nearness to the action, how quickly the thing is done, "
        "and what makes the better scene.",
        "The GM scores the three and says which weighs most. We sort by that, give equals the same place, and roll nothing.",
    ),
    Rule(
        "darkpages.attributes",
        _DAMAGE,
        "Everyone has a Body, a Mind and a Soul, each with a number of dice to roll and to keep, "
        "and each ranked Primary, Secondary or Limited.",
        "The rank is only a word here: what it gives is set in a part of the game we do not cover, so requests bring the two numbers.",
    ),
    Rule(
        "darkpages.damage.traits",
        _DAMAGE,
        "Harm to Body, by Injury or Illness, wears down Health; harm to Mind, by Stress or Fatigue, wears down Sanity; "
        "harm to Soul, by Corruption, wears down Aura.",
        "Each of the three is tracked by itself.",
    ),
    Rule(
        "darkpages.damage.lethal",
        _DAMAGE,
        "Of the forms of Trauma a character can suffer, just one can be their end.",
        "The sheet names the trait it strikes, most often that of the Primary Attribute; both Traumas of that trait are then lethal.",
    ),
    Rule(
        "darkpages.damage.check",
        _DAMAGE,
        "A threatened character rolls the Attribute under attack to shrug off the Trauma, against what the attacker totalled "
        "or the Target Number they missed.",
        "The attacker does not roll anew, and penalties on that Attribute count. Reaching a Target Number resists. "
        "Drawing level with an attacker leaves things as they were, unless the table has it hurt. In an attack, `resistWith` beside the "
        "Attribute that opposes it names another for this roll.",
        (("damageTie", ("stalemate", "harm")),),
    ),
    Rule(
        "darkpages.damage.defeated",
        _DAMAGE,
        "A character who is hurt is Defeated and sits out the rest of the conflict, unless the player stays up and accepts the penalties.",
        "The choice comes after the dice. Being Defeated brings no penalty of its own and passes when the conflict does.",
        (("onHarm", ("defeated", "risk")),),
    ),
    Rule(
        "darkpages.damage.steps",
        _DAMAGE,
        "Those who stay up get worse by degrees: Diminished, after that Damaged, after that Destroyed.",
        "A failed check is always worth one degree, by however much it failed.",
    ),
    Rule(
        "darkpages.damage.penalties",
        _DAMAGE,
        "Diminished costs the Attribute concerned -1/0, Damaged costs it -1/-1.",
        "Only the present state counts, not those passed through. The book gives Destroyed no figure; we let it stay at -1/-1.",
    ),
    Rule(
        "darkpages.damage.nonlethal",
        _DAMAGE,
        "Trauma that is not lethal to a character stops at Damaged, though more of it can go on weakening them.",
        "We count what comes on top and leave the penalty as it is; with `stack` each adds another -1/-1.",
        (("overflow", ("hold", "stack")),),
    ),
    Rule(
        "darkpages.damage.destroyed",
        _DAMAGE,
        "Only lethal Trauma destroys. Anyone Destroyed who is then Defeated is lost as a player's character.",
        "Bowing out as Defeated is no longer open to them: the next lethal check they fail ends in outOfGame. Other Trauma ends it too "
        "if they let it defeat them; if they risk it, it goes to its own track.",
    ),
    Rule(
        "darkpages.damage.special",
        _DAMAGE,
        "Zeros may be kept on a damage check too, and teach as they do elsewhere.",
        "A Dismal or Dramatic Failure here does the usual single degree of harm and is marked in the ruling.",
    ),
    Rule(
        "darkpages.recovery.diminished",
        _RECOVERY,
        "Diminished goes away with a little care, a rest or a breathing space.",
        "That moment is `when: respite`; between two sessions there has been one.",
    ),
    Rule(
        "darkpages.recovery.damaged",
        _RECOVERY,
        "Damaged heals altogether as the next session begins, if the character has been looked after.",
        "That moment is `when: sessionStart`. Without care the state remains. What was counted beyond Damaged goes with it.",
        (("care", ("true", "false")),),
    ),
    Rule(
        "darkpages.recovery.destroyed",
        _RECOVERY,
        "When the session closes, Destroyed eases to Damaged and leaves a Scar behind.",
        "That moment is `when: sessionEnd`, and the request names the Scar. What remains heals like any other Damaged state when the next "
        "session opens.",
    ),
    Rule(
        "darkpages.recovery.interval",
        _RECOVERY,
        "A GM who wants the pressure even may have wounds heal after a stretch of time rather than with the sessions.",
        "The table keeps the time: `when: interval` says that it is up, and does what the end and start of a session would.",
    ),
    Rule(
        "darkpages.recovery.conflictEnd",
        _RECOVERY,
        "Once the conflict is over, the Defeated are back in play.",
        "That moment is `when: conflictEnd`.",
    ),
    Rule(
        "darkpages.scars",
        _RECOVERY,
        "A Scar is a penalty that stays for good. It can weigh on an Attribute other than the one that was hurt, "
        "and it can be felt in certain situations only.",
        "The table decides what it does, and each request lists the scars that matter to its roll.",
    ),
    Rule(
        "darkpages.training.session",
        _RECOVERY,
        "Training Points wait until a session closes. They develop powers; Attributes cannot be bought.",
        "We keep the books for each Archetype, where points may be entered at any time. Prices are set in a part of the game we do not "
        "cover, so the caller states the cost. A power by the name of Body, Mind or Soul is refused.",
    ),
    Rule(
        "darkpages.teamwork",
        _OPTIONAL,
        "Of characters working together, the one with the best rating makes the check and keeps a further die for each helper.",
        "Helpers add to what is kept, not to what is rolled. Best means most dice kept, then most rolled, then first in the list; "
        "`leader` overrules it.",
    ),
    Rule(
        "darkpages.teamwork.points",
        _OPTIONAL,
        "What the kept 0s of a joint check teach, the helpers learn; whoever rolled picks which of them.",
        "Every 0 goes to one helper, as chosen in `awards` or otherwise to each in turn; awards beyond the kept 0s give nothing. "
        "NPC helpers cannot receive any.",
    ),
    Rule(
        "darkpages.optional.danger",
        _OPTIONAL,
        "If one of these optional checks fails, all who took part may be exposed to Trauma.",
        "The ruling lists the side that failed as `endangered` and leaves the damage checks to the GM.",
    ),
    Rule(
        "darkpages.defenders",
        _OPTIONAL,
        "To shield somebody, the better rated of the pair rolls against the attacker. Success keeps the ward safe, but now the defender "
        "has to roll once more to come away whole.",
        "For that second contest the attacker rolls anew, or lets the first roll stand. If the shield fails "
        "the ward makes the damage check; if it draws, or the attack was a failure in itself, nobody is hurt. Kept 0s teach the defender.",
        (("reuseAttack", _FLAG),),
    ),
    Rule(
        "darkpages.swarm",
        _OPTIONAL,
        "When a crowd all tries the same thing, each rolls and one total stands for the lot: the best, or the worst where one blunder "
        "spoils it. Kept 0s teach nobody.",
        "Which of these it is depends on the task, so the request has to say: `use` is highest or lowest. The roll that counts decides as "
        "in any check; between equal totals a Dismal one is the worst and a Dramatic one the next. Whoever opposes a crowd learns nothing "
        "either.",
    ),
    Rule(
        "darkpages.noMercy",
        _OPTIONAL,
        "In the grimmest games an attacker may try to finish off a Defeated character. Lethal Trauma alone will do it, "
        "and it works if nobody stands in the way or the check is won.",
        "A rescuer may roll against it, and a draw spares the victim. Trauma the victim could survive is refused.",
    ),
)
