/** The Merkle tree of RFC 6962 (protocol 1.5). */

import { concat, toHex } from "./bytes.js";
import { sha256 } from "./sha256.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const EMPTY_ROOT = toHex(sha256(new Uint8Array(0)));

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(concat(NODE, left, right));

/**
 * A tree that grows by leaves.
 *
 * It is a row of full trees, one per bit set in its size, largest first: a leaf closes the full trees that its index has
 * trailing ones for, and the root folds the row from the right.
 */
export class Tree {
  size = 0;
  /** @type {Uint8Array[]} */
  #row = [];

  /** @param {Uint8Array} leaf */
  push(leaf) {
    let full = sha256(concat(LEAF, leaf));
    for (let bits = this.size; bits & 1; bits >>= 1) full = node(/** @type {Uint8Array} */ (this.#row.pop()), full);
    this.#row.push(full);
    this.size += 1;
  }

  /** @returns {string} hex */
  root() {
    if (this.size === 0) return EMPTY_ROOT;
    return toHex(this.#row.reduceRight((right, left) => node(left, right)));
  }
}

/** The root of every size: entry n is the root over the first n leaves, in hex. @param {Uint8Array[]} leaves @returns {string[]} */
export function roots(leaves) {
  const tree = new Tree();
  return [
    tree.root(),
    ...leaves.map((leaf) => {
      tree.push(leaf);
      return tree.root();
    }),
  ];
}
