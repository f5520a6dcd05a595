/** Ruleset `coinche@1` (protocol 4.2 and 4.4): an auction of contracts, doubled by the other side. */

import { SUITS } from "./cards.js";
import { belotes, FourDeal, fullTotals, SEATS, sideOf, TARGETS, TRICKS } from "./four.js";
import { either, integer, object, oneOf } from "./shape.js";

const CAPOT = 250;
const VALUES = [80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, CAPOT];
const BIDS = VALUES.flatMap((value) => SUITS.map((suit) => ({ suit, value })));
const ALL_TRICKS_MARKS = 252;
const MARKS = 162;

/** The last bid. @typedef {{double: number, seat: number, suit: string, value: number}} Contract */
/** @typedef {import("./four.js").Played} Played */

/**
 * The marks of a deal that was played.
 * @param {Played} played @param {{double: number, value: number}} contract @param {string} scoring `faits` or `faits+demandés`
 * @returns {{outcome: string, marks: number[]}}
 */
export function dealScore(played, { double, value }, scoring) {
  const { tricks, belote } = played;
  const taker = sideOf(played.taker);
  const full = fullTotals(played);
  const capot = tricks[taker] === TRICKS;
  const holds = value === CAPOT ? capot : full[taker] >= value;
  const outcome = !holds ? "failed" : capot ? "made+capot" : "made";
  const bid = scoring === "faits" ? 0 : value;
  if (holds && double === 1) return { outcome, marks: full.map((mark, side) => (side === taker ? mark + bid : mark)) };
  const winner = holds ? taker : 1 - taker;
  const won = ((tricks[winner] === TRICKS ? ALL_TRICKS_MARKS : MARKS) + bid) * double;
  return { outcome, marks: belotes(belote).map((kept, side) => (side === winner ? kept + won : kept)) };
}

export class CoincheDeal extends FourDeal {
  /** @type {Contract | null} */
  contract = null;
  #passes = 0;

  /** @param {number[]} deck 32 card numbers @param {number} dealer @param {string} scoring */
  constructor(deck, dealer, scoring) {
    super(dealer, { risesOverPartner: false, underRuffs: true });
    this.scoring = scoring;
    const pack = [...deck];
    for (const each of [3, 2, 3]) this.give(pack, each);
  }

  /** @override */
  bids() {
    const { contract } = this;
    if (contract?.double === 2) return ["pass", "surcoinche"];
    const bids = contract === null ? BIDS : BIDS.filter(({ value }) => value > contract.value);
    const against = contract !== null && sideOf(contract.seat) !== sideOf(/** @type {number} */ (this.turn));
    return ["pass", ...bids, ...(against ? ["coinche"] : [])];
  }

  /** @override @param {string | {suit: string, value: number}} word */
  speak(word) {
    const seat = /** @type {number} */ (this.turn);
    const doubled = this.contract?.double === 2;
    this.#passes = word === "pass" ? this.#passes + 1 : 0;
    // Once doubled, the other side is skipped.
    this.turn = (seat + (doubled ? 2 : 1)) % SEATS;
    if (typeof word === "object") this.contract = { double: 1, seat, ...word };
    else if (word !== "pass") this.contract = { .../** @type {Contract} */ (this.contract), double: doubled ? 4 : 2 };
    if (this.contract === null) {
      if (this.#passes === SEATS) this.turn = null;
    } else if (word === "surcoinche" || this.#passes === (doubled ? 2 : 3)) {
      this.#begin(this.contract);
    }
  }

  /** @param {Contract} contract */
  #begin({ seat, suit }) {
    this.taker = seat;
    this.trump = SUITS.indexOf(suit);
    this.turn = this.first;
  }

  /** The members of `score` that the deal alone decides, once it is complete. */
  result() {
    const { taker, points, tricks, belote, contract } = this;
    if (taker === null || contract === null) return { taker, points, tricks, belote, outcome: "void", marks: [0, 0], contract };
    return { taker, points, tricks, belote, contract, ...dealScore({ taker, points, tricks, belote }, contract, this.scoring) };
  }
}

/** @type {import("./games.js").Game} */
export const COINCHE = {
  seats: SEATS,
  options: object({ scoring: oneOf("faits", "faits+demandés"), target: oneOf(...TARGETS) }),
  bid: either(
    oneOf("pass", "coinche", "surcoinche"),
    object({ suit: oneOf(...SUITS), value: oneOf(...VALUES) }),
  ),
  deal: {},
  outcomes: ["made", "made+capot", "failed", "void"],
  score: {
    contract: either(
      oneOf(null),
      object({ double: oneOf(1, 2, 4), seat: integer(0, SEATS - 1), suit: oneOf(...SUITS), value: oneOf(...VALUES) }),
    ),
  },
  next: ({ shuffle, number, dealer, options }) => new CoincheDeal(shuffle.deck(number), dealer, options.scoring),
};
