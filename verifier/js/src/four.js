/** What the games for four share (protocol 4.2). Cards are numbers; seats 0 ... 3, the side of a seat is seat mod 2. */

import { beats, BELOTE, beloteMate, CARDS, cardNumber, cardPoints, LAST_TRICK, names, sorted, suitOf } from "./cards.js";

export const SEATS = 4;
/** Points that win a match, of which the table chose one. */
export const TARGETS = [501, 1_001, 2_001];
/** Tricks of a deal. */
export const TRICKS = 8;
const CAPOT_BONUS = 90;

export const sideOf = (/** @type {number} */ seat) => seat % 2;

/** The four seats in turn, from this one on. @param {number} first */
export const seatsFrom = (first) => Array.from({ length: SEATS }, (_, i) => (first + i) % SEATS);

/** The options of a game's duties. @typedef {{risesOverPartner: boolean, underRuffs: boolean}} Duties */

/** Index of the card that holds a trick. @param {number[]} trick in the order played @param {number} trump */
export const holderOf = (trick, trump) =>
  trick.reduce((best, card, i) => (beats(card, trick[best], trump) ? i : best), 0);

/**
 * Cards of the hand whose turn it is, that may be played on a trick; in canonical order.
 * @param {number[]} hand @param {number[]} trick in the order played @param {number} trump @param {Duties} duties
 * @returns {number[]}
 */
export function legalCards(hand, trick, trump, { risesOverPartner, underRuffs }) {
  const cards = sorted(hand);
  if (trick.length === 0) return cards;
  const holder = holderOf(trick, trump);
  const partnerHolds = holder === trick.length - 2;
  const trumps = cards.filter((card) => suitOf(card) === trump);
  const over = trumps.filter((card) => beats(card, trick[holder], trump));
  const following = cards.filter((card) => suitOf(card) === suitOf(trick[0]));
  if (following.length > 0) {
    const rises = suitOf(trick[0]) === trump && (risesOverPartner || !partnerHolds);
    return rises && over.length > 0 ? over : following;
  }
  if (partnerHolds || trumps.length === 0) return cards;
  if (over.length > 0) return over;
  return underRuffs ? trumps : cards;
}

/** What a played deal comes to, `announcements` by side. @typedef {{taker: number, points: number[], tricks: number[], belote: number | null, announcements?: number[]}} Played */

/** What each side has for its belote. @param {number | null} belote */
export const belotes = (belote) => [0, 1].map((side) => (side === belote ? BELOTE : 0));

/** Full total of each side. @param {Played} played */
export const fullTotals = ({ points, tricks, belote, announcements = [0, 0] }) =>
  belotes(belote).map(
    (kept, side) => points[side] + kept + announcements[side] + (tricks[side] === TRICKS ? CAPOT_BONUS : 0),
  );

/**
 * One deal, from the pack to the last card. A game adds its dealing, `bids` and `speak`, which sets `taker` and `trump` when
 * the auction ends.
 */
export class FourDeal {
  /** @type {number[][]} by seat, in the order received */
  hands = [[], [], [], []];
  /** @type {number | null} the seat to speak or play; null when the deal is complete */
  turn;
  /** @type {number | null} */
  taker = null;
  /** @type {number} suit number, once there is a taker */
  trump = -1;
  /** @type {number | null} side that said belote */
  belote = null;
  points = [0, 0];
  tricks = [0, 0];
  /** @type {number[]} cards of the trick on the table, in the order played */
  trick = [];
  /** @type {{side: number, cards: number[]}[]} tricks in the order won */
  won = [];

  /** @param {number} dealer @param {Duties} duties */
  constructor(dealer, duties) {
    this.first = (dealer + 1) % SEATS;
    this.turn = this.first;
    this.duties = duties;
  }

  /** Cards from the top of the pack to each seat, from the first speaker on. @param {number[]} pack @param {number} each */
  give(pack, each) {
    for (const seat of seatsFrom(this.first)) this.hands[seat].push(...pack.splice(0, each));
  }

  /** The hand of a seat by name, in canonical order. @param {number} seat */
  hand(seat) {
    return names(this.hands[seat]);
  }

  /** The words of the seat on turn, in canonical order. @returns {any[]} */
  bids() {
    throw new Error("each game has its own auction");
  }

  /** @param {any} _word a member of `bids()` */
  speak(_word) {
    throw new Error("each game has its own auction");
  }

  /** What the seat on turn may do, in canonical order: the first is what a timeout does for it. @returns {any[]} */
  legal() {
    if (this.turn === null) return [];
    if (this.taker === null) return this.bids().map((bid) => ({ bid }));
    return legalCards(this.hands[this.turn], this.trick, this.trump, this.duties).map((card) => ({ card: CARDS[card] }));
  }

  /** What the seat on turn says with this card, or undefined. @param {number} card */
  says(card) {
    const seat = /** @type {number} */ (this.turn);
    const mate = beloteMate(card, this.trump);
    if (mate === undefined) return undefined;
    if (this.hands[seat].includes(mate)) return "belote";
    // Whoever announced held both, so the second of them is its own.
    return this.belote === null ? undefined : "rebelote";
  }

  /** Does what the seat on turn may do. @param {any} action a member of `legal()` */
  apply(action) {
    if (this.taker === null) this.speak(action.bid);
    else this.#play(cardNumber(action.card));
  }

  /** @param {number} card */
  #play(card) {
    const seat = /** @type {number} */ (this.turn);
    if (this.says(card) === "belote") this.belote = sideOf(seat);
    this.hands[seat].splice(this.hands[seat].indexOf(card), 1);
    this.trick.push(card);
    this.turn = (seat + 1) % SEATS;
    if (this.trick.length === SEATS) this.#gatherTrick();
  }

  /** The turn is back at the seat that led. */
  #gatherTrick() {
    const winner = (/** @type {number} */ (this.turn) + holderOf(this.trick, this.trump)) % SEATS;
    const side = sideOf(winner);
    this.won.push({ side, cards: this.trick });
    for (const card of this.trick) this.points[side] += cardPoints(card, this.trump);
    this.tricks[side] += 1;
    this.trick = [];
    const last = this.won.length === TRICKS;
    if (last) this.points[side] += LAST_TRICK;
    this.turn = last ? null : winner;
  }
}
