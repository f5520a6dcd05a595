/** Cards by number and name (protocol 2.1 and 3). */

export const SUITS = ["S", "H", "D", "C"];
export const RANKS = ["7", "8", "9", "10", "J", "Q", "K", "A"];

/** Name of card number 8 * suit + rank; ascending numbers are the canonical order. */
export const CARDS = SUITS.flatMap((suit) => RANKS.map((rank) => suit + rank));

const NUMBERS = new Map(CARDS.map((card, number) => [card, number]));

/** @param {unknown} value */
export const isCard = (value) => NUMBERS.has(/** @type {string} */ (value));

/** @param {string} card @returns {number} */
export const cardNumber = (card) => /** @type {number} */ (NUMBERS.get(card));
