/** The Merkle tree of RFC 6962 and its proofs (protocol 1.5 and 1.7). Hashes are hex outside, bytes inside. */

import { concat, fromHex, toHex } from "./bytes.js";
import { sha256 } from "./sha256.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const EMPTY_ROOT = toHex(sha256(new Uint8Array(0)));

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(concat(NODE, left, right));

/** @param {Uint8Array} leaf @returns {string} */
export const leafHash = (leaf) => toHex(sha256(concat(LEAF, leaf)));

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

/**
 * Climbs from a node of the tree's right edge or inside it to the root, one sibling of the proof at a time.
 * @param {bigint} at number of the node in its level @param {bigint} last number of the level's last node
 * @param {Uint8Array[]} siblings from the nearest on
 * @param {(sibling: Uint8Array, left: boolean) => void} join takes a sibling that stands left or right of the node
 * @returns {boolean} whether the root was reached by exactly these siblings
 */
function climb(at, last, siblings, join) {
  for (const sibling of siblings) {
    if (last === 0n) return false;
    const left = (at & 1n) === 1n || at === last;
    join(sibling, left);
    // At the right edge a level without a sibling is passed over.
    while (left && (at & 1n) === 0n && at !== 0n) [at, last] = [at >> 1n, last >> 1n];
    [at, last] = [at >> 1n, last >> 1n];
  }
  return last === 0n;
}

/** @param {...number} numbers */
const areSizes = (...numbers) => numbers.every((each) => Number.isSafeInteger(each) && each >= 0);

/**
 * Whether a leaf stands at `index` in the tree of `size` leaves with this root (RFC 9162, 2.1.3.2).
 * @param {{hash: string, index: number}} leaf its leaf hash @param {{size: number, root: string}} tree @param {string[]} proof
 */
export function isIncluded({ hash, index }, { size, root }, proof) {
  if (!areSizes(index, size) || index >= size) return false;
  let sum = fromHex(hash);
  const complete = climb(BigInt(index), BigInt(size - 1), proof.map(fromHex), (sibling, left) => {
    sum = left ? node(sibling, sum) : node(sum, sibling);
  });
  return complete && toHex(sum) === root;
}

/**
 * Whether the tree `next` goes on from the tree `old` (RFC 9162, 2.1.4.2; equal sizes and the empty tree: protocol 1.7).
 * @param {{size: number, root: string}} old @param {{size: number, root: string}} next @param {string[]} proof
 */
export function isContinued(old, next, proof) {
  if (!areSizes(old.size, next.size) || old.size > next.size) return false;
  if (old.size === next.size) return proof.length === 0 && old.root === next.root;
  if (old.size === 0) return proof.length === 0 && old.root === EMPTY_ROOT;
  let [at, last] = [BigInt(old.size - 1), BigInt(next.size - 1)];
  while ((at & 1n) === 1n) [at, last] = [at >> 1n, last >> 1n];
  // An old tree that is full is itself the node to climb from; its root is then left out of the proof.
  const [first, ...siblings] = (at === 0n ? [old.root, ...proof] : proof).map(fromHex);
  if (first === undefined) return false;
  let [before, after] = [first, first];
  const complete = climb(at, last, siblings, (sibling, left) => {
    if (left) before = node(sibling, before);
    after = left ? node(sibling, after) : node(after, sibling);
  });
  return complete && toHex(before) === old.root && toHex(after) === next.root;
}
