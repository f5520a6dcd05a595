import assert from "node:assert/strict";
import { test } from "node:test";
import { settleLines } from "../src/settlement.js";
import { UsageError, verify } from "../src/verify.js";
import { play } from "./builder.js";
import { find, told, verifySealed } from "./judging.js";

/** @typedef {import("./builder.js").Table} Table */

const scoresOf = (/** @type {Table} */ table) => table.events.filter(({ type }) => type === "score").map(({ data }) => data);

/** The first match of a game that goes on after a deal with this outcome. @param {string} id @param {string} outcome @returns {Promise<Table>} */
async function playPast(id, outcome) {
  for (let number = 0; number < 100; number++) {
    const table = await play("target", number, {}, id);
    if (scoresOf(table).slice(0, -1).some((score) => score.outcome === outcome)) return table;
  }
  throw new Error(`no match of ${id} goes on after ${outcome}`);
}

for (const [id, outcome] of [
  ["classique@1", "capot"],
  ["classique@1", "void"],
  ["annonces@1", "void"],
  ["annonces@1", "litige"],
  ["coinche@1", "void"],
  ["coinche@1", "made+capot"],
]) {
  test(`a match of ${id} goes on after ${outcome}`, async () => {
    const table = await playPast(id, outcome);
    const report = await verify(await table.bundle(), { policy: table.policy(), held: await table.held(3) });
    assert.deepEqual(told(report), ["verified", null, null, null]);
  });
}

for (const [id, least] of /** @type {[string, number][]} */ ([["classique@1", 162], ["annonces@1", 160]])) {
  test(`a litige of ${id} waits, and comes back to the next winner`, async () => {
    const table = await playPast(id, "litige");
    assert.equal((await verifySealed(table)).cause, "no_anchor");
    const scores = scoresOf(table);
    const litige = scores.findIndex(({ outcome }) => outcome === "litige");
    const played = scores.slice(litige + 1).find(({ outcome }) => outcome !== "void");
    assert.ok(scores[litige].pot >= 81);
    assert.equal(played.pot, 0);
    assert.ok(played.marks[0] + played.marks[1] >= least + scores[litige].pot);

    scores[litige].pot = 0;
    const place = table.events.findIndex(({ data }) => data === scores[litige]);
    assert.deepEqual(told(await verifySealed(table)), ["cheated", 9, "score", place]);
  });
}

/** @param {(event: any) => boolean} wanted */
const first = (wanted) => (/** @type {Table} */ table) => table.events.find(wanted);
const doing = (/** @type {string} */ name) => first(({ data }) => data.do?.[name] !== undefined);
const bidding = (/** @type {string} */ word) => first(({ data }) => data.do?.bid === word);
const contract = first(({ data }) => data.do?.bid?.suit !== undefined);
const typed = (/** @type {string} */ type) => first((event) => event.type === type);

/** Puts an event in before another. @param {Table} table @param {any} before @param {any} event */
function insert(table, before, event) {
  table.events.splice(table.events.indexOf(before), 0, { by: -1, n: 0, t: before.t, ...event });
}

/** @param {Table} table @param {any} event */
const remove = (table, event) => table.events.splice(table.events.indexOf(event), 1);

/** The first card of a deal, which a seat leads. */
const lead = doing("card");

/** By name: game, ending, number, where the fault is, what it is, and what is told at that place. @type {Record<string, [string, string, number, (table: Table) => any, (event: any, table: Table) => void, any[]]>} */
const FAULTS = {
  "a target of the duel": ["classique@1", "seed", 0, typed("open"), ({ data }) => (data.ruleset.options.target = 301), ["malformed", 0, "schema"]],
  "an option of another game": ["classique@1", "seed", 0, typed("open"), ({ data }) => (data.ruleset.options.scoring = "faits"), ["malformed", 0, "schema"]],
  "no scoring": ["coinche@1", "seed", 0, typed("open"), ({ data }) => delete data.ruleset.options.scoring, ["malformed", 0, "schema"]],
  "two seats": ["coinche@1", "seed", 0, typed("open"), ({ data }) => (data.seats = 2), ["malformed", 0, "schema"]],
  "a stake with announcements": ["annonces@1", "seed", 0, typed("open"), ({ data }) => (data.stake = 1), ["malformed", 0, "schema"]],
  "a pot beyond the integers": ["coinche@1", "seed", 0, typed("open"), ({ data }) => (data.stake = 2 ** 51), ["malformed", 0, "schema"]],
  "a turned card in the coinche": ["coinche@1", "resigned", 0, typed("deal"), ({ data }) => (data.turned = "S7"), ["malformed", 0, "schema"]],
  "no turned card": ["classique@1", "resigned", 0, typed("deal"), ({ data }) => delete data.turned, ["malformed", 0, "schema"]],
  "a take in the coinche": ["coinche@1", "resigned", 0, bidding("pass"), ({ data }) => (data.do = { bid: "take" }), ["malformed", 0, "schema"]],
  "a coinche elsewhere": ["annonces@1", "resigned", 0, bidding("pass"), ({ data }) => (data.do = { bid: "coinche" }), ["malformed", 0, "schema"]],
  "a bid of 85": ["coinche@1", "target", 0, contract, ({ data }) => (data.do.bid.value = 85), ["malformed", 0, "schema"]],
  "a declare elsewhere": ["classique@1", "target", 0, lead, ({ data }) => (data.do = { declare: true }), ["malformed", 0, "schema"]],
  "a declare that says belote": ["annonces@1", "target", 0, doing("declare"), ({ data }) => (data.says = "belote"), ["malformed", 0, "schema"]],
  "a show elsewhere": ["classique@1", "target", 0, lead, (event, t) => insert(t, event, { type: "show", data: { announcements: [] } }), ["malformed", 0, "schema"]],
  "a show of two cards": ["annonces@1", "target", 0, typed("show"), ({ data }) => (data.announcements = [{ cards: ["S7", "S8"], seat: 0 }]), ["malformed", 0, "schema"]],
  "a litige in the coinche": ["coinche@1", "target", 0, typed("score"), ({ data }) => (data.outcome = "litige"), ["malformed", 0, "schema"]],
  "no pot": ["annonces@1", "target", 0, typed("score"), ({ data }) => delete data.pot, ["malformed", 0, "schema"]],
  "marks of four": ["classique@1", "target", 0, typed("score"), ({ data }) => data.marks.push(0, 0), ["malformed", 0, "schema"]],
  "three lines of seats": ["classique@1", "target", 0, typed("settle"), ({ data }) => data.lines.splice(1, 1), ["malformed", 0, "schema"]],

  "a card out of turn": ["classique@1", "target", 0, lead, (event) => (event.by = (event.by + 2) % 4), ["cheated", 8, "turn"]],
  "no higher bid": ["coinche@1", "target", 2, contract, (event, t) => insert(t, event, { type: "act", by: event.by, data: { do: event.data.do } }), ["cheated", 8, "turn", 1]],
  "a coinche over nothing": ["coinche@1", "target", 0, doing("bid"), ({ data }) => (data.do = { bid: "coinche" }), ["cheated", 8, "illegal"]],
  "a surcoinche over no coinche": ["coinche@1", "target", 0, bidding("coinche"), ({ data }) => (data.do = { bid: "surcoinche" }), ["cheated", 8, "illegal"]],
  "a contract not doubled": ["coinche@1", "target", 0, typed("score"), ({ data }) => (data.contract.double = 1), ["cheated", 9, "score"]],
  "announcements of nobody": ["annonces@1", "target", 0, typed("score"), ({ data }) => (data.announcements = [0, 0]), ["cheated", 9, "score"]],
  "a pack that was shuffled": ["annonces@1", "target", 0, (t) => find(t, "deal", 1), ({ data }) => (data.turned = data.turned === "S7" ? "S8" : "S7"), ["cheated", 7, "deal"]],
  "no show": ["annonces@1", "target", 0, typed("show"), (event, t) => remove(t, event), ["cheated", 8, "order"]],
  "a show of nothing": ["annonces@1", "target", 0, typed("show"), ({ data }) => (data.announcements = []), ["cheated", 9, "show"]],
  "a show at another time": ["annonces@1", "target", 0, typed("show"), (event) => (event.t += 1), ["cheated", 8, "clock"]],
  "a show too early": ["annonces@1", "target", 0, lead, (event, t) => insert(t, event, { type: "show", data: { announcements: [] } }), ["cheated", 8, "order"]],
  "a second declare": ["annonces@1", "target", 0, doing("declare"), (event, t) => insert(t, event, structuredClone(event)), ["cheated", 8, "illegal", 1]],
  "a declare in the auction": ["annonces@1", "target", 0, bidding("pass"), ({ data }) => (data.do = { declare: true }), ["cheated", 8, "illegal"]],
  "a declare after the deadline": ["annonces@1", "target", 0, doing("declare"), (event) => (event.t += 60_000), ["cheated", 8, "clock"]],
  "a show that a declare brings too late": ["annonces@1", "target", 0, typed("show"), (event, t) => insert(t, event, { type: "act", by: 0, data: { do: { declare: true } } }), ["cheated", 8, "order"]],
  "the odd unit for the other seat": ["classique@1", "target", 1, typed("settle"), oddUnit, ["cheated", 10, "settle"]],
  "the winner of the other side": ["classique@1", "resigned", 0, typed("end"), ({ data }) => (data.winner = 1 - data.winner), ["cheated", 9, "end"]],
  "a side that is not complete": ["classique@1", "no_seed", 0, typed("end"), ({ data }) => (data.winner = 1), ["cheated", 9, "end"]],
  "an outage before the decision": ["classique@1", "resigned", 0, bidding("pass"), outageBefore, ["cheated", 8, "resume"]],
};

/** @param {any} event */
function oddUnit({ data }) {
  const [low, high] = data.lines.filter((/** @type {any} */ { account, amount }) => account.startsWith("seat:") && amount > 0);
  [low.amount, high.amount] = [high.amount, low.amount];
  assert.equal(high.amount - low.amount, 1);
}

/** @param {any} event @param {Table} table */
function outageBefore(event, table) {
  const { t } = find(table, "deal");
  insert(table, event, { type: "resume", data: { from: t - 9_001, to: t - 1 } });
}

for (const [name, [id, ending, number, where, spoil, expected]] of Object.entries(FAULTS)) {
  test(`a fault in ${id}: ${name}`, async () => {
    const table = await play(ending, number, {}, id);
    const event = where(table);
    const place = table.events.indexOf(event);
    spoil(event, table);
    const [verdict, step, cause, later = 0] = expected;
    assert.deepEqual(told(await verifySealed(table)), [verdict, step, cause, place + later]);
  });
}

test("a resume that began before the decision and ended in it", async () => {
  const table = await play("resigned", 0, {}, "classique@1");
  const { t } = find(table, "deal");
  insert(table, bidding("pass")(table), { type: "resume", t, data: { from: t - 9_001, to: t } });
  assert.equal((await verifySealed(table)).verdict, "unchecked");
});

test("two winners, four stakes: the odd unit goes to the lower seat", () => {
  const open = { seats: 4, stake: 1_001, fees: { commission_bp: 500, commission_cap: 9_999, tax_bp: 100, tax_base: "commission" } };
  const amounts = (/** @type {string} */ reason, /** @type {number | null} */ winner, stake = open.stake) =>
    settleLines({ ...open, stake }, { reason, winner }).map(({ amount }) => amount);
  assert.deepEqual(amounts("target", 1), [-4_004, 0, 1_901, 0, 1_901, 200, 2]);
  assert.deepEqual(amounts("resigned", 0, 1_010), [-4_040, 1_918, 0, 1_918, 0, 202, 2]);
  assert.deepEqual(amounts("overruns", 0, 1_005), [-4_020, 1_909, 0, 1_908, 0, 201, 2]);
  assert.deepEqual(amounts("seed", 1), [-4_004, 0, 2_002, 0, 2_002, 0, 0]);
  assert.deepEqual(amounts("void", null), [-4_004, 1_001, 1_001, 1_001, 1_001, 0, 0]);
});

test("a held file of a seat that the table has not", async () => {
  const duel = await play("resigned");
  const four = await play("resigned", 0, {}, "coinche@1");
  const text = new TextDecoder().decode(await duel.held(1)).replace('"seat":1}\n', '"seat":3}\n');
  const held = new TextEncoder().encode(text);
  await assert.rejects(verify(await duel.bundle(), { policy: duel.policy(), held }), UsageError);
  assert.equal((await verify(await four.bundle(), { policy: four.policy(), held: await four.held(3) })).verdict, "verified");
  assert.ok(four.views.flat().some(({ legal }) => legal.length === 49));
});

test("the sentence names both winners", async () => {
  const table = await play("resigned", 0, {}, "coinche@1");
  const { winner } = find(table, "end").data;
  const bundle = await table.bundle();
  assert.match((await verify(bundle, { lang: "en" })).sentence, new RegExp(`seats ${winner} and ${winner + 2} win;`));
  assert.match((await verify(bundle, { lang: "fr" })).sentence, new RegExp(`les joueurs des sièges ${winner} et ${winner + 2} gagnent ;`));
});
