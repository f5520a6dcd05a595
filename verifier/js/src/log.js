/** The log of all matches: a header's checkpoint, proofs and order, and its leaves against the events (protocol 6.2, steps 1 to 3). */

import { encodeBytes, same } from "./canonical.js";
import { Finding } from "./errors.js";
import { isContinued, isIncluded, leafHash } from "./merkle.js";
import { signersOf } from "./policy.js";
import { suspectsOf } from "./suspects.js";

/** @typedef {import("./verify.js").Run} Run */
/** @typedef {import("./files.js").LogPart} LogPart */
/** @typedef {import("./files.js").Checkpoint} Checkpoint */
/** @typedef {import("./files.js").Proven} Proven */
/** @typedef {import("./policy.js").Policy} Policy */

/** @param {number} step @param {string} cause @param {number | null} [place] @param {number[] | null} [suspects] */
const altered = (step, cause, place = null, suspects = null) => new Finding(step, cause, place, { verdict: "altered", suspects });

/**
 * Step 1, the checkpoint: by a log key of the policy, for the log that the match names.
 * @param {Run} run @param {Policy} policy @returns {Promise<import("./policy.js").Signers>}
 */
export async function checkCheckpoint(run, policy) {
  const { checkpoint } = /** @type {LogPart} */ (run.log);
  const { log } = run.events[0].data;
  const signers = await signersOf(policy, run.checker, checkpoint);
  const { logs, hold } = signers;
  if (logs.length === 0) throw new Finding(1, "unknown_key", null, { verdict: "unchecked" });
  const ofThisLog = checkpoint.origin === log && logs.some(({ name }) => name === log);
  if (!hold || !ofThisLog) throw altered(1, "checkpoint");
  return signers;
}

/** @param {Proven} proven @param {Checkpoint} checkpoint */
export const isProven = ({ index, leaf, proof }, checkpoint) =>
  isIncluded({ hash: leafHash(encodeBytes(leaf)), index }, checkpoint, proof);

/** Step 2. @param {Run} run */
export function checkProofs(run) {
  const { checkpoint, leaves } = /** @type {LogPart} */ (run.log);
  for (const proven of leaves) {
    if (proven.leaf.m !== run.events[0].data.m) throw altered(2, "leaf");
    if (!isProven(proven, checkpoint)) throw altered(2, "inclusion");
  }
  if (leaves[0].leaf.root !== run.roots[1]) throw altered(2, "leaf", 0, suspectsOf(run, 1));
  if (run.closed) checkComplete(run);
  checkSeen(run);
  const inOrder = leaves.every(({ index }, i) => i === 0 || leaves[i - 1].index < index);
  if (!inOrder) throw new Finding(2, "log_order", null);
}

/** All leaves that a closed match had. @param {Run} run */
function checkComplete({ events, log }) {
  const types = /** @type {LogPart} */ (log).leaves.map(({ leaf }) => leaf.type);
  const needed = { full: isFull(events), start: events.some(({ type }) => type === "deal"), close: true };
  for (const [type, due] of Object.entries(needed)) if (due && !types.includes(type)) throw altered(2, "leaf_missing");
}

/** Whether joins stand at 1 … k. @param {import("./files.js").Event[]} events */
const isFull = (events) => {
  const { seats } = events[0].data;
  return events.length > seats && events.slice(1, seats + 1).every(({ type }) => type === "join");
};

/** What the seats had seen of the log is its beginning. @param {Run} run */
function checkSeen({ events, log }) {
  const { checkpoint, consistency } = /** @type {LogPart} */ (log);
  const unused = new Map(consistency.map(({ size, proof }) => [size, proof]));
  const proofs = new Map(unused);
  for (const { type, data, n } of events) {
    if (type !== "join" || data.do.join.seen.size === 0) continue;
    const { seen } = data.do.join;
    const proof = proofs.get(seen.size);
    if (proof === undefined || !isContinued(seen, checkpoint, proof)) throw altered(2, "consistency", n);
    unused.delete(seen.size);
  }
  if (unused.size > 0) throw altered(2, "consistency");
}

/** Step 3, the leaves of the header. @param {Run} run */
export function checkLeaves(run) {
  for (const { leaf } of /** @type {LogPart} */ (run.log).leaves) {
    const finding = contradiction(run, leaf);
    if (finding !== null) throw finding;
  }
}

/** How a leaf and the events contradict each other, if they do. @param {Run} run @param {any} leaf @returns {Finding | null} */
export function contradiction(run, leaf) {
  switch (leaf.type) {
    case "open":
      return leaf.commitment === run.events[0].data.commitment ? null : cheated(0);
    case "full":
      return againstFull(run, leaf);
    case "start":
      return againstStart(run, leaf);
    default:
      return leaf.cause === "lost" ? againstLost(run, leaf) : againstClose(run, leaf);
  }
}

/** @param {number} place @param {number[] | null} [suspects] */
const cheated = (place, suspects = null) => new Finding(3, "leaf", place, { suspects });

/** @param {Run} run @param {any} leaf @param {number} size that its root is of @returns {Finding | null} */
const rootFinding = (run, { root }, size) => (root === run.roots[size] ? null : cheated(size - 1, suspectsOf(run, size)));

/** Whether the match may have gone on after this copy: where it is not closed, or its end was lost with a store. @param {Run} run */
const mayGoOn = ({ closed, lost }) => !closed || lost;

/** @param {Run} run @param {any} leaf @returns {Finding | null} */
function againstFull(run, leaf) {
  const { events } = run;
  const { seats } = events[0].data;
  if (events.length <= seats && mayGoOn(run)) return null;
  return isFull(events) ? rootFinding(run, leaf, seats + 1) : cheated(Math.min(seats, events.length));
}

/** @param {Run} run @param {any} leaf @returns {Finding | null} */
function againstStart(run, leaf) {
  const { events } = run;
  const { size } = leaf;
  if (size > events.length && mayGoOn(run)) return null;
  const first = events.findIndex(({ type }) => type === "deal");
  return first === size - 1 ? rootFinding(run, leaf, size) : cheated(Math.min(size - 1, events.length));
}

/** @param {Run} run @param {any} leaf @returns {Finding | null} */
function againstLost(run, leaf) {
  const number = run.events.length;
  const end = run.events.find(({ type }) => type === "end");
  // What came after, be it an end that was told already, went with the store.
  if (number > leaf.size) return altered(3, "events_extra", leaf.size);
  if (number < leaf.size) return altered(3, "events_missing", number);
  if (end !== undefined || (run.closed && !run.lost)) return cheated(end?.n ?? number);
  return rootFinding(run, leaf, leaf.size);
}

/** @param {Run} run @param {any} leaf @returns {Finding | null} */
function againstClose(run, leaf) {
  const { events } = run;
  const number = events.length;
  if (!run.closed) return altered(3, "events_missing", number);
  if (leaf.size !== number) return cheated(Math.min(leaf.size, number));
  const rooted = rootFinding(run, leaf, number);
  if (rooted !== null) return rooted;
  // Where either is missing, later steps see it.
  const reveal = events.find(({ type }) => type === "reveal");
  const end = events.find(({ type }) => type === "end");
  if (reveal !== undefined && leaf.server_seed !== reveal.data.server_seed) return cheated(reveal.n);
  const { type: _type, m: _m, root: _root, server_seed: _seed, size: _size, ...outcome } = leaf;
  return end === undefined || same(outcome, outcomeOf(end, events)) ? null : cheated(end.n);
}

/** @type {Record<string, string>} outcome by the reason of an end */
const OUTCOMES = { target: "played", overruns: "forfeit", resigned: "forfeit", cancelled: "cancelled" };

/** What a `close` says of an end (7.2). @param {import("./files.js").Event} end @param {import("./files.js").Event[]} events @returns {any} */
function outcomeOf(end, events) {
  const { reason, cause } = end.data;
  if (reason === "void") return { outcome: "void", cause };
  if (reason !== "seed") return { outcome: OUTCOMES[reason] };
  const sent = new Set(events.filter(({ type }) => type === "seed").map(({ by }) => by));
  return { outcome: "no_seed", seats: Array.from({ length: events[0].data.seats }, (_, seat) => seat).filter((seat) => !sent.has(seat)) };
}
