import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../src/bytes.js";
import { beats, CARDS, cardNumber, cardPoints, SUITS } from "../src/cards.js";
import { Deal, dealScore, legalCards } from "../src/duel.js";
import { sha256 } from "../src/sha256.js";
import { deck, deckIndex, firstDealer, permutation } from "../src/shuffle.js";
import { actionOf, numbers, perform, perft, testCases } from "./cases.js";
import { vectors } from "./vectors.js";

const shuffle = vectors("shuffle");
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

testCases(["duel"], "legal", ({ phase, trump, trick, hand }, { legal }) => {
  const led = trick.length === 0 ? null : cardNumber(trick[0][1]);
  const cards = legalCards(numbers(hand), { led, trump: SUITS.indexOf(trump), strict: phase === "strict" });
  assert.deepEqual(cards.map((card) => CARDS[card]), legal);
});

testCases(["duel"], "trick", ({ trump, trick: [[first, led], [second, card]] }, { winner, points }) => {
  const suit = SUITS.indexOf(trump);
  assert.equal(beats(cardNumber(card), cardNumber(led), suit) ? second : first, winner);
  if (points !== undefined) assert.equal(cardPoints(cardNumber(led), suit) + cardPoints(cardNumber(card), suit), points);
});

testCases(["duel"], "deal_score", ({ taker, points, tricks, belote = null }, { outcome, marks }) => {
  assert.deepEqual(dealScore({ taker, points, tricks, belote }), { outcome, marks });
});

testCases(["duel"], "replay", ({ deck: pack, dealer, actions }, expected) => {
  const deal = new Deal(numbers(pack), dealer);
  const { illegal, announced } = perform(deal, actions);
  assert.equal(illegal, null);
  assert.equal(deal.turn, null);
  const { taker, points, tricks, outcome, marks } = deal.result();
  const found = { trump: SUITS[deal.trump] ?? null, taker, points, tricks, announcements: announced, outcome, marks };
  for (const [name, value] of Object.entries(expected)) {
    if (name in found) assert.deepEqual(/** @type {any} */ (found)[name], value, name);
  }
});

testCases(["duel"], "perft", ({ deck: pack, dealer, actions, depth }, { count }) => {
  const done = actions.map((/** @type {string[]} */ [, word]) => actionOf(word));
  assert.equal(perft(() => new Deal(numbers(pack), dealer), done, depth), count);
});
