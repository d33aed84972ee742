// The built package against a running service: TABLECALL=http://127.0.0.1:8000 node --test test
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { applyEffects, Conflict, faces, newSeed, Refused, Tablecall, takeOption, undo, verifyDice, withDice } from "@tablecall/client";

const { TABLECALL = "http://127.0.0.1:8000", EXAMPLES, RULINGS, VECTORS } = process.env;
const table = new Tablecall(`${TABLECALL}/`);
const CHECK = { actor: { bonus: 3 }, difficulty: 10, seed: 42 };
const ROOK = { id: "pc-1", name: "Rook", aspects: [{ name: "driver", bonus: 4 }], health: { current: 2, max: 4 } };
const HIT = { attackers: [{ bonus: 9 }], defender: { character: ROOK, using: ["driver"] }, seed: "duel/1" };
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** A service of one's own for a test: `answer` gets the number of the request, its body and the response. */
async function faked(answer, test) {
  const bodies = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    bodies.push(JSON.parse(text));
    answer(bodies.length, response, request);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    await test(new Tablecall(`http://127.0.0.1:${server.address().port}`), bodies);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const reply = (response, status, body, headers = {}) => response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
const busy = { type: "/problems/busy", title: "Service Unavailable", status: 503, detail: "too busy", errors: [] };

describe("asking", () => {
  it("resolves an action", async () => {
    const ruling = await table.resolve("jazz.check", CHECK);
    assert.deepEqual([ruling.outcome, ruling.total, ruling.seed], ["failure", 7, "42"]);
  });

  it("throws what the service refuses", async () => {
    const refused = await table.resolve("jazz.check", { actor: { bonus: 3 }, difficulty: "ten" }).catch((error) => error);
    assert.ok(refused instanceof Refused && refused instanceof Error);
    assert.deepEqual([refused.status, refused.errors[0].pointer, refused.errors[0].code], [422, "/difficulty", "wrong-type"]);
    assert.equal(refused.message, refused.problem.detail);
  });

  it("makes a refusal of what a proxy answers", async () => {
    for (const body of ["<h1>Bad Gateway</h1>", "null", '{"error": 1}']) {
      await faked(
        (_, response) => reply(response, 502, body),
        async (proxied) => {
          const refused = await proxied.resolve("jazz.check", CHECK).catch((error) => error);
          assert.deepEqual([refused.status, refused.errors, refused.retryAfter], [502, [], null]);
          assert.match(refused.message, /502 Bad Gateway/);
        },
      );
    }
  });

  it("sends the key and the language", async () => {
    const german = new Tablecall(new URL(TABLECALL), { language: "de" });
    assert.equal((await german.resolve("jazz.check", CHECK)).outcomeText, "Fehlschlag");
    let seen;
    const keyed = new Tablecall(TABLECALL, { key: "secret", fetch: (url, init) => ((seen = init.headers), fetch(url, init)) });
    await keyed.resolve("jazz.check", CHECK);
    assert.equal(seen.authorization, "Bearer secret");
  });

  it("gives a request up", async () => {
    await faked(
      () => undefined,
      async (silent) => {
        const signal = AbortSignal.abort();
        await assert.rejects(silent.resolve("jazz.check", CHECK, { signal }), { name: "AbortError" });
      },
    );
    const hasty = new Tablecall(TABLECALL, { timeout: 1, fetch: (_, { signal }) => new Promise((_, no) => (signal.onabort = () => no(signal.reason))) });
    await assert.rejects(hasty.resolve("jazz.check", CHECK), { name: "TimeoutError" });
  });

  it("tells the odds, and streams them", async () => {
    const odds = await table.odds("jazz.check", CHECK);
    assert.deepEqual([odds.outcomes[0].outcome, odds.outcomes[0].fraction], ["success", "7/12"]);
    const seen = [];
    for await (const more of table.oddsStream("jazz.check", { ...CHECK, method: "simulation", trials: 20000 })) seen.push(more.simulated.trials);
    assert.ok(seen.length > 1);
    assert.equal(seen.at(-1), 20000);
    for await (const exact of table.oddsStream("jazz.check", CHECK)) assert.equal(exact.method, "exact");
    for await (const first of table.oddsStream("jazz.check", { ...CHECK, method: "simulation", trials: 100000 })) {
      assert.ok(first.simulated.trials <= 100000);
      break;
    }
    await assert.rejects(table.oddsStream("jazz.check", { actor: { bonus: 3 } }).next(), Refused);
  });

  it("notices a stream that breaks or fails", async () => {
    const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    const streamed = (text, test) =>
      faked(
        (_, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
          response.end();
        },
        async (odd) => test(odd.oddsStream("jazz.check", CHECK)),
      );
    await streamed(`: a comment\n\n${event("progress", { outcomes: "ö" })}event: done`, async (odds) => {
      assert.equal((await odds.next()).value.outcomes, "ö");
      await assert.rejects(odds.next(), /broke/);
    });
    await streamed(event("problem", busy), (odds) => assert.rejects(odds.next(), { name: "Refused", status: 503 }));
  });

  it("sends many at once and verifies", async () => {
    const results = await table.batch([{ action: "jazz.check", ...CHECK }, { action: "jazz.check", actor: { bonus: 1 } }, { action: "jazz.check", actor: {}, level: "easy" }], "night/1");
    assert.deepEqual(results.map(({ ruling, problem }) => ruling?.seed ?? problem.status), ["42", 422, "night/1/2"]);
    assert.equal((await table.batch([{ action: "jazz.check", actor: {}, level: "easy" }]))[0].problem, undefined);
    const request = { action: "jazz.check", ...CHECK };
    assert.equal((await table.verify(request, await table.resolve("jazz.check", CHECK))).verdict, "match");
  });
});

describe("retry", () => {
  it("sends the same seed until an answer arrives", async () => {
    await faked(
      (count, response) => {
        if (count === 1) response.destroy();
        else if (count === 2) reply(response, 503, busy);
        else if (count === 3) reply(response, 429, { ...busy, status: 429 }, { "retry-after": "0" });
        else reply(response, 200, { outcome: "success" });
      },
      async (flaky, bodies) => {
        assert.equal((await flaky.retry("jazz.check", { actor: { bonus: 3 }, difficulty: 10 }, { delay: 1 })).outcome, "success");
        assert.equal(bodies.length, 4);
        assert.match(bodies[0].seed, /^[0-9a-f]{32}$/);
        assert.deepEqual(new Set(bodies.map(({ seed }) => seed)).size, 1);
      },
    );
  });

  it("keeps a seed of one's own, and stops after the last attempt", async () => {
    await faked(
      (_, response) => reply(response, 503, busy),
      async (closed, bodies) => {
        await assert.rejects(closed.retry("jazz.check", CHECK, { attempts: 2, delay: 1 }), { status: 503 });
        assert.deepEqual(bodies.map(({ seed }) => seed), [42, 42]);
      },
    );
  });

  it("does not repeat what is refused for good, or was given up", async () => {
    await assert.rejects(table.retry("jazz.check", { actor: { bonus: 3 } }, { delay: 1 }), { status: 422 });
    await faked(
      (_, response) => reply(response, 503, busy, { "retry-after": "3600" }),
      async (closed, bodies) => {
        const controller = new AbortController();
        const asked = closed.retry("jazz.check", CHECK, { signal: controller.signal });
        while (!bodies.length) await new Promise((done) => setTimeout(done, 5));
        setTimeout(() => controller.abort(new Error("enough")), 50);
        await assert.rejects(asked);
        assert.equal(bodies.length, 1);
      },
    );
  });
});

describe("effects", () => {
  it("are applied and taken back", async () => {
    const ruling = await table.resolve("jazz.attack", HIT);
    assert.equal(ruling.outcome, "hit");
    const { defender } = applyEffects({ defender: HIT.defender }, ruling);
    assert.deepEqual(defender, ruling.after.defender);
    assert.deepEqual(undo(ruling.after, ruling).defender, HIT.defender);
    assert.equal(HIT.defender.character.health.current, 2);
    const sheet = applyEffects(ROOK, ruling, "/defender/character");
    assert.equal(sheet.health.current, 1);
    assert.deepEqual(undo(sheet, ruling, "/defender/character"), ROOK);
  });

  it("add and remove members and entries of lists", () => {
    const effects = [
      { pointer: "/scars/0", from: "a", to: null },
      { pointer: "/scars/1", from: null, to: "c" },
      { pointer: "/pools/a~1b~0/current", from: null, to: { deep: 1 } },
      { pointer: "/karma", from: "positive", to: null },
      { pointer: null, from: 1, to: 2 },
    ];
    const before = { scars: ["a", "b"], karma: "positive" };
    const ruling = { effects, after: { pools: { "a/b~": { current: 0, max: 2 } } } };
    const after = applyEffects(before, ruling);
    assert.deepEqual(after, { scars: ["b", "c"], pools: { "a/b~": { current: { deep: 1 }, max: 2 } } });
    after.pools["a/b~"].current.deep = 2;
    assert.equal(effects[2].to.deep, 1);
    assert.deepEqual(undo(applyEffects(before, ruling), ruling), { ...before, pools: { "a/b~": { max: 2 } } });
    assert.deepEqual(applyEffects({}, { effects: [{ pointer: "/a/b", from: null, to: 1 }], after: {} }), { a: { b: 1 } });
  });

  it("and dice of every example are as told", { skip: !EXAMPLES }, async () => {
    const once = new Set(["spend", "imposeKarma", "advantage", "disadvantage", "extraordinary", "keepDice", "modifiers", "scars"]);
    /** Everything in `part` is in `whole`, but fields of one roll, which are in no effect. */
    const contained = (part, whole, where) => {
      if (typeof part !== "object" || part === null || typeof whole !== "object") return assert.deepEqual(whole ?? null, part, where);
      for (const name of Object.keys(part)) if (!once.has(name)) contained(part[name], whole?.[name], `${where}/${name}`);
    };
    let compared = 0;
    for (const { action, ...request } of read(EXAMPLES)) {
      const ruling = await table.resolve(action, request);
      const { after } = ruling;
      const people = ({ order, round, acted, ...others }) => Object.entries(others);
      const shared = (document) => Object.fromEntries(people(document).filter(([name]) => name in request && name in after));
      contained(shared(request), undo(after, ruling), action);
      contained(shared(after), applyEffects(shared(request), ruling), action);
      contained(shared(applyEffects(request, ruling)), after, action);
      compared += ruling.effects.length;
      assert.deepEqual(verifyDice(ruling, request), [], action);
    }
    assert.ok(compared > 50);
  });
});

describe("requests", () => {
  it("take an option with the same dice", async () => {
    const request = { actor: { character: ROOK, using: ["driver"] }, difficulty: 16, include: ["options"] };
    for (const ask of ["resolve", "retry"]) {
      let ruling;
      do ruling = await table[ask]("jazz.check", request);
      while (ruling.succeeded);
      const rescued = await table.resolve("jazz.check", takeOption(request, ruling, "rescue"));
      assert.equal(takeOption(request, ruling, ruling.options[0]).seed, ruling.seed);
      assert.deepEqual(rescued.rolls[0].dice, ruling.rolls[0].dice);
      assert.equal(rescued.rolls[1].roll, "actor.rescue");
    }
    assert.equal("seed" in request, false);
  });

  it("are merged as RFC 7396 says", () => {
    const patch = { a: null, b: { c: null, d: [1] }, e: { f: null }, g: 1 };
    const ruling = { seed: "1", options: [{ choice: "keep", request: patch }, { choice: "complication", request: null }] };
    const request = { a: 1, b: { c: 1, x: 2 }, g: { h: 1 }, seed: 5 };
    assert.deepEqual(takeOption(request, ruling, "keep"), { b: { x: 2, d: [1] }, e: {}, g: 1, seed: 5 });
    assert.deepEqual(request, { a: 1, b: { c: 1, x: 2 }, g: { h: 1 }, seed: 5 });
    assert.throws(() => takeOption({}, ruling, "complication"), /another action carries out complication/);
    assert.throws(() => takeOption({}, { seed: "1" }, "rescue"), /no option rescue/);
  });

  it("carry dice from the table", async () => {
    const request = { actor: { bonus: 3 }, difficulty: 10 };
    const handed = withDice(withDice(request, { actor: [3] }), { actor: [4] });
    assert.deepEqual(handed.dice, [{ roll: "actor", faces: [3, 4] }]);
    assert.equal((await table.resolve("jazz.check", handed)).seedFrom, "table");
    assert.equal(request.dice, undefined);
  });

  it("ask for dice until they are complete", async () => {
    const asked = [];
    const request = { attackers: [{ bonus: 4 }], defender: { bonus: 1 }, seed: 1 };
    const handed = await table.collectDice("jazz.attack", request, (needed) => {
      asked.push(...needed.map(({ roll, dice }) => `${roll} ${dice}`));
      return Object.fromEntries(needed.map(({ roll, count }) => [roll, Array(count).fill(6)]));
    });
    assert.deepEqual(asked, ["attackers.0 2d6", "defender 2d6"]);
    assert.deepEqual((await table.resolve("jazz.attack", handed)).rolls.map(({ from }) => from), ["table", "table"]);
  });

  it("get a new seed each", () => {
    assert.match(newSeed(), /^[0-9a-f]{32}$/);
    assert.notEqual(newSeed(), newSeed());
  });
});

describe("dice", () => {
  it("follow from the seed", () => {
    assert.deepEqual(faces("42", "actor", 6, 8), [2, 2, 5, 2, 1, 5, 5, 3]);
    assert.deepEqual(faces("42", "actor", 10, 8), [7, 9, 2, 1, 8, 0, 4, 4]);
    for (const length of [0, 40, 43, 44, 51, 52, 107, 108, 1000]) {
      const key = createHash("sha256").update(`tablecall-1\0${"ü".repeat(length)}\0r`).digest();
      const block = createHash("sha256").update(key).update(Buffer.alloc(8)).digest();
      assert.equal(faces("ü".repeat(length), "r", 2, 1, 0)[0], block[0] % 2, `length ${length}`);
      assert.deepEqual(faces("ü".repeat(length), "r", 64, 32, 0), [...block].map((byte) => byte % 64));
    }
  });

  it("are those of the test vectors", { skip: !VECTORS }, () => {
    const { vectors } = read(VECTORS);
    for (const { seed, roll, sides, lowest, faces: expected } of vectors) assert.deepEqual(faces(seed, roll, sides, expected.length, lowest), expected);
    assert.ok(vectors.length > 10);
  });

  it("of rulings are verified", async () => {
    const ruling = await table.resolve("jazz.attack", HIT);
    assert.deepEqual(verifyDice(ruling), []);
    const forged = structuredClone(ruling);
    forged.rolls[1].dice[0].face = (forged.rolls[1].dice[0].face % 6) + 1;
    assert.deepEqual(verifyDice(forged), ["/rolls/1"]);
    assert.deepEqual(verifyDice({ ...ruling, rng: "other-1" }), ["/rng"]);
    assert.deepEqual(verifyDice({ ...ruling, rolls: [{ ...ruling.rolls[0], dice: ruling.rolls[0].dice.slice(1) }] }), ["/rolls/0"]);
  });

  it("that were rolled again are verified", async () => {
    const request = { actor: { bonus: 1, gear: { reroll: [1, 2, 3], until: "clear" } }, difficulty: 9, seed: 42 };
    const ruling = await table.resolve("jazz.check", request);
    assert.ok(ruling.rolls[0].dice.flatMap(({ replaced }) => replaced).length > 1);
    assert.deepEqual(verifyDice(ruling), []);
  });

  it("of the published rulings are right", { skip: !RULINGS }, () => {
    const names = readdirSync(RULINGS).filter((file) => file.endsWith(".json"));
    for (const name of names) {
      const { request, ruling } = read(join(RULINGS, name));
      assert.deepEqual(verifyDice(ruling, request), [], name);
    }
    assert.ok(names.length > 50);
  });

  it("from the table are compared with the request", async () => {
    const request = withDice(CHECK, { actor: [6, 6] });
    const ruling = await table.resolve("jazz.check", request);
    assert.deepEqual(verifyDice(ruling), []);
    assert.deepEqual(verifyDice(ruling, request), []);
    assert.deepEqual(verifyDice(ruling, withDice(CHECK, { actor: [6, 5] })), ["/rolls/0"]);
    assert.deepEqual(verifyDice(ruling, CHECK), ["/rolls/0"]);
  });
});

describe("a conflict", () => {
  const fighter = (id, side, bonus) => ({
    id,
    side,
    actor: { character: { name: id, aspects: [{ name: "fighter", bonus }], survivalAspect: "fighter" }, using: ["fighter"] },
  });
  const combatants = [fighter("Rook", "crew", 4), fighter("Ivo", "crew", 3), fighter("Chief", "museum", 5)];
  const setup = { combatants, seed: "session 12/fight 1", include: ["options"] };
  const target = (fight, id) => {
    const { side } = fight.state.combatants.find((one) => one.id === id);
    return fight.state.combatants.find((one) => one.side !== side && !one.actor.character.out).id;
  };
  const attack = (fight) => ({ by: [fight.next[0]], attack: target(fight, fight.next[0]) });

  it("is fought to its end", async () => {
    const fight = await Conflict.start(table, setup);
    while (!fight.finished) await fight.turn(attack(fight));
    assert.deepEqual([fight.winner, fight.state.round, fight.log.length], ["crew", 7, 19]);
    assert.equal(fight.ruling, fight.log.at(-1));
    assert.deepEqual(fight.next, []);
  });

  it("goes back, and rolls the same again", async () => {
    const fight = await Conflict.start(table, setup);
    assert.equal(await fight.undo(), undefined);
    const [before, turn] = [fight.state, attack(fight)];
    const first = await fight.turn(turn);
    assert.equal(await fight.undo(), first);
    assert.deepEqual(fight.state, before);
    assert.deepEqual(await fight.turn(turn), first);
  });

  it("survives being saved", async () => {
    const fight = await Conflict.start(table, { combatants });
    await fight.turn(attack(fight));
    const again = Conflict.resume(table, JSON.parse(JSON.stringify(fight)));
    assert.deepEqual(again.state, fight.state);
    const turn = attack(fight);
    const short = Conflict.resume(table, { setup: again.toJSON().setup, taken: again.toJSON().taken.slice(-1) });
    const { rolls } = await fight.turn(turn);
    assert.deepEqual((await again.turn(turn)).rolls, rolls);
    assert.deepEqual((await short.turn(turn)).rolls, rolls);
  });

  it("sends a second click after the first, which the rules refuse", async () => {
    const fight = await Conflict.start(table, setup);
    const turn = attack(fight);
    const [first, second] = await Promise.allSettled([fight.turn(turn), fight.turn(turn)]);
    assert.deepEqual([first.status, second.status, second.reason.errors[0].rule], ["fulfilled", "rejected", "jazz.conflict.action"]);
    assert.equal(fight.log.length, 2);
    const undone = fight.turn(attack(fight)).then(() => fight.log.length);
    await Promise.all([undone, fight.undo()]);
    assert.deepEqual([await undone, fight.log.length], [3, 2]);
  });

  it("knows chances and dice before a turn, and takes dice from the table", async () => {
    const fight = await Conflict.start(table, setup, { "combatants.0": [6, 6], "combatants.1": [1, 1], "combatants.2": [3, 3] });
    assert.deepEqual(fight.next, ["Rook"]);
    const turn = attack(fight);
    const { needed } = await fight.rolls(turn);
    const dice = Object.fromEntries(needed.map(({ roll }, index) => [roll, index ? [1, 1] : [6, 6]]));
    assert.equal((await fight.rolls(turn, dice)).complete, true);
    assert.deepEqual((await fight.odds(turn)).turn.outcomes.map(({ outcome }) => outcome).sort(), ["hit", "miss"]);
    const ruling = await fight.turn(turn, dice);
    assert.deepEqual([ruling.turn.outcome, ruling.seedFrom], ["hit", "table"]);
    assert.deepEqual((await fight.chances({ museum: "weakest" })).outcomes.map(({ outcome }) => outcome).sort(), ["crew", "museum", "undecided"]);
  });

  it("takes an option of the last turn", async () => {
    const fight = await Conflict.start(table, setup, { "combatants.0": [6, 6], "combatants.1": [1, 1], "combatants.2": [3, 3] });
    const turn = attack(fight);
    const { needed } = await fight.rolls(turn);
    const ruling = await fight.turn(turn, Object.fromEntries(needed.map(({ roll }, index) => [roll, index ? [6, 6] : [1, 1]])));
    assert.equal(ruling.turn.outcome, "miss");
    const rescued = await fight.take("rescue");
    assert.ok(rescued.rolls.some(({ roll }) => roll.endsWith(".attack.rescue")));
    assert.deepEqual([fight.log.length, fight.ruling], [2, rescued]);
    await assert.rejects(fight.take("luck"), /no option luck/);
    assert.deepEqual(fight.ruling, rescued);
  });
});
