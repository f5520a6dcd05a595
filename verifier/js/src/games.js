/** The rulesets by id (protocol 4). */

import { ANNONCES } from "./annonces.js";
import { CLASSIQUE } from "./classique.js";
import { COINCHE } from "./coinche.js";
import { DUEL } from "./duel.js";

/** @typedef {import("./shape.js").Test} Test */

/** Packs, cuts and first dealer of a match. @typedef {{deck: (deal: number) => number[], cut: (deal: number) => number, firstDealer: () => number}} Shuffle */

/**
 * What a game's events look like, and how its deals follow each other.
 * @typedef {object} Game
 * @property {number} seats
 * @property {Test} options
 * @property {Test} bid
 * @property {Record<string, Test>} deal members of `deal` that are the game's own
 * @property {string[]} outcomes
 * @property {Record<string, Test>} score members of `score` that are the game's own
 * @property {boolean} [announces] whether there are `declare` and `show`; then the stake is 0
 * @property {(given: {shuffle: Shuffle, number: number, dealer: number, options: any, previous: any}) => any} next
 *   the deal of this number, after the complete deal `previous` (null for the first)
 */

/** @type {Record<string, Game>} */
export const GAMES = { "duel@1": DUEL, "classique@1": CLASSIQUE, "coinche@1": COINCHE, "annonces@1": ANNONCES };

/** The game of a match. @param {any} open `data` of event 0 @returns {Game} */
export const gameOf = (open) => GAMES[open.ruleset.id];
