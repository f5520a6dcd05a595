import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../src/bytes.js";
import { GAMES } from "../src/games.js";
import { roots } from "../src/merkle.js";
import { STEPS } from "../src/report.js";
import { UsageError, verify } from "../src/verify.js";
import { ENDINGS, play, signingKey } from "./builder.js";
import { find, told, verifySealed } from "./judging.js";

/** @typedef {import("./builder.js").Table} Table */

for (const id of Object.keys(GAMES)) {
  for (const ending of ENDINGS) {
    test(`a match of ${id} that ends by ${ending}`, async () => {
      const table = await play(ending, 0, {}, id);
      const bundle = await table.bundle();
      const held = await table.held(1);
      const policy = table.policy();
      const report = await verify(bundle, { policy, held, lang: "en" });
      assert.deepEqual(told(report), ["verified", null, null, null]);
      assert.equal(report.anchor, "held");
      assert.equal(report.m, table.m);
      const reason = { operator: "void", deal_limit: "void", no_seed: "seed" }[ending] ?? ending;
      assert.equal(report.ending?.reason, reason);
      const seated = table.events.filter((event) => event.by >= 0).length;
      assert.equal(report.counts.signatures, 1 + 2 * table.views[1].length + seated);
      assert.deepEqual(report.checks.map((check) => check.result), STEPS.map((_, step) => (step === 2 ? "not run" : "passed")));

      assert.deepEqual(told(await verify(bundle, { policy, held, signatures: "last" })), ["verified", null, null, null]);
      assert.deepEqual(told(await verify(bundle, { policy })), ["unchecked", null, "no_anchor", null]);
      assert.deepEqual(told(await verify(bundle, { held })), ["unchecked", 1, "no_policy", null]);
      const other = table.policy(await signingKey("somebody else"));
      assert.deepEqual(told(await verify(bundle, { policy: other, held })), ["unchecked", 1, "unknown_key", null]);
    });

    // The ends before the first deal are alike in all games.
    if (id !== "duel@1" && !["target", "overruns"].includes(ending)) continue;
    test(`a match of ${id} that ends by ${ending}, cut short anywhere`, async () => {
      const table = await play(ending, 0, {}, id);
      for (let size = table.events.length - 1; size > 0; size -= Math.ceil(size / 4)) {
        table.events.length = size;
        const report = await verifySealed(table);
        assert.deepEqual(told(report), ["pending", null, "not_closed", null], `${size} events`);
      }
    });
  }
}

test("any byte that flips is seen", async () => {
  const table = await play("resigned");
  const bundle = await table.bundle();
  const options = { policy: table.policy(), held: await table.held(0) };
  for (let place = 0; place < bundle.length; place += 97) {
    const other = bundle.slice();
    other[place] ^= 1 << place % 8;
    const { verdict } = await verify(other, options);
    assert.ok(["malformed", "altered", "unchecked", "cheated"].includes(verdict), `byte ${place}: ${verdict}`);
  }
});

/** What a server and players who sign everything still cannot hide: by name, the fault and what is told. */
const FAULTS = /** @type {Record<string, [string, (table: Table) => void, any[]]>} */ ({
  "a seed that does not open": ["resigned", (t) => (find(t, "seed").data.do.seed = "00".repeat(32)), [6, "seat_seed", 3]],
  "a server seed that does not open": [
    "seed",
    (t) => (find(t, "reveal").data.server_seed = "00".repeat(32)),
    [5, "commitment", 8],
  ],
  "no reveal": ["seed", (t) => t.events.splice(-2, 1), [5, "no_reveal", 9]],
  "another turned card": [
    "resigned",
    (t) => (find(t, "deal").data.turned = find(t, "deal").data.turned === "S7" ? "S8" : "S7"),
    [7, "deal", 5],
  ],
  "another dealer": ["resigned", (t) => (find(t, "deal").data.dealer ^= 1), [7, "deal", 5]],
  "a deal at another time": ["resigned", (t) => (find(t, "deal").t += 1), [8, "clock", 5]],
  "a third join": [
    "resigned",
    (t) => t.events.splice(3, 0, structuredClone(find(t, "join"))),
    [8, "order", 3],
  ],
  "two keys alike": [
    "resigned",
    (t) => {
      t.keys[0] = t.keys[1];
      for (const skip of [0, 1]) find(t, "join", skip).data.do.join.key = t.keys[1].hex;
    },
    [8, "duplicate", 2],
  ],
  "a commitment of the server's": [
    "cancelled",
    (t) => (find(t, "join").data.do.join.seed_commitment = t.events[0].data.commitment),
    [8, "duplicate", 1],
  ],
  "the wrong seat": ["resigned", (t) => (find(t, "act").by ^= 1), [8, "turn", 6]],
  "time goes back": ["resigned", (t) => (find(t, "act", 1).t = find(t, "act").t - 1), [8, "clock", 7]],
  "an action too late": ["resigned", (t) => (find(t, "act").t = find(t, "deal").t + 34_001), [8, "clock", 6]],
  "a bid that nobody may make": ["resigned", (t) => (find(t, "act").data.do = { bid: "X" }), ["malformed", 0, "schema", 6]],
  "take as a card": ["resigned", (t) => (find(t, "act").data.do = { card: "S7" }), [8, "illegal", 6]],
  "an event after the end": ["seed", (t) => t.events.push({ ...structuredClone(find(t, "end")), n: 10 }), [8, "order", 10]],
  "a timeout too early": ["seed", (t) => (find(t, "timeout").t = find(t, "join", 1).t + 30_249), [8, "clock", 4]],
  "somebody else missing": ["seed", (t) => (find(t, "timeout").data.missing = [0, 1]), [8, "timeout", 4]],
  "a timeout of play in the seed phase": ["seed", (t) => (find(t, "timeout").data = { seat: 0, overrun: 1 }), [8, "timeout", 4]],
  "a resume of too short an outage": ["resigned", insertResume, [8, "resume", 6]],
  "a score that is off": ["target", (t) => (find(t, "score").data.marks[0] += 1), [9, "score"]],
  "a belote for nobody": ["target", ({ events }) => events.filter(({ type }) => type === "score").forEach(({ data }) => (data.belote = data.belote === 0 ? 1 : 0)), [9, "score"]],
  "another winner": ["resigned", (t) => (find(t, "end").data.winner ^= 1), [9, "end"]],
  "an unasked end that claims the target": ["operator", claimTarget, [9, "end"]],
  "a settlement that is off": ["resigned", (t) => (find(t, "settle").data.lines[3].amount += 1), [10, "settle"]],
  "terms of another log": ["seed", (t) => (t.events[0].data.log = "test.example/loh"), [8, "terms", 0]],
  "terms of another match": ["seed", (t) => (t.events[0].data.m = "00".repeat(16)), [8, "terms", 0]],
});

/** @param {Table} table */
function insertResume(table) {
  const { t } = find(table, "deal");
  table.events.splice(6, 0, { by: -1, data: { from: t - 5_000, to: t }, n: 6, t, type: "resume" });
}

/** @param {Table} table */
function claimTarget(table) {
  const { data } = find(table, "end");
  delete data.cause;
  Object.assign(data, { reason: "target", winner: 0 });
}

for (const [name, [ending, spoil, expected]] of Object.entries(FAULTS)) {
  test(`sealed again after a fault: ${name}`, async () => {
    const table = await play(ending);
    spoil(table);
    // The seats sign for the match that `open` now names.
    table.m = table.events[0].data.m;
    await table.seal();
    table.m = (await play(ending)).m;
    const found = told(await verify(await table.bundle(), { policy: table.policy() }));
    const wanted = typeof expected[0] === "string" ? expected : ["cheated", ...expected];
    assert.deepEqual(found.slice(0, wanted.length), wanted);
  });
}

test("a belote that is not said, and one that is invented", async () => {
  for (let number = 0; number < 40; number++) {
    const table = await play("target", number);
    const said = table.events.find((event) => event.data.says !== undefined);
    if (said === undefined) continue;
    delete said.data.says;
    assert.deepEqual(told(await verifySealed(table)), ["cheated", 8, "says", said.n]);
    said.data.says = "rebelote";
    assert.deepEqual(told(await verifySealed(table)), ["cheated", 8, "says", said.n]);
    return;
  }
  assert.fail("no match with a belote");
});

test("a changed event that is not signed again", async () => {
  const table = await play("resigned");
  const head = await table.receipt(table.events.length);
  const policy = table.policy();
  find(table, "deal").data.dealer ^= 1;
  const report = await verify(await table.bundle(head), { policy });
  assert.deepEqual(told(report), ["altered", 3, "root", table.events.length - 1]);
  assert.deepEqual(report.suspects, [3, table.events.length - 1]);
});

test("signatures and keys of seats", async () => {
  const table = await play("resigned");
  const { data, n } = find(table, "act");
  data.sig = find(table, "act", 1).data.sig;
  const bundle = async () => {
    table.roots = roots(table.lines());
    return table.bundle();
  };
  // The head covers the forged line, and every later signature the root before it changed.
  assert.deepEqual(told(await verify(await bundle(), { policy: table.policy() })), ["cheated", 4, "seat_signature", n]);
  data.root = "00".repeat(32);
  const report = await verify(await bundle(), { policy: table.policy() });
  assert.deepEqual(told(report), ["cheated", 4, "signed_root", n - 1]);
  assert.deepEqual(report.suspects, [3, n - 1]);
  find(table, "join").data.do.join.key = "01" + "00".repeat(31);
  assert.deepEqual(told(await verify(await bundle(), { policy: table.policy() })), ["cheated", 4, "seat_key", 1]);
});

test("held receipts: a fork, a line of another seat, a file of another match", async () => {
  const table = await play("resigned");
  const bundle = await table.bundle();
  const policy = table.policy();
  const views = table.views[0];
  const { size } = views[4];
  const honest = table.receipt.bind(table);
  table.receipt = (at, root) => honest(at, at === size ? "00".repeat(32) : root);
  const forked = await table.held(0);
  const report = await verify(bundle, { policy, held: forked });
  assert.deepEqual(told(report), ["cheated", 3, "fork", size - 1]);
  assert.deepEqual(told(await verify(bundle, { policy, held: forked, signatures: "last" })), ["cheated", 3, "fork", size - 1]);
  table.receipt = honest;

  const mixed = await table.held(0, [...views, table.views[1][3]]);
  assert.deepEqual(told(await verify(bundle, { policy, held: mixed })), ["altered", 3, "held_signature", null]);

  const foreign = await (await play("resigned", 1)).held(0);
  await assert.rejects(verify(bundle, { policy, held: foreign }), UsageError);
  await assert.rejects(verify(bundle, { policy, held: foreign.slice(1) }), UsageError);
});

test("held receipts: one beyond the end is a fork of a closed copy, and of no other", async () => {
  const table = await play("resigned");
  const bundle = await table.bundle();
  const policy = table.policy();
  const beyond = table.events.length + 2;
  const honest = table.receipt.bind(table);
  const views = [...table.views[0], { ...table.views[0][0], size: beyond }];
  const roots = table.roots;
  table.receipt = (at, root = roots[at] ?? "00".repeat(32), key = table.server) => honest(at, root, key);
  const held = await table.held(0, views);
  assert.deepEqual(told(await verify(bundle, { policy, held })), ["cheated", 3, "fork", table.events.length]);
  assert.equal((await verify(bundle, { policy, held })).suspects, null);

  table.receipt = honest;
  const open = await play("resigned");
  const longer = await open.held(0);
  open.events.splice(-3);
  await open.seal();
  assert.equal((await verify(await open.bundle(), { policy: open.policy(), held: longer })).verdict, "pending");
});

test("held views: another hand, other legal actions", async () => {
  const table = await play("resigned");
  const bundle = await table.bundle();
  const shown = structuredClone(table.views[0]);
  const last = shown.findLastIndex((view) => view.legal.length > 1);
  shown[last].legal.pop();
  const report = await verify(bundle, { policy: table.policy(), held: await table.held(0, shown) });
  assert.deepEqual(told(report), ["cheated", 8, "shown_legal", shown[last].size - 1]);
  assert.deepEqual(report.suspects, [shown[last].size - 1, shown[last].size - 1]);
  shown[last].hand.pop();
  const hand = await verify(bundle, { policy: table.policy(), held: await table.held(0, shown) });
  assert.deepEqual(told(hand), ["cheated", 7, "shown_hand", shown[last].size - 1]);
});

test("what anchors: a receipt after the seat's last event, and the seat's own key", async () => {
  const table = await play("resigned");
  const bundle = await table.bundle();
  const early = await table.held(0, table.views[0].slice(0, 5));
  const nobody = ["unchecked", null, "no_anchor", null];
  assert.deepEqual(told(await verify(bundle, { policy: table.policy(), held: early })), nobody);
  table.keys[0] = await signingKey("another key");
  assert.deepEqual(told(await verify(bundle, { policy: table.policy(), held: await table.held(0) })), nobody);
});

test("a head of another size", async () => {
  const table = await play("seed");
  const size = table.events.length;
  const policy = table.policy();
  const short = await table.bundle(await table.receipt(size - 1));
  assert.deepEqual(told(await verify(short, { policy })), ["altered", 3, "events_extra", size - 1]);
  const long = await table.bundle(await table.receipt(size + 1, toHex(fromHex("00".repeat(32)))));
  assert.deepEqual(told(await verify(long, { policy })), ["altered", 3, "events_missing", size]);
});

test("bytes that are no bundle", async () => {
  const table = await play("cancelled");
  const bundle = await table.bundle();
  const text = new TextDecoder().decode(bundle);
  const bytes = (/** @type {string} */ other) => new TextEncoder().encode(other);
  const wrong = /** @type {[Uint8Array, string, number | null][]} */ ([
    [new Uint8Array(0), "encoding", null],
    [bundle.slice(0, -1), "encoding", null],
    [new Uint8Array(16_777_217), "size", null],
    [bytes(text.replace("\n", "\n\n")), "encoding", 0],
    [bytes(text.replace("\n{", "\n {")), "encoding", 0],
    [bytes(text.split("\n")[0] + "\n"), "schema", 0],
    [bytes(text.replace("bundle@1", "bundle@2")), "header", null],
    [bytes(text.replace('"n":1', '"n":2')), "index", 1],
    [bytes(text.replace('"seats":2', '"seats":3')), "schema", 0],
    [bytes(text.replace('"n":1,', `"n":1,"x":"${"x".repeat(16_384)}",`)), "size", 1],
  ]);
  for (const [other, cause, place] of wrong) assert.deepEqual(told(await verify(other)), ["malformed", 0, cause, place]);
});
