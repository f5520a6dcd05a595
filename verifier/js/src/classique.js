/** Ruleset `classique@1` (protocol 4.2 and 4.3): a turned card, and a pot of litiges. */

import { isCard, SUITS, suitOf } from "./cards.js";
import { belotes, FourDeal, fullTotals, SEATS, seatsFrom, sideOf, TARGETS, TRICKS } from "./four.js";
import { natural, object, oneOf } from "./shape.js";

const CAPOT_MARKS = 252;
const DEDANS_MARKS = 162;

/** @typedef {import("./four.js").Played} Played */
/** @typedef {import("./four.js").Duties} Duties */

/**
 * The marks of a deal that was played, and the pot after it.
 * @param {Played} played @param {number} waiting the pot before @param {number} [dedans] what the defence marks then
 * @returns {{outcome: string, marks: number[], pot: number}}
 */
export function dealScore(played, waiting, dedans = DEDANS_MARKS) {
  const { tricks, belote, announcements = [0, 0] } = played;
  const taker = sideOf(played.taker);
  const defence = 1 - taker;
  const full = fullTotals(played);
  const transferred = announcements[0] + announcements[1];
  /** @type {(outcome: string, winner: number, marks: number[], more: number) => ReturnType<typeof dealScore>} */
  const won = (outcome, winner, marks, more) => ({
    outcome,
    marks: marks.map((mark, side) => (side === winner ? mark + more + waiting : mark)),
    pot: 0,
  });
  const capot = tricks.indexOf(TRICKS);
  if (capot >= 0) return won("capot", capot, belotes(belote), CAPOT_MARKS + transferred);
  if (full[taker] > full[defence]) return won("made", taker, full, 0);
  if (full[taker] < full[defence]) return won("dedans", defence, belotes(belote), dedans + transferred);
  return { outcome: "litige", marks: full.map((mark, side) => (side === taker ? 0 : mark)), pot: waiting + full[taker] };
}

/** A deal with a turned card. */
export class ClassiqueDeal extends FourDeal {
  #passes = 0;

  /** @param {number[]} deck 32 card numbers @param {number} dealer @param {number} [pot] what waits from earlier litiges @param {Duties} [duties] */
  constructor(deck, dealer, pot = 0, duties = { risesOverPartner: false, underRuffs: true }) {
    super(dealer, duties);
    this.pot = pot;
    this.stock = [...deck];
    for (const each of [3, 2]) this.give(this.stock, each);
    this.turned = /** @type {number} */ (this.stock.shift());
  }

  /** @override */
  bids() {
    const words = this.#passes < SEATS ? ["take"] : SUITS.filter((_, suit) => suit !== suitOf(this.turned));
    return ["pass", ...words];
  }

  /** @override @param {string} word */
  speak(word) {
    const seat = /** @type {number} */ (this.turn);
    if (word === "pass") {
      this.#passes += 1;
      this.turn = this.#passes === 2 * SEATS ? null : (seat + 1) % SEATS;
      return;
    }
    this.taker = seat;
    this.trump = word === "take" ? suitOf(this.turned) : SUITS.indexOf(word);
    this.hands[seat].push(this.turned);
    for (const each of seatsFrom(this.first)) this.hands[each].push(...this.stock.splice(0, each === seat ? 2 : 3));
    this.turn = this.first;
  }

  /** The members of `score` that the deals so far decide, once this one is complete. */
  result() {
    const { taker, points, tricks, belote, pot } = this;
    if (taker === null) return { taker, points, tricks, belote, outcome: "void", marks: [0, 0], pot };
    return { taker, points, tricks, belote, ...dealScore({ taker, points, tricks, belote }, pot) };
  }
}

/** @type {import("./games.js").Game} */
export const CLASSIQUE = {
  seats: SEATS,
  options: object({ target: oneOf(...TARGETS) }),
  bid: oneOf("pass", "take", ...SUITS),
  deal: { turned: isCard },
  outcomes: ["made", "dedans", "capot", "litige", "void"],
  score: { pot: natural },
  next: ({ shuffle, number, dealer, previous }) =>
    new ClassiqueDeal(shuffle.deck(number), dealer, previous?.result().pot),
};
