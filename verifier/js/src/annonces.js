/** Ruleset `annonces@1` (protocol 4.2 and 4.5): `classique@1` with announcements, and a pack that is gathered and cut. */

import { CARDS } from "./cards.js";
import { announcementsOf, counted } from "./announcements.js";
import { CLASSIQUE, ClassiqueDeal, dealScore } from "./classique.js";
import { seatsFrom, sideOf } from "./four.js";
import { perSide } from "./shape.js";

export const DUTIES = { risesOverPartner: true, underRuffs: false };
export const DEDANS_MARKS = 160;
/** So many void deals in a row, and the pack is shuffled. */
const VOIDS = 4;

/** The pack that a complete deal leaves. @param {{taker: number | null, won: {side: number, cards: number[]}[], hands: number[][], first: number, turned: number, stock: number[]}} deal */
export function gathered({ taker, won, hands, first, turned, stock }) {
  if (taker === null) return [...seatsFrom(first).flatMap((seat) => hands[seat]), turned, ...stock];
  const own = won.filter(({ side }) => side === sideOf(taker));
  const others = won.filter(({ side }) => side !== sideOf(taker));
  return [...own, ...others].flatMap(({ cards }) => cards);
}

/** The first `cut` cards go under the others. @param {number[]} pack @param {number} cut */
export const cutPack = (pack, cut) => [...pack.slice(cut), ...pack.slice(0, cut)];

export class AnnoncesDeal extends ClassiqueDeal {
  /** @type {import("./announcements.js").Announcement[][]} by seat, of the eight cards as dealt, once there is a taker */
  #held = [];
  /** @type {Set<number>} seats */
  #declared = new Set();

  /** @param {number[]} deck @param {number} dealer @param {number} [pot] @param {number} [voids] void deals in a row before this one */
  constructor(deck, dealer, pot = 0, voids = 0) {
    super(deck, dealer, pot, DUTIES);
    this.voids = voids;
  }

  /** Void deals in a row, this one among them. */
  get voidsSoFar() {
    return this.taker === null ? this.voids + 1 : 0;
  }

  /** @override @param {string} word */
  speak(word) {
    super.speak(word);
    if (this.taker !== null) this.#held = this.hands.map((hand) => announcementsOf(hand, this.trump));
  }

  /** @override @returns {any[]} */
  legal() {
    const declares = this.turn !== null && this.mayDeclare(this.turn);
    return declares ? [...super.legal(), { declare: true }] : super.legal();
  }

  /** @param {number} seat */
  mayDeclare(seat) {
    if (this.taker === null || this.won.length > 0 || this.#declared.has(seat)) return false;
    const reached = seatsFrom(this.first).indexOf(seat) <= this.trick.length;
    return reached && this.#held[seat].length > 0;
  }

  /** @param {number} seat that may declare */
  declare(seat) {
    this.#declared.add(seat);
  }

  /** Whether the card just played is the first of the second trick, and there is something to show. */
  get showDue() {
    return this.won.length === 1 && this.trick.length === 1 && this.#declared.size > 0;
  }

  #counted() {
    return counted(this.#held, [...this.#declared]);
  }

  /** The `announcements` of `show`. */
  shown() {
    return this.#counted().map(({ seat, announcement }) => ({ cards: announcement.cards.map((card) => CARDS[card]), seat }));
  }

  /** @override */
  result() {
    const announcements = [0, 0];
    for (const { seat, announcement } of this.#counted()) announcements[sideOf(seat)] += announcement.value;
    const { taker, points, tricks, belote, pot } = this;
    if (taker === null) return { ...super.result(), announcements };
    const played = { taker, points, tricks, belote, announcements };
    return { ...played, ...dealScore(played, pot, DEDANS_MARKS) };
  }
}

/** @type {import("./games.js").Game} */
export const ANNONCES = {
  ...CLASSIQUE,
  score: { ...CLASSIQUE.score, announcements: perSide },
  announces: true,
  next({ shuffle, number, dealer, previous }) {
    const voids = previous?.voidsSoFar ?? 0;
    const pot = previous?.result().pot;
    if (previous === null || voids === VOIDS) return new AnnoncesDeal(shuffle.deck(number), dealer, pot);
    return new AnnoncesDeal(cutPack(gathered(previous), shuffle.cut(number)), dealer, pot, voids);
  },
};
