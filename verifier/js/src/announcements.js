/** The announcements of `annonces@1` (protocol 4.5): what a hand holds, and what counts of what was declared. */

import { rankOf, RANKS, sorted, suitOf, SUITS } from "./cards.js";
import { sideOf } from "./four.js";

/** From the strongest: rank and value. */
const CARRES = /** @type {[string, number][]} */ ([["J", 200], ["9", 150], ["A", 100], ["10", 100], ["K", 100], ["Q", 100]]);
const SHORTEST_RUN = 3;
/** Value of a run by length, five and more alike. */
const RUN_VALUES = [0, 0, 0, 20, 50, 100, 100, 100, 100];

/** `cards` in canonical order; of two strengths, the one that is greater at the first difference is the stronger. @typedef {{cards: number[], value: number, strength: number[]}} Announcement */

/** The cards of one rank. @param {number[]} hand in canonical order @param {number} place in CARRES @returns {Announcement} */
function carre(hand, place) {
  const [name, value] = CARRES[place];
  const cards = hand.filter((card) => RANKS[rankOf(card)] === name);
  return { cards, value, strength: [value, 1, CARRES.length - place, 0] };
}

/** The longest runs of a hand. @param {number[]} hand in canonical order @param {number} trump @returns {Announcement[]} */
function runs(hand, trump) {
  /** @type {number[][]} */
  const found = [];
  for (const card of hand) {
    const last = found[found.length - 1];
    if (last?.[last.length - 1] === card - 1 && suitOf(last[0]) === suitOf(card)) last.push(card);
    else found.push([card]);
  }
  return found
    .filter((cards) => cards.length >= SHORTEST_RUN)
    .map((cards) => {
      const value = RUN_VALUES[cards.length];
      const top = rankOf(cards[cards.length - 1]);
      return { cards, value, strength: [value, 0, top, suitOf(cards[0]) === trump ? 1 : 0] };
    });
}

/** Negative when the first is the stronger. @param {Announcement} a @param {Announcement} b */
function byStrength(a, b) {
  const place = a.strength.findIndex((each, i) => each !== b.strength[i]);
  return place < 0 ? 0 : b.strength[place] - a.strength[place];
}

const sumOf = (/** @type {Announcement[]} */ list) => list.reduce((sum, { value }) => sum + value, 0);

/** Negative when the first choice is the better one; both are sorted from the strongest. @param {Announcement[]} a @param {Announcement[]} b */
function byWorth(a, b) {
  const sums = sumOf(b) - sumOf(a);
  // Equal sums of positive values: neither list is the beginning of the other.
  return sums !== 0 ? sums : (a.map((each, i) => (b[i] === undefined ? 0 : byStrength(each, b[i]))).find(Boolean) ?? 0);
}

/** The announcements of a hand of eight cards, from the strongest. @param {number[]} hand @param {number} trump @returns {Announcement[]} */
export function announcementsOf(hand, trump) {
  const cards = sorted(hand);
  const carres = CARRES.map((_, place) => carre(cards, place)).filter((each) => each.cards.length === SUITS.length);
  /** @type {Announcement[][]} every set of them */
  const sets = carres.reduce((all, each) => [...all, ...all.map((set) => [...set, each])], /** @type {Announcement[][]} */ ([[]]));
  const choices = sets.map((set) => {
    const taken = new Set(set.flatMap((each) => each.cards));
    return [...set, ...runs(cards.filter((card) => !taken.has(card)), trump)].sort(byStrength);
  });
  return choices.sort(byWorth)[0];
}

/**
 * What counts of what the seats declared: all of the side with the strongest, nothing when both have one as strong.
 * @param {Announcement[][]} held by seat @param {number[]} declared seats
 * @returns {{seat: number, announcement: Announcement}[]} in the order in which they are shown
 */
export function counted(held, declared) {
  const all = declared.flatMap((seat) => held[seat].map((announcement) => ({ seat, announcement })));
  const [best] = [...all].sort((a, b) => byStrength(a.announcement, b.announcement));
  if (best === undefined) return [];
  const side = sideOf(best.seat);
  const tied = all.some(({ seat, announcement }) => sideOf(seat) !== side && byStrength(announcement, best.announcement) === 0);
  if (tied) return [];
  return all
    .filter(({ seat }) => sideOf(seat) === side)
    .sort((a, b) => a.seat - b.seat || a.announcement.cards[0] - b.announcement.cards[0]);
}
