/** The held file against the bundle: its part of step 3, and the anchor (protocol 6.2). */

import { concat, fromHex, utf8 } from "./bytes.js";
import { encodeBytes, same } from "./canonical.js";
import { Finding, UsageError } from "./errors.js";
import { contradiction, isProven } from "./log.js";
import { signersOf } from "./policy.js";
import { suspectsOf } from "./suspects.js";

const VIEW = utf8("fairdeal/1 view\n");

/** @typedef {import("./verify.js").Run} Run */
/** @typedef {import("./files.js").HeldLine} HeldLine */

/** @param {Run} run @returns {Promise<number>} signatures checked @throws {UsageError} for the held file of another match */
export async function checkHeld(run) {
  const { held, head } = run;
  if (held === null) return 0;
  const own = held.m === head.origin.split("/m/").pop() && held.seat < run.events[0].data.seats;
  if (!own) throw new UsageError("held file: of another match");
  let checked = await checkReceipts(run, held);
  if (run.log === null || run.policy === null) return checked;
  for (const line of held.logLines) checked += await checkLogLine(run, run.log, run.policy, line);
  return checked;
}

/** @param {Run} run @param {import("./files.js").Held} held @returns {Promise<number>} signatures checked */
async function checkReceipts(run, held) {
  const { roots } = run;
  const chosen = signedLines(run);
  const signed = await Promise.all(chosen.map((line) => signaturesHold(run, line)));
  const have = run.events.length;
  // Nothing follows a closed match, so a longer history is another one; of a lost one the rest may have been played.
  const beyond = run.closed && !run.lost;
  const fork = held.lines.find(({ receipt: { size, root } }) => (size <= have ? root !== roots[size] : beyond));
  if (!held.lines.every((line) => fits(run, line)) || !signed.every(Boolean)) {
    throw unsigned();
  }
  if (fork !== undefined) {
    const { size } = fork.receipt;
    const finding =
      size <= have ? new Finding(3, "fork", size - 1, { suspects: suspectsOf(run, size) }) : new Finding(3, "fork", have);
    throw await accusation(run, fork, finding);
  }
  return 2 * chosen.length;
}

const badLine = () => new Finding(3, "held_log", null, { verdict: "altered" });

/** @param {number | null} place @param {number[] | null} [suspects] */
const logFork = (place, suspects = null) => new Finding(3, "log_fork", place, { suspects });

/**
 * What the log showed while the match was played, against what it shows now.
 * @param {Run} run @param {import("./files.js").LogPart} log @param {import("./policy.js").Policy} policy @param {import("./files.js").LogLine} line
 * @returns {Promise<number>} signatures checked
 */
async function checkLogLine(run, log, policy, { checkpoint, leaves }) {
  const open = run.events[0].data;
  const { logs, witnesses, hold } = await signersOf(policy, run.checker, checkpoint);
  const signed = hold && checkpoint.origin === open.log && logs.some(({ name }) => name === open.log);
  if (!signed || !leaves.every((proven) => proven.leaf.m === open.m && isProven(proven, checkpoint))) throw badLine();
  if (checkpoint.size === log.checkpoint.size && checkpoint.root !== log.checkpoint.root) throw logFork(null);
  for (const { index, leaf } of leaves) {
    const other = log.leaves.find((each) => each.leaf.type === leaf.type);
    if (other !== undefined && (other.index !== index || !same(other.leaf, leaf))) throw logFork(null);
    const finding = other === undefined ? contradiction(run, leaf) : null;
    if (finding?.verdict === "cheated") throw logFork(finding.place, finding.suspects);
  }
  return logs.length + witnesses.length;
}

/**
 * What a held line that contradicts the bundle proves: only a line whose signatures hold accuses, whichever lines were chosen.
 * @param {Run} run @param {HeldLine} line @param {Finding} finding @returns {Promise<Finding>}
 */
export async function accusation(run, line, finding) {
  return (await signaturesHold(run, line)) ? finding : unsigned();
}

const unsigned = () => new Finding(3, "held_signature", null, { verdict: "altered" });

/** Held lines whose signatures are checked. @param {Run} run @returns {HeldLine[]} */
function signedLines({ held, signatures }) {
  const lines = held?.lines ?? [];
  return signatures === "last" ? lines.slice(-1) : lines;
}

/** Whether a line belongs to the match and the seat, and names the head's key. @param {Run} run @param {HeldLine} line */
function fits({ held, head }, { receipt, view }) {
  return (
    receipt.name === head.name &&
    receipt.id === head.id &&
    receipt.origin === head.origin &&
    receipt.size === view.size &&
    view.m === held?.m &&
    view.seat === held?.seat
  );
}

/** @param {Run} run @param {HeldLine} line @returns {Promise<boolean>} */
async function signaturesHold({ checker, headKey }, { receipt, sig, view }) {
  const results = await Promise.all([
    checker.verify(headKey.key, receipt.text, receipt.signature),
    checker.verify(headKey.key, concat(VIEW, encodeBytes(view)), fromHex(sig)),
  ]);
  return results.every(Boolean);
}

/** Whether the user's own file shows that this is the match the user played to its last action. @param {Run} run */
export function heldAnchors(run) {
  const { held, events } = run;
  if (held === null) return false;
  const own = events.filter((event) => event.by === held.seat);
  const join = own.find((event) => event.type === "join");
  if (join === undefined || join.data.do.join.key !== held.key) return false;
  const last = own[own.length - 1].n;
  // A receipt beyond the bundle was compared with nothing, so it anchors nothing.
  return signedLines(run).some(({ receipt }) => receipt.size > last && receipt.size <= events.length);
}
