"""The requests: one sheet of about a kilobyte, one small check, one GraphQL document of 45 leaves."""

from __future__ import annotations

from typing import Any

SHEET: dict[str, Any] = {
    "id": "pc-1",
    "name": "Rook",
    "aspects": [
        {
            "name": "former getaway driver",
            "bonus": 4,
            "expertise": ["casing the joint", "hot-wiring cars", "outrunning pursuit", "losing a tail", "night driving", "back alleys"],
        },
        {
            "name": "hereditary witch",
            "bonus": 2,
            "weird": True,
            "expertise": ["small charms", "reading omens", "opening what is locked", "seeing who lies"],
        },
        {"name": "reads people", "bonus": 2, "expertise": ["poker", "interrogation", "small talk", "crowds", "who is in charge"]},
        {"name": "knows the harbour", "bonus": 1, "expertise": ["smugglers", "tides", "customs officers", "which crane works"]},
        {"name": "never sleeps", "bonus": 1, "expertise": ["standing watch", "seeing in the dark", "coffee"]},
    ],
    "survivalAspect": "former getaway driver",
    "health": {"current": 4, "max": 4},
    "weird": {"current": 2, "max": 2},
}
ACTOR: dict[str, Any] = {"character": SHEET, "using": ["former getaway driver"], "gear": {"advantage": True}}
WHOLE: dict[str, Any] = {"action": "jazz.check", "actor": ACTOR, "difficulty": 12, "seed": "the alley"}
SMALL: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
POOLS: dict[str, Any] = {
    "action": "darkpages.check",
    "actor": {"pool": {"roll": 10, "keep": 5}},
    "opponent": {"pool": {"roll": 8, "keep": 4}},
}
POOLS_ROLLED = {**POOLS, "seed": 42}

CONTEST: dict[str, Any] = {
    "actor": {"bonus": 3, "advantage": True},
    "opponent": {"bonus": 2, "advantage": True},
    "seed": 1,
}
"""Two rolls of three dice and four steps."""
DOCUMENT = """
query Check($request: ResolveRequest!) {
  resolve(request: $request) {
    action outcome succeeded summary total target margin seed rng
    rolls { roll total dice { face kept } }
    steps { rule text }
  }
}
"""
QUERY: dict[str, Any] = {"query": DOCUMENT, "variables": {"request": {"jazzCheck": CONTEST}}}
AS_REST: dict[str, Any] = {"action": "jazz.check", **CONTEST}
UNSEEN = """
local count = 0
local first = wrk.body
function request()
  count = count + 1
  return wrk.format(nil, nil, nil, (first:gsub("query Check", "query Check" .. os.time() .. "x" .. count)))
end
"""
"""Sends a new document with every request."""
