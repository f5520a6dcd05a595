/** What the verifier tells of a table's match. */

import { verify } from "../src/verify.js";

/** @typedef {import("./builder.js").Table} Table */

/** @param {{verdict: string, step: number | null, cause: string | null, broken_at: number | null}} report */
export const told = ({ verdict, step, cause, broken_at }) => [verdict, step, cause, broken_at];

/** The report on a match whose server and seats signed whatever now stands in it. @param {Table} table @param {any} [options] */
export async function verifySealed(table, options) {
  await table.seal();
  return verify(await table.bundle(), { policy: table.policy(), ...options });
}

/** @param {Table} table @param {string} type @param {number} [skip] */
export const find = (table, type, skip = 0) => table.events.filter((event) => event.type === type)[skip];
