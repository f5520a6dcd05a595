/** The Merkle tree of RFC 6962 (protocol 1.5). */

import { concat, toHex } from "./bytes.js";
import { sha256 } from "./sha256.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(concat(NODE, left, right));

/**
 * The root of every size: entry n is the root over the first n leaves, in hex.
 *
 * A tree of n leaves is a row of full trees, one per bit set in n, largest first: each new leaf closes the full trees that its
 * index has trailing ones for, and the root folds the row from the right.
 * @param {Uint8Array[]} leaves @returns {string[]} `leaves.length + 1` roots
 */
export function roots(leaves) {
  const all = [toHex(sha256(new Uint8Array(0)))];
  /** @type {Uint8Array[]} */
  const row = [];
  leaves.forEach((leaf, index) => {
    let full = sha256(concat(LEAF, leaf));
    for (let bits = index; bits & 1; bits >>= 1) full = node(/** @type {Uint8Array} */ (row.pop()), full);
    row.push(full);
    all.push(toHex(row.reduceRight((right, left) => node(left, right))));
  });
  return all;
}
