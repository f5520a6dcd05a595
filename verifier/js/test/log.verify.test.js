import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "../src/canonical.js";
import { GAMES } from "../src/games.js";
import { SIGNS } from "../src/notes.js";
import { STEPS } from "../src/report.js";
import { UsageError, verify } from "../src/verify.js";
import { ENDINGS, play, signingKey } from "./builder.js";
import { find, told } from "./judging.js";
import { leavesOf, line, Log, lostClose } from "./logs.js";

/** @typedef {import("./builder.js").Table} Table */

/** What the first two seats had seen of the log. */
const SEEN = [3, 5];
const QUORUM = "group most 2 a b c\nquorum most";
const VERIFIED = ["verified", null, null, null];

/** A match with its log, where it has the leaves that `spoil` leaves of the honest ones. @param {string} ending @param {(leaves: any[], table: Table) => any[] | void} [spoil] @param {string} [id] */
async function logged(ending, spoil = () => {}, id = "duel@1") {
  const log = await Log.make();
  const table = await play(ending, 0, {}, id, SEEN.map((size) => log.seen(size)));
  const leaves = leavesOf(table);
  const placed = log.take(spoil(leaves, table) ?? leaves);
  const seen = SEEN.filter((size) => table.events.some(({ data }) => data.do?.join?.seen.size === size));
  return { log, table, placed, seen };
}

/** @typedef {Awaited<ReturnType<typeof logged>>} Logged */

/** The bundle, its header's part of the log changed by `spoil`. @param {Logged} match @param {(part: any, match: Logged) => unknown} [spoil] @param {string} [head] */
async function bundleOf(match, spoil = () => {}, head) {
  const part = await match.log.part(match.placed, match.seen, 2);
  await spoil(part, match);
  return match.table.bundle(head, part);
}

/** A held log line as the log stood when it had `size` entries. @param {Logged} match @param {number} size @param {any} [change] */
async function logLine({ log, placed }, size, change = {}) {
  return { checkpoint: await log.checkpoint(1, { size, ...change }), leaves: log.proven(placed.filter(({ index }) => index < size), size) };
}

/** The first event that is of this type. @param {Table} table @param {string} type @returns {number} */
const placeOf = (table, type) => table.events.findIndex((event) => event.type === type);

for (const id of Object.keys(GAMES)) {
  for (const ending of id === "duel@1" ? ENDINGS : ["target", "cancelled"]) {
    test(`a match of ${id} in the log that ends by ${ending}`, async () => {
      const match = await logged(ending, undefined, id);
      const { log, table } = match;
      const bundle = await bundleOf(match);
      const size = log.entries.length;
      const report = await verify(bundle, { policy: log.policy(QUORUM), lang: "en" });
      assert.deepEqual(told(report), VERIFIED);
      assert.equal(report.anchor, "witnesses");
      assert.deepEqual(report.log, { cosignatures: 2, size });
      assert.match(report.sentence, /enough witnesses of the log confirm it/);
      assert.deepEqual(report.checks.map(({ result }) => result), STEPS.map(() => "passed"));
      const seated = table.events.filter((event) => event.by >= 0).length;
      assert.equal(report.counts.signatures, 1 + 3 + seated);

      const lines = [await logLine(match, log.entries.length - 1), await logLine(match, 6)];
      const held = await table.held(1, table.views[1], lines);
      const own = await verify(bundle, { policy: log.policy(), held });
      assert.deepEqual(told(own), VERIFIED);
      assert.equal(own.anchor, "held");
      assert.equal(own.counts.signatures, report.counts.signatures + 2 * table.views[1].length + 4);
      assert.deepEqual(told(await verify(bundle, { policy: log.policy() })), ["unchecked", null, "no_anchor", null]);

      const nobody = await verify(bundle, { held });
      assert.deepEqual(told(nobody), ["unchecked", 1, "no_policy", null]);
      assert.deepEqual(nobody.checks.slice(1, 4).map(({ result }) => result), ["failed", "passed", "passed"]);
      assert.deepEqual(nobody.log, { cosignatures: 0, size });
    });
  }
}

test("a match in the log, cut short anywhere", async () => {
  const match = await logged("resigned");
  const { log, table, placed } = match;
  const { events } = table;
  for (let size = events.length - 1; size > 0; size -= 2) {
    table.events = events.slice(0, size);
    const seen = SEEN.filter((each) => table.events.some(({ data }) => data.do?.join?.seen.size === each));
    // The log may be ahead of a copy by `full` and `start`.
    const bundle = await bundleOf({ ...match, seen, placed: placed.slice(0, 3) });
    assert.deepEqual(told(await verify(bundle, { policy: log.policy(QUORUM) })), ["pending", null, "not_closed", null], `${size}`);
  }
});

test("a policy that knows another log, or only the receipts key", async () => {
  const match = await logged("resigned");
  const bundle = await bundleOf(match);
  for (const policy of [match.log.policy(QUORUM, [await signingKey("another log")]), match.table.policy()]) {
    const report = await verify(bundle, { policy });
    assert.deepEqual(told(report), ["unchecked", 1, "unknown_key", null]);
    assert.deepEqual(report.log, { cosignatures: 0, size: match.log.entries.length });
    assert.equal(report.counts.signatures, 0);
  }
  const bare = await match.table.bundle();
  assert.deepEqual(told(await verify(bare, { policy: match.log.policy(QUORUM) })), ["unchecked", 1, "unknown_key", null]);
});

test("the quorum decides which cosignatures are enough", async () => {
  const match = await logged("seed");
  const bundle = await bundleOf(match);
  const anchor = async (/** @type {string} */ rest) => (await verify(bundle, { policy: match.log.policy(rest) })).anchor;
  assert.equal(await anchor("quorum a"), "witnesses");
  assert.equal(await anchor("quorum c"), null);
  assert.equal(await anchor("group g all a b c\nquorum g"), null);
  assert.equal(await anchor("group g 2 b c\ngroup h any g a\nquorum h"), "witnesses");
});

test("a log key that was rotated", async () => {
  const match = await logged("resigned");
  const { log, table } = match;
  const before = await logLine(match, 7);
  const old = log.key;
  log.key = await signingKey("log, the second key");
  const bundle = await bundleOf(match);
  const held = await table.held(0, table.views[0], [before]);
  assert.deepEqual(told(await verify(bundle, { policy: log.policy(QUORUM, [old, log.key]), held })), VERIFIED);
  assert.deepEqual(told(await verify(bundle, { policy: log.policy(QUORUM, [log.key]), held })), ["altered", 3, "held_log", null]);
  assert.deepEqual(told(await verify(bundle, { policy: log.policy(QUORUM, [old]), held })), ["unchecked", 1, "unknown_key", null]);
});

test("headers that are none", async () => {
  const match = await logged("resigned");
  const wrong = /** @type {((part: any) => unknown)[]} */ ([
    (part) => delete part.checkpoint,
    (part) => delete part.consistency,
    (part) => (part.leaves = []),
    (part) => part.leaves.shift(),
    (part) => part.leaves.reverse(),
    (part) => part.leaves.splice(1, 1, part.leaves[0]),
    (part) => (part.leaves[0].index = -1),
    (part) => (part.leaves[0].leaf.size = 1),
    (part) => (part.leaves[0].proof = Array(64).fill("00".repeat(32))),
    (part) => (part.leaves[0].proof[0] = "AB".repeat(32)),
    (part) => (part.leaves[2].leaf.size = 0),
    (part) => (part.leaves[3].leaf.outcome = "void"),
    (part) => (part.leaves[3].leaf.seats = [0]),
    (part) => (part.leaves[3].leaf.type = "ledger"),
    (part) => part.consistency.reverse(),
    (part) => (part.consistency[0].size = 0),
    (part) => (part.checkpoint = part.checkpoint.slice(0, -1)),
    (part) => (part.checkpoint = part.checkpoint.replace("\n\n", "\nmore\n\n")),
    (part) => (part.checkpoint += part.checkpoint.split("\n\n")[1].repeat(40)),
    (part) => (part.checkpoint += "\u2014 short.example AAAAAA==\n"),
  ]);
  for (const [number, spoil] of wrong.entries()) {
    const report = await verify(await bundleOf(match, spoil), { policy: match.log.policy(QUORUM) });
    assert.deepEqual(told(report), ["malformed", 0, "header", null], `fault ${number}`);
    assert.equal(report.log, null);
  }
  const long = await bundleOf(match, (part) => (part.checkpoint += "x".repeat(65_536)));
  assert.deepEqual(told(await verify(long)), ["malformed", 0, "size", null]);
});

/** A signature line with one bit of its last part flipped. @param {string} note @param {number} number of the line */
function flipped(note, number) {
  const [text, signed] = note.split("\n\n");
  const lines = signed.split("\n");
  const [dash, name, base64] = lines[number].split(" ");
  const bytes = Buffer.from(base64, "base64");
  bytes[bytes.length - 40] ^= 1;
  lines[number] = [dash, name, bytes.toString("base64")].join(" ");
  return `${text}\n\n${lines.join("\n")}`;
}

/** Faults of step 1. @type {Record<string, [(part: any, match: Logged) => unknown, any[]]>} */
const CHECKPOINTS = {
  "a log's signature that is wrong": [(part) => (part.checkpoint = flipped(part.checkpoint, 0)), ["altered", 1, "checkpoint", null]],
  "a cosignature that is wrong": [(part) => (part.checkpoint = flipped(part.checkpoint, 2)), ["altered", 1, "checkpoint", null]],
  "a line twice": [(part) => (part.checkpoint += `${part.checkpoint.split("\n\n")[1].split("\n")[1]}\n`), ["altered", 1, "checkpoint", null]],
  "a line of a known key that is too short": [
    (part, { log }) => (part.checkpoint += line("w2.example", log.witnesses[2], 4, new Uint8Array(64))),
    ["altered", 1, "checkpoint", null],
  ],
  "a checkpoint of another log": [
    async (part, { log }) => (part.checkpoint = await log.checkpoint(2, { origin: "other.example/log" })),
    ["altered", 1, "checkpoint", null],
  ],
  "lines of strangers": [(part) => (part.checkpoint += "\u2014 stranger AAAAAAA=\n"), VERIFIED],
  "no log key's line": [
    (part) => (part.checkpoint = part.checkpoint.replace(/\n\n[^\n]*\n/, "\n\n")),
    ["unchecked", 1, "unknown_key", null],
  ],
};

for (const [name, [spoil, expected]] of Object.entries(CHECKPOINTS)) {
  test(`the checkpoint: ${name}`, async () => {
    const match = await logged("seed");
    const report = await verify(await bundleOf(match, spoil), { policy: match.log.policy(QUORUM) });
    assert.deepEqual(told(report), expected);
    if (expected !== VERIFIED) assert.equal(report.counts.signatures, 0);
  });
}

test("the checkpoint: a cosignature at the last second there is, and after it", async () => {
  const match = await logged("seed");
  for (const [time, expected] of /** @type {[bigint, any[]][]} */ ([[2n ** 63n - 1n, VERIFIED], [2n ** 63n, ["altered", 1, "checkpoint", null]]])) {
    const spoil = async (/** @type {any} */ part) => {
      const witness = match.log.witnesses[2];
      const text = `${part.checkpoint.split("\n\n")[0]}\n`;
      const eight = Buffer.alloc(8);
      eight.writeBigUInt64BE(time);
      const signature = await witness.sign(Buffer.from(`cosignature/v1\ntime ${time}\n${text}`));
      part.checkpoint += line("w2.example", witness, 4, Buffer.concat([eight, signature]));
    };
    assert.deepEqual(told(await verify(await bundleOf(match, spoil), { policy: match.log.policy("quorum c") })), expected);
  }
});

test("a checkpoint by a listed key of another name", async () => {
  const match = await logged("seed");
  const { log, table } = match;
  const policy = Buffer.concat([log.policy(QUORUM, []), table.policy().subarray(0, -"quorum none\n".length)]);
  const spoil = async (/** @type {any} */ part) => {
    const text = part.checkpoint.split("\n\n")[0] + "\n";
    const signed = line(table.keyName, table.server, SIGNS, await table.server.sign(Buffer.from(text)));
    part.checkpoint = `${text}\n${signed}`;
  };
  assert.deepEqual(told(await verify(await bundleOf(match, spoil), { policy })), ["altered", 1, "checkpoint", null]);
});

test("the head: by another key than the one of `open`", async () => {
  const match = await logged("seed");
  const { table, log } = match;
  const size = table.events.length;
  const other = await table.receipt(size, table.roots[size], await signingKey("another server"));
  for (const policy of [log.policy(QUORUM), undefined]) {
    const report = await verify(await bundleOf(match, undefined, other), { policy });
    assert.deepEqual(told(report), [policy === undefined ? "unchecked" : "altered", 1, "head_signature", null]);
    assert.equal(report.log?.cosignatures, 0);
  }
});

/** Faults of step 2. @type {Record<string, [(part: any, match: Logged) => unknown, any[]]>} */
const PROOFS = {
  "a proof of another leaf": [(part) => (part.leaves[1].leaf.root = "00".repeat(32)), ["altered", 2, "inclusion", null]],
  "a proof of another index": [(part) => (part.leaves[1].index += 1), ["altered", 2, "inclusion", null]],
  "an index beyond the log": [(part) => (part.leaves[3].index = 1_000), ["altered", 2, "inclusion", null]],
  "a hash too many": [(part) => part.leaves[0].proof.push("00".repeat(32)), ["altered", 2, "inclusion", null]],
  "a hash too few": [(part) => part.leaves[0].proof.pop(), ["altered", 2, "inclusion", null]],
  "no `full`": [(part) => part.leaves.splice(1, 1), ["altered", 2, "leaf_missing", null]],
  "no `start`": [(part) => part.leaves.splice(2, 1), ["altered", 2, "leaf_missing", null]],
  "no `close`": [(part) => part.leaves.pop(), ["altered", 2, "leaf_missing", null]],
  "no consistency proof": [
    (part) => part.consistency.shift(),
    ["altered", 2, "consistency", (/** @type {Table} */ { events }) => events.findIndex(({ data }) => data.do?.join?.seen.size === 3)],
  ],
  "another consistency proof": [
    (part) => (part.consistency[1].proof[0] = "00".repeat(32)),
    ["altered", 2, "consistency", (/** @type {Table} */ { events }) => events.findIndex(({ data }) => data.do?.join?.seen.size === 5)],
  ],
  "a consistency proof that nobody needs": [(part) => part.consistency.push({ proof: [], size: 9 }), ["altered", 2, "consistency", null]],
};

for (const [name, [spoil, [verdict, step, cause, place]]] of Object.entries(PROOFS)) {
  test(`log proofs: ${name}`, async () => {
    const match = await logged("resigned");
    const bundle = await bundleOf(match, spoil);
    const where = typeof place === "function" ? place(match.table) : place;
    const report = await verify(bundle, { policy: match.log.policy(QUORUM) });
    assert.deepEqual(told(report), [verdict, step, cause, where]);
    assert.deepEqual(told(await verify(bundle)), ["unchecked", step, cause, where]);
    assert.deepEqual(report.checks.slice(0, 4).map(({ result }) => result), ["passed", "passed", "failed", "not run"]);
  });
}

test("log proofs: two seats that saw two logs of one size", async () => {
  const log = await Log.make();
  const seen = [log.seen(3), { ...log.seen(3), root: "00".repeat(32) }];
  const table = await play("resigned", 0, {}, "duel@1", seen);
  const match = { log, table, placed: log.take(leavesOf(table)), seen: [3] };
  const place = table.events.findIndex(({ data }) => data.do?.join?.seen.root === "00".repeat(32));
  assert.deepEqual(told(await verify(await bundleOf(match), { policy: log.policy(QUORUM) })), ["altered", 2, "consistency", place]);
});

test("a log that has a match out of order", async () => {
  const match = await logged("resigned", (leaves) => leaves.reverse());
  match.placed.reverse();
  const bundle = await bundleOf(match);
  assert.deepEqual(told(await verify(bundle, { policy: match.log.policy(QUORUM) })), ["cheated", 2, "log_order", null]);
  assert.deepEqual(told(await verify(bundle)), ["unchecked", 2, "log_order", null]);
});

const ZEROS = "00".repeat(32);

/** What the log says against the events: ending, the change of the honest leaves, and what is told. @type {Record<string, [string, (leaves: any[], table: Table) => any, any[]]>} */
const LEAVES = {
  "a leaf of another match": ["resigned", (leaves) => (leaves[1].m = "00".repeat(16)), ["altered", 2, "leaf", null, null]],
  "another event 0": ["resigned", (leaves) => (leaves[0].root = ZEROS), ["altered", 2, "leaf", 0, [0, 0]]],
  "another commitment": ["resigned", (leaves) => (leaves[0].commitment = ZEROS), ["cheated", 3, "leaf", 0, null]],
  "another table root": ["resigned", (leaves) => (leaves[1].root = ZEROS), ["cheated", 3, "leaf", 2, [1, 2]]],
  "a `full` of a table that was not": [
    "cancelled",
    (leaves, { m }) => leaves.splice(1, 0, { m, root: ZEROS, type: "full" }),
    ["cheated", 3, "leaf", 2, null],
  ],
  "a first deal elsewhere": ["resigned", (leaves) => (leaves[2].size += 1), ["cheated", 3, "leaf", 6, null]],
  "a first deal beyond the events": [
    "resigned",
    (leaves) => (leaves[2].size = 1_000),
    ["cheated", 3, "leaf", (/** @type {Table} */ { events }) => events.length, null],
  ],
  "a `start` of a match without a deal": [
    "seed",
    (leaves, { m }) => leaves.splice(2, 0, { m, root: ZEROS, size: 5, type: "start" }),
    ["cheated", 3, "leaf", 4, null],
  ],
  "another root at the first deal": ["resigned", (leaves) => (leaves[2].root = ZEROS), ["cheated", 3, "leaf", 5, [3, 5]]],
  "a close of fewer events": ["seed", (leaves) => (leaves[2].size -= 1), ["cheated", 3, "leaf", 9, null]],
  "a close of more events": ["seed", (leaves) => (leaves[2].size += 1), ["cheated", 3, "leaf", 10, null]],
  "a close of another root": ["seed", (leaves) => (leaves[2].root = ZEROS), ["cheated", 3, "leaf", 9, [3, 9]]],
  "another seed": ["seed", (leaves) => (leaves[2].server_seed = ZEROS), ["cheated", 3, "leaf", 8, null]],
  "another outcome": ["resigned", (leaves) => (leaves[3].outcome = "played"), ["cheated", 3, "leaf", (/** @type {Table} */ table) => placeOf(table, "end"), null]],
  "other seats without a seed": ["seed", (leaves) => (leaves[2].seats = [1]), ["cheated", 3, "leaf", 7, null]],
  "another cause": ["operator", (leaves) => (leaves[3].cause = "deal_limit"), ["cheated", 3, "leaf", (/** @type {Table} */ table) => placeOf(table, "end"), null]],
  "a loss of a match that ended": [
    "seed",
    (leaves, table) => leaves.splice(2, 1, lostClose(table)),
    ["cheated", 3, "leaf", 7, null],
  ],
};

for (const [name, [ending, spoil, [verdict, step, cause, place, suspects]]] of Object.entries(LEAVES)) {
  test(`leaves and events: ${name}`, async () => {
    const match = await logged(ending, (leaves, table) => void spoil(leaves, table));
    const report = await verify(await bundleOf(match), { policy: match.log.policy(QUORUM) });
    const where = typeof place === "function" ? place(match.table) : place;
    assert.deepEqual(told(report), [verdict, step, cause, where]);
    assert.deepEqual(report.suspects, suspects);
  });
}

test("a copy without its end beside a `close`", async () => {
  const match = await logged("resigned");
  match.table.events.splice(-3);
  const number = match.table.events.length;
  const bundle = await bundleOf(match);
  assert.deepEqual(told(await verify(bundle, { policy: match.log.policy(QUORUM) })), ["altered", 3, "events_missing", number]);
});

/** A match whose store was lost after so many events, all leaves but the end's in the log. @param {number} size @param {(close: any, table: Table) => unknown} [spoil] */
async function lost(size, spoil = () => {}) {
  const log = await Log.make();
  const table = await play("resigned", 0, {}, "duel@1", SEEN.map((each) => log.seen(each)));
  const whole = leavesOf(table);
  const later = structuredClone(table.views[0]);
  table.events = table.events.slice(0, size);
  await table.seal();
  const close = lostClose(table);
  spoil(close, table);
  const placed = log.take([...whole.slice(0, 3), close]);
  const seen = SEEN.filter((each) => table.events.some(({ data }) => data.do?.join?.seen.size === each));
  return { log, table, placed, seen, later };
}

test("a lost copy may stop anywhere", async () => {
  for (const size of [1, 2, 3, 4, 6, 9, 14]) {
    const match = await lost(size);
    const report = await verify(await bundleOf(match), { policy: match.log.policy(QUORUM), lang: "fr" });
    assert.deepEqual(told(report), VERIFIED, `${size} events`);
    assert.deepEqual(report.ending, { reason: "lost", winner: null });
    assert.match(report.sentence, /partie perdue avec le stockage du serveur, personne ne gagne/);
    assert.deepEqual(report.checks.map(({ result }) => result), STEPS.map(() => "passed"));
  }
});

test("a lost copy: later receipts are no fork, other ones are, and its own seed opens", async () => {
  const match = await lost(9);
  const { table, log, later } = match;
  const policy = log.policy(QUORUM);
  const bundle = await bundleOf(match);
  const honest = table.receipt.bind(table);
  table.receipt = (/** @type {number} */ size, root = table.roots[size] ?? ZEROS) => honest(size, root);
  assert.deepEqual(told(await verify(bundle, { policy, held: await table.held(0, later) })), VERIFIED);
  table.receipt = (/** @type {number} */ size, root = size === 3 ? ZEROS : (table.roots[size] ?? ZEROS)) => honest(size, root);
  assert.deepEqual(told(await verify(bundle, { policy, held: await table.held(0, later) })), ["cheated", 3, "fork", 2]);

  const spoiled = /** @type {[(close: any, table: Table) => unknown, any[]][]} */ ([
    [(close) => (close.server_seed = ZEROS), ["cheated", 5, "commitment", 9]],
    [(close) => (close.size += 1), ["altered", 3, "events_missing", 9]],
    [(close) => (close.size -= 1), ["altered", 3, "events_extra", 8]],
    [(close) => (close.root = ZEROS), ["cheated", 3, "leaf", 8]],
  ]);
  for (const [spoil, expected] of spoiled) {
    const other = await lost(9, spoil);
    assert.deepEqual(told(await verify(await bundleOf(other), { policy })), expected);
  }
});

test("a lost copy obeys the rules as far as it goes", async () => {
  const match = await lost(9, (close, table) => {
    // Sealed with another dealer: the log and every signature agree.
    find(table, "deal").data.dealer ^= 1;
  });
  const { table, log } = match;
  await table.seal();
  const placed = log.take([...leavesOf(table), lostClose(table)]);
  const bundle = await bundleOf({ ...match, placed });
  assert.deepEqual(told(await verify(bundle, { policy: log.policy(QUORUM) })), ["cheated", 7, "deal", 5]);
});

/** Faults of held log lines. @type {Record<string, [(match: Logged) => Promise<any>, any[]]>} */
const HELD = {
  "a signature that is wrong": [
    async (match) => {
      const spoiled = await logLine(match, 7);
      return { ...spoiled, checkpoint: flipped(spoiled.checkpoint, 0) };
    },
    ["altered", 3, "held_log", null],
  ],
  "a cosignature that is wrong": [
    async (match) => {
      const spoiled = await logLine(match, 7);
      return { ...spoiled, checkpoint: flipped(spoiled.checkpoint, 1) };
    },
    ["altered", 3, "held_log", null],
  ],
  "a key that the policy has not": [async (match) => logLine(match, 7, { key: await signingKey("stranger") }), ["altered", 3, "held_log", null]],
  "another origin": [async (match) => logLine(match, 7, { origin: "other.example/log" }), ["altered", 3, "held_log", null]],
  "a leaf that is not proven": [async (match) => ({ ...(await logLine(match, 7)), leaves: (await logLine(match, 8)).leaves }), ["altered", 3, "held_log", null]],
  "a leaf of another match": [
    async (match) => {
      const { log, placed } = match;
      const leaf = { ...placed[0].leaf, m: "00".repeat(16) };
      return logLine({ ...match, placed: log.take([leaf]) }, log.entries.length);
    },
    ["altered", 3, "held_log", null],
  ],
};

for (const [name, [spoil, expected]] of Object.entries(HELD)) {
  test(`held log lines: ${name}`, async () => {
    const match = await logged("resigned");
    const { log, table } = match;
    const bundle = await bundleOf(match);
    const held = await table.held(0, table.views[0], [await spoil(match)]);
    const report = await verify(bundle, { policy: log.policy(QUORUM), held });
    assert.deepEqual(told(report), expected);
    // The receipts of a step that failed are not counted.
    assert.equal(report.counts.signatures, 4);
    assert.deepEqual(told(await verify(bundle, { policy: log.policy(QUORUM), held, signatures: "last" })), expected);
    assert.deepEqual(told(await verify(bundle, { held })), ["unchecked", 1, "no_policy", null]);
    // A bundle without a log has nothing to compare them with.
    assert.deepEqual(told(await verify(await table.bundle(), { policy: table.policy(), held })), VERIFIED);
  });
}

/** Another history of the log, in which the match's leaves are changed. @param {Logged} match @param {(leaves: any[], log: Log) => any[] | void} spoil */
async function otherHistory(match, spoil) {
  const log = await Log.make();
  const leaves = structuredClone(match.placed.map(({ leaf }) => leaf));
  const placed = log.take(spoil(leaves, log) ?? leaves);
  return { log, placed };
}

test("held log lines: another history is a fork of the log", async () => {
  const match = await logged("resigned");
  const { log, table } = match;
  const policy = log.policy(QUORUM);
  const bundle = await bundleOf(match);
  const fork = ["cheated", 3, "log_fork", null];
  const judged = async (/** @type {any} */ given) => told(await verify(bundle, { policy, held: await table.held(0, table.views[0], [given]) }));

  // Of the same size with another root, though it has the same leaf.
  const twin = await otherHistory(match, (leaves) => leaves.slice(0, 1));
  while (twin.log.entries.length < log.entries.length) twin.log.push(match.placed[0].leaf);
  assert.deepEqual(await judged(await logLine({ ...match, ...twin }, log.entries.length)), fork);
  // Another size, and a leaf that differs in its bytes, or in its place.
  const bytes = await otherHistory(match, (leaves) => void (leaves[1].root = ZEROS));
  assert.deepEqual(await judged(await logLine({ ...match, ...bytes }, 8)), fork);
  const place = await otherHistory(match, (_, { entries }) => void entries.pop());
  assert.deepEqual(await judged(await logLine({ ...match, ...place }, 6)), fork);
});

test("held log lines: a leaf that the header has not is compared with the events", async () => {
  const match = await logged("resigned");
  const { log, table, placed } = match;
  const policy = log.policy(QUORUM);
  const full = structuredClone(table.events);
  const cut = async (/** @type {number} */ size, /** @type {any[]} */ held, /** @type {number} */ shown) => {
    table.events = full.slice(0, size);
    const bundle = await bundleOf({ ...match, placed: placed.slice(0, shown) });
    return told(await verify(bundle, { policy, held: await table.held(0, [], held) }));
  };
  const honest = await logLine(match, log.entries.length);
  // The close of a match that goes on in the copy is what `altered` would say, and accuses nobody.
  assert.deepEqual(await cut(full.length - 3, [honest], 3), ["pending", null, "not_closed", null]);
  assert.deepEqual(await cut(3, [honest], 1), ["pending", null, "not_closed", null]);
  for (const [which, at, expected] of /** @type {[number, string, any[]][]} */ ([
    [1, "root", ["cheated", 3, "log_fork", 2]],
    [2, "root", ["cheated", 3, "log_fork", 5]],
  ])) {
    const other = await otherHistory(match, (leaves) => void (leaves[which][at] = ZEROS));
    assert.deepEqual(await cut(8, [await logLine({ ...match, ...other }, 12)], which), expected);
  }
});

test("held log lines may be long, other lines not; a line of neither form is wrong usage", async () => {
  const match = await logged("resigned");
  const { log, table } = match;
  const bundle = await bundleOf(match);
  const policy = log.policy(QUORUM);
  const good = await logLine(match, 7);
  // Lines of strangers fill the checkpoint up; they are not looked at.
  const long = { ...good, checkpoint: good.checkpoint + `\u2014 ${"s".repeat(250)} ${Buffer.alloc(150).toString("base64")}\n`.repeat(60) };
  assert.ok(encode(long).length > 16_384 && encode(long).length < 65_536);
  assert.deepEqual(told(await verify(bundle, { policy, held: await table.held(0, table.views[0], [long]) })), VERIFIED);
  const wrong = [
    { ...good, checkpoint: good.checkpoint + `\u2014 s ${Buffer.alloc(15_000).toString("base64")}\n`.repeat(4) },
    { ...good, leaves: [] },
    { ...good, leaves: good.leaves.map((each) => ({ ...each, leaf: { ...each.leaf, type: "full" } })) },
    { ...good, checkpoint: "no note" },
    { ...good, consistency: [] },
  ];
  for (const given of wrong) await assert.rejects(async () => verify(bundle, { policy, held: await table.held(0, table.views[0], [given]) }), UsageError);
});

test("what a seat says it saw of the log has its form, and no log part is needed to say it", async () => {
  const seen = { root: ZEROS, size: 7 };
  const table = await play("cancelled", 0, {}, "duel@1", [undefined, seen]);
  const text = Buffer.from(await table.bundle()).toString();
  assert.deepEqual(told(await verify(Buffer.from(text), { policy: table.policy() })), ["unchecked", null, "no_anchor", null]);
  for (const other of [{ root: ZEROS, size: 0 }, { root: "00", size: 7 }, { root: ZEROS, size: -1 }, { root: ZEROS }]) {
    const changed = Buffer.from(text.replace(encode(seen), encode(other)));
    assert.deepEqual(told(await verify(changed)), ["malformed", 0, "schema", 1]);
  }
});
