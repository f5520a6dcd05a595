import assert from "node:assert/strict";
import { test } from "node:test";
import { announcementsOf, counted } from "../src/announcements.js";
import { AnnoncesDeal, ANNONCES, cutPack, DEDANS_MARKS, DUTIES, gathered } from "../src/annonces.js";
import { CARDS, rankOf, RANKS, suitOf, SUITS } from "../src/cards.js";
import * as classique from "../src/classique.js";
import * as coinche from "../src/coinche.js";
import { legalCards } from "../src/four.js";
import { actionOf, allows, numbers, perform, perft, suitNumber, testCases } from "./cases.js";

const { ClassiqueDeal } = classique;
const { CoincheDeal } = coinche;
const GAMES = ["classique", "coinche", "coinche-demandes", "annonces"];
const NAMES = (/** @type {number[]} */ cards) => cards.map((card) => CARDS[card]);

/** @param {string} ruleset @param {number[]} pack @param {number} dealer @param {number} [pot] @returns {any} */
function dealOf(ruleset, pack, dealer, pot) {
  if (ruleset === "coinche") return new CoincheDeal(pack, dealer, "faits");
  if (ruleset === "coinche-demandes") return new CoincheDeal(pack, dealer, "faits+demandés");
  return ruleset === "annonces" ? new AnnoncesDeal(pack, dealer, pot) : new ClassiqueDeal(pack, dealer, pot);
}

/** A pack that makes this the turned card. @param {string} [turned] */
function packWith(turned = "HJ") {
  const others = CARDS.map((_, card) => card).filter((card) => CARDS[card] !== turned);
  return [...others.slice(0, 20), ...numbers([turned]), ...others.slice(20)];
}

/** The pack that gives these eight cards to each seat when the first speaker takes. @param {string[][]} hands @param {number} first */
function packOf(hands, first) {
  const seats = [0, 1, 2, 3].map((i) => numbers(hands[(first + i) % 4]));
  const part = (/** @type {number} */ from, /** @type {number} */ to) => seats.flatMap((hand) => hand.slice(from, to));
  const [taker, ...others] = seats;
  return [...part(0, 3), ...part(3, 5), ...taker.slice(5), ...others.flatMap((hand) => hand.slice(5))];
}

/** @type {Record<string, import("../src/four.js").Duties>} */
const DUTIES_OF = {
  classique: { risesOverPartner: false, underRuffs: true },
  "classique-ffb": { risesOverPartner: true, underRuffs: true },
  annonces: DUTIES,
};

testCases(["classique", "classique-ffb", "annonces"], "legal", ({ trump, trick, hand }, { legal }, ruleset) => {
  const played = numbers(trick.map((/** @type {any[]} */ [, card]) => card));
  assert.deepEqual(NAMES(legalCards(numbers(hand), played, suitNumber(trump), DUTIES_OF[ruleset])), legal);
});

testCases(GAMES, "auction", ({ actions, dealer, turnup, pot }, expected, ruleset) => {
  const deal = dealOf(ruleset, packWith(turnup), dealer, pot);
  const { illegal } = perform(deal, actions);
  if ("illegal_at" in expected) return assert.equal(illegal, expected.illegal_at);
  assert.equal(illegal, null);
  if (expected.void) {
    assert.equal(deal.turn, null);
    assert.equal(deal.taker, null);
    assert.equal((dealer + 1) % 4, expected.next_dealer);
    if (expected.pot_kept) assert.equal(deal.result().pot, pot);
    return;
  }
  const { contract } = deal;
  const doubles = { 1: undefined, 2: "coinche", 4: "surcoinche" };
  const found = /** @type {any} */ ({
    taker: deal.taker,
    trump: SUITS[deal.trump],
    leader: deal.turn,
    hands: deal.hands.map((/** @type {number[]} */ hand) => hand.length),
    turnup_owner: deal.hands.findIndex((/** @type {number[]} */ hand) => hand.includes(deal.turned)),
    contract: contract && `${contract.value === 250 ? "capot" : contract.value}${contract.suit}`,
    double: contract && /** @type {any} */ (doubles)[contract.double],
  });
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(found[name], value, name);
  if (contract && expected.double === undefined) assert.equal(contract.double, 1);
});

testCases(GAMES, "deal_layout", ({ deck, dealer, taker }, { hands, turned, hands_after_take }, ruleset) => {
  const deal = dealOf(ruleset, numbers(deck), dealer);
  assert.deepEqual(deal.hands.map(NAMES), hands);
  assert.equal(deal.turned === undefined ? null : CARDS[deal.turned], turned);
  if (hands_after_take === undefined) return;
  while (deal.turn !== taker) deal.apply({ bid: "pass" });
  deal.apply({ bid: "take" });
  assert.deepEqual(deal.hands.map(NAMES), hands_after_take);
});

testCases(["classique", "annonces", "annonces-ffb"], "deal_score", (given, expected, ruleset) => {
  const { taker, points, tricks, belote = null, annonces, pot = 0 } = given;
  const played = { taker, points, tricks, belote, announcements: annonces };
  const dedans = ruleset === "annonces" ? DEDANS_MARKS : undefined;
  assert.deepEqual(classique.dealScore(played, pot, dedans), expected);
});

testCases(["coinche", "coinche-demandes"], "deal_score", (given, { outcome, marks }, ruleset) => {
  const { taker, points, tricks, belote = null, bid, double } = given;
  const contract = { value: bid === "capot" ? 250 : bid, double: double === "surcoinche" ? 4 : double === "coinche" ? 2 : 1 };
  const scoring = ruleset === "coinche" ? "faits" : "faits+demandés";
  assert.deepEqual(coinche.dealScore({ taker, points, tricks, belote }, contract, scoring), { outcome, marks });
});

testCases(GAMES, "replay", ({ deck, dealer, actions, declare }, expected, ruleset) => {
  const deal = dealOf(ruleset, numbers(deck), dealer);
  const first = actions.findIndex((/** @type {string[]} */ [, word]) => CARDS.includes(word));
  for (const [index, action] of actions.entries()) {
    if (declare !== undefined && index >= first && deal.turn !== null && deal.mayDeclare(deal.turn)) deal.declare(deal.turn);
    assert.equal(perform(deal, [action]).illegal, null, action[1]);
  }
  assert.equal(deal.turn, null);
  const { taker, points, tricks, belote, announcements = [0, 0], outcome, marks, pot = 0 } = deal.result();
  const trump = SUITS[deal.trump] ?? null;
  assert.deepEqual({ taker, trump, points, tricks, belote_side: belote, annonces: announcements, outcome, marks, pot }, expected);
});

testCases(["classique", "coinche", "annonces"], "perft", ({ deck, dealer, actions, depth }, { count }, ruleset) => {
  const done = actions.map((/** @type {string[]} */ [, word]) => actionOf(word));
  assert.equal(perft(() => dealOf(ruleset, numbers(deck), dealer), done, depth), count);
});

const RUN_NAMES = ["", "", "", "tierce", "cinquante", "cent"];

/** @param {import("../src/announcements.js").Announcement} announcement */
function nameOf({ cards }) {
  if (suitOf(cards[0]) !== suitOf(cards[1])) return `carre ${RANKS[rankOf(cards[0])]}`;
  return `${RUN_NAMES[Math.min(cards.length, 5)]} ${SUITS[suitOf(cards[0])]} to ${RANKS[rankOf(cards[cards.length - 1])]}`;
}

testCases(["annonces"], "annonces_detect", ({ hand }, { total, annonces }) => {
  // Without a trump no run is of it.
  const found = announcementsOf(numbers(hand), -1);
  assert.equal(found.reduce((sum, { value }) => sum + value, 0), total);
  assert.deepEqual(found.map(nameOf).sort(), [...annonces].sort());
});

testCases(["annonces"], "annonces_compare", ({ hands, trump, declared = [true, true, true, true] }, { side, points }) => {
  const seats = [0, 1, 2, 3].filter((seat) => declared[seat]);
  const held = hands.map((/** @type {string[]} */ hand) => announcementsOf(numbers(hand), suitNumber(trump)));
  const shown = counted(held, seats);
  assert.deepEqual([...new Set(shown.map(({ seat }) => seat % 2))], side === null ? [] : [side]);
  const sums = [0, 0];
  for (const { seat, announcement } of shown) sums[seat % 2] += announcement.value;
  assert.deepEqual(sums, points);
});

testCases(["annonces"], "annonces_belote", ({ trump, hand }, expected) => {
  const found = announcementsOf(numbers(hand), suitNumber(trump));
  assert.equal(found.reduce((sum, { value }) => sum + value, 0), expected.annonces_total);
  const rest = CARDS.filter((card) => !hand.includes(card));
  const deal = new AnnoncesDeal(packOf([hand, rest.slice(0, 8), rest.slice(8, 16), rest.slice(16)], 0), 3);
  deal.apply({ bid: SUITS[suitOf(deal.turned)] === trump ? "take" : "pass" });
  for (let i = 0; i < 3 && deal.taker === null; i++) deal.apply({ bid: "pass" });
  if (deal.taker === null) deal.apply({ bid: trump });
  assert.equal(deal.says(numbers([hand[0]])[0]) === "belote", expected.belote);
  assert.equal(expected.total_if_best, expected.annonces_total + 20);
});

testCases(["annonces"], "annonces_timing", ({ events }, { valid }) => {
  // Seat 1 holds the tierce of the cases and the cards it plays; trump is in nobody's way.
  const plays = events.filter((/** @type {any[]} */ [what]) => what === "play");
  /** @type {string[][]} */
  const hands = [[], ["S7", "S8", "S9"], [], []];
  for (const [, seat, card] of plays) if (!hands[seat].includes(card)) hands[seat].push(card);
  const free = CARDS.filter((card) => !hands.flat().includes(card));
  for (const hand of hands) while (hand.length < 8) hand.push(/** @type {string} */ (free.shift()));
  const first = plays[0][1];
  const deal = new AnnoncesDeal(packOf(hands, first), (first + 3) % 4);
  deal.apply({ bid: "take" });
  const declares = () => deal.mayDeclare(1) && deal.declare(1) === undefined;
  let holds = true;
  for (const [what, seat, card] of events) {
    if (what === "trick") for (let i = 0; i < 4 * seat; i++) deal.apply(deal.legal()[0]);
    else if (what === "reveal") holds &&= deal.showDue;
    else if (what === "play" && allows(deal, { card }) && deal.turn === seat) deal.apply({ card });
    else if (what !== "play") holds &&= declares();
  }
  assert.equal(holds, valid);
});

testCases(["annonces"], "deck_cut", ({ deck, cut }, expected) => {
  assert.deepEqual(NAMES(cutPack(numbers(deck), cut)), expected.deck);
});

testCases(["annonces"], "deck_gather", ({ tricks, taker_side }, { order }) => {
  const won = tricks.map((/** @type {[number, string[]]} */ [side, cards]) => ({ side, cards: numbers(cards) }));
  assert.deepEqual(NAMES(gathered({ taker: taker_side, won, hands: [], first: 0, turned: 0, stock: [] })), order);
});

test("a void deal is gathered by seats, then the turned card and the stock", () => {
  const pack = packWith();
  const deal = new AnnoncesDeal(pack, 1);
  const expected = [2, 3, 0, 1].flatMap((seat) => deal.hands[seat]);
  for (let i = 0; i < 8; i++) deal.apply({ bid: "pass" });
  assert.deepEqual(gathered(deal), [...expected, ...pack.slice(20)]);
});

testCases(["annonces"], "deck_policy", ({ void_streak, deals = void_streak.map(() => "void") }, expected) => {
  const asked = /** @type {string[]} */ ([]);
  const shuffle = {
    deck: () => (asked.push("shuffle"), packWith()),
    cut: () => (asked.push("cut"), 10),
    firstDealer: () => 0,
  };
  /** @type {any} */
  let previous = null;
  const next = () => (previous = ANNONCES.next({ shuffle, number: 1, dealer: 0, options: {}, previous }));
  for (const kind of deals) {
    next();
    if (kind === "taken") previous.apply({ bid: "take" });
    while (previous.turn !== null) previous.apply(previous.legal()[0]);
  }
  const streak = previous.voidsSoFar;
  if (expected.streak !== undefined) assert.equal(streak, expected.streak);
  next();
  assert.deepEqual(asked.slice(1, -1), deals.slice(1).map(() => "cut"));
  assert.equal(asked.at(-1) === "shuffle", expected.shuffle);
  if (expected.streak_after !== undefined) assert.equal(previous.voids, expected.streak_after);
});

test("the show of a tie is empty, and once the first trick is complete nobody declares", () => {
  const hands = [
    ["SJ", "SQ", "SK", "H10", "D7", "DK", "CJ", "CQ"],
    ["SA", "H8", "H9", "HJ", "HQ", "HK", "D9", "CK"],
    ["S9", "HA", "D8", "D10", "DQ", "DA", "C9", "C10"],
    ["S7", "S8", "S10", "H7", "DJ", "C7", "C8", "CA"],
  ];
  const deal = new AnnoncesDeal(packOf(hands, 0), 3);
  deal.apply({ bid: CARDS[deal.turned][0] === "D" ? "take" : "pass" });
  for (let i = 0; i < 3 && deal.taker === null; i++) deal.apply({ bid: "pass" });
  if (deal.taker === null) deal.apply({ bid: "D" });
  assert.deepEqual(deal.legal().at(-1), { declare: true });
  assert.ok(!deal.mayDeclare(1));
  deal.declare(0);
  assert.ok(!deal.mayDeclare(0));
  deal.apply({ card: "SJ" });
  deal.declare(1);
  assert.equal(deal.legal().at(-1).declare, undefined);
  for (const card of ["SA", "S9", "S7"]) deal.apply({ card });
  assert.ok(!deal.showDue && ![0, 1, 2, 3].some((seat) => deal.mayDeclare(seat)));
  deal.apply(deal.legal()[0]);
  assert.ok(deal.showDue);
  assert.deepEqual(deal.shown(), []);
});

test("a carré may break a run: the highest sum is taken, of equal sums the carré", () => {
  const found = (/** @type {string[]} */ hand) => announcementsOf(numbers(hand), 0).map(nameOf);
  assert.deepEqual(found(["SA", "HA", "DA", "CA", "S10", "H10", "D10", "C10"]), ["carre A", "carre 10"]);
  assert.deepEqual(found(["S9", "S10", "SJ", "SQ", "SK", "HQ", "DQ", "CQ"]), ["carre Q", "tierce S to J"]);
  assert.deepEqual(found(["S10", "SJ", "SQ", "SK", "SA", "HQ", "DQ", "CQ"]), ["carre Q"]);
});

test("what counts is shown by seats, of one seat by the lowest card", () => {
  const held = [["HQ", "H10", "HK", "HJ", "S9", "S7", "S8", "DA"], [], ["D9", "D8", "D7", "CA", "CK", "CJ", "C8", "C7"], []];
  const shown = counted(held.map((hand) => announcementsOf(numbers(hand), 3)), [2, 0]);
  assert.deepEqual(
    shown.map(({ seat, announcement }) => [seat, NAMES(announcement.cards).join(" ")]),
    [[0, "S7 S8 S9"], [0, "H10 HJ HQ HK"], [2, "D7 D8 D9"]],
  );
});
