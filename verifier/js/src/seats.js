/** Seat signatures, commitments and seeds: steps 4 to 6 (protocol 6.2). */

import { concat, fromHex, toHex, utf8 } from "./bytes.js";
import { encodeBytes } from "./canonical.js";
import { keyMayJoin } from "./ed25519.js";
import { Finding } from "./errors.js";
import { sha256 } from "./sha256.js";
import { signedSize, suspectsOf } from "./suspects.js";

const ACTION = utf8("fairdeal/1 action\n");

/** @typedef {import("./verify.js").Run} Run */
/** @typedef {import("./files.js").Event} Event */

/** The first join of each seat. @param {Event[]} events @returns {Map<number, any>} */
function joinsOf(events) {
  const joins = new Map();
  for (const { type, by, data } of events) if (type === "join" && !joins.has(by)) joins.set(by, data.do.join);
  return joins;
}

/** Step 4. Signatures are checked side by side; the first event at fault decides all the same. @param {Run} run */
export async function checkSeats(run) {
  const seated = run.events.filter((event) => event.by >= 0);
  const keys = keysOf(seated);
  const last = new Map(seated.map((event) => [event.by, event]));
  const chosen = seated.filter((event) => run.signatures === "all" || last.get(event.by) === event);
  const verified = new Map();
  await Promise.all(chosen.map(async (event) => verified.set(event, await signatureHolds(run, event, keys.get(event)))));
  for (const event of seated) {
    checkSeatEvent(run, event, keys.get(event));
    if (verified.get(event) === false) throw new Finding(4, "seat_signature", event.n);
  }
  run.checked += chosen.length;
}

/** The key that each event is signed by: a join's own, else that of the seat's first join, if it stands before. @param {Event[]} seated */
function keysOf(seated) {
  /** @type {Map<Event, Uint8Array>} */
  const keys = new Map();
  const bySeat = new Map();
  for (const event of seated) {
    const joins = event.type === "join" ? fromHex(event.data.do.join.key) : undefined;
    if (joins !== undefined && !bySeat.has(event.by)) bySeat.set(event.by, joins);
    const key = joins ?? bySeat.get(event.by);
    if (key !== undefined) keys.set(event, key);
  }
  return keys;
}

/** @param {Run} run @param {Event} event @param {Uint8Array | undefined} key @returns {Promise<boolean>} */
async function signatureHolds({ events, checker }, event, key) {
  if (key === undefined) return false;
  const { do: action, root, sig } = event.data;
  const { m, seats } = events[0].data;
  const text = { do: action, m, root, seat: event.by, size: signedSize(event, seats) };
  return checker.verify(key, concat(ACTION, encodeBytes(text)), fromHex(sig));
}

/** Everything of step 4 but the signature itself. @param {Run} run @param {Event} event @param {Uint8Array | undefined} key */
function checkSeatEvent(run, event, key) {
  // A join stands before whatever its key signs, so the key was checked there.
  const sound = key !== undefined && (event.type !== "join" || keyMayJoin(key));
  if (!sound) throw new Finding(4, "seat_key", event.n);
  const size = signedSize(event, run.events[0].data.seats);
  // A seed that comes too early was signed on a size that its transcript had not reached.
  if (size > event.n) throw new Finding(4, "signed_root", event.n);
  if (event.data.root !== run.roots[size]) {
    throw new Finding(4, "signed_root", size - 1, { suspects: suspectsOf(run, size) });
  }
}

/** @param {string} opened hex @param {string} commitment hex */
const opens = (opened, commitment) => toHex(sha256(fromHex(opened))) === commitment;

/**
 * Whether and how the copy is closed (6.1), and the server seed it tells.
 * @param {import("./files.js").Bundle} bundle
 * @returns {{closed: boolean, lost: boolean, serverSeed: string | null}} `lost`: closed by the log alone; the seed in hex
 */
export function closingOf({ events, log }) {
  const close = log?.leaves.find(({ leaf }) => leaf.type === "close")?.leaf;
  const ended = isEnded(events);
  const lost = !ended && close?.cause === "lost";
  const reveal = events.find(({ type }) => type === "reveal");
  return { closed: ended || lost, lost, serverSeed: (lost ? close : reveal?.data)?.server_seed ?? null };
}

/** Whether the events themselves close the copy. @param {Event[]} events */
function isEnded(events) {
  const reveal = events.findIndex((event) => event.type === "reveal");
  if (events.some((event) => event.type === "settle") || (reveal >= 0 && reveal < events.length - 1)) return true;
  const { seats, stake } = events[0].data;
  const settles = joinsOf(events).size === seats && stake !== 0;
  return reveal >= 0 && !settles;
}

/** Step 5, of a closed copy; a lost one takes the seed from the log. @param {import("./verify.js").Run} run */
export function checkCommitment({ events, lost, serverSeed }) {
  const reveal = lost ? undefined : events.find((event) => event.type === "reveal");
  const place = reveal?.n ?? events.length;
  if (serverSeed === null) throw new Finding(5, "no_reveal", place);
  if (!opens(serverSeed, events[0].data.commitment)) throw new Finding(5, "commitment", place);
}

/** Step 6. @param {Event[]} events */
export function checkSeatSeeds(events) {
  const joins = joinsOf(events);
  for (const { type, by, data, n } of events) {
    if (type === "seed" && !opens(data.do.seed, joins.get(by).seed_commitment)) throw new Finding(6, "seat_seed", n);
  }
}
