/** The form of a match's leaves and their proofs, as headers and held files carry them (protocol 1.7, 5.1 and 7.2). */

import { MAX_PROOF_HASHES } from "./limits.js";
import { either, hex, integer, list, MAX, natural, object, oneOf } from "./shape.js";

const MOST_SEATS = 4;

/** What every match may have in the log, in the order in which it stands there. */
const TYPES = ["open", "full", "start", "close"];

const hash = hex(32);
const m = hex(16);
const size = integer(1, MAX);

/** Strictly ascending. @param {number[]} numbers */
const ascend = (numbers) => numbers.every((each, i) => i === 0 || numbers[i - 1] < each);

const seats = list(integer(0, MOST_SEATS - 1), 1);
const closed = { type: oneOf("close"), m, root: hash, server_seed: hash, size };
const close = either(
  object({ ...closed, outcome: oneOf("played", "forfeit", "cancelled") }),
  object({ ...closed, outcome: oneOf("no_seed"), seats: (value) => seats(value) && ascend(value) }),
  object({ ...closed, outcome: oneOf("void"), cause: oneOf("deal_limit", "operator", "lost") }),
);
const leaf = either(
  object({ type: oneOf("open"), commitment: hash, m, root: hash }),
  object({ type: oneOf("full"), m, root: hash }),
  object({ type: oneOf("start"), m, root: hash, size }),
  close,
);

const proof = list(hash, 0, MAX_PROOF_HASHES);
const leaves = list(object({ index: natural, leaf, proof }), 1, TYPES.length);
const proofs = list(object({ proof, size }));

/** `open` and what follows it, each once. @param {any} value */
export const provenLeaves = (value) => {
  if (!leaves(value)) return false;
  const places = value.map((/** @type {any} */ each) => TYPES.indexOf(each.leaf.type));
  return places[0] === 0 && ascend(places);
};

/** Consistency proofs by ascending size. @param {any} value */
export const consistency = (value) => proofs(value) && ascend(value.map((/** @type {any} */ each) => each.size));
