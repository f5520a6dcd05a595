import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../src/bytes.js";
import { beats, CARDS, cardNumber, cardPoints, SUITS } from "../src/cards.js";
import { Deal, dealScore, legalCards } from "../src/duel.js";
import { sha256 } from "../src/sha256.js";
import { deck, deckIndex, firstDealer, permutation } from "../src/shuffle.js";
import { vectors } from "./vectors.js";

const shuffle = vectors("shuffle");
/** @type {any[]} */
const cases = vectors("rules").cases.filter((/** @type {any} */ each) => each.ruleset === "duel");

/** @param {string} type @param {(given: any, expected: any) => void} check */
function testCases(type, check) {
  const chosen = cases.filter((each) => each.type === type);
  test(`rules cases: ${type}`, async (t) => {
    assert.ok(chosen.length > 0);
    for (const { id, given, expect } of chosen) await t.test(id, () => check(given, expect));
  });
}

const numbers = (/** @type {string[]} */ cards) => cards.map(cardNumber);
const actionOf = (/** @type {string} */ word) => (CARDS.includes(word) ? { card: word } : { bid: word });

test("permutations by index", () => {
  for (const { pack, index, deck: expected } of shuffle.permutations) {
    assert.deepEqual(permutation(BigInt(index), pack), expected, `${pack} ${index}`);
  }
});

test("whole derivations", () => {
  for (const each of shuffle.deals) {
    const serverSeed = fromHex(each.server_seed);
    const secrets = { serverSeed, tableRoot: fromHex(each.table_root), seeds: each.seat_seeds.map(fromHex) };
    assert.equal(toHex(sha256(serverSeed)), each.commitment);
    assert.equal(String(deckIndex(secrets, each.deal, each.pack)), each.index);
    assert.deepEqual(deck(secrets, each.deal, each.pack), each.deck);
    assert.equal(firstDealer(secrets), each.first_dealer);
  }
});

testCases("legal", ({ phase, trump, trick, hand }, { legal }) => {
  const led = trick.length === 0 ? null : cardNumber(trick[0][1]);
  const cards = legalCards(numbers(hand), { led, trump: SUITS.indexOf(trump), strict: phase === "strict" });
  assert.deepEqual(cards.map((card) => CARDS[card]), legal);
});

testCases("trick", ({ trump, trick: [[first, led], [second, card]] }, { winner, points }) => {
  const suit = SUITS.indexOf(trump);
  assert.equal(beats(cardNumber(card), cardNumber(led), suit) ? second : first, winner);
  if (points !== undefined) assert.equal(cardPoints(cardNumber(led), suit) + cardPoints(cardNumber(card), suit), points);
});

testCases("deal_score", ({ taker, points, tricks, belote = null }, { outcome, marks }) => {
  assert.deepEqual(dealScore({ taker, points, tricks, belote }), { outcome, marks });
});

testCases("replay", ({ deck: pack, dealer, actions }, expected) => {
  const deal = new Deal(numbers(pack), dealer);
  /** @type {any[]} */
  const announcements = [];
  for (const [seat, word] of actions) {
    assert.equal(deal.turn, seat);
    const action = actionOf(word);
    assert.ok(deal.legal().some((each) => JSON.stringify(each) === JSON.stringify(action)), word);
    const says = "card" in action ? deal.says(cardNumber(word)) : undefined;
    if (says !== undefined) announcements.push([seat, says, word]);
    deal.apply(action);
  }
  assert.equal(deal.turn, null);
  const { taker, points, tricks, outcome, marks } = deal.result();
  const found = { trump: SUITS[deal.trump] ?? null, taker, points, tricks, announcements, outcome, marks };
  for (const [name, value] of Object.entries(expected)) {
    if (name in found) assert.deepEqual(/** @type {any} */ (found)[name], value, name);
  }
});

/** @param {number[]} pack @param {number} dealer @param {any[]} done @param {number} depth @returns {number} */
function perft(pack, dealer, done, depth) {
  const deal = new Deal(pack, dealer);
  for (const action of done) deal.apply(action);
  const legal = deal.legal();
  if (depth === 1) return legal.length;
  return legal.reduce((sum, action) => sum + perft(pack, dealer, [...done, action], depth - 1), 0);
}

testCases("perft", ({ deck: pack, dealer, actions, depth }, { count }) => {
  const done = actions.map((/** @type {string[]} */ [, word]) => actionOf(word));
  assert.equal(perft(numbers(pack), dealer, done, depth), count);
});
