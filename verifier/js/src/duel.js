/** One deal of ruleset `duel@1` (protocol 4.1). Cards are numbers, seats 0 and 1; a seat is its own side. */

import { beats, BELOTE, beloteMate, CARDS, cardNumber, cardPoints, isCard, LAST_TRICK, names, sorted, SUITS, suitOf } from "./cards.js";
import { integer, object, oneOf } from "./shape.js";

const SEATS = 2;
const CAPOT_MARKS = 252;
const DEDANS_MARKS = 162;
const TRICKS = 16;

const other = (/** @type {number} */ seat) => 1 - seat;

/**
 * Cards of a hand that may be played, in canonical order.
 * @param {number[]} hand
 * @param {{led: number | null, trump: number, strict: boolean}} trick `strict` in the last seven tricks
 * @returns {number[]}
 */
export function legalCards(hand, { led, trump, strict }) {
  const cards = sorted(hand);
  if (led === null || !strict) return cards;
  const following = cards.filter((card) => suitOf(card) === suitOf(led));
  const over = suitOf(led) === trump ? following.filter((card) => beats(card, led, trump)) : [];
  const trumps = cards.filter((card) => suitOf(card) === trump);
  return [over, following, trumps, cards].find((choice) => choice.length > 0) ?? [];
}

/**
 * The marks of a deal that was played.
 * @param {{taker: number, points: number[], tricks: number[], belote: number | null}} played
 * @returns {{outcome: string, marks: number[]}}
 */
export function dealScore({ taker, points, tricks, belote }) {
  const kept = [0, 1].map((side) => (side === belote ? BELOTE : 0));
  const capot = tricks.findIndex((won, side) => won > 0 && tricks[other(side)] === 0);
  if (capot >= 0) return { outcome: "capot", marks: kept.map((mark, side) => mark + (side === capot ? CAPOT_MARKS : 0)) };
  const full = points.map((sum, side) => sum + kept[side]);
  if (full[taker] > full[other(taker)]) return { outcome: "made", marks: full };
  return { outcome: "dedans", marks: kept.map((mark, side) => mark + (side === taker ? 0 : DEDANS_MARKS)) };
}

/** The state of one deal, from the pack to the score. */
export class Deal {
  /** @type {number[][]} by seat, in the order received */
  hands = [[], []];
  /** @type {number | null} the seat to speak or play; null when the deal is complete */
  turn;
  /** @type {number | null} */
  taker = null;
  /** @type {number} suit number, once taken */
  trump = -1;
  /** @type {number | null} side that said belote */
  belote = null;
  points = [0, 0];
  tricks = [0, 0];
  #passes = 0;
  /** @type {number | null} */
  #led = null;

  /** @param {number[]} deck 32 card numbers @param {number} dealer */
  constructor(deck, dealer) {
    const first = other(dealer);
    this.hands[first] = [...deck.slice(0, 3), ...deck.slice(6, 9)];
    this.hands[dealer] = [...deck.slice(3, 6), ...deck.slice(9, 12)];
    this.turned = deck[12];
    this.stock = deck.slice(13);
    this.leader = first;
    this.turn = first;
  }

  get #playing() {
    return this.taker !== null;
  }

  /** The hand of a seat by name, in canonical order. @param {number} seat */
  hand(seat) {
    return names(this.hands[seat]);
  }

  /** What the seat on turn may do, in canonical order: the first is what a timeout does for it. @returns {any[]} */
  legal() {
    if (this.turn === null) return [];
    if (this.#playing) {
      const trick = { led: this.#led, trump: this.trump, strict: this.stock.length === 0 };
      return legalCards(this.hands[this.turn], trick).map((card) => ({ card: CARDS[card] }));
    }
    const words = this.#passes < 2 ? ["take"] : SUITS.filter((_, suit) => suit !== suitOf(this.turned));
    return ["pass", ...words].map((bid) => ({ bid }));
  }

  /** What the seat on turn says with this card, or undefined. @param {number} card */
  says(card) {
    const seat = /** @type {number} */ (this.turn);
    const mate = beloteMate(card, this.trump);
    if (mate === undefined) return undefined;
    if (this.hands[seat].includes(mate)) return "belote";
    // The pair can be announced once in a deal, so a seat that has announced and plays one of the two plays the second.
    return this.belote === seat ? "rebelote" : undefined;
  }

  /** Does what the seat on turn may do. @param {any} action a member of `legal()` */
  apply(action) {
    if (this.#playing) this.#play(cardNumber(action.card));
    else this.#speak(action.bid);
  }

  /** @param {string} word */
  #speak(word) {
    const seat = /** @type {number} */ (this.turn);
    if (word === "pass") {
      this.#passes += 1;
      this.turn = this.#passes === 4 ? null : other(seat);
      return;
    }
    this.taker = seat;
    this.trump = word === "take" ? suitOf(this.turned) : SUITS.indexOf(word);
    this.hands[seat].push(this.turned);
    this.#draw(other(seat));
    this.turn = this.leader;
  }

  /** @param {number} card */
  #play(card) {
    const seat = /** @type {number} */ (this.turn);
    if (this.says(card) === "belote") this.belote = seat;
    this.hands[seat].splice(this.hands[seat].indexOf(card), 1);
    if (this.#led === null) {
      this.#led = card;
      this.turn = other(seat);
      return;
    }
    const winner = beats(card, this.#led, this.trump) ? seat : other(seat);
    this.points[winner] += cardPoints(this.#led, this.trump) + cardPoints(card, this.trump);
    this.tricks[winner] += 1;
    this.#led = null;
    for (const drawer of [winner, other(winner)]) this.#draw(drawer);
    const last = this.tricks[0] + this.tricks[1] === TRICKS;
    if (last) this.points[winner] += LAST_TRICK;
    this.turn = last ? null : winner;
  }

  /** @param {number} seat */
  #draw(seat) {
    const card = this.stock.shift();
    if (card !== undefined) this.hands[seat].push(card);
  }

  /** The members of `score` that the deal alone decides, once it is complete. */
  result() {
    const { taker, points, tricks, belote } = this;
    if (taker === null) return { taker, points, tricks, belote, outcome: "void", marks: [0, 0] };
    return { taker, points, tricks, belote, ...dealScore({ taker, points, tricks, belote }) };
  }
}

/** @type {import("./games.js").Game} */
export const DUEL = {
  seats: SEATS,
  options: object({ target: integer(1, 10_000) }),
  bid: oneOf("pass", "take", ...SUITS),
  deal: { turned: isCard },
  outcomes: ["made", "dedans", "capot", "void"],
  score: {},
  next: ({ shuffle, number, dealer }) => new Deal(shuffle.deck(number), dealer),
};
