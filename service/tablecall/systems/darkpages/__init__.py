"""darkpages, Part I: roll ten-sided dice, keep some, add them up."""

from __future__ import annotations

from importlib.resources import files

from tablecall.systems.darkpages import (
    attack,
    character,
    checks,
    concede,
    conflict,
    damage,
    defend,
    initiation,
    no_mercy,
    recovery,
    swarm,
    teamwork,
    training,
)
from tablecall.systems.darkpages.check import FIELDS, OPTIONAL_FIELDS
from tablecall.systems.darkpages.tables import TABLES
from tablecall.systems.rulebook import read_rulebook

_BOOK = read_rulebook(files(__name__))

SYSTEM = _BOOK.system(
    TABLES,
    "darkpages.dice.faces",
    _BOOK.action("check", checks.DarkpagesCheck, checks.check, checks.summary, fields=checks.FIELDS),
    _BOOK.action("damage", damage.DarkpagesDamageCheck, damage.damage, damage.summary),
    _BOOK.action("attack", attack.DarkpagesAttack, attack.attack, attack.summary, fields=FIELDS),
    _BOOK.action("teamwork", teamwork.DarkpagesTeamwork, teamwork.teamwork, teamwork.summary, fields=OPTIONAL_FIELDS),
    _BOOK.action("defend", defend.DarkpagesDefend, defend.defend, defend.summary, fields=OPTIONAL_FIELDS | defend.FIELDS),
    _BOOK.action("swarm", swarm.DarkpagesSwarm, swarm.swarm, swarm.summary, fields=OPTIONAL_FIELDS),
    _BOOK.action("concede", concede.DarkpagesConcede, concede.concede, concede.summary),
    _BOOK.action("noMercy", no_mercy.DarkpagesNoMercy, no_mercy.no_mercy, no_mercy.summary, fields=OPTIONAL_FIELDS),
    _BOOK.action("conflict", conflict.DarkpagesConflict, conflict.conflict, conflict.summary, after=conflict.AFTER, fields=conflict.FIELDS),
    _BOOK.action("recovery", recovery.DarkpagesRecovery, recovery.recovery, recovery.summary),
    _BOOK.action("training", training.DarkpagesTraining, training.training, training.summary),
    _BOOK.action("initiation", initiation.DarkpagesInitiation, initiation.initiation, initiation.summary, after=initiation.AFTER),
    _BOOK.action("character", character.DarkpagesCharacterCheck, character.character, character.summary, fields=character.FIELDS),
)
