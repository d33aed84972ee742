"""The Jazz system (JazzCore): roll 2d6 and add the bonus of an aspect."""

from __future__ import annotations

from importlib.resources import files

from tablecall.systems.jazz import advance, attack, character, check, fate, fight, initiative, karma, recovery, round, team, turn
from tablecall.systems.jazz.tables import TABLES
from tablecall.systems.rulebook import read_rulebook

_BOOK = read_rulebook(files(__name__))

SYSTEM = _BOOK.system(
    TABLES,
    "jazz.dice.roll",
    _BOOK.action("check", check.JazzCheck, check.check, check.summary),
    _BOOK.action("teamwork", team.JazzTeamwork, team.teamwork, team.summary),
    _BOOK.action("initiative", initiative.JazzInitiative, initiative.initiative, initiative.summary, after=initiative.AFTER),
    _BOOK.action("attack", attack.JazzAttack, attack.attack, attack.summary, fields=attack.FIELDS),
    _BOOK.action("turn", turn.JazzTurn, turn.turn, turn.summary, after=turn.AFTER, fields=turn.FIELDS),
    _BOOK.action("round", round.JazzRound, round.resolve_round, round.summary, after=round.AFTER, fields=round.FIELDS),
    _BOOK.action("fight", fight.JazzFight, fight.fight, fight.summary, after=fight.AFTER, fields=fight.FIELDS),
    _BOOK.action("karma", karma.JazzKarma, karma.karma, karma.karma_summary),
    _BOOK.action("complication", karma.JazzComplication, karma.complication, karma.complication_summary),
    _BOOK.action("fate", fate.JazzFate, fate.fate, fate.summary),
    _BOOK.action("recovery", recovery.JazzRecovery, recovery.recovery, recovery.summary),
    _BOOK.action("improve", advance.JazzImprove, advance.improve, advance.improve_summary),
    _BOOK.action("learn", advance.JazzLearn, advance.learn, advance.learn_summary),
    _BOOK.action("character", character.JazzCharacterCheck, character.character, character.summary, fields=character.FIELDS),
)
