/** What the page asks of its worker: the verification of the files, and what they say. */

import { encodeBytes } from "../src/canonical.js";
import { CARDS, cardNumber } from "../src/cards.js";
import { fromUtf8 } from "../src/bytes.js";
import { Malformed, UsageError } from "../src/errors.js";
import { parseHeld } from "../src/files.js";
import { MAX_FILE_BYTES } from "../src/limits.js";
import { parsePolicy } from "../src/policy.js";
import { verify } from "../src/verify.js";
import { factsOf } from "./facts.js";

/** No file is read beyond this: one byte more than a format allows is enough to refuse it. */
export const MOST_BYTES = MAX_FILE_BYTES + 1;

/** @typedef {{bundle: Uint8Array, policy?: Uint8Array, held?: Uint8Array}} Files */

/**
 * @param {Files} files
 * @returns {Promise<any>} {report, facts, held, policy}, or {unusable: "policy" | "held" | "foreign", why}
 */
export async function examine(files) {
  try {
    const report = await verify(files.bundle, files);
    return { report, facts: factsOf(files.bundle), held: heldFacts(files.held), policy: policyFacts(files.policy) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { unusable: unusable(files), why: error.message };
  }
}

/** Which file cannot be used. @param {Files} files */
function unusable({ policy, held }) {
  if (!reads(policy, parsePolicy)) return "policy";
  return reads(held, parseHeld) ? "foreign" : "held";
}

/** @param {Uint8Array | undefined} bytes @param {(bytes: Uint8Array) => unknown} parse */
function reads(bytes, parse) {
  try {
    if (bytes !== undefined) parse(bytes);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** @param {Uint8Array | undefined} bytes */
function heldFacts(bytes) {
  if (bytes === undefined) return null;
  const { seat, key, lines, logLines } = parseHeld(bytes);
  const sizes = lines.map(({ receipt }) => receipt.size);
  return { seat, key, receipts: lines.length, proofs: logLines.length, last: sizes.length > 0 ? sizes[sizes.length - 1] : null };
}

/** @param {Uint8Array | undefined} bytes */
function policyFacts(bytes) {
  if (bytes === undefined) return null;
  const { logs, witnesses, groups, quorum } = parsePolicy(bytes);
  const group = groups.get(/** @type {string} */ (quorum));
  const told = (/** @type {import("../src/notes.js").VerifierKey} */ { name, id }) => ({ name, id });
  return { keys: logs.map(told), witnesses: [...witnesses].map(([called, key]) => ({ called, ...told(key) })), quorum: group === undefined ? quorum : `${group.threshold}/${group.members.length} (${group.members.join(", ")})` };
}

/**
 * A copy of a bundle in which one card is another: the first one played, else the first one turned.
 * @param {Uint8Array} bundle
 * @returns {{bytes: Uint8Array, event: number, from: string, to: string} | null} null when it has no card
 */
export function changeOneCard(bundle) {
  const lines = fromUtf8(bundle).split("\n");
  const events = lines.slice(1, -1).map((line) => JSON.parse(line));
  const event =
    events.find(({ data }) => data.do?.card !== undefined) ?? events.find(({ data }) => data.turned !== undefined);
  if (event === undefined) return null;
  const place = event.data.do ?? event.data;
  const member = "card" in place ? "card" : "turned";
  const from = place[member];
  // The same rank in the next suit: as small a lie as there is.
  const to = CARDS[(cardNumber(from) + 8) % CARDS.length];
  place[member] = to;
  lines[event.n + 1] = fromUtf8(encodeBytes(event));
  return { bytes: new TextEncoder().encode(lines.join("\n")), event: event.n, from, to };
}

/** What kind of file this is, by its name, else by its first bytes. @param {string} name @param {Uint8Array} bytes @returns {"bundle" | "held" | "policy"} */
export function kindOf(name, bytes) {
  if (name.endsWith(".fairdeal")) return "bundle";
  if (name.endsWith(".held")) return "held";
  const start = beginning(bytes);
  if (start.includes('"fairdeal/held@')) return "held";
  if (start.startsWith("{") || start === "") return "bundle";
  return "policy";
}

const LOOK_BYTES = 512;

/** @param {Uint8Array} bytes */
function beginning(bytes) {
  try {
    return fromUtf8(bytes.subarray(0, LOOK_BYTES));
  } catch (error) {
    // Not text, or cut within a letter: no policy of ours.
    if (error instanceof Malformed) return "";
    throw error;
  }
}
