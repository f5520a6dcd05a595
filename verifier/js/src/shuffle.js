/** From seeds to packs, cuts and dealers (protocol 3 and 4.5). */

import { bigEndian, concat, u32be, utf8 } from "./bytes.js";
import { hmacSha256 } from "./sha256.js";

const DEAL = utf8("fairdeal/1 deal\n");
const DEALER = utf8("fairdeal/1 dealer\n");
const CUT = utf8("fairdeal/1 cut\n");
/** A cut leaves three cards at least on either side (4.5). */
const CUT_LEAST = 3;
const CUTS = 27;
const HMAC_BITS = 256;
/** Bits beyond those of n! that keep the bias of the shuffle below 2^-128. */
const SPARE_BITS = 128;

/** What a table's shuffles are made of: 32 bytes each, `seeds` by seat. @typedef {{serverSeed: Uint8Array, tableRoot: Uint8Array, seeds: Uint8Array[]}} Secrets */

/** @param {number} n */
function factorial(n) {
  let product = 1n;
  for (let i = 2; i <= n; i++) product *= BigInt(i);
  return product;
}

/** The permutation of a pack of `cards` cards with this number, 0 ... cards! - 1. @param {bigint} index @param {number} cards */
export function permutation(index, cards) {
  const deck = Array.from({ length: cards }, (_, i) => i);
  for (let i = cards - 1; i >= 1; i--) {
    const j = Number(index % BigInt(i + 1));
    index /= BigInt(i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

/** @param {Secrets} secrets @param {number} deal 1, 2, ... @param {number} cards @returns {bigint} */
export function deckIndex({ serverSeed, tableRoot, seeds }, deal, cards) {
  const message = concat(DEAL, tableRoot, ...seeds, u32be(deal));
  const size = factorial(cards);
  const blocks = Math.ceil((size.toString(2).length + SPARE_BITS) / HMAC_BITS);
  const parts = Array.from({ length: blocks }, (_, i) => (blocks === 1 ? message : concat(message, u32be(i))));
  return bigEndian(concat(...parts.map((part) => hmacSha256(serverSeed, part)))) % size;
}

/** @param {Secrets} secrets @param {number} deal 1, 2, ... @param {number} [cards] @returns {number[]} card numbers, first to leave the pack first */
export const deck = (secrets, deal, cards = 32) => permutation(deckIndex(secrets, deal, cards), cards);

/** @param {Secrets} secrets @returns {number} the seat that deals deal 1 */
export function firstDealer({ serverSeed, tableRoot, seeds }) {
  const number = bigEndian(hmacSha256(serverSeed, concat(DEALER, tableRoot, ...seeds)));
  return Number(number % BigInt(seeds.length));
}

/** How many cards the cut before a deal takes off. @param {Secrets} secrets @param {number} deal 2, 3, ... */
export function cutSize({ serverSeed, tableRoot, seeds }, deal) {
  const number = bigEndian(hmacSha256(serverSeed, concat(CUT, tableRoot, ...seeds, u32be(deal))));
  return CUT_LEAST + Number(number % BigInt(CUTS));
}
