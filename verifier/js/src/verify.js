/** The verification of a bundle, step by step (protocol 6.2). Runs wherever WebCrypto has Ed25519. */

import { fromHex } from "./bytes.js";
import { Finding, Malformed } from "./errors.js";
import { parseBundle, parseHeld } from "./files.js";
import { keyMayJoin, SignatureChecker } from "./ed25519.js";
import { roots } from "./merkle.js";
import { parsePolicy, Policy, verifierKey } from "./notes.js";
import { runPass } from "./pass.js";
import { Checks, makeReport } from "./report.js";
import { checkHeld, heldAnchors } from "./held.js";
import { checkCommitment, checkSeatSeeds, checkSeats, isClosed } from "./seats.js";
import { suspectsOf } from "./suspects.js";

export { UsageError } from "./errors.js";
export { EXIT } from "./report.js";

/**
 * Everything the steps share.
 * @typedef {object} Run
 * @property {import("./files.js").Event[]} events
 * @property {Uint8Array[]} lines
 * @property {import("./notes.js").Checkpoint} head
 * @property {import("./notes.js").VerifierKey} headKey key that the head's signature line names
 * @property {import("./files.js").Held | null} held
 * @property {string[]} roots by size
 * @property {SignatureChecker} checker
 * @property {"all" | "last"} signatures
 * @property {Checks} checks
 * @property {"held" | null} anchor
 * @property {number} checked signatures checked by the steps that passed
 */

/** @typedef {import("./report.js").Report} Report */

/**
 * @param {Uint8Array} bundle
 * @param {{policy?: Uint8Array, held?: Uint8Array, signatures?: "all" | "last", lang?: "fr" | "en"}} [options]
 * @returns {Promise<Report>}
 * @throws {import("./errors.js").UsageError} for a policy or a held file that cannot be used
 */
export async function verify(bundle, { policy, held, signatures = "all", lang = "en" } = {}) {
  const listed = policy === undefined ? null : parsePolicy(policy);
  const kept = held === undefined ? null : parseHeld(held);
  /** @type {any} */
  const run = { events: [], held: kept, checker: new SignatureChecker(), signatures, checks: new Checks(), anchor: null, checked: 0 };
  const found = await conclude(run, bundle, listed);
  return makeReport(found, run, lang);
}

const NOTHING = { step: null, cause: null, broken_at: null, suspects: null };

/** @param {Run} run @param {Uint8Array} bundle @param {Policy | null} policy */
async function conclude(run, bundle, policy) {
  try {
    const closed = await steps(run, bundle, policy);
    if (!closed) return { ...NOTHING, verdict: policy === null ? "unchecked" : "pending", cause: "not_closed" };
    if (policy === null) return { ...NOTHING, verdict: "unchecked", step: 1, cause: "no_policy" };
    if (run.anchor === null) return { ...NOTHING, verdict: "unchecked", cause: "no_anchor" };
    return { ...NOTHING, verdict: "verified" };
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    const { step, cause, place, suspects } = error;
    run.checks.fail(step);
    const verdict = policy === null && step > 0 ? "unchecked" : error.verdict;
    return { verdict, step, cause, broken_at: place, suspects };
  }
}

/** @param {Run} run @param {Uint8Array} bundle @param {Policy | null} policy @returns {Promise<boolean>} whether the copy is closed */
async function steps(run, bundle, policy) {
  Object.assign(run, readBundle(bundle));
  run.checks.pass(0);
  await checkHead(run, policy);
  // Without a policy the step fails for good, and the others still run, with the key that `open` names.
  if (policy === null) run.checks.fail(1);
  else run.checks.pass(1);
  run.checked += 1;
  checkRoots(run);
  await checkHeld(run);
  run.checks.pass(3);
  await checkSeats(run);
  run.checks.pass(4);
  const closed = isClosed(run.events);
  if (closed) {
    checkCommitment(run.events);
    run.checks.pass(5);
  }
  checkSeatSeeds(run.events);
  run.checks.pass(6);
  if (!closed) return false;
  await runPass(run);
  run.checks.pass(7, 8, 9, 10);
  if (policy !== null && heldAnchors(run)) run.anchor = "held";
  return true;
}

/** Step 0. @param {Uint8Array} bytes */
function readBundle(bytes) {
  try {
    return parseBundle(bytes);
  } catch (error) {
    if (error instanceof Malformed) throw new Finding(0, error.cause, error.place, { verdict: "malformed" });
    throw error;
  }
}

/** Step 1. @param {Run} run @param {Policy | null} policy */
async function checkHead(run, policy) {
  const { log, receipt_key } = run.events[0].data;
  const own = verifierKey(`${log}/receipts`, fromHex(receipt_key));
  const known = policy ?? new Policy([own]);
  const key = known.find(run.head);
  if (key === undefined && known.find(own) === undefined) throw new Finding(1, "unknown_key", null, { verdict: "unchecked" });
  // Keys of a policy were checked when it was read.
  const sound = key !== undefined && (policy !== null || keyMayJoin(key.key));
  const holds = sound && (await run.checker.verify(key.key, run.head.text, run.head.signature));
  if (!holds) throw new Finding(1, "head_signature", null, { verdict: "altered" });
  run.headKey = /** @type {import("./notes.js").VerifierKey} */ (key);
}

/** Step 3, the head. @param {Run} run */
function checkRoots(run) {
  run.roots = roots(run.lines);
  const { size, root } = run.head;
  const number = run.events.length;
  if (size > number) throw new Finding(3, "events_missing", number, { verdict: "altered" });
  if (size < number) throw new Finding(3, "events_extra", size, { verdict: "altered" });
  if (root !== run.roots[size]) {
    throw new Finding(3, "root", size - 1, { verdict: "altered", suspects: suspectsOf(run, size) });
  }
}
