/** The report object of protocol 6.4. */

import { sentence } from "./sentences.js";

/** Names of the steps, by number (6.2). */
export const STEPS = [
  "bytes and schema",
  "policy, keys, checkpoint",
  "log proofs and order",
  "transcript root, head, leaves, held receipts",
  "seat signatures",
  "commitment opens",
  "seat seeds open",
  "deals and shown hands",
  "order, turn, legality, clock, shown actions",
  "scores and end",
  "settlement",
];

/** Exit code by verdict (6.1). @type {Record<string, number>} */
export const EXIT = { verified: 0, cheated: 10, pending: 11, malformed: 12, unchecked: 13, altered: 15 };

/** What happened to each step. */
export class Checks {
  /** @type {string[]} */
  results = STEPS.map(() => "not run");

  /** @param {...number} steps */
  pass(...steps) {
    for (const step of steps) this.results[step] = "passed";
  }

  /** @param {number} step */
  fail(step) {
    this.results[step] = "failed";
  }

  list() {
    return STEPS.map((name, step) => ({ step, name, result: this.results[step] }));
  }
}

/** What a bundle holds. @param {import("./files.js").Event[]} events @param {number} signatures number checked by the steps that passed */
export function counts(events, signatures) {
  const number = (/** @type {string} */ type) => events.filter((event) => event.type === type).length;
  return {
    events: events.length,
    deals: number("deal"),
    voids: events.filter((event) => event.type === "score" && event.data.outcome === "void").length,
    timeouts: number("timeout"),
    resumes: number("resume"),
    signatures,
  };
}

/**
 * @typedef {object} Report
 * @property {string} format
 * @property {string} verdict
 * @property {number | null} step
 * @property {string | null} cause
 * @property {number | null} broken_at
 * @property {number[] | null} suspects
 * @property {string | null} m
 * @property {{reason: string, winner: number | null} | null} ending
 * @property {"witnesses" | "held" | null} anchor
 * @property {{cosignatures: number, size: number} | null} log
 * @property {"all" | "last"} signatures
 * @property {ReturnType<typeof counts>} counts
 * @property {{step: number, name: string, result: string}[]} checks
 * @property {string} sentence
 */

/** How the match ended, as far as this copy tells. @param {import("./verify.js").Run} run */
function endingOf({ events, lost }) {
  const end = events.find((event) => event.type === "end");
  if (lost) return { reason: "lost", winner: null };
  return end === undefined ? null : { reason: end.data.reason, winner: end.data.winner };
}

/**
 * @param {{verdict: string, step: number | null, cause: string | null, broken_at: number | null, suspects: number[] | null}} found
 * @param {import("./verify.js").Run} run
 * @param {"fr" | "en"} lang
 * @returns {Report}
 */
export function makeReport(found, run, lang) {
  const { events, log, checks, anchor, signatures, checked, cosigned } = run;
  const facts = {
    format: "fairdeal/report@1",
    ...found,
    m: events.length > 0 ? events[0].data.m : null,
    ending: endingOf(run),
    anchor,
    log: log === null ? null : { cosignatures: cosigned.length, size: log.checkpoint.size },
    signatures,
    counts: counts(events, checked),
    checks: checks.list(),
  };
  return { ...facts, sentence: sentence(facts, events[0]?.data.seats, lang) };
}
