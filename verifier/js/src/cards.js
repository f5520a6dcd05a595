/** Cards by number and name (protocol 2.1 and 3), their values and strength (4.1). */

export const SUITS = ["S", "H", "D", "C"];
export const RANKS = ["7", "8", "9", "10", "J", "Q", "K", "A"];

/** Name of card number 8 * suit + rank; ascending numbers are the canonical order. */
export const CARDS = SUITS.flatMap((suit) => RANKS.map((rank) => suit + rank));

// By rank, 7 8 9 10 J Q K A.
const PLAIN_POINTS = [0, 0, 0, 10, 2, 3, 4, 11];
const TRUMP_POINTS = [0, 0, 14, 10, 20, 3, 4, 11];
const PLAIN_STRENGTH = [0, 1, 2, 6, 3, 4, 5, 7];
const TRUMP_STRENGTH = [0, 1, 6, 4, 7, 2, 3, 5];
const QUEEN = 5;
const KING = 6;

export const LAST_TRICK = 10;
export const BELOTE = 20;

const NUMBERS = new Map(CARDS.map((card, number) => [card, number]));

/** @param {unknown} value */
export const isCard = (value) => NUMBERS.has(/** @type {string} */ (value));

/** @param {string} card @returns {number} */
export const cardNumber = (card) => /** @type {number} */ (NUMBERS.get(card));

/** @param {number} card */
export const suitOf = (card) => card >> 3;

/** @param {number} card */
export const rankOf = (card) => card & 7;

/** In canonical order. @param {number[]} cards */
export const sorted = (cards) => [...cards].sort((a, b) => a - b);

/** Names of cards, in canonical order. @param {number[]} cards */
export const names = (cards) => sorted(cards).map((card) => CARDS[card]);

/** Points of a card when `trump` is a suit number. @param {number} card @param {number} trump */
export const cardPoints = (card, trump) => (suitOf(card) === trump ? TRUMP_POINTS : PLAIN_POINTS)[rankOf(card)];

/** Whether a card takes the trick from the one that holds it. @param {number} card @param {number} holding @param {number} trump */
export function beats(card, holding, trump) {
  if (suitOf(card) !== suitOf(holding)) return suitOf(card) === trump;
  const strength = suitOf(holding) === trump ? TRUMP_STRENGTH : PLAIN_STRENGTH;
  return strength[rankOf(card)] > strength[rankOf(holding)];
}

/** The other card of the belote, or undefined. @param {number} card @param {number} trump */
export function beloteMate(card, trump) {
  const pair = [8 * trump + QUEEN, 8 * trump + KING];
  return pair.includes(card) ? pair.find((each) => each !== card) : undefined;
}
