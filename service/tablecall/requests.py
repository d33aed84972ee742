"""The typed models of requests, for the Python library: one for each action, and the parts they are made of.

Fields have their Python names here (``difficulty_increase``); on the wire they are in camelCase.
"""

from tablecall.model.base import GivenDice
from tablecall.systems.darkpages.attack import DarkpagesAttack
from tablecall.systems.darkpages.character import DarkpagesCharacterCheck
from tablecall.systems.darkpages.checks import DarkpagesCheck
from tablecall.systems.darkpages.concede import DarkpagesConcede
from tablecall.systems.darkpages.conflict import DarkpagesConflict, DarkpagesFighter
from tablecall.systems.darkpages.damage import DarkpagesDamageCheck
from tablecall.systems.darkpages.defend import DarkpagesDefend
from tablecall.systems.darkpages.initiation import DarkpagesInitiation, DarkpagesInitiative
from tablecall.systems.darkpages.no_mercy import DarkpagesNoMercy
from tablecall.systems.darkpages.recovery import DarkpagesRecovery
from tablecall.systems.darkpages.sheet import (
    DarkpagesActor,
    DarkpagesAttribute,
    DarkpagesAttributes,
    DarkpagesCharacter,
    DarkpagesDamage,
    DarkpagesHouseRules,
    DarkpagesOverflow,
    DarkpagesPool,
    DarkpagesScar,
)
from tablecall.systems.darkpages.swarm import DarkpagesSwarm
from tablecall.systems.darkpages.teamwork import DarkpagesTeamwork
from tablecall.systems.darkpages.training import (
    DarkpagesAward,
    DarkpagesAwardEffect,
    DarkpagesLedgerEntry,
    DarkpagesSpending,
    DarkpagesTraining,
)
from tablecall.systems.jazz.advance import JazzImprove, JazzLearn, JazzNewAspect
from tablecall.systems.jazz.attack import JazzAttack
from tablecall.systems.jazz.character import JazzCharacterCheck
from tablecall.systems.jazz.check import JazzCheck
from tablecall.systems.jazz.conflict import JazzCombatant, JazzDeclared
from tablecall.systems.jazz.declared import JazzConflictCheck
from tablecall.systems.jazz.fate import JazzFate
from tablecall.systems.jazz.fight import JazzFight
from tablecall.systems.jazz.initiative import JazzEntrant, JazzInitiative, JazzPlace
from tablecall.systems.jazz.karma import JazzComplication, JazzKarma
from tablecall.systems.jazz.recovery import JazzRecovery
from tablecall.systems.jazz.round import JazzRound
from tablecall.systems.jazz.sheet import JazzActor, JazzAspect, JazzCharacter, JazzGear, JazzHouseRules, JazzPool, JazzRested
from tablecall.systems.jazz.team import JazzTeamwork
from tablecall.systems.jazz.turn import JazzTurn

__all__ = [
    "DarkpagesActor",
    "DarkpagesAttack",
    "DarkpagesAttribute",
    "DarkpagesAttributes",
    "DarkpagesAward",
    "DarkpagesAwardEffect",
    "DarkpagesCharacter",
    "DarkpagesCharacterCheck",
    "DarkpagesCheck",
    "DarkpagesConcede",
    "DarkpagesConflict",
    "DarkpagesDamage",
    "DarkpagesDamageCheck",
    "DarkpagesDefend",
    "DarkpagesFighter",
    "DarkpagesHouseRules",
    "DarkpagesInitiation",
    "DarkpagesInitiative",
    "DarkpagesLedgerEntry",
    "DarkpagesNoMercy",
    "DarkpagesOverflow",
    "DarkpagesPool",
    "DarkpagesRecovery",
    "DarkpagesScar",
    "DarkpagesSpending",
    "DarkpagesSwarm",
    "DarkpagesTeamwork",
    "DarkpagesTraining",
    "GivenDice",
    "JazzActor",
    "JazzAspect",
    "JazzAttack",
    "JazzCharacter",
    "JazzCharacterCheck",
    "JazzCheck",
    "JazzCombatant",
    "JazzComplication",
    "JazzConflictCheck",
    "JazzDeclared",
    "JazzEntrant",
    "JazzFate",
    "JazzFight",
    "JazzGear",
    "JazzHouseRules",
    "JazzImprove",
    "JazzInitiative",
    "JazzKarma",
    "JazzLearn",
    "JazzNewAspect",
    "JazzPlace",
    "JazzPool",
    "JazzRecovery",
    "JazzRested",
    "JazzRound",
    "JazzTeamwork",
    "JazzTurn",
]
