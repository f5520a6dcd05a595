/** Steps 7 to 10: one pass over the events, with the views of the held file (protocol 6.2). */

import { equal, fromHex } from "./bytes.js";
import { same } from "./canonical.js";
import { Finding } from "./errors.js";
import { Match } from "./fold.js";
import { accusation } from "./held.js";
import { cutSize, deck, firstDealer } from "./shuffle.js";
import { suspectsOf } from "./suspects.js";

/** @typedef {import("./verify.js").Run} Run */

/** @param {Run} run */
export async function runPass(run) {
  const match = new Match(shuffleOf(run));
  const lines = linesBySize(run);
  for (const event of run.events) {
    if (event.n === 0) checkTerms(run);
    match.apply(event);
    for (const line of lines.get(event.n + 1) ?? []) {
      const finding = compareView(run, line.view, match.view(line.view.seat));
      if (finding !== null) throw await accusation(run, line, finding);
    }
  }
}

/** Packs are only asked for once all seeds stand in the transcript. @param {Run} run */
function shuffleOf({ events, roots, serverSeed }) {
  const seeds = [];
  for (const { type, by, data } of events) if (type === "seed") seeds[by] ??= fromHex(data.do.seed);
  const tableRoot = fromHex(roots[events[0].data.seats + 1] ?? "");
  const secrets = { serverSeed: fromHex(serverSeed ?? ""), tableRoot, seeds };
  return {
    deck: (/** @type {number} */ deal) => deck(secrets, deal),
    cut: (/** @type {number} */ deal) => cutSize(secrets, deal),
    firstDealer: () => firstDealer(secrets),
  };
}

/** The terms against the signed head. @param {Run} run */
function checkTerms({ events, head, headKey }) {
  const { log, m, receipt_key } = events[0].data;
  const agree =
    head.origin === `${log}/m/${m}` && headKey.name === `${log}/receipts` && equal(headKey.key, fromHex(receipt_key));
  if (!agree) throw new Finding(8, "terms", 0);
}

/** @param {Run} run @returns {Map<number, import("./files.js").HeldLine[]>} */
function linesBySize({ held }) {
  /** @type {Map<number, import("./files.js").HeldLine[]>} */
  const bySize = new Map();
  for (const line of held?.lines ?? []) {
    const others = bySize.get(line.view.size);
    if (others === undefined) bySize.set(line.view.size, [line]);
    else others.push(line);
  }
  return bySize;
}

/** @param {Run} run @param {any} shown @param {{hand: string[], legal: any[]}} derived @returns {Finding | null} */
function compareView(run, shown, derived) {
  const differs = (/** @type {number} */ step, /** @type {string} */ cause) =>
    new Finding(step, cause, shown.size - 1, { suspects: suspectsOf(run, shown.size) });
  if (!same(shown.hand, derived.hand)) return differs(7, "shown_hand");
  return same(shown.legal, derived.legal) ? null : differs(8, "shown_legal");
}
