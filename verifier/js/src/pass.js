/** Steps 7 to 10: one pass over the events, with the views of the held file (protocol 6.2). */

import { equal, fromHex } from "./bytes.js";
import { same } from "./canonical.js";
import { Finding } from "./errors.js";
import { Match } from "./fold.js";
import { SEATS } from "./schema.js";
import { deck, firstDealer } from "./shuffle.js";
import { suspectsOf } from "./suspects.js";

/** @typedef {import("./verify.js").Run} Run */

/** @param {Run} run */
export function runPass(run) {
  const match = new Match(shuffleOf(run));
  const views = viewsBySize(run);
  for (const event of run.events) {
    if (event.n === 0) checkTerms(run);
    match.apply(event);
    for (const view of views.get(event.n + 1) ?? []) checkView(run, view, match.view(view.seat));
  }
  if (!match.closed) throw new Finding(8, "missing_event", run.events.length);
}

/** Packs are only asked for once all seeds stand in the transcript. @param {Run} run */
function shuffleOf({ events, roots }) {
  const seeds = [];
  for (const { type, by, data } of events) if (type === "seed") seeds[by] ??= fromHex(data.do.seed);
  const reveal = events.find((event) => event.type === "reveal");
  const secrets = { serverSeed: fromHex(reveal?.data.server_seed ?? ""), tableRoot: fromHex(roots[SEATS + 1] ?? ""), seeds };
  return { deck: (/** @type {number} */ deal) => deck(secrets, deal), firstDealer: () => firstDealer(secrets) };
}

/** The terms against the signed head. @param {Run} run */
function checkTerms({ events, head, headKey }) {
  const { log, m, receipt_key } = events[0].data;
  const agree =
    head.origin === `${log}/m/${m}` && headKey.name === `${log}/receipts` && equal(headKey.key, fromHex(receipt_key));
  if (!agree) throw new Finding(8, "terms", 0);
}

/** @param {Run} run @returns {Map<number, any[]>} */
function viewsBySize({ held }) {
  /** @type {Map<number, any[]>} */
  const views = new Map();
  for (const { view } of held?.lines ?? []) {
    const others = views.get(view.size);
    if (others === undefined) views.set(view.size, [view]);
    else others.push(view);
  }
  return views;
}

/** @param {Run} run @param {any} shown @param {{hand: string[], legal: any[]}} derived */
function checkView(run, shown, derived) {
  const refuse = (/** @type {number} */ step, /** @type {string} */ cause) =>
    new Finding(step, cause, shown.size - 1, { suspects: suspectsOf(run, shown.size) });
  if (!same(shown.hand, derived.hand)) throw refuse(7, "shown_hand");
  if (!same(shown.legal, derived.legal)) throw refuse(8, "shown_legal");
}
