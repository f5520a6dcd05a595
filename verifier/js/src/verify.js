/** The verification of a bundle, step by step (protocol 6.2). Runs wherever WebCrypto has Ed25519. */

import { fromHex } from "./bytes.js";
import { Finding, Malformed } from "./errors.js";
import { parseBundle, parseHeld } from "./files.js";
import { keyMayJoin, SignatureChecker } from "./ed25519.js";
import { checkCheckpoint, checkLeaves, checkProofs } from "./log.js";
import { roots } from "./merkle.js";
import { lineHolds, verifierKey } from "./notes.js";
import { parsePolicy } from "./policy.js";
import { runPass } from "./pass.js";
import { Checks, makeReport } from "./report.js";
import { checkHeld, heldAnchors } from "./held.js";
import { checkCommitment, checkSeatSeeds, checkSeats, closingOf } from "./seats.js";
import { suspectsOf } from "./suspects.js";

export { UsageError } from "./errors.js";
export { EXIT } from "./report.js";

/** @typedef {import("./policy.js").Policy} Policy */
/** @typedef {import("./notes.js").VerifierKey} VerifierKey */

/**
 * Everything the steps share.
 * @typedef {object} Run
 * @property {import("./files.js").Event[]} events
 * @property {Uint8Array[]} lines
 * @property {import("./files.js").Receipt} head
 * @property {import("./files.js").LogPart | null} log
 * @property {boolean} closed whether the match is over in this copy (6.1)
 * @property {boolean} lost whether it is over by the log alone
 * @property {string | null} serverSeed hex; null where this copy does not tell it
 * @property {Policy | null} policy
 * @property {VerifierKey} headKey key that the head's signature line names
 * @property {VerifierKey[]} cosigned witnesses of the policy that cosigned the checkpoint
 * @property {import("./files.js").Held | null} held
 * @property {string[]} roots by size
 * @property {SignatureChecker} checker
 * @property {"all" | "last"} signatures
 * @property {Checks} checks
 * @property {"witnesses" | "held" | null} anchor
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
  const unknown = { events: [], log: null, lost: false, cosigned: [], anchor: null, checked: 0 };
  /** @type {any} */
  const run = { ...unknown, policy: listed, held: kept, checker: new SignatureChecker(), signatures, checks: new Checks() };
  const found = await conclude(run, bundle);
  return makeReport(found, run, lang);
}

const NOTHING = { step: null, cause: null, broken_at: null, suspects: null };

/** @param {Run} run @param {Uint8Array} bundle */
async function conclude(run, bundle) {
  const trusting = run.policy !== null;
  try {
    await steps(run, bundle);
    if (!run.closed) return { ...NOTHING, verdict: trusting ? "pending" : "unchecked", cause: "not_closed" };
    if (!trusting) return { ...NOTHING, verdict: "unchecked", step: 1, cause: "no_policy" };
    if (run.anchor === null) return { ...NOTHING, verdict: "unchecked", cause: "no_anchor" };
    return { ...NOTHING, verdict: "verified" };
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    const { step, cause, place, suspects } = error;
    run.checks.fail(step);
    const verdict = trusting || step === 0 ? error.verdict : "unchecked";
    return { verdict, step, cause, broken_at: place, suspects };
  }
}

/** @param {Run} run @param {Uint8Array} bundle */
async function steps(run, bundle) {
  Object.assign(run, readBundle(bundle));
  run.checks.pass(0);
  await checkKeys(run);
  run.roots = roots(run.lines);
  if (run.log !== null) {
    checkProofs(run);
    run.checks.pass(2);
  }
  checkRoot(run);
  if (run.log !== null) checkLeaves(run);
  run.checked += await checkHeld(run);
  run.checks.pass(3);
  await checkSeats(run);
  run.checks.pass(4);
  if (run.closed) {
    checkCommitment(run);
    run.checks.pass(5);
  }
  checkSeatSeeds(run.events);
  run.checks.pass(6);
  if (!run.closed) return;
  await runPass(run);
  run.checks.pass(7, 8, 9, 10);
  if (run.policy !== null) run.anchor = anchorOf(run, run.policy);
}

/** Step 0. @param {Uint8Array} bytes */
function readBundle(bytes) {
  try {
    const bundle = parseBundle(bytes);
    return { ...bundle, ...closingOf(bundle) };
  } catch (error) {
    if (error instanceof Malformed) throw new Finding(0, error.cause, error.place, { verdict: "malformed" });
    throw error;
  }
}

/** Step 1. Without a policy it fails for good, and the others still run, with the key that `open` names. @param {Run} run */
async function checkKeys(run) {
  const { log, receipt_key } = run.events[0].data;
  const own = verifierKey(`${log}/receipts`, fromHex(receipt_key));
  const signers = run.policy === null || run.log === null ? null : await checkCheckpoint(run, run.policy);
  const keys = run.policy === null || run.log !== null ? [own] : run.policy.logs;
  await checkHead(run, keys, own);
  run.cosigned = signers?.witnesses ?? [];
  run.checked += 1 + (signers?.logs.length ?? 0) + run.cosigned.length;
  if (run.policy === null) run.checks.fail(1);
  else run.checks.pass(1);
}

/** The head's signature by one of these keys. @param {Run} run @param {VerifierKey[]} keys @param {VerifierKey} own that `open` names */
async function checkHead(run, keys, own) {
  const known = (/** @type {{name: string, id: string}} */ { name, id }) => keys.find((key) => key.name === name && key.id === id);
  const key = known(run.head);
  if (key === undefined && known(own) === undefined) throw new Finding(1, "unknown_key", null, { verdict: "unchecked" });
  // Keys of a policy were checked when it was read.
  const sound = key !== undefined && (key !== own || keyMayJoin(key.key));
  const holds = sound && (await lineHolds(run.checker, key, run.head.text, run.head));
  if (!holds) throw new Finding(1, "head_signature", null, { verdict: "altered" });
  run.headKey = key;
}

/** Step 3, the head. @param {Run} run */
function checkRoot(run) {
  const { size, root } = run.head;
  const number = run.events.length;
  if (size > number) throw new Finding(3, "events_missing", number, { verdict: "altered" });
  if (size < number) throw new Finding(3, "events_extra", size, { verdict: "altered" });
  if (root !== run.roots[size]) {
    throw new Finding(3, "root", size - 1, { verdict: "altered", suspects: suspectsOf(run, size) });
  }
}

/** What outside the operator holds this match to be the one that was played. @param {Run} run @param {Policy} policy */
function anchorOf(run, policy) {
  if (policy.isMet(run.cosigned)) return "witnesses";
  return heldAnchors(run) ? "held" : null;
}
