/** The held file against the bundle: its part of step 3, and the anchor (protocol 6.2). */

import { concat, fromHex, utf8 } from "./bytes.js";
import { encodeBytes } from "./canonical.js";
import { Finding, UsageError } from "./errors.js";
import { isClosed } from "./seats.js";
import { suspectsOf } from "./suspects.js";

const VIEW = utf8("fairdeal/1 view\n");

/** @typedef {import("./verify.js").Run} Run */
/** @typedef {import("./files.js").HeldLine} HeldLine */

/** @param {Run} run @throws {UsageError} for the held file of another match */
export async function checkHeld(run) {
  const { held, head, roots } = run;
  if (held === null) return;
  const own = held.m === head.origin.split("/m/").pop() && held.seat < run.events[0].data.seats;
  if (!own) throw new UsageError("held file: of another match");
  const chosen = signedLines(run);
  const signed = await Promise.all(chosen.map((line) => signaturesHold(run, line)));
  const have = run.events.length;
  // Nothing follows a closed match, so a longer history is another one.
  const beyond = isClosed(run.events);
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
  run.checked += 2 * chosen.length;
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
